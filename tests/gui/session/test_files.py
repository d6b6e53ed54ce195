"""Saving: under which name, over what, and with everything that was typed."""

import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox

from engine.document import Document, replace_section
from engine.network.run.progress import RunState
from engine.session_file import from_json, to_json
from engine.session_file.files import PROGRAM_SUFFIXES
from gui.session import Session
from gui.session.files import session_path
from tests.gui.session.saved_files import answer, save, saved_text


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


@pytest.mark.smoke
def test_what_was_typed_a_moment_ago_is_in_the_file(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "z = 4.0")
    save(window, qtbot)
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
    field = window.docks["LearningPanel"].panel.fields["training.learning_rate"]
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.3")
    save(window, qtbot)
    assert from_json(path.read_text()).training.learning_rate == 0.3


def test_a_number_that_is_being_typed_is_in_the_unsaved_mark(make_window, qtbot):
    window = make_window()
    field = window.docks["LearningPanel"].panel.fields["training.learning_rate"]
    before = field.text()
    for text, is_unsaved in (("0.3", True), (before, False), ("abc", False), ("0.4", True), ("", False), ("5", True)):
        field.setFocus()
        field.selectAll()
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
        qtbot.keyClicks(field, text)
        assert window.session.modified == is_unsaved, text
        assert ("•" in window.windowTitle()) == is_unsaved
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not window.session.modified
    assert window.close()


def test_a_number_that_is_taken_and_undone_leaves_no_mark(window, qtbot):
    field = window.docks["LearningPanel"].panel.fields["training.learning_rate"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.modified
    window.session.undo_stack.undo_edit()
    assert not window.session.modified


def test_closing_at_once_after_asking_for_training_asks(window, qtbot, subtests):
    for command in ("step", "phase", "epoch", "run"):
        with subtests.test(command=command):
            window.session.reset_document(Document())
            assert not window.session.modified
            window.action(command).trigger()
            assert not window.close()
            answer(window, qtbot, "Cancel")
            qtbot.waitUntil(lambda: window.session.newest is not None)
            window.session.pause()
            qtbot.waitUntil(lambda: window.session.run_state is not RunState.RUNNING)


def test_a_file_that_is_gone_is_asked_about_although_all_was_saved(make_window, qtbot, tmp_path):
    window = make_window()
    path = tmp_path / "a.gradstep"
    assert window.session.save(path)
    path.unlink()
    for answered in ("Cancel", "Save"):
        window.files.new()
        assert window.findChild(QMessageBox).text().startswith("a.gradstep ")
        answer(window, qtbot, answered)
    qtbot.waitUntil(lambda: window.session.path is None, timeout=10_000)
    assert from_json(path.read_text()) == Document() and window.session.path is None
    assert window.session.open(path)
    path.unlink()
    assert not window.close()
    answer(window, qtbot, "Discard")
    assert not window.isVisible()


@pytest.mark.parametrize("command", ["step", "run"])
def test_training_asked_for_and_discarded_at_once_closes_the_window(make_window, qtbot, command):
    window = make_window()
    window.action(command).trigger()
    assert not window.close()
    answer(window, qtbot, "Discard")
    assert not window.isVisible()


def test_what_closing_waits_for_is_stopped_before_it_is_waited_for(make_window, qtbot, tmp_path, monkeypatch):
    others = threading.enumerate()
    window = make_window()
    gate = threading.Event()

    def alive(name):
        return any(thread.name == name for thread in set(threading.enumerate()).difference(others))

    monkeypatch.setattr("gui.session.files.LARGE_FILE", 0)
    monkeypatch.setattr("gui.session.files.read_document", lambda path: gate.wait(10))
    monkeypatch.setattr("gui.background.CLOSING_SECONDS", 0.05)
    window.session.train("step")
    qtbot.waitUntil(lambda: window.session.trained_so_far.step == 1, timeout=5000)
    window.session.discard_changes()
    (tmp_path / "a.gradstep").write_text("{}")
    window.files.open_path(tmp_path / "a.gradstep")
    assert window.close()  # although reading hangs
    qtbot.waitUntil(lambda: not alive("training"), timeout=5000)
    gate.set()
    qtbot.waitUntil(lambda: not alive("reading"), timeout=5000)


def test_a_file_that_somebody_else_changed_is_not_overwritten_without_a_word(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.save(path)
    path.write_text("of somebody else")
    window.session.edit("text", expression={"text": "a = 1"})
    window.files.save()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=10_000)
    assert "changed a.gradstep" in window.findChild(QMessageBox).text()
    answer(window, qtbot, "Cancel")
    assert path.read_text() == "of somebody else"
    assert window.session.modified
    window.files.save()
    answer(window, qtbot, "Replace")
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)
    assert saved_text(path) == "a = 1"
    window.session.edit("text", expression={"text": "a = 2"})
    save(window, qtbot)
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
    qtbot.waitUntil(lambda: window.session.path is not None, timeout=10_000)
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
    save(window, qtbot)
    assert saved_text(path) == "k = 7"
    assert window.windowTitle().startswith("a.gradstep —")
    window.session.save(tmp_path / "\u202eb.gradstep")  # what is not seen in a name is written out
    assert window.windowTitle().startswith("\\u202eb.gradstep —")


