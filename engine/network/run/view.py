"""View of a network at one moment of its training: figures, outputs, and the plane it divides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.losses import LOSSES
from engine.network.predictor import Bounds
from engine.network.run.progress import MOST_OUTPUTS, GridRequest
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer

Floats = NDArray[Any]
GRID_SECONDS = 0.005
FEWEST_POINTS = 40
"""Along a side of a grid that is computed in haste."""


@dataclass(frozen=True, eq=False)
class MomentView:
    """One moment; the attributes are those of a `Progress`."""

    snapshot: Snapshot
    grid: Floats | None
    grid_bounds: Bounds | None
    outputs: Floats


def see(trainer: Trainer, request: GridRequest | None) -> MomentView:
    """Describe the present moment of a trainer; costs a forward pass over its data, and one over a requested grid."""
    grid = None if request is None else _grid(trainer, request)
    outputs = _readable(trainer, trainer.predict(trainer.data.X[:MOST_OUTPUTS]))
    return MomentView(trainer.snapshot(), grid, None if request is None or grid is None else request.bounds, outputs)


class Viewer:
    """Sees the newest moment of a run again and again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Takes a clock in seconds."""
        self._clock = clock
        self._seconds_per_point = 0.0

    def see(self, trainer: Trainer, request: GridRequest | None, in_haste: bool) -> MomentView:
        """The present moment of a trainer.

        Args:
            trainer: the run's.
            request: the grid that is wanted.
            in_haste: a grid that would take longer than `GRID_SECONDS` is computed at fewer points.
        """
        if request is None:
            return see(trainer, None)
        wanted = self._affordable(request) if in_haste else request.at_rest(trainer.model.n_parameters)
        began = self._clock()
        view = see(trainer, wanted)
        self._seconds_per_point = (self._clock() - began) / wanted.resolution**2
        return view

    def _affordable(self, request: GridRequest) -> GridRequest:
        if self._seconds_per_point * request.resolution**2 <= GRID_SECONDS:
            return request
        points = math.isqrt(int(GRID_SECONDS / self._seconds_per_point))
        return replace(request, resolution=min(request.resolution, max(FEWEST_POINTS, points)))


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
    """Outputs in float32, which is fast, or in float64 where its range is too small: those of a run that diverges."""
    outputs = predict("float32")
    return outputs if np.isfinite(outputs).all() else predict("float64")


def _readable(trainer: Trainer, outputs: Floats) -> Floats:
    return LOSSES[trainer.settings.loss].probabilities(outputs)


def _squeezed(outputs: Floats) -> Floats:
    """float32, larger numbers cut to its largest; the last axis gone when it is a single output."""
    values = outputs[..., 0] if outputs.shape[-1] == 1 else outputs
    largest = float(np.finfo(np.float32).max)
    return np.asarray(np.clip(values, -largest, largest), dtype=np.float32)
