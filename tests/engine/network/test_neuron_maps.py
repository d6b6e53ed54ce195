"""The maps of the network drawing are what the scalar graph of each point gives."""

import random

import numpy as np
import pytest

from engine.autograd import Value
from engine.network import MLP
from engine.network.neuron_maps import neuron_map, neuron_maps, plane_bounds, plane_points
from engine.network.shape import NetworkShape


def made(sizes, activations):
    model = MLP(sizes[0], list(sizes[1:]), activation=activations, rng=random.Random(3))
    return model, NetworkShape(tuple(sizes), model.activations)


@pytest.mark.parametrize(
    ("sizes", "activations"),
    [((2, 1), ["tanh"]), ((2, 3, 2, 1), ["relu", "tanh", "linear"]), ((1, 2, 3), ["tanh"] * 2)],
)
def test_a_map_is_what_the_values_of_each_of_its_points_give(sizes, activations):
    model, shape = made(sizes, activations)
    maps = neuron_maps(shape, model.weights, (-1.5, 1.0, -2.0, 0.5), 5, sizes[0])
    points = plane_points((-1.5, 1.0, -2.0, 0.5), 5, sizes[0])
    for place, point in enumerate(points):
        sample = point.tolist()
        for found, layer in zip(maps.layers, [None, *model.layers], strict=True):
            sample = sample if layer is None else [value.data for value in layer.respond(layer_inputs(sample))]
            np.testing.assert_allclose(found.reshape(len(sample), -1)[:, place], sample, rtol=1e-5, atol=1e-6)
    for found, scale in zip(maps.layers, maps.scales, strict=True):
        assert scale.tolist() == pytest.approx(np.abs(found).max(axis=(1, 2)).tolist())


def layer_inputs(numbers):
    return [Value(number) for number in numbers]


def test_a_larger_map_of_one_neuron_is_what_all_maps_have_of_it():
    model, shape = made((2, 3, 2, 1), ["relu", "tanh", "linear"])
    bounds = (-1.5, 1.0, -2.0, 0.5)
    maps = neuron_maps(shape, model.weights, bounds, 7, 2)
    for layer, neuron in ((0, 1), (1, 2), (2, 0), (3, 0)):
        larger = neuron_map(shape, model.weights, bounds, 7, 2, (layer, neuron))
        assert np.array_equal(larger[0], maps.layers[layer][neuron])
    _, line = made((1, 2), ["tanh"])
    assert neuron_map(line, np.ones(4), (0.0, 1.0, 0.0, 0.0), 9, 1, (1, 1)).shape == (1, 1, 9)


def test_a_map_has_the_plane_the_right_way_up():
    _, shape = made((2, 1), ["linear"])
    first, second = neuron_maps(shape, np.array([0.0, 1.0, 0.0]), (-1.0, 1.0, 10.0, 20.0), 3, 2).layers[0]
    assert first.tolist() == [[-1, 0, 1]] * 3
    assert second.tolist() == [[20] * 3, [15] * 3, [10] * 3]


def test_features_are_computed_from_the_raw_plane_and_other_inputs_stand_at_their_means():
    _, shape = made((3, 1), ["linear"])
    maps = neuron_maps(
        shape,
        np.array([1.0, 10.0, 100.0, 0.5]),
        (0.0, 1.0, 0.0, 1.0),
        2,
        3,
        inputs=lambda raw: np.column_stack([raw[:, 0], raw[:, 1], raw[:, 2] ** 2]),
        at=np.array([9.0, 9.0, 3.0]),
    )
    assert maps.layers[1][0].tolist() == [[910.5, 911.5], [900.5, 901.5]]
    assert maps.scales[1].tolist() == [911.5]


def test_a_diverged_network_has_maps_and_the_scale_of_what_is_a_number():
    _, shape = made((2, 2), ["linear"])
    maps = neuron_maps(shape, np.array([1.0, 0.0, 0.0, np.inf, 0.0, 0.0]), (-2.0, 1.0, 0.0, 1.0), 2, 2)
    assert maps.scales[1].tolist() == [2.0, 0.0]
    maps = neuron_maps(shape, np.full(6, np.nan), (-2.0, 1.0, 0.0, 1.0), 2, 2)
    assert maps.scales[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("weight", [1e30, 1e60])
def test_the_outputs_of_a_network_that_diverges_are_finite_beyond_the_range_of_float32(weight):
    _, shape = made((2, 2, 1), ["linear", "linear"])
    parameters = np.array([weight, 0.0, 0.0, 0.0, weight, 0.0, weight, -weight, 0.0])
    maps = neuron_maps(shape, parameters, (-2.0, 1.0, -1.0, 1.0), 3, 2)
    assert maps.layers[2][0] == pytest.approx(
        weight**2 * (maps.layers[0][0] - maps.layers[0][1]), abs=1e-10 * weight**2
    )
    assert maps.scales[2] == pytest.approx([3 * weight**2])
    assert neuron_map(shape, parameters, (-2.0, 1.0, -1.0, 1.0), 3, 2, (2, 0)) == pytest.approx(maps.layers[2])


def test_the_plane_is_a_square_around_the_data():
    assert plane_bounds([[0.0, 0.0], [2.0, 1.0]]) == pytest.approx((-0.3, 2.3, -0.8, 1.8))
    assert plane_bounds([[3.0, 4.0]]) == (2.0, 4.0, 3.0, 5.0)
    assert plane_bounds([[0.0], [2.0]]) == pytest.approx((-0.3, 2.3, 0.0, 0.0))
