"""A slice through the loss: how it changes when the parameters move from one point along two directions.

Random directions are filter-normalised (Li et al. 2018, arXiv:1712.09913): each neuron's part of a direction is as
long as that neuron's own weights and bias, so that slices of different networks can be compared. The directions of a
path are the two along which the parameters of a run have moved most (its principal components). The losses of all
points are computed by one program with an axis of parameters in front, as many runs are (`run_group`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.batches import Batch
from engine.network.errors import SizeError, checked_integer
from engine.network.fast_program import FastProgram
from engine.network.losses import Loss
from engine.network.mlp import MLP
from engine.network.objective import Penalty

Floats = NDArray[Any]
TOGETHER_NUMBERS = 200_000
"""Numbers of a forward pass that are computed together."""
MOST_RESOLUTION = 201


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in the space of parameters.

    Attributes:
        centre: (n_parameters,), the point 0, 0.
        directions: (2, n_parameters), neither a multiple of the other.
        names: what moves along each of them, for the axes.
    """

    centre: Floats
    directions: Floats
    names: tuple[str, str]

    def points(self, a: Floats, b: Floats) -> Floats:
        """The parameters (n, n_parameters) at the coordinates `a` and `b`, both (n,)."""
        return np.asarray(self.centre + np.outer(a, self.directions[0]) + np.outer(b, self.directions[1]))

    def coordinates(self, parameters: Any) -> Floats:
        """Where points (n, n_parameters) lie: those of the plane nearest to them, (n, 2)."""
        moved = np.atleast_2d(np.asarray(parameters, dtype=np.float64)) - self.centre
        return np.linalg.lstsq(self.directions.T, moved.T, rcond=None)[0].T


def random_plane(model: MLP, centre: Any, seed: int = 0) -> Plane:
    """The plane through `centre` (n_parameters,) along two random directions, normalised neuron by neuron."""
    point = _parameters(model, centre)
    directions = np.random.default_rng(seed).standard_normal((2, len(point)))
    for start, stop in neuron_ranges(model):
        own = np.linalg.norm(point[start:stop])
        directions[:, start:stop] *= own / np.linalg.norm(directions[:, start:stop], axis=1, keepdims=True)
    return Plane(point, directions, ("random direction 1", "random direction 2"))


def path_plane(centre: Any, path: Any) -> Plane | None:
    """The plane through `centre` along the two directions in which a path moved most; None for a path without two.

    Args:
        centre: (n_parameters,), such as the end of the path.
        path: (n_moments, n_parameters) parameters of a run.

    Returns:
        Directions of length 1; their names say which share of the path's movement lies along each.
    """
    point = np.asarray(centre, dtype=np.float64)
    moved = np.asarray(path, dtype=np.float64) - point
    _, lengths, directions = np.linalg.svd(moved, full_matrices=False)
    if len(lengths) < 2 or lengths[1] <= 1e-12 * max(lengths[0], 1e-300):
        return None
    shares = lengths**2 / np.sum(lengths**2)
    first, second = (
        f"direction {i} of the path ({share:.0%} of its movement)" for i, share in enumerate(shares[:2], 1)
    )
    return Plane(point, directions[:2], (first, second))


@dataclass(frozen=True, eq=False)
class LossSurface:
    """Losses on a grid of a plane.

    Attributes:
        plane: where.
        a, b: (resolution,) coordinates along its directions.
        losses: (resolution, resolution), row i belongs to b[i]; penalties included; inf or nan where it is not finite.
    """

    plane: Plane
    a: Floats
    b: Floats
    losses: Floats


def loss_surface(
    model: MLP,
    loss: Loss,
    X: Floats,
    targets: Floats,
    plane: Plane,
    reach: tuple[float, float, float, float] = (-1.0, 1.0, -1.0, 1.0),
    resolution: int = 41,
    penalty: Penalty | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> LossSurface | None:
    """The loss of all samples on a grid of a plane; None when it was cancelled.

    Args:
        model: the network's shape; it is only looked at.
        loss: an entry of LOSSES.
        X: (n_samples, n_inputs).
        targets: (n_samples, n_outputs), encoded for the loss.
        plane: of the parameters.
        reach: first and last coordinate along the first direction, then along the second.
        resolution: points along each side, 2 to 201.
        penalty: is added.
        cancelled: asked between pieces of some milliseconds.

    Raises:
        UntranslatableError: a network that has no fast program.
    """
    checked_integer("resolution", resolution, 2, MOST_RESOLUTION)
    a, b = np.linspace(*reach[:2], resolution), np.linspace(*reach[2:], resolution)
    points = plane.points(np.tile(a, resolution), np.repeat(b, resolution))
    losses = losses_at(model, loss, X, targets, points, cancelled)
    if losses is None:
        return None
    if penalty is not None:
        with np.errstate(all="ignore"):
            losses += [penalty.of_array(point) for point in points]
    return LossSurface(plane, a, b, losses.reshape(resolution, resolution))


def losses_at(
    model: MLP,
    loss: Loss,
    X: Floats,
    targets: Floats,
    parameters: Floats,
    cancelled: Callable[[], bool] = lambda: False,
) -> Floats | None:
    """The loss without penalties (n_points,) at each of many parameters (n_points, n_parameters); None: cancelled."""
    size = max(1, min(len(parameters), TOGETHER_NUMBERS // (len(X) * sum(model.n_neurons))))
    memory = np.zeros((size, model.n_parameters))
    bound = FastProgram(model.copy(), loss).bound_to(len(X), memory, np.zeros_like(memory))
    batch = Batch(bound, np.vstack([X.T, np.ones(len(X))]), np.ascontiguousarray(targets.T))
    losses = np.empty(len(parameters))
    with np.errstate(all="ignore"):
        for start in range(0, len(parameters), size):
            if cancelled():
                return None
            share = parameters[start : start + size]
            memory[: len(share)] = share
            losses[start : start + len(share)] = np.asarray(batch.forward())[: len(share)]
    return losses


def neuron_ranges(model: MLP) -> Sequence[tuple[int, int]]:
    """Where each neuron's weights and bias begin and end among the flat parameters, in order."""
    ranges, start = [], 0
    for layer in model.layers:
        for neuron in layer.neurons:
            stop = start + len(neuron.weights) + 1
            ranges.append((start, stop))
            start = stop
    return ranges


def _parameters(model: MLP, numbers: Any) -> Floats:
    point = np.array(numbers, dtype=np.float64)
    if point.shape != (model.n_parameters,):
        raise SizeError("parameters", f"of the shape ({model.n_parameters},)", point.shape)
    return point
