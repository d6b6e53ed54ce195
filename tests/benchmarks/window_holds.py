"""How long one action holds the GUI thread, with the window open and 100 samples, by the size of the network.

Run by `window_bench` in a process of its own. A hold is the time between two turns of the event loop. Each action has
two figures: the wall time of its longest hold, and the processor time of the GUI thread in its longest one, which does
not depend on what else the machine does.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEventLoop, QSize, QTimer
from PySide6.QtWidgets import QApplication

from gui.app import make_application
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.programs import BackgroundPrograms

SETTLED_SECONDS = 0.25
"""Nothing happens for so long after an action: then all that follows from it is done."""
LONGEST_SECONDS = 30.0

LEFT_OUT = frozenset({"new", "open", "save", "save as", "quit", "about", "shortcuts", "run", "play", "undo", "redo"})
"""Actions of the registry that are not done: they ask, or they are measured by themselves."""

Action = Callable[[], object]
Done = Callable[[], bool]


class Holds:
    """Measures the turns of the event loop."""

    def __init__(self, application: QApplication) -> None:
        self._application = application
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._wall = self._processor = 0.0
        self._last = (0.0, 0.0)

    def _beat(self) -> None:
        now = time.perf_counter(), time.thread_time()
        self._wall = max(self._wall, now[0] - self._last[0])
        self._processor = max(self._processor, now[1] - self._last[1])
        self._last = now

    def of(self, action: Action, done: Done) -> list[float]:
        """Longest hold from the action until it is done and nothing more follows: wall and processor milliseconds."""
        gc.collect()
        self._wall = self._processor = 0.0
        self._timer.start(1)
        self._last = time.perf_counter(), time.thread_time()
        action()
        end, settled = time.perf_counter() + LONGEST_SECONDS, 0.0
        while time.perf_counter() < end:
            self._application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if not done():
                settled = 0.0
            elif not settled:
                settled = time.perf_counter()
            elif time.perf_counter() - settled > SETTLED_SECONDS:
                break
        self._timer.stop()
        return [1000 * self._wall, 1000 * self._processor]


def cases(window: MainWindow) -> Iterator[tuple[str, Action, Done]]:
    """The actions in the order in which they are done, and when each is; the state they are asked for in is the one
    they find.
    """
    session, presenter = window.session, window.session.presenter

    def laid_out() -> bool:
        return not presenter.busy and not session.program.busy

    yield from cases_of_the_graph(window, laid_out)
    yield from cases_of_training(window, laid_out)
    yield "check gradients", window.action("check").trigger, laid_out
    window.session.select(next(iter(presenter.picture.boxes)))
    for name in (name for actions in window.action_sets for name in actions.entries):
        if name not in LEFT_OUT and not name.startswith("export "):
            yield f"action {name}", window.action(name).trigger, laid_out
    yield "show the program", lambda: session.set_view(shows="expression"), laid_out
    yield "a letter typed", lambda: session.edit("text", expression={"text": "a = 2\nb = a * 3\nc = b + a"}), laid_out


def cases_of_the_graph(window: MainWindow, laid_out: Done) -> Iterator[tuple[str, Action, Done]]:
    """Showing it, the walk through it, explanations, groups."""
    session, presenter = window.session, window.session.presenter

    def group() -> str:
        return next(key for key in presenter.picture.boxes if key.startswith("group:"))

    yield "show the graph", lambda: session.set_view(shows="network"), laid_out
    yield "resize", lambda: window.resize(QSize(window.width() - 60, window.height() - 40)), laid_out
    yield "first Next", window.action("next").trigger, laid_out
    yield "second Next", window.action("next").trigger, laid_out
    yield "Back", window.action("back").trigger, laid_out
    yield "to the middle of the walk", lambda: presenter.set_position(presenter.n_steps // 2), laid_out
    yield "to the end of the walk", lambda: presenter.set_position(presenter.n_steps), laid_out
    yield "compute all", window.action("all").trigger, laid_out
    boxes = list(presenter.picture.boxes)
    yield "explain an input", lambda: window.graph_panel.explain(boxes[0]), laid_out
    yield "explain the loss", lambda: window.graph_panel.explain(boxes[-1]), laid_out
    yield "open a group", lambda: presenter.groups.toggle(group()), laid_out
    yield "close it again", lambda: session.set_view(expanded=(), collapsed=()), laid_out
    yield "another sample", lambda: session.set_view(sample=7), laid_out
    yield "fit", window.action("fit").trigger, laid_out


def cases_of_training(window: MainWindow, laid_out: Done) -> Iterator[tuple[str, Action, Done]]:
    """Steps, a run, its past, and edits of its settings."""
    session = window.session

    def after(step: int) -> Done:
        return lambda: session.newest is not None and session.newest.snapshot.step >= step

    yield "one step", window.action("step").trigger, after(1)
    yield "one phase", window.action("phase").trigger, lambda: bool(session.newest and session.newest.phase)
    yield "run for 20 steps", session.run, after(20)
    yield "pause", session.pause, lambda: session.run_state == "paused"
    yield (
        "a past step",
        lambda: session.training.view_step(3),
        lambda: bool(session.shown and session.shown.snapshot.step == 3),
    )
    yield "the newest step", lambda: session.training.view_step(None), lambda: session.training.viewed_step is None
    yield "learning rate", lambda: session.edit("rate", training={"learning_rate": 0.02}), laid_out
    yield "reset", window.action("reset").trigger, laid_out
    yield "undo", window.action("undo").trigger, laid_out


def measured(hidden: int) -> dict[str, list[float]]:
    """Wall and processor milliseconds of the longest hold of each action, with two hidden layers of so many neurons."""
    window = MainWindow(Session(programs=BackgroundPrograms()), theme="light", workspace="both")
    session, holds = window.session, Holds(make_application())
    session.edit("sizes", data={"n_samples": 100}, network={"layer_sizes": (2, hidden, hidden, 1)})
    window.resize(1440, 900)
    window.show()
    loading, loaded = load_later(window), []
    loading.ended.connect(lambda: loaded.append(True))
    holds.of(lambda: None, lambda: bool(loaded))
    results = {name: holds.of(action, done) for name, action, done in cases(window)}
    session.discard_changes()
    session.close()
    loading.stop()
    return results


if __name__ == "__main__":
    make_application()
    gc.disable()
    sys.setswitchinterval(0.0005)
    print(json.dumps(measured(int(sys.argv[1]))))
