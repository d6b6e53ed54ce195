"""The window: anything clicked, typed, dropped and opened in any order.

Nothing may raise, Qt may not warn, nothing may be logged as an error, and no turn of the event loop may take more than
100 ms. A case is a list of actions, each with a name, three numbers and a text, so that any of them can be left out.
"""

import contextlib
import gc
import tempfile
import time
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox

from engine.document import Document
from engine.session_file import from_json, to_json
from gui.app import make_application
from gui.collector import Collector
from gui.loading import MODULES
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from tests.fuzz import lessons, programs, readers, sessions, tables
from tests.fuzz.user import ACTIONS, NEXT_EVENT, User
from tests.fuzz.watch import Watch

WAIT_SECONDS = 300.0
ENTRIES = ["", "0", "-1", "1e9", "nan", "0.1", "1e-9", "abc", "2,8,8,1", "2,0,1", "9" * 12, "3", "64", "0,1", "١", "5"]
ENTRIES += ["2, 256, 256, 1", "1e308", "0.05", "100000", " ", "\u202e", "x" * 3000, "a\tb", "99999999999999999999"]
SHORT = ["a = 2\n", "b = a*a + 1\n", "c = tanh(b)", "d = log(-1)\n", "e = 1/0\n", "(((", "1e308*10\n", "x=3;y=x**x\n"]
FIRST = [
    [name, 0.3, 0.6, 0.1, lessons.SMALLEST if name == "own_lesson" else "a = 2\nb = tanh(a)\n"] for name in ACTIONS
]


def make(chance, length=60):
    """Actions in a row."""
    names = chance.choices(list(ACTIONS), ACTIONS.values(), k=length)
    return [[name, *(round(chance.random(), 6) for _ in range(3)), text_for(name, chance)] for name in names]


def text_for(name, chance):
    if name == "enter":
        return chance.choice(ENTRIES)
    if name in ("type", "key_in_editor"):
        return chance.choice([*SHORT, programs.make(chance)])
    if name == "own_lesson":
        return lessons.make(chance)
    if name in ("open_file", "drop"):
        return chance.choice(CONTENTS)(chance)
    return ""


def session(chance):
    """One in which nothing is exchanged."""
    return to_json(sessions.document_of(chance))


def damaged_session(chance):
    """A session of which some can be read, so that the window shows what that is."""
    return readers.content_for("session", chance).decode("utf-8", "replace")


CONTENTS = (session, session, sessions.make, damaged_session, programs.make, tables.table, tables.make, lessons.make)
"""Files that are opened and dropped."""


@contextlib.contextmanager
def opened():
    """A window as the application opens it, in a folder of its own; garbage is collected as there."""
    make_application()
    for name in MODULES:  # as in the program, where a thread does it
        import_module(name)
    collector = Collector()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        window = MainWindow(Session(programs=BackgroundPrograms()), theme="light")
        window.session.changed.connect(lambda _change: collector.wake())
        window.resize(1440, 900)
        window.show()
        QApplication.processEvents()
        try:
            yield window, folder
        finally:
            close(window)
            collector.stop()
            gc.unfreeze()
            gc.enable()


def close(window):
    for dialog in QApplication.topLevelWidgets():
        if dialog is not window and isinstance(dialog, QMessageBox | QFileDialog | QMenu):
            dialog.close()
    window.session.discard_changes()
    window.session.commit_requested.emit()
    window.session.discard_changes()
    window.close()
    window.session.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.clipboard().clear()


def check(case):
    """Does all of it, then asks whether the window still works."""
    with Watch() as watch, opened() as (window, folder):
        user = User(window, folder, watch)
        for action in case:
            user.do(*action)
            if watch.found:
                raise watch.found[0]
        window.files.finish_writing(time.monotonic() + WAIT_SECONDS)
        check_session(window.session)
        check_still_works(window)
    if watch.found:
        raise watch.found[0]
    return watch.slow


def check_session(session):
    """What would be saved can be opened again."""
    document = session.current_document()
    assert from_json(to_json(document)) == document
    assert not [*Path().glob(".*.part")]


def check_still_works(window):
    """An ordinary program is evaluated, drawn and differentiated."""
    session = window.session
    window.course.leave()  # whose player would go on with its steps
    session.pause()
    session.reset_document(Document())
    session.program.walk_lines(False)  # line by line, there is no gradient before a statement computes it
    session.edit("text", expression={"text": "a = 3.0\nb = a * a"})
    session.set_view(shows="expression")
    end = time.monotonic() + WAIT_SECONDS
    while "b" not in session.presenter.readings or session.program.busy or session.presenter.busy:
        assert time.monotonic() < end, (session.program.busy, session.presenter.busy, session.presenter.readings)
        QApplication.processEvents(NEXT_EVENT)
    QApplication.processEvents()
    readings = session.presenter.readings  # with as many decimals as the settings say
    assert float(readings["b"].data) == 9.0
    assert float(readings["a"].grad) == 6.0
    dock = window.docks["ExpressionPanel"]
    dock.show()
    dock.raise_()  # what is hidden is not renewed
    while dock.panel.editor.toPlainText() != "a = 3.0\nb = a * a":  # once it has its place
        assert time.monotonic() < end, dock.panel.editor.toPlainText()
        QApplication.processEvents(NEXT_EVENT)
