"""Edit > History: every edit by name, and one change to get to any of them."""

import pytest
from PySide6.QtCore import Qt

from engine.document import Document
from gui.edit_history import EditHistory
from tests.gui.training import train


@pytest.fixture
def window(reused_window, qtbot):
    yield reused_window
    for dialog in reused_window.findChildren(EditHistory):
        dialog.reject()
    qtbot.waitUntil(lambda: not reused_window.findChildren(EditHistory))


@pytest.fixture
def history(window):
    window.action("history").trigger()
    return window.findChild(EditHistory)


def rows(history):
    return [history.model.index(row).data() for row in range(history.model.rowCount())]


def states(history):
    role = Qt.ItemDataRole.AccessibleTextRole
    return [history.model.index(row).data(role) for row in range(history.model.rowCount())]


def make_edits(session, count=50):
    for number in range(count):
        session.edit(f"edit {number}", expression={"text": f"a = {number}.0\nb = a * a"})


def test_the_edits_are_listed_by_name_with_the_present_and_the_saved_state(window, history, tmp_path):
    session = window.session
    assert states(history) == ["Start, present state, saved"]
    session.edit("learning rate", training={"learning_rate": 0.1})
    session.save(tmp_path / "a.gradstep")
    session.edit("noise", data={"noise": 0.2})
    session.undo_stack.undo_edit()
    assert states(history) == ["Start", "Learning rate, present state, saved", "Noise, undone"]
    assert history.list.currentIndex().row() == 1


def test_an_open_list_follows_the_theme(window, history):
    window.session.edit("learning rate", training={"learning_rate": 0.1})
    window.session.undo_stack.undo_edit()
    changed = []
    history.model.dataChanged.connect(lambda *_range: changed.append(True))
    window.apply_theme("dark")
    undone = history.model.index(1).data(Qt.ItemDataRole.ForegroundRole).color()
    assert undone == window.palette().placeholderText().color() and changed
    window.apply_theme("light")


def test_a_click_goes_over_fifty_edits_with_one_change(window, history, qtbot):
    session, changes = window.session, []
    make_edits(session)
    session.changed.connect(changes.append)
    place = history.list.visualRect(history.model.index(3)).center()
    history.list.scrollToTop()
    place = history.list.visualRect(history.model.index(3)).center()
    qtbot.mouseClick(history.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.document.expression.text == "a = 2.0\nb = a * a"
    assert sum("expression" in change for change in changes) == 1
    qtbot.waitUntil(lambda: session.evaluation is not None and session.evaluation.variables.get("a") == 2.0)
    qtbot.waitUntil(lambda: not session.presenter.busy)
    assert any("4" in reading.data for reading in window.graph_panel.canvas.readings.values())
    history.go_to(50)
    assert session.document.expression.text == "a = 49.0\nb = a * a"


def test_the_keyboard_goes_there_too(window, history, qtbot):
    make_edits(window.session, 3)
    qtbot.keyClick(history.list, Qt.Key.Key_Up)
    qtbot.keyClick(history.list, Qt.Key.Key_Up)
    qtbot.keyClick(history.list, Qt.Key.Key_Return)
    assert window.session.document.expression.text.startswith("a = 0.0")
    assert window.session.undo_stack.index == 1


def test_a_training_between_two_edits_comes_back_with_its_edit(window, history, qtbot):
    session = window.session
    for _ in range(3):
        train(session, qtbot, "step")
    session.edit("hidden layers", network={"layer_sizes": (2, 3, 1)})
    session.edit("noise", data={"noise": 0.3})
    history.go_to(0)
    assert session.trained_so_far.step == 3 and session.document.network == Document().network
    history.go_to(2)
    assert session.trained_so_far.step == 0 and session.document.network.layer_sizes == (2, 3, 1)


def test_an_edit_that_cannot_be_taken_back_stops_the_way_and_is_reported(window, history, unexpected, monkeypatch):
    session = window.session
    make_edits(session, 5)
    command = session.undo_stack.steps[2]
    real = type(command).take_back
    monkeypatch.setattr(type(command), "take_back", lambda self: 1 / 0 if self is command else real(self))
    history.go_to(0)
    assert [type(error) for error in unexpected] == [ZeroDivisionError]
    assert session.document.expression.text.startswith("a = 2.0")
    assert history.model.rowCount() == len(session.undo_stack.steps) + 1


def test_opening_another_session_empties_the_list_and_a_second_one_is_not_opened(window, history):
    make_edits(window.session, 2)
    window.session.reset_document(Document())
    assert states(history) == ["Start, present state, saved"]
    window.action("history").trigger()
    assert window.findChildren(EditHistory) == [history]
