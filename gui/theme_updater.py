"""Another theme on widgets that are there already: those that are seen at once, the others when idle.

The style sheet names colours by their roles in the application's palette, so another theme is another palette, and the
style sheet stays. Qt has each widget keep the colours that it found when it was polished; polishing it finds the new
ones. A window has a thousand widgets, of which a sixth is seen: the others are behind tabs, in hidden docks, in menus.
What is seen is polished at once, so that the next frame shows all of it in its new colours; the rest when idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QWidget
from shiboken6 import isValid

from gui.idle_tasks import IdleTasks
from gui.unexpected import contained

WIDGETS = 24
"""Hidden widgets polished in one idle task: 2 ms."""

SetColors = Callable[[], None]


class ThemeUpdater:
    """Apply a changed palette to the widgets of a window, and a changed theme to its panels, in idle tasks."""

    def __init__(self, window: QMainWindow, idle_tasks: IdleTasks) -> None:
        self._window, self._idle_tasks = window, idle_tasks

    @property
    def busy(self) -> bool:
        """True while any widget still has the previous colours."""
        return self._idle_tasks.busy

    def begin(self, panels: Mapping[QWidget, SetColors]) -> None:
        """Polish what is seen in the window now, and everything else when idle.

        Args:
            panels: gives panels that draw their colours, besides the polishing.
        """
        areas = self._window.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        self._window.style().polish(self._window)
        for area in filter(_is_seen, areas):
            with contained(area):
                self._restyle_seen(area, panels.get(area))
        for area in areas:
            self._idle_tasks.add(("all", area), partial(self._restyle_all, area, panels.get(area)))

    def _restyle_seen(self, area: QWidget, set_colors: SetColors | None) -> None:
        _polish([area, *filter(_is_seen, area.findChildren(QWidget))])  # parents before what is in them
        if set_colors is not None:
            set_colors()

    def _restyle_all(self, area: QWidget, set_colors: SetColors | None) -> None:
        if isValid(area):
            widgets = [area, *area.findChildren(QWidget)]
            for first in range(0, len(widgets), WIDGETS):
                some = widgets[first : first + WIDGETS]
                self._idle_tasks.add(("some", area, first), partial(_polish, some))
            if set_colors is not None:
                self._idle_tasks.add(("colors", area), set_colors)


def _is_seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def _polish(widgets: Iterable[QWidget]) -> None:
    for widget in filter(isValid, widgets):
        widget.style().polish(widget)
        widget.update()
