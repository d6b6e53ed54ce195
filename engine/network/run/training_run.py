"""One run of training: advances a Trainer in short slices and describes where it stands.

Plain Python without a thread or a window: the runner drives it in its thread, a test drives it step by step. What it
hides: how far a command reaches, phases left half done, what becomes of a run that went bad, and its history.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError
from engine.network.run.history import History
from engine.network.run.last_good import LastGood
from engine.network.run.loss_curve import NO_LOSSES, StepsAndLosses
from engine.network.run.pace import StepRate
from engine.network.run.progress import GridRequest, Progress, RunState
from engine.network.run.remaining_steps import RemainingSteps
from engine.network.run.rewind import Rewind, Stride
from engine.network.run.run_curves import NO_CURVES, Curves, RunCurves
from engine.network.run.run_path import RunPath
from engine.network.run.step_phases import StepPhases
from engine.network.run.view import Viewer
from engine.network.snapshot import PHASES, Snapshot
from engine.network.stop_rules import StopMonitor, StopRules
from engine.network.stopping import TrainingDiverged
from engine.network.trainer import Trainer
from engine.network.update import Update

Floats = NDArray[Any]
STARTS_STEP_ANEW = frozenset({"loss", "dtype", "batch_size", "seed"})
GOES_ON = "The run that diverged has ended: training goes on from step {step:,}, before the loss took off."

_log = logging.getLogger(__name__)


class TrainingRun:
    """A trainer on its way, and its past; for one thread at a time.

    Attributes:
        number: of the run.
        state: see `Progress`.
    """

    def __init__(
        self,
        number: int,
        trainer: Trainer,
        clock: Callable[[], float] = time.monotonic,
        curve: StepsAndLosses = NO_LOSSES,
        test_curve: StepsAndLosses = NO_LOSSES,
        history: History | None = None,
        curves: Curves = NO_CURVES,
    ) -> None:
        """Takes the trainer over; nobody else may use it any more.

        Args:
            number: of the run, 1 or more.
            trainer: at its first step, or restored at a later one.
            clock: seconds, never backwards.
            curve: steps and losses of the run before the trainer's step, as a `Progress` gave them.
            test_curve: the same for the loss of the test data.
            history: to record into, empty or of the same run before the trainer's step, and taken over; None: an
                empty one of the usual size.
            curves: what the `curves` of a `Progress` gave of the run before the trainer's step.
        """
        self.number = number
        self.state: RunState = RunState.IDLE
        self._trainer, self._clock = trainer, clock
        self._remaining = RemainingSteps(clock)
        self._phases = StepPhases(trainer)
        self._diverged_at: int | None = None
        self._diverged_first = ""
        self._last_good, self._stride = LastGood(), Stride()
        self._reason, self._note = "", trainer.predictor.note
        self._curves = RunCurves(trainer, clock, curve, test_curve, curves)
        self._rate = StepRate(clock)
        self._history = history or History()
        self._history.record_jump(trainer.snapshot(figures=False))
        self._past, self._viewer = Rewind(trainer.copy, self._history, clock), Viewer(clock)

    @property
    def busy(self) -> bool:
        """True when `advance` has work: steps to make, or a past step to compute."""
        return self.state is RunState.RUNNING or self._past.busy

    @property
    def idle_seconds(self) -> float:
        """Seconds until `advance` has work, 0 or more; a run with a limited speed waits between steps."""
        return 0.0 if self._past.busy else self._remaining.idle_seconds

    @property
    def steps(self) -> range:
        """The steps that can be viewed, the newest included."""
        return range(self._history.first_step, self._trainer.step_count + 1)

    def past(self, max_bytes: int) -> History:
        """Its history, for a run that is to go on from one of these steps later; it goes on recording into its own."""
        return self._history.copy(max_bytes)

    def path(self) -> RunPath:
        """Its way up to now, for another thread to look at."""
        return RunPath(self._trainer.copy(), self._history.copy(self._history.max_bytes))

    # Commands

    def set_stop_rules(self, rules: StopRules) -> None:
        """Replace the stop rules; rules whose limit is reached already are set aside."""
        self._trainer.stops = StopMonitor(rules)
        self._begin_stops()

    def _begin_stops(self) -> None:
        stops = self._trainer.stops
        self._note = stops.begin(self._trainer.snapshot(figures=bool(stops.rules.names))) or self._note

    def set_speed(self, speed: float | None) -> None:
        """Makes at most so many steps a second from now on, except those of `step` and `phase`; None: no limit."""
        self._remaining.pace.set_speed(speed)
        self._rate.forget()

    def run(self, steps: int | None = None) -> None:
        """Train until paused; `steps` (1 or more) are added to those that still have to be made, and it ends then."""
        waiting = self._remaining.waiting_steps if self.state is RunState.RUNNING else 0
        self._start(steps=None if steps is None else (waiting or 0) + steps, paced=True)

    def pause(self) -> None:
        """Leaves it where it is."""
        if self.state is RunState.RUNNING:
            self.state = RunState.PAUSED

    def step(self, count: int = 1) -> None:
        """Makes `count` steps (1 or more) as fast as it can, added to those still to be made."""
        waiting = self._remaining.waiting_steps if self.state is RunState.RUNNING else 0
        self._start(steps=None if waiting is None else waiting + count)

    def epoch(self) -> None:
        """Goes on to the end of the present pass over the data."""
        self._start(steps=None, until_epoch=self._trainer.epoch_count + 1, paced=True)

    def phase(self) -> None:
        """Does the next phase of the present step."""
        self._start(steps=0)
        self.state = RunState.PAUSED
        self._guarded(self._next_phase)

    def back_phase(self) -> None:
        """Takes the phase that was done last back, bit for bit; between two steps, the update of the step before.

        Nothing happens at the first step that is kept, or once the run has diverged.
        """
        self.pause()
        last, n_left = self._phases.last, self._phases.n_before
        if self._diverged_at is not None or (last is None and self._trainer.step_count == self.steps[0]):
            return
        if last is None:
            self.continue_from(self._trainer.step_count - 1)
            n_left = len(PHASES) - 1
        else:
            self._put(self._phases.began)
        for _ in range(n_left):
            self._guarded(self._next_phase)

    def _start(self, steps: int | None, until_epoch: int | None = None, paced: bool = False) -> None:
        if self._undo_divergence():
            self._note = GOES_ON.format(step=self._trainer.step_count)
        if self._last_good.snapshot is None:
            first = self._trainer.snapshot()
            self._last_good.look_at(first)
            self._curves.record_figures(first)
        self._begin_stops()
        self._reason = ""
        self._remaining.start(steps, until_epoch, paced)
        self.state = RunState.RUNNING
        self._rate.forget()

    def _undo_divergence(self) -> bool:
        diverged = self._diverged_at is not None
        if diverged:
            self._put(self._good_moment())
        return diverged

    def go_back(self) -> None:
        """After the loss became nan or inf: the newest moment before the loss took off again."""
        if self._undo_divergence():
            self._reason, self.state = "", RunState.PAUSED

    def change(self, **settings: Any) -> None:
        """Change settings from the next step on (see `Trainer.change`); `message` reports refused ones.

        A batch larger than the data is cut to it.
        """
        if settings.get("batch_size") is not None:
            settings["batch_size"] = min(settings["batch_size"], self._trainer.data.n_samples)
        if STARTS_STEP_ANEW & settings.keys():
            self._phases.drop()
        if {"loss", "l1", "l2"} & settings.keys():
            self._last_good.reset_lowest()
        try:
            self._trainer.change(**settings)
        except SettingError as error:
            self._note = f"not changed: {error}"
            return
        self._history.record_change(self._trainer.step_count, settings, self._trainer.settings)
        if self._past.step == self._trainer.step_count:
            self.view_step(self._past.step)

    def restore(self, moment: Snapshot) -> None:
        """Puts the run to a snapshot of it; the settings stay, what came later is forgotten."""
        try:
            self._put(moment)
        except SettingError as error:
            self._note = f"not restored: {error}"
            return
        self._reason, self.state = "", RunState.PAUSED

    def _put(self, moment: Snapshot) -> None:
        self._trainer.restore(moment)
        self._history.record_jump(self._trainer.snapshot(figures=False))
        self._last_good.forget_from(moment.step + 1)
        self._forget_later()

    # The past

    def view_step(self, step: int | None) -> None:
        """Show a past step without changing the run; None: show the newest moment again.

        `advance` computes the step from the nearest kept moment; until then the newest is described. A step that is not
        among `steps` is refused, and `message` says so.
        """
        if step is None:
            self._past.leave()
            return
        try:
            self._past.go_to(self._checked(step))
        except SettingError as error:
            self._note = f"not shown: {error}"

    def _checked(self, step: int) -> int:
        if step not in self.steps:
            raise SettingError("step", f"from {self.steps[0]:,} to {self.steps[-1]:,}", step)
        return step

    def continue_from(self, step: int) -> None:
        """Puts the run to one of its `steps`, with the present settings; what came later is forgotten.

        At once for the step that is viewed. Another one is computed first, however long that takes.
        """
        try:
            if self._past.step != self._checked(step):
                self._past.go_to(step)
        except SettingError as error:
            self._note = f"not continued: {error}"
            return
        while self._past.busy:
            self._past.advance(1.0)
        moment = self._past.snapshot()
        self._past.leave()
        self.restore(moment)

    def _forget_later(self) -> None:
        """After the trainer went to another step: what came later is not shown any more."""
        self._phases.drop()
        if self._past.step is not None:
            self.view_step(self._past.step if self._past.step in self.steps else None)
        self._curves.forget_later()
        self._diverged_at = None

    # Advancing

    def advance(self, seconds: float) -> bool:
        """Train for about `seconds`, a single step longer at most; an error ends the run and sets `message`.

        While a past step is computed, that takes half of the time, or all of it when the run stands still.

        Returns:
            Whether there is anything new to describe.
        """
        running, before, is_new = self.state is RunState.RUNNING, self._trainer.step_count, self._past.busy
        if self._past.busy:
            seconds /= 2 if running else 1
            self._compute_past(seconds)
        if running:
            self._guarded(lambda: self._advance(self._clock() + seconds))
        return is_new or self._trainer.step_count != before or (running and self.state is not RunState.RUNNING)

    def _compute_past(self, seconds: float) -> None:
        try:
            self._past.advance(seconds)
        except Exception as error:
            _log.exception("a past step cannot be shown")
            self._past.leave()
            self._note = f"not shown: {type(error).__name__}: {error}"

    def _advance(self, deadline: float) -> None:
        self._finish_phases()
        reason = ""
        while self._clock() < deadline and not reason and (n_steps := self._due()):
            began, before = self._clock(), self._trainer.step_count
            reason = self._trainer.run(n_steps)
            self._remaining.count(self._trainer.step_count - before)
            self._stride.adapt(self._clock() - began)
            self._curves.look()
        self._history.keep(self._trainer.step_count, self._clock(), lambda: self._trainer.snapshot(figures=False))
        if reason:
            self.state, self._reason = RunState.FINISHED, reason
        elif self._remaining.is_done(self._trainer.epoch_count):
            self.state = RunState.PAUSED

    def _due(self) -> int:
        """Number of steps to make in a row now; 0 when none is due, or everything is done."""
        return 0 if self._remaining.is_done(self._trainer.epoch_count) else self._remaining.due(self._stride.steps)

    def _finish_phases(self) -> None:
        """Ends a step that was begun phase by phase, and counts it."""
        if self._phases.is_under_way:
            while self._phases.is_under_way:
                self._next_phase()
            self._remaining.count(1)
        self._phases.drop()

    def _next_phase(self) -> None:
        if self._phases.last is not None and self._phases.last.name == "backward":
            self._phases.look_ahead()
        self._phases.advance()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Does the work; what goes wrong ends the run, not the thread."""
        try:
            work()
        except TrainingDiverged as error:
            self._diverged_at, self._diverged_first = error.step, error.place
            self.fail(str(error))
            self._find_last_good()
        except Exception as error:
            _log.exception("training stopped")
            self.fail(f"training stopped: {type(error).__name__}: {error}")

    def _find_last_good(self) -> None:
        """Compute the newest step before the loss took off: many may have been made since the last report."""
        losses, last = self._trainer.losses, self._last_good.snapshot
        first = self._trainer.step_count - len(losses)
        begin = max(0, (first if last is None else last.step) - first)
        step = self._last_good.newest_step(first + begin, losses[begin:])
        if step is None or step not in self.steps:
            return
        rewind = Rewind(self._trainer.copy, self._history, self._clock)
        try:
            rewind.go_to(step)
            while rewind.busy:
                rewind.advance(1.0)
        except Exception:
            _log.exception("the last good step cannot be computed")
            return
        self._last_good.look_at(rewind.snapshot(figures=True))

    def fail(self, reason: str) -> None:
        """End the run for a reason; commands may start it again."""
        self._phases.drop()
        if self._past.busy:
            self._past.leave()
        self.state, self._reason = RunState.FAILED, reason[:300]

    def savable(self) -> Snapshot:
        """Return the newest moment that a file can hold, without figures: for when `describe` fails."""
        snapshot = self._trainer.snapshot(figures=False)
        is_finite = bool(np.isfinite(snapshot.parameters).all())
        return snapshot if is_finite and self._diverged_at is None else self._good_moment()

    # Describing

    @np.errstate(all="ignore")  # of a diverged network
    def describe(self, request: GridRequest | None) -> Progress:
        """Where training stands; a refused command is told once, why training stopped until it goes on.

        Costs a forward pass over the training data, and one over the grid if asked for; nothing for a past step that
        is viewed, once it has been described.
        """
        past, running = self._past.view(request), self.state is RunState.RUNNING
        newest = self._viewer.see(self._trainer, None if self._past.is_shown else request, in_haste=running)
        snapshot = newest.snapshot
        self._curves.record(snapshot)
        self._last_good.look_at(snapshot)
        message, self._note = self._reason or self._note, ""
        progress = Progress(
            self.number,
            self.state,
            snapshot,
            self._phases.last,
            *self._curves.loss.points(),
            *self._curves.test_loss.points(),
            newest.grid,
            newest.grid_bounds,
            newest.outputs,
            self._rate.after(snapshot.step) if running else 0.0,
            message,
            self._finite_moment(snapshot),
            self._diverged_at,
            self._shown_update(),
            self.steps,
            self._history.settings_since,
            self._past.step if self._past.busy else None,
            self._curves.others,
            self._trainer.stops.ways(snapshot),
            self._diverged_first,
        )
        if past is None:
            return progress
        return replace(progress, viewed=replace(progress, **vars(past), phase=None, update=self._past.update))

    def _finite_moment(self, snapshot: Snapshot) -> Snapshot:
        finite = math.isfinite(math.nan if snapshot.objective is None else snapshot.objective)
        return snapshot if finite and self._diverged_at is None else self._good_moment()

    def _good_moment(self) -> Snapshot:
        return self._last_good.snapshot or self._trainer.last_good()

    def _shown_update(self) -> Update | None:
        if self.state is RunState.RUNNING or self._diverged_at is not None:
            return None
        last = self._phases.last
        if last is None or last.name != "update":
            self._phases.look_ahead()
        update = self._phases.update
        return None if update is None or not update.is_finite else update
