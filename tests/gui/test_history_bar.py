"""The bar for the past of a run."""

import pytest
from PySide6.QtCore import Qt

from engine.document import Document, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import make_model
from gui.bars.history_bar import HistoryBar
from tests.gui.training import train

LONG = 20_000


def bar_of(session, qtbot, n_steps=4):
    bar = HistoryBar(session)
    qtbot.addWidget(bar)
    bar.resize(1400, 40)
    bar.show()
    for _ in range(n_steps):
        train(session, qtbot, "step")
    return bar


def view(session, qtbot, bar, step):
    bar.slider.setValue(step)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == step, timeout=LONG)


def buttons(bar):
    """Which of the buttons can be pressed."""
    names = ("back", "play", "forward", "newest", "go_on")
    return {name for name in names if getattr(bar, name).isEnabled()}


def test_there_is_nothing_to_press_until_there_is_a_past(session, qtbot):
    bar = bar_of(session, qtbot, 0)
    assert bar.words.text() == "no step yet" and not bar.slider.isEnabled() and buttons(bar) == set()
    train(session, qtbot, "step")
    assert bar.slider.isEnabled() and bar.slider.maximum() == 1 and buttons(bar) == {"back", "play"}
    session.reset()
    assert not bar.slider.isEnabled() and buttons(bar) == set()


def test_the_slider_views_a_step_and_newest_goes_back(session, qtbot):
    bar = bar_of(session, qtbot)
    assert bar.words.text().startswith("step 4, the newest · epoch 4 · loss ")
    view(session, qtbot, bar, 1)
    assert bar.words.text() == f"step 1 of 4 · epoch 1 · loss {session.shown.snapshot.loss:.4f}"
    assert buttons(bar) == {"back", "play", "forward", "newest", "go_on"}
    qtbot.mouseClick(bar.newest, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 4, timeout=LONG)
    assert bar.slider.value() == 4 and not bar.newest.isEnabled()


@pytest.mark.slow
def test_back_and_forward_go_step_by_step(session, qtbot):
    bar = bar_of(session, qtbot)
    for button, steps in ((bar.back, (3, 2, 1, 0)), (bar.forward, (1, 2, 3, 4))):
        for step in steps:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            qtbot.waitUntil(lambda step=step: session.shown.snapshot.step == step, timeout=LONG)
    assert session.training.viewed_step is None and session.newest.snapshot.step == 4


@pytest.mark.slow
def test_playing_shows_every_step_in_order_up_to_the_newest(session, qtbot):
    bar = bar_of(session, qtbot, 6)
    session.training.set_control(60.0, 100)
    seen = []
    session.changed.connect(lambda change: seen.append(session.shown.snapshot.step) if "moment" in change else None)
    qtbot.mouseClick(bar.play, Qt.MouseButton.LeftButton)
    assert bar.is_playing
    qtbot.waitUntil(lambda: not bar.is_playing, timeout=LONG)
    assert session.training.viewed_step is None and session.newest.snapshot.step == 6 and not bar.is_playing
    played = seen[seen.index(0) :]
    assert played == sorted(played) and len(set(played)) > 2


def test_playing_stops_where_one_presses_stop(session, qtbot):
    bar = bar_of(session, qtbot)
    session.training.set_control(1.0, 100)
    view(session, qtbot, bar, 1)
    qtbot.mouseClick(bar.play, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.play, Qt.MouseButton.LeftButton)
    assert not bar.is_playing and session.training.viewed_step == 1


def test_its_last_step_is_the_newest_also_when_it_was_dragged_there(session, qtbot):
    bar = bar_of(session, qtbot)
    bar.slider.setValue(1)
    bar.slider.setValue(4)
    train(session, qtbot, "step")
    assert session.shown.snapshot.step == 5 and bar.slider.value() == 5


def test_going_on_cuts_the_run_there(session, qtbot):
    bar = bar_of(session, qtbot)
    view(session, qtbot, bar, 2)
    qtbot.mouseClick(bar.go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2, timeout=LONG)
    assert bar.slider.maximum() == 2 and session.newest.curve_steps.tolist() == [0, 1]


def test_twenty_clicks_beside_the_handle_lead_through_the_whole_run(session, qtbot):
    bar = bar_of(session, qtbot, 1)
    for _ in range(199):
        session.train("step")
    qtbot.waitUntil(lambda: bar.slider.maximum() == 200, timeout=LONG)
    bar.slider.triggerAction(bar.slider.SliderAction.SliderPageStepSub)
    assert bar.slider.value() == 190


@pytest.mark.parametrize("step", [2**31, 2**53 - 10])
def test_a_file_at_a_very_late_step_is_scrubbed_like_any_other(session, qtbot, step):
    bar = bar_of(session, qtbot, 0)
    weights = FrozenFloats(make_model(Document()).weights)
    session.reset_document(replace_section(Document(), "trained", step=step, parameters=weights))
    train(session, qtbot, "step")
    train(session, qtbot, "step")
    assert bar.words.text().startswith(f"step {step + 2:,}") and bar.slider.maximum() == 2
    bar.slider.setValue(1)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == step + 1, timeout=LONG)


@pytest.mark.slow
def test_where_the_history_begins_after_a_neuron_was_added_is_said_where_one_wants_to_go_back(session, qtbot):
    bar = bar_of(session, qtbot, 3)
    assert "begins at" not in bar.slider.toolTip()
    session.edit("a neuron more", network={"layer_sizes": (2, 5, 4, 1)})
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.steps[0] == 3, timeout=LONG)
    assert "begins at step 3: the steps before it were made with another network" in bar.slider.toolTip()
    assert "the history begins here" in bar.words.toolTip() or bar.words.text() == "step 3"
    assert not bar.back.isEnabled() and "No step before step 3 can be viewed" in bar.back.toolTip()
    train(session, qtbot, "step")
    bar.slider.setValue(0)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 3, timeout=LONG)
    assert "the history begins here" in bar.words.text() and not bar.back.isEnabled()
    session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.steps[0] == 0, timeout=LONG)
    assert "begins at" not in bar.slider.toolTip()
