"""Tab and Shift+Tab through a window in reading order, whatever the user's arrangement of its docks.

Qt goes in the order in which widgets were made, also to panels behind tabs. Here bars at the top come first, then
panels by columns from left to right and from top to bottom, then bars at the bottom; inside each its controls row by
row. The order is computed when Tab is pressed. Ctrl+F6 goes from panel to panel in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QScrollArea,
    QStatusBar,
    QTabBar,
    QToolBar,
    QWidget,
)

from gui.file_drops import FileDropWindow
from gui.painting import painting

RING = 2
"""Width of the frame around the control that Tab has reached, pixels."""


def reading_order(places: Sequence[QRect]) -> list[int]:
    """Return the indices of rectangles row by row, each row from left to right.

    A row is as high as its topmost rectangle; what has its middle in there belongs to it.
    """
    left = sorted(range(len(places)), key=lambda index: (places[index].top(), places[index].left()))
    order: list[int] = []
    while left:
        first = places[left[0]]
        row = [
            index for index in left if index == left[0] or first.top() <= places[index].center().y() <= first.bottom()
        ]
        order += sorted(row, key=lambda index: (places[index].left(), places[index].top()))
        left = [index for index in left if index not in row]
    return order


def tab_stops(window: QMainWindow) -> list[list[QWidget]]:
    """Return the controls that Tab reaches, by bar or panel, in reading order."""
    groups: dict[QWidget, list[QWidget]] = {}
    for widget in window.findChildren(QWidget):
        policy = widget.focusPolicy()
        takes_tab = policy & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus or widget.hasFocus()
        if takes_tab and widget.isVisible() and widget.isEnabled() and widget.window() is window:
            home = _home(widget, window)
            is_part = widget.focusProxy() is not None or isinstance(widget.parentWidget(), QTabBar)
            if not is_part and home is not None:
                groups.setdefault(home, []).append(widget)
    homes = sorted(groups, key=lambda home: _rank(home, window))
    return [_in_order(groups[home], home) for home in homes]


def _home(widget: QWidget, window: QMainWindow) -> QWidget | None:
    """Return the bar, dock or other part of the window around a widget; None where another tab covers it."""
    home, above = widget, widget.parentWidget()
    while above is not None and above is not window and not isinstance(home, QDockWidget | QToolBar | QStatusBar):
        home, above = above, above.parentWidget()
    is_covered = isinstance(home, QDockWidget) and home.visibleRegion().isEmpty()
    return None if is_covered else home


def _rank(home: QWidget, window: QMainWindow) -> tuple[int, int, int]:
    if isinstance(home, QToolBar):
        return (0 if window.toolBarArea(home) == Qt.ToolBarArea.TopToolBarArea else 2), home.x(), home.y()
    return (3 if isinstance(home, QStatusBar) else 1), home.x(), home.y()


def _in_order(widgets: list[QWidget], home: QWidget) -> list[QWidget]:
    places = [QRect(_place(widget, home), widget.size()) for widget in widgets]
    return [widgets[index] for index in reading_order(places)]


def _place(widget: QWidget, home: QWidget) -> QPoint:
    """Return the place of a widget in another one as if nothing were scrolled: Tab scrolls, and must not reorder."""
    place, at = QPoint(0, 0), widget
    while at is not home:
        above = at.parentWidget()
        assert above is not None, "home is around the widget"
        area = above.parentWidget()
        if not (isinstance(area, QScrollArea) and area.widget() is at):
            place += at.pos()
        at = above
    return place


class FocusRing(QWidget):
    """Frame on the control that the keyboard has reached, inside its edge; it goes with the focus."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._window = window
        self._around: QWidget | None = None
        QApplication.instance().focusChanged.connect(self._follow)  # type: ignore[union-attr]  # there is one

    def show_around(self, widget: QWidget) -> None:
        """Show the frame on a control that has the focus."""
        self._around = widget
        self.setParent(widget)
        widget.installEventFilter(self)
        self.setGeometry(widget.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._around and self._around is not None:
            self.setGeometry(self._around.rect())
        return super().eventFilter(watched, event)

    def _follow(self, _old: QWidget | None, now: QWidget | None) -> None:
        around = self._around
        if around is not None and now is not around and shiboken6.isValid(self) and shiboken6.isValid(self._window):
            self._around = None
            around.removeEventFilter(self)
            self.hide()
            self.setParent(self._window)  # the control may be deleted

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().highlight(), RING))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 4, 4)


def move_focus(window: QMainWindow, forward: bool, by_panel: bool = False) -> QWidget | None:
    """Focus the next or the previous control, or the first one of the next or previous panel; return it.

    Args:
        window: its controls; after the last comes the first.
        forward: the next one.
        by_panel: go to another bar or panel.
    """
    groups, now = tab_stops(window), window.focusWidget()
    stops = groups if by_panel else [[widget] for group in groups for widget in group]
    if not stops:
        return None
    place = next((index for index, group in enumerate(stops) if now in group), -1 if forward else 0)
    target = stops[(place + (1 if forward else -1)) % len(stops)][0]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    around = target.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(target)
        around = around.parentWidget()
    return target


class TabWindow(FileDropWindow):
    """A window whose controls Tab goes through in reading order.

    Attributes:
        focus_ring: the frame on the control that the keyboard has reached.
    """

    def __init__(self) -> None:
        super().__init__()
        self.focus_ring = FocusRing(self)

    def focusNextPrevChild(self, next: bool) -> bool:
        return self.move_focus(next)

    def move_focus(self, forward: bool, by_panel: bool = False) -> bool:
        """Focus the next or previous control or panel; return True when there is one."""
        target = move_focus(self, forward, by_panel)
        if target is not None:
            if not shiboken6.isValid(self.focus_ring):  # it has gone with a control
                self.focus_ring = FocusRing(self)
            self.focus_ring.show_around(target)
        return target is not None
