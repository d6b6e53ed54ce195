"""A window that several tests take in turn: between two of them it becomes what it was when it opened."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu

from engine.document import Document
from engine.network.run.progress import RunState
from gui.main_window import MainWindow
from gui.panels.planes import boundary
from gui.panels.program import editor
from gui.session import Session, run


@contextmanager
def looking_sooner() -> Iterator[None]:
    """Shorten the intervals at which new windows look whether something has happened: no user is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "FIRST_SPEED", None)
        patch.setattr(boundary, "RESIZE_MILLISECONDS", 10)
        patch.setattr(editor, "DEBOUNCE_MILLISECONDS", 20)
        yield


class SharedWindow:
    """Window of the tests of a file: to open and to close one takes most of a second of a processor.

    Args:
        make_programs: makes what runs the programs of the window's session.

    Attributes:
        window: shown, with the panels that are seen.
        first: its state and arrangement as it opened.
    """

    def __init__(self, make_programs):
        self._make_programs = make_programs
        self._open()

    def _open(self):
        with looking_sooner():
            self.window = window = MainWindow(Session(programs=self._make_programs()), theme="light", workspace="both")
            window.show()
            assert QTest.qWaitForWindowExposed(window, 60_000)
            seen = [dock for dock in window.docks.values() if not dock.visibleRegion().isEmpty()]
            while not all(dock.is_made for dock in seen):
                QTest.qWait(2)
            window.session.train("step")  # starts the thread that trains, which goes on with the window
            while is_busy(window) or not window.session.trained_so_far.step:
                QTest.qWait(2)
            window.session.reset_document(Document())
            while is_busy(window) or window.session.trained_so_far.step:
                QTest.qWait(2)
        self.first = state_of(window), window.saveState()

    def close(self):
        """Close and delete it: nothing of it may keep it."""
        window = self.window
        window.session.discard_changes()
        assert window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert not shiboken6.isValid(window)


def state_of(window):
    """What a test may change of a window and the next one relies upon."""
    session, training = window.session, window.session.training
    actions = {name: actions[name] for actions in window.action_sets for name in actions.entries}
    return {
        "document": session.document,
        "file": (session.path, session.stamp, session.modified, window.windowTitle()),
        "edits": len(session.undo_stack.steps),
        "training": (
            session.trained_so_far.step,
            training.viewed_step,
            session.run_state,
            training.speed,
            training.count,
        ),
        "graph": (
            session.selection,
            session.compared,
            session.presenter.picture.boxes.keys(),
            session.presenter.position,
        ),
        "program": (session.error, window.docks["ExpressionPanel"].panel.editor.toPlainText()),
        "checked": {name for name, action in actions.items() if action.isChecked()},
        "look": (window.workspace, window.theme),
        "docks": docks_of(window),
        "dialogs": window.findChildren(QDialog),
        "menus": [menu for menu in window.findChildren(QMenu) if menu.isVisible()],
    }


def docks_of(window):
    """Where each panel stands, and whether it can be seen."""
    return {
        name: (dock.isHidden(), dock.isFloating(), window.dockWidgetArea(dock), dock.visibleRegion().isEmpty())
        for name, dock in window.docks.items()
    }


def renew(window, qtbot, first, arrangement):
    """Leaves the window as New and the default arrangement leave it.

    Args:
        window: shown.
        qtbot: waits.
        first: its state before it was used.
        arrangement: where its docks were then, as Qt says it.
    """
    session = window.session
    for dialog in window.findChildren(QDialog):
        dialog.reject()
    session.commit_requested.emit()  # what is still being typed is taken first, as New does
    session.pause()
    qtbot.waitUntil(lambda: not is_busy(window))
    session.training.set_control(None, 100)
    session.reset_document(Document())
    window.settings.reset("text size")
    window.message.clear_message()
    window.apply_theme("light")
    window.show_workspace("both")
    for actions in window.action_sets:
        for name in actions.entries:
            if actions[name].isCheckable() and actions[name].isChecked() != (name in first["checked"]):
                actions[name].trigger()
    window.resize(window.minimumSizeHint())
    if docks_of(window) != first["docks"]:
        window.restoreState(arrangement)
    qtbot.waitUntil(lambda: not is_busy(window) and docks_of(window) == first["docks"])
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    renewed = state_of(window)
    if renewed != first:
        changed = [f"{name}: {first[name]} -> {renewed[name]}" for name in first if renewed[name] != first[name]]
        pytest.fail("not as it was:\n  " + "\n  ".join(changed), pytrace=False)


def is_busy(window):
    """Whether something is under way in it."""
    session, files = window.session, window.files
    jobs = [session.program, session.presenter, files.reading, files.writing, window.exporter]
    return any(job.busy for job in jobs) or session.run_state is RunState.RUNNING
