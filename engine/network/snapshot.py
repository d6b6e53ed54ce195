"""Frozen copies of a training between two steps and after a phase, for other threads, plots and the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.network.settings import TrainingSettings

Floats = NDArray[Any]
PhaseName = Literal["forward", "loss", "zero_grad", "backward", "update"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Frozen copy of a training between two steps; every array is its own read-only copy, so any thread may read it.

    Attributes:
        step: updates made.
        epoch: passes over the data completed.
        position: batches of the current epoch already used.
        learning_rate: of the next step.
        parameters: (n_parameters,) in micrograd's order, float64.
        gradients: (n_parameters,) of the last step (clipped, penalties included); zeros when unknown.
        optimizer_state: the update rule's arrays by name, each (n_parameters,).
        optimizer_updates: how often the rule was applied.
        settings: of the run at that step.
        seen_loss: data loss of the last step's batch before its update; None before the first.
        penalty: L1 and L2 penalty of these parameters; 0 without penalties.
        loss: data loss of all training data at these parameters; None when not computed.
        accuracy: share of training samples decided right, 0 to 1; None for regression or when not computed.
        r_squared: of the training data (see `Targets.r_squared`); None for classes or when not computed.
        test_loss: data loss of the test data; None without test data.
        test_accuracy, test_r_squared: of the test data.
    """

    step: int
    epoch: int
    position: int
    learning_rate: float
    parameters: Floats = field(repr=False)
    gradients: Floats = field(repr=False)
    optimizer_state: Mapping[str, Floats] = field(repr=False)
    optimizer_updates: int
    settings: TrainingSettings = field(repr=False)
    seen_loss: float | None = None
    penalty: float = 0.0
    loss: float | None = None
    accuracy: float | None = None
    r_squared: float | None = None
    test_loss: float | None = None
    test_accuracy: float | None = None
    test_r_squared: float | None = None

    @property
    def optimizer(self) -> str:
        return self.settings.optimizer

    @property
    def objective(self) -> float | None:
        """Objective of the optimizer: data loss of all training data plus penalty; None when not computed."""
        return None if self.loss is None else self.loss + self.penalty

    @property
    def has_gradients(self) -> bool:
        """True when `gradients` belong to a step: not before the first one, nor after growing a network."""
        return self.step > 0 and (self.seen_loss is not None or bool(self.gradients.any()))


def saved_snapshot(
    settings: TrainingSettings,
    parameters: Floats,
    step: int = 0,
    epoch: int = 0,
    position: int = 0,
    optimizer_state: Mapping[str, Floats] = MappingProxyType({}),
    optimizer_updates: int = 0,
    seen_loss: float | None = None,
    gradients: Floats | None = None,
) -> Snapshot:
    """Return a snapshot from the numbers of a file, for `Trainer.restore`; its figures are not known.

    Args:
        settings: of the run at that step; they name the optimizer that `optimizer_state` belongs to.
        parameters: (n_parameters,), copied.
        step: updates made.
        epoch: passes over the data completed.
        position: batches of the current epoch already used.
        optimizer_state: its arrays by name, each (n_parameters,), copied; empty when they were not kept.
        optimizer_updates: how often the rule was applied.
        seen_loss: data loss of the last step's batch before its update.
        gradients: (n_parameters,), copied; None when they were not kept.
    """
    numbers, memory, rate = frozen(parameters), frozen_arrays(optimizer_state), settings.rate()(step)
    slopes = frozen(np.zeros(numbers.shape) if gradients is None else gradients)
    return Snapshot(step, epoch, position, rate, numbers, slopes, memory, optimizer_updates, settings, seen_loss)


@dataclass(frozen=True, eq=False)
class Phase:
    """Completed part of a training step, with its results.

    Attributes:
        name: forward, loss, zero_grad, backward or update, in this order.
        description: one sentence.
        step: updates made, the one of an `update` phase included.
        rows: (n_batch,) samples of the step.
        outputs: (n_batch, n_outputs).
        loss: data loss of the batch; None before the loss phase.
        penalty: L1 and L2 penalty that is added to it; None before the loss phase.
        gradients: (n_parameters,).
        parameters: (n_parameters,).
        learning_rate: of this step.
        changed: numbers that this phase changed: "outputs", "loss", "gradients" or "parameters".
    """

    name: PhaseName
    step: int
    rows: NDArray[np.int64] = field(repr=False)
    outputs: Floats = field(repr=False)
    loss: float | None
    penalty: float | None
    gradients: Floats = field(repr=False)
    parameters: Floats = field(repr=False)
    learning_rate: float

    @property
    def description(self) -> str:
        return PHASES[self.name][1]

    @property
    def changed(self) -> str:
        return PHASES[self.name][0]


PHASES: Mapping[PhaseName, tuple[str, str]] = {
    "forward": ("outputs", "Every sample of the batch runs through the network."),
    "loss": ("loss", "The outputs are compared with the targets; penalties on large parameters are added."),
    "zero_grad": ("gradients", "The gradients of the step before are forgotten: backward adds to what is there."),
    "backward": ("gradients", "The chain rule, from the loss back to every parameter."),
    "update": ("parameters", "The optimizer moves every parameter a little against its gradient."),
}
"""The phases in order: the numbers that each changes, and its description."""


def frozen(array: Floats) -> Floats:
    """Return a read-only float64 copy."""
    copy = np.array(array, dtype=np.float64)
    copy.setflags(write=False)
    return copy


def frozen_arrays(arrays: Mapping[str, Floats]) -> Mapping[str, Floats]:
    """Return read-only float64 copies of arrays by name."""
    return MappingProxyType({name: frozen(array) for name, array in arrays.items()})
