"""What is said under the program: errors and notes with their places, fixes, hidden characters."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPushButton

from gui.panels.program.editor_marks import MOST_HIDDEN_MARKS
from tests.gui.panels.program.program_text import program, put

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(program_panel):
    return program_panel


def test_a_click_on_the_message_goes_to_the_place(panel, qtbot):
    put(panel, "a = 1.0\n# 😀 note\nb = '😀' tahn(a)\n")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.mouseClick(panel.message, Qt.MouseButton.LeftButton, pos=QPoint(10, 8))
    cursor = panel.editor.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (2, 9)
    assert panel.editor.hasFocus()


def test_enter_on_the_message_goes_to_the_place(panel, qtbot):
    put(panel, "a = 1.0\n\n\nb = # 😀\nc = 2")
    panel.message.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.message.focusPolicy() == Qt.FocusPolicy.StrongFocus
    qtbot.keyClick(panel.message, Qt.Key.Key_Return)
    cursor = panel.editor.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (3, 4)


@pytest.mark.slow
def test_each_note_goes_to_its_own_line(panel, qtbot):
    panel.resize(700, 400)
    put(panel, "!pip install torch\nx = 0.0\n%time\ny = log(x)\nx*2\n" + "y\n!pip install torch\n" * 20)
    message = panel.message
    lines = message.text().split("\n")
    qtbot.waitUntil(lambda: message.height() >= len(lines) * message.fontMetrics().lineSpacing(), timeout=2000)
    places = []
    message.place_chosen.connect(lambda line, _column: places.append(line))
    row = message.contentsRect().height() / len(lines)
    for number in range(len(lines)):
        qtbot.mouseClick(message, Qt.MouseButton.LeftButton, pos=QPoint(12, round(row * (number + 0.5))))
    assert places[:3] == [4, 1, 3]  # what went wrong first
    assert len(places) == len(lines) - 1  # "and … more" goes nowhere


def test_notes_take_no_more_than_their_share_of_the_panel_and_all_stand_in_the_tip(panel):
    put(panel, "x = 1.0\n" + "!pip install torch\n" * 9)
    shown = panel.message.text().count("ignored")
    assert 1 <= shown < 9
    assert panel.message.text().endswith(f"\n… and {9 - shown} more")
    assert panel.message.toolTip().count("ignored") == 9
    assert panel.message.sizeHint().height() < panel.height() / 3
    panel.resize(700, 900)
    assert panel.message.text().count("ignored") == 9


@pytest.mark.parametrize("count", [2, 3])
def test_two_or_three_notes_are_all_shown_in_however_low_a_panel(panel, count):
    panel.resize(240, 200)
    put(panel, "x = 1.0\n" + "!pip install torch\n" * count)
    assert panel.message.text().count("ignored") == count
    assert "more" not in panel.message.text()


@pytest.mark.parametrize(
    ("text", "button", "repaired"),
    [
        ("a = tahn(2)", "Write tanh", "a = tanh(2)"),
        ("w₁ = 1", "Write w1", "w1 = 1"),
        ("y = x + 1\nx = 2.0", "Move line 2 above", "x = 2.0\ny = x + 1"),
    ],
)
def test_a_fix_is_a_button_and_one_step_of_undo(panel, session, qtbot, text, button, repaired):
    put(panel, text)
    steps = len(session.undo_stack.steps)
    chosen = next(b for b in panel.fixes.findChildren(QPushButton) if b.text() == button)
    assert chosen.isVisible()
    qtbot.mouseClick(chosen, Qt.MouseButton.LeftButton)
    assert program(session) == panel.editor.toPlainText() == repaired
    assert session.error is None and not panel.fixes.isVisible()
    assert panel.editor.hasFocus()
    assert len(session.undo_stack.steps) == steps + 1
    session.undo_stack.undo_edit()
    assert panel.editor.toPlainText() == text


def test_the_first_fix_is_taken_by_keyboard_right_after_typing(panel, session, qtbot):
    panel.editor.setFocus()
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "x = 2; y = tahn(x)")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Period, CONTROL)
    assert program(session) == "x = 2; y = tanh(x)"
    assert panel.editor.textCursor().position() == len("x = 2; y = tanh")


def test_a_fix_of_a_text_that_has_changed_since_does_nothing(panel, session):
    put(panel, "a = tahn(2)")
    fix = session.error.fix
    session.edit("text", expression={"text": "b = 1"})
    panel.apply_fix(fix)
    assert program(session) == "b = 1"


def test_an_error_at_a_character_that_cannot_be_seen_underlines_what_stands_beside_it(panel):
    put(panel, "x = 1\nab\u200bc = 2")
    assert "b\u200bc" in [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]


def test_a_hidden_character_in_a_comment_is_marked_and_said(panel):
    put(panel, "x = 1 # 😀a\u202eb")
    assert "a\u202eb" in [mark.cursor.selectedText() for mark in panel.editor.extraSelections()]
    assert "right-to-left override" in panel.message.text()
    panel.editor.clear()  # marks in text that is gone ask for no places outside of it
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)


def test_of_a_line_full_of_hidden_characters_the_first_ones_are_marked(panel):
    put(panel, "x = 1 # " + "\u200b" * 1_900)
    assert 1 <= len(panel.editor.extraSelections()) <= MOST_HIDDEN_MARKS + 2  # and the caret's line, and an error
