"""A slice through the loss shows the loss at each of its points."""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import LOSSES, MLP, SettingError, SizeError, Trainer
from engine.network.loss_surface import ManyLosses, loss_surface, parameter_plane, path_plane, random_plane


@pytest.fixture
def trainer():
    data = make_dataset("moons", n_samples=30)
    model = MLP(2, [4, 3, 1], activation="tanh", rng=random.Random(3))
    return Trainer(model, loss="hinge", X=data.X, y=data.y, learning_rate=0.2, l2=0.01)


def losses_of(trainer):
    data, settings = trainer.data, trainer.settings
    return ManyLosses(trainer.model, LOSSES[settings.loss], data.X, data.targets.values, settings.penalty)


def surface_of(trainer, plane, reach=(-1.0, 1.0, -1.0, 1.0), resolution=5):
    *_, last = loss_surface(losses_of(trainer), plane, reach, resolution)
    return last


def test_each_point_is_the_loss_of_a_network_with_those_parameters(trainer):
    plane = random_plane(trainer.model.shape, trainer.model.weights, seed=5)
    found = surface_of(trainer, plane, reach=(-1.0, 1.0, -0.5, 0.5))
    assert found.losses.shape == (5, 5)
    assert found.losses[2, 2] == pytest.approx(trainer.snapshot().objective, rel=1e-12)
    for row, column in ((0, 0), (1, 3), (4, 2)):
        trainer.model.weights = (
            plane.centre + found.a[column] * plane.directions[0] + found.b[row] * plane.directions[1]
        )
        assert found.losses[row, column] == pytest.approx(trainer.snapshot().objective, rel=1e-12)


def test_a_surface_grows_until_it_is_whole(trainer):
    plane = random_plane(trainer.model.shape, trainer.model.weights)
    losses = losses_of(trainer)
    losses.together = 7
    grown = list(loss_surface(losses, plane, (-1.0, 1.0, -1.0, 1.0), 5))
    assert [round(25 * surface.share) for surface in grown] == [7, 14, 21, 25]
    assert [int(np.isfinite(surface.losses).sum()) for surface in grown] == [7, 14, 21, 25]
    np.testing.assert_array_equal(grown[0].losses.ravel()[:7], grown[-1].losses.ravel()[:7])


def test_a_random_direction_is_as_long_as_each_neuron(trainer):
    shape, weights = trainer.model.shape, trainer.model.weights
    plane = random_plane(shape, weights)
    start = 0
    for neuron in [neuron for layer in trainer.model.layers for neuron in layer.neurons]:
        stop = start + len(neuron.parameters())
        own = np.linalg.norm([parameter.data for parameter in neuron.parameters()])
        np.testing.assert_allclose(np.linalg.norm(plane.directions[:, start:stop], axis=1), own)
        start = stop
    assert start == len(weights)
    np.testing.assert_array_equal(plane.directions, random_plane(shape, weights).directions)
    assert not np.array_equal(plane.directions, random_plane(shape, weights, seed=1).directions)


def test_the_axes_of_two_parameters_are_their_values(trainer):
    model = trainer.model
    names = [parameter.label for parameter in model.parameters()]
    first, second = names.index("L1N2.w1"), names.index("L3N1.b")
    plane = parameter_plane(model.shape, model.weights, first, second)
    assert plane.names == ("L1N2.w1", "L3N1.b")
    np.testing.assert_array_equal(plane.coordinates(model.weights), [model.weights[[first, second]]])
    found = surface_of(trainer, plane, reach=(-2.0, 2.0, 0.0, 1.0))
    weights = model.weights
    weights[[first, second]] = -1.0, 0.75
    model.weights = weights
    assert found.losses[3, 1] == pytest.approx(trainer.snapshot().objective, rel=1e-12)
    with pytest.raises(SettingError, match="two different ones"):
        parameter_plane(model.shape, weights, 3, 3)
    with pytest.raises(SettingError, match="index"):
        parameter_plane(model.shape, weights, 3, len(weights))


def test_the_plane_of_a_path_holds_most_of_its_movement(trainer):
    path = [trainer.model.weights.copy()]
    for _ in range(40):
        trainer.step()
        path.append(trainer.model.weights.copy())
    path = np.array(path)
    plane = path_plane(path[-1], path)
    found = plane.coordinates(path)
    np.testing.assert_allclose(found[-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(plane.directions, axis=1), 1.0)
    moved = path - path[-1]
    left = np.linalg.norm(path - plane.points(found[:, 0], found[:, 1])) / np.linalg.norm(moved)
    assert left < 0.2
    values = np.sort(np.linalg.eigvalsh(moved.T @ moved))[::-1]
    shares = values / values.sum()
    assert plane.names == tuple(f"path direction {i} ({100 * shares[i - 1]:.0f} %)" for i in (1, 2))


def test_a_path_that_stands_still_or_is_a_line_has_no_plane():
    assert path_plane(np.zeros(5), np.zeros((4, 5))) is None
    assert path_plane(np.zeros(5), np.outer(np.arange(4.0), np.ones(5))) is None
    assert path_plane(np.zeros(5), np.zeros((1, 5))) is None


def test_coordinates_are_those_of_the_nearest_point_of_the_plane(trainer):
    plane = random_plane(trainer.model.shape, trainer.model.weights)
    wanted = np.array([[0.3, -0.7], [0.0, 0.0], [2.0, 1.0]])
    np.testing.assert_allclose(plane.coordinates(plane.points(*wanted.T)), wanted, atol=1e-12)


def test_a_loss_that_is_not_finite_is_shown_as_it_is(trainer):
    points = np.array([trainer.model.weights, np.full(trainer.model.n_parameters, np.inf)])
    found = losses_of(trainer).at(points)
    assert np.isfinite(found[0])
    assert not np.isfinite(found[1])


def test_parameters_of_another_network_are_refused(trainer):
    with pytest.raises(SizeError, match="parameters"):
        random_plane(trainer.model.shape, np.zeros(3))
