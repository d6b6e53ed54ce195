"""Every everyday action is done, and a hold is seen, by work or by waiting."""

import time

import pytest
from PySide6.QtCore import QTimer

from gui.session import Session
from tests.fuzz.window import opened
from tests.reliability import holds
from tests.reliability.heartbeat import LONGEST_HOLD, Heartbeat

PLANTED = 0.5
"""Seconds."""


def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.mark.long
def test_every_everyday_action_is_done_and_reported(monkeypatch, capsys):
    done, given = [], holds.actions_of

    def noted(name, action):
        return lambda number: (done.append(name), action(number))

    def actions_of(window, folder):
        return {name: (before, noted(name, act)) for name, (before, act) in given(window, folder).items()}

    monkeypatch.setattr(holds, "actions_of", actions_of)
    longest = holds.measure(1, "", profiles=False)
    assert set(done) == set(longest)
    assert len(capsys.readouterr().out.splitlines()) == len(longest) > 10


def test_an_action_that_is_not_done_is_no_measurement(qapp, monkeypatch, qtbot):
    def nothing():
        raise ZeroDivisionError

    with opened() as (window, _folder), qtbot.captureExceptions(), pytest.raises(RuntimeError):
        holds.hold_of(holds.Beats(False), lambda: True, window, nothing)


@pytest.mark.parametrize(("hold", "kind"), [(work, "hold"), (time.sleep, "waited")])
def test_the_heartbeat_tells_work_from_waiting_and_names_the_line(hold, kind, qapp, qtbot):
    heartbeat = Heartbeat(lambda: "planting")
    QTimer.singleShot(50, lambda: hold(PLANTED))
    qtbot.waitUntil(lambda: bool(heartbeat.holds))
    heartbeat.stop()
    found = heartbeat.holds[0]
    assert (found.stretch.kind, found.what) == (kind, "planting")
    assert found.stretch.held > LONGEST_HOLD
    assert any("test_holds.py" in line for line in found.lines)


def test_an_edit_that_sleeps_is_seen_by_the_heartbeat(qapp, qtbot, monkeypatch):
    edit = Session.edit
    with opened() as (window, _folder):
        heartbeat = Heartbeat(lambda: "editing")
        monkeypatch.setattr(Session, "edit", lambda *args, **named: time.sleep(PLANTED) or edit(*args, **named))
        QTimer.singleShot(50, lambda: window.session.edit("text", expression={"text": "a = 2.0"}))
        qtbot.waitUntil(lambda: any("edit" in line for hold in heartbeat.holds for line in hold.lines))
        heartbeat.stop()
    assert "waited" in {hold.stretch.kind for hold in heartbeat.holds}
