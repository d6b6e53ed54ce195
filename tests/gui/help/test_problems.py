"""Problems: what failed is listed, counted and copied without folders of the user; the work can be saved after it."""

import json
import logging
import sys
import threading
from pathlib import Path

import pyqtgraph
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from engine.document import Document, replace_section
from engine.session_file.files import read_document
from gui.background import Job, once
from gui.help import rescue
from gui.help.diagnostics import diagnostics, versions
from gui.help.problems_dialog import ProblemsDialog
from gui.help.rescue import rescued
from gui.problems import MOST_PROBLEMS, PROBLEMS, ProblemLog, logging_problems, place_of, private
from gui.unexpected import UnexpectedErrors

SECRET = "my_secret_variable = 42.0"


@pytest.fixture
def log():
    PROBLEMS.clear()
    with logging_problems() as log:
        yield log
    PROBLEMS.clear()


def fail(message):
    raise ValueError(message)


def raised(message):
    try:
        fail(message)
    except ValueError:
        return sys.exc_info()


def test_an_exception_is_listed_once_with_its_place_and_counted(log):
    hook = UnexpectedErrors(lambda text, kind: None)
    for _ in range(3):
        hook(*raised("no box"))
    (problem,) = log.problems()
    assert (problem.kind, problem.message, problem.count) == ("ValueError", "no box", 3)
    assert problem.place.startswith("tests/gui/help/test_problems.py:") and problem.place.endswith("(fail)")
    assert "fail(message)" in problem.trace


def test_a_failure_in_the_background_and_one_that_ends_a_thread_are_listed(log, qtbot):
    job = Job("test")
    job.failed.connect(lambda *_: None)
    with qtbot.waitSignal(job.ended):
        job.start(None, once(lambda: 1 / 0))
    thread = threading.Thread(target=fail, args=("in a thread",))
    thread.start()
    thread.join()
    assert {problem.message for problem in log.problems()} == {"division by zero", "in a thread"}


def test_the_newest_problems_are_kept_and_stand_first():
    log = ProblemLog()
    for number in range(MOST_PROBLEMS + 5):
        log.handle(logging.LogRecord("a", logging.ERROR, "a.py", number, f"problem {number}", None, None))
    found = log.problems()
    assert len(found) == MOST_PROBLEMS and found[0].message == f"problem {MOST_PROBLEMS + 4}"


def test_no_folder_of_the_user_is_named(monkeypatch):
    assert private(f"{Path.home()}/notes/a.py") == "~/notes/a.py"
    monkeypatch.setenv("HOME", "/")
    assert private("/notes/a.py") == "/notes/a.py"


@pytest.fixture
def window(reused_window, qtbot):
    reused_window.session.reset_document(replace_section(Document(), "expression", text=SECRET))
    qtbot.waitUntil(lambda: not reused_window.session.presenter.busy)
    yield reused_window
    QGuiApplication.clipboard().clear()


def test_diagnostics_have_versions_screen_theme_and_problems_and_nothing_of_the_user(window, log):
    log.handle(logging.LogRecord("a", logging.ERROR, "a.py", 1, "x", None, raised(f"{SECRET} in {Path.home()}/work")))
    window.action("diagnostics").trigger()
    text = QGuiApplication.clipboard().text()
    assert text == diagnostics(window)
    assert all(f"{name}: {version}" in text for name, version in versions().items())
    assert {"Gradstep", "Python", "Qt", "PySide6", "numpy", "pyqtgraph", "networkx", "wasmtime"} == set(versions())
    assert "theme: light, text size 100 %" in text and "screen: " in text and "ValueError at tests/" in text
    assert "my_secret_variable" not in text and str(Path.home()) not in text


def test_the_dialog_lists_problems_as_they_come_and_copies_them(window, log, qtbot):
    dialog = ProblemsDialog(window)
    assert dialog.list.count() == 0 and not dialog.copy_button.isEnabled()
    UnexpectedErrors(lambda text, kind: None)(*raised("no box"))
    dialog.refresh()
    assert dialog.list.count() == 1 and "no box" in dialog.list.item(0).text()
    assert "fail(message)" in dialog.details.toPlainText()
    dialog.copy_button.click()
    assert "ValueError: no box" in QGuiApplication.clipboard().text()
    dialog.close()


def save_under(window, qtbot, path):
    dialog = window.findChildren(QFileDialog)[-1]
    dialog.fileSelected.emit(str(path))
    dialog.reject()


def test_work_is_saved_under_a_new_name_and_the_session_stays_as_it_is(window, qtbot, tmp_path):
    rescue.save_work(window)
    save_under(window, qtbot, tmp_path / "mine.gradstep")
    assert read_document(tmp_path / "mine.gradstep").document.expression.text == SECRET
    assert window.session.path is None


def test_work_is_saved_even_where_a_part_of_the_window_fails(window, qtbot, tmp_path, monkeypatch, unexpected):
    monkeypatch.setattr(window.session, "current_document", lambda: fail("broken"))
    text, what = rescued(window.session)
    assert SECRET in text and "without" in what and isinstance(unexpected[0], ValueError)
    rescue.save_work(window)
    save_under(window, qtbot, tmp_path / "mine.gradstep")
    assert read_document(tmp_path / "mine.gradstep").document.expression.text == SECRET


def test_a_folder_that_cannot_be_written_to_is_said(window, qtbot, tmp_path):
    rescue.save_work(window)
    save_under(window, qtbot, tmp_path / "missing" / "mine.gradstep")
    assert "not saved" in window.message.message


def test_an_exception_whose_text_cannot_be_made_is_listed_like_others():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("planted")

    log = ProblemLog()
    try:
        raise Mute
    except Mute:
        log.emit(logging.LogRecord("gui", logging.ERROR, "file", 1, "failed", (), sys.exc_info()))
    assert [problem.kind for problem in log.problems()] == ["Mute"]


@pytest.mark.parametrize(
    ("fail", "place"),
    [
        (lambda: pyqtgraph.mkColor("#"), "pyqtgraph/functions.py"),
        (lambda: json.loads("{"), "decoder.py"),
        (lambda: 1 / 0, "tests/gui/help/test_problems.py"),
    ],
)
def test_the_place_of_a_failure_is_that_of_the_program_of_a_package_or_of_python(fail, place):
    with pytest.raises(Exception) as failure:
        fail()
    assert place_of(failure.tb).startswith(f"{place}:")
    assert ":" not in place_of(None)
