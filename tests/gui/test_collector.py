"""Old graphs are freed, by counting references where possible and by the collector where not, and nobody waits."""

import gc
import sys
import threading
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QMenu

from gui import collector
from gui.collector import Collector
from gui.panels.graph.graph import context_menu
from tests.reliability.census import left_behind


class Ring:
    """An object in a cycle with itself."""

    def __init__(self):
        self.me = self


@pytest.fixture
def collecting(qapp):
    found = Collector()
    yield found
    found.stop()
    gc.enable()


def old_ring():
    """A reference to a cycle that has been through both younger generations and is now let go."""
    ring = Ring()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(ring)


@pytest.mark.long
def test_old_graphs_are_freed_without_the_collector(window, qtbot):
    gc.disable()
    alive = []
    for number in range(20):
        text = f"a = {number}.5\nb = 2.0\n" + "".join(f"c{i} = a*b + {i}\n" for i in range(number % 5 + 3))
        window.session.edit("text", expression={"text": text})
        qtbot.waitUntil(lambda: not window.session.presenter.busy)
        window.session.select(f"c{number % 3}")
        alive.append(weakref.ref(window.session.presenter.graph_view.graph))
    assert sum(graph() is not None for graph in alive) <= 2


@pytest.mark.slow
def test_networks_that_were_shown_are_freed_without_the_collector(qtbot, session):
    gc.disable()
    alive = []
    session.set_view(shows="network")
    for width in range(2, 10):
        session.edit("network", network={"layer_sizes": (2, width, 1)})
        qtbot.waitUntil(lambda: not session.presenter.busy)
        alive.append(weakref.ref(session.presenter.graph_view.graph))
    assert session.document.network.layer_sizes == (2, 9, 1)
    assert sum(graph() is not None for graph in alive) <= 2


@pytest.mark.slow
def test_menus_that_are_filled_or_made_again_leave_nothing_behind(window, qtbot):
    window.session.edit("text", expression={"text": "a = 2.0\nb = -3.0\nc = a*b"})
    qtbot.waitUntil(lambda: not window.session.presenter.busy)
    for dock in window.docks.values():
        dock.make()

    def open_every_menu():
        for menu in window.findChildren(QMenu):
            menu.aboutToShow.emit()
        for key in (None, "c"):
            context_menu(window.session, key, window.action_sets, window).aboutToHide.emit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        return len(left_behind())

    open_every_menu()
    before = open_every_menu()
    assert open_every_menu() <= before


def test_an_old_cycle_is_found(collecting):
    ring = old_ring()
    assert ring() is not None
    collecting.tick()
    assert ring() is None


def test_the_collector_rests_until_something_happens(collecting):
    for _tick in range(collector.QUIET_TICKS + 1):
        collecting.tick()
    assert not any(timer.isActive() and not timer.isSingleShot() for timer in collecting.findChildren(QTimer))
    ring = old_ring()
    collecting.wake()
    collecting.tick()
    assert ring() is None


@pytest.mark.slow
def test_what_the_window_was_made_of_is_not_looked_at_again(qapp, qtbot, monkeypatch):
    monkeypatch.setattr(collector, "SETTLED_MILLISECONDS", 1)
    before = gc.get_freeze_count()
    found = Collector()
    try:
        kept = [[number] for number in range(3000)]
        qtbot.waitUntil(lambda: gc.get_freeze_count() >= before + len(kept))
    finally:
        found.stop()
        gc.enable()
        gc.unfreeze()


@pytest.mark.slow
def test_much_is_looked_at_only_when_the_window_is_quiet(collecting, monkeypatch):
    monkeypatch.setattr(collector, "FEW", 100)
    monkeypatch.setattr(collector, "GROWTH", 100)
    kept = [[number] for number in range(3000)]
    ring = old_ring()
    for _tick in range(collector.QUIET_TICKS - 1):
        collecting.tick()
        assert ring() is not None and collecting.full_collections == 0
    for _tick in range(2):
        collecting.tick()
    assert ring() is None and collecting.full_collections == 1
    for _tick in range(2 * collector.QUIET_TICKS):
        collecting.tick()
    assert collecting.full_collections == 1 and len(kept) == 3000


@pytest.mark.slow
def test_what_is_made_in_one_go_waits_until_it_is_quiet(collecting, monkeypatch):
    monkeypatch.setattr(collector, "FEW", 1000)
    looked = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: looked.append(generation))
    kept = [[number] for number in range(6000)]
    collecting.tick()
    assert looked == []
    for _tick in range(collector.QUIET_TICKS):
        collecting.tick()
    assert looked and len(kept) == 6000


@pytest.mark.slow
def test_counting_disturbs_no_thread_that_is_building_a_tuple():
    failed, counted = [], threading.Event()

    def build():
        while not counted.is_set():
            try:
                tuple([number] for number in range(100))
            except SystemError as error:
                failed.append(error)
                return

    gc.collect()
    gc.freeze()  # what other tests have left is not counted: a thousand counts of all of it take a minute
    kept = [[number] for number in range(1000)]
    gc.collect()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=build)
    thread.start()
    try:
        for _ in range(1000):
            gc.collect(1)
            assert collector.count_old_objects() >= len(kept)
    finally:
        sys.setswitchinterval(interval)
        counted.set()
        thread.join()
    assert failed == []
