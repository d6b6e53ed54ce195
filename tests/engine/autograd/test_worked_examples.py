"""The published worked examples, from the file that the gallery shows, against the engine."""

import json
from pathlib import Path

import pytest

from engine.autograd import Value, check_gradients, expand, what_if
from engine.language import evaluate
from engine.teaching import Nudger

EXAMPLES = json.loads(
    Path(__file__).parents[3].joinpath("resources/examples/worked_examples.json").read_text(encoding="utf-8")
)
PROGRAMS = {example["id"]: example for example in EXAMPLES["programs"]}
NUDGES = {example["id"]: example["value"] for example in EXAMPLES["nudges"]}
ACCUMULATION = {example["id"]: example for example in EXAMPLES["accumulation"]}


@pytest.fixture(params=PROGRAMS)
def example(request):
    return PROGRAMS[request.param]


def test_data_and_gradients_are_the_published_ones(example):
    result = evaluate(example["program"])
    result.root.backward()
    for name, data in example["data"].items():
        assert abs(result.names[name].data - data) <= example["tol"]
    for name, grad in example["grad"].items():
        assert abs(result.names[name].grad - grad) <= example["tol"]
    assert not result.notes
    assert not result.problems


def test_every_gradient_of_the_examples_agrees_three_ways(example):
    rows = check_gradients(evaluate(example["program"]).root)
    assert all(row.ok for row in rows)
    assert all(row.agreeing_digits >= 8 for row in rows if row.note not in ("constant", "undefined"))


def test_expanded_examples_have_the_same_gradients(example):
    result = evaluate(example["program"])
    expansion = expand(result.root)
    expansion.root.backward()
    for name, grad in example["grad"].items():
        assert expansion.mapping[result.names[name]].grad == pytest.approx(grad, rel=1e-12, abs=1e-12)


def parabola(x: str):
    result = evaluate(f"x = {x}\nf = 3*x**2 - 4*x + 5")
    return result.root, result.names["x"]


def test_parabola_and_its_slopes():
    root, x = parabola("3.0")
    assert root.data == NUDGES["A1"] and Nudger(root).nudge(x, 1e-8).slope == NUDGES["A2"]
    root, x = parabola("0.6666666666666666")
    assert Nudger(root).nudge(x, 1e-6).slope == NUDGES["A3"]


@pytest.mark.parametrize(("example", "leaf"), [("A6", "a"), ("A7", "b"), ("A8", "c")])
def test_nudging_each_leaf_of_the_first_expression(example, leaf):
    result = evaluate(PROGRAMS["A5"]["program"])
    nudged = Nudger(result.root).nudge(result.names[leaf], 1e-4)
    assert [nudged.data, nudged.slope] == NUDGES[example]
    assert nudged.predicted_change == PROGRAMS["A5"]["grad"][leaf] * 1e-4
    assert nudged.actual_change == nudged.data - 4.0


def test_a_step_along_the_gradient():
    result = evaluate(PROGRAMS["A10"]["program"])
    result.root.backward()
    changes = {leaf.value: leaf.number + 0.01 * leaf.value.grad for leaf in result.leaves}
    assert what_if(result.root, changes) == pytest.approx(NUDGES["A11"], abs=1e-12)
    assert result.root.data == -8.0


def test_a_leaf_accumulates_over_graphs_that_use_it():
    a = Value(3.0)
    seen = []
    for _ in range(2):
        (a * 2).backward()
        seen.append(a.grad)
    assert seen == ACCUMULATION["A20"]["value"]


def test_leaves_accumulate_over_passes_and_intermediates_start_fresh():
    a, b, d = Value(3.0), Value(2.0), Value(1.0)
    c = a + b
    e = c * d
    named = {"a": a, "b": b, "c": c, "d": d}
    for which in ("first", "second"):
        e.backward()
        assert {name: value.grad for name, value in named.items()} == ACCUMULATION["B9"][which]
