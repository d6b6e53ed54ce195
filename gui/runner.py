"""Runner: training in one background thread; commands go in by a queue, the newest progress comes out by one slot.

A signal per step would freeze the window: the worker leaves its newest `Progress` in a slot, at most about 60 times a
second, and announces it; the window takes it when it has time. Plain `threading`, no Qt.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple

from engine.network import Snapshot, StopRules, Trainer
from engine.network.run.curves import NO_CURVES, NO_LOSSES, Curves, StepsAndLosses
from engine.network.run.history import History, RunPath
from engine.network.run.outputs import GridRequest
from engine.network.run.progress import Progress, RunState
from engine.network.run.training_run import TrainingRun
from gui.background import note_stopped, start_thread

SLICE_SECONDS = 0.005
SHORTEST_WAIT = 0.002
"""Seconds for which the thread sleeps at least when no step is due: at thousands a second it wakes for some at once."""
SHORTEST_PAUSE, LONGEST_PAUSE = 1 / 60, 0.25  # seconds between two reports; the longer one when nobody takes them
MOST_HISTORY_BYTES = 8_000_000
"""Size limit of a run's history that is kept while another run replaces it."""
TRAINING_PER_REPORT = 9.0  # a report that took 5 ms is followed by 45 ms of training at least

_log = logging.getLogger(__name__)


class _Issued(NamedTuple):
    """Intentions recorded when a command was issued, or when it was obeyed.

    Attributes:
        display: counts the commands after which an older progress is not shown any more.
        training: counts the commands that train.
    """

    display: int = 0
    training: int = 0


class Failure(NamedTuple):
    """A run that could not be made, or that fails so that it cannot be described.

    Attributes:
        reason: a sentence.
        is_made: there was a run, whose steps may not be in a file; commands may start it again unless it was dropped.
        savable: the newest moment of the run; None where there is no run, or the moment cannot be had.
    """

    reason: str
    is_made: bool = False
    savable: Snapshot | None = None


class _Mailbox:
    """One slot: what is put in replaces what was there."""

    def __init__(self, announce: Callable[[], object]) -> None:
        """Create an empty one; `announce` is called in the training thread for everything that is put in."""
        self._announce = announce
        self._content: tuple[_Issued, Progress] | None = None
        self._failure: tuple[_Issued, Failure] | None = None
        self._lock = threading.Lock()

    def fail(self, issued: _Issued, failure: Failure) -> None:
        """Leave a failure; nothing older than it is reported any more."""
        with self._lock:
            self._content, self._failure = None, (issued, failure)
        self._announce()

    def take_failure(self) -> tuple[_Issued, Failure] | None:
        with self._lock:
            failure, self._failure = self._failure, None
        return failure

    @property
    def empty(self) -> bool:
        return self._content is None

    def put(self, issued: _Issued, progress: Progress) -> None:
        """Leave the newest progress, which replaces an older failure; keep a message that nobody has read."""
        with self._lock:
            self._failure = None
            if self._content is not None:
                waiting = self._content[1]
                if waiting.message and waiting.run == progress.run and not progress.message:
                    progress = replace(progress, message=waiting.message)
            self._content = (issued, progress)
        self._announce()

    def take(self) -> tuple[_Issued, Progress] | None:
        with self._lock:
            content, self._content = self._content, None
        return content


class SavedHistory:
    """The history of a run that was left, for when it comes back; filled and emptied in the training thread.

    Attributes:
        history: None before the thread has come to it, and when it was taken back or there was no run.
        came: set once the thread has come to it.
    """

    def __init__(self) -> None:
        self.history: History | None = None
        self.came = threading.Event()

    def take(self) -> History | None:
        """Return the history on the first call, None later: the run that gets it records into it from then on."""
        history, self.history = self.history, None
        return history


