"""The watch over what tests leave behind, itself watched."""

import shutil
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QComboBox, QDialog, QWidget

from tests.leftovers import Leftovers

HERE = Path(__file__).resolve()


@pytest.fixture
def leftovers(monkeypatch):
    return Leftovers(monkeypatch)


def test_a_running_thread_is_named_with_the_line_that_started_it(leftovers, monkeypatch):
    monkeypatch.setattr("tests.leftovers.JOIN_SECONDS", 0.01)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="endless", daemon=True)
    thread.start()
    found = leftovers.found()
    stop.set()
    thread.join()
    assert len(found) == 1
    assert "thread 'endless' still runs, started at " in found[0]
    assert HERE.name in found[0]


def test_a_thread_that_is_about_to_end_is_waited_for(leftovers):
    threading.Thread(target=threading.Event().wait, args=(0.02,)).start()
    assert leftovers.found() == []


def test_an_active_timer_is_named_with_the_line_that_started_it(qapp, leftovers):
    timer = QTimer(objectName="poll")
    timer.start(60_000)
    found = leftovers.found()
    timer.stop()
    assert len(found) == 1
    assert "timer 'poll' is still active, started at " in found[0]
    assert HERE.name in found[0]


def test_a_timer_that_was_stopped_or_deleted_is_nothing_left(qapp, leftovers):
    stopped, deleted = QTimer(), QTimer()
    stopped.start(60_000)
    deleted.start(60_000)
    stopped.stop()
    deleted.deleteLater()
    assert leftovers.found() == []


def test_a_timer_of_a_window_that_was_there_before_ends_with_that(qtbot, monkeypatch):
    earlier = QWidget()
    qtbot.addWidget(earlier)
    leftovers, own = Leftovers(monkeypatch), QWidget()
    qtbot.addWidget(own)
    for window in (earlier, own):
        QTimer(QObject(window), objectName=f"of {'earlier' if window is earlier else 'own'}").start(60_000)
    assert [line.split(" is ")[0] for line in leftovers.found() if line.startswith("timer")] == ["timer 'of own'"]


def test_the_list_that_a_combo_box_of_an_earlier_window_makes_ends_with_that(qtbot, monkeypatch):
    earlier = QWidget()
    qtbot.addWidget(earlier)
    box, leftovers, own = QComboBox(earlier), Leftovers(monkeypatch), QWidget()
    assert box.view().window() is not earlier
    own_box = QComboBox(own)
    assert own_box.view() is not None
    assert sorted(line.split()[1] for line in leftovers.found()) == ["QComboBoxPrivateContainer", "QWidget"]
    own.deleteLater()
    assert leftovers.found() == []


def test_a_hidden_widget_and_an_open_dialog_are_named(qapp, leftovers):
    widget, dialog = QWidget(objectName="forgotten"), QDialog(windowTitle="Really?")
    dialog.open()
    found = leftovers.found()
    dialog.close()
    assert sorted(found) == ["window QDialog 'Really?' still exists", "window QWidget 'forgotten' still exists"]
    widget.deleteLater()
    dialog.deleteLater()
    assert leftovers.found() == []


def test_a_shown_window_without_a_widget_is_named(qapp, leftovers):
    window = QWindow(title="bare")
    window.show()
    found = leftovers.found()
    window.destroy()
    assert found == ["window QWindow 'bare' still exists"]


def test_widgets_that_only_wait_for_the_collector_are_nothing_left(qapp, leftovers):
    widget = QWidget()
    widget.held_by_itself = widget
    del widget
    assert leftovers.found() == []


LITTERING = """
import threading
import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QWidget

kept = []

def test_widget(qapp):
    kept.append(QWidget())

def test_timer(qapp):
    kept.append(QTimer())
    kept[-1].start(60_000)

def test_clean(qtbot):
    qtbot.addWidget(QWidget())

def test_warning(qapp):
    qWarning("something is odd")

def test_exception_in_a_thread():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()

def test_exception_in_a_destructor():
    class Broken:
        def __del__(self):
            raise ValueError("in a destructor")
    Broken()
"""


@pytest.mark.slow
def test_the_settings_of_the_repository_fail_a_test_that_litters(pytester, monkeypatch):
    """A run of its own, with this repository's conftest.py and pyproject.toml."""
    root = HERE.parent.parent
    monkeypatch.setenv("PYTHONPATH", str(root))
    shutil.copy(root / "pyproject.toml", pytester.path)
    pytester.mkpydir("tests").joinpath("conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    shutil.copy(root / "tests" / "leftovers.py", pytester.path / "tests")
    (pytester.path / "tests" / "test_littering.py").write_text(LITTERING)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=2, failed=3)
    result.stdout.fnmatch_lines_random(
        [
            "*window QWidget 'without a name' still exists*",
            "*timer '' is still active, started at *test_littering.py:*",
            "*FAILED*test_warning*",
            "*FAILED*test_exception_in_a_thread*",
            "*FAILED*test_exception_in_a_destructor*",
        ]
    )
