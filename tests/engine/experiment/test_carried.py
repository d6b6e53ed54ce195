"""Trained weights go on where they have a place in the changed network; what is new is drawn, and said."""

import dataclasses

import numpy as np
import pytest

from engine.document import Document, Trained, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import weights_of
from engine.experiment.carried import carried, kept_note, matched_layers, trained_until
from engine.network.shape import NetworkShape


def network(document, **changes):
    return replace_section(document, "network", **changes)


def matrices(document, flat):
    sizes = document.network.layer_sizes
    return NetworkShape(sizes, ("tanh",) * (len(sizes) - 1)).layer_matrices(np.asarray(flat))


@pytest.fixture
def before():
    return network(Document(), layer_sizes=(2, 3, 2, 1))


@pytest.fixture
def trained(before):
    count = len(weights_of(before))
    numbers = FrozenFloats(np.arange(1.0, count + 1))
    state = (("m", numbers), ("v", numbers))
    return Trained(7, 3, 2, numbers, numbers, "adam", 7, state, FrozenFloats([0.0, 7.0, 0.5, 0.25]))


def test_a_wider_layer_keeps_all_weights_and_its_new_ones_are_those_of_the_initialiser(before, trained):
    after = network(before, layer_sizes=(2, 5, 2, 1))
    moment = carried(before, trained, after)
    old, new = matrices(before, trained.parameters.array), matrices(after, moment.parameters.array)
    drawn = matrices(after, weights_of(after))
    assert np.array_equal(new[0][:3], old[0]) and np.array_equal(new[0][3:], drawn[0][3:])
    assert np.array_equal(new[1][:, [0, 1, 2, -1]], old[1]) and np.array_equal(new[1][:, 3:5], drawn[1][:, 3:5])
    assert np.array_equal(new[2], old[2])
    assert kept_note(before, after).endswith("10 new ones are drawn by the initialiser.")


def test_a_narrower_layer_keeps_its_first_neurons_and_the_optimizer_starts_without_memory(before, trained):
    after = network(before, layer_sizes=(2, 2, 2, 1))
    moment = carried(before, trained, after)
    old, new = matrices(before, trained.parameters.array), matrices(after, moment.parameters.array)
    assert np.array_equal(new[0], old[0][:2]) and np.array_equal(new[1], old[1][:, [0, 1, -1]])
    assert (moment.step, moment.curve) == (7, trained.curve)
    assert (moment.optimizer_updates, moment.optimizer_state, len(moment.gradients)) == (0, (), 0)
    assert kept_note(before, after) == "The trained weights are kept; the optimizer starts without memory."


def test_an_added_layer_is_new_and_the_others_keep_their_weights(before, trained):
    after = network(before, layer_sizes=(2, 3, 2, 2, 1))
    moment = carried(before, trained, after)
    old, new = matrices(before, trained.parameters.array), matrices(after, moment.parameters.array)
    drawn = matrices(after, weights_of(after))
    kept = [np.array_equal(new[0], old[0]), np.array_equal(new[1], old[1]), np.array_equal(new[3], old[2])]
    assert all(kept) and np.array_equal(new[2], drawn[2])
    linear = network(before, layer_sizes=(2, 1))
    assert carried(before, trained, linear).parameters.array.shape == (3,)


def test_the_layer_that_was_taken_away_is_the_one_whose_weights_go(before, trained):
    after = network(before, layer_sizes=(2, 2, 1))
    moment = carried(before, trained, after, [1, 2])
    old, new = matrices(before, trained.parameters.array), matrices(after, moment.parameters.array)
    assert np.array_equal(new[0], old[1][:, [0, 1, -1]]) and np.array_equal(new[1], old[2])


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ((2, 4, 1), (2, 9, 1), [0, 1]),
        ((2, 4, 1), (2, 4, 9, 1), [0, None, 1]),
        ((2, 4, 1), (2, 9, 4, 1), [None, 0, 1]),
        ((2, 4, 8, 1), (2, 8, 1), [1, 2]),
        ((2, 4, 8, 1), (2, 4, 1), [0, 2]),
        ((2, 1), (2, 3, 1), [None, 0]),
        ((2, 3, 1), (2, 1), [1]),
        ((2, 3, 1), (2, 3, 2), [0, None]),
    ],
)
def test_layers_are_matched_by_their_sizes_from_both_ends(old, new, places):
    assert matched_layers(old, new) == places


def test_an_input_keeps_its_weights_wherever_it_comes_to_stand(before, trained):
    after = replace_section(before, "data", features=("x2", "x1^2", "x1"))
    after = network(after, layer_sizes=(3, 3, 2, 1))
    moment = carried(before, trained, after)
    old, new = matrices(before, trained.parameters.array), matrices(after, moment.parameters.array)
    assert np.array_equal(new[0][:, [2, 0, 3]], old[0])
    assert np.array_equal(new[0][:, 1], matrices(after, weights_of(after))[0][:, 1])


@pytest.mark.parametrize(
    ("section", "changes"),
    [
        ("data", {"test_share": 0.2}),
        ("network", {"activations": ("relu", "tanh")}),
        ("network", {"output_activation": "tanh"}),
    ],
)
def test_other_data_and_activations_keep_weights_and_memory(before, trained, section, changes):
    after = replace_section(before, section, **changes)
    moment = carried(before, trained, after)
    assert moment == (dataclasses.replace(trained, position=0) if section == "data" else trained)
    assert kept_note(before, after) == ""


@pytest.mark.parametrize(
    "changes", [{"noise": 0.2}, {"seed": 5}, {"n_samples": 50}, {"name": "circles"}, {"source": "formula"}]
)
def test_other_points_start_again_and_keep_the_weights_only_where_that_is_chosen(before, trained, changes):
    after = replace_section(before, "data", **changes)
    assert carried(before, trained, after) == Trained()
    moment = carried(before, trained, replace_section(after, "data", keep_weights=True))
    assert moment == Trained(parameters=trained.parameters)


def test_a_point_that_is_drawn_on_the_present_ones_keeps_the_run(before, trained):
    after = replace_section(before, "data", source="points", points=((0.0, 0.0, 0), (1.0, 1.0, 1)))
    more = replace_section(after, "data", points=(*after.data.points, (2.0, 0.0, 1)))
    assert carried(before, trained, after).curve == carried(after, trained, more).curve == trained.curve
    elsewhere = replace_section(more, "data", source="generator")
    assert carried(elsewhere, trained, more) == Trained()


@pytest.mark.parametrize("changes", [{"seed": 9}, {"initialiser": "he"}])
def test_whoever_asks_for_other_first_weights_gets_them(before, trained, changes):
    assert carried(before, trained, network(before, **changes)) == Trained()
    assert carried(before, Trained(), network(before, layer_sizes=(2, 9, 1))) == Trained()


def test_a_past_moment_has_the_curve_up_to_its_step(trained):
    past = trained_until(trained, dataclasses.replace(trained, step=3, curve=FrozenFloats([])))
    assert list(past.curve) == [0.0, 0.5]
