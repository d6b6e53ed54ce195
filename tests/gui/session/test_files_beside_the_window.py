"""Large files are read and all files are written beside the window, which goes on meanwhile."""

import threading
import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox

from engine.document import Document, replace_section
from engine.network.shape import count_parameters
from engine.session_file import to_json
from gui.background import closing_deadline, join_stopped
from gui.session.files import LARGE_FILE
from gui.session.unsaved import write
from tests.gui.session.saved_files import answer, choose, saved_text


@pytest.fixture
def window(reused_window):
    """For tests that do not close it."""
    return reused_window


def large_session(tmp_path, text="big = 1"):
    document = replace_section(Document(), "network", layer_sizes=(2, 80, 80, 1))
    document = replace_section(document, "expression", text=text)
    document = replace_section(document, "trained", step=3, parameters=[0.125] * count_parameters((2, 80, 80, 1)))
    path = tmp_path / "large.gradstep"
    path.write_text(to_json(document) + " " * LARGE_FILE)
    return path


def test_a_large_file_is_read_beside_the_window(window, qtbot, tmp_path):
    path = large_session(tmp_path)
    window.files.open_path(path)
    assert window.session.path is None
    qtbot.waitUntil(lambda: window.session.path == path, timeout=10_000)
    assert window.session.document.expression.text == "big = 1"
    assert not window.session.modified


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


class SlowDisk:
    """Writes a.gradstep when it may, and says with what it was asked to."""

    def __init__(self):
        self.may_write = threading.Event()
        self.errors = {}
        self.asked = []

    def __call__(self, path, document, *others):
        self.asked.append(document.expression.text)
        assert path.name != "a.gradstep" or self.may_write.wait(10)
        return self.errors.get(document.expression.text) or write(path, document, *others)


@pytest.fixture
def own_window(make_window):
    """One that is closed."""
    return make_window()


@pytest.fixture
def slow_disk(request, tmp_path, monkeypatch):
    """A window with the file a.gradstep and an edit, whose next save is under way."""
    window = request.getfixturevalue("own_window" if "own_window" in request.fixturenames else "window")
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
    window.session.undo_stack.undo_edit()
    assert not window.session.modified


def test_a_save_that_fails_in_the_background_leaves_all_unsaved(window, qtbot, tmp_path, slow_disk):
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    before = (tmp_path / "a.gradstep").read_text()
    slow_disk.errors["a = 1"] = OSError(28, "No space left on device")
    end(window, qtbot, slow_disk)
    assert told == [("a.gradstep was not saved: No space left on device", "error")]
    assert window.session.modified and "•" in window.windowTitle()
    assert (tmp_path / "a.gradstep").read_text() == before


def test_closing_waits_for_the_file_that_is_written_and_asks_nothing(own_window, qtbot, tmp_path, slow_disk):
    assert not own_window.close()
    assert own_window.findChild(QMessageBox) is None and own_window.isVisible()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: not own_window.isVisible(), timeout=10_000)
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_closing_waits_for_a_thread_that_ends_a_moment_after_its_file_is_written(own_window, qtbot, tmp_path):
    may_write, may_end, told = threading.Event(), threading.Event(), []
    path, saving = tmp_path / "a.gradstep", own_window.session.begin_saving()

    def work(_cancelled):
        assert may_write.wait(10)
        yield write(path, saving.document)
        assert may_end.wait(10)

    own_window.files.saved.connect(told.append)
    own_window.files.writing.start((path, saving), work)
    assert not own_window.close()
    may_write.set()
    qtbot.waitUntil(lambda: told == ["a.gradstep"])
    assert own_window.isVisible()
    may_end.set()
    qtbot.waitUntil(lambda: not own_window.isVisible())


