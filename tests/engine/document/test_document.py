"""The document: what it may hold, and that a file brings back exactly what was saved."""

import json
import pickle
from dataclasses import replace

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import curves_of, make_model, make_trainer, trained_at
from engine.experiment.consistency import check_consistent
from engine.network import TrainingSettings, saved_snapshot
from engine.session_file import from_json, to_json
from engine.session_file.saved_runs import saved_runs


def _changed(**sections):
    content = json.loads(to_json(Document()))
    for name, fields in sections.items():
        content[name].update(fields)
    return json.dumps(content)


def test_a_document_reads_back_as_it_was():
    document = replace_section(Document(), "expression", text="a = 1\n# ∂", ranges={"a": [-1.0, 2.0]})
    document = replace_section(
        document, "trained", step=7, parameters=[-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2]
    )
    again = from_json(to_json(document))
    assert again == document
    assert [number.hex() for number in again.trained.parameters] == [n.hex() for n in document.trained.parameters]


def test_a_file_is_readable_json_with_a_version():
    content = json.loads(to_json(Document()))
    assert content["gradstep"] == 5
    assert content["training"]["learning_rate"] == 0.05


def test_a_file_of_the_first_version_still_opens():
    content = json.loads(to_json(Document()))
    content["gradstep"] = 1
    content["trained"] = {"step": 3, "parameters": [0.5] * 37}
    document = from_json(json.dumps(content))
    assert document.trained.step == 3
    assert list(document.trained.parameters) == [0.5] * 37
    assert len(document.trained.curve) == 0


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]", "true", "null", '"x"', "x1,x2\n1,2", "[" * 100_000, '{"a":' * 100_000, '{"gradstep": 1'),
        *(pickle.dumps({"a": 1}).decode("latin-1"), "\x89PNG", "gradstep: 1", "import os"),
    ],
)
def test_what_is_no_session_is_refused(text):
    with pytest.raises(DocumentError, match="not a session of this program"):
        from_json(text)


@pytest.mark.parametrize("version", [0, "1", 1.5, None, -1, True])
def test_a_version_is_a_positive_whole_number(version):
    with pytest.raises(DocumentError, match="gradstep"):
        from_json(json.dumps({"gradstep": version}))


def test_a_newer_version_is_not_half_loaded():
    with pytest.raises(DocumentError, match="newer version"):
        from_json('{"gradstep": 999, "training": {}}')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(number):
    text = to_json(Document()).replace('"learning_rate": 0.05', f'"learning_rate": {number}')
    with pytest.raises(DocumentError):
        from_json(text)


@pytest.mark.parametrize(("inside", "words"), [("1" * 1_001, "1,001 digits"), ("[" + "0," * 10**6 + "0]", "too much")])
def test_a_file_with_too_many_digits_or_values_is_refused(inside, words):
    with pytest.raises(DocumentError, match=words):
        from_json(to_json(Document()).replace('"step": 0', f'"step": {inside}'))


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ("training", "learning_rate", "0.1"),
        ("training", "learning_rate", True),
        ("training", "learning_rate", [0.1]),
        ("training", "learning_rate", -0.1),
        ("training", "batch_size", 0),
        ("network", "activations", ["tanh", "swishh"]),
        ("network", "activations", ["tanh"] * 3),
        ("network", "activations", "tanh"),
        ("network", "layer_sizes", [2, 0, 1]),
        ("network", "layer_sizes", [2, 10**12, 1]),
        ("network", "layer_sizes", [2] * 100),
        ("network", "seed", -1),
        ("data", "noise", 20.0),
        ("expression", "text", "\ud800"),
        ("expression", "text", "a\0"),
        ("trained", "parameters", ["1"]),
        ("trained", "parameters", 5),
        ("trained", "parameters", [0.5, 10**400]),
        ("trained", "curve", [0.0] * 100_000),
        ("trained", "curves", {f"c{number}": [] for number in range(65)}),
        ("data", "table", {"x": "1"}),
        ("data", "table", {"x": ["a"] * 200_000}),
        ("runs", "kept", [{"name": "x" * 4_000_000}]),
        ("view", "shows", "everything"),
    ],
)
def test_a_field_says_what_it_may_hold(section, field, value):
    with pytest.raises(
        DocumentError, match=f"{section}.{field} .*must|{section}.{field} .*not text|contains"
    ) as caught:
        from_json(_changed(**{section: {field: value}}))
    assert caught.value.path == f"{section}.{field}"


