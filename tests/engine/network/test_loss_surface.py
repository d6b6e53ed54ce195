"""A slice through the loss shows the loss at each of its points."""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import LOSSES, MLP, SizeError, Trainer
from engine.network.loss_surface import loss_surface, losses_at, neuron_ranges, path_plane, random_plane


@pytest.fixture
def trainer():
    data = make_dataset("moons", n_samples=30)
    model = MLP(2, [4, 3, 1], activation="tanh", rng=random.Random(3))
    return Trainer(model, loss="hinge", X=data.X, y=data.y, learning_rate=0.2, l2=0.01)


def surface_of(trainer, plane, **more):
    data, loss = trainer.data, LOSSES[trainer.settings.loss]
    return loss_surface(
        trainer.model, loss, data.X, data.targets.values, plane, penalty=trainer.settings.penalty, **more
    )


def test_each_point_is_the_loss_of_a_network_with_those_parameters(trainer):
    plane = random_plane(trainer.model, trainer.model.weights, seed=5)
    found = surface_of(trainer, plane, resolution=5, reach=(-1.0, 1.0, -0.5, 0.5))
    assert found.losses.shape == (5, 5)
    assert found.losses[2, 2] == pytest.approx(trainer.snapshot().loss, rel=1e-12)
    for row, column in ((0, 0), (1, 3), (4, 2)):
        trainer.model.weights = (
            plane.centre + found.a[column] * plane.directions[0] + found.b[row] * plane.directions[1]
        )
        assert found.losses[row, column] == pytest.approx(trainer.snapshot().loss, rel=1e-12)


def test_a_random_direction_is_as_long_as_each_neuron(trainer):
    plane = random_plane(trainer.model, trainer.model.weights)
    for start, stop in neuron_ranges(trainer.model):
        own = np.linalg.norm(plane.centre[start:stop])
        np.testing.assert_allclose(np.linalg.norm(plane.directions[:, start:stop], axis=1), own)
    assert [stop - start for start, stop in neuron_ranges(trainer.model)] == [3] * 4 + [5] * 3 + [4]
    again = random_plane(trainer.model, trainer.model.weights)
    np.testing.assert_array_equal(plane.directions, again.directions)
    assert not np.array_equal(plane.directions, random_plane(trainer.model, trainer.model.weights, seed=1).directions)


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
    left = np.linalg.norm(path - plane.points(found[:, 0], found[:, 1])) / np.linalg.norm(path - path[-1])
    assert left < 0.2
    assert "% of its movement" in plane.names[0]


def test_a_path_that_stands_still_or_is_a_line_has_no_plane():
    assert path_plane(np.zeros(5), np.zeros((4, 5))) is None
    assert path_plane(np.zeros(5), np.outer(np.arange(4.0), np.ones(5))) is None
    assert path_plane(np.zeros(5), np.zeros((1, 5))) is None


def test_coordinates_are_those_of_the_nearest_point_of_the_plane(trainer):
    plane = random_plane(trainer.model, trainer.model.weights)
    wanted = np.array([[0.3, -0.7], [0.0, 0.0], [2.0, 1.0]])
    np.testing.assert_allclose(plane.coordinates(plane.points(*wanted.T)), wanted, atol=1e-12)


def test_what_nobody_waits_for_ends(trainer):
    plane = random_plane(trainer.model, trainer.model.weights)
    assert surface_of(trainer, plane, cancelled=lambda: True) is None


def test_a_loss_that_is_not_finite_is_shown_as_it_is(trainer):
    data, loss = trainer.data, LOSSES["hinge"]
    points = np.array([trainer.model.weights, np.full(trainer.model.n_parameters, np.inf)])
    found = losses_at(trainer.model, loss, data.X, data.targets.values, points)
    assert np.isfinite(found[0])
    assert not np.isfinite(found[1])


def test_parameters_of_another_network_are_refused(trainer):
    with pytest.raises(SizeError, match="parameters"):
        random_plane(trainer.model, np.zeros(3))
