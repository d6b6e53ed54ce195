"""Pasted text: fixes that change the whole program are shown before they are taken; cells that are not run are grey."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QTextCursor
from PySide6.QtWidgets import QMenu, QPushButton

from gui.panels.program.difference import DifferenceDialog, difference
from tests.gui.panels.program.program_text import program, put

FLAT = "def double(n):\nreturn n * 2\nx = 3.0\ny = double(x)\n"
INDENTED = "def double(n):\n    return n * 2\nx = 3.0\ny = double(x)\n"
PAGE = "Now we try it:\n>>> x = 3.0\n>>> x * 2\n6.0\n"
CURLY = "s = “one”\nx = 3.0 – 1.0\n"


@pytest.fixture
def panel(program_panel):
    return program_panel


def offered(panel):
    return [button.text() for button in panel.fixes.findChildren(QPushButton) if button.isVisible()]


def asked(panel, qtbot):
    """Presses the first fix and returns the dialog that shows it."""
    qtbot.mouseClick(next(b for b in panel.fixes.findChildren(QPushButton) if b.isVisible()), Qt.MouseButton.LeftButton)
    dialog = panel.findChild(DifferenceDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog


@pytest.mark.parametrize(
    ("pasted", "button", "result"),
    [
        (FLAT, "Restore indentation…", INDENTED),
        (PAGE, "Keep only the code…", "x = 3.0\nx * 2\n"),
        (CURLY, "Replace typographic characters…", 's = "one"\nx = 3.0 - 1.0\n'),
    ],
)
def test_pasted_text_is_put_right_by_a_fix_that_is_shown_first(panel, session, qtbot, pasted, button, result):
    put(panel, pasted)
    assert button in offered(panel)
    dialog = asked(panel, qtbot)
    assert program(session) == pasted
    qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Return)
    assert program(session) == result and session.error is None
    session.undo_stack.undo_edit()
    assert program(session) == pasted


def test_escape_leaves_the_text_as_it_is(panel, session, qtbot):
    put(panel, FLAT)
    dialog = asked(panel, qtbot)
    steps = len(session.undo_stack.steps)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert program(session) == FLAT and len(session.undo_stack.steps) == steps


def test_lines_that_differ_in_their_indentation_stand_side_by_side():
    rows = difference("Note\nif a:\nb\n\nc", "if a:\n    b\nc\nd")
    assert rows[:3] == [("Note", None), ("if a:", "if a:"), ("b", "    b")]
    assert rows[-2:] == [("c", "c"), (None, "d")]
    assert difference("Try it:\n>>> x = 1\n1", "x = 1") == [("Try it:", None), (">>> x = 1", "x = 1"), ("1", None)]


def test_lines_behind_the_cell_that_is_run_are_said_and_grey(panel, session, qtbot):
    put(panel, "a = 2.0\n# %%\nb = a * 3\n# %%\nc = b + 1\n")
    panel.editor.moveCursor(QTextCursor.MoveOperation.Start)
    panel.action_set["run up to cell"].trigger()
    assert "b" not in session.program.variables
    assert panel.run_line.words.isVisible() and "Lines 2 to" in panel.run_line.words.text()
    marks = [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]
    assert any("c = b + 1" in text and "a = 2.0" not in text for text in marks)
    panel.run_line.all.click()
    assert "c" in session.program.variables and not panel.run_line.isVisible()
    panel.action_set["run up to cell"].trigger()
    panel.action_set["run program"].trigger()
    assert "c" in session.program.variables


def test_undo_of_the_context_menu_is_that_of_the_session(panel, session, qtbot):
    put(panel, "a = 2.0\n")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(20, 8), panel.editor.mapToGlobal(QPoint(20, 8)))
    panel.editor.contextMenuEvent(event)
    menu = next(menu for menu in panel.editor.findChildren(QMenu) if menu.isVisible())
    assert panel.action_set["run up to cell"] in menu.actions()
    menu.findChild(QAction, "edit-undo").trigger()
    menu.close()
    assert program(session) != "a = 2.0\n"
