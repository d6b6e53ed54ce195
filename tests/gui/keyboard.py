"""Tab and Shift+Tab as a user presses them, and what a screen reader calls a control."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextBrowser, QWidget

MOST_STOPS = 300


def name_of(widget: QWidget) -> str:
    """What a screen reader calls a control."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def where(widget: QWidget) -> str:
    """A control with the widgets around it, for a failing test."""
    names, at = [], widget
    while at is not None:
        names.append(type(at).__name__)
        at = at.parentWidget()
    return f"{' in '.join(names[:5])}: {name_of(widget)!r}"


def press_tab(window: QWidget, backwards: bool = False) -> QWidget | None:
    """The control that has the keyboard after Tab; out of an editor, where Tab indents, after Escape and Tab."""
    now = window.focusWidget() or window
    if isinstance(now, QPlainTextEdit) and not now.tabChangesFocus():
        QTest.keyClick(now, Qt.Key.Key_Escape)
    QTest.keyClick(now, Qt.Key.Key_Backtab if backwards else Qt.Key.Key_Tab)
    return window.focusWidget()


def walk(window: QWidget, backwards: bool = False) -> list[QWidget]:
    """The controls that Tab goes through, from the present one until it comes round, or back to one before."""
    stops = [window.focusWidget()]
    for _ in range(MOST_STOPS):
        now = press_tab(window, backwards)
        if now is stops[-1] and isinstance(now, QTextBrowser):
            continue  # to the next link of the text
        if now in stops:
            assert now is stops[0], f"Tab does not come round: from {where(stops[-1])} to {where(now)}"
            return stops
        stops.append(now)
    raise AssertionError("Tab never comes round")


def reachable(window: QWidget) -> list[QWidget]:
    """The controls of a window that Tab should reach."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and widget.isEnabled()
        and widget.window() is window
        and widget.focusProxy() is None
        and not isinstance(widget.parentWidget(), QMenu)
        and type(widget.parentWidget()).__name__ != "QTabBar"
    ]


def check_walk(window: QWidget) -> list[QWidget]:
    """Tab and Shift+Tab come round through the same controls, which all have names and can be seen; return them."""
    if window.focusWidget() in (None, window):
        press_tab(window)
    stops = walk(window)
    back = walk(window, backwards=True)
    assert [*back[:1], *back[:0:-1]] == stops
    unnamed = [where(stop) for stop in stops if not name_of(stop)]
    assert not unnamed, "\n".join(unnamed)
    return stops
