"""Work of the GUI thread that can wait: the idle queue, and a throttle for what is asked for often.

Neither has a timer running while nothing waits.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable

from PySide6.QtCore import QCoreApplication, QObject, QTimer
from shiboken6 import isValid

from gui.unexpected import contained

REST_TURNS = 2
"""Turns of the event loop between two tasks: what one changed is laid out in the first, and painted in the second."""

Task = Callable[[], object]


class IdleTasks(QObject):
    """Queue of short tasks, each done in a turn of the event loop of its own: input and painting come in between.

    For what takes long altogether and nobody waits for: panels are made, hidden widgets get the colours of another
    theme, panels show reports of training one after the other. A task that raises is reported, and the others go on.
    """

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._tasks: dict[tuple[QObject, Hashable], Task] = {}
        self._rest_turns = 0
        self._timer = QTimer(self, interval=0)  # calls of QTimer.singleShot(0) come before painting
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """True while tasks are queued."""
        return bool(self._tasks)

    def add(self, owner: QObject, task: Task, key: Hashable = None) -> None:
        """Append a task to the queue.

        Args:
            owner: the part of the window that shows a failure of the task; it is not done once the owner is deleted.
            task: replaces, in its place, a queued task of this owner with the same key.
            key: tells the tasks of an owner apart.
        """
        self._tasks[owner, key] = task
        if not self._timer.isActive():
            self._rest_turns = REST_TURNS
            self._timer.start()

    def clear(self) -> None:
        """Drop all tasks, as the window closes."""
        self._tasks.clear()
        self._timer.stop()

    def drop_orphans(self) -> None:
        """Drop the tasks of deleted owners."""
        self._tasks = {key: task for key, task in self._tasks.items() if isValid(key[0])}
        if not self._tasks:
            self._timer.stop()

    def _go_on(self) -> None:
        self.drop_orphans()
        if self._rest_turns:
            self._rest_turns -= 1
        elif self._tasks:
            self._rest_turns = REST_TURNS
            key = next(iter(self._tasks))
            task = self._tasks.pop(key)
            with contained(key[0]):
                task()


def idle_tasks() -> IdleTasks:
    """Return the idle queue of the application, which lives as long as it; for the GUI thread."""
    application = QCoreApplication.instance()
    found = None if application is None else application.findChild(IdleTasks)
    return found if isinstance(found, IdleTasks) else IdleTasks(application)


class Throttle(QObject):
    """Calls a function at most once in an interval; requests that come sooner are one call at its end."""

    def __init__(self, function: Callable[[], object], interval: Callable[[], float], parent: QObject) -> None:
        """Create a throttle whose first call is made at once.

        Args:
            function: called in the GUI thread.
            interval: gives the least number of seconds between two calls, as far as is known now; asked for at each
                request, and again when the call is due.
            parent: the call that is due dies with it.
        """
        super().__init__(parent)
        self._function, self._interval = function, interval
        self._began = -math.inf
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.request)

    @property
    def waits(self) -> bool:
        """True while a call is due later."""
        return self._timer.isActive()

    def request(self) -> None:
        """Call the function now or at the end of the interval."""
        seconds = self._began + self._interval() - time.monotonic()
        if seconds > 0.0:
            self._timer.start(math.ceil(1000 * seconds))
        else:
            self.call()

    def call(self) -> None:
        """Call the function now, whatever the interval."""
        self.restart()
        self._function()

    def restart(self) -> None:
        """Begin a new interval, as after a call, and drop the call that is due."""
        self._timer.stop()
        self._began = time.monotonic()

    def cancel(self) -> None:
        """Drop the call that is due."""
        self._timer.stop()
