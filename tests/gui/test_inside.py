"""An exception anywhere inside: the window goes on and tells of it; see `tests/reliability/inside.py`."""

import logging
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import active_children

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QCompleter, QListView, QWidget
from shiboken6 import delete, isValid

from engine.language import machine_code, runtime
from gui import app
from gui.background import Job
from gui.problems import PROBLEMS, logging_problems, words_of
from gui.session.programs import BackgroundPrograms
from gui.session.run import Run
from gui.unexpected import UnexpectedErrors
from tests.reliability.inside import IN_DARK, PROGRAM, Trial, discover, in_both_themes
from tests.reliability.planting import ROOT, PlantedError, try_again, try_elsewhere


class WordlessError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class FullHandler(logging.Handler):
    def emit(self, record):
        raise MemoryError


@pytest.fixture
def trial(qapp, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with logging_problems():
        logging.disable(logging.NOTSET)
        logging.getLogger().removeHandler(logging.lastResort)
        trial = Trial(tmp_path)
        trial.begin()
        trial.session.save(tmp_path / "prepared.gradstep")
        yield trial
        trial.theme = "light"
        trial.begin()
        trial.close()
        PROBLEMS.clear()


@pytest.mark.parametrize("error", [ValueError("no box"), MemoryError(), RecursionError(), WordlessError()])
def test_the_user_is_told_even_where_the_log_fails(error):
    told, full = [], FullHandler()
    logging.getLogger("gradstep").addHandler(full)
    try:
        UnexpectedErrors(lambda text, kind: told.append((text, kind)))(type(error), error, None)
    finally:
        logging.getLogger("gradstep").removeHandler(full)
    assert [kind for _text, kind in told] == ["error"]
    assert words_of(error) in told[0][0]


def test_an_exception_that_cannot_be_shown_is_printed(capsys):
    def fail(*_arguments):
        raise RuntimeError("the status bar has gone")

    UnexpectedErrors(fail)(ValueError, ValueError("planted"), None)
    assert "planted" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ValueError, MemoryError, RecursionError, KeyboardInterrupt, SystemExit])
def test_no_exception_of_an_override_reaches_qt_even_where_the_report_of_it_fails(qtbot, monkeypatch, error):
    class Part(QWidget):
        def event(self, event):
            if event.type() == QEvent.Type.User:
                raise error
            return super().event(event)

    def fail(*_arguments):
        raise error

    part = Part()
    qtbot.addWidget(part)
    monkeypatch.setattr(sys, "excepthook", fail)
    assert QApplication.sendEvent(part, QEvent(QEvent.Type.User)) is False


def test_a_job_without_memory_says_so_in_words(qtbot):
    def work(_cancelled):
        raise MemoryError

    job, told = Job("test"), []
    job.failed.connect(lambda _token, error: told.append(str(error)))
    with qtbot.waitSignal(job.ended):
        job.start(None, work)
    assert told == [words_of(MemoryError())] and "memory" in told[0]


def test_a_window_that_cannot_be_made_with_what_is_remembered_is_made_without_it(qapp, monkeypatch, unexpected):
    asked = []

    def make(settings):
        asked.append(settings)
        if settings is not None:
            raise ValueError("a value that nobody expected")
        return "made"

    monkeypatch.setattr(QApplication, "topLevelWidgets", list)
    assert app._with_or_without("remembered", make) == "made"
    assert asked == ["remembered", None] and len(unexpected) == 1


def test_of_a_window_that_failed_half_made_the_popups_go_with_their_owners(qapp, monkeypatch, unexpected):
    completer, popup, half_made = QCompleter(), QListView(), QWidget()
    completer.setPopup(popup)
    with monkeypatch.context() as patch:
        patch.setattr(QApplication, "topLevelWidgets", lambda: [popup, half_made])
        assert app._with_or_without("remembered", failing_once(lambda _settings: "made")) == "made"
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert isValid(popup) and not isValid(half_made) and len(unexpected) == 1
    delete(completer)
    assert not isValid(popup)


def test_settings_that_cannot_be_opened_at_all_are_not_remembered(qapp, monkeypatch, unexpected):
    monkeypatch.setattr(app, "open_settings", failing_once(lambda: None))
    settings, damage = app._open_settings()
    settings.setValue("theme", "dark")
    settings.sync()
    assert settings.value("theme") == "dark" and app.NoSettings().value("theme") is None
    assert damage == "" and len(unexpected) == 1


