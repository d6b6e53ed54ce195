"""An exception anywhere in the window: it goes on, says so, loses nothing, and recovers; see `tests/gui/faults.py`."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QGraphicsView, QWidget

from gui.painting import painting
from gui.widgets.failure_notice import FailureNotice
from tests.gui.faults import KINDS, Trial, fail, turn_over

ROOT = Path(__file__).parents[2]
START_SECONDS, LONGEST_SECONDS = 10.0, 600.0
SOON = ("painters", "refreshes", "run")
"""Kinds of lasting exceptions that are tried with every change; the others in the long tests."""


@pytest.fixture
def trial(make_window, tmp_path):
    return Trial(make_window(), tmp_path)


@pytest.mark.parametrize(
    ("kind", "lasting"),
    [
        pytest.param(kind, lasting, marks=[] if lasting and kind in SOON else pytest.mark.long)
        for kind in KINDS
        for lasting in (False, True)
    ],
)
@pytest.mark.qt_log_ignore("dataChanged", "This plugin does not support", extend=True)  # no rows were answered
def test_the_window_goes_on_and_what_was_trained_is_saved_after_exceptions(trial, kind, lasting):
    assert trial.problems(kind, lasting) == []


def a_display():
    """The name of a virtual screen, and its server; None where it cannot be started."""
    if shutil.which("Xvfb") is None:
        return None
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading) as answer:
        number = answer.readline().strip()  # empty when the server has ended
    if not number:
        server.wait(START_SECONDS)
        return None
    return f":{number}", server


def opens_windows(environment):
    """Return True when Qt has the system libraries that a window on an X server needs."""
    program = "from PySide6.QtWidgets import QApplication; QApplication([])"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env={**environment, "QT_QPA_PLATFORM": "xcb"}, capture_output=True).returncode == 0


@contextlib.contextmanager
def real_screen():
    """The environment of a program with a real window; without an X server, of one on Qt's offscreen screen."""
    display, server = a_display() or (os.environ.get("DISPLAY"), None)
    environment = {**os.environ, "DISPLAY": display or ""}
    try:
        yield {**environment, "QT_QPA_PLATFORM": "xcb" if display and opens_windows(environment) else "offscreen"}
    finally:
        if server is not None:
            server.terminate()
            server.wait(START_SECONDS)


@pytest.mark.long
def test_a_window_on_a_screen_goes_on_after_exceptions():
    """Painting differs from that of the offscreen platform, on which the others run."""
    with real_screen() as environment:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.gui.faults", "painters", "refreshes"]
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr


class Item(QGraphicsItem):
    def __init__(self, painted, fails):
        super().__init__()
        self.painted, self.fails = painted, fails

    def boundingRect(self):
        return QRectF(0, 0, 10, 10)

    def paint(self, painter, option, widget=None):
        self.painted.append(self.fails)
        if self.fails:
            fail()


class View(QGraphicsView):
    """As pyqtgraph's: it paints beneath Python code."""

    def paintEvent(self, event):
        super().paintEvent(event)


class Part(QWidget):
    def __init__(self):
        super().__init__()
        self.failing = ""

    def resizeEvent(self, event):
        super().resizeEvent(event)
        if self.failing == "resizeEvent":
            fail()

    def showEvent(self, event):
        super().showEvent(event)
        if self.failing == "showEvent":
            fail()

    def paintEvent(self, event):
        with painting(self) as painter:
            painter.drawLine(0, 0, 5, 5)
            if self.failing == "paintEvent":
                fail()


def test_an_item_that_cannot_be_painted_keeps_nobody_from_painting_the_others(qtbot, unexpected):
    painted, scene = [], QGraphicsScene()
    scene.addItem(Item(painted, fails=True))
    scene.addItem(Item(painted, fails=False))
    view = View(scene)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitUntil(lambda: False in painted)
    view.grab()
    assert painted.count(True) == painted.count(False) == len(unexpected) >= 2


@pytest.mark.parametrize("failing", ["resizeEvent", "showEvent", "paintEvent"])
def test_an_override_that_fails_beneath_python_code_is_reported_and_others_are_called(qtbot, unexpected, failing):
    window = QWidget()
    qtbot.addWidget(window)
    first, second = Part(), Part()
    for part in (first, second):
        part.setParent(window)
    first.failing = failing
    for width in (100, 120):
        window.hide()
        window.show()
        for part in (first, second):
            part.resize(width, 50)
        assert not window.grab().isNull()
    assert unexpected and {str(error) for error in unexpected} == {"planted"}


def pixels(widget):
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def notice_of(widget):
    return next((notice for notice in widget.findChildren(FailureNotice) if not notice.isHidden()), None)


