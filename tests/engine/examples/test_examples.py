"""Every example of File > Examples is ready to run, and what is wrong with the wrong ones is said."""

import pytest

from engine.document import Document, replace_section
from engine.examples.examples import examples
from engine.examples.gallery import published_examples
from engine.experiment.assemble import make_model
from engine.language import evaluate
from engine.views.graph_view import show_expression
from tests.equations import assert_walk_adds_up

PROGRAMS = [one for one in examples() if one.text]
NETWORKS = [one for one in examples() if not one.text]


@pytest.mark.slow
@pytest.mark.parametrize("example", PROGRAMS, ids=lambda one: one.name)
def test_an_example_runs_and_shows_something(example):
    result = evaluate(example.text)
    assert result.root is not None or result.output
    wrong = [row.message for row in result.engine_check or () if not row.ok]
    assert bool(wrong) == example.name.startswith("3_one_mistake"), wrong
    if result.root is not None:
        assert_walk_adds_up(show_expression(result))


@pytest.mark.parametrize("example", NETWORKS, ids=lambda one: one.name)
def test_a_network_of_the_examples_is_set_up(example):
    document = Document()
    for section, fields in example.sections.items():
        document = replace_section(document, section, **fields)
    assert make_model(document).n_parameters > 0
    assert document.view.shows == "network"


def test_every_published_case_is_there():
    names = {one.name for one in examples()}
    cases = [case for kind in published_examples().values() for case in kind]
    assert {case["id"] for case in cases} <= names


def test_examples_are_told_apart_by_name_and_by_title():
    assert len({one.name for one in examples()}) == len(examples())
    assert len({(one.group, one.title) for one in examples()}) == len(examples())
    assert all(one.title and one.group and one.summary for one in examples())
    assert not any("\n" in one.summary or ": " in one.title.removeprefix(f"{one.name}: ") for one in examples())


def test_the_summary_of_a_published_expression_is_its_formulas():
    summaries = {one.name: one.summary for one in examples()}
    assert summaries["A13"] == "n = x1*w1 + x2*w2 + b; o = tanh(n)"
