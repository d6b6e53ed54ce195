"""Everything by keyboard: Tab reaches every control in every workspace, in reading order, and nothing traps it."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QMenu, QWidget

from gui.arrangement import PANELS, WORKSPACES
from gui.tab_order import reading_order
from gui.widgets.buttons import SIGNS
from tests.gui.keyboard import check_walk, name_of, press_tab, reachable, where


@pytest.fixture
def active_window(reused_window, qtbot):
    """The window as it opens, with the keyboard."""
    reused_window.activateWindow()
    qtbot.waitUntil(reused_window.isActiveWindow)
    return reused_window


def make_seen_panels(window, qtbot):
    qtbot.waitUntil(lambda: all(dock.is_made for dock in window.docks.values() if not dock.visibleRegion().isEmpty()))


def dock_of(widget):
    while widget is not None and not isinstance(widget, QDockWidget):
        widget = widget.parentWidget()
    return widget


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_tab_goes_through_a_workspace_and_comes_round(active_window, qtbot, workspace):
    window = active_window
    window.show_workspace(workspace)
    make_seen_panels(window, qtbot)
    stops = check_walk(window)
    wanted = [
        each for each in reachable(window) if dock_of(each) is None or not dock_of(each).visibleRegion().isEmpty()
    ]
    assert {where(each) for each in wanted} == {where(each) for each in stops}
    homes = [dock_of(stop) for stop in stops]
    changes = [now for now, before in zip(homes, [None, *homes], strict=False) if now is not before and now is not None]
    assert len(changes) - len(set(changes)) <= 1, "a panel is left and entered again"  # the walk begins inside one


@pytest.mark.parametrize("name", PANELS)
def test_every_control_of_a_panel_has_a_name(reused_window, qtbot, name):
    window = reused_window
    panel = window.docks[name].panel
    panel.catch_up()
    controls = [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisibleTo(panel)
        and widget.focusProxy() is None
        and not any(isinstance(above, QMenu) for above in ancestors(widget, panel))
    ]
    unnamed = [where(widget) for widget in controls if not name_of(widget)]
    assert not unnamed, "\n".join(unnamed)


def ancestors(widget, end):
    while widget is not None and widget is not end:
        yield widget
        widget = widget.parentWidget()


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_no_name_of_a_button_has_a_sign_that_is_spelled(reused_window, workspace):
    window = reused_window
    window.show_workspace(workspace)
    names = {name_of(each) for each in window.findChildren(QAbstractButton) if each.isVisible()}
    assert not {name for name in names if SIGNS.search(name)}


def test_the_zoom_says_that_it_is_one(reused_window):
    window = reused_window
    window.graph_panel.canvas.action_set["natural size"].trigger()
    assert name_of(window.graph_panel.header.zoom_button) == "Zoom 100 %"


def test_the_editor_keeps_tab_and_says_how_to_leave_it(active_window):
    editor = active_window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    text = editor.toPlainText()
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.hasFocus() and editor.toPlainText() != text
    editor.undo()
    way = QAccessible.queryAccessibleInterface(editor).text(QAccessible.Text.Description)
    assert "Escape" in way and "Ctrl+F6" in way
    press_tab(active_window)
    assert not editor.hasFocus()
    editor.setFocus()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    QTest.keyClick(editor, Qt.Key.Key_Shift)
    QTest.keyClick(editor, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert not editor.hasFocus()


def test_a_key_goes_from_panel_to_panel(active_window):
    window = active_window
    window.graph_panel.canvas.setFocus()
    seen = [dock_of(window.focusWidget())]
    for _ in range(12):
        window.action("next panel").trigger()
        seen.append(dock_of(window.focusWidget()))
    assert len(set(seen)) >= 4 and all(now is not before or now is None for now, before in pairwise(seen))
    now = window.focusWidget()
    window.action("next panel").trigger()
    window.action("previous panel").trigger()
    assert window.focusWidget() is now


def test_tab_shows_where_it_is(active_window):
    window = active_window
    window.graph_panel.canvas.setFocus()
    stop = press_tab(window)
    assert window.focus_ring.isVisible() and window.focus_ring.parentWidget() is stop
    window.graph_panel.canvas.setFocus()
    assert not window.focus_ring.isVisible()


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([(0, 50), (0, 0), (50, 0)], [1, 2, 0]),  # row by row
        ([(50, 3), (0, 0)], [1, 0]),  # nearly in one row
        ([], []),
    ],
)
def test_reading_order(places, order):
    assert reading_order([QRect(x, y, 40, 20) for x, y in places]) == order


def test_what_stands_beside_something_high_follows_it():
    high, above, below = QRect(0, 0, 100, 300), QRect(120, 10, 40, 20), QRect(120, 200, 40, 20)
    assert reading_order([below, above, high]) == [2, 1, 0]
