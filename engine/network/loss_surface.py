"""A slice through the loss: how it changes when the parameters move from one point along two directions.

Random directions are filter-normalised (Li et al. 2018, arXiv:1712.09913): each neuron's part of a direction is as
long as that neuron's own weights and bias, so that slices of different networks can be compared. The directions of a
path are the two along which the parameters of a run have moved most (its principal components). Along two parameters
anybody can check a point by hand. The losses of all points are computed by one program with an axis of parameters in
front, as many runs are (`run_group`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError, SizeError, checked_integer
from engine.network.fast.fast_program import Batch, FastProgram
from engine.network.losses import Loss
from engine.network.mlp import MLP
from engine.network.objective import Penalty
from engine.network.run_group import most_together
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
Extent = tuple[float, float, float, float]
"""First and last coordinate along the first direction of a plane, then along the second."""
MOST_RESOLUTION = 201


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in the space of parameters.

    Attributes:
        centre: (n_parameters,), the point 0, 0.
        directions: (2, n_parameters), neither a multiple of the other.
        names: of both directions, for the axes.
    """

    centre: Floats
    directions: Floats
    names: tuple[str, str]

    def points(self, a: Floats, b: Floats) -> Floats:
        """Return the parameters (n, n_parameters) at the coordinates `a` and `b`, both (n,)."""
        return np.asarray(self.centre + np.outer(a, self.directions[0]) + np.outer(b, self.directions[1]))

    def coordinates(self, parameters: Any) -> Floats:
        """Return coordinates of points (n, n_parameters) in the plane, by projection, (n, 2)."""
        moved = np.atleast_2d(np.asarray(parameters, dtype=np.float64)) - self.centre
        return np.asarray(moved @ self._inverse)

    @cached_property
    def _inverse(self) -> Floats:
        return np.asarray(np.linalg.pinv(self.directions))


def random_plane(shape: NetworkShape, centre: Any, seed: int = 0) -> Plane:
    """Return the plane through `centre` (n_parameters,) along two random directions, normalised neuron by neuron."""
    point = _parameters(shape, centre)
    directions = np.random.default_rng(seed).standard_normal((2, len(point)))
    for direction in directions:
        for own, drawn in zip(shape.layer_matrices(point), shape.layer_matrices(direction), strict=True):
            drawn *= np.linalg.norm(own, axis=1, keepdims=True) / np.linalg.norm(drawn, axis=1, keepdims=True)
    return Plane(point, directions, ("random direction 1", "random direction 2"))


def parameter_plane(shape: NetworkShape, centre: Any, first: int, second: int) -> Plane:
    """Return the plane in which two parameters change and all others stay; its coordinates are those two numbers.

    Args:
        shape: of the network.
        centre: (n_parameters,), values of the other parameters.
        first: index of a parameter, from 0.
        second: index of another one.

    Raises:
        SettingError: an index that is not there, or twice the same.
    """
    point, names = _parameters(shape, centre), list(shape.parameter_names())
    for index in (first, second):
        checked_integer("index of a parameter", index, 0, len(point) - 1)
    if first == second:
        raise SettingError("parameters", "two different ones", f"{names[first]} twice")
    point[[first, second]] = 0.0
    directions = np.zeros((2, len(point)))
    directions[0, first] = directions[1, second] = 1.0
    return Plane(point, directions, (names[first], names[second]))


def path_plane(centre: Any, path: Any) -> Plane | None:
    """Return the plane through `centre` along the two main directions of a path; None for a path without two.

    Args:
        centre: (n_parameters,), such as the end of the path.
        path: (n_snapshots, n_parameters) parameters of a run.

    Returns:
        Directions of length 1, which the path enters from the left and from below; their names say which share of the
        path's movement lies along each.
    """
    point = np.asarray(centre, dtype=np.float64)
    moved = np.asarray(path, dtype=np.float64) - point
    _, lengths, directions = np.linalg.svd(moved, full_matrices=False)
    if len(lengths) < 2 or lengths[1] <= 1e-12 * max(lengths[0], 1e-300):
        return None
    shares = lengths**2 / np.sum(lengths**2)
    first, second = (f"path direction {i} ({100 * share:.0f} %)" for i, share in enumerate(shares[:2], 1))
    signs = np.where(moved[0] @ directions[:2].T > 0.0, -1.0, 1.0)
    return Plane(point, directions[:2] * signs[:, None], (first, second))


@dataclass(frozen=True, eq=False)
class LossSurface:
    """Losses on a grid of a plane.

    Attributes:
        plane: where.
        a, b: (resolution,) coordinates along its directions.
        losses: (resolution, resolution), row i belongs to b[i]; penalties included; inf or nan where it is not finite.
        share: computed part of the grid, 0 to 1; the rest is nan.
    """

    plane: Plane
    a: Floats
    b: Floats
    losses: Floats
    share: float = 1.0


class ManyLosses:
    """The objective at many parameter vectors together.

    Attributes:
        together: how many points it takes at once, 1 or more: some milliseconds of work.
    """

    def __init__(self, model: MLP, loss: Loss, X: Floats, targets: Floats, penalty: Penalty | None = None) -> None:
        """Translate the network.

        Args:
            model: its shape; it is only looked at.
            loss: an entry of LOSSES.
            X: (n_samples, n_inputs).
            targets: (n_samples, n_outputs), encoded for the loss.
            penalty: is added.

        Raises:
            UntranslatableError: a network that has no fast program.
        """
        self.together = most_together(len(X), model.n_neurons)
        self._penalty = penalty or Penalty()
        self._memory = np.zeros((self.together, model.n_parameters))
        bound = FastProgram(model.copy(), loss).bound_to(len(X), self._memory, np.zeros_like(self._memory))
        self._batch = Batch.of(bound, X, targets)

    def at(self, parameters: Floats) -> Floats:
        """Return the losses (n,) at parameters (n, n_parameters), penalties included; n: 1 to `together`."""
        n = len(parameters)
        self._memory[:n] = parameters
        with np.errstate(all="ignore"):
            losses = np.array(self._batch.forward())[:n]
            return np.asarray(losses + [self._penalty.of_array(point) for point in parameters])


def loss_surface(losses: ManyLosses, plane: Plane, extent: Extent, resolution: int = 41) -> Iterator[LossSurface]:
    """Yield the loss on a grid of a plane as it grows, the complete grid last.

    Args:
        losses: of the network.
        plane: of its parameters.
        extent: of the grid, edges included.
        resolution: points along each side, 2 to 201; in the middle of an odd number is the middle of `extent`.
    """
    checked_integer("resolution", resolution, 2, MOST_RESOLUTION)
    a, b = np.linspace(*extent[:2], resolution), np.linspace(*extent[2:], resolution)
    found, n = np.full(resolution**2, np.nan), resolution**2
    for start in range(0, n, losses.together):
        points = np.arange(start, min(start + losses.together, n))
        found[points] = losses.at(plane.points(a[points % resolution], b[points // resolution]))
        yield LossSurface(plane, a, b, found.reshape(resolution, resolution).copy(), (points[-1] + 1) / n)


def _parameters(shape: NetworkShape, numbers: Any) -> Floats:
    point = np.array(numbers, dtype=np.float64)
    if point.shape != (shape.n_parameters,):
        raise SizeError("parameters", f"of the shape ({shape.n_parameters},)", point.shape)
    return point
