"""Settings in a few words: what tells a run from others, and nothing that does not count."""

from engine.document import Document, replace_section
from engine.experiment.setting_words import differences, run_words


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
