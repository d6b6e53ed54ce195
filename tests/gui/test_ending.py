"""Signals and the end of the desktop session leave the event loop without questions, also of an idle window."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer

from gui.ending import Ending, name_command
from gui.session.recovery import find_copies
from tests.sources import ROOT

IDLE = """
import sys
from PySide6.QtWidgets import QApplication
from gui.ending import Ending
application = QApplication(sys.argv)
with Ending(application, lambda: None) as ending:
    print("idle", flush=True)
    code = application.exec()
sys.exit(code)
"""

if os.name == "posix":

    @pytest.mark.long
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_ends_an_event_loop_in_which_nothing_happens(number):
        command = [sys.executable, "-c", IDLE]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
        with subprocess.Popen(command, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, **pipes) as process:
            assert process.stdout.readline() == "idle\n"
            process.send_signal(number)
            out, error = process.communicate(timeout=60)
        assert (process.returncode, out, error) == (128 + number, "", "")

    @pytest.mark.slow
    def test_a_signal_that_comes_before_the_event_loop_is_not_lost(qapp):
        handler = signal.getsignal(signal.SIGTERM)
        with Ending(qapp, lambda: None) as ending:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)
            assert qapp.exec() == 128 + signal.SIGTERM
        assert ending.number == signal.SIGTERM and signal.getsignal(signal.SIGTERM) is handler


def test_the_end_of_the_desktop_session_keeps_the_work_and_leaves_without_questions(qapp):
    kept = []
    with Ending(qapp, lambda: kept.append(True)) as ending:
        ending.commit(None)
        assert kept
        QTimer.singleShot(0, lambda: qapp.sendEvent(qapp, QEvent(QEvent.Type.Quit)))
        assert qapp.exec() == 0
    assert ending.number is None


def test_a_logout_that_the_user_cancels_ends_nothing_later(qapp):
    with Ending(qapp, lambda: None) as ending:
        ending.commit(None)
        qapp.sendEvent(QObject(), QEvent(QEvent.Type.KeyPress))  # the window is used again
        assert not ending.eventFilter(qapp, QEvent(QEvent.Type.Quit))


def test_quitting_without_the_end_of_a_session_is_left_to_qt(qapp):
    with Ending(qapp, lambda: None) as ending:
        assert not ending.eventFilter(qapp, QEvent(QEvent.Type.Quit))


def test_the_desktop_starts_gradstep_again_by_a_command_that_it_knows():
    named = []
    name_command(SimpleNamespace(setRestartCommand=named.extend))
    assert named[0] == sys.executable and not any(word.startswith("-") for word in named[1:])


LOGOUT = """
import os, signal, sys
from PySide6.QtCore import QTimer
from gui import app
from gui.ending import Ending
from gui.main_window import MainWindow

def log_out(window):
    window.session.edit("text", expression={"text": "a = 5.0"})
    application.findChild(Ending).commit(None)
    os.kill(os.getpid(), signal.SIGKILL)  # the desktop waits no longer

application = app.make_application()
QTimer.singleShot(0, lambda: log_out(next(w for w in application.topLevelWidgets() if isinstance(w, MainWindow))))
sys.exit(app.run(None))
"""


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signal")
def test_work_is_safe_as_soon_as_the_desktop_session_has_said_that_it_ends(tmp_path):
    places = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    ended = subprocess.run([sys.executable, "-c", LOGOUT], cwd=ROOT, env=os.environ | places)
    assert ended.returncode == -signal.SIGKILL
    (folder,) = tmp_path.glob("**/recovery")
    assert [copy.document.expression.text for copy in find_copies(folder)] == ["a = 5.0"]
