"""Saving: under which name, over what, and with everything that was typed."""

import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox

from engine.document import Document, from_json, replace_section, to_json
from engine.document.consistency import count_parameters
from engine.network.progress import RunState
from gui.session import Session
from gui.session.files import LARGE_FILE, session_path
from gui.session.saving import write


def answer(window, qtbot, text):
    box = window.findChild(QMessageBox)
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=2000)


def save(window, qtbot):
    """Saves, and waits until the file is written."""
    window.action("save").trigger()
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)


def saved_text(path):
    return from_json(path.read_text()).expression.text


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


@pytest.mark.slow
def test_closing_at_once_after_typing_asks(window, qtbot):
    editor = window.docks["ExpressionPanel"].panel.editor
    editor.setFocus()
    qtbot.keyClicks(editor, "q = 1")
    assert not window.close()
    answer(window, qtbot, "Cancel")
    assert "q = 1" in window.session.document.expression.text


@pytest.mark.slow
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


def test_a_number_that_is_being_typed_is_in_the_unsaved_mark(window, qtbot):
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


@pytest.mark.slow
def test_a_number_that_is_taken_and_undone_leaves_no_mark(window, qtbot):
    field = window.docks["LearningPanel"].panel.fields["training.learning_rate"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "0.3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.modified
    window.session.undo_stack.undo()
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


def test_a_file_that_is_gone_is_asked_about_although_all_was_saved(window, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    assert window.session.save(path)
    path.unlink()
    for answered in ("Cancel", "Save"):
        window.files.new()
        assert window.findChild(QMessageBox).text() == "a.gradstep is not there any more. Save this session?"
        answer(window, qtbot, answered)
    assert from_json(path.read_text()) == Document() and window.session.path is None
    assert window.session.open(path)
    path.unlink()
    assert not window.close()
    answer(window, qtbot, "Discard")
    assert not window.isVisible()


@pytest.mark.parametrize("command", ["step", "run"])
def test_training_asked_for_and_discarded_at_once_closes_the_window(window, qtbot, command):
    window.action(command).trigger()
    assert not window.close()
    answer(window, qtbot, "Discard")
    assert not window.isVisible()


@pytest.mark.slow
def test_what_closing_waits_for_is_stopped_before_it_is_waited_for(window, qtbot, tmp_path, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr("gui.session.files.LARGE_FILE", 0)
    monkeypatch.setattr("gui.session.files.read_document", lambda path: gate.wait(10))
    monkeypatch.setattr("gui.jobs.CLOSING_SECONDS", 0.05)
    window.session.train("step")
    qtbot.waitUntil(lambda: window.session.trained.step == 1, timeout=5000)
    window.session.discard_changes()
    (tmp_path / "a.gradstep").write_text("{}")
    window.files.open_path(tmp_path / "a.gradstep")
    assert window.close()  # although reading hangs
    qtbot.waitUntil(lambda: not any(thread.name == "training" for thread in threading.enumerate()), timeout=5000)
    gate.set()
    qtbot.waitUntil(lambda: not any(thread.name == "reading" for thread in threading.enumerate()), timeout=5000)


@pytest.mark.slow
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
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)
    assert saved_text(path) == "a = 1"
    window.session.edit("text", expression={"text": "a = 2"})
    save(window, qtbot)
    assert saved_text(path) == "a = 2"


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_name_that_becomes_another_is_asked_about_when_it_is_taken(window, qtbot, tmp_path):
    (tmp_path / "bar.gradstep").write_text("old")
    window.files.save_as()
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "bar.txt"))
    dialog.reject()
    answer(window, qtbot, "Cancel")
    assert (tmp_path / "bar.gradstep").read_text() == "old"
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)


@pytest.mark.slow
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


def large_session(tmp_path, text="big = 1"):
    document = replace_section(Document(), "network", layer_sizes=(2, 80, 80, 1))
    document = replace_section(document, "expression", text=text)
    document = replace_section(document, "trained", step=3, parameters=[0.125] * count_parameters((2, 80, 80, 1)))
    path = tmp_path / "large.gradstep"
    path.write_text(to_json(document) + " " * LARGE_FILE)
    return path


@pytest.mark.slow
def test_a_large_file_is_read_beside_the_window(window, qtbot, tmp_path):
    path = large_session(tmp_path)
    window.files.open_path(path)
    assert window.session.path is None
    qtbot.waitUntil(lambda: window.session.path == path, timeout=10_000)
    assert window.session.document.expression.text == "big = 1"
    assert not window.session.modified


@pytest.mark.slow
def test_what_was_typed_while_a_large_file_was_read_is_asked_about(window, qtbot, tmp_path):
    window.files.open_path(large_session(tmp_path))
    window.session.edit("text", expression={"text": "mine = 1"})
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=10_000)
    answer(window, qtbot, "Cancel")
    assert window.session.document.expression.text == "mine = 1"


