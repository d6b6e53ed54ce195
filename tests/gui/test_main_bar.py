"""The tool bar: each workspace has its own actions, and in a narrow window all of them can still be reached."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QToolButton

from engine.document import Document, replace_section
from engine.examples.examples import examples
from engine.network.run.progress import RunState
from gui.actions.training import SPEEDS
from gui.arrangement import WORKSPACES
from gui.bars.speed_control import TrainingSpeed
from tests.gui.training import train

LONG = 20_000


@pytest.fixture
def window(reused_window, qtbot):
    """The window in the workspace Train, wide enough for every button; no test closes it."""
    window = reused_window
    window.show_workspace("train")
    window.resize(1440, 670)
    qtbot.waitUntil(lambda: shown_buttons(window) >= {"reset", "back step", "phase", "step", "steps", "run"})
    yield window
    window.session.pause()


def press(window, qtbot, name):
    buttons = {button.defaultAction(): button for button in window.main_bar.findChildren(QToolButton)}
    qtbot.mouseClick(buttons[window.action(name)], Qt.MouseButton.LeftButton)


def shown_buttons(window):
    """The names of the actions whose buttons in the bar can be seen from edge to edge."""
    buttons = [button for button in window.main_bar.findChildren(QToolButton) if button.defaultAction()]
    whole = [button for button in buttons if button.visibleRegion().boundingRect() == button.rect()]
    return {button.defaultAction().objectName() for button in whole}


def primary(window):
    buttons = [button for button in window.main_bar.findChildren(QToolButton) if button.defaultAction()]
    return [button.defaultAction().objectName() for button in buttons if button.property("primary")]


def more_actions(window):
    """The actions in the menu at the end of the bar, if that is there."""
    if not window.main_bar.more.isVisible():
        return set()
    menu = window.main_bar.more.menu()
    menu.aboutToShow.emit()
    assert all(action.text() for action in menu.actions())
    return {action.objectName() or action.text() for action in menu.actions()}


def step_of(window):
    return 0 if window.session.newest is None else window.session.newest.snapshot.step


def paused_at(window, step):
    return window.session.run_state is RunState.PAUSED and step_of(window) == step


def test_each_workspace_has_its_own_actions_in_the_bar(window, qtbot, subtests):
    walk, training = {"back", "next", "play"}, {"run", "step"}
    for workspace, shown, not_shown in [
        ("understand", walk | {"by lines"}, training | {"reset", "phase", "steps"}),
        ("train", training | {"reset", "back step", "phase", "steps"}, walk | {"by lines", "check"}),
        ("both", walk | training | {"phase"}, {"back step", "reset", "steps"}),
    ]:
        with subtests.test(workspace):
            window.show_workspace(workspace)
            qtbot.waitUntil(lambda shown=shown: shown <= shown_buttons(window))
            assert not shown_buttons(window) & not_shown
            assert primary(window) == [WORKSPACES[workspace].main]


def test_an_action_that_a_workspace_names_has_a_button_where_it_stands_there(make_window, monkeypatch, qtbot):
    train = WORKSPACES["train"]
    place = train.bar.index("step") + 1
    monkeypatch.setitem(WORKSPACES, "train", replace(train, bar=(*train.bar[:place], "epoch", *train.bar[place:])))
    window = make_window(size=(1440, 700), workspace="train")
    qtbot.waitUntil(lambda: "epoch" in shown_buttons(window))
    left = [window.main_bar.item(name).x() for name in ("step", "epoch", "steps")]
    assert left == sorted(left)


def press_f5(window, qtbot):
    window.activateWindow()
    window.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_F5)


def test_f5_walks_the_program_where_the_program_is_shown_and_trains_nothing(window, qtbot):
    window.show_workspace("understand")
    press_f5(window, qtbot)
    assert window.graph_panel.stepper.is_playing and window.session.presenter.position == 0
    press_f5(window, qtbot)
    assert not window.graph_panel.stepper.is_playing
    assert window.session.run_state is not RunState.RUNNING and step_of(window) == 0


def test_f5_trains_where_the_network_is_shown(window, qtbot):
    window.session.training.set_control(60.0, 100)
    press_f5(window, qtbot)
    qtbot.waitUntil(lambda: window.session.run_state is RunState.RUNNING)
    assert not window.graph_panel.stepper.is_playing
    press_f5(window, qtbot)
    qtbot.waitUntil(lambda: window.session.run_state is RunState.PAUSED, timeout=LONG)


def test_f5_runs_a_program_that_has_no_graph_to_walk(window, qtbot):
    text = "print('hello')\n"
    window.session.reset_document(replace_section(Document(), "expression", text=text))
    window.show_workspace("understand")
    assert not window.action("play").isEnabled()
    with qtbot.waitSignal(window.session.changed, check_params_cb=lambda change: "program" in change):
        press_f5(window, qtbot)


def test_training_that_is_not_on_the_screen_is_brought_there_first(window, qtbot, subtests):
    for name in ("run", "step", "steps", "epoch", "reset", "roll"):
        with subtests.test(name):
            window.show_workspace("understand")
            window.action(name).trigger()
            assert window.workspace == "train"
            window.session.pause()
            qtbot.waitUntil(lambda: window.session.run_state is not RunState.RUNNING, timeout=LONG)


def test_what_sets_up_a_training_opens_the_workspace_for_it(window):
    window.show_workspace("understand")
    entry = next(e for e in examples() if "network" in e.sections)
    window.action(f"example {entry.name}").trigger()
    assert window.workspace == "train"
    entry = next(e for e in examples() if "network" not in e.sections)
    window.action(f"example {entry.name}").trigger()
    assert window.workspace == "understand"


def test_a_training_of_the_network_on_the_canvas_stays_in_its_workspace(window, qtbot):
    window.show_workspace("understand")
    window.session.set_view(shows="network")
    window.action("step").trigger()
    assert window.workspace == "understand"
    qtbot.waitUntil(lambda: paused_at(window, 1), timeout=LONG)


def test_the_walk_is_brought_onto_the_screen_too(window):
    for name in ("next", "play"):
        window.show_workspace("train")
        window.action(name).trigger()
        assert window.graph_panel.isVisible(), name
        window.graph_panel.stepper.go(0)


def test_the_button_for_a_part_of_a_step_names_the_part_that_it_makes(window, qtbot):
    window.show_workspace("both")
    for name in ("forward", "loss", "zero_grad", "backward", "update", "forward"):
        assert window.action("phase").text().endswith(name)
        train(window.session, qtbot, "phase")


def test_at_every_width_each_action_is_whole_in_the_bar_or_in_the_menu_at_its_end(window, qtbot, subtests):
    for workspace, about in WORKSPACES.items():
        window.show_workspace(workspace)
        names = {name for name in about.bar if name in actions_by_name(window)}
        for width in (1440, 1024, 640):
            with subtests.test(workspace=workspace, width=width):
                window.resize(width, 670)
                qtbot.waitUntil(lambda names=names: names <= shown_buttons(window) | more_actions(window))
                assert not names or about.main in shown_buttons(window)
                for widget in (window.main_bar.speed, window.main_bar.more):
                    assert not widget.isVisible() or widget.visibleRegion().boundingRect() == widget.rect()
                if width >= 1024:
                    assert names - shown_buttons(window) <= {
                        "reset", "phase", "smaller text", "larger text",
                    }  # fmt: skip


def actions_by_name(window):
    return {name: actions[name] for actions in window.action_sets for name in actions.entries}


def test_no_button_moves_or_leaves_the_bar_when_train_becomes_pause(window, qtbot):
    window.resize(1024, 670)
    bar = window.main_bar
    qtbot.waitUntil(lambda: bar.width() == 1024 and {"step", "run"} <= shown_buttons(window))
    bar.layout().activate()
    buttons = [button for button in bar.findChildren(QToolButton) if button.isVisible()]
    places = [button.geometry() for button in buttons]
    window.action("run").trigger()
    qtbot.waitUntil(lambda: window.session.run_state is RunState.RUNNING and step_of(window) > 0)
    assert [button.geometry() for button in buttons] == places
    window.action("run").trigger()
    readout = window.main_bar.readout
    assert readout.shown_text() in ("", readout.shown_text().rstrip("…"))


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
    window.main_bar.together.setValue(7)
    assert window.session.training.count == 7 and window.action("steps").text() == "7 steps"
    assert not window.action("together 1000").isChecked()
    speed = window.main_bar.speed
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


def test_a_button_that_comes_back_into_the_bar_is_enabled_as_its_action_is(window, qtbot):
    window.show_workspace("understand")
    window.show_workspace("train")
    button = window.main_bar.item("back step")
    qtbot.waitUntil(button.isVisible)
    assert not button.defaultAction().isEnabled()
    assert not button.isEnabled()


def test_back_pauses_a_run(window, qtbot):
    window.session.run()
    qtbot.waitUntil(lambda: step_of(window) > 5, timeout=LONG)
    press(window, qtbot, "back step")
    qtbot.waitUntil(lambda: window.session.run_state is RunState.PAUSED, timeout=LONG)
    assert window.session.training.viewed_step is not None


def test_reset_gives_the_same_first_weights_and_new_weights_others(window, qtbot):
    train(window.session, qtbot, "step")
    view = window.session.newest.steps[0]
    window.session.training.view_step(view)
    qtbot.waitUntil(lambda: window.session.shown.snapshot.step == 0, timeout=LONG)
    first = window.session.shown.snapshot.parameters.tolist()
    press(window, qtbot, "reset")
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() == first
    window.action("roll").trigger()
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() != first
    window.session.undo_stack.undo_edit()
    train(window.session, qtbot, "phase")
    assert window.session.shown.snapshot.parameters.tolist() == first


def test_a_network_that_does_not_reach_the_chosen_speed_is_shown_with_the_speed_it_has(qtbot):
    class Slow(QObject):
        changed = Signal(object)
        training = SimpleNamespace(speed=1000.0)
        newest = SimpleNamespace(steps_per_second=120.0)
        run_state = RunState.RUNNING

    speed = TrainingSpeed(Slow())
    qtbot.addWidget(speed)
    assert speed.words.text() == "120 of 1,000/s"
    Slow.newest.steps_per_second = 990.0
    speed.set_short(True)
    assert speed.words.text() == "1,000/s"


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
        assert not first.session.modified and not first.session.undo_stack.can_undo
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
            window.main_bar.restore(settings)
            assert (training.speed, training.count) == (None, 100)


def test_export_is_enabled_in_the_menu_at_the_end_of_a_narrow_bar(window, qtbot):
    window.resize(800, 670)
    for workspace, about in WORKSPACES.items():
        if "export" in about.bar:
            window.show_workspace(workspace)
            qtbot.waitUntil(window.main_bar.more.isVisible)
            menu = window.main_bar.more.menu()
            menu.aboutToShow.emit()
            (export,) = [action for action in menu.actions() if action.text() == "&Export"]
            assert export.isEnabled(), workspace


@pytest.mark.parametrize("width", [980, 1022, 1100])
def test_the_menu_of_a_narrow_bar_has_its_whole_width_with_large_text(reused_window, qtbot, width):
    window = reused_window
    window.show_workspace("understand")
    for _ in range(3):
        window.action("larger text").trigger()
    window.resize(width, 672)
    bar, more = window.main_bar, window.main_bar.more
    qtbot.waitUntil(lambda: bar.width() == width and more.isVisible())
    bar.layout().activate()
    assert more.width() >= more.sizeHint().width() and more.geometry().right() < width
