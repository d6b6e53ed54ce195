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

from gui.scheduling import idle_tasks
from gui.unexpected import contained

WIDGETS = 24
"""Hidden widgets polished in one idle task: 2 ms."""

SetColors = Callable[[], None]


def update_theme(window: QMainWindow, panels: Mapping[QWidget, SetColors]) -> None:
    """Apply the application's palette to what is seen in the window now, and to everything else in idle tasks.

    Args:
        window: its widgets are polished.
        panels: gives panels that draw their colours, besides the polishing.
    """
    areas = window.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    window.style().polish(window)
    for area in areas:
        if not area.isVisible() or not area.geometry().intersects(window.rect()):
            continue  # Qt moves docks that are behind tabs out of the window
        with contained(area):
            _polish([area, *filter(QWidget.isVisible, area.findChildren(QWidget))])  # parents before what is in them
            if area in panels:
                panels[area]()
    for area in areas:
        idle_tasks().add(area, partial(_update_later, area, panels.get(area)), "theme")


def _update_later(area: QWidget, set_colors: SetColors | None) -> None:
    """Queue the tasks for all widgets of an area, a few in each."""
    widgets = [area, *area.findChildren(QWidget)]
    for first in range(0, len(widgets), WIDGETS):
        idle_tasks().add(area, partial(_polish, widgets[first : first + WIDGETS]), ("theme", first))
    if set_colors is not None:
        idle_tasks().add(area, set_colors, "colors")


def _polish(widgets: Iterable[QWidget]) -> None:
    for widget in filter(isValid, widgets):
        widget.style().polish(widget)
        QWidget.update(widget)  # QAbstractItemView.update of PySide6 6.9 asks for an index