def test_closing_while_a_file_is_written_asks_about_what_was_edited_since(own_window, qtbot, tmp_path, slow_disk):
    own_window.session.edit("text", expression={"text": "a = 2"})
    assert not own_window.close()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: own_window.findChild(QMessageBox) is not None, timeout=10_000)
    answer(own_window, qtbot, "Save")
    qtbot.waitUntil(lambda: not own_window.isVisible(), timeout=10_000)
    assert saved_text(tmp_path / "a.gradstep") == "a = 2"


def test_another_document_comes_after_the_file_that_is_written(window, qtbot, tmp_path, slow_disk):
    window.action("new").trigger()
    assert window.session.document.expression.text == "a = 1"
    end(window, qtbot, slow_disk)
    assert (window.session.path, window.session.modified) == (None, False)
    assert window.session.document == Document()
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_saving_while_a_file_is_written_writes_it_once_more_with_what_there_was_when_it_was_asked_for(
    window, qtbot, tmp_path, slow_disk
):
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append(text))
    window.session.edit("text", expression={"text": "a = 2"})
    for _ in range(3):
        window.action("save").trigger()
    assert "still being written" in told[-1]
    window.session.edit("text", expression={"text": "a = 3"})
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)
    assert slow_disk.asked == ["a = 1", "a = 2"]
    assert saved_text(tmp_path / "a.gradstep") == "a = 2" and window.session.modified
    window.session.undo_stack.undo_edit()
    assert not window.session.modified and window.findChild(QMessageBox) is None


def test_saves_come_before_the_document_that_was_asked_for_earlier(window, qtbot, tmp_path, slow_disk):
    """The other name held the empty document."""
    window.action("new").trigger()
    window.action("save as").trigger()
    choose(window, qtbot, tmp_path / "b.gradstep")
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: window.session.document == Document(), timeout=10_000)
    assert [saved_text(tmp_path / f"{name}.gradstep") for name in "ab"] == ["a = 1"] * 2


@pytest.mark.parametrize("fails", ["a = 1", "a = 2"])
def test_of_two_saves_one_may_fail_and_the_window_stays_for_it_to_be_read(window, qtbot, tmp_path, slow_disk, fails):
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    window.session.edit("text", expression={"text": "a = 2"})
    window.action("save").trigger()
    slow_disk.errors[fails] = OSError(28, "No space left on device")
    assert not window.close()
    end(window, qtbot, slow_disk)
    assert ("a.gradstep was not saved: No space left on device", "error") in told
    assert window.isVisible() and window.findChild(QMessageBox) is None
    assert saved_text(tmp_path / "a.gradstep") == ("a = 2" if fails == "a = 1" else "a = 1")
    assert window.session.modified is (fails == "a = 2")
    assert window.session.stamp.matches(tmp_path / "a.gradstep")


def test_every_name_that_a_session_is_saved_under_meanwhile_is_written(window, qtbot, tmp_path, slow_disk):
    for name in ("b.gradstep", "c.gradstep"):
        window.action("save as").trigger()
        choose(window, qtbot, tmp_path / name)
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: window.session.path == tmp_path / "c.gradstep", timeout=10_000)
    assert [saved_text(tmp_path / f"{name}.gradstep") for name in "abc"] == ["a = 1"] * 3
    assert not window.session.modified


def test_a_program_that_is_ended_takes_the_file_that_was_just_written(window, tmp_path, slow_disk):
    slow_disk.may_write.set()
    window.action("new").trigger()
    window.files.finish_writing(closing_deadline())
    assert not window.session.modified and window.session.document.expression.text == "a = 1"
    assert window.session.stamp.matches(tmp_path / "a.gradstep")


# A drive that does not answer


def let_time_pass(window):
    """Let the present write take too long."""
    assert window.files.overdue.isActive()
    window.files.overdue.stop()
    window.files.overdue.timeout.emit()


def has_question(window, qtbot):
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=10_000)
    return True


