"""Report of a training run, frozen, for any thread."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.predictor import Bounds
from engine.network.run.curves import StepsAndNumbers
from engine.network.settings import SettingsSince, TrainingSettings
from engine.network.snapshot import Phase, Snapshot
from engine.network.stop_rules import Way
from engine.network.update import Update

Floats = NDArray[Any]


class RunState(StrEnum):
    """State of a training run."""

    IDLE = "idle"
    """Nothing has been trained yet."""
    RUNNING = "running"
    STOPPING = "stopping"
    """Paused while a step is still in progress; known only to the caller that paused."""
    PAUSED = "paused"
    FINISHED = "finished"
    """A stop rule has ended it."""
    FAILED = "failed"
    """The loss became nan or inf, or an error occurred; the message has the reason."""


@dataclass(frozen=True, eq=False)
class Progress:
    """Report of a training run; the arrays are copies, any thread may read them.

    Attributes:
        run: number of the run, counted from 1 with every trainer that is loaded.
        state: of the run.
        snapshot: parameters, gradients and figures.
        phase: last completed phase of the present step, when going phase by phase; else None.
        curve_steps: (n,) steps of the loss curve, at most 2,000, covering the whole run.
        curve_losses: (n,) data losses of these steps' batches.
        test_steps: (m,) steps at which the loss of the test data was computed.
        test_losses: (m,) that loss; empty without test data.
        grid: the outputs, or probabilities where the loss reads them so, over `grid_bounds`, float32: (n, n) for one
            output and (n, n, n_outputs) for several, rows by ascending y; (n,) or (n, n_outputs) along x when a
            point has one number; None when not requested, or for points of three numbers and more without a plane.
        grid_bounds: bounds of the grid.
        outputs: (at most 200, n_outputs) the same for the first training samples.
        steps_per_second: speed while running, else 0.
        message: "", or why training stopped or a command was refused, one sentence.
        savable: snapshot for a file: `snapshot`, or where its loss is not finite the newest one before the loss took
            off (see `LastGood`).
        diverged_at: the step whose loss was not finite, which ended the run; None when it did not diverge.
        update: the next step, or after the phase `update` the last one; None while running, and where it would not be
            finite.
        steps: those that can be viewed (`TrainingRun.view_step`), the newest included.
        settings_since: steps, ascending, and the settings from each of them on; see `settings_at`.
        awaited_step: the past step that is being computed to be viewed; None when it is there, and for the newest.
        curves: figures of the run by step (see `curves.py`), the names of curves that have points.
        ways: progress towards each active stop rule.
        diverged_first: the first node that was nan or inf when the run diverged: `L1N2.sum of sample 3`; else "".
        viewed: report of the past step that is viewed, with its snapshot, grid, outputs and next update; None while the
            newest step is viewed. The newest's grid is not computed then.
    """

    run: int
    state: RunState
    snapshot: Snapshot
    phase: Phase | None
    curve_steps: Floats = field(repr=False)
    curve_losses: Floats = field(repr=False)
    test_steps: Floats = field(repr=False)
    test_losses: Floats = field(repr=False)
    grid: Floats | None = field(repr=False)
    grid_bounds: Bounds | None
    outputs: Floats = field(repr=False)
    steps_per_second: float
    message: str
    savable: Snapshot = field(repr=False)
    diverged_at: int | None
    update: Update | None = field(repr=False)
    steps: range
    settings_since: SettingsSince = field(repr=False)
    awaited_step: int | None
    curves: Mapping[str, StepsAndNumbers] = field(repr=False)
    ways: tuple[Way, ...] = ()
    diverged_first: str = ""
    viewed: Progress | None = field(default=None, repr=False)

    def shows_same_network(self, other: Progress) -> bool:
        """Return True when both show the same network parameters and the same next step: only a grid may differ."""
        if self.run != other.run or self.phase is not other.phase:
            return False
        same_update = self.update is other.update or (
            self.update is not None and other.update is not None and self.update.is_that_of(other.update)
        )
        return same_update and np.array_equal(self.snapshot.parameters, other.snapshot.parameters)

    def settings_at(self, step: float) -> TrainingSettings | None:
        """Return the settings of the step after `step` updates; None when they are unknown."""
        index = bisect_right(self.settings_since, step, key=lambda entry: entry[0])
        return self.settings_since[index - 1][1] if index else None