def test_a_misspelt_name_gets_the_nearest_match():
    with pytest.raises(DocumentError, match="did you mean 'swish'"):
        replace_section(Document(), "network", activations=("tanh", "swishh"))


def test_unknown_sections_fields_and_duplicate_names_are_refused():
    with pytest.raises(DocumentError, match="is not a section"):
        from_json('{"gradstep": 1, "weights": {}}')
    with pytest.raises(DocumentError, match="must be a table"):
        from_json('{"gradstep": 1, "data": []}')
    with pytest.raises(DocumentError, match="is not a field"):
        from_json('{"gradstep": 1, "data": {"size": 3}}')
    with pytest.raises(DocumentError, match="twice"):
        from_json('{"gradstep": 1, "gradstep": 1}')


@pytest.mark.parametrize(
    ("section", "fields"),
    [
        ("trained", {"parameters": FrozenFloats([1.0, float("nan")])}),
        ("trained", {"curves": (("loss", [1.0]), ("loss", [2.0]))}),
    ],
)
def test_an_edit_is_refused_as_a_file_is(section, fields):
    with pytest.raises(DocumentError):
        replace_section(Document(), section, **fields)


def test_numbers_that_are_not_finite_are_not_written():
    with pytest.raises(ValueError, match="nan or inf"):
        to_json(replace(Document(), trained=replace(Document().trained, parameters=FrozenFloats([float("inf")]))))


def test_numbers_are_equal_to_the_same_numbers_alone():
    numbers = FrozenFloats([1.0, -0.0, 3.0])
    assert numbers[1:] == FrozenFloats([-0.0, 3.0]) != FrozenFloats([0.0, 3.0])
    assert numbers != (1.0, -0.0, 3.0)


def test_an_edit_that_is_not_allowed_changes_nothing():
    document = Document()
    with pytest.raises(DocumentError):
        replace_section(document, "training", loss="hinge", learning_rate=float("nan"))
    assert document == Document()


VERSION_1 = """{
  "gradstep": 1,
  "expression": {"text": "a = 1.0\\nb = a*2", "ranges": {"a": [-1.0, 2.0]}},
  "data": {"name": "xor", "n_samples": 4, "noise": 0.0, "seed": 1},
  "network": {"layer_sizes": [2, 1], "activation": "tanh", "output_activation": "linear", "initialiser": "uniform",
    "seed": 1},
  "training": {"loss": "hinge", "optimizer": "sgd", "learning_rate": 0.05, "schedule": "constant", "batch_size": 2,
    "l1": 0.0, "l2": 0.0, "seed": 0, "dtype": "float64"},
  "view": {"shows": "network", "sample": 0, "n_samples": 1, "direction": "right", "hide_constants": false,
    "expanded": ["op:o"], "collapsed": [], "moved": {"o": [1.5, -2.0]}},
  "trained": {"step": 7, "parameters": [0.1, -0.2, 5e-324]}
}
"""


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("sizes", ["", '"layer_sizes": [2, 5, 3, 3, 1], ', '"layer_sizes": [2, 1], '])
def test_the_one_activation_of_an_older_session_is_that_of_each_hidden_layer(version, sizes):
    text = f'{{"gradstep": {version}, "network": {{{sizes}"activation": "relu"}}}}'
    network = from_json(text).network
    assert network.activations == ("relu",) * (len(network.layer_sizes) - 2)
    with pytest.raises(DocumentError, match=r"activation .*did you mean 'relu'") as caught:
        from_json(text.replace('"relu"', '"relou"'))
    assert caught.value.path == "network.activation"
    with pytest.raises(DocumentError, match="is not a field"):
        from_json(text.replace(f'"gradstep": {version}', '"gradstep": 3'))


