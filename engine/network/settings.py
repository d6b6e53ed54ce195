"""The settings of a training run, checked when they are made; the same names as the Trainer's arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError, checked_integer, checked_name, checked_number
from engine.network.initialisers import INITIALISERS
from engine.network.losses import LOSSES
from engine.network.objective import Penalty
from engine.network.optimizers import OPTIMIZERS, Clipping, Optimizer
from engine.network.schedules import SCHEDULES

Rate = float | Callable[[int], float]
DTYPES = ("float64", "float32")
MAX_LEARNING_RATE, LARGE_LEARNING_RATE = 1e9, 100.0


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of training; immutable, `changed` returns a variant.

    Attributes:
        loss: a name of LOSSES.
        optimizer: a name of OPTIMIZERS.
        learning_rate: 0 to 1e9, or a function of the step (updates so far).
        schedule: a name of SCHEDULES, or the factor as a function of the step.
        batch_size: samples in a step; None: all of them.
        l1: penalty on sum |p|, 0 or more.
        l2: penalty on sum p², 0 or more.
        clip_norm: longest gradient; None: any.
        clip_value: largest number in a gradient; None: any.
        seed: 0 to 2**64 - 1, decides the order of samples in mini-batches.
        dtype: "float64" (exact) or "float32" (fast).
        zero_grad: clear gradients before each step; without it they add up, a classic mistake.
        optimizer_settings: numbers of the optimizer other than the learning rate.
        schedule_settings: numbers of the schedule.
    """

    loss: str = "mean_squared_error"
    optimizer: str = "sgd"
    learning_rate: Rate = 0.05
    schedule: str | Callable[[int], float] = "constant"
    batch_size: int | None = None
    l1: float = 0.0
    l2: float = 0.0
    clip_norm: float | None = None
    clip_value: float | None = None
    seed: int = 0
    dtype: str = "float64"
    zero_grad: bool = True
    optimizer_settings: Mapping[str, float] = field(default_factory=dict)
    schedule_settings: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_name("loss", self.loss, LOSSES)
        checked_name("optimizer", self.optimizer, OPTIMIZERS)
        checked_name("dtype", self.dtype, DTYPES)
        if not callable(self.learning_rate):
            rate = checked_number("learning rate", self.learning_rate, 0.0, MAX_LEARNING_RATE)
            object.__setattr__(self, "learning_rate", rate)
        if self.batch_size is not None:
            checked_integer("batch size", self.batch_size, 1, 10**9)
        checked_integer("seed", self.seed, 0, 2**64 - 1)
        object.__setattr__(self, "optimizer_settings", MappingProxyType(dict(self.optimizer_settings)))
        object.__setattr__(self, "schedule_settings", MappingProxyType(dict(self.schedule_settings)))
        _ = self.penalty, self.clipping, self.factor, self.optimizer_for(np.empty(0))

    @property
    def penalty(self) -> Penalty:
        return Penalty(self.l1, self.l2)

    @property
    def clipping(self) -> Clipping:
        return Clipping(self.clip_norm, self.clip_value)

    def optimizer_for(self, parameters: NDArray[Any]) -> Optimizer:
        """Return the update rule with an empty memory for these flat parameters."""
        return OPTIMIZERS[self.optimizer](parameters, **self.optimizer_settings)

    @property
    def factor(self) -> Callable[[int], float]:
        """Factor of the learning rate, as a function of the step."""
        if callable(self.schedule):
            return self.schedule
        return SCHEDULES[checked_name("schedule", self.schedule, SCHEDULES)](**self.schedule_settings)

    def rate(self) -> Callable[[int], float]:
        """Return the learning rate as a function of the step (updates so far)."""
        base, factor = self.learning_rate, self.factor
        if callable(base):
            return lambda step: checked_number("learning rate", base(step), 0.0, MAX_LEARNING_RATE) * factor(step)
        if self.schedule == "constant":
            return lambda step: base
        return lambda step: base * factor(step)

    def notes(self, output_activation: str, initialiser: str, n_hidden: int) -> list[str]:
        """Return sentences on unusual but allowed settings for a network.

        Args:
            output_activation: of the last layer, a name of ACTIVATIONS.
            initialiser: a name of INITIALISERS.
            n_hidden: number of hidden layers.
        """
        notes = []
        if self.learning_rate == 0.0:
            notes.append("The learning rate is 0, so nothing will change.")
        if not callable(self.learning_rate) and self.learning_rate > LARGE_LEARNING_RATE:
            notes.append(f"A learning rate of {self.learning_rate:g} is far above what trains: try 0.001 to 1.")
        decay = self.optimizer_for(np.empty(0)).settings.get("weight_decay", 0.0)
        pull = 0.0 if OPTIMIZERS[self.optimizer].squares else 2.0 * self.l2
        # scaled gradients: only weight decay moves a weight past 0
        if not callable(self.learning_rate) and self.learning_rate * max(decay, pull) > 1.0:
            notes.append(
                "L2 or weight decay takes more than all of a weight away in a step: lower it, or the learning rate."
            )
        if LOSSES[self.loss].probability and output_activation == "sigmoid":
            notes.append("The loss applies a sigmoid or softmax itself: after a sigmoid output it comes twice.")
        if INITIALISERS[initialiser].is_equal and n_hidden:
            notes.append("Started from equal weights, the neurons of a layer stay equal: symmetry is never broken.")
        return notes

    def changed(self, **changes: Any) -> TrainingSettings:
        """These settings with some of them different.

        A new optimizer or schedule starts with its own defaults unless its settings are given too.

        Raises:
            UnknownNameError, SettingError: a setting that does not exist or cannot be used.
        """
        for name in changes:
            checked_name("setting", name, [entry.name for entry in fields(self)])
        for kind in ("optimizer", "schedule"):
            if changes.get(kind, getattr(self, kind)) != getattr(self, kind):
                changes.setdefault(f"{kind}_settings", {})
        return replace(self, **changes)


SettingsSince = tuple[tuple[int, TrainingSettings], ...]
"""Steps of a run, ascending, and the settings from each of them on."""


def checked_batch_size(batch_size: int | None, n_samples: int) -> int:
    """Samples in a step, at most `n_samples`; else SettingError."""
    if batch_size is not None and batch_size > n_samples:
        raise SettingError("batch size", f"at most the number of samples, {n_samples}", batch_size)
    return n_samples if batch_size is None else batch_size
