"""One run of training: advances a Trainer in short slices and reports its state.

Plain Python without a thread or a window: the runner drives it in its thread, a test drives it step by step. It hides
how far a command reaches, steps that are made phase by phase, what becomes of a run that diverged, and its history.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.network.errors import SettingError
from engine.network.run.curves import NO_CURVES, NO_LOSSES, Curves, RunCurves, StepsAndLosses
from engine.network.run.history import History, Rewind, RunPath
from engine.network.run.outputs import GridRequest, PacedOutputs
from engine.network.run.pace import RemainingSteps, StepRate, Stride
from engine.network.run.progress import Progress, RunState
from engine.network.snapshot import PHASES, Phase, Snapshot
from engine.network.stop_rules import StopMonitor, StopRules
from engine.network.stopping import TrainingDiverged
from engine.network.trainer import Trainer
from engine.network.update import Update

TAKEN_OFF = 10.0
"""Factor over the lowest loss from which a loss has taken off."""
RESTARTS_STEP = frozenset({"loss", "dtype", "batch_size", "seed"})
GOES_ON = "The run that diverged has ended: training goes on from step {step:,}, before the loss took off."

_log = logging.getLogger(__name__)


class StepPhases:
    """Position of a trainer within a step that is made phase by phase.

    Attributes:
        last: last completed phase of the present step; None before the first, and for a step that was made as a whole.
        began: snapshot from before the step of that phase.
        update: the last computed one: the next step, or after its last phase the present one.
    """

    def __init__(self, trainer: Trainer) -> None:
        """Start between two steps."""
        self._trainer = trainer
        self._coming: Iterator[Phase] | None = None
        self.last: Phase | None = None
        self.began: Snapshot = trainer.snapshot(figures=False)
        self.update: Update | None = None

    @property
    def is_under_way(self) -> bool:
        return self._coming is not None

    @property
    def n_before(self) -> int:
        """Number of completed phases before the last one, 0 to 4."""
        return 0 if self.last is None else list(PHASES).index(self.last.name)

    def advance(self) -> None:
        """Perform the next phase; raises TrainingDiverged in the loss phase."""
        if self._coming is None:
            self.began = self._trainer.snapshot(figures=False)
            self._coming = self._trainer.phases()
        self.last = next(self._coming)
        if self.last.name == "update":
            self._coming = None

    def drop(self) -> None:
        """Forget the completed phases; the parameters are as before them, except after an update."""
        self._coming = self.last = None

    def look_ahead(self) -> None:
        """Compute the next step in advance, unless it is known."""
        known, now = self.update, self._trainer.snapshot(figures=False)
        same = known is not None and (known.step, known.settings) == (now.step, now.settings)
        if known is None or not (same and np.array_equal(known.before, now.parameters)):
            self.update = self._trainer.next_update()


class LastGood:
    """Snapshot to restore when a run diverges: the newest one before its loss took off.

    The parameters just before the loss became inf are useless: their loss is finite, but may be 1e73.

    Attributes:
        snapshot: the newest one whose loss had not taken off; None before the first one.
    """

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None
        self._lowest = math.inf

    def look_at(self, snapshot: Snapshot) -> None:
        """Store a snapshot (its loss computed) unless the loss has taken off or is not finite."""
        loss = snapshot.objective
        if loss is None or not math.isfinite(loss):
            return
        if self.snapshot is None or loss <= TAKEN_OFF * self._lowest:
            self.snapshot = snapshot
        self._lowest = min(self._lowest, loss)

    def newest_step(self, first: int, losses: ArrayLike) -> int | None:
        """Return the newest step since the stored snapshot whose loss had not taken off.

        Args:
            first: step of the first loss.
            losses: (n,) of these steps, before their updates.

        Returns:
            None when no step is later than the stored snapshot.
        """
        seen = np.asarray(losses, dtype=np.float64)
        lowest = np.minimum.accumulate(np.append(self._lowest, seen))[:-1]
        good = np.flatnonzero(seen <= TAKEN_OFF * lowest)
        kept = -1 if self.snapshot is None else self.snapshot.step
        newest = first + int(good[-1]) if good.size else -1
        return newest if newest > kept else None

    def forget_from(self, step: int) -> None:
        """Drop a snapshot of this step or a later one: training went back."""
        if self.snapshot is not None and self.snapshot.step >= step:
            self.snapshot, self._lowest = None, math.inf

    def reset_lowest(self) -> None:
        """Restart the search for the lowest loss: the loss function has changed."""
        self._lowest = math.inf


class TrainingRun:
    """A trainer in progress, and its past; for one thread at a time.

    Attributes:
        number: of the run.
        state: of the run.
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
        """Take ownership of the trainer; no other code may use it afterwards.

        Args:
            number: of the run, 1 or more.
            trainer: at its first step, or restored at a later one.
            clock: seconds, never backwards.
            curve: steps and losses of the run before the trainer's step, as a `Progress` gave them.
            test_curve: the same for the loss of the test data.
            history: to record into, empty or of the same run before the trainer's step, and taken over; None: an
                empty one of the usual size.
            curves: `curves` of a `Progress` of the run before the trainer's step.
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
        self._past, self._outputs = Rewind(trainer.copy, self._history, clock), PacedOutputs(clock)

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
        """Return a copy of the history for a run that continues from one of these steps."""
        return self._history.copy(max_bytes)

    def path(self) -> RunPath:
        """Return the path up to now, for another thread."""
        return RunPath(self._trainer.copy(), self._history.copy(self._history.max_bytes))

    # Commands

    def set_stop_rules(self, rules: StopRules) -> None:
        """Replace the stop rules; rules that are already reached are ignored."""
        self._trainer.stops = StopMonitor(rules)
        self._begin_stops()

    def _begin_stops(self) -> None:
        stops = self._trainer.stops
        self._note = stops.begin(self._trainer.snapshot(figures=bool(stops.rules.names))) or self._note

    def set_speed(self, speed: float | None) -> None:
        """Set the limit of steps per second, except for `step` and `phase`; None: no limit."""
        self._remaining.pace.set_speed(speed)
        self._rate.forget()

    def run(self, steps: int | None = None) -> None:
        """Train until paused; with `steps` (1 or more), train for as many steps in addition to those still due."""
        waiting = self._remaining.waiting_steps if self.state is RunState.RUNNING else 0
        self._start(steps=None if steps is None else (waiting or 0) + steps, paced=True)

    def pause(self) -> None:
        if self.state is RunState.RUNNING:
            self.state = RunState.PAUSED

    def step(self, count: int = 1) -> None:
        """Make `count` steps (1 or more) at full speed, in addition to those still due."""
        waiting = self._remaining.waiting_steps if self.state is RunState.RUNNING else 0
        self._start(steps=None if waiting is None else waiting + count)

    def epoch(self) -> None:
        """Train to the end of the present pass over the data."""
        self._start(steps=None, until_epoch=self._trainer.epoch_count + 1, paced=True)

    def phase(self) -> None:
        self._start(steps=0)
        self.state = RunState.PAUSED
        self._guarded(self._next_phase)

    def back_phase(self) -> None:
        """Undo the last phase, bit for bit; between two steps, undo the update of the step before.

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
        if self._diverged_at is None:
            return False
        self._put(self._good_snapshot())
        return True

    def go_back(self) -> None:
        """Return to the newest snapshot before the loss took off, after it became nan or inf."""
        if self._undo_divergence():
            self._reason, self.state = "", RunState.PAUSED

    def change(self, **settings: Any) -> None:
        """Change settings from the next step on (see `Trainer.change`); `message` reports refused ones.

        A batch larger than the data is cut to it.
        """
        if settings.get("batch_size") is not None:
            settings["batch_size"] = min(settings["batch_size"], self._trainer.data.n_samples)
        if RESTARTS_STEP & settings.keys():
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

    def restore(self, snapshot: Snapshot) -> None:
        """Set the run to one of its snapshots; settings remain, later steps are dropped."""
        self._put(snapshot)
        self._reason, self.state = "", RunState.PAUSED

    def _put(self, snapshot: Snapshot) -> None:
        """Set the run to a snapshot; everything later is dropped."""
        self._trainer.restore(snapshot)
        self._history.record_jump(self._trainer.snapshot(figures=False))
        self._last_good.forget_from(snapshot.step + 1)
        self._phases.drop()
        if self._past.step is not None:
            self.view_step(self._past.step if self._past.step in self.steps else None)
        self._curves.forget_later()
        self._diverged_at = None

    # The past

    def view_step(self, step: int | None) -> None:
        """Show a past step without changing the run; None: show the newest step again.

        `advance` computes the step from the nearest kept snapshot; until then the newest is described. A step that is
        not among `steps` is refused, and `message` says so.
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
        """Set the run to one of its `steps`, with the present settings; later steps are dropped.

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
        snapshot = self._past.snapshot()
        self._past.leave()
        self.restore(snapshot)

    # Advancing

    def advance(self, seconds: float) -> bool:
        """Train for about `seconds`, a single step longer at most; an error ends the run and sets `message`.

        While a past step is computed, that takes half of the time, or all of it when the run stands still.

        Returns:
            True when there is anything new to describe.
        """
        running, before, is_new = self.state is RunState.RUNNING, self._trainer.step_count, self._past.busy
        if self._past.busy:
            seconds /= 2 if running else 1
            try:
                self._past.advance(seconds)
            except Exception as error:
                _log.exception("a past step cannot be shown")
                self._past.leave()
                self._note = f"not shown: {type(error).__name__}: {error}"
        if running:
            self._guarded(lambda: self._advance(self._clock() + seconds))
        return is_new or self._trainer.step_count != before or (running and self.state is not RunState.RUNNING)

    def _advance(self, deadline: float) -> None:
        if self._phases.is_under_way:
            while self._phases.is_under_way:
                self._next_phase()
            self._remaining.count(1)
        self._phases.drop()
        reason = ""
        while self._clock() < deadline and not reason and not self._remaining.is_done(self._trainer.epoch_count):
            if not (n_steps := self._remaining.due(self._stride.steps)):
                break
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

    def _next_phase(self) -> None:
        if self._phases.last is not None and self._phases.last.name == "backward":
            self._phases.look_ahead()
        self._phases.advance()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do the work; an error ends the run, not the thread."""
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
        """Return the newest snapshot that a file can hold, without figures: for when `describe` fails."""
        snapshot = self._trainer.snapshot(figures=False)
        is_finite = bool(np.isfinite(snapshot.parameters).all())
        return snapshot if is_finite and self._diverged_at is None else self._good_snapshot()

    # Describing

    @np.errstate(all="ignore")  # of a diverged network
    def describe(self, request: GridRequest | None) -> Progress:
        """Return the state of training; a refused command is reported once, the reason of a stop until training
        continues.

        Costs a forward pass over the training data, and one over the grid if asked for; nothing for a past step that
        is viewed, once it has been described.
        """
        past, running = self._past.describe(request), self.state is RunState.RUNNING
        wanted = None if self._past.is_shown else request
        snapshot, grid, bounds, outputs = self._outputs.of(self._trainer, wanted, in_haste=running)
        self._curves.record(snapshot)
        self._last_good.look_at(snapshot)
        message, self._note = self._reason or self._note, ""
        finite = math.isfinite(math.nan if snapshot.objective is None else snapshot.objective)
        curve_steps, curve_losses = self._curves.loss.points()
        test_steps, test_losses = self._curves.test_loss.points()
        progress = Progress(
            run=self.number,
            state=self.state,
            snapshot=snapshot,
            phase=self._phases.last,
            curve_steps=curve_steps,
            curve_losses=curve_losses,
            test_steps=test_steps,
            test_losses=test_losses,
            grid=grid,
            grid_bounds=bounds,
            outputs=outputs,
            steps_per_second=self._rate.after(snapshot.step) if running else 0.0,
            message=message,
            savable=snapshot if finite and self._diverged_at is None else self._good_snapshot(),
            diverged_at=self._diverged_at,
            update=self._shown_update(),
            steps=self.steps,
            settings_since=self._history.settings_since,
            awaited_step=self._past.step if self._past.busy else None,
            curves=self._curves.others,
            ways=self._trainer.stops.ways(snapshot),
            diverged_first=self._diverged_first,
        )
        if past is None:
            return progress
        snapshot, grid, bounds, outputs = past
        shown: dict[str, Any] = {"snapshot": snapshot, "grid": grid, "grid_bounds": bounds, "outputs": outputs}
        return replace(progress, viewed=replace(progress, **shown, phase=None, update=self._past.update))

    def _good_snapshot(self) -> Snapshot:
        return self._last_good.snapshot or self._trainer.last_good()

    def _shown_update(self) -> Update | None:
        if self.state is RunState.RUNNING or self._diverged_at is not None:
            return None
        last = self._phases.last
        if last is None or last.name != "update":
            self._phases.look_ahead()
        update = self._phases.update
        return None if update is None or not update.is_finite else update
