"""The text of the program: long ones, pastes, typing, files, colours, and where its values stand."""

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from engine.document import Document
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from gui.panels.program.expression import ExpressionPanel
from gui.theme import DARK
from tests.gui.panels.program.program_text import program, put

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(program_panel):
    return program_panel


def test_a_program_too_long_to_be_evaluated_is_in_the_document_and_the_graph_stays(panel, session):
    evaluation, text = session.evaluation, "a = " + "1+" * 10_000 + "1"
    put(panel, text)
    assert program(session) == text
    assert panel.message.text() == ("Line 1, column 20001: the text is too long: 20,005 characters, at most 20,000")
    assert panel.message.property("error") and panel.message.isVisible()
    assert session.evaluation is evaluation


def test_a_program_pasted_whole_is_drawn_as_it_comes_and_undo_goes_back_in_the_order_of_what_was_done(
    panel, session, qtbot
):
    put(panel, "a = 2.0\nb = tanh(a)\nc = b*a")
    session.undo_stack.set_clean()
    session.presenter.groups.expand("op:b")
    session.presenter.groups.collapse("cone:c")
    assert session.document.view.expanded == ("op:b",) and not session.modified  # nobody is asked to save a look
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL)
    assert session.document.view.collapsed == () and session.document.view.expanded == ("op:b",)
    put(panel, program(session))
    assert session.document.view.expanded == ()
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL)
    assert session.document.view.expanded == ("op:b",)
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, "*2")
    panel.editor.flush()
    assert program(session).endswith("b*a*2") and session.document.view.expanded == ("op:b",) and session.modified
    session.undo_stack.undo_edit()
    session.undo_stack.undo_edit()
    assert session.document.view.expanded == () and program(session).endswith("b*a") and not session.modified


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a = 1\n" * 19_999, "x" * 199_600, "a = 1 # ü\n" * 19_000])
def test_undo_brings_back_the_text_before_a_huge_paste_and_redo_the_paste(panel, session, qtbot, text):
    before = program(session)
    put(panel, text)
    assert program(session) == text
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL)
    assert program(session) == panel.editor.toPlainText() == before
    assert session.error is None
    qtbot.keyClick(panel.editor, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert program(session) == panel.editor.toPlainText() == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * (LONGEST_PROGRAM + 1), "200,001 characters; at most 200,000"),
        ("\n" * MOST_PROGRAM_LINES, "20,001 lines; at most 20,000"),
        ("\r\n" * MOST_PROGRAM_LINES, "20,001 lines; at most 20,000"),
        ("x" * 1_000_000, "1,000,000 characters"),
    ],
)
def test_a_paste_beyond_what_a_document_holds_is_refused_in_words_and_the_text_before_is_kept(
    panel, session, told, text, words
):
    before = program(session)
    put(panel, text)
    assert words in panel.message.text()
    assert words in told[0]
    assert program(session) == panel.editor.toPlainText() == before


@pytest.mark.slow
def test_typing_beyond_what_a_document_holds_is_taken_back(panel, session, qtbot):
    put(panel, "x" * LONGEST_PROGRAM)
    qtbot.keyClicks(panel.editor, "yz")
    panel.editor.flush()
    assert "200,002 characters" in panel.message.text()
    assert panel.editor.toPlainText() == program(session) == "x" * LONGEST_PROGRAM


@pytest.mark.slow
def test_a_text_longer_than_a_program_is_neither_coloured_nor_searched_line_by_line(panel, session, monkeypatch):
    coloured = []
    monkeypatch.setattr(
        "gui.panels.program.editor_marks.highlight_line", lambda text, _opened: (coloured.append(text) or [], "")
    )
    put(panel, "a = 1 # \u202e\n" * 15_000)
    assert coloured == []
    put(panel, "a = 1")
    QApplication.processEvents()
    assert "a = 1" in coloured
    coloured.clear()
    panel.set_colors(DARK)
    assert coloured == []


@pytest.mark.parametrize("quotes", ['"', "'", '"""', "'''"])
def test_a_string_that_goes_on_in_the_next_line_keeps_its_colour(panel, quotes):
    put(panel, f"s = {quotes}one \\\ntwo{quotes} + s")
    QApplication.processEvents()
    first, second = panel.editor.document().begin(), panel.editor.document().begin().next()
    colours = [each.format.foreground().color() for each in (*first.layout().formats(), *second.layout().formats())]
    string, operator = second.layout().formats()[:2]
    assert (string.start, string.length) == (0, 3 + len(quotes)) and second.userState() == 0
    assert string.format.foreground().color() == colours[1] != operator.format.foreground().color()


def test_what_is_typed_is_in_the_document_as_soon_as_it_is_asked_for(panel, session, qtbot):
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "a = tahn(")
    session.commit_requested.emit()
    assert program(session) == "a = tahn("
    assert session.modified
    assert "'(' was never closed" in panel.message.text()


