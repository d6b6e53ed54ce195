"""Modules loaded when idle: those of panels and dialogs, and the plotting library.

A module is loaded when it is first needed, so that the window opens soon; but the library of the plots then holds the
window for 0.15 s. So a window that has been open for a moment loads what it may need later, in a thread. PySide makes a
class of Qt when it is first looked at, which two threads must not do at once: that is done before, in the GUI thread,
a few classes in each turn of the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from gui.arrangement import PANELS
from gui.background import Job
from gui.idle_tasks import IdleTasks

LATER_MILLISECONDS = 1000
"""After the window was made: what it shows at first is there then."""
CLASSES = 8
"""Qt classes examined in one idle task: 1 to 3 ms."""
MODULES = (
    "pyqtgraph",
    *(f"gui.panels.{entry.module}" for entry in PANELS.values()),
    "gui.panels.program.program_plots",
    "gui.panels.graph.elements",
    "gui.importing.import_dialog",
    "gui.export.exporter",
    "gui.export.progress",
    "gui.actions.shortcuts_page",
    "gui.about",
)
"""In the order in which they are loaded."""


class Loading(QObject):
    """Loads everything, soon after a window was made.

    Attributes:
        is_done: whether all modules are loaded.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_done = False
        self._idle_tasks = IdleTasks(window)
        self._job = Job("loading", self)
        self._job.ended.connect(self._end)
        self._later = QTimer(self, singleShot=True, interval=LATER_MILLISECONDS)
        self._later.timeout.connect(self._begin)
        self._later.start()

    def _begin(self) -> None:
        for module in (QtCore, QtGui, QtWidgets):
            names = dir(module)
            for first in range(0, len(names), CLASSES):
                self._idle_tasks.add((module, first), partial(_look_at, module, names[first : first + CLASSES]))
        self._idle_tasks.add("modules", lambda: self._job.start(None, _load))

    def _end(self) -> None:
        self.is_done = True

    def stop(self) -> None:
        """Load nothing more."""
        self._later.stop()
        self._job.stop()


def _look_at(module: object, names: Sequence[str]) -> None:
    for name in names:
        getattr(module, name)


def _load(cancelled: Callable[[], bool]) -> Iterator[None]:
    """In a thread; nothing comes of it."""
    for name in MODULES:
        if cancelled():
            break
        import_module(name)
    yield