def test_a_large_file_that_is_damaged_changes_nothing(window, qtbot, tmp_path, caplog):
    path = tmp_path / "damaged.gradstep"
    path.write_text('{"gradstep": 2, ' + " " * LARGE_FILE)
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((kind, text)))
    window.files.open_path(path)
    qtbot.waitUntil(lambda: any(kind == "error" for kind, _ in told), timeout=10_000)
    assert "damaged.gradstep" in told[-1][1]
    assert window.session.path is None
    assert not caplog.records  # it is the file's fault


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


@pytest.mark.slow
def test_what_was_trained_while_the_file_to_open_was_chosen_is_asked_about(window, qtbot, tmp_path):
    other = tmp_path / "other.gradstep"
    other.write_text(to_json(replace_section(Document(), "expression", text="other = 1")))
    window.session.save(tmp_path / "a.gradstep")
    window.files.open()
    dialog = window.findChild(QFileDialog)
    with qtbot.waitSignal(window.session.changed, timeout=10_000, check_params_cb=lambda change: change.moment):
        window.session.train("step")
    dialog.fileSelected.emit(str(other))
    dialog.reject()
    answer(window, qtbot, "Cancel")
    assert window.session.trained.step == 1
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_file_that_cannot_be_reached_any_more_is_told_when_it_is_saved(window, qtbot, tmp_path):
    told = []
    window.session.message_posted.connect(lambda text, _kind: told.append(text))
    window.session.save(tmp_path / "a.gradstep")
    window.session.path = tmp_path / ("x" * 300)
    save(window, qtbot)
    assert "was not saved: File name too long" in told[-1]


class SlowDisk:
    """Writes when it may, and says with what it was asked to."""

    def __init__(self):
        self.may_write = threading.Event()
        self.error = None
        self.asked = []

    def __call__(self, path, document):
        self.asked.append(document.expression.text)
        assert self.may_write.wait(10)
        return self.error or write(path, document)


@pytest.fixture
def slow_disk(window, tmp_path, monkeypatch):
    """A window with the file a.gradstep and an edit, whose next save is under way."""
    window.session.save(tmp_path / "a.gradstep")
    window.session.edit("text", expression={"text": "a = 1"})
    disk = SlowDisk()
    monkeypatch.setattr("gui.session.files.write", disk)
    window.action("save").trigger()
    yield disk
    disk.may_write.set()


def end(window, qtbot, disk):
    disk.may_write.set()
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)


def test_while_a_file_is_written_the_window_goes_on_and_says_unsaved(window, qtbot, tmp_path, slow_disk):
    assert window.session.modified and "•" in window.windowTitle()
    assert saved_text(tmp_path / "a.gradstep") != "a = 1"
    end(window, qtbot, slow_disk)
    assert not window.session.modified and "•" not in window.windowTitle()
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_what_is_edited_while_a_file_is_written_is_unsaved_afterwards(window, qtbot, tmp_path, slow_disk):
    window.session.edit("text", expression={"text": "a = 2"})
    end(window, qtbot, slow_disk)
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"
    assert window.session.modified
    window.session.undo_stack.undo()
    assert not window.session.modified


def test_a_save_that_fails_in_the_background_leaves_all_unsaved(window, qtbot, tmp_path, slow_disk):
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    before = (tmp_path / "a.gradstep").read_text()
    slow_disk.error = OSError(28, "No space left on device")
    end(window, qtbot, slow_disk)
    assert told == [("a.gradstep was not saved: No space left on device", "error")]
    assert window.session.modified and "•" in window.windowTitle()
    assert (tmp_path / "a.gradstep").read_text() == before


def test_closing_waits_for_the_file_that_is_written_and_asks_nothing(window, qtbot, tmp_path, slow_disk):
    assert not window.close()
    assert window.findChild(QMessageBox) is None and window.isVisible()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=10_000)
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_closing_while_a_file_is_written_asks_about_what_was_edited_since(window, qtbot, tmp_path, slow_disk):
    window.session.edit("text", expression={"text": "a = 2"})
    assert not window.close()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=10_000)
    answer(window, qtbot, "Save")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=10_000)
    assert saved_text(tmp_path / "a.gradstep") == "a = 2"


def test_another_document_comes_after_the_file_that_is_written(window, qtbot, tmp_path, slow_disk):
    window.action("new").trigger()
    assert window.session.document.expression.text == "a = 1"
    end(window, qtbot, slow_disk)
    assert (window.session.path, window.session.modified) == (None, False)
    assert window.session.document == Document()
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_saving_while_a_file_is_written_writes_it_once_more_with_what_is_new(window, qtbot, tmp_path, slow_disk):
    window.session.edit("text", expression={"text": "a = 2"})
    for _ in range(3):
        window.action("save").trigger()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: not window.session.modified, timeout=10_000)
    assert slow_disk.asked == ["a = 1", "a = 2"]
    assert saved_text(tmp_path / "a.gradstep") == "a = 2"
