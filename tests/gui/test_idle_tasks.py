"""Idle tasks of the GUI thread: order, newest wins, and a part that fails keeps nobody from the others."""

import sys

import pytest
from PySide6.QtWidgets import QWidget

from gui.idle_tasks import IdleTasks


@pytest.fixture
def shown(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def test_parts_are_done_in_order_and_the_newest_of_a_key_is_the_one_that_is_done(shown, qtbot):
    tasks, done = IdleTasks(shown), []
    for key, word in (("a", "old"), ("b", "first"), ("a", "new")):
        tasks.add(key, lambda word=word: done.append(word))
    assert tasks.busy and done == []
    qtbot.waitUntil(lambda: not tasks.busy)
    assert done == ["first", "new"]


def test_a_part_that_fails_is_reported_once_and_the_others_are_done(shown, qtbot, monkeypatch):
    tasks, done, reported = IdleTasks(shown), [], []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: reported.append(error))
    tasks.add("bad", lambda: [][0])
    tasks.add("good", lambda: done.append("good"))
    qtbot.waitUntil(lambda: not tasks.busy)
    assert done == ["good"]
    assert len(reported) == 1 and isinstance(reported[0], IndexError)
    assert shown.updatesEnabled()
