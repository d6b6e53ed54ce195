"""What Qt deletes without a word has no Python object, which the next thing at its address would be taken for."""

import pytest
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.widgets.layouts import add_layout, add_widgets
from tests.gui.test_dialogs_by_keyboard import DIALOGS
from tests.reliability.census import unannounced


def test_the_parts_of_a_layout_that_is_added_have_no_python_objects_and_stay_where_they_are(qtbot):
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
    assert unannounced() == []
    grid.addWidget(buttons[0], 1, 1)
    buttons[1].setParent(None)
    assert [column.count(), row.count(), grid.count(), last.count()] == [2, 2, 1, 1]
    assert grid.itemAtPosition(1, 1).widget() is buttons[0]


@pytest.mark.slow
def test_no_panel_and_no_dialog_has_python_objects_for_them(make_window, qtbot, tmp_path):
    window = make_window()
    for dock in window.docks.values():
        dock.make()
    for open_dialog in DIALOGS.values():
        open_dialog(window, tmp_path)
        qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(QDialog)))
        assert unannounced() == []
        for each in window.findChildren(QDialog):
            each.close()
