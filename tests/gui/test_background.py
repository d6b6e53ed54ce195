"""Work off the GUI thread: the newest request wins, and whatever goes wrong is told."""

import logging
import sys
import threading
import time
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QTimer

from gui.background import Inbox, Job, closing_deadline, join_stopped, note_stopped, start_thread


@pytest.fixture
def job(qtbot):
    job = Job("test")
    job.seen = []
    job.delivered.connect(lambda token, result: job.seen.append((token, result)))
    job.failed.connect(lambda token, error: job.seen.append((token, type(error))))
    yield job
    job.stop()
    assert join_stopped()


def held(gate, result):
    """Work that waits until it is let through."""

    def work(_cancelled):
        gate.wait(10)
        yield result

    return work


def raising(error):
    def work(_cancelled):
        raise error
        yield

    return work


def test_a_result_comes_with_its_token(job, qtbot):
    with qtbot.waitSignal(job.ended):
        job.start("first", lambda _cancelled: iter([1]))
    assert job.seen == [("first", 1)]
    assert not job.busy


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), MemoryError(), RecursionError(), KeyError("y")])
def test_whatever_the_work_raises_is_logged_and_told_and_nobody_waits(job, qtbot, caplog, error):
    with caplog.at_level(logging.ERROR), qtbot.waitSignal(job.ended):
        job.start("bad", raising(error))
        assert job.busy
    assert job.seen == [("bad", type(error))]
    assert not job.busy
    assert "work in the background failed" in caplog.text


def test_the_newest_request_wins(job, qtbot):
    gate = threading.Event()
    job.start("old", held(gate, 1))
    job.start("older than the newest", held(gate, 2))
    job.start("newest", held(gate, 3))
    with qtbot.waitSignal(job.ended):
        gate.set()
    assert job.seen == [("newest", 3)]


def test_a_patient_request_lets_what_is_under_way_be_delivered(job, qtbot):
    gate = threading.Event()
    job.start("under way", held(gate, 1))
    job.start("dropped", held(gate, 2), patient=True)
    job.start("newest", held(gate, 3), patient=True)
    with qtbot.waitSignal(job.ended):
        gate.set()
    assert job.seen == [("under way", 1), ("newest", 3)]


def test_what_is_cancelled_is_never_delivered_not_even_its_error(job, qtbot):
    gate = threading.Event()

    def work(_cancelled):
        gate.wait(10)
        raise ValueError("too late")
        yield

    job.start("cancelled", work)
    job.cancel()
    assert not job.busy
    with qtbot.waitSignal(job.ended):
        gate.set()
    assert job.seen == []


def test_work_asked_for_while_a_result_is_delivered_is_done(job, qtbot):
    job.delivered.connect(lambda token, _result: token == 1 and job.start(2, lambda _cancelled: iter(["two"])))
    with qtbot.waitSignal(job.ended):
        job.start(1, lambda _cancelled: iter(["one"]))
    assert job.seen == [(1, "one"), (2, "two")]


def test_a_result_is_delivered_though_no_thread_can_begin_what_waits(job, qtbot, monkeypatch):
    gate, told = threading.Event(), []
    job.start("under way", held(gate, 1))
    job.start("waits", held(gate, 2), patient=True)

    def no_room(_name, _work):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("gui.background.start_thread", no_room)
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: told.append(str(error)))
    with qtbot.waitSignal(job.ended):
        gate.set()
    assert job.seen == [("under way", 1)] and told == ["can't start new thread"]
    assert not job.busy


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_work_that_its_thread_cannot_even_begin_has_failed(job, qtbot, monkeypatch, is_waited_for):
    def refuse(_request, _announce):
        raise MemoryError

    monkeypatch.setattr("gui.background._Request.do", refuse)
    monkeypatch.setattr(threading, "excepthook", lambda _error: None)  # which prints it
    with qtbot.waitSignal(job.ended):
        job.start("first", lambda _cancelled: iter([1]))
        if is_waited_for:
            job.finish(closing_deadline())
    assert job.seen == [("first", RuntimeError)] and not job.busy


