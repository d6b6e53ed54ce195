"""Exceptions planted in the window: wherever Qt, a thread or the session calls into it, found by the registries.

`python -m tests.gui.faults` does it in a real window, on the platform that QT_QPA_PLATFORM names.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QPoint, QSize, Qt, QTimer
from PySide6.QtTest import QTest
from shiboken6 import Shiboken

from engine.document import Document
from engine.network.run.progress import RunState
from engine.network.run.training_run import TrainingRun
from engine.session_file import from_json
from gui.actions.registry import ACTIONS
from gui.app import make_application
from gui.arrangement import PANELS
from gui.background import Job
from gui.canvas.tiles import TileLayer
from gui.main_window import MainWindow
from gui.panels.graph.graph import GraphPanel
from gui.panels.panel import Panel
from gui.scheduling import idle_tasks
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from gui.session.recorded_runs import RecordedRuns
from gui.session.run import DisplayPace
from gui.unexpected import UnexpectedErrors
from gui.widgets.failure_notice import FailureNotice

PATIENCE = 300.0
TURNS, MOST_RAISED = 60, 20
"""In so many turns of the event loop, in which nobody touches the window, at most so many exceptions: a timer that
tries again for ever raises one in each turn."""
MOST_TOLD = 12
"""Lines in the status bar, in the course of a dozen things that the user does."""
PROGRAMS = ("a = Value(3.0)\nb = a * 2\nb.backward()\n", "x = Value(1.0)\ny = (x * x + 1).tanh()\ny.backward()\n")
PAINTERS = {"paint", "paintEvent", "drawForeground", "drawBackground", "drawObject"}

Place = tuple[Any, str]
"""An object and the name of a function of it."""


KINDS = ("painters", "other overrides", "refreshes", "colors", "actions", "run", "reports", "jobs")


def fail(*_arguments: object, **_options: object) -> None:
    """Raise an exception, whatever this is called with."""
    raise ValueError("planted")


class PlantedError(Exception):
    """An exception that was planted."""


class Faults:
    """Functions that raise: each once, or each as long as they are planted.

    Attributes:
        raised: how many exceptions there were.
    """

    def __init__(self, lasting: bool) -> None:
        self._lasting, self.raised = lasting, 0
        self.where = Counter()

    @contextlib.contextmanager
    def planted(self, places: list[Place]) -> Iterator[None]:
        originals = [(owner, name, owner.__dict__[name]) for owner, name in places]
        try:
            for owner, name, original in originals:
                _put(owner, name, self._failing(original))
            yield
        finally:
            for owner, name, original in originals:
                _put(owner, name, original)

    @contextlib.contextmanager
    def planted_in_jobs(self) -> Iterator[None]:
        """Plant them in everything that is done in the background."""
        start = Job.start

        def start_failing(job: Job, token: Any, work: Callable[..., Any], patient: bool = False) -> None:
            start(job, token, self._failing(work), patient)

        Job.start = start_failing  # type: ignore[method-assign]
        try:
            yield
        finally:
            Job.start = start  # type: ignore[method-assign]

    def _failing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        has_raised: list[bool] = []

        def fail(*arguments: Any, **options: Any) -> Any:
            if self._lasting or not has_raised:
                has_raised.append(True)
                self.raised += 1
                self.where[getattr(original, "__qualname__", original)] += 1
                raise PlantedError
            return original(*arguments, **options)

        return fail


def _put(owner: Any, name: str, function: Any) -> None:
    if isinstance(owner, type):
        setattr(owner, name, function)
    else:
        object.__setattr__(owner, name, function)  # entries of the registries are frozen


def classes(root: type = Shiboken.Object) -> Iterator[type]:
    """Return the classes derived from Qt's, those of the window and of pyqtgraph."""
    for kind in root.__subclasses__():
        yield from classes(kind)
        if kind.__module__.startswith(("gui.", "pyqtgraph.")):
            yield kind


def overrides(painters: bool) -> list[Place]:
    """Overrides of Qt's functions: those that paint, or all others."""
    functions = {id(function): function for kind in classes() for function in vars(kind).values()}
    guarded = [function for function in functions.values() if "__wrapped__" in getattr(function, "__dict__", ())]
    return [(function, "__wrapped__") for function in guarded if (function.__name__ in PAINTERS) == painters]


def own(kinds: Iterator[type], name: str) -> list[Place]:
    return [(kind, name) for kind in dict.fromkeys(kinds) if name in vars(kind)]


def methods(kind: type) -> list[Place]:
    return [(kind, name) for name, value in vars(kind).items() if callable(value) and not name.startswith("_")]


def all_places() -> dict[str, list[Place]]:
    """Where exceptions can be planted, by what is done there."""
    entries = [entry for entries in ACTIONS.values() for entry in entries]
    asked = ("do", "enabled", "checked", "live_text", "reason")
    return {
        "painters": [*overrides(painters=True), (TileLayer, "_drawn")],
        "other overrides": overrides(painters=False),
        "refreshes": [*own(classes(Panel), "refresh"), (GraphPanel, "_show")],
        "colors": own(classes(Panel), "set_colors"),
        "actions": [(entry, name) for entry in entries for name in asked if vars(entry)[name] is not None],
        "run": [place for place in methods(TrainingRun) if place[1] != "savable"],
        "jobs": [],
        "reports": [(DisplayPace, "begin"), *methods(RecordedRuns)],
    }


