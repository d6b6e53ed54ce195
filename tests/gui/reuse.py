"""A window that several tests take in turn: between two of them it becomes what it was when it opened."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QMenu

from engine.document import Document
from engine.network.run.progress import RunState


def state_of(window):
    """What a test may change of a window and the next one relies upon."""
    session, training = window.session, window.session.training
    actions = {name: actions[name] for actions in window.action_sets for name in actions.entries}
    return {
        "document": session.document,
        "file": (session.path, session.stamp, session.modified, window.windowTitle()),
        "edits": session.undo_stack.count(),
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
