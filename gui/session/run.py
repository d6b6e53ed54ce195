"""The training run of a session: its commands, its reports and their throttle, and the viewed moment."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from engine.document import Document, Trained
from engine.experiment.assemble import (
    changed_settings,
    curve_of,
    curves_of,
    make_model,
    make_trainer,
    stands_at,
    trained_at,
)
from engine.experiment.prepared import PreparedData
from engine.network import Snapshot
from engine.network.run.progress import Progress, RunState
from engine.views.sample import PassParameters, pass_parameters
from gui.background import inbox
from gui.runner import Runner, SavedHistory
from gui.scheduling import Throttle
from gui.session.change import Changes
from gui.session.recorded_runs import RecordedRuns
from gui.unexpected import contained, report

SHARE_OF_SHOWING = 0.2
"""Largest fraction of processor time for showing reports. Python runs one thread at a time, so training mostly stands
still meanwhile.
"""
SHARE_BESIDE_REST = 0.7
"""The same where the training rests between its steps: it needs little of a processor."""
LONGEST_SECONDS = 0.25
"""Longest delay between two shown reports, however long showing one takes."""


class DisplayPace:
    """Interval between two reports that are shown. It depends on the GUI thread's work since the last one: panels,
    their painting, and the user's actions meanwhile.

    Attributes:
        training_rests: whether the training waits for the next step most of the time, because it has a speed.
    """

    def __init__(self, processor: Callable[[], float] = time.thread_time) -> None:
        """Create a pace; `processor` gives the processor time of the calling thread in seconds."""
        self.training_rests = False
        self._processor, self._used_then = processor, 0.0

    @property
    def interval(self) -> float:
        """Seconds between the last report and the next one, as far as is known now."""
        share = SHARE_BESIDE_REST if self.training_rests else SHARE_OF_SHOWING
        return min(LONGEST_SECONDS, (self._processor() - self._used_then) / share)

    def begin(self) -> None:
        """Count the work from now on: a report is taken and shown."""
        self._used_then = self._processor()


FIRST_SPEED: float | None = 60.0
"""Steps a second until another speed is chosen: the boundary is seen to move, and moons take some seconds."""
KEEPING_UP = 0.8
"""Fraction of the requested speed; a training that is faster rests between steps."""
FIRST_COUNT = 100
"""Steps that are run together until another number is chosen."""


class Run(QObject):
    """Drives the runner, and shows its reports as they come, or less often where showing one takes long.

    Attributes:
        newest: where the run stands, as it was reported last; None before the first report.
        shown: the moment that is viewed, `newest` or a past step; None before the first report.
        shown_passes: parameters of the numbers on the canvas at the step shown; None before the first report.
        recorded: the runs there have been, this one among them.
        runner: the training in its thread; here for what changes nothing that is shown.
        lacks_moment: True when steps were trained that no snapshot has, so that a file would lack them.
        viewed_step: the past step that is viewed, or is being computed to be; None for the newest.
        speed: steps a second at most; None: as many as there are.
        count: how many steps are run together.

    Signals:
        reported(): `newest` is new, or the run could not be made; emitted while the change that says so is gathered.
        message_posted(str, str): a line for the user and its kind, "note" or "error".
    """

    reported = Signal()
    message_posted = Signal(str, str)

    def __init__(self, changes: Changes, parent: QObject) -> None:
        """Create a run without a document."""
        super().__init__(parent)
        self.newest: Progress | None = None
        self.shown: Progress | None = None
        self.shown_passes: PassParameters | None = None
        self._failed_savable: Snapshot | None = None
        self.lacks_moment = False
        self.viewed_step: int | None = None
        self._newest_passes: PassParameters | None = None
        self._changes = changes
        self.recorded = RecordedRuns(changes)
        self.speed, self.count = FIRST_SPEED, FIRST_COUNT
        self._is_at_full_speed = False
        run = weakref.ref(self)  # the training thread must not be the last to let go of a QObject
        self.runner = Runner(partial(inbox().call, lambda: _look_for_report(run)))
        self.runner.set_speed(self.speed)
        self._announced_state = self.state
        self._pace = DisplayPace()
        self._has_failed_to_take = False
        self._reports = Throttle(self._take_report, lambda: self._pace.interval, self)

    @property
    def state(self) -> RunState:
        """State of the run, read from the runner."""
        return self.runner.state

    def trained(self, began: Trained) -> Trained:
        """The moment that training has reached, as a file holds it; the last good one of a run that diverged.

        Args:
            began: the moment that the run was started from.
        """
        progress, savable = self.newest, self.savable
        if savable is None or stands_at(began, savable):
            return began
        if progress is None:
            return trained_at(savable)
        curve = progress.curve_steps, progress.curve_losses
        return trained_at(savable, curve, (progress.test_steps, progress.test_losses), progress.curves)

    @property
    def savable(self) -> Snapshot | None:
        """Snapshot for a file: the newest, or the last good one of a diverged run; None before the first report."""
        if self._failed_savable is not None or self.newest is None:
            return self._failed_savable
        return self.newest.savable

    def load(self, document: Document, data: PreparedData, saved: SavedHistory | None = None) -> None:
        """Start from the document's moment; network and trainer are made in the runner's thread.

        Args:
            document: says how to train, and from which moment on.
            data: of the document.
            saved: of the run before that moment; None: it begins there.
        """
        self.recorded.begin(document, self.runner.save_history() if self.newest is not None else None)
        self.newest = self.shown = self.shown_passes = self._newest_passes = self.viewed_step = None
        self._failed_savable, self.lacks_moment = None, False
        trained = document.trained
        self.runner.load(
            lambda: make_trainer(document, make_model(document), data),
            curve_of(trained.curve),
            curve_of(trained.test_curve),
            saved,
            curves_of(trained),
        )
        if document.training.stop_rules.names:
            self.runner.set_stop_rules(document.training.stop_rules)
        self._changes.add("model", "moment")
        self._announce_state()
        if trained.step:
            self.runner.report()

    def change(self, before: Document, after: Document) -> None:
        """Other settings from the next step on, the weights kept."""
        self.recorded.change(after)
        if settings := changed_settings(before.training, after.training):
            self.runner.change(**settings)
        if before.training.stop_rules != after.training.stop_rules:
            self.runner.set_stop_rules(after.training.stop_rules)
            self.runner.report()

    def view_step(self, step: int | None) -> None:
        """Show a past step of `newest.steps` beside the run, which goes on; None: the newest moment again."""
        self.viewed_step = step
        self.runner.view_step(step)
        self._changes.add("moment")

    def continue_here(self) -> None:
        """Set the run to the viewed step; later steps are dropped."""
        if self.viewed_step is not None:
            self.runner.continue_from(self.viewed_step)
            self.viewed_step = None
            self._announce_state()

    def run(self) -> None:
        """Train until paused, at the speed that is chosen."""
        self._set_chosen_speed()
        self.runner.run()
        self._announce_state()

    @property
    def can_go_back(self) -> bool:
        """True when an earlier step than the viewed one is kept."""
        newest = self.newest
        return newest is not None and self._viewed_or_newest(newest) > newest.steps[0]

    @property
    def can_go_back_a_phase(self) -> bool:
        """True when a phase can be undone: of the present step, or the update of the previous one."""
        newest = self.newest
        return newest is not None and (newest.phase is not None or newest.steps[-1] > newest.steps[0])

    def back(self) -> None:
        """View the step before the viewed one; a run is paused first."""
        if self.newest is not None and self.can_go_back:
            self.pause()
            self.view_step(self._viewed_or_newest(self.newest) - 1)

    def _viewed_or_newest(self, newest: Progress) -> int:
        return newest.steps[-1] if self.viewed_step is None else self.viewed_step

    def set_control(self, speed: float | None, count: int) -> None:
        """Set the speed, from now on, and the number of steps to run together."""
        if speed != self.speed:
            self.runner.set_speed(speed)
        if (speed, count) != (self.speed, self.count):
            self.speed, self.count = speed, count
            self._changes.add("run")

    def pause(self) -> None:
        """Stop after the step that is under way (within 200 ms)."""
        self.runner.pause()
        self._announce_state()

    def train(self, amount: str) -> None:
        """Train for one "step", one "phase" of it, or, which counts as running, for `count` "steps" or one "epoch".

        "phase back" takes the last phase back.

        Pauses a run first, but "steps" are added to those that a run still has to make. The newest moment is viewed
        then: one wants to see what one has asked for.
        """
        if self.viewed_step is not None:
            self.view_step(None)
        runner = self.runner
        self._set_chosen_speed()
        if self.state is RunState.RUNNING and amount != "steps":  # steps that still wait are made
            runner.pause()
        commands = {"step": runner.step, "steps": lambda: runner.run(self.count)}
        commands |= {"epoch": runner.epoch, "phase": runner.phase, "phase back": runner.back_phase}
        commands[amount]()
        self._announce_state()

    def _set_chosen_speed(self) -> None:
        """Train at the user's speed again, after `make_steps`."""
        if self._is_at_full_speed:
            self._is_at_full_speed = False
            self.runner.set_speed(self.speed)

    def make_steps(self, count: int) -> None:
        """Train for a number of steps, at full speed."""
        if self.viewed_step is not None:
            self.view_step(None)
        self.runner.pause()
        self.runner.set_speed(None)
        self._is_at_full_speed = True
        self.runner.run(count)
        self._announce_state()

    def go_back(self) -> None:
        """After a diverged run, restore the weights from before its loss grew."""
        self.runner.go_back()
        self._announce_state()

    @property
    def rests(self) -> bool:
        """True when the training, by its last report, mostly waits for its next step."""
        return self._pace.training_rests

    def look_for_report(self) -> None:
        """Show the newest report and the state; while the training runs, no sooner than the display's pace allows."""
        if self.runner.is_stopped:
            return  # the window is being closed: nothing may begin again
        if self.state is RunState.RUNNING:
            self._reports.request()
        else:
            self._reports.call()

    def _take_report(self) -> None:
        """Take the newest report; where that fails, ask for it once more: a file would lack its step."""
        is_second, self._has_failed_to_take = self._has_failed_to_take, False
        try:
            self._take_newest()
        except Exception as error:
            report(error, self)
            self._has_failed_to_take = not is_second
            if not is_second:
                self.runner.report_again()

    def _take_newest(self) -> None:
        with self._changes.gathered():
            if (failure := self.runner.take_failure()) is not None:
                self._failed_savable, self.lacks_moment = failure.savable, failure.is_made and failure.savable is None
                self.message_posted.emit(failure.reason, "error")
                self.reported.emit()
            if (progress := self.runner.take()) is not None:
                with contained(self):
                    self._pace.begin()
                self.take_report(progress)
            self._announce_state()

    def take_report(self, progress: Progress) -> None:
        """Show a report of the run; its own come as the display's pace allows."""
        with self._changes.gathered():
            before, self.newest = self.newest, progress  # first of all: this is what a file holds
            self._failed_savable, self.lacks_moment = None, False
            with contained(self):
                self._show(progress, before)
            self.reported.emit()

    def _show(self, progress: Progress, before: Progress | None) -> None:
        keeps_up = self.speed is not None and progress.steps_per_second >= KEEPING_UP * self.speed
        self._pace.training_rests = keeps_up  # it has made the steps that it is to make
        self._changes.add("moment")
        if before is None or not progress.shows_same_network(before):  # otherwise a walk through it would restart
            self._newest_passes = pass_parameters(progress, self._newest_passes)
        if progress.message and progress.diverged_at is None:  # of a divergence the status bar has a part of its own
            self.message_posted.emit(progress.message, "error" if progress.state is RunState.FAILED else "note")
        if progress.viewed is not None:
            if self.shown is None or self.shown.snapshot is not progress.viewed.snapshot:
                self.shown_passes = pass_parameters(progress.viewed)
            self.shown = progress.viewed
        elif progress.awaited_step is None or self.shown is None:
            self.shown, self.shown_passes, self.viewed_step = progress, self._newest_passes, None
        self.recorded.follow(progress)

    def _announce_state(self) -> None:
        if self.state != self._announced_state:
            self._announced_state = self.state
            self._changes.add("run")

    def stop(self) -> None:
        """Stop training for good."""
        self._reports.cancel()
        self.runner.stop()


def _look_for_report(run: weakref.ref[Run]) -> None:
    """Let a run fetch its thread's report, if the run still exists."""
    found = run()
    if found is not None and isValid(found):
        found.look_for_report()
