"""Saving: under which name, over what, and with everything that was typed."""

import pytest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox

from engine.document import from_json
from gui.files import session_path
from gui.main_window import MainWindow
from gui.session import Session


@pytest.fixture
def window(qtbot):
    window = MainWindow(Session(), theme="light")
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.session.discard_changes()
    window.close()


def answer(window, qtbot, text):
    box = window.findChild(QMessageBox)
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=2000)


def saved_text(path):
    return from_json(path.read_text()).expression.text


def test_what_was_typed_a_moment_ago_is_in_the_file(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "z = 4.0")
    window.files.save()
    assert saved_text(path) == "z = 4.0"
    assert not window.session.modified


def test_closing_at_once_after_typing_asks(window, qtbot):
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    qtbot.keyClicks(editor, "q = 1")
    assert not window.close()
    answer(window, qtbot, "Cancel")
    assert "q = 1" in window.session.document.expression.text


def test_a_learning_rate_without_return_is_in_the_file(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    field = window.docks["NetworkPanel"].panel.fields["training.learning_rate"]
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.3")
    window.files.save()
    assert from_json(path.read_text()).training.learning_rate == 0.3


def test_a_file_that_somebody_else_changed_is_not_overwritten_without_a_word(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    path.write_text("of somebody else")
    window.session.edit("text", expression={"text": "a = 1"})
    window.files.save()
    assert "changed a.gradstep" in window.findChild(QMessageBox).text()
    answer(window, qtbot, "Cancel")
    assert path.read_text() == "of somebody else"
    assert window.session.modified
    window.files.save()
    answer(window, qtbot, "Replace")
    assert saved_text(path) == "a = 1"
    window.session.edit("text", expression={"text": "a = 2"})
    window.files.save()
    assert saved_text(path) == "a = 2"


def test_the_second_of_two_windows_on_one_file_is_asked(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    other = Session()
    other.open(path)
    other.edit("text", expression={"text": "other = 1"})
    other.save(path)
    window.session.edit("text", expression={"text": "mine = 1"})
    window.files.save()
    answer(window, qtbot, "Cancel")
    assert saved_text(path) == "other = 1"
    other.close()


@pytest.mark.parametrize(
    ("chosen", "written"),
    [("a.gradstep", "a.gradstep"), ("bar.txt", "bar.gradstep"), ("P.PY", "P.gradstep"), ("a.json", "a.json")],
)
def test_a_session_does_not_take_the_name_of_a_program(tmp_path, chosen, written):
    assert session_path(tmp_path / chosen) == tmp_path / written


def test_saving_beside_a_program_of_that_name_leaves_the_program(window, qtbot, tmp_path):
    program = tmp_path / "bar.txt"
    program.write_text("a = 1")
    assert window.session.open(program)
    window.files.save()
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(program))
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)
    assert program.read_text() == "a = 1"
    assert saved_text(tmp_path / "bar.gradstep") == "a = 1"
    assert window.session.path == tmp_path / "bar.gradstep"


def test_a_name_that_becomes_another_is_asked_about_when_it_is_taken(window, qtbot, tmp_path):
    (tmp_path / "bar.gradstep").write_text("old")
    window.files.save_as()
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "bar.txt"))
    dialog.reject()
    answer(window, qtbot, "Cancel")
    assert (tmp_path / "bar.gradstep").read_text() == "old"
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)


def test_ctrl_s_in_the_editor_saves_what_stands_there(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "k = 7")
    window.actions_by_name["save"].trigger()
    assert saved_text(path) == "k = 7"
    assert window.windowTitle().startswith("a.gradstep —")