class Runner:
    """Drives one Trainer at a time; every method is called from one thread, usually the window's.

    Once loaded, a trainer (and its model) belongs to the worker. The thread starts with the first command that trains
    or wants a grid; what was sent before is done then.

    Attributes:
        state: of the run, after the commands sent and the reports taken.
    """

    def __init__(self, announce: Callable[[], object] = lambda: None) -> None:
        """Create a runner without a run.

        Args:
            announce: called in the training thread when there is a newer progress or a failure to take.
        """
        self.state: RunState = RunState.IDLE
        self._run_number = 0
        self._issued = _Issued()
        self._answered = 0
        self._mailbox = _Mailbox(announce)
        self._worker = _Worker(self._mailbox)
        self._ended: Future[None] | None = None

    def load(
        self,
        make: Callable[[], Trainer],
        curve: StepsAndLosses = NO_LOSSES,
        test_curve: StepsAndLosses = NO_LOSSES,
        saved: SavedHistory | None = None,
        curves: Curves = NO_CURVES,
    ) -> None:
        """Begin a new run, idle; the previous run stops and its progress is dropped.

        Args:
            make: gives the trainer, at its first step or restored at a later one; called in the worker, because a
                large network takes its time.
            curve: steps and losses of the run before that step.
            test_curve: the same for the loss of the test data.
            saved: of the run before that step; None: it begins there.
            curves: figures of the run before that step.
        """
        self.state = RunState.IDLE
        self._run_number += 1
        self._issue(display=1)
        self.forget_requests()
        number = self._run_number
        before = saved or SavedHistory()

        self._mailbox.take_failure()  # of the run before

        def made() -> TrainingRun:
            return TrainingRun(number, make(), curve=curve, test_curve=test_curve, history=before.take(), curves=curves)

        self._send(lambda worker: worker.load(made))

    def save_history(self) -> SavedHistory:
        """Queue saving the history of the present run; it is filled in by the training thread."""
        saved = SavedHistory()
        self._send(lambda worker: worker.save_history(saved))
        return saved

    def path(self) -> Future[RunPath | None]:
        """The way of the present run, None for none; set in the worker, unless it is stopped before."""
        asked: Future[RunPath | None] = Future()
        self._send(lambda worker: worker.answer(asked))
        self._start()
        return asked

    def run(self, steps: int | None = None) -> None:
        """Train until paused; `steps` (1 or more) are added to those that still have to be made, and it ends then."""
        self._train(lambda run: run.run(steps), RunState.RUNNING)

    def set_speed(self, speed: float | None) -> None:
        """At most so many steps a second, for this run and later ones; None: no limit. See `TrainingRun`."""
        self._send(lambda worker: worker.set_speed(speed))

    def pause(self) -> None:
        """Stop after the present step."""
        if self.state is RunState.RUNNING:
            self.state = RunState.STOPPING
            self._start()
        self._send(lambda worker: worker.apply(lambda run: run.pause()))

    def step(self, count: int = 1) -> None:
        """Make `count` steps, 1 or more."""
        self._train(lambda run: run.step(count))

    def epoch(self) -> None:
        """Train to the end of the present epoch."""
        self._train(lambda run: run.epoch(), RunState.RUNNING)

    def phase(self) -> None:
        """Make the next phase of the present step."""
        self._train(lambda run: run.phase())

    def back_phase(self) -> None:
        """Undo the last phase."""
        self._train(lambda run: run.back_phase())

    def change(self, **settings: Any) -> None:
        """Other settings from the next step on, the weights kept: attributes of TrainingSettings."""
        self._send(lambda worker: worker.apply(lambda run: run.change(**settings)))

    def set_stop_rules(self, rules: StopRules) -> None:
        """Other rules for when a run ends."""
        self._send(lambda worker: worker.apply(lambda run: run.set_stop_rules(rules)))

    def report_again(self) -> None:
        """Drop the report that could not be taken, and request another one."""
        self._mailbox.take_failure()
        self._mailbox.take()
        self.report()

    def report(self) -> None:
        """Request a report of where the run stands."""
        self._send(lambda worker: worker.apply(lambda run: None))
        self._start()

    def go_back(self) -> None:
        """After the loss became nan or inf: the last parameters that gave a finite loss again."""
        self._train(lambda run: run.go_back())

    def view_step(self, step: int | None) -> None:
        """View a past step while the run goes on; None: the newest moment again. See `TrainingRun`."""
        self._issue(display=1)
        self._send(lambda worker: worker.apply(lambda run: run.view_step(step)))
        self._start()

    def continue_from(self, step: int) -> None:
        """Set the run back to a past step; later steps are dropped."""
        self._issue(display=1)
        self._train(lambda run: run.continue_from(step))

    def set_grid(self, request: GridRequest | None) -> None:
        """Request the network's output over a grid with each report; None: no more."""
        self._send(lambda worker: worker.set_grid(request))
        if request is not None:
            self._start()

    def take_failure(self) -> Failure | None:
        """Return, once, how the run that was loaded last has failed without a progress that says so; else None."""
        content = self._mailbox.take_failure()
        if content is None or content[0] != self._issued:  # of another run, or the answer to a later command follows
            return None
        self.state = RunState.FAILED
        self.forget_requests()
        return content[1]

    @property
    def unanswered(self) -> bool:
        """True while the last progress of a training is not yet taken; always while it runs."""
        return self._answered != self._issued.training

    @property
    def _is_training(self) -> bool:
        return self.state in (RunState.RUNNING, RunState.STOPPING)

    def forget_requests(self) -> None:
        """Counts what was asked for as answered."""
        self._answered = self._issued.training

    def take(self) -> Progress | None:
        """The newest progress of the present run, once; None when there is nothing new. Never waits for training."""
        content = self._mailbox.take()
        if content is None or content[0].display != self._issued.display:
            return None
        issued, progress = content
        if progress.state is RunState.FAILED or (self._is_training and progress.state is not RunState.RUNNING):
            self.state = progress.state
        if progress.state is not RunState.RUNNING:
            self._answered = max(self._answered, issued.training)
        return progress

    @property
    def is_stopped(self) -> bool:
        """True when training was stopped for good."""
        return self._worker.stopped

    def stop(self) -> None:
        """Stop training for good; `join_stopped` waits for the thread, which never keeps the process alive."""
        self._worker.stop()
        note_stopped(self._ended)

    def _issue(self, display: int = 0, training: int = 0) -> None:
        self._issued = _Issued(self._issued.display + display, self._issued.training + training)

    def _train(self, command: Callable[[TrainingRun], None], state: RunState = RunState.PAUSED) -> None:
        """Send a command that trains; older reports of a run that goes on are dropped: it would seem to stand still."""
        self.state = state
        self._issue(display=int(state is RunState.RUNNING), training=1)
        self._send(lambda worker: worker.apply(command))
        self._start()

    def _send(self, command: Callable[[_Worker], None]) -> None:
        self._worker.commands.put((self._issued, command))

    def _start(self) -> None:
        is_alive = self._ended is not None and not self._ended.done()
        if not is_alive and not self._worker.stopped:
            self._ended = start_thread("training", self._worker.work)