def test_a_save_elsewhere_does_not_wait_for_a_drive_that_does_not_answer(window, qtbot, tmp_path, slow_disk):
    before, shown = (tmp_path / "a.gradstep").read_bytes(), []
    window.session.message_posted.connect(lambda text, kind: shown.append(kind))
    window.action("save as").trigger()
    choose(window, qtbot, tmp_path / "b.gradstep")  # asked for before anyone knows that the drive hangs
    let_time_pass(window)
    qtbot.waitUntil(lambda: window.session.path == tmp_path / "b.gradstep", timeout=10_000)
    assert not window.session.modified and saved_text(tmp_path / "b.gradstep") == "a = 1"
    window.session.edit("text", expression={"text": "a = 2"})
    window.files._write(tmp_path / "a.gradstep", None)
    let_time_pass(window)
    qtbot.waitUntil(lambda: "error" in shown, timeout=10_000)
    assert window.session.modified
    window.action("save as").trigger()
    choose(window, qtbot, tmp_path / "c.gradstep")
    qtbot.waitUntil(lambda: window.session.path == tmp_path / "c.gradstep", timeout=10_000)
    slow_disk.may_write.set()
    assert join_stopped()
    assert (tmp_path / "a.gradstep").read_bytes() == before  # an old state does not come after all
    assert window.session.path == tmp_path / "c.gradstep" and not window.session.modified
    assert window.session.stamp.matches(tmp_path / "c.gradstep")


def test_what_waits_for_a_drive_that_does_not_answer_is_asked_about_and_can_be_saved_elsewhere(
    window, qtbot, tmp_path, slow_disk
):
    window.action("new").trigger()
    let_time_pass(window)
    answer(window, qtbot, "Cancel")
    window.action("new").trigger()  # now it is asked at once
    answer(window, qtbot, "Save as…")
    assert window.session.document.expression.text == "a = 1"
    choose(window, qtbot, tmp_path / "b.gradstep")
    qtbot.waitUntil(lambda: window.session.document == Document(), timeout=10_000)
    assert saved_text(tmp_path / "b.gradstep") == "a = 1" and not window.session.modified


def test_a_drive_that_answers_after_all_answers_the_question(own_window, qtbot, tmp_path, slow_disk):
    own_window.close()
    let_time_pass(own_window)
    assert has_question(own_window, qtbot) and own_window.isVisible()
    slow_disk.may_write.set()
    qtbot.waitUntil(lambda: not own_window.isVisible(), timeout=10_000)
    assert saved_text(tmp_path / "a.gradstep") == "a = 1"


def test_the_program_can_end_while_a_drive_does_not_answer(own_window, qtbot, qapp, slow_disk):
    own_window.close()
    let_time_pass(own_window)
    assert has_question(own_window, qtbot)
    buttons = own_window.findChild(QMessageBox).buttons()
    QTimer.singleShot(0, next(button for button in buttons if button.text() == "End Gradstep").click)
    assert qapp.exec() == 0
    assert own_window.session.modified and own_window.closing_deadline is None  # as by a signal: a copy is kept


def test_what_is_edited_during_a_save_before_another_document_is_asked_about(window, qtbot, tmp_path, slow_disk):
    end(window, qtbot, slow_disk)
    slow_disk.may_write.clear()
    window.session.edit("text", expression={"text": "a = 2"})
    window.action("new").trigger()
    answer(window, qtbot, "Save")
    window.session.edit("text", expression={"text": "a = 3"})
    slow_disk.may_write.set()
    answer(window, qtbot, "Cancel")
    assert window.session.document.expression.text == "a = 3" and window.session.modified
    assert saved_text(tmp_path / "a.gradstep") == "a = 2"


def test_a_drive_that_does_not_answer_is_told_after_four_seconds(window, qtbot, slow_disk):
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    assert window.files.overdue.isActive() and window.files.overdue.interval() == 4000
    let_time_pass(window)
    ((text, kind),) = told
    assert "a.gradstep" in text and kind == "error"


def test_the_end_waits_two_seconds_for_a_drive_at_most():
    assert 0 < closing_deadline() - time.monotonic() <= 2.0
