"""A session goes as text over the clipboard into another window, with its training; nothing is lost on the way."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from engine.document import Document, replace_section
from engine.session_file import to_json
from engine.session_file.pasted import text_of_session
from tests.gui.session.saved_files import answer
from tests.gui.training import train

TEXT = "a = 7.0\nb = a * a\n"
OTHER = replace_section(Document(), "expression", text=TEXT)


@pytest.fixture
def window(reused_window):
    yield reused_window
    QGuiApplication.clipboard().clear()


def put(text):
    QGuiApplication.clipboard().setText(text)


def test_a_session_is_copied_and_opened_again_with_its_training(window, qtbot):
    session = window.session
    session.edit("data", data={"name": "circles"})
    for _ in range(3):
        train(session, qtbot, "step")
    before = session.current_document()
    window.action("copy session").trigger()
    qtbot.waitUntil(lambda: "[Gradstep session]" in QGuiApplication.clipboard().text())
    session.discard_changes()
    window.action("new").trigger()
    assert session.document.data.name == "moons"
    window.action("open clipboard").trigger()
    qtbot.waitUntil(lambda: session.document.data.name == "circles")
    assert session.trained_so_far.step == 3 and session.trained_so_far.parameters == before.trained.parameters
    assert session.modified and session.path is None


def test_unsaved_work_is_asked_about_before_a_pasted_session_takes_its_place(window, qtbot):
    session = window.session
    session.edit("text", expression={"text": "mine = 1.0"})
    put(text_of_session(OTHER))
    window.action("open clipboard").trigger()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None)
    answer(window, qtbot, "Cancel")
    assert session.document.expression.text == "mine = 1.0"
    window.action("open clipboard").trigger()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None)
    answer(window, qtbot, "Discard")
    qtbot.waitUntil(lambda: session.document.expression.text == TEXT)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is no session in it"),
        (text_of_session(OTHER).replace("eN", "eM"), "damaged"),
        (text_of_session(OTHER)[:-20], "end of the session is missing"),
        (to_json(OTHER).replace('"learning_rate": 0.05', '"learning_rate": -1'), "learning_rate"),
        (to_json(OTHER).replace('"layer_sizes": [2, 4, 4, 1]', '"layer_sizes": [5, 4, 4, 1]'), "5"),
    ],
    ids=["nothing", "damaged", "cut off", "not allowed", "not fitting together"],
)
def test_what_is_no_session_is_told_and_the_present_one_stays(window, qtbot, text, reason):
    before = window.session.document
    window.files.open_text(text)
    qtbot.waitUntil(lambda: "No session was opened" in window.message.message)
    assert reason in window.message.message and window.session.document == before


def test_an_error_in_reading_a_text_is_not_called_an_error_in_copying_one(window, qtbot, monkeypatch):
    def fail(_text):
        raise MemoryError("planted")

    monkeypatch.setattr("gui.session.files.session_of_text", fail)
    window.files.open_text(text_of_session(OTHER))
    qtbot.waitUntil(lambda: "No session was opened" in window.message.message)


def test_a_session_that_is_pasted_on_the_window_or_into_the_program_is_opened(window, qtbot):
    put(text_of_session(OTHER))
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.session.document.expression.text == TEXT)
    window.session.discard_changes()
    put(text_of_session(replace_section(OTHER, "expression", text="c = 3.0")))
    window.graph_panel.canvas.setFocus()
    window.action("open clipboard").trigger()
    qtbot.waitUntil(lambda: window.session.document.expression.text == "c = 3.0")


def test_a_program_is_pasted_into_the_program(window, qtbot):
    put("d = 4.0")
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert editor.toPlainText() == "d = 4.0"