def test_an_older_session_without_an_activation_has_tanh_in_each_hidden_layer():
    assert from_json('{"gradstep": 2, "network": {"layer_sizes": [2, 3, 1]}}').network.activations == ("tanh",)


def test_every_hidden_layer_keeps_its_activation_when_layers_come_and_go():
    document = replace_section(Document(), "network", layer_sizes=(2, 4, 3, 2, 1), activations=("relu", "gelu", "tanh"))
    assert from_json(to_json(document)) == document
    fewer = replace_section(document, "network", layer_sizes=(2, 9, 9, 1))
    assert fewer.network.activations == ("relu", "gelu")
    assert replace_section(fewer, "network", layer_sizes=(2, 9, 9, 9, 9, 1)).network.activations == (
        *("relu", "gelu"),
        *("gelu", "gelu"),
    )
    linear = replace_section(document, "network", layer_sizes=(2, 1))
    assert linear.network.activations == ()
    assert replace_section(linear, "network", layer_sizes=(2, 4, 1)).network.activations == ("tanh",)


def test_a_session_of_version_1_opens_and_trains_on():
    document = from_json(VERSION_1)
    assert document.expression.ranges == (("a", (-1.0, 2.0)),)
    assert document.view.moved == (("o", (1.5, -2.0)),)
    assert (document.trained.step, list(document.trained.parameters)) == (7, [0.1, -0.2, 5e-324])
    dataset = check_consistent(document)
    trainer = make_trainer(document, make_model(document), dataset)
    trainer.step()
    assert trainer.step_count == 8
    assert from_json(to_json(document)) == document


def test_a_session_of_version_2_opens_without_the_curves_that_it_did_not_have_yet():
    content = json.loads(to_json(from_json(VERSION_1))) | {"gradstep": 2}
    del content["trained"]["curves"]
    assert from_json(json.dumps(content)) == from_json(VERSION_1)


@pytest.mark.parametrize(("version", "l2", "points"), [(3, 0.1, 0), (3, 0.0, 2), (4, 0.1, 2)])
def test_a_curve_whose_losses_contain_a_penalty_is_not_taken_from_an_older_file(version, l2, points):
    trained = {"step": 3, "parameters": [0.5] * 37, "curve": [0, 1, 2.5, 1.5], "test_curve": [0, 1, 2.5, 1.5]}
    training = {"l2": l2}
    run = {"number": 1, "name": "", "training": training, "trained": trained}
    content = {"gradstep": version, "training": training, "trained": trained, "runs": {"kept": [run]}}
    document = from_json(json.dumps(content))
    (kept,) = saved_runs(document)
    for moment in (document.trained, kept.document.trained):
        assert (len(moment.curve) // 2, len(moment.test_curve) // 2, moment.step) == (points, points, 3)


def test_an_older_network_without_initialiser_was_drawn_uniformly():
    assert from_json('{"gradstep": 3, "network": {}}').network.initialiser == "uniform"
    assert from_json('{"gradstep": 4, "network": {}}').network.initialiser == "by_activation"


def test_the_figures_of_a_run_by_step_come_back_out_of_its_file():
    curves = {"accuracy": ([0, 3, 9], [0.5, 0.75, 1.0]), "gradient_norm_1": ([3, 9], [2e-7, 5e300])}
    parameters = [0.5, -0.5, 0.0]
    moment = saved_snapshot(TrainingSettings(), parameters, step=9)
    document = Document(trained=trained_at(moment, curves=curves))
    again = curves_of(from_json(to_json(document)).trained)
    assert {name: (list(steps), list(numbers)) for name, (steps, numbers) in again.items()} == curves
