"""Every dialog by keyboard: each control has a name, Tab goes round both ways, and Escape closes it."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu

from engine.document import Document
from engine.session_file import to_json
from engine.session_file.salvage import salvage
from gui.damaged_file import DamagedFileDialog
from tests.gui.keyboard import name_of, where

MOST_STOPS = 120
DAMAGED = to_json(Document())[:-40].encode()
FOREIGN = b"hello\n"


def open_damaged(window, folder):
    DamagedFileDialog(window, "mine.grad", salvage(DAMAGED), int).open()


def open_import(window, folder):
    path = folder / "mine.csv"
    path.write_text("x1,x2,label\n1,2,0\n3,4,1\n5,6,1\n")
    window.imports.open_path(path)


DIALOGS = {
    "settings": lambda window, _folder: window.show_settings(),
    "code": lambda window, _folder: window.show_code(),
    "help": lambda window, _folder: window.show_help(),
    "palette": lambda window, _folder: window.show_command_palette(),
    "import": open_import,
    "picture": lambda window, _folder: window.exporter.choose_picture(),
    "damaged file": open_damaged,
    "foreign file": lambda window, _folder: DamagedFileDialog(window, "notes", salvage(FOREIGN), int).open(),
    "history": lambda window, _folder: window.show_history(),
    "problems": lambda window, _folder: window.show_problems(),
    "about": lambda window, _folder: window.show_about(),
}


@pytest.fixture
def dialog(request, reused_window, qtbot, tmp_path):
    window = reused_window
    qtbot.waitUntil(lambda: not window.session.presenter.busy)
    DIALOGS[request.param](window, tmp_path)
    qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(QDialog)))
    found = next(each for each in window.findChildren(QDialog) if each.isVisible())
    if request.param == "import":
        qtbot.waitUntil(lambda: found.preview is not None)
    found.activateWindow()
    qtbot.waitUntil(found.isActiveWindow)
    yield found
    for each in window.findChildren(QDialog):
        each.close()
    qtbot.waitUntil(lambda: not window.findChildren(QDialog))
    QGuiApplication.clipboard().clear()


def controls(dialog):
    """The controls that take the keyboard now."""
    return [
        widget
        for widget in dialog.findChildren(object)
        if widget.isWidgetType()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and widget.isEnabled()
        and widget.window() is dialog
        and widget.focusProxy() is None
        and not isinstance(widget.parentWidget(), QMenu)
    ]


def round_trip(dialog, key):
    """The controls that Tab or Shift+Tab goes through until it comes to the first one again."""
    first, stops = dialog.focusWidget(), []
    for _ in range(MOST_STOPS):
        now = dialog.focusWidget()
        if now not in stops:
            stops.append(now)
        QTest.keyClick(now, key)
        if dialog.focusWidget() is first and now is not first:  # in a text Tab goes from link to link first
            return stops
    if len(stops) == 1:
        return stops
    raise AssertionError(f"does not come round: {[where(stop) for stop in stops]}")


@pytest.mark.parametrize("dialog", DIALOGS, indirect=True)
def test_every_control_of_a_dialog_has_a_name(dialog):
    unnamed = [where(widget) for widget in controls(dialog) if not name_of(widget)]
    assert controls(dialog) and not unnamed, "\n".join(unnamed)


@pytest.mark.parametrize("dialog", DIALOGS, indirect=True)
def test_tab_goes_round_a_dialog_both_ways(dialog):
    wanted = controls(dialog)
    if dialog.focusWidget() is None:
        dialog.focusNextChild()
    on, back = round_trip(dialog, Qt.Key.Key_Tab), round_trip(dialog, Qt.Key.Key_Backtab)
    assert {*map(where, on)} == {*map(where, back)}, [*map(where, on), "|", *map(where, back)]
    missed = [where(widget) for widget in wanted if widget not in on]
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("dialog", DIALOGS, indirect=True)
def test_escape_closes_a_dialog(dialog):
    hidden = []
    dialog.destroyed.connect(partial(hidden.append, True))
    dialog.finished.connect(lambda _result: hidden.append(True))
    QTest.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Escape)
    assert hidden or not dialog.isVisible()
