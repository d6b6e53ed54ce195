"""A layer's view of the plane is what its neurons give for the points of it."""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import MLP, SettingError, Trainer
from engine.network.hidden_space import hidden_space

BOUNDS = (-2.0, 3.0, -1.5, 2.0)


def predictor_of(sizes):
    data = make_dataset("circles", n_samples=40)
    model = MLP(2, sizes, activation="tanh", rng=random.Random(4))
    return Trainer(model, X=data.X, y=data.y).predictor, data.X


def test_a_layer_of_two_neurons_is_shown_as_it_is():
    predictor, X = predictor_of([2, 1])
    found = hidden_space(predictor, X, 1, BOUNDS, n_lines=3, n_points=5)
    np.testing.assert_array_equal(found.points, predictor.layer_outputs(X)[0])
    assert found.names == ("L1N1", "L1N2")
    level = np.column_stack([np.linspace(-2.0, 3.0, 5), np.full(5, -1.5)])
    upright = np.column_stack([np.full(5, 3.0), np.linspace(-1.5, 2.0, 5)])
    np.testing.assert_array_equal(found.lines[0], predictor.layer_outputs(level)[0])
    np.testing.assert_array_equal(found.lines[5], predictor.layer_outputs(upright)[0])
    assert found.lines.shape == (6, 5, 2)


def test_the_inputs_are_layer_zero():
    predictor, X = predictor_of([3, 1])
    found = hidden_space(predictor, X, 0, BOUNDS)
    np.testing.assert_array_equal(found.points, X)
    assert found.names == ("x1", "x2")


def test_two_neurons_of_a_wider_layer_can_be_chosen():
    predictor, X = predictor_of([5, 1])
    found = hidden_space(predictor, X, 1, BOUNDS, neurons=(4, 2))
    np.testing.assert_array_equal(found.points, predictor.layer_outputs(X)[0][:, [3, 1]])
    assert found.names == ("L1N4", "L1N2")


def test_a_wider_layer_shows_the_directions_in_which_the_samples_spread_most():
    predictor, X = predictor_of([6, 1])
    found, outputs = hidden_space(predictor, X, 1, BOUNDS), predictor.layer_outputs(X)[0]
    values = np.sort(np.linalg.eigvalsh(np.cov(outputs.T)))[::-1]
    np.testing.assert_allclose(found.points.var(axis=0, ddof=1), values[:2])
    np.testing.assert_allclose(found.points.mean(axis=0), 0.0, atol=1e-12)
    assert found.names[0] == f"component 1 ({values[0] / values.sum():.0%} of the spread)"


def test_a_layer_of_one_neuron_is_a_line():
    predictor, X = predictor_of([4, 1])
    found = hidden_space(predictor, X, 2, BOUNDS)
    np.testing.assert_array_equal(found.points[:, 0], predictor.layer_outputs(X)[1][:, 0])
    assert not found.points[:, 1].any()


def test_what_is_not_there_is_refused():
    predictor, X = predictor_of([4, 1])
    with pytest.raises(SettingError, match="layer"):
        hidden_space(predictor, X, 3, BOUNDS)
    with pytest.raises(SettingError, match="neuron"):
        hidden_space(predictor, X, 1, BOUNDS, neurons=(1, 5))
    with pytest.raises(SettingError, match="two inputs"):
        hidden_space(predictor, X[:, :1], 1, BOUNDS)
