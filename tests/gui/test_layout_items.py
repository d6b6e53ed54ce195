"""No Python wrapper is left for an item that Qt deletes silently."""

import pytest
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from shiboken6 import delete

from gui.widgets.layouts import add_layout, add_widgets
from tests.gui.test_dialogs_by_keyboard import DIALOGS
from tests.reliability.census import foreign_item_wrappers


def test_a_layout_is_added_without_wrappers_of_its_items_and_its_parts_stay_where_they_are(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    buttons = [QPushButton(str(number), widget) for number in range(3)]
    grid = QGridLayout()
    grid.addWidget(buttons[0], 0, 0)
    row = add_widgets(QHBoxLayout(), buttons[1], grid)
    row.addStretch(1)
    column = add_widgets(QVBoxLayout(widget), row)
    last = add_widgets(QHBoxLayout(), buttons[2])
    add_layout(column, last)
    assert foreign_item_wrappers() == []
    grid.addWidget(buttons[0], 1, 1)
    buttons[1].setParent(None)
    assert [column.count(), row.count(), grid.count(), last.count()] == [2, 2, 1, 1]
    assert grid.getItemPosition(grid.indexOf(buttons[0])) == (1, 1, 1, 1)


def test_a_wrapper_that_is_left_is_seen(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    row = add_widgets(QHBoxLayout(), QPushButton(widget))
    QVBoxLayout(widget).addLayout(row)
    assert foreign_item_wrappers() == ["QWidgetItem"]
    delete(widget)
    assert foreign_item_wrappers() == []


@pytest.mark.slow
def test_panels_and_dialogs_leave_no_item_wrappers(make_window, qtbot, tmp_path):
    window = make_window()
    for dock in window.docks.values():
        dock.make()
    for open_dialog in DIALOGS.values():
        open_dialog(window, tmp_path)
        qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(QDialog)))
        assert foreign_item_wrappers() == []
        for each in window.findChildren(QDialog):
            each.close()
