"""The base of all panels: one refresh for a change, none while nobody can see it, and one for all that was missed."""

import threading

import pytest
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QMainWindow

from gui.background import Job, join_stopped
from gui.panels.frame import PanelDock
from gui.panels.panel import Panel
from gui.session.change import EVERYTHING


class RatePanel(Panel):
    """Shows the learning rate and where training stands; remembers what it was refreshed for."""

    depends_on = frozenset({"training", "moment"})

    def __init__(self, session):
        super().__init__(session)
        self.seen_changes = []

    def refresh(self, change):
        self.seen_changes.append(change)
        rate = self.session.document.training.learning_rate
        self.set_caption(f"rate {rate:g}", f"A step goes {rate:g} times the gradient.")


@pytest.fixture
def panel(shown):
    panel = shown(RatePanel)
    panel.seen_changes.clear()
    return panel


def set_rate(session, rate):
    assert session.edit("rate", training={"learning_rate": rate})


def test_a_panel_is_first_refreshed_when_it_is_first_seen_and_with_everything(session, qtbot):
    panel = RatePanel(session)
    qtbot.addWidget(panel)
    set_rate(session, 0.5)
    assert panel.seen_changes == []
    panel.show()
    assert panel.seen_changes == [EVERYTHING]


def test_every_edit_undo_and_redo_is_one_refresh(panel, session):
    set_rate(session, 0.5)
    session.undo_stack.undo_edit()
    session.undo_stack.redo_edit()
    assert ["training" in change for change in panel.seen_changes] == [True] * 3


def test_a_change_that_does_not_concern_it_refreshes_nothing(panel, session):
    session.edit("seed", expression={"text": "a = 2.0\nb = a*a\n"})
    session.select("b")
    assert panel.seen_changes == []


def test_what_was_missed_while_hidden_is_one_refresh_when_it_is_shown(panel, session):
    panel.hide()
    for rate in (0.1, 0.2, 0.3):
        set_rate(session, rate)
    assert panel.seen_changes == []
    panel.show()
    assert len(panel.seen_changes) == 1
    assert panel.caption == "rate 0.3"


def test_shown_again_without_a_change_it_is_not_refreshed(panel):
    panel.hide()
    panel.show()
    assert panel.seen_changes == []


def test_whoever_reads_a_hidden_panel_lets_it_catch_up(panel, session):
    panel.hide()
    set_rate(session, 0.7)
    panel.catch_up()
    panel.catch_up()
    assert panel.caption == "rate 0.7" and len(panel.seen_changes) == 1