class Trial:
    """A window that is used while exceptions are planted in it, and looked at afterwards.

    Attributes:
        told: what the status bar said.
    """

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window, self.session, self.path = window, window.session, folder / "trial.gradstep"
        self.told: list[str] = []
        self.session.message_posted.connect(lambda text, _kind: self.told.append(text))

    def _tell(self, text: str, kind: str) -> None:
        self.told.append(text)
        self.window.show_message(text, kind)

    @contextlib.contextmanager
    def reported(self) -> Iterator[None]:
        """Exceptions are reported as in the program."""
        before, sys.excepthook = sys.excepthook, UnexpectedErrors(self._tell)
        logging.disable(logging.ERROR)  # they are many, and expected
        try:
            yield
        finally:
            sys.excepthook = before
            logging.disable(logging.NOTSET)

    def use(self, panels: Iterable[str] = ()) -> None:
        """Edit, train and look around as a user does: each step is called by Qt."""
        window, session, canvas = self.window, self.session, self.window.graph_panel.canvas
        shown = session.document.expression.text
        for step in (
            lambda: session.edit("text", expression={"text": PROGRAMS[shown == PROGRAMS[0]]}),
            lambda: window.apply_theme("dark"),
            lambda: window.show_workspace("train"),
            lambda: session.train("step"),
            None,
            *(partial(window.show_panel, name) for name in panels),
            lambda: window.show_workspace("both"),
            lambda: QTest.mouseMove(canvas.viewport(), QPoint(80, 60)),
            lambda: QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(80, 60)),
            lambda: QTest.keyClick(canvas, Qt.Key.Key_Plus),
            lambda: window.resize(window.size() - QSize(40, 30)),
            lambda: window.apply_theme("light"),
            lambda: window.resize(window.size() + QSize(40, 30)),
        ):
            if step is None:
                wait_until(lambda: not session.training.runner.unanswered)
            else:
                QTimer.singleShot(0, window, step)
            turn_over(5)
        wait_until(lambda: not idle_tasks().busy)
        turn_over(TURNS)

    def _never_rests(self, faults: Faults) -> list[tuple[str, int]]:
        """What raises again and again while nobody touches the window; nothing once animations have ended."""
        give_up, often = time.monotonic() + PATIENCE, [("", 0)]
        while often and time.monotonic() < give_up:
            raised, where = faults.raised, faults.where.copy()
            turn_over(TURNS)
            often = (faults.where - where).most_common(5) if faults.raised - raised > MOST_RAISED else []
        return often

    def _trigger_all(self) -> None:
        for actions in self.window.action_sets:
            for name in actions.entries:
                actions[name].trigger()
        turn_over(TURNS)

    def recover(self) -> None:
        """Do what a user does after it: something else is opened, and what failed is tried again."""
        window, session = self.window, self.session
        session.reset_document(Document())
        window.apply_theme("light")
        window.arrange()
        turn_over(TURNS)
        for notice in window.findChildren(FailureNotice):
            if not notice.isHidden():
                notice.button.click()
        wait_until(lambda: not idle_tasks().busy)
        turn_over(TURNS)

    def saved_step(self) -> int:
        """The step of training that a file holds now."""
        assert self.session.save(self.path)
        return from_json(self.path.read_text(encoding="utf-8")).trained.step

    def problems(self, kind: str, lasting: bool, panels: Iterable[str] = ()) -> list[str]:
        """What is wrong with the window with exceptions of that kind (a key of `all_places`) planted, and after it."""
        faults, found, window, session = Faults(lasting), [], self.window, self.session
        self.told.clear()
        with self.reported():
            with faults.planted_in_jobs() if kind == "jobs" else faults.planted(all_places()[kind]):
                self.use(panels)
                if kind == "actions":
                    self._trigger_all()
                if often := self._never_rests(faults):
                    found.append(f"exceptions for ever while nobody touches the window: {often}")
                if not faults.raised:
                    found.append("nothing was planted where it is called")
                step = self.saved_step()
                if step != session.trained_so_far.step or (kind != "run" and step == 0):
                    found.append(f"the file holds step {step}, the session has {session.trained_so_far.step}")
            if not 1 <= len(self.told) <= MOST_TOLD:
                found.append(f"told {self.told}")
            if not (
                window.isVisible() and window.updatesEnabled() and window.graph_panel.canvas.viewport().updatesEnabled()
            ):
                found.append("the window is not painted any more")
            before = faults.raised
            self.recover()
            failed = [notice.parent() for notice in window.findChildren(FailureNotice) if not notice.isHidden()]
            found += [f"{part} still says that it failed" for part in failed]
            session.train("step")
            wait_until(lambda: not session.training.runner.unanswered)
            if self.saved_step() != 1 or session.run_state is RunState.FAILED or faults.raised != before:
                found.append("it does not train any more")
        return found


def turn_over(turns: int) -> None:
    """Let the event loop turn, as often as a timer of 0 ms does."""
    seen, loop, timer = [0], QEventLoop(), QTimer(interval=0)

    def count() -> None:
        seen[0] += 1
        if seen[0] >= turns:
            loop.quit()

    timer.timeout.connect(count)
    timer.start()
    loop.exec()
    timer.stop()


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up, "waited in vain"
        QTest.qWait(2)


def main() -> int:
    """Try all kinds in one window; returns how many have problems."""
    make_application()
    logging.getLogger().addHandler(logging.NullHandler())
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(Session(programs=BackgroundPrograms()), theme="light")
        window.resize(1200, 800)
        window.show()
        trial = Trial(window, Path(folder))
        turn_over(TURNS)
        for kind in sys.argv[1:] or KINDS:
            for lasting in (False, True):
                if problems := trial.problems(kind, lasting, PANELS):
                    found[kind, lasting] = problems
                print(kind, "lasting" if lasting else "once", *(problems or ["fine"]), sep="; ", flush=True)
        window.session.discard_changes()
        window.close()
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
