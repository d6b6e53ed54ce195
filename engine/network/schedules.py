"""Learning rate schedules: factors between 0 and 1 by step.

A schedule is called with the number of updates made so far and returns the factor that the learning rate is multiplied
by. To add one, put its formula into the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.autograd.formula import scalar_function
from engine.network.optimizers import Setting, with_defaults

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
        formula: the factor as a formula in `step` and the settings, in the vocabulary of `engine.autograd.formula`.
    """

    name: str
    title: str
    description: str
    settings_table: Mapping[str, Setting]
    formula: str

    def __call__(self, **settings: float) -> Callable[[int], float]:
        """Return the schedule with these settings; unknown ones and numbers out of range are refused."""
        numbers = with_defaults(f"schedule {self.name}", self.settings_table, settings)
        factor = scalar_function(self.formula, ", ".join(("step", *self.settings_table)))
        return lambda step: float(factor(step, *numbers.values()))


_TABLE = (
    ScheduleEntry("constant", "Constant", "The learning rate stays as it is.", {}, "1.0"),
    ScheduleEntry(
        "linear",
        "Linear",
        "Falls in a straight line to a share of its first value.",
        {"steps": _STEPS, "end": _END},
        "1 - (1 - end) * min(step, steps) / steps",
    ),
    ScheduleEntry(
        "step",
        "Step",
        "Falls by a factor at regular intervals.",
        {
            "every": Setting(1000.0, 1.0, description="Steps from one drop to the next."),
            "drop": Setting(0.5, 0.0, 1.0, description="Share of the learning rate that each drop leaves."),
        },
        "drop ** (step // every)",
    ),
    ScheduleEntry(
        "exponential",
        "Exponential",
        "Is multiplied by a number every step.",
        {"decay": Setting(0.999, 0.0, 1.0, description="Share of the learning rate that each step leaves.")},
        "decay**step",
    ),
    ScheduleEntry(
        "cosine",
        "Cosine",
        "Falls along half a cosine wave (Loshchilov & Hutter 2017, arXiv:1608.03983).",
        {"steps": _STEPS, "end": replace(_END, default=0.0)},
        "end + (1 - end) * 0.5 * (1 + cos(pi * min(step, steps) / steps))",
    ),
    ScheduleEntry(
        "warmup",
        "Warm-up",
        "Rises in a straight line from nearly nothing.",
        {"steps": replace(_STEPS, default=100.0)},
        "min(1.0, (step + 1) / steps)",
    ),
    ScheduleEntry(
        "inverse", "Inverse", "Falls as 1 / (1 + step / steps).", {"steps": _STEPS}, "1 / (1 + step / steps)"
    ),
)

SCHEDULES: MappingProxyType[str, ScheduleEntry] = MappingProxyType({entry.name: entry for entry in _TABLE})
"""Every kind of schedule by name; `SCHEDULES["linear"](steps=100, end=0.1)` is one to use."""
