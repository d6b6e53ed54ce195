"""The tool bar: what drives the training, how fast it goes, and that all of it is there in a narrow window."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QToolButton

from engine.network.run.progress import RunState
from gui.actions.training import SPEEDS
from tests.gui.training import train

LONG = 20_000
BAR = ["reset", "roll", "back step", "phase", "step", "steps", "epoch", "run"]


@pytest.fixture
def window(reused_window, qtbot):
    """The window, wide enough for every button; no test closes it."""
    window = reused_window
    window.resize(1100, 670)
    qtbot.waitUntil(lambda: set(BAR) <= whole_buttons(window))
    return window


def press(window, qtbot, name):
    buttons = {button.defaultAction(): button for button in window.training_bar.findChildren(QToolButton)}
    qtbot.mouseClick(buttons[window.action(name)], Qt.MouseButton.LeftButton)


def whole_buttons(window):
    """The names of the actions whose buttons in the bar can be seen from edge to edge."""
    buttons = [button for button in window.training_bar.findChildren(QToolButton) if button.defaultAction()]
    whole = [button for button in buttons if button.visibleRegion().boundingRect() == button.rect()]
    return {button.defaultAction().objectName() for button in whole}


def step_of(window):
    return 0 if window.session.newest is None else window.session.newest.snapshot.step


def paused_at(window, step):
    return window.session.run_state is RunState.PAUSED and step_of(window) == step


def test_no_button_is_cut_off(window, qtbot, subtests):
    speed = window.training_bar.speed
    for workspace, width in (("train", 1024), ("train", 1440), ("both", 1024), ("understand", 1440)):
        with subtests.test(workspace=workspace, width=width):
            window.show_workspace(workspace)
            window.resize(width, 670)
            wanted = {*BAR, f"workspace {workspace}"}
            qtbot.waitUntil(lambda wanted=wanted: wanted <= whole_buttons(window))
            qtbot.waitUntil(lambda: speed.visibleRegion().boundingRect() == speed.rect())


@pytest.mark.parametrize("width", [1024, 1440])
def test_no_button_moves_or_leaves_the_bar_when_run_becomes_pause(window, qtbot, width):
    window.show_workspace("train")
    window.resize(width, 670)
    bar = window.training_bar
    export = next(button for button in bar.findChildren(QToolButton) if button.text().startswith("Export"))
    qtbot.waitUntil(lambda: set(BAR) <= whole_buttons(window) and bar.width() - export.geometry().right() < 20)
    buttons = [button for button in bar.findChildren(QToolButton) if button.isVisible()]
    places = [button.geometry() for button in buttons]
    window.action("run").trigger()
    qtbot.waitUntil(lambda: window.session.run_state is RunState.RUNNING and step_of(window) > 0)
    assert [button.geometry() for button in buttons] == places
    window.action("run").trigger()
    readout = window.training_bar.readout
    assert readout.shown_text() in ("", readout.shown_text().rstrip("…"))


def test_in_a_window_narrower_still_what_is_left_out_stands_in_the_menus(window, qtbot, subtests):
    for width in (900, 800, 640):
        with subtests.test(width=width):
            window.resize(width, 670)
            needed = {"run", "step", "phase", "reset"} if width > 700 else {"reset"}
            qtbot.waitUntil(lambda needed=needed: needed <= whole_buttons(window))
            places = {name: dict(window.action_set.entries[name].places) for name in BAR}
            assert all("Train" in menus for menus in places.values())


@pytest.mark.smoke
def test_so_many_steps_are_run_and_no_more(window, qtbot):
    window.session.training.set_control(None, 25)
    assert window.action("steps").text() == "25 steps"
    press(window, qtbot, "steps")
    qtbot.waitUntil(lambda: paused_at(window, 25), timeout=LONG)
    press(window, qtbot, "steps")
    qtbot.waitUntil(lambda: paused_at(window, 50), timeout=LONG)


def test_the_number_of_steps_is_chosen_or_typed_and_the_slider_goes_from_one_step_a_second_to_all_there_are(window):
    window.action("together 1000").trigger()
    assert window.session.training.count == 1000 and window.action("together 1000").isChecked()
    window.training_bar.together.setValue(7)
    assert window.session.training.count == 7 and window.action("steps").text() == "7 steps"
    assert not window.action("together 1000").isChecked()
    speed = window.training_bar.speed
    speed.slider.setValue(speed.slider.minimum())
    assert window.session.training.speed == 1 and speed.words.text() in ("1 steps/s", "1/s")
    speed.slider.setValue(speed.slider.maximum())
    assert window.session.training.speed is None and speed.words.text().startswith("full")
    window.action("slower").trigger()
    assert window.session.training.speed == SPEEDS[-2] == 10_000
    window.action("faster").trigger()
    assert window.session.training.speed is None


def test_back_views_the_step_before_and_leaves_the_run_where_it_is(window, qtbot):
    assert not window.action("back step").isEnabled()
    for _ in range(3):
        train(window.session, qtbot, "step")
    for step in (2, 1, 0):
        press(window, qtbot, "back step")
        qtbot.waitUntil(lambda step=step: window.session.shown.snapshot.step == step, timeout=LONG)
    assert not window.action("back step").isEnabled() and step_of(window) == 3


def test_back_pauses_a_run(window, qtbot):
    window.session.run()
    qtbot.waitUntil(lambda: step_of(window) > 5, timeout=LONG)
    press(window, qtbot, "back step")
    qtbot.waitUntil(lambda: window.session.run_state is RunState.PAUSED, timeout=LONG)
    assert window.session.training.viewed_step is not None


def test_reset_gives_the_same_first_weights_and_roll_others(window, qtbot):
    train(window.session, qtbot, "step")
    view = window.session.newest.steps[0]
    window.session.training.view_step(view)
    qtbot.waitUntil(lambda: window.session.shown.snapshot.step == 0, timeout=LONG)
    first = window.session.shown.snapshot.parameters.tolist()
    press(window, qtbot, "reset")
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() == first
    press(window, qtbot, "roll")
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() != first
    window.session.undo_stack.undo()
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() == first


@pytest.mark.long
def test_a_speed_changes_while_it_runs_and_is_kept(window, qtbot):
    """At a step a second nobody sees fifty of them within the second that they take at full speed."""
    window.session.training.set_control(1.0, 100)
    window.session.run()
    qtbot.waitUntil(lambda: step_of(window) == 1, timeout=LONG)
    window.session.training.set_control(None, 100)
    qtbot.waitUntil(lambda: step_of(window) > 500, timeout=LONG)
    window.session.training.set_control(2.0, 100)
    window.session.reset()
    window.session.run()
    qtbot.waitUntil(lambda: step_of(window) == 2, timeout=LONG)
    assert window.session.training.speed == 2.0
    window.session.pause()


@pytest.mark.long
def test_speed_and_number_of_steps_survive_a_restart(make_window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    for speed in (15.0, None):
        first = make_window(settings=settings)
        first.session.training.set_control(speed, 40)
        assert not first.session.modified and not first.session.undo_stack.canUndo()
        first.close()
        second = make_window(settings=settings).session.training
        assert (second.speed, second.count) == (speed, 40)


def test_spoiled_settings_are_ignored(make_window, tmp_path, subtests):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("speed", "fast")
    settings.setValue("steps together", "many")
    window = make_window(settings=settings)
    training = window.session.training
    assert (training.speed, training.count) == (None, 100)
    for speed, count in [("-3", "0"), ("nan", "1e99"), ("0.0", "")]:
        with subtests.test(speed=speed, count=count):
            settings.setValue("speed", speed)
            settings.setValue("steps together", count)
            window.training_bar.restore(settings)
            assert (training.speed, training.count) == (None, 100)
