"""A minute of the soak, and that it sees what it looks for."""

from collections import Counter

import pytest
from PySide6.QtCore import QObject, QTimer

from tests.fuzz.campaign import readable
from tests.reliability.census import MEMORY, active_timers, grown
from tests.reliability.soak import TAIL, run_inside


@pytest.mark.long
def test_a_window_that_is_used_at_random_while_it_trains_does_not_fail_grow_or_go_on(tmp_path):
    seconds = "5"  # others may use the processors, too
    options = ["--seed", "7", "--again", "9", "--minutes", "10", "--windows", "6", "--hold", seconds]
    found, actions, _figures = run_inside(tmp_path / "log.jsonl", options)
    assert found == [], readable(actions[-TAIL:])
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
