"""Keys of the editor: indentation, comments, find and replace; each is one undo step."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPushButton

from gui.actions import text_edits
from gui.panels.program.expression import ExpressionPanel
from gui.theme import LIGHT

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def edited(edit, text):
    """A text after an edit; `[` and `]` stand for the ends of the selection, `|` for the caret."""
    start = min(at for at in (text.find("["), text.find("|")) if at >= 0)
    end = text.find("]") - 1 if "]" in text else start
    document = QTextDocument(text.translate({ord(mark): None for mark in "[]|"}))
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    edit(cursor)
    return document.toPlainText()


@pytest.mark.parametrize(
    ("edit", "before", "after"),
    [
        (text_edits.indent, "[a\n\nb]\nc", "    a\n\n    b\nc"),
        (text_edits.indent, "ab|c", "ab  c"),
        (text_edits.indent, "[a\n]b", "    a\nb"),
        (text_edits.dedent, "    [a\n  b\nc]", "a\nb\nc"),
        (text_edits.dedent, "      a|", "  a"),
        (text_edits.toggle_comment, "[def f():\n    return 1\n\n]x", "# def f():\n#     return 1\n\nx"),
        (text_edits.toggle_comment, "[# def f():\n#     return 1]\nx", "def f():\n    return 1\nx"),
        (text_edits.toggle_comment, "    a =| 1", "    # a = 1"),
        (text_edits.toggle_comment, "[#a\nb]", "# #a\n# b"),
        (text_edits.new_line, "def f():|", "def f():\n    "),
        (text_edits.new_line, "    if a:  # why|", "    if a:  # why\n        "),
        (text_edits.new_line, "    return a|", "    return a\n"),
        (text_edits.new_line, "    a = 1|; b", "    a = 1\n    ; b"),
        (text_edits.remove_indentation, "        |a", "    a"),
        (text_edits.remove_indentation, "      |a", "    a"),
        (text_edits.remove_indentation, "  a|", "  a"),
    ],
)
def test_lines_are_edited_as_in_editors_that_people_know(edit, before, after):
    assert edited(edit, before) == after


@pytest.fixture
def panel(shown, session):
    panel = shown(ExpressionPanel, 420, 420)
    panel.set_colors(LIGHT)
    panel.activateWindow()
    panel.editor.setFocus()
    return panel


def put(panel, text):
    panel.editor.selectAll()
    panel.editor.insertPlainText(text)
    panel.editor.flush()


def program(panel):
    panel.editor.flush()
    return panel.session.document.expression.text


def test_a_loop_is_typed_without_typing_its_indentation(panel, qtbot):
    put(panel, "")
    qtbot.keyClicks(panel.editor, "for k in range(3):")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Return)
    qtbot.keyClicks(panel.editor, "a = 1")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Return)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Backspace)
    qtbot.keyClicks(panel.editor, "b = 2")
    assert program(panel) == "for k in range(3):\n    a = 1\nb = 2"


def test_tab_indents_and_leaves_the_editor_after_escape(panel, qtbot):
    put(panel, "a = 1")
    panel.editor.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Tab)
    assert program(panel) == "    a = 1"
    qtbot.keyClick(panel.editor, Qt.Key.Key_Backtab, SHIFT)
    assert program(panel) == "a = 1" and panel.editor.hasFocus()
    QPushButton("the next field", panel).show()
    qtbot.keyClick(panel.editor, Qt.Key.Key_Escape)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Tab)
    assert program(panel) == "a = 1" and not panel.editor.hasFocus()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "after"), [("comment", "# a = 1\n# b = 2"), ("indent", "    a = 1\n    b = 2")])
def test_an_edit_of_lines_is_one_undo_step(panel, session, name, after):
    put(panel, "a = 1\nb = 2")
    panel.editor.selectAll()
    panel.action_set[name].trigger()
    assert program(panel) == after
    session.undo_stack.undo_edit()
    assert program(panel) == panel.editor.toPlainText() == "a = 1\nb = 2"


def test_the_key_for_finding_finds_in_the_program_while_one_types_there(panel, qtbot):
    put(panel, "alpha = 1\nbeta = alpha + Alpha0\n")
    panel.editor.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClick(panel.editor, Qt.Key.Key_F, CONTROL)
    bar = panel.replace_bar
    assert bar.isVisible() and bar.field.hasFocus()
    qtbot.keyClicks(bar.field, "alpha")
    places = []
    for _ in range(4):
        places.append((panel.editor.textCursor().selectionStart(), bar.words.text()))
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert places == [(0, "1 of 3"), (17, "2 of 3"), (25, "3 of 3"), (0, "1 of 3")]
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible() and panel.editor.hasFocus()


@pytest.mark.slow
def test_all_places_are_replaced_as_one_undo_step(panel, session, qtbot):
    put(panel, "a = 1.0\nb = a + a\n")
    panel.replace_bar.start()
    panel.replace_bar.field.setText("a")
    panel.replace_bar.replacement.setText("aa")
    panel.replace_bar.buttons["replace all"].click()
    assert program(panel) == "aa = 1.0\nb = aa + aa\n" and panel.replace_bar.words.text() == "3 replaced"
    session.undo_stack.undo_edit()
    assert program(panel) == "a = 1.0\nb = a + a\n"


@pytest.mark.slow
def test_all_of_many_places_beyond_the_basic_plane_are_counted_and_replaced_where_they_are(panel, session, qtbot):
    put(panel, "𝑥é = 1\nXé = 2  # 𝑥É\n" + "# e\n" * 15000)
    bar = panel.replace_bar
    bar.start()
    bar.field.setText("e")
    assert bar.words.text().endswith(" of 15,000")
    bar.field.setText("É")
    panel.editor.moveCursor(QTextCursor.MoveOperation.Start)
    bar.buttons["next"].click()
    assert bar.words.text() == "1 of 3" and panel.editor.textCursor().selectedText() == "é"
    bar.buttons["next"].click()
    assert bar.words.text() == "2 of 3"
    bar.replacement.setText(r"\1yy")
    bar.buttons["replace all"].click()
    expected = "𝑥\\1yy = 1\nX\\1yy = 2  # 𝑥\\1yy\n"
    assert program(panel) == expected + "# e\n" * 15000
    assert panel.editor.textCursor().positionInBlock() == len("X\\1yy")
    bar.field.setText("e")
    bar.replacement.setText("")
    bar.buttons["replace all"].click()
    assert program(panel) == expected + "# \n" * 15000


@pytest.mark.slow
def test_what_is_counted_is_what_next_goes_to_and_all_replaces(panel, qtbot):
    put(panel, "# ı İ\ni = 1\nfoo = I\nb = foo\n")
    bar, editor = panel.replace_bar, panel.editor
    bar.start()
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    bar.field.setText("i")
    places = []
    for button in ("next", "next", "back", "back"):
        places.append((editor.textCursor().selectedText(), bar.words.text()))
        bar.buttons[button].click()
    assert places == [("i", "1 of 2"), ("I", "2 of 2"), ("i", "1 of 2"), ("I", "2 of 2")]
    bar.field.setText("1\nfoo")
    assert bar.words.text() == "not found" and not bar.buttons["replace all"].isEnabled()
    bar.field.setText("foo")
    cursor = editor.textCursor()
    cursor.setPosition(editor.toPlainText().rindex("oo"))
    editor.setTextCursor(cursor)
    bar.replacement.setText("")
    bar.buttons["replace all"].click()
    assert program(panel) == "# ı İ\ni = 1\n = I\nb = \n"
    assert editor.textCursor().position() == editor.document().characterCount() - 2


@pytest.mark.slow
def test_places_that_would_make_the_program_too_long_are_not_called_replaced(panel, qtbot):
    text = "# aaaaaaaaaaaaaaaaa\n" * 9000
    put(panel, text)
    bar = panel.replace_bar
    bar.start()
    bar.field.setText("a")
    bar.replacement.setText("aa")
    bar.buttons["replace all"].click()
    assert program(panel) == text and bar.words.text() == "1 of 153,000"


@pytest.mark.slow
def test_places_are_replaced_one_by_one(panel, qtbot):
    put(panel, "a = 1.0\nb = a + a\n")
    panel.editor.moveCursor(QTextCursor.MoveOperation.Start)
    panel.replace_bar.start()
    panel.replace_bar.field.setText("a")
    panel.replace_bar.replacement.setText("c")
    panel.replace_bar.buttons["next"].click()
    panel.replace_bar.buttons["replace"].click()
    assert program(panel) == "a = 1.0\nb = c + a\n"
    panel.replace_bar.field.setText("nowhere")
    assert panel.replace_bar.words.text() == "not found"
    assert not panel.replace_bar.buttons["replace"].isEnabled()
