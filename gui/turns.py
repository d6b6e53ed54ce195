"""Work of the GUI thread in parts, each in a turn of the event loop of its own.

What one action asks for may concern every panel: another theme, another arrangement. Done at once it holds the window
for a tenth of a second. As parts it is done one panel after the other, and the window hears the user between any two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from gui.canvas import GraphCanvas

TURN_SECONDS = 0.005
"""Of the processor for parts that share a turn; a part that is longer has a turn alone."""

Part = Callable[[], object]


class Turns(QObject):
    """The parts that wait for their turn; one for a window, and one for what makes its own rows in parts.

    Every other turn does none, so that what one part has changed is painted before the next one begins.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: dict[Hashable, Part] = {}
        self._first: dict[Hashable, Part] = {}
        self._paints = False
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Whether parts are waiting."""
        return bool(self._first or self._waiting)

    def add(self, key: Hashable, part: Part, *, is_seen: bool = False) -> None:
        """Has a part done after those that wait; it takes the place of one that waits with the same key.

        Args:
            key: says what the part is of.
            part: is done later.
            is_seen: whether the user waits for it: it comes before what nobody sees.
        """
        waiting = self._first if is_seen else self._waiting
        waiting.pop(key, None)
        waiting[key] = part
        if not self._timer.isActive():
            self._paints = False
            self._timer.start()

    def redraw(self, key: Hashable, part: Part) -> None:
        """Has a part done that changes what is seen; the window keeps its picture until all such parts are done."""
        if self._window.isVisible():
            self._window.setUpdatesEnabled(False)
        self.add(key, part, is_seen=True)
        self.add("show", self._show, is_seen=True)

    def _show(self) -> None:
        """Has the window painted, when the canvas in it can be painted at once, too."""
        if any(canvas.is_preparing for canvas in self._window.findChildren(GraphCanvas)):
            self.add("show", self._show, is_seen=True)
        else:
            self._window.setUpdatesEnabled(True)

    def _go_on(self) -> None:
        if not self.busy:
            self._timer.stop()
        elif self._paints:
            self._paints = False
        else:
            self._paints = True
            end = time.thread_time() + TURN_SECONDS
            self._do_next()
            while self.busy and time.thread_time() < end:
                self._do_next()

    def _do_next(self) -> None:
        waiting = self._first or self._waiting
        waiting.pop(next(iter(waiting)))()