def test_a_window_is_made_with_its_recovery_and_with_what_loads_the_rest(qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr(app, "recovery_folder", lambda: tmp_path)
    window, recovery, loading = app._make_window("both", (tmp_path,), None)
    qtbot.addWidget(window)
    recovery.failed.emit("no room")
    assert window.message.message == "no room" and tmp_path in window.session.lesson_folders
    assert recovery.parent() is window and not loading.busy
    window.stop()


def failing_once(function):
    calls = []

    def fail_first(*arguments):
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("planted")
        return function(*arguments)

    return fail_first


@pytest.mark.slow
@pytest.mark.parametrize("name", ["take", "take_failure"])
def test_a_report_of_the_training_that_cannot_be_taken_is_asked_for_again(
    session, qtbot, monkeypatch, unexpected, name
):
    runner = session.training.runner
    monkeypatch.setattr(runner, name, failing_once(getattr(runner, name)))
    session.train("step")
    qtbot.waitUntil(lambda: not runner.unanswered)
    assert session.trained_so_far.step == 1 and len(unexpected) == 1


@pytest.mark.slow
def test_a_report_that_was_announced_in_vain_is_announced_again_with_the_next(session, qtbot, monkeypatch, unexpected):
    monkeypatch.setattr(Run, "look_for_report", failing_once(Run.look_for_report))
    session.train("step")
    qtbot.waitUntil(lambda: bool(unexpected))
    session.train("step")
    qtbot.waitUntil(lambda: not session.training.runner.unanswered)
    assert session.trained_so_far.step == 2


def trapped(*_arguments):
    raise machine_code.wasmtime_modules()[0].Trap("planted")


def refused(*_arguments):
    raise machine_code.wasmtime_modules()[0].WasmtimeError("planted")


def without_memory(*_arguments):
    raise MemoryError


def without_threads(*_arguments):
    raise RuntimeError("can't start new thread")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fail"),
    [("_linker", trapped), ("_linker", refused), ("_linker", without_memory), ("start", without_threads)],
)
def test_an_interpreter_that_cannot_be_started_is_an_error_of_that_run_alone(session, qtbot, monkeypatch, name, fail):
    programs = BackgroundPrograms()
    outcomes = []
    programs.ended.connect(outcomes.append)
    with monkeypatch.context() as patch:
        patch.setattr(runtime._Run, name, fail)
        with qtbot.waitSignal(programs.ended):
            programs.start(PROGRAM)
    with qtbot.waitSignal(programs.ended):
        programs.start(PROGRAM)
    programs.stop()
    failed, ran = outcomes
    assert (failed.error is not None or failed.failure) and ran.error is None and not ran.failure


@pytest.mark.long
def test_the_rows_of_a_killed_process_of_a_sweep_come_all_the_same(reused_window, qtbot):
    reused_window.show_panel("SweepPanel")
    panel = reused_window.docks["SweepPanel"].panel
    panel.catch_up()
    panel.start_or_cancel()
    qtbot.waitUntil(lambda: bool(active_children()), timeout=60_000)
    victim = active_children()[0]
    with suppress(ProcessLookupError):
        os.kill(victim.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: not panel.sweeping.busy, timeout=120_000)
    assert len(panel.sweeping.rows) == len(panel.drawn.runs)


REPORTED = """import json, sys
for place, (_function, step) in enumerate(json.load(sys.stdin)):
    print(json.dumps({"begun": place}))
    if step == "ends":
        sys.exit(3)
    is_called = step == "raises" or step == "first alone" and place == 0
    print(json.dumps({"done": place, "raised": is_called, "problems": ["lost"] if step == "raises" else []}))
"""


@pytest.mark.slow
def test_functions_that_did_not_raise_are_tried_again_in_fresh_processes(capsys):
    todo = [(("gui/a.py", 1, step), step) for step in ("raises", "never", "ends", "raises", "first alone")]
    command = [sys.executable, "-c", REPORTED]
    n_raised, n_wrong, left = try_elsewhere(command, todo)
    assert (n_raised, n_wrong, [step for _function, step in left]) == (2, 3, ["never", "first alone"])
    n_raised, n_wrong, left = try_again(command, left)
    assert (n_raised, n_wrong, [step for _function, step in left]) == (1, 0, ["never"])
    assert "the process ended with 3" in capsys.readouterr().out


def test_half_of_the_functions_are_tried_in_the_dark_theme():
    steps = ["save", "save", "data", "theme dark"]
    todo = in_both_themes([(("gui/a.py", line, "f"), step) for line, step in enumerate(steps)])
    assert [(line, step) for (_file, line, _name), step in todo] == [
        (0, "save"), (2, "data"), (3, "theme dark"), (1, f"save{IN_DARK}")
    ]  # fmt: skip


@pytest.mark.long
def test_a_function_that_raises_in_the_dark_theme_is_told_of(trial):
    function = next(each for each, _step in discover(trial, ["save"]).items() if each[2].endswith("._write"))
    raised, told, broken = trial.attempt(f"save{IN_DARK}", function, PlantedError)
    assert raised and not told and not broken and trial.window.theme == "dark"


@pytest.mark.long
def test_an_exception_at_the_start_and_at_the_close_leaves_the_edit_in_a_file():
    command = [sys.executable, "-m", "tests.reliability.start_and_close", "--sample", "2", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"[1-4] exceptions, 0 with problems", done.stdout), done.stdout