class _Worker:
    """Worker thread of the runner; `commands`, `stop` and `stopped` may be used from other threads."""

    def __init__(self, mailbox: _Mailbox) -> None:
        self.commands: queue.SimpleQueue[tuple[_Issued, Callable[[_Worker], None]]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._mailbox = mailbox
        self._run: TrainingRun | None = None
        self._failure = Failure("there is no training")
        self._request: GridRequest | None = None
        self._speed: float | None = None
        self._issued = _Issued()
        self._reported, self._cost = 0.0, 0.0
        self._unreported = False

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()
        self.commands.put((self._issued, lambda worker: None))

    def load(self, make: Callable[[], TrainingRun]) -> None:
        self._run = None  # if it cannot be made, nothing goes on with the one before
        self._run = make()
        self._run.set_speed(self._speed)

    def set_speed(self, speed: float | None) -> None:
        self._speed = speed
        if self._run is not None:
            self._run.set_speed(speed)

    def answer(self, asked: Future[RunPath | None]) -> None:
        try:
            asked.set_result(None if self._run is None else self._run.path())
        except BaseException as error:  # else whoever asked would wait for ever
            asked.set_exception(error)

    def save_history(self, saved: SavedHistory) -> None:
        if self._run is not None:
            saved.history = self._run.past(MOST_HISTORY_BYTES)
        saved.came.set()

    def apply(self, command: Callable[[TrainingRun], None]) -> None:
        if self._run is not None:
            command(self._run)
        else:
            self._mailbox.fail(self._issued, self._failure)

    def set_grid(self, request: GridRequest | None) -> None:
        self._request = request

    def work(self) -> None:
        """Until stopped: commands first, then a slice of training, then a report when one is due."""
        while not self.stopped:
            try:
                self._turn()
            except BaseException as error:  # it is reported, and the next command finds a thread
                _log.exception("the training thread goes on after an error")
                self._report_error(error)

    def _report_error(self, error: BaseException) -> None:
        """Report an error outside of the steps themselves, without the grid, which may be what went wrong.

        Where the run cannot even be described, its newest moment is reported alone, so that it can be saved. A run
        that cannot be ended either is dropped: it would fail again at once, for ever.
        """
        what, run = f"{type(error).__name__}: {error}", self._run
        if run is None:
            self._failure = Failure(f"the training cannot begin: {what}")
            self._mailbox.fail(self._issued, self._failure)
            return
        self._unreported, reason = False, f"training stopped: {what}"
        try:
            run.fail(reason)
        except BaseException:
            _log.exception("this run cannot be ended and is dropped")
            self._run, self._failure = None, Failure(reason, True, self._savable(run))
            self._mailbox.fail(self._issued, self._failure)
            return
        try:
            self._mailbox.put(self._issued, run.describe(None))
        except BaseException:
            _log.exception("this run cannot be described")
            self._mailbox.fail(self._issued, Failure(reason, True, self._savable(run)))

    def _savable(self, run: TrainingRun) -> Snapshot | None:
        try:
            return run.savable()
        except BaseException:
            _log.exception("the newest moment of this run cannot be had")
            return None

    def _turn(self) -> None:
        self._unreported |= self._obey(self._spare_seconds())
        if self._run is None or self.stopped:
            return
        self._unreported |= self._run.advance(SLICE_SECONDS)
        if self._unreported and (not self._run.busy or self._is_due()):
            began = time.thread_time()  # a thread that waits for the window's takes no time from the training
            self._mailbox.put(self._issued, self._run.describe(self._request))
            self._unreported = False
            self._reported = time.monotonic()
            self._cost = time.thread_time() - began

    def _spare_seconds(self) -> float | None:
        """Return the seconds until the next step is due; None: block until there is a command."""
        if self._run is None or not self._run.busy:
            return None
        idle = self._run.idle_seconds
        return min(max(idle, SHORTEST_WAIT), SHORTEST_PAUSE if self._unreported else idle) if idle else 0.0

    def _obey(self, seconds: float | None) -> bool:
        """Obey all queued commands, waiting so many seconds for the first one (None: until it comes).

        Returns:
            True when there were any.
        """
        obeyed = False
        while True:
            try:
                wait = not obeyed and seconds != 0.0
                issued, command = self.commands.get(block=wait, timeout=seconds if wait else None)
            except queue.Empty:
                return obeyed
            self._issued, obeyed = issued, True
            command(self)

    def _is_due(self) -> bool:
        passed = time.monotonic() - self._reported
        rests = self._run is not None and self._run.idle_seconds > 0.0  # it has made all steps that were due
        if passed < max(SHORTEST_PAUSE, (1.0 if rests else TRAINING_PER_REPORT) * self._cost):
            return False
        return self._mailbox.empty or passed >= LONGEST_PAUSE
