"""Work off the GUI thread: one piece at a time, the newest request wins, and whatever goes wrong is told.

The work is plain Python in a thread; its results wait in a slot of their own, which a timer of the GUI thread empties.
The thread catches everything at its top, so that nobody waits for a result that will never come. It lasts from one
request to the next: whoever begins a thread is held until that has run, which takes some milliseconds beside training.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any

from PySide6.QtCore import QMetaMethod, QObject, QTimer, Signal

from engine.quick_dataclass import dataclass
from gui.unexpected import report

Work = Callable[[Callable[[], bool]], Iterator[Any]]
"""Takes a function that says whether the results are still wanted; yields results, the better ones later."""

POLL_MILLISECONDS = 15
IDLE_SECONDS = 1.0
"""For which a thread waits for the next request before it ends."""
CLOSING_SECONDS = 2.0
"""Longest wait for all threads together when something is closed."""

_log = logging.getLogger(__name__)


def once(answer: Callable[[], Any]) -> Work:
    """Work with one result, which does not ask whether it is still wanted."""
    return lambda _cancelled: iter([answer()])


def closing_deadline() -> float:
    """Deadline for joining threads, as `time.monotonic` counts."""
    return time.monotonic() + CLOSING_SECONDS


def join_all(threads: Iterable[threading.Thread], deadline: float | None = None) -> bool:
    """Waits for threads that were told to stop; whether all have ended in time.

    Args:
        threads: daemons, so that none of them keeps the process alive.
        deadline: see `closing_deadline`; two seconds from now when None.
    """
    until = closing_deadline() if deadline is None else deadline
    waited_for = list(threads)
    for thread in waited_for:
        thread.join(max(0.0, until - time.monotonic()))
    return not any(thread.is_alive() for thread in waited_for)


@dataclass(eq=False)
class _Request:
    """One request. The thread writes `results`, `error` and, last, `is_done`; the GUI thread reads them."""

    token: Any
    work: Work
    cancelled: threading.Event = field(default_factory=threading.Event)
    results: deque[Any] = field(default_factory=lambda: deque(maxlen=1))
    error: Exception | None = None
    is_done: bool = False

    def __call__(self) -> None:
        try:
            for result in self.work(self.cancelled.is_set):
                if self.cancelled.is_set():
                    return
                self.results.append(result)
        except BaseException as error:  # MemoryError and SystemExit too: whoever waits is told
            if not self.cancelled.is_set():
                _log.exception("work in the background failed")
                told = error if isinstance(error, Exception) else RuntimeError(repr(error))
                self.error = told.with_traceback(None)  # its frames hold all that was under work
        finally:
            self.is_done = True


class _Worker:
    """A thread that does one request after the other, and ends when it is told to, or when none comes any more."""

    def __init__(self, name: str, first: _Request) -> None:
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self.do(first)
        self.thread = threading.Thread(target=self._do_all, name=name, daemon=True)
        self.thread.start()

    def do(self, request: _Request) -> None:
        """Takes a request; if the thread was about to end, it is never done, see `is_alive`."""
        self._requests.put(request)

    def end(self) -> None:
        """Let the thread end once its queue is empty."""
        self._requests.put(None)

    @property
    def is_alive(self) -> bool:
        return self.thread.is_alive()

    def _do_all(self) -> None:
        while self._do_next():
            pass

    def _do_next(self) -> bool:
        """Does the next request; keeps nothing of it while the thread waits for the one after."""
        try:
            request = self._requests.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            return False
        if request is not None:
            request()
        return request is not None


class Job(QObject):
    """Runs one piece of work at a time.

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
        """Takes the name of its thread."""
        super().__init__(parent)
        self._name = name
        self._current: _Request | None = None
        self._waiting: _Request | None = None
        self._worker: _Worker | None = None
        self._poll = QTimer(self, interval=POLL_MILLISECONDS)
        self._poll.timeout.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """True while results are awaited."""
        return any(each is not None and not each.cancelled.is_set() for each in (self._current, self._waiting))

    def start(self, token: Any, work: Work, patient: bool = False) -> None:
        """Asks for some work; what was asked for before is dropped.

        Args:
            token: comes back with the results.
            work: called in the thread as soon as the one before has ended.
            patient: lets what is under way come to its end and be delivered, so that requests that follow one another
                faster than they are done do not keep all results away.
        """
        if not patient:
            self.cancel()
        self._waiting = _Request(token, work)
        if self._current is None:
            self._begin()
        self._poll.start()

    def _begin(self) -> None:
        self._current, self._waiting = self._waiting, None
        if self._current is not None:
            self._hand_over(self._current)

    def _hand_over(self, request: _Request) -> None:
        if self._worker is None or not self._worker.is_alive:
            self._worker = _Worker(self._name, request)
        else:
            self._worker.do(request)

    def _deliver(self) -> None:
        request, alive = self._current, self._worker is not None and self._worker.is_alive
        if request is None:
            return
        is_done = request.is_done
        results = [request.results.pop() for _ in range(len(request.results))]
        if is_done:
            self._begin()
        elif not alive:  # it had waited too long, and did not see the request any more
            self._hand_over(request)
        if self._current is None:
            self._poll.stop()
        if not request.cancelled.is_set():
            if results:
                self.delivered.emit(request.token, results[0])
            if is_done and request.error is not None:
                self._tell_failure(request.token, request.error)
        if self._current is None:
            self.ended.emit()

    def _tell_failure(self, token: Any, error: Exception) -> None:
        if self.isSignalConnected(QMetaMethod.fromSignal(self.failed)):
            self.failed.emit(token, error)
        else:
            report(error, self)

    def finish(self, deadline: float) -> None:
        """Waits for what is under way, until then at most (see `closing_deadline`), and delivers it."""
        while self.busy and time.monotonic() < deadline:
            self._deliver()
            time.sleep(0.001)

    def cancel(self) -> None:
        """Drops what is under way; its work ends when it next asks whether it is wanted."""
        self._waiting = None
        if self._current is not None:
            self._current.cancelled.set()

    def stop(self) -> list[threading.Thread]:
        """Cancels for good; the thread that is still to be waited for, if there is one."""
        self.cancel()
        self._poll.stop()
        worker, self._current, self._worker = self._worker, None, None
        if worker is None:
            return []
        worker.end()
        return [worker.thread]

    def close(self) -> None:
        """Cancels, and waits until the thread has ended, two seconds at most."""
        join_all(self.stop())
