"""Modules loaded when idle: those of panels and dialogs, and the plotting library.

A module is loaded when it is first needed, so that the window opens soon; but the library of the plots then blocks the
window for 0.15 s. So a window that has been open for a moment loads what it may need later, in a thread. PySide makes a
class of Qt when it is first looked up, which two threads must not do at once: so all are looked up before, in idle
tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from engine.lessons.lesson_file import OWN_LESSONS, read_folder
from gui.arrangement import PANELS
from gui.background import Job
from gui.scheduling import idle_tasks

LATER_MILLISECONDS = 1000
"""Delay after the window was made: what it shows at first is there then."""
CLASSES = 8
"""Qt classes looked up in one idle task: 1 to 3 ms."""
MODULES = (
    "pyqtgraph",
    *(f"gui.panels.{entry.module}" for entry in PANELS.values()),
    "gui.panels.program.program_plots",
    "gui.panels.graph.elements",
    "gui.importing.import_dialog",
    "gui.code_dialog",
    "gui.export.exporter",
    "gui.export.progress",
    "gui.help.help_window",
    "gui.about",
    "gui.command_palette.command_palette",
    "gui.edit_history",
)
"""In the order in which they are loaded."""


def load_later(window: QWidget) -> Job:
    """Load all modules soon; return the job that does it, whose signal `ended` comes when they are loaded."""
    job = Job("loading", window)
    names = ((module, name) for module in (QtCore, QtGui, QtWidgets) for name in dir(module))

    def look_up() -> None:
        some = list(islice(names, CLASSES))
        if some:
            idle_tasks().add(job, look_up)  # behind other tasks
            for module, name in some:
                getattr(module, name)
        else:
            job.start(None, _load)

    QTimer.singleShot(LATER_MILLISECONDS, job, lambda: idle_tasks().add(job, look_up))
    return job


def _load(cancelled: Callable[[], bool]) -> Iterator[None]:
    """Import the modules and read the lessons, in a thread."""
    for name in MODULES:
        if cancelled():
            break
        import_module(name)
    if not cancelled():
        read_folder(OWN_LESSONS)  # kept by `examine_lesson`: the command palette lists the lessons when it opens
    yield
