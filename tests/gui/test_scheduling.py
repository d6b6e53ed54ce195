"""Idle tasks: order, newest wins, a task that fails keeps nobody from the others. Throttle: first, last, no more."""

import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from gui.scheduling import IdleTasks, Throttle


@pytest.fixture
def shown(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def test_tasks_are_done_in_order_and_the_newest_of_a_key_in_the_place_of_the_one_before(shown, qtbot):
    tasks, done = IdleTasks(shown), []
    for key, word in (("a", "old"), ("b", "second"), ("a", "new")):
        tasks.add(shown, lambda word=word: done.append(word), key)
    assert tasks.busy and done == []
    qtbot.waitUntil(lambda: not tasks.busy)
    assert done == ["new", "second"]


def test_a_task_that_fails_is_reported_once_and_the_others_are_done(shown, qtbot, monkeypatch):
    tasks, done, reported = IdleTasks(shown), [], []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(error))
    tasks.add(shown, lambda: [][0], "bad")
    tasks.add(shown, lambda: done.append("good"), "good")
    qtbot.waitUntil(lambda: not tasks.busy)
    assert done == ["good"]
    assert len(reported) == 1 and isinstance(reported[0], IndexError)


def test_a_task_whose_owner_was_deleted_is_dropped(shown, qtbot):
    tasks, done, owner = IdleTasks(shown), [], QObject()
    tasks.add(owner, lambda: done.append("late"))
    tasks.add(shown, lambda: done.append("other"))
    delete(owner)
    qtbot.waitUntil(lambda: not tasks.busy)
    assert done == ["other"]


def test_requests_within_an_interval_are_one_call_at_its_end(shown, qtbot, monkeypatch):
    clock, calls = [100.0], []
    monkeypatch.setattr("gui.scheduling.time.monotonic", lambda: clock[0])
    throttle = Throttle(lambda: calls.append(clock[0]), lambda: 0.02, shown)
    for _ in range(3):
        throttle.request()
    assert calls == [100.0] and throttle.waits
    clock[0] = 100.02
    qtbot.waitUntil(lambda: not throttle.waits)
    assert calls == [100.0, 100.02]
    throttle.request()
    throttle.call()
    assert len(calls) == 3 and not throttle.waits
    throttle.request()
    throttle.cancel()
    assert len(calls) == 3 and not throttle.waits