def test_what_would_swallow_a_session_does_not_count_as_a_file_it_is_saved_in(session, tmp_path, subtests):
    paths = {"device": Path(os.devnull), "pipe": tmp_path / "pipe", "folder": tmp_path}
    os.mkfifo(paths["pipe"])
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    session.edit("text", expression={"text": "a = 1"})
    for kind, path in paths.items():
        with subtests.test(kind=kind):
            told.clear()
            assert not session.save(path)
            assert "not a regular file" in told[-1]
            assert session.modified
            assert session.path is None


def test_the_dialog_for_opening_lists_programs_and_tables_beside_sessions_at_first(window):
    window.files.open()
    dialog = window.findChild(QFileDialog)
    assert all(f"*{suffix}" in dialog.selectedNameFilter() for suffix in (".gradstep", *PROGRAM_SUFFIXES, ".csv"))
    dialog.reject()


def test_it_is_said_that_the_program_of_an_opened_session_runs_in_the_sandbox(window, tmp_path):
    other, told = tmp_path / "other.gradstep", []
    other.write_text(to_json(replace_section(Document(), "expression", text="other = 1")))
    window.session.message_posted.connect(lambda text, _kind: told.append(text))
    window.files.open_path(other)
    assert "other.gradstep" in told[-1] and "sandbox" in told[-1]


def test_what_was_trained_while_the_file_to_open_was_chosen_is_asked_about(window, qtbot, tmp_path):
    other = tmp_path / "other.gradstep"
    other.write_text(to_json(replace_section(Document(), "expression", text="other = 1")))
    window.session.save(tmp_path / "a.gradstep")
    window.files.open()
    dialog = window.findChild(QFileDialog)
    with qtbot.waitSignal(window.session.changed, timeout=10_000, check_params_cb=lambda change: "moment" in change):
        window.session.train("step")
    dialog.fileSelected.emit(str(other))
    dialog.reject()
    answer(window, qtbot, "Cancel")
    assert window.session.trained_so_far.step == 1
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)


def test_undo_by_the_menu_takes_back_what_was_typed_a_moment_ago_and_redo_brings_it(window, qtbot):
    editor = window.docks["ExpressionPanel"].panel.editor
    window.session.edit("text", expression={"text": "a = 5"})
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "z = 4.0")
    window.action("undo").trigger()
    assert window.session.document.expression.text == "a = 5"
    window.action("redo").trigger()
    assert window.session.document.expression.text == "z = 4.0"


def test_undo_while_a_field_is_typed_in_keeps_the_number_for_redo(window, qtbot):
    field = window.docks["LearningPanel"].panel.fields["training.learning_rate"]
    window.session.edit("rate", training={"learning_rate": 0.3})
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.7")
    window.action("undo").trigger()
    assert (field.text(), window.session.document.training.learning_rate) == ("0.3", 0.3)
    window.action("redo").trigger()
    assert (field.text(), window.session.document.training.learning_rate) == ("0.7", 0.7)


def test_the_end_of_a_slider_and_the_sample_that_are_being_typed_are_in_the_file(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    window.session.set_view(shows="network")
    slider = window.docks["ExpressionPanel"].panel.sliders.by_key["x1"]
    sample = next(field for field in window.findChildren(QLineEdit) if field.accessibleName() == "number of the sample")
    for field, text in ((slider.ends[1], "42"), (sample, "7")):
        field.selectAll()
        qtbot.keyClicks(field, text)
    assert window.session.save(path)
    written = from_json(path.read_text())
    assert dict(written.expression.ranges)["x1"][1] == 42.0
    assert written.view.sample == 6


def test_a_file_that_cannot_be_reached_any_more_is_told_when_it_is_saved(window, qtbot, tmp_path):
    told = []
    window.session.message_posted.connect(lambda text, _kind: told.append(text))
    window.session.save(tmp_path / "a.gradstep")
    window.session.path = tmp_path / ("x" * 300)
    save(window, qtbot)
    assert "was not saved: File name too long" in told[-1]


def test_a_file_that_is_opened_takes_the_error_of_the_one_before_away(window, qtbot, tmp_path):
    bad, good = tmp_path / "bad.gradstep", tmp_path / "good.gradstep"
    bad.write_text('{"gradstep": 3, "expression": 5}')
    good.write_text(to_json(replace_section(Document(), "expression", text="a = 7.0")))
    window.files.open_path(bad)
    assert "bad.gradstep" in window.message.message
    window.files.open_path(good)
    qtbot.waitUntil(lambda: window.session.document.expression.text == "a = 7.0")
    assert "bad.gradstep" not in window.message.message
    window.files.open_path(bad)
    assert "bad.gradstep" in window.message.message
