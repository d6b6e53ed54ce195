"""Learning rate schedules: factors between 0 and 1 by step.

A schedule is called with the number of updates made so far and returns the factor that the learning rate is multiplied
by. To add one, write its factor as a function and put it into the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.network.optimizers import Setting, with_defaults

Factor = Callable[[int, Mapping[str, float]], float]

_STEPS = Setting(1000.0, 1.0, description="Duration of the change in steps.")
_END = Setting(0.1, 0.0, 1.0, description="Remaining share of the learning rate at the end.")


@dataclass(frozen=True)
class ScheduleEntry:
    """One kind of schedule; called with its settings it returns a function of the step, from 0: the factor.

    Attributes:
        name: its key in SCHEDULES.
        title: as a menu writes it.
        description: one sentence.
        settings_table: the numbers it takes.
        factor: (step, settings) -> factor.
    """

    name: str
    title: str
    description: str
    settings_table: Mapping[str, Setting]
    factor: Factor

    def __call__(self, **settings: float) -> Callable[[int], float]:
        """Return the schedule with these settings; unknown ones and numbers out of range are refused."""
        numbers = with_defaults(f"schedule {self.name}", self.settings_table, settings)
        return lambda step: self.factor(step, numbers)


def _linear(step: int, s: Mapping[str, float]) -> float:
    return 1.0 - (1.0 - s["end"]) * min(step, s["steps"]) / s["steps"]


def _stairs(step: int, s: Mapping[str, float]) -> float:
    return float(s["drop"] ** (step // s["every"]))


def _exponential(step: int, s: Mapping[str, float]) -> float:
    return s["decay"] ** step


def _cosine(step: int, s: Mapping[str, float]) -> float:
    share = min(step, s["steps"]) / s["steps"]
    return s["end"] + (1.0 - s["end"]) * 0.5 * (1.0 + math.cos(math.pi * share))


def _warmup(step: int, s: Mapping[str, float]) -> float:
    return min(1.0, (step + 1) / s["steps"])


def _inverse(step: int, s: Mapping[str, float]) -> float:
    return 1.0 / (1.0 + step / s["steps"])


_TABLE = (
    ScheduleEntry("constant", "Constant", "The learning rate stays as it is.", {}, lambda step, settings: 1.0),
    ScheduleEntry(
        "linear",
        "Linear",
        "Falls in a straight line to a share of its first value.",
        {"steps": _STEPS, "end": _END},
        _linear,
    ),
    ScheduleEntry(
        "step",
        "Step",
        "Falls by a factor at regular intervals.",
        {
            "every": Setting(1000.0, 1.0, description="Steps from one drop to the next."),
            "drop": Setting(0.5, 0.0, 1.0, description="Share of the learning rate that each drop leaves."),
        },
        _stairs,
    ),
    ScheduleEntry(
        "exponential",
        "Exponential",
        "Is multiplied by a number every step.",
        {"decay": Setting(0.999, 0.0, 1.0, description="Share of the learning rate that each step leaves.")},
        _exponential,
    ),
    ScheduleEntry(
        "cosine",
        "Cosine",
        "Falls along half a cosine wave (Loshchilov & Hutter 2017, arXiv:1608.03983).",
        {"steps": _STEPS, "end": replace(_END, default=0.0)},
        _cosine,
    ),
    ScheduleEntry(
        "warmup",
        "Warm-up",
        "Rises in a straight line from nearly nothing.",
        {"steps": replace(_STEPS, default=100.0)},
        _warmup,
    ),
    ScheduleEntry("inverse", "Inverse", "Falls as 1 / (1 + step / steps).", {"steps": _STEPS}, _inverse),
)

SCHEDULES: MappingProxyType[str, ScheduleEntry] = MappingProxyType({entry.name: entry for entry in _TABLE})
"""Every kind of schedule by name; `SCHEDULES["linear"](steps=100, end=0.1)` is one to use."""
