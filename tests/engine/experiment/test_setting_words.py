"""Settings in a few words: what tells a run from others, and nothing that does not count."""

import pytest

from engine.document import Document, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.setting_words import differences, network_change_text, run_words, settings_change_text
from engine.network import TrainingSettings


def test_a_run_on_a_formula_is_not_called_by_the_data_set_that_was_chosen_before():
    moons = Document()
    hills = replace_section(moons, "data", name="hills")
    assert run_words(hills, [moons]) == "SGD 0.05 · hills"
    assert run_words(replace_section(hills, "data", source="formula"), [moons]) == "SGD 0.05 · source formula"


def test_inputs_are_called_as_on_the_screen_and_those_that_wait_are_not_said():
    chosen = replace_section(Document(), "data", features=("x1", "x2^2"), left_out=("x3",))
    [difference] = differences(Document(), chosen)
    assert (difference.name, difference.first, difference.second) == ("inputs", "as they are", "x1, x2²")


def test_a_network_without_hidden_layer_is_called_so():
    linear = replace_section(Document(), "network", layer_sizes=(2, 1), activations=())
    assert "no hidden layer" in run_words(linear, [Document()])


TABLE = (("x", FrozenFloats([1.0, 2.0])), ("kind", ("a", "b")))


@pytest.mark.parametrize(
    ("section", "changes", "texts"),
    [
        ("data", {"scaling": True}, [("scaling", "off", "on")]),
        ("data", {"table": TABLE}, [("table", "none", "x 2 numbers, kind a-b")]),
        ("data", {"points": ((0.0, 0.5, 0), (1.0, 1.0, 1))}, [("points", "none", "2 entries")]),
        (
            "network",
            {"layer_sizes": (2, *[3] * 10, 1), "activations": ("tanh",) * 10},
            [("layers", "2-4-4-1", "12 entries")],
        ),
        (
            "network",
            {"layer_sizes": (2, 3, 1), "activations": ("relu",)},
            [("layers", "2-4-4-1", "2-3-1"), ("activations", "tanh", "relu")],
        ),
        (
            "training",
            {"optimizer": "momentum", "optimizer_settings": {"momentum": 0.5}},
            [("optimizer", "SGD", "Momentum"), ("optimizer settings", "as usual", "momentum 0.5")],
        ),
    ],
)
def test_a_difference_has_both_values_as_texts(section, changes, texts):
    found = differences(Document(), replace_section(Document(), section, **changes))
    assert [(each.name, each.first, each.second) for each in found] == texts


def test_an_optimizer_stands_before_its_learning_rate_once():
    other = replace_section(Document(), "training", optimizer="adam", learning_rate=0.1)
    assert run_words(other, [Document()], [Document()]) == "Adam 0.1"


def test_a_change_of_settings_in_the_middle_of_a_run_has_the_old_and_the_new_values():
    after = TrainingSettings(optimizer="momentum", optimizer_settings={"momentum": 0.5})
    texts = [settings_change_text(TrainingSettings(), after, brief) for brief in (False, True)]
    assert texts == [
        "optimizer SGD → Momentum, optimizer settings as usual → momentum 0.5",
        "optimizer Momentum, optimizer settings momentum 0.5",
    ]


@pytest.mark.parametrize("activations", [(), ("tanh",)])
def test_layers_that_come_or_go_are_named_by_the_sizes_alone(activations):
    sizes = (2, *[3] * len(activations), 1)
    other = replace_section(Document(), "network", layer_sizes=sizes, activations=activations)
    shown = "-".join(map(str, sizes))
    assert network_change_text(Document(), other) == f"layers 2-4-4-1 → {shown}"
    assert network_change_text(other, Document(), brief=True) == "layers 2-4-4-1"
