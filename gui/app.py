"""The application around the window: Qt's settings, the collector of garbage, crashes that do not end the program."""

from __future__ import annotations

import gc
import logging
import sys
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from gui.main_window import MainWindow
from gui.session import Session

log = logging.getLogger("gradstep")


def make_application() -> QApplication:
    """The one QApplication, in Fusion style."""
    existing = QCoreApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName("Gradstep")
    application.setOrganizationName("Gradstep")
    application.setStyle("Fusion")
    return application


def run(file: Path | None) -> int:
    """Opens the window and returns the exit code when it is closed.

    Args:
        file: session or program to open.
    """
    application = make_application()
    sys.setswitchinterval(0.0005)
    collector = _collect_in_this_thread()
    window = MainWindow(Session(), settings=QSettings())
    sys.excepthook = lambda *error: _report(window, *error)
    if file is not None:
        window.session.open(file)
    window.show()
    code = application.exec()
    collector.stop()
    sys.excepthook = sys.__excepthook__
    window.session.close()
    window.deleteLater()
    return code


def _collect_in_this_thread() -> QTimer:
    """Collects garbage from the GUI thread only: in the worker the collector might delete Qt objects there."""
    gc.collect()
    gc.freeze()
    gc.disable()
    timer = QTimer()
    timer.setInterval(2000)
    timer.timeout.connect(lambda: gc.collect(1))
    timer.start()
    return timer


def _report(window: MainWindow, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An exception in a slot: one line for the user, the trace for the log."""
    log.error("unexpected error", exc_info=(kind, error, trace))
    window.tell(f"Something went wrong: {error}", "error")