def test_a_canvas_that_cannot_be_painted_says_so_and_is_painted_when_one_tries_again(
    window, qtbot, monkeypatch, unexpected
):
    canvas, calls = window.graph_panel.canvas, []
    qtbot.waitUntil(lambda: bool(canvas.picture.boxes) and canvas.is_sharp)
    before = pixels(canvas)
    with monkeypatch.context() as patch:
        patch.setattr("gui.canvas.tiles.paint_area", lambda *_: calls.append(1) or fail())
        window.session.edit("text", expression={"text": "a = 2.0\nb = a * a\n"})
        window.apply_theme("dark")
        qtbot.waitUntil(lambda: notice_of(window.graph_panel) is not None)
        turn_over(100)
        n_calls = len(calls)
        turn_over(200)
        assert len(calls) - n_calls < 10
        assert window.updatesEnabled() and canvas.viewport().updatesEnabled()
        window.apply_theme("light")
    window.session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: len(canvas.picture.boxes) > 3)
    if (notice := notice_of(window.graph_panel)) is not None:
        QTest.mouseClick(notice.button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.waitUntil(lambda: notice_of(window.graph_panel) is None and pixels(canvas) == before)


def test_a_panel_whose_refresh_fails_says_so_and_the_others_go_on(window, qtbot, monkeypatch, unexpected):
    session = window.session
    failing, other = window.docks["LoopPanel"], window.docks["ExpressionPanel"]
    window.show_panel("LoopPanel")
    with monkeypatch.context() as patch:
        patch.setattr(type(failing.panel), "refresh", fail)
        session.edit("text", expression={"text": "a = 2.0\nb = a * a\n"})
        qtbot.waitUntil(lambda: failing.panel.has_failed)
        assert other.panel.editor.toPlainText() == "a = 2.0\nb = a * a\n"
        n_reported = len(unexpected)
        failing.panel.resize(failing.panel.width() + 5, failing.panel.height())
        assert len(unexpected) == n_reported
        QTest.mouseClick(notice_of(failing).button, Qt.MouseButton.LeftButton)
        assert failing.panel.has_failed
    QTest.mouseClick(notice_of(failing).button, Qt.MouseButton.LeftButton)
    assert not failing.panel.has_failed


def test_a_panel_that_failed_is_shown_again_with_the_next_edit(window, qtbot, monkeypatch, unexpected):
    panel = window.docks["LoopPanel"].panel
    window.show_panel("LoopPanel")
    with monkeypatch.context() as patch:
        patch.setattr(type(panel), "refresh", fail)
        window.session.edit("text", expression={"text": "a = 2.0\n"})
        qtbot.waitUntil(lambda: panel.has_failed)
    window.session.edit("text", expression={"text": "a = 3.0\n"})
    qtbot.waitUntil(lambda: not panel.has_failed)


def test_a_panel_that_failed_is_tried_again_once_when_it_is_shown_again(window, qtbot, monkeypatch, unexpected):
    dock = window.docks["LoopPanel"]
    panel = dock.panel
    window.show_panel("LoopPanel")
    dock.hide()
    with monkeypatch.context() as patch:
        patch.setattr(type(panel), "refresh", fail)
        window.session.edit("text", expression={"text": "a = 2.0\n"})
        panel.catch_up()
        assert panel.has_failed
        n_reported = len(unexpected)
        dock.show_in_front()
        qtbot.waitUntil(lambda: panel.is_seen and len(unexpected) > n_reported)
        panel.resize(panel.width() + 5, panel.height())
        assert panel.has_failed and len(unexpected) == n_reported + 1
        dock.hide()
    dock.show_in_front()
    qtbot.waitUntil(lambda: panel.is_seen and not panel.has_failed)


def test_a_panel_that_cannot_be_made_says_so_until_one_tries_again(make_window, qtbot, monkeypatch, unexpected):
    window = make_window()
    dock = next(dock for dock in window.docks.values() if not dock.is_made)
    with monkeypatch.context() as patch:
        patch.setattr(dock, "_make", fail)
        dock.show_in_front()
        qtbot.waitUntil(lambda: dock.has_failed)
        turn_over(100)
        assert len(unexpected) == 1
    QTest.mouseClick(notice_of(dock).button, Qt.MouseButton.LeftButton)
    assert dock.is_made and not dock.has_failed


def test_an_arrangement_that_fails_leaves_no_panel_held_back(window, monkeypatch, unexpected):
    with monkeypatch.context() as patch:
        patch.setattr("gui.workspaces.arrange", fail)
        window.arrange()
    assert [str(error) for error in unexpected] == ["planted"]
    assert window.graph_panel.layout().isEnabled() and window.layout().isEnabled()
    assert not any(dock.panel.is_held for dock in window.docks.values() if dock.is_made)
