"""Idle tasks: work of the GUI thread in small parts, each in a turn of the event loop of its own.

For what takes long altogether and nobody waits for: widgets behind tabs take the colours of another theme, the rows of
a long list are made. The window hears the user between any two parts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QTimer

from gui.unexpected import contained

TASK_SECONDS = 0.005
"""Processor time shared by tasks in one turn of the event loop; a longer task has a turn alone."""

Part = Callable[[], object]


class IdleTasks(QObject):
    """Queue of parts; one for a window, and one for what makes its own rows in parts.

    A part is done once: one that raises is reported, and the others go on. Every other turn does none, so that the
    changes of one part are painted before the next one begins.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: dict[Hashable, Part] = {}
        self._rests = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """True while tasks are queued."""
        return bool(self._waiting)

    def add(self, key: Hashable, part: Part) -> None:
        """Append a part to the queue; it replaces a waiting part with the same key."""
        self._waiting.pop(key, None)
        self._waiting[key] = part
        if not self._timer.isActive():
            self._rests = False
            self._timer.start()

    def _go_on(self) -> None:
        if not self._waiting:
            self._timer.stop()
        elif self._rests:
            self._rests = False
        else:
            self._rests = True
            end = time.thread_time() + TASK_SECONDS
            self._do_next()
            while self._waiting and time.thread_time() < end:
                self._do_next()

    def _do_next(self) -> None:
        part = self._waiting.pop(next(iter(self._waiting)))
        with contained(self.parent()):
            part()