def test_a_job_whose_thread_has_ended_without_a_word_is_not_waited_for_for_ever(job, monkeypatch):
    monkeypatch.setattr("gui.background.start_thread", lambda name, _work: start_thread(name, lambda: None))
    job.start("first", lambda _cancelled: iter([1]))
    job.finish(closing_deadline())
    assert job.seen == [("first", RuntimeError)] and not job.busy


def test_nothing_of_the_work_is_kept_when_it_is_done(job, qtbot):
    def work_that_holds(what):
        return lambda _cancelled: iter([what.name])

    thread = threading.Thread(name="held by the work alone")
    held_weakly = weakref.ref(thread)
    with qtbot.waitSignal(job.ended):
        job.start(None, work_that_holds(thread))
    del thread
    qtbot.waitUntil(lambda: held_weakly() is None)


def test_a_job_that_is_waited_for_delivers_all_that_was_asked_for(job):
    job.start("under way", lambda _cancelled: iter([1]))
    job.start("next", lambda _cancelled: iter([2]), patient=True)
    job.finish(closing_deadline())
    assert job.seen == [("under way", 1), ("next", 2)]
    assert not job.busy


def test_a_job_is_waited_for_until_the_deadline_only(job, qtbot):
    gate = threading.Event()
    job.start("late", held(gate, 1))
    job.finish(time.monotonic())
    assert job.seen == [] and job.busy
    with qtbot.waitSignal(job.ended):
        gate.set()


def test_nothing_comes_of_a_job_that_was_stopped_or_deleted(qtbot):
    gate, seen = threading.Event(), []
    for kind in ("stopped", "deleted"):
        job = Job(kind)
        job.delivered.connect(lambda token, _result: seen.append(token))
        job.start(kind, held(gate, 1))
        job.stop()
        if kind == "deleted":
            shiboken6.delete(job)
    gate.set()
    assert join_stopped()
    later = Job("later")
    with qtbot.waitSignal(later.ended):  # what the others have left in the inbox was called before
        later.start(None, lambda _cancelled: iter([None]))
    assert seen == []


def test_threads_that_were_stopped_are_waited_for_until_the_deadline():
    gate = threading.Event()
    note_stopped(start_thread("stubborn", gate.wait))
    assert not join_stopped(deadline=time.monotonic())
    gate.set()
    assert join_stopped()


def test_calls_of_a_thread_are_made_in_their_order_and_all_of_them_though_one_raises(qtbot, monkeypatch):
    told, seen = [], []
    monkeypatch.setattr(sys, "excepthook", lambda *error: told.append(error[0]))
    inbox = Inbox(None)

    def call_often():
        for number in range(1000):
            inbox.call(lambda number=number: seen.append((number, threading.current_thread())))
            if number == 500:
                inbox.call(lambda: 1 / 0)

    start_thread("calling", call_often).result(60)
    qtbot.waitUntil(lambda: len(seen) == 1000)
    assert seen == [(number, threading.main_thread()) for number in range(1000)]
    assert told == [ZeroDivisionError]


def test_results_that_take_long_to_show_leave_turns_of_the_event_loop_between_them(qtbot):
    inbox, happened = Inbox(None), []

    def show(name):
        happened.append(name)
        time.sleep(0.011)

    for name in "abc":
        inbox.call(lambda name=name: show(name))
    beats = QTimer(interval=0)
    beats.timeout.connect(lambda: happened.append("beat"))
    beats.start()
    qtbot.waitUntil(lambda: "c" in happened)
    beats.stop()
    assert [each for each in happened if each != "beat"] == ["a", "b", "c"]
    assert "beat" in happened[happened.index("a") : happened.index("b")]
    assert "beat" in happened[happened.index("b") : happened.index("c")]
