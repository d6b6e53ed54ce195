"""Runs that make the same steps together, so that they differ only by their settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.network.run.pace import Pace, Stride
from engine.network.run.progress import Progress, RunState
from engine.network.run.training_run import TrainingRun
from engine.network.trainer import Trainer


class Lockstep:
    """Two runs or more, each with its own history; for one thread at a time.

    A run that diverges stands still while the others go on.

    Attributes:
        runs: in the order of their trainers.
    """

    def __init__(self, trainers: Sequence[Trainer], clock: Callable[[], float] = time.monotonic) -> None:
        """Take ownership of the trainers, which must be at the same step."""
        self.runs = tuple(TrainingRun(number, trainer, clock) for number, trainer in enumerate(trainers, start=1))
        self._clock, self._stride, self._pace = clock, Stride(), Pace(clock)

    @property
    def step_count(self) -> int:
        """Updates made by the run with the most updates."""
        return max(run.steps[-1] for run in self.runs)

    @property
    def is_over(self) -> bool:
        """True when every run has diverged."""
        return all(run.state is RunState.FAILED for run in self.runs)

    def set_speed(self, speed: float | None) -> None:
        self._pace.set_speed(speed)

    @property
    def seconds_to_next(self) -> float:
        return self._pace.seconds_to_next

    def advance(self, seconds: float) -> None:
        """Make the same steps in every run for about `seconds`; none when the next one is not due yet."""
        deadline = self._clock() + seconds
        while (began := self._clock()) < deadline and not self.is_over:
            due = self._pace.due(self._stride.steps)
            if not due:
                return
            self.step(due)
            self._pace.made(due)
            if due == self._stride.steps:
                self._stride.adapt(self._clock() - began)

    def step(self, count: int = 1) -> None:
        """Make `count` steps, 1 or more, in every run that has not diverged."""
        for run in self.runs:
            if run.state is not RunState.FAILED:
                run.step(count)
                while run.state is RunState.RUNNING:
                    run.advance(1.0)

    def view_step(self, step: int | None) -> None:
        """Show a past step of every run, the last one of a shorter run; None: the newest step."""
        for run in self.runs:
            run.view_step(None if step is None else min(step, run.steps[-1]))
            while run.busy:
                run.advance(0.1)

    def describe(self) -> tuple[Progress, ...]:
        described = (run.describe(None) for run in self.runs)
        return tuple(each.viewed or each for each in described)
