"""Another theme on widgets that are there already: those that are seen at once, all others a few at a time.

The style sheet names colours by their roles in the application's palette, so another theme is another palette, and the
style sheet stays. Qt has each widget keep the colours that it found when it was polished; polishing it finds the new
ones. A window has a thousand widgets, of which a sixth is seen: the others are behind tabs, in hidden docks, in menus.
"""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

TURN_SECONDS = 0.004
"""For which widgets that are not seen are polished before the window has its turn."""


class Restyling(QObject):
    """Has the widgets of a window take the colours of the application's palette."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: deque[QWidget] = deque()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Whether there are widgets that still have the colours of before; none of them was seen when it began."""
        return bool(self._waiting)

    def begin(self) -> None:
        """Polishes what is seen, and has the rest polished soon."""
        waiting = deque[QWidget]()
        for widget in (self._window, *self._window.findChildren(QWidget)):  # parents before what is in them
            if widget.isVisible() and not widget.visibleRegion().isEmpty():
                widget.style().polish(widget)
            else:
                waiting.append(widget)
        self._waiting = waiting
        self._window.update()
        self._timer.start()

    def _go_on(self) -> None:
        end = time.perf_counter() + TURN_SECONDS
        while self._waiting and time.perf_counter() < end:
            widget = self._waiting.popleft()
            if isValid(widget):
                widget.style().polish(widget)
                widget.update()
        if not self._waiting:
            self._timer.stop()
