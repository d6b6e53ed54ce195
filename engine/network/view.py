"""What one sees of a network at one moment of its training: figures, outputs, and the plane it divides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.losses import LOSSES
from engine.network.progress import MOST_OUTPUTS, Bounds, GridRequest
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class MomentView:
    """One moment; the attributes are those of a `Progress`."""

    snapshot: Snapshot
    grid: Floats | None
    grid_bounds: Bounds | None
    outputs: Floats


def see(trainer: Trainer, request: GridRequest | None) -> MomentView:
    """The present moment of a trainer; a forward pass over its data, and one over the grid if asked for."""
    grid = None if request is None else _grid(trainer, request)
    outputs = _readable(trainer, trainer.predict(trainer.data.X[:MOST_OUTPUTS]))
    return MomentView(trainer.snapshot(), grid, None if request is None or grid is None else request.bounds, outputs)


def _grid(trainer: Trainer, request: GridRequest) -> Floats | None:
    n_inputs, resolution = trainer.model.n_inputs, request.resolution
    left, right, bottom, top = request.bounds
    if n_inputs == 1:
        outputs = trainer.predict(np.linspace(left, right, resolution)[:, None], dtype="float32")
        return _squeezed(_readable(trainer, outputs))
    if n_inputs > 2:
        return None
    outputs = trainer.predictor.decision_grid((left, right), (bottom, top), resolution)
    readable = _readable(trainer, outputs.reshape(resolution * resolution, -1))
    return _squeezed(readable.reshape(resolution, resolution, -1))


def _readable(trainer: Trainer, outputs: Floats) -> Floats:
    return LOSSES[trainer.settings.loss].probabilities(outputs)


def _squeezed(outputs: Floats) -> Floats:
    """float32, the last axis gone when it is a single output."""
    return np.asarray(outputs[..., 0] if outputs.shape[-1] == 1 else outputs, dtype=np.float32)
