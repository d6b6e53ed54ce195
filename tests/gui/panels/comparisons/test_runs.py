"""The list of runs: what each row says and shows, and what a click, F2 and Delete do."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from gui.panels.comparisons.runs import TEXTS, RunsPanel
from gui.plots.step_plot import run_color
from gui.theme import DARK, LIGHT
from tests.gui.training import train


@pytest.fixture
def runs(session, qtbot):
    """Two runs from one start: a step with SGD, then two with momentum."""
    panel = RunsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(330, 200)
    panel.show()
    qtbot.waitExposed(panel)
    train(session, qtbot, "step")
    session.reset()
    session.edit("optimizer", training={"optimizer": "momentum"})
    for _ in range(2):
        train(session, qtbot, "step")
    qtbot.waitUntil(lambda: panel.list.count() == 2)
    return panel


def click(panel, row):
    place = panel.list.visualItemRect(panel.list.item(row)).center()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.slow
def test_the_run_that_one_comes_back_to_is_brought_into_view(runs, session, qtbot):
    runs.resize(330, 90)
    runs.list.scrollToTop()
    for _ in range(2):
        session.undo_stack.undo_edit()  # the other optimizer, the reset: run 1 goes on
    first = runs.list.item(runs.list.count() - 1)
    qtbot.waitUntil(lambda: session.runs.current == 1)
    assert runs.list.viewport().rect().contains(runs.list.visualItemRect(first))


def test_a_name_that_is_being_typed_stays_while_the_run_goes_on(runs, session, qtbot):
    runs.list.editItem(runs.list.item(0))
    editor = runs.list.findChild(QLineEdit)
    QTest.keyClicks(editor, "slo")
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: "step 3" in runs.list.item(0).toolTip())
    assert editor.text() == "slo"
    QTest.keyClicks(editor, "w")
    session.commit_requested.emit()  # as who saves does
    assert session.runs.run(2).name == "slow" and session.undo_stack.undo_label == "name of run 2"
    QTest.keyClicks(editor, "er")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.runs.run(2).name == "slower")


@pytest.mark.slow
def test_a_name_that_is_being_typed_is_its_run_s_although_another_run_begins(runs, session, qtbot):
    runs.list.editItem(runs.list.item(0))
    editor = runs.list.findChild(QLineEdit)
    QTest.keyClicks(editor, "slow")
    session.reset()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: runs.list.count() == 3)
    assert editor.geometry().center().y() in range(*_rows_of(runs, 1)) and editor.text() == "slow"
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.runs.run(2).name == "slow")
    assert session.runs.run(3).name == ""


def _rows_of(panel, row):
    """The pixels from the top to the bottom of a row."""
    room = panel.list.visualItemRect(panel.list.item(row))
    return room.top(), room.bottom() + 1


def test_without_a_run_it_says_what_the_list_is_for(session, qtbot):
    panel = RunsPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.list.isVisible() and "Nothing has been trained yet" in TEXTS["empty"]


def test_a_row_says_settings_loss_and_step_and_the_newest_comes_first(runs, session):
    assert [runs.list.item(row).text() for row in range(2)] == ["2  Momentum 0.05", "1  SGD 0.05"]
    loss = session.newest.snapshot.loss
    assert runs.figures_text(session.runs.all[1]).startswith(f"loss {loss:.4f} · step 2")
    assert "optimizer SGD instead of Momentum" in runs.list.item(1).toolTip()
    assert run_color(LIGHT, 2, session.runs.current) == LIGHT.positive != run_color(LIGHT, 1, session.runs.current)


@pytest.mark.slow
def test_a_click_opens_the_run_and_undo_takes_that_back(runs, session):
    click(runs, 1)
    assert session.document.training.optimizer == "sgd" and session.runs.current == 1
    session.undo_stack.undo_edit()
    assert session.document.training.optimizer == "momentum" and session.runs.current == 2
    steps = len(session.undo_stack.steps)
    click(runs, 0)
    assert len(session.undo_stack.steps) == steps  # it is the present one


def test_pictures_show_what_each_run_gives_in_both_themes(runs, session, qtbot):
    shown = {}
    for colors in (LIGHT, DARK):
        runs.set_colors(colors)
        qtbot.waitUntil(lambda: all((run.number, run.step) in runs.pictures for run in session.runs.all))
        shown[colors.name] = [runs.picture_of(run) for run in session.runs.all]
    assert shown["light"][0] != shown["light"][1]
    assert shown["light"][0] != shown["dark"][0]


def test_a_run_is_renamed_in_its_row(runs, session, qtbot):
    runs.list.setCurrentRow(1)
    QTest.keyClick(runs.list, Qt.Key.Key_F2)
    editor = runs.list.findChild(QLineEdit)
    QTest.keyClicks(editor, "slow")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: session.runs.run(1).name == "slow")
    assert runs.list.item(1).text() == "1  slow"


def test_a_run_is_removed_by_its_key_and_its_menu(runs, session):
    runs.list.setCurrentRow(1)
    QTest.keyClick(runs.list, Qt.Key.Key_Delete)
    assert [run.number for run in session.runs.all] == [2]
    session.undo_stack.undo_edit()
    assert [run.number for run in session.runs.all] == [1, 2]
    menu = runs.list.make_menu(runs.list.item(0))
    assert [action.text() for action in menu.actions()] == [TEXTS[name] for name in ("open", "rename", "remove")]
    menu.actions()[2].trigger()
    assert [run.number for run in session.runs.all] == [1]
    menu.close()


def test_a_row_outside_the_list_opens_nothing(runs, session):
    before = len(session.undo_stack.steps)
    QTest.mouseClick(runs.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, runs.list.height() - 4))
    assert len(session.undo_stack.steps) == before and np.isfinite(session.runs.all[0].parameters).all()


def test_the_tick_of_a_row_hides_its_curve_and_does_not_open_the_run(runs, session):
    room = runs.list.visualItemRect(runs.list.item(1))
    place = runs.mark_room(room).center()
    QTest.mouseClick(runs.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.runs.run(1).is_hidden and session.runs.current == 2
    assert runs.list.item(1).checkState() == Qt.CheckState.Unchecked
    QTest.mouseClick(runs.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not session.runs.run(1).is_hidden and session.undo_stack.undo_label == "show the curve of run 1"
    runs.list.setCurrentRow(1)
    QTest.keyClick(runs.list, Qt.Key.Key_Space)
    assert session.runs.run(1).is_hidden


def test_clear_removes_the_earlier_runs_in_one_step(runs, session):
    assert runs.clear.isEnabled()
    QTest.mouseClick(runs.clear, Qt.MouseButton.LeftButton)
    assert [run.number for run in session.runs.all] == [2] and not runs.clear.isEnabled()
    session.undo_stack.undo_edit()
    assert [run.number for run in session.runs.all] == [1, 2]


def test_after_going_on_from_a_past_step_no_row_is_the_present_run_until_a_step_is_made(runs, session, qtbot):
    session.training.view_step(1)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 1)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1)
    assert not any(runs.is_current(run) for run in session.runs.all)
    assert runs.clear.isEnabled() and runs.list.count() == 2
    assert [runs.list.item(row).checkState() for row in range(2)] == [Qt.CheckState.Checked] * 2
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: runs.list.count() == 3)
    assert runs.is_current(session.runs.run(3))


def test_the_tip_of_a_row_lists_what_was_changed_during_the_run(runs, session, qtbot):
    session.edit("penalty", training={"l2": 0.01})
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: "Changed at step 2: L2 0 → 0.01" in runs.list.item(0).toolTip())
    assert "Changed" not in runs.list.item(1).toolTip()


def test_the_list_needs_as_much_room_with_runs_as_without(session, shown, qtbot):
    panel = shown(RunsPanel, 262, 107)
    before = panel.minimumSizeHint().height()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: panel.list.count() == 1)
    assert panel.minimumSizeHint().height() == before
