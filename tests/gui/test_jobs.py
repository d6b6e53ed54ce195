"""Work off the GUI thread: the newest request wins, and whatever goes wrong is told."""

import logging
import queue
import threading
import time
import weakref

import pytest

from gui import jobs
from gui.jobs import CLOSING_SECONDS, Job, closing_deadline, join_all


@pytest.fixture
def job(qtbot):
    job = Job("test")
    job.seen = []
    job.delivered.connect(lambda token, result: job.seen.append((token, result)))
    job.failed.connect(lambda token, error: job.seen.append((token, type(error))))
    yield job
    job.close()


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


def test_requests_in_a_row_are_done_in_one_thread(job, qtbot, monkeypatch):
    monkeypatch.setattr(jobs, "IDLE_SECONDS", 60.0)
    for token in range(3):
        with qtbot.waitSignal(job.ended):
            job.start(token, lambda _cancelled: iter([threading.get_ident()]))
    assert [token for token, _ in job.seen] == [0, 1, 2]
    assert len({thread for _, thread in job.seen}) == 1
    assert not any(thread.is_alive() for thread in job.stop() if not thread.join(10))


def test_a_thread_that_nobody_needs_ends_and_later_requests_are_done_all_the_same(job, qtbot, monkeypatch):
    monkeypatch.setattr(jobs, "IDLE_SECONDS", 0.0)
    for token in range(20):
        with qtbot.waitSignal(job.ended):
            job.start(token, lambda _cancelled: iter([threading.current_thread()]))
        if token % 2:
            job.seen[-1][1].join(10)
            assert not job.seen[-1][1].is_alive()
    assert [token for token, _ in job.seen] == list(range(20))


@pytest.mark.slow
def test_an_idle_thread_keeps_nothing_of_the_work_it_has_done(job, qtbot, monkeypatch):
    monkeypatch.setattr(jobs, "IDLE_SECONDS", 60.0)

    def work_that_holds(what):
        return lambda _cancelled: iter([what.name])

    thread = threading.Thread(name="held by the work alone")
    held_weakly = weakref.ref(thread)
    with qtbot.waitSignal(job.ended):
        job.start(None, work_that_holds(thread))
    del thread
    qtbot.waitUntil(lambda: held_weakly() is None)


def test_a_request_that_its_thread_did_not_see_any_more_is_handed_to_the_next_one(job, qtbot, monkeypatch):
    class LateQueue(queue.SimpleQueue):
        """The first thread finds nothing in it, as if its time had been over the moment before."""

        times = iter([True])

        def get(self, *arguments, **options):
            if next(self.times, False):
                raise queue.Empty
            return super().get(*arguments, **options)

    monkeypatch.setattr(queue, "SimpleQueue", LateQueue)
    with qtbot.waitSignal(job.ended):
        job.start("late", lambda _cancelled: iter([1]))
    assert job.seen == [("late", 1)]


def test_threads_that_do_not_end_are_waited_for_two_seconds_in_all(monkeypatch):
    clock, waits = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    class Stubborn(threading.Thread):
        def join(self, timeout=None):
            waits.append(timeout)
            clock[0] += timeout if len(waits) > 1 else 0.5

        def is_alive(self):
            return True

    deadline = closing_deadline()
    assert not join_all([Stubborn(), Stubborn(), Stubborn()], deadline)
    assert waits == [CLOSING_SECONDS, CLOSING_SECONDS - 0.5, 0.0]
    assert not join_all([Stubborn()], deadline)
    assert waits[3:] == [0.0]


def test_threads_that_end_are_not_waited_for_longer():
    thread = threading.Thread(target=lambda: None)
    thread.start()
    assert join_all([thread])
