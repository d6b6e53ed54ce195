"""Worker threads, whose results come back to the GUI thread by a queued signal.

A `Job` does one piece of work at a time, and its newest request wins. Each piece has a daemon thread, which ends with
it; nothing polls, and nothing runs while there is no work. A thread hands its results over by the `Inbox`.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QMetaMethod, QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from gui.problems import words_of
from gui.unexpected import contained, report

Work = Callable[[Callable[[], bool]], Iterator[Any]]
"""Function of a function that returns True when the work is cancelled; yields results, the better ones later."""

TURN_SECONDS = 0.01
"""Results are shown for so long in one turn of the event loop, or longer where a single one takes longer."""
ASKED_AGAIN_SECONDS = 1.0
"""Results that have waited so long are asked for again with the next one."""
CLOSING_SECONDS = 2.0
"""Longest wait for all threads together when something is closed."""
SOON_SECONDS, DRIVE_SECONDS = 0.1, 1.0
"""Longest wait of the window for a file, and for one on which depends what is shown or written next."""

_stopped: set[Future[None]] = set()
"""Threads that were asked to stop and have not ended yet."""
_log = logging.getLogger(__name__)


def once(answer: Callable[[], Any]) -> Work:
    """Return work with one result, which cannot be interrupted."""
    return lambda _cancelled: iter([answer()])


def start_thread(name: str, work: Callable[[], object]) -> Future[None]:
    """Do some work, which raises nothing, in a daemon thread; return a future that is done when the thread ends."""
    ended: Future[None] = Future()

    def run() -> None:
        try:
            work()
        finally:
            ended.set_result(None)

    threading.Thread(target=run, name=name, daemon=True).start()
    return ended


def answer_within(seconds: float, ask: Callable[[], Any], otherwise: Any) -> Any:
    """Return the answer of a question to the file system, or `otherwise` where none comes: a network drive may hang.

    Args:
        seconds: to wait at most.
        ask: called in a thread; an OSError is no answer.
        otherwise: is returned without an answer.
    """
    answers: list[Any] = []

    def work() -> None:
        with suppress(OSError):
            answers.append(ask())

    wait([start_thread("question", work)], seconds)
    return answers[0] if answers else otherwise


def note_stopped(ended: Future[None] | None) -> None:
    """Register a thread that was asked to stop, for `join_stopped`; None for a thread that was never started."""
    if ended is not None and not ended.done():
        _stopped.add(ended)
        ended.add_done_callback(_stopped.discard)


def closing_deadline() -> float:
    """Return the `time.monotonic` until which threads of what is closed now are waited for."""
    return time.monotonic() + CLOSING_SECONDS


def join_stopped(deadline: float | None = None) -> bool:
    """Wait for all threads that were asked to stop; return True when they have ended in time.

    Args:
        deadline: see `closing_deadline`; two seconds from now when None.
    """
    until = closing_deadline() if deadline is None else deadline
    return not wait(_stopped.copy(), max(0.0, until - time.monotonic())).not_done


class Inbox(QObject):
    """Functions that other threads want to have called in the GUI thread, in their order.

    A thread emits the signal when nothing was waiting, and where what waits has not been called for a second: an event
    for each of 20,000 results a second would keep the window from everything else. Results that take long to show are
    shown in turns of the event loop of their own: input and painting come in between.
    """

    _filled = Signal()

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._asked = -math.inf
        self._lock = threading.Lock()
        self._filled.connect(self._call_some, Qt.ConnectionType.QueuedConnection)

    def call(self, function: Callable[[], object]) -> None:
        """Queue a function that the GUI thread is to call; for any thread."""
        with self._lock:
            now = time.monotonic()
            is_asked = bool(self._calls) and now - self._asked < ASKED_AGAIN_SECONDS
            self._asked = self._asked if is_asked else now
            self._calls.append(function)
        if not is_asked:
            with suppress(RuntimeError):  # the application has ended, and its objects are deleted
                self._filled.emit()

    def _call_some(self) -> None:
        """Call functions for some milliseconds; the others in the next turn of the event loop."""
        end = time.monotonic() + TURN_SECONDS
        try:
            while self._calls and time.monotonic() < end:
                with self._lock:  # not while `call` has found it filled and leaves its function to this loop
                    function = self._calls.popleft()
                with contained():
                    function()
        finally:
            if self._calls:
                QTimer.singleShot(0, self, self._call_some)  # an event posted now would be handled in this turn


def inbox() -> Inbox:
    """Return the inbox of the application, which lives as long as it; for the GUI thread."""
    application = QCoreApplication.instance()
    found = None if application is None else application.findChild(Inbox)
    return found if isinstance(found, Inbox) else Inbox(application)


class _Request:
    """A piece of work that was asked for.

    Attributes:
        token: comes back with the results.
        cancelled: set when its results are no longer wanted; the work asks for it.
        error: what the work has raised.
        is_over: set when no more results come.
        ended: done when its thread has ended; None before it has begun.
    """

    def __init__(self, token: Any, work: Work) -> None:
        self.token = token
        self.cancelled = threading.Event()
        self.error: Exception | None = None
        self.is_over = False
        self.ended: Future[None] | None = None
        self._work: Work | None = work
        self._results: deque[Any] = deque(maxlen=1)
        self._lock = threading.Lock()

    def do(self, announce: Callable[[], None]) -> None:
        """Do the work, in its thread; call `announce` when there is a result and was none before."""
        work, self._work = self._work, None
        assert work is not None
        try:
            for result in work(self.cancelled.is_set):
                if self.cancelled.is_set():
                    return
                with self._lock:
                    was_empty = not self._results
                    self._results.append(result)
                if was_empty:
                    announce()
        except BaseException as error:  # MemoryError and SystemExit too: `failed` is emitted
            if not self.cancelled.is_set():
                known = error if isinstance(error, Exception) else RuntimeError(repr(error))
                if not known.args:  # a MemoryError has no words, and messages end with them
                    known.args = (words_of(known),)
                self.error = known  # before it is logged, which may fail, too
                _log.exception("work in the background failed")
                known.with_traceback(None)  # its frames hold all that was under work

    def end(self) -> None:
        """Note that no more results come. Work that its thread could not even begin has failed."""
        if self._work is not None:
            self.error = RuntimeError("the work could not begin")
        self.is_over = True

    def take_results(self) -> list[Any]:
        """Return the newest result, if there is one that was not taken yet."""
        with self._lock:
            results = list(self._results)
            self._results.clear()
        return results


class Job(QObject):
    """Worker that does one piece of work at a time; the newest request wins.

    Signals:
        delivered(object, object): token of the newest request and a result of it, the newest one.
        failed(object, Exception): its token, and what its work raised; already logged. Where nothing is connected to
            it, the part of the window that has the job shows that it failed.
        ended(): nothing is under way any more.
    """

    delivered = Signal(object, object)
    failed = Signal(object, object)
    ended = Signal()

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        """Create an idle job; `name` is that of its threads."""
        super().__init__(parent)
        self._name = name
        self._inbox = inbox()
        self._current: _Request | None = None
        self._waiting: _Request | None = None

    @property
    def busy(self) -> bool:
        """True while results are still to come."""
        return any(each is not None and not each.cancelled.is_set() for each in (self._current, self._waiting))

    def start(self, token: Any, work: Work, patient: bool = False) -> None:
        """Ask for some work, instead of what was asked for before.

        Args:
            token: comes back with the results.
            work: called in a thread as soon as the work before has ended.
            patient: let what is under way come to its end and be delivered, so that requests that follow one another
                faster than they are done do not keep all results away.
        """
        if not patient:
            self.cancel()
        if self._current is None:
            self._begin(_Request(token, work))
        else:
            self._waiting = _Request(token, work)

    def _begin(self, request: _Request) -> None:
        job, call = weakref.ref(self), self._inbox.call  # a thread must not be the last to let go of a QObject
        announce = partial(call, partial(_deliver, job, request))

        def work() -> None:
            try:
                request.do(announce)
            finally:
                request.end()
                announce()

        request.ended = start_thread(self._name, work)  # raises where there is no room
        self._current = request

    def _take(self, request: _Request) -> None:
        if request is not self._current:
            return  # it was taken already, or the job was stopped
        if is_over := request.is_over:
            following, self._current, self._waiting = self._waiting, None, None
            if following is not None:
                with contained(self):  # the result below is there all the same
                    self._begin(following)
        if not request.cancelled.is_set():
            for result in request.take_results():
                self.delivered.emit(request.token, result)
            if is_over and request.error is not None:
                self._tell_failure(request.token, request.error)
        if self._current is None:
            self.ended.emit()

    def _tell_failure(self, token: Any, error: Exception) -> None:
        if self.isSignalConnected(QMetaMethod.fromSignal(self.failed)):
            self.failed.emit(token, error)
        else:
            report(error, self)

    def finish(self, deadline: float) -> None:
        """Wait for what is under way, until the deadline at most (see `closing_deadline`), and deliver it."""
        while self.busy and (request := self._current) is not None and request.ended is not None:
            if wait([request.ended], max(0.0, deadline - time.monotonic())).not_done:
                return
            request.end()  # also where the thread could not do so
            self._take(request)

    def cancel(self) -> None:
        """Drop what is under way; its work ends when it next asks whether it is wanted."""
        self._waiting = None
        if self._current is not None:
            self._current.cancelled.set()

    def stop(self) -> None:
        """Cancel, and let go of the thread: `join_stopped` waits for it. Another request would begin at once."""
        self.cancel()
        if self._current is not None:
            note_stopped(self._current.ended)
            self._current = None


def _deliver(job: weakref.ref[Job], request: _Request) -> None:
    """Hand results and the end of a request to its job, where that is still there; in the GUI thread."""
    found = job()
    if found is not None and isValid(found):
        with contained(found):
            found._take(request)