@pytest.mark.slow
def test_asking_for_what_is_typed_changes_nothing_when_nothing_was(panel, session):
    session.edit("text", expression={"text": "a = 1\r\nb =\u00a02"})
    session.undo_stack.set_clean()
    panel.set_colors(DARK)
    session.commit_requested.emit()
    assert program(session) == "a = 1\r\nb =\u00a02"
    assert not session.modified


@pytest.mark.slow
def test_moving_a_slider_right_after_typing_keeps_what_was_typed(panel, session, qtbot):
    put(panel, "a = 1.0\nb = a * 2")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, " + 3")
    panel.sliders.by_key["a"].slider.setValue(1000)
    assert program(session) == "a = 4.0\nb = a * 2 + 3"


def test_a_file_is_not_text_to_insert(panel, session, told):
    before = panel.editor.toPlainText()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/some/where.gradstep")])
    data.setText("/some/where.gradstep")
    assert not panel.editor.canInsertFromMimeData(data)
    panel.editor.insertFromMimeData(data)
    assert panel.editor.toPlainText() == before
    assert "contains a file" in told[0]


def test_a_clipboard_whose_program_does_not_answer_is_asked_once_and_told(panel, told):
    """Qt waits five seconds for every question."""

    class Silent(QMimeData):
        asked = 0

        def formats(self):
            self.asked += 1
            return []

    before, clipboard = panel.editor.toPlainText(), Silent()
    panel.editor.insertFromMimeData(clipboard)
    assert (clipboard.asked, panel.editor.toPlainText()) == (1, before)
    assert "does not respond" in told[0]


def test_the_editors_font_follows_the_systems(shown, session, qapp):
    plain = qapp.font()
    larger = qapp.font()
    larger.setPixelSize(26)
    qapp.setFont(larger)
    try:
        assert shown(ExpressionPanel).editor.font().pixelSize() == 26
    finally:
        qapp.setFont(plain)


@pytest.mark.slow
def test_typing_across_the_size_up_to_which_a_text_is_coloured_turns_the_colours_off_and_on(panel, session, qtbot):
    put(panel, "\n" * 19_998 + "a")
    assert panel.editor.highlighter.active
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, " = 1")
    assert not panel.editor.highlighter.active
    for _ in range(4):
        qtbot.keyClick(panel.editor, Qt.Key.Key_Backspace)
    assert panel.editor.highlighter.active


@pytest.mark.slow
def test_completion_looks_no_further_back_than_a_name_is_long(panel, qtbot):
    put(panel, "😀 " + "x" * 5000)
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    assert len(panel.editor.completion.word_before_caret()) == 65
    put(panel, "a = 1 # 😀😀\nlearning = 2; b = '😀' lear")
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Space, CONTROL)
    model = panel.editor.completion.completer.model()
    assert [model.item(row).text() for row in range(model.rowCount())] == ["learning"]
    panel.editor.completion.completer.activated.emit("learning")
    assert panel.editor.toPlainText().endswith("'😀' learning")
    panel.editor.completion.completer.popup().hide()


@pytest.mark.slow
@pytest.mark.parametrize("before", ["a = 1", "x" * 30_000])
def test_typing_goes_on_after_a_paste_that_is_not_coloured(panel, session, qtbot, before):
    """Taking the colours away tells of a change of the text while it is under way; the editor crashed of that."""
    put(panel, before)
    put(panel, "x" * 199_600)
    qtbot.keyClicks(panel.editor, "yz")
    put(panel, "b = 2")
    qtbot.keyClicks(panel.editor, "3")
    panel.editor.flush()
    assert program(session) == "b = 23"
    assert panel.editor.highlighter.active


def test_what_was_typed_before_the_panel_was_hidden_never_comes_over_a_session_opened_afterwards(panel, session, qtbot):
    panel.editor.selectAll()
    qtbot.keyClicks(panel.editor, "a = 1")
    panel.hide()
    assert program(session) == "a = 1"
    session.reset_document(Document())
    panel.editor.flush()
    assert program(session) == Document().expression.text
    panel.show()
    assert panel.editor.toPlainText() == Document().expression.text


@pytest.mark.slow
def test_the_selected_value_is_marked_where_it_stands_and_the_caret_selects_the_value_around_it(panel, session, qtbot):
    put(panel, "a = 2.0\r\n# 😀\nb = a * 3\n")
    session.select("b")
    marked = [mark.cursor.selectedText() for mark in panel.editor.extraSelections() if mark.cursor.hasSelection()]
    assert marked == ["a * 3"]
    panel.editor.go_to(1, 1)
    qtbot.keyClick(panel.editor, Qt.Key.Key_End)
    assert session.selection == "a"
    panel.editor.go_to(3, 6)
    qtbot.keyClick(panel.editor, Qt.Key.Key_Right)
    assert session.selection == "b"
