"""A window that nobody touches comes to rest: it lays nothing out, paints nothing, and no timer of it goes on."""

from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, QTimer

from gui.arrangement import WORKSPACES
from gui.scheduling import idle_tasks
from gui.theme import set_text_size
from tests.gui.faults import turn_over

TURNS = 12
SIZES = {100: ((640, 480), (800, 770), (1024, 700), (1440, 900)), 150: ((1024, 700),)}
"""Sizes of windows that are tried, for each size of the text in percent."""
RESTLESS = {
    QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Paint, QEvent.Type.UpdateRequest, QEvent.Type.Timer,
}  # fmt: skip


class Watch(QObject):
    """Event filter that counts the events of a window which does not rest."""

    def __init__(self):
        super().__init__()
        self.seen = Counter()

    def eventFilter(self, watched, event):
        if event.type() in RESTLESS and watched.metaObject().className() != "QTimer":
            self.seen[type(watched).__name__, event.type().name] += 1
        return False


def restless(window):
    """Return what goes on in some turns of the event loop: events by class and type, and timers that go on."""
    watch = Watch()
    QCoreApplication.instance().installEventFilter(watch)
    turn_over(TURNS)
    QCoreApplication.instance().removeEventFilter(watch)
    parents = QCoreApplication.instance(), window
    timers = [each for parent in parents for each in parent.findChildren(QTimer) if each.isActive()]
    return [*watch.seen.items(), *((type(timer.parent()).__name__, timer.interval()) for timer in timers)]


def wait_for_rest(window, qtbot, where):
    found = []

    def rests():
        found[:] = restless(window)
        return not found

    qtbot.waitUntil(lambda: not idle_tasks().busy)
    try:
        qtbot.waitUntil(rests)
    except qtbot.TimeoutError:
        pytest.fail(f"{where}: {found}")


@pytest.fixture
def trained(make_window, qtbot):
    """A window whose panels have something to show."""
    window = make_window()
    window.session.train("step")
    qtbot.waitUntil(lambda: not window.session.training.runner.unanswered)
    yield window
    set_text_size(100)


@pytest.mark.long
@pytest.mark.parametrize("percent", SIZES)
@pytest.mark.parametrize("workspace", WORKSPACES)
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_window_comes_to_rest_with_each_panel_in_front_at_each_size(trained, qtbot, workspace, percent):
    window = trained
    window.set_text_size(percent)
    window.show_workspace(workspace)
    for size in SIZES[percent]:
        window.resize(QSize(*size))
        wait_for_rest(window, qtbot, size)
        for name, dock in window.docks.items():
            if not dock.isHidden():
                dock.show_in_front()
                wait_for_rest(window, qtbot, (size, name))
