"""Starting, stopping and changing everything again and again: no thread, no memory and no weight gets lost."""

import gc
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from engine.network.run.progress import RunState
from tests.gui.training import LONG

ROUNDS = 200
FIGURES = Path("/proc/self/statm")


def memory():
    """Resident memory of this process, MB; 0 where the system does not tell."""
    return 0.0 if not FIGURES.exists() else int(FIGURES.read_text(encoding="ascii").split()[1]) * 4096 / 1e6


def step_of(session):
    return 0 if session.newest is None else session.newest.snapshot.step


@pytest.mark.long
def test_two_hundred_starts_and_stops_leave_one_thread_and_every_step(window, qtbot):
    session = window.session
    window.show_workspace("train")
    reached = []

    def start_and_stop(times):
        before = step_of(session)
        for _ in range(times):
            session.run()
            session.pause()
        session.run()
        qtbot.waitUntil(lambda: step_of(session) > before, timeout=LONG)
        session.pause()
        qtbot.waitUntil(lambda: session.run_state is RunState.PAUSED, timeout=LONG)
        reached.append(step_of(session))

    start_and_stop(9)
    gc.collect()
    threads, before = threading.active_count(), memory()
    for _ in range(ROUNDS // 10 - 1):
        start_and_stop(9)
    gc.collect()
    qtbot.waitUntil(lambda: threading.active_count() <= threads + 1)  # pictures that are under way
    assert memory() - before < 60.0
    assert reached == sorted(reached) and session.newest.steps == range(step_of(session) + 1)


CHANGES = [
    {"training": {"learning_rate": 0.01}},
    {"training": {"optimizer": "adam"}},
    {"training": {"batch_size": 7}},
    {"training": {"l2": 1e-3, "l1": 1e-4}},
    {"training": {"clip_norm": 1.0, "clip_value": 0.5}},
    {"training": {"schedule": "cosine"}},
    {"training": {"dtype": "float32"}},
    {"training": {"loss": "hinge"}},
    {"training": {"max_steps": 10**9, "plateau": 10**6}},
    {"training": {"seed": 5}},
    {"network": {"output_activation": "tanh"}},
    {"network": {"layer_sizes": (2, 5, 3, 1)}},
    {"network": {"seed": 9, "initialiser": "xavier"}},
    {"data": {"n_samples": 60}},
    {"data": {"noise": 0.3, "test_share": 0.25}},
    {"data": {"name": "circles"}},
]
KEEP_WEIGHTS = 10
"""So many of the changes go with the weights there are."""


@pytest.mark.long
def test_every_setting_changes_while_it_runs(window, qtbot):
    session, errors = window.session, []
    session.message_posted.connect(lambda text, kind: errors.append(text) if kind == "error" else None)
    window.show_workspace("train")
    session.run()
    for place, sections in enumerate(CHANGES):
        qtbot.waitUntil(lambda: step_of(session) > 3, timeout=LONG)
        before = step_of(session)
        assert session.edit("change", **sections)
        if place < KEEP_WEIGHTS:
            qtbot.waitUntil(lambda before=before: step_of(session) > before, timeout=LONG)
        else:
            session.run()
    qtbot.waitUntil(lambda: step_of(session) > 3, timeout=LONG)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state is RunState.PAUSED, timeout=LONG)
    assert errors == []
    settings = session.newest.snapshot.settings
    assert (settings.optimizer, settings.batch_size, settings.loss, settings.dtype) == ("adam", 7, "hinge", "float32")


def test_closing_while_it_runs_and_views_the_past_ends_everything(make_window, qtbot):
    window = make_window()
    window.show_workspace("train")
    window.session.run()
    qtbot.waitUntil(lambda: step_of(window.session) > 10, timeout=LONG)
    window.session.training.view_step(3)
    qtbot.mouseClick(window.history.play, Qt.MouseButton.LeftButton)
    window.session.discard_changes()
    assert window.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "training"]
