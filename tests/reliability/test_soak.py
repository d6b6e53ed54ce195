"""A minute of the soak, and that it sees what it looks for."""

import json
from collections import Counter
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, QTimer

from gui.session import Session
from tests.fuzz.campaign import readable
from tests.reliability.census import MEMORY, active_timers, grown
from tests.reliability.heartbeat import Hold, Stretch
from tests.reliability.soak import TAIL, Log, open_and_close, report_holds, report_stops, run_inside


@pytest.mark.long
def test_a_window_that_is_used_at_random_while_it_trains_does_not_fail_grow_or_go_on(tmp_path):
    seconds = "5"  # others may use the processors, too
    options = ["--seed", "7", "--again", "9", "--minutes", "10", "--windows", "6", "--hold", seconds]
    found, actions, _figures = run_inside(tmp_path / "log.jsonl", options)
    lines = [f"{each['kind']} {each['place']}: {each['words']}" for each in found]
    assert not lines, "\n".join([*lines, readable(actions[-TAIL:])])
    assert [name for name, *_ in actions].count("rest") == 9, "too few looks to tell what grows"


def test_a_type_that_grows_is_named_and_what_comes_and_goes_is_not():
    looks = [
        Counter({MEMORY: 200 + n % 3, "steady": 50, "leak": 10 * n, "now and then": 30 * (n % 2)}) for n in range(9)
    ]
    assert grown(looks) == {"leak": (10, 70)}
    looks = [Counter({"Python: gui.dialog.Dialog": 2 * n, "Python: engine.document.Document": 2 * n}) for n in range(9)]
    assert list(grown(looks)) == ["Python: gui.dialog.Dialog"]


def test_timers_that_go_on_are_found_with_their_owner(qapp):
    owner = QObject(qapp, objectName="the owner")
    timer = QTimer(owner, interval=5000)
    timer.start()
    basic = owner.startTimer(6000)
    assert {"QTimer in the owner", "the owner"} <= {
        line.split(" in QAppl")[0].split(" every")[0] for line in active_timers()
    }
    timer.stop()
    owner.killTimer(basic)
    owner.deleteLater()
    assert not [line for line in active_timers() if "the owner" in line]


def findings(path):
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(line["finding"]["kind"], line["finding"]["place"]) for line in lines if "finding" in line]


@pytest.fixture
def log(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    yield log
    log.close()


def test_where_training_never_ran_no_stop_was_measured_which_is_a_finding(tmp_path, log, qapp, monkeypatch):
    report_stops(SimpleNamespace(stops=[(0.01, 0.0)], log=log))
    assert findings(tmp_path / "log.jsonl") == []
    report_stops(SimpleNamespace(stops=[], log=log))
    assert findings(tmp_path / "log.jsonl") == [("stop", "")]
    monkeypatch.setattr(Session, "run", lambda _session: None)
    open_and_close(log, 1)
    assert ("close", "") in findings(tmp_path / "log.jsonl")


def test_a_hold_is_a_finding_of_its_kind_and_one_below_the_limit_is_none(tmp_path, log):
    stretches = {"work": (0.6, 0.5, 0.0, 0.0), "disk": (0.6, 0.0, 0.5, 0.5), "lock": (6.0, 0.0, 6.0, 0.0)}
    holds = [Hold(Stretch(*seconds), doing, []) for doing, seconds in stretches.items()]
    holds.append(Hold(Stretch(0.3, 0.2, 0.0, 0.0), "little", []))
    heartbeat = SimpleNamespace(holds=holds, n_late=0, longest_gap=1.0)
    report_holds(SimpleNamespace(heartbeat=heartbeat, log=log), 0.4)
    assert set(findings(tmp_path / "log.jsonl")) == {("hold", "work"), ("waited", "disk"), ("waited", "lock")}
