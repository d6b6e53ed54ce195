"""Every everyday action is done and measured, and a hold is seen, by work or by waiting."""

import itertools
import time

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from gui.session import Session
from tests.fuzz.watch import Watch
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
def test_every_everyday_action_is_done_and_what_holds_it_is_seen(monkeypatch, capsys):
    done, given = [], holds.actions_of

    def with_hold(name, action, hold):
        def act(number):
            done.append(name)
            hold(PLANTED)
            action(number)

        return act

    def planted(window, folder):
        kinds = itertools.cycle((work, time.sleep))
        actions = given(window, folder).items()
        return {name: (before, with_hold(name, action, next(kinds))) for name, (before, action) in actions}

    monkeypatch.setattr(holds, "actions_of", planted)
    longest = holds.measure(1, "", profiles=False)
    assert set(done) == set(longest)
    assert [name for name, seconds in longest.items() if seconds < 0.9 * PLANTED] == []
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(longest) > 10
    assert ["waited" in line for line in lines[1::2]] == [True] * (len(lines) // 2)


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


def test_a_turn_of_fuzzing_that_waits_is_seen_and_an_event_loop_of_its_own_is_not(qapp):
    def loop():
        inside = QEventLoop()
        QTimer.singleShot(int(1000 * PLANTED), inside.quit)
        inside.exec()

    with Watch() as watch:
        watch.doing = "planted"
        watch.turn(loop, "loop")
        watch.turn(lambda: time.sleep(PLANTED), "sleep")
    assert list(watch.slow) == ["planted sleep waited"]


def test_an_edit_that_sleeps_is_seen_by_the_heartbeat(qapp, qtbot, monkeypatch):
    edit = Session.edit
    with opened() as (window, _folder):
        heartbeat = Heartbeat(lambda: "editing")
        monkeypatch.setattr(Session, "edit", lambda *args, **named: time.sleep(PLANTED) or edit(*args, **named))
        QTimer.singleShot(50, lambda: window.session.edit("text", expression={"text": "a = 2.0"}))
        qtbot.waitUntil(lambda: any("edit" in line for hold in heartbeat.holds for line in hold.lines))
        heartbeat.stop()
    assert "waited" in {hold.stretch.kind for hold in heartbeat.holds}
