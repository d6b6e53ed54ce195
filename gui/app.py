"""The application around the window: settings, crashes that do not end the program."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from PySide6.QtCore import QCoreApplication, QLocale, QSettings, Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from engine.language.machine_code import cache_folder
from engine.terminal import say_error
from gui.arrangement import FIRST_WORKSPACE
from gui.background import DRIVE_SECONDS, Job, answer_within, closing_deadline, join_stopped
from gui.bars.recovery_bar import RecoveryBar
from gui.collector import Collector
from gui.ending import Ending
from gui.loading import load_later
from gui.main_window import MainWindow
from gui.problems import logging_problems
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from gui.session.recent import recent_of
from gui.session.recovery import Recovery, data_folder, find_copies, recovery_folder
from gui.settings_file import NoSettings, SettingsFile, open_settings
from gui.theme import ICONS
from gui.unexpected import UnexpectedErrors, contained, report

Parts = tuple[MainWindow, Recovery, Job]
"""A window, what keeps its unsaved work, and the job that loads the modules it may need later."""


def make_application() -> QApplication:
    """The one QApplication, in Fusion style."""
    existing = QCoreApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName("Gradstep")
    application.setOrganizationName("Gradstep")
    application.setDesktopFileName("org.gradstep.Gradstep")  # the entry of a desktop that the windows belong to
    application.setWindowIcon(QIcon(str(ICONS / "gradstep.svg")))
    application.setStyle("Fusion")
    # The C locale: numbers have a decimal point and ASCII digits, months are English, in every country. A Turkish i has
    # no plain capital: PySide then does not find `setInterval` for `QTimer(interval=...)`.
    QLocale.setDefault(QLocale.c())
    for category, name in ((locale.LC_CTYPE, "C.UTF-8"), (locale.LC_NUMERIC, "C"), (locale.LC_TIME, "C")):
        with suppress(locale.Error):
            locale.setlocale(category, name)
    return application


def run(file: Path | None, lesson_folders: Sequence[Path] = (), lesson: str | None = None) -> int:
    """Open the window; return the exit code when it is closed.

    Args:
        file: session or program to open, or table to import.
        lesson_folders: folders of lessons besides our own and those of the settings.
        lesson: to open, by its name.
    """
    with logging_problems():
        return _run(make_application(), file, lesson_folders, lesson)


def _run(application: QApplication, file: Path | None, lesson_folders: Sequence[Path], lesson: str | None) -> int:
    sys.setswitchinterval(0.0005)
    early: list[tuple[str, str]] = []
    sys.excepthook = UnexpectedErrors(lambda text, kind: early.append((text, kind)))
    collector = Collector()
    settings, damage = _open_settings()
    starts_with_welcome = file is None and not settings.contains("workspace")
    make = partial(_make_window, "welcome" if starts_with_welcome else FIRST_WORKSPACE, lesson_folders)
    window, recovery, loading = _with_or_without(settings, make)
    session = window.session
    session.changed.connect(lambda _change: collector.wake())
    with contained():
        recent_of(session).use(data_folder() / "recent_files.json")
    with contained():
        last = str(settings.value("last file") or "")
        if file is not None:
            window.files.open_first(file)
        elif last and answer_within(DRIVE_SECONDS, Path(last).is_file, False):
            window.files.open_first(Path(last))
    with contained():
        _offer_copies(window, recovery)
    window.show()
    if damage:
        early.append((damage, "error"))
    for message in early:
        window.show_message(*message)
    sys.excepthook = UnexpectedErrors(window.show_message)
    if lesson is not None:
        QTimer.singleShot(0, window, lambda: window.course.open(lesson))
    with ExitStack() as ending:
        with contained():  # the window goes on where signals cannot be listened to
            ending.enter_context(Ending(application, recovery.keep_now))
        code = application.exec()
        deadline = window.closing_deadline or closing_deadline()
        if window.files.writing.busy:  # it was not closed: what is safe first
            recovery.keep_now(deadline)
            window.files.finish_writing(deadline)
        # Qt leaves the event loop, too, when the display is gone, as at the end of a desktop session.
        with contained():
            if recovery.close(window.closing_deadline is None, deadline):
                say_error("ended before its window was closed; what was not saved is offered at the next start")
        sys.excepthook = sys.__excepthook__
        if isinstance(settings, SettingsFile):
            settings.patience = 2000  # there is no later
        for stop in (settings.sync, collector.stop, loading.stop, window.stop):
            with contained():
                stop()
        if not join_stopped(deadline):
            _end_at_once(code)
    window.deleteLater()
    return code


def _open_settings() -> tuple[QSettings, str]:
    """Return the settings, and what is wrong with their file; where that fails, settings that remember nothing."""
    try:
        return open_settings()
    except Exception as error:
        report(error)
        return NoSettings(), ""


def _draw_recent_files(window: MainWindow) -> None:
    """Have a picture of each recent file in the cache, from now on; the modules for it are loaded."""
    from gui.panels.start.recent_cards import recent_pictures_of

    pictures = recent_pictures_of(window.session)
    pictures.colors = lambda: window.colors
    pictures.use(cache_folder() / "recent")


def _end_at_once(code: int) -> NoReturn:
    """End the process while a thread still draws: it would crash while Qt is taken down around it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _make_window(workspace: str, lesson_folders: Sequence[Path], settings: QSettings | None) -> Parts:
    session = Session(programs=BackgroundPrograms())
    session.lessons_folder = data_folder() / "lessons"
    session.lesson_folders = list(lesson_folders)
    window = MainWindow(session, settings=settings, workspace=workspace)
    recovery = Recovery(session, recovery_folder(), window)
    recovery.failed.connect(lambda reason: window.show_message(reason, "error"))
    loading = load_later(window)
    loading.ended.connect(lambda: _draw_recent_files(window))
    return window, recovery, loading


def _with_or_without(settings: QSettings, make: Callable[[QSettings | None], Parts]) -> Parts:
    """Make the window with the settings, or without any where that fails, as it may because of what they hold."""
    try:
        return make(settings)
    except Exception as error:
        report(error)
    for half_made in QApplication.topLevelWidgets():
        if half_made.windowType() is not Qt.WindowType.Popup:  # its owner, such as a completer, deletes it
            half_made.deleteLater()
    try:
        return make(None)
    except Exception:
        sys.excepthook = sys.__excepthook__  # there is no window that could show it
        raise


def _offer_copies(window: MainWindow, recovery: Recovery) -> None:
    """Offer the unsaved work that a crash has left."""
    copies = find_copies(recovery_folder())
    if copies:
        window.addToolBarBreak()
        bar = RecoveryBar(window.session, window.files, copies, recovery.keep_now, window)
        bar.recovered.connect(lambda: window.show_graph())  # Welcome would show nothing of it
        window.addToolBar(bar)
