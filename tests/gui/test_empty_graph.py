"""What there is to do on an empty graph, on a program with an error and with nothing selected: never an exception."""

import pytest
from PySide6.QtWidgets import QDialog, QMessageBox

from engine.views.walk_texts import NOTHING_TO_STEP
from gui.panels.graph.graph import context_menu
from tests.gui.menus import entries, menu_of

LEFT_OUT = ("&Quit", "&New", "&Open…", "&Save", "Save &as…")
"""Actions that end the window or ask for a file."""


@pytest.fixture
def window(make_window):
    return make_window(size=(1300, 820))


def close_dialogs(window):
    for dialog in window.findChildren(QDialog):
        if isinstance(dialog, QMessageBox) or dialog.isVisible():
            dialog.reject()


@pytest.mark.long
@pytest.mark.parametrize("text", ["", "a = 1.0\nb = a +\n", "a = 1.0\nb = log(a - 1)\n"])
def test_every_action_of_every_menu_works_on_any_program(window, qtbot, text):
    window.session.edit("text", expression={"text": text})
    window.session.select(None)
    menus = [menu_of(action, window) for action in window.menuBar().actions()]
    menus += [window.graph_panel.header.view_menu, context_menu(window.session, None, window.action_sets, window)]
    for action in [action for menu in menus for action in entries(menu)]:
        if action.text() not in LEFT_OUT and action.isEnabled():
            action.trigger()
            close_dialogs(window)
    window.session.pause()
    qtbot.waitUntil(lambda: not any(dialog.isVisible() for dialog in window.findChildren(QDialog)))


def test_stepping_through_an_empty_graph_says_what_to_do(window, subtests):
    window.session.edit("text", expression={"text": ""})
    for name in ("next", "back", "all"):
        with subtests.test(name=name):
            window.message.clear_message()
            window.action(name).trigger()
            assert window.message.message == NOTHING_TO_STEP


def test_one_operation_is_not_called_operations(window, qtbot):
    window.session.edit("text", expression={"text": "a = 2.0\nb = 3.0\nc = a * b\n"})
    qtbot.waitUntil(lambda: window.graph_panel.header.count.text() == "3 values · 1 operation")
