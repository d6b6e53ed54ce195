"""Outputs of a run's network for its reports: of the first samples, and over the plane that the window shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.losses import LOSSES
from engine.network.predictor import Bounds
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer

Floats = NDArray[Any]
SnapshotAndOutputs = tuple[Snapshot, Floats | None, Bounds | None, Floats]
"""The attributes `snapshot`, `grid`, `grid_bounds` and `outputs` of a `Progress`."""
MOST_OUTPUTS = 200
"""Limit of training samples whose outputs are reported, from the first one."""
REST_PRODUCTS = 50_000_000
"""Limit of parameters times points of a grid that is computed while the run is paused: some tens of milliseconds."""
GRID_SECONDS = 0.005
FEWEST_POINTS = 40
"""Points along each side of a grid that is computed while the run trains."""


@dataclass(frozen=True)
class RawPlane:
    """A plane in a space of raw points with three or more columns: two of them vary, the others are constant.

    Attributes:
        axes: which two columns vary, from 0.
        others: a number for each column; those of `axes` are ignored.
    """

    axes: tuple[int, int]
    others: tuple[float, ...]

    def points(self, places: Floats) -> Floats:
        """Return the raw points (n, n_columns) at places (n, 2) of the plane."""
        points = np.tile(np.array(self.others), (len(places), 1))
        points[:, self.axes] = places
        return points


@dataclass(frozen=True)
class GridRequest:
    """Area and resolution of requested network outputs.

    Attributes:
        bounds: smallest and largest x, smallest and largest y, in the units of the data.
        resolution: points along each side, 2 .. 1000.
        finest: the same while the run stands still, where that is not too much to compute; 0: no more than that.
        plane: which plane it is where points have three numbers and more; None: there is no grid then.
    """

    bounds: Bounds
    resolution: int
    finest: int = 0
    plane: RawPlane | None = None

    def at_rest(self, n_parameters: int) -> GridRequest:
        """Return the grid to request from an idle network with this number of parameters."""
        affordable = math.isqrt(REST_PRODUCTS // max(n_parameters, 1))
        return replace(self, resolution=max(self.resolution, min(self.finest, affordable)))


def snapshot_and_outputs(trainer: Trainer, request: GridRequest | None) -> SnapshotAndOutputs:
    """Describe a trainer's network at its present step: a forward pass over its data, and one over a requested grid."""
    grid = None if request is None else _grid(trainer, request)
    outputs = _readable(trainer, trainer.predict(trainer.data.X[:MOST_OUTPUTS]))
    bounds = None if request is None or grid is None else request.bounds
    return trainer.snapshot(), grid, bounds, outputs


class PacedOutputs:
    """Outputs of one run, report after report; while it trains, the grid is as fine as there is time for."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Args: clock: monotonic seconds."""
        self._clock = clock
        self._seconds_per_point = 0.0

    def of(self, trainer: Trainer, request: GridRequest | None, in_haste: bool) -> SnapshotAndOutputs:
        """Describe the run's network at its present step.

        Args:
            trainer: the run's.
            request: the grid that is wanted.
            in_haste: a grid that would take longer than `GRID_SECONDS` is computed at fewer points.
        """
        if request is None:
            return snapshot_and_outputs(trainer, None)
        if not in_haste:
            request = request.at_rest(trainer.model.n_parameters)
        elif self._seconds_per_point * request.resolution**2 > GRID_SECONDS:
            points = math.isqrt(int(GRID_SECONDS / self._seconds_per_point))
            request = replace(request, resolution=min(request.resolution, max(FEWEST_POINTS, points)))
        began = self._clock()
        described = snapshot_and_outputs(trainer, request)
        self._seconds_per_point = (self._clock() - began) / request.resolution**2
        return described


def _grid(trainer: Trainer, request: GridRequest) -> Floats | None:
    inputs, resolution = trainer.inputs, request.resolution
    n_columns = trainer.model.n_inputs if inputs is None else inputs.n_columns
    left, right, bottom, top = request.bounds
    if n_columns == 1:
        points = np.linspace(left, right, resolution)[:, None]
        fed = points if inputs is None else inputs.apply(points)
        outputs = _in_range(lambda dtype: trainer.predict(fed, dtype=dtype))
        return _squeezed(_readable(trainer, outputs))
    if n_columns != (2 if request.plane is None else len(request.plane.others)):
        return None  # no plane, or the grid was requested for other data

    def features(places: Floats) -> Floats:
        points = places if request.plane is None else request.plane.points(places)
        return points if inputs is None else inputs.apply(points)

    limits = (left, right), (bottom, top)
    outputs = _in_range(lambda dtype: trainer.predictor.decision_grid(*limits, resolution, features, dtype))
    readable = _readable(trainer, outputs.reshape(resolution * resolution, -1))
    return _squeezed(readable.reshape(resolution, resolution, -1))


def _in_range(predict: Callable[[str], Floats]) -> Floats:
    """Return outputs in float32, which is fast, or in float64 when a diverging run exceeds its range."""
    outputs = predict("float32")
    return outputs if np.isfinite(outputs).all() else predict("float64")


def _readable(trainer: Trainer, outputs: Floats) -> Floats:
    return LOSSES[trainer.settings.loss].probabilities(outputs)


def _squeezed(outputs: Floats) -> Floats:
    """Return float32, larger numbers clipped to its range; without the last axis for a single output."""
    values = outputs[..., 0] if outputs.shape[-1] == 1 else outputs
    largest = float(np.finfo(np.float32).max)
    return np.asarray(np.clip(values, -largest, largest), dtype=np.float32)
