"""A layer's view of the plane is what its neurons give for the points of it."""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.autograd import Value
from engine.network import MLP, SettingError
from engine.network.hidden_space import PLANE, grid_lines, hidden_space

BOUNDS = (-2.0, 3.0, -1.5, 2.0)
X = make_dataset("circles", n_samples=40).X


def network(sizes, n_inputs=2):
    model = MLP(n_inputs, sizes, activation="tanh", rng=random.Random(4))
    return model.shape, model.weights, model


def layer_of(model, points, layer):
    """By way of the scalar graph, sample by sample."""
    found = []
    for point in points:
        values = [Value(float(number)) for number in point]
        for each in model.layers[:layer]:
            values = each.respond(values)
        found.append([value.data for value in values])
    return np.array(found)


def test_a_layer_of_two_neurons_is_shown_as_it_is():
    shape, weights, model = network([2, 1])
    lines = grid_lines(BOUNDS, n_lines=3, n_points=5)
    found = hidden_space(shape, weights, X, 1, lines=lines, boundary=X[:4] + 0.5)
    np.testing.assert_allclose(found.points, layer_of(model, X, 1), rtol=1e-12)
    assert found.names == ("L1N1", "L1N2") and found.width == 2
    level = np.column_stack([np.linspace(-2.0, 3.0, 5), np.full(5, -1.5)])
    upright = np.column_stack([np.full(5, 3.0), np.linspace(-1.5, 2.0, 5)])
    np.testing.assert_allclose(found.lines[0], layer_of(model, level, 1), rtol=1e-12)
    np.testing.assert_allclose(found.lines[5], layer_of(model, upright, 1), rtol=1e-12)
    np.testing.assert_allclose(found.boundary, layer_of(model, X[:4] + 0.5, 1), rtol=1e-12)
    assert found.lines.shape == (6, 5, 2)


def test_the_inputs_are_layer_zero_and_the_raw_ones_before_features_are_the_plane():
    def squares(points):
        return points**2

    shape, weights, model = network([3, 1])
    names = ("height", "width", "height²", "width²")
    plane = hidden_space(shape, weights, X, PLANE, inputs=squares, names=names)
    np.testing.assert_array_equal(plane.points, X)
    assert plane.names == ("height", "width")
    fed = hidden_space(shape, weights, X, 0, inputs=squares, names=names)
    np.testing.assert_array_equal(fed.points, X**2)
    assert fed.names == ("height²", "width²")
    first = hidden_space(shape, weights, X, 1, inputs=squares, names=names, axes=(1, 3))
    np.testing.assert_allclose(first.points, layer_of(model, X**2, 1)[:, [0, 2]], rtol=1e-12)


def test_two_neurons_of_a_wider_layer_can_be_chosen():
    shape, weights, model = network([5, 1])
    found = hidden_space(shape, weights, X, 1, axes=(4, 2))
    np.testing.assert_allclose(found.points, layer_of(model, X, 1)[:, [3, 1]], rtol=1e-12)
    assert found.names == ("L1N4", "L1N2") and found.width == 5


def test_a_wider_layer_shows_the_directions_in_which_the_samples_spread_most():
    shape, weights, model = network([6, 1])
    found, outputs = hidden_space(shape, weights, X, 1), layer_of(model, X, 1)
    values = np.sort(np.linalg.eigvalsh(np.cov(outputs.T)))[::-1]
    np.testing.assert_allclose(found.points.var(axis=0, ddof=1), values[:2])
    np.testing.assert_allclose(found.points.mean(axis=0), 0.0, atol=1e-12)
    shares = 100 * values / values.sum()
    assert found.names == (f"PC1 ({shares[0]:.0f} %)", f"PC2 ({shares[1]:.0f} %)")


def test_a_neuron_and_a_component_stand_side_by_side():
    shape, weights, _ = network([6, 1])
    mixed = hidden_space(shape, weights, X, 1, axes=(None, 5))
    np.testing.assert_allclose(mixed.points[:, 0], hidden_space(shape, weights, X, 1).points[:, 0], atol=1e-12)
    np.testing.assert_allclose(
        mixed.points[:, 1], hidden_space(shape, weights, X, 1, axes=(5, 1)).points[:, 0], rtol=1e-12
    )


def test_a_component_keeps_its_side_while_the_weights_move():
    shape, weights, _ = network([6, 1])
    before = hidden_space(shape, weights, X, 1).points
    after = hidden_space(shape, weights * 1.001, X, 1).points
    assert np.abs(after - before).max() < 0.05


def test_a_layer_of_one_neuron_is_a_line():
    shape, weights, model = network([4, 1])
    found = hidden_space(shape, weights, X, 2)
    np.testing.assert_allclose(found.points[:, :1], layer_of(model, X, 2), rtol=1e-12)
    assert not found.points[:, 1].any()
    assert found.names == ("L2N1", "")


def test_one_input_is_a_line_that_is_bent_and_three_have_no_grid():
    shape, weights, model = network([2, 1], n_inputs=1)
    line = grid_lines((-1.0, 1.0, 0.0, 0.0), n_raw=1, n_points=9)
    found = hidden_space(shape, weights, X[:, :1], 1, lines=line)
    np.testing.assert_allclose(found.lines[0], layer_of(model, np.linspace(-1, 1, 9)[:, None], 1), rtol=1e-12)
    assert len(grid_lines(BOUNDS, n_raw=3)) == 0


def test_outputs_that_are_not_finite_have_no_picture():
    shape, weights, _ = network([4, 1])
    assert hidden_space(shape, weights * np.nan, X, 1) is None


def test_what_is_not_there_is_refused():
    shape, weights, _ = network([4, 1])
    with pytest.raises(SettingError, match="layer"):
        hidden_space(shape, weights, X, 3)
    with pytest.raises(SettingError, match="neuron"):
        hidden_space(shape, weights, X, 1, axes=(1, 5))
    with pytest.raises(SettingError, match="two different"):
        hidden_space(shape, weights, X, 1, axes=(2, 2))