def test_a_panel_behind_another_tab_counts_as_hidden(session, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = [PanelDock(title, lambda: RatePanel(session), window) for title in ("front", "behind")]
    first, second = (dock.panel for dock in docks)
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.tabifyDockWidget(docks[1], docks[0])
    window.resize(600, 400)
    window.show()
    docks[0].raise_()
    qtbot.waitUntil(lambda: first.is_seen and not second.is_seen)
    first.seen_changes.clear()
    second.seen_changes.clear()
    for rate, raised, front, behind in ((0.1, docks[1], first, second), (0.2, docks[0], second, first)):
        refreshed = len(front.seen_changes), len(behind.seen_changes)
        set_rate(session, rate)
        set_rate(session, rate + 1)
        assert (len(front.seen_changes), len(behind.seen_changes)) == (refreshed[0] + 2, refreshed[1])
        raised.raise_()
        qtbot.waitUntil(lambda panel=behind, before=refreshed[1]: len(panel.seen_changes) == before + 1)
        assert behind.caption == f"rate {rate + 1:g}" and not front.is_seen


def test_panels_that_are_seen_together_are_made_one_by_one_each_when_the_one_before_is_painted(session, qtbot):
    window, turns, made, painted = QMainWindow(), [], [], set()
    qtbot.addWidget(window)

    class PaintedPanel(RatePanel):
        def paintEvent(self, event):
            painted.add(id(self))
            super().paintEvent(event)

    def make():
        QTimer.singleShot(0, lambda: turns.append(True))  # what else waits for its turn
        made.append((len(turns), len(painted)))
        return PaintedPanel(session)

    docks = [PanelDock(title, make, window) for title in ("one", "two", "three")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.resize(600, 600)
    window.show()
    assert not any(dock.is_made for dock in docks)
    qtbot.waitUntil(lambda: all(dock.is_made for dock in docks))
    assert made == [(0, 0), (1, 1), (2, 2)]


def test_a_floating_panel_has_a_button_that_closes_it(session, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = PanelDock("Rate", lambda: RatePanel(session), window)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.show()
    assert not dock.close_button.isVisible()
    dock.setFloating(True)
    qtbot.mouseClick(dock.close_button, Qt.MouseButton.LeftButton)
    assert dock.isHidden()
    dock.toggleViewAction().trigger()
    dock.setFloating(False)
    assert dock.isVisible() and not dock.close_button.isVisible()


def test_a_panel_that_needs_width_opens_in_a_window_of_its_own_that_can_be_closed(session, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = PanelDock("Rate", lambda: RatePanel(session), window, QSize(700, 200))
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    dock.hide()
    window.resize(500, 400)
    window.show()
    for open_it, close_it in (
        (dock.show_in_front, dock.close_button.click),
        (dock.toggleViewAction().trigger, lambda: qtbot.keyClick(dock, Qt.Key.Key_Escape)),
    ):
        open_it()
        assert dock.isVisible() and dock.isFloating() and dock.close_button.isVisible()
        assert 400 < dock.width() < window.width() and dock.height() == 200
        close_it()
        assert dock.isHidden()


def test_the_caption_is_announced_when_it_is_another_one(panel, session):
    captions = []
    panel.caption_changed.connect(captions.append)
    set_rate(session, 0.5)
    session.edit("seed", training={"seed": 9})
    set_rate(session, 0.25)
    assert captions == ["rate 0.5", "rate 0.25"]
    assert panel.caption_tip == "A step goes 0.25 times the gradient."


@pytest.mark.slow
def test_reports_of_running_training_are_shown_no_more_often_than_a_panel_wants_and_the_last_one_always(
    panel, session, qtbot
):
    panel.rest_seconds = panel.full_speed_rest_seconds = 3600.0
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 1)
    before = len(panel.seen_changes)
    newest = session.newest
    qtbot.waitUntil(lambda: session.newest is not newest)
    assert len(panel.seen_changes) == before <= 1
    set_rate(session, 0.01)
    assert len(panel.seen_changes) == before + 1
    session.pause()
    qtbot.waitUntil(lambda: session.newest.state != "running" and panel.seen_changes[-1] >= {"moment"})


@pytest.mark.slow
def test_a_report_that_was_put_off_is_shown_when_the_rest_is_over(panel, session, qtbot):
    panel.rest_seconds = panel.full_speed_rest_seconds = 0.05
    session.run()
    qtbot.waitUntil(lambda: len(panel.seen_changes) >= 3)
    session.pause()


@pytest.mark.slow
def test_beside_a_training_at_full_speed_a_panel_shows_its_reports_less_often(panel, session, qtbot):
    panel.rest_seconds, panel.full_speed_rest_seconds = 0.0, 3600.0
    session.training.set_control(None, 100)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 1)
    before, newest = len(panel.seen_changes), session.newest
    qtbot.waitUntil(lambda: session.newest is not newest)
    assert len(panel.seen_changes) == before and not session.training.rests
    session.training.set_control(60.0, 100)
    qtbot.waitUntil(lambda: session.training.rests)
    panel.full_speed_rest_seconds = 0.0
    session.pause()
    qtbot.waitUntil(lambda: session.newest.state != "running" and panel.seen_changes[-1] >= {"moment"})


def test_a_panel_that_ends_has_every_thread_of_its_own_end(panel):
    begun, go_on = threading.Event(), threading.Event()

    def work(_cancelled):
        begun.set()
        go_on.wait()
        yield None

    Job("work of a panel", panel).start(None, work)
    begun.wait()
    panel.stop()
    assert not join_stopped(deadline=0.0)
    go_on.set()
    assert join_stopped()
