"""Two runs side by side: what differs is said, both go together, each can be opened."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.sweeps.comparison import PRESETS
from gui.background import join_stopped
from gui.panels.comparisons.side_by_side import TEXTS, SideBySidePanel
from gui.theme import DARK, LIGHT


@pytest.fixture
def panel(session, qtbot):
    panel = SideBySidePanel(session)
    qtbot.addWidget(panel)
    panel.resize(560, 480)
    panel.show()
    qtbot.waitExposed(panel)
    at(panel, qtbot, 0)
    yield panel
    panel.stop()
    assert join_stopped()


def steps(panel):
    return [one.progress.snapshot.step for one in panel.plot.shown]


def at(panel, qtbot, step):
    qtbot.waitUntil(lambda: steps(panel) == [step, step])


@pytest.mark.slow
def test_it_says_what_differs_and_that_the_start_is_the_same(panel, qtbot):
    assert [one.words for one in panel.plot.shown] == ["learning rate 0.05", "learning rate 0.001"]
    assert panel.words.text() == "Same first weights, same samples in the same order; only learning rate differs."
    first, second = (one.progress.snapshot.parameters for one in panel.plot.shown)
    assert np.array_equal(first, second)
    place = next(place for place, preset in enumerate(PRESETS) if preset.setting == "width")
    panel.choose_preset(place)
    qtbot.waitUntil(lambda: [one.words for one in panel.plot.shown] == ["width 8", "width 1"])
    assert panel.words.text().startswith("Networks of two shapes")


@pytest.mark.slow
def test_both_make_the_same_steps_and_a_past_one_of_both_is_seen(panel, qtbot):
    for step in range(1, 4):
        panel.step()
        at(panel, qtbot, step)
    first, second = (one.progress.snapshot for one in panel.plot.shown)
    assert first.loss < second.loss and panel.caption == "step 3 of 3"
    panel.history.setValue(1)
    at(panel, qtbot, 1)
    assert panel.caption == "step 1 of 3"
    panel.restart()
    at(panel, qtbot, 0)


@pytest.mark.slow
def test_they_run_until_paused_and_stand_at_one_step(panel, session, qtbot):
    session.training.set_control(None, 1)
    panel.toggle_run()
    qtbot.waitUntil(lambda: min(steps(panel)) > 20)
    panel.toggle_run()
    qtbot.waitUntil(lambda: not panel.running and len(set(steps(panel))) == 1)
    assert panel.run_button.text() == TEXTS["run"]


@pytest.mark.slow
def test_another_speed_is_taken_while_they_run(panel, session, qtbot):
    session.training.set_control(1.0, 1)
    panel.toggle_run()
    at(panel, qtbot, 1)
    session.training.set_control(None, 1)
    qtbot.waitUntil(lambda: min(steps(panel)) > 200)
    panel.toggle_run()


@pytest.mark.slow
def test_one_of_them_is_opened_with_its_settings_and_weights(panel, session, qtbot):
    panel.step()
    at(panel, qtbot, 1)
    weights = panel.plot.shown[1].progress.snapshot.parameters
    panel.open_buttons[1].click()
    assert session.document.training.learning_rate == 0.001
    assert np.array_equal(session.trained_so_far.parameters.array, weights)
    session.undo_stack.undo_edit()
    assert session.document.training.learning_rate == 0.05


@pytest.mark.slow
def test_without_zero_grad_it_goes_otherwise_and_cannot_be_opened(panel, qtbot):
    panel.choose_preset(next(place for place, preset in enumerate(PRESETS) if preset.setting == "zero_grad"))
    qtbot.waitUntil(lambda: [one.words for one in panel.plot.shown] == ["zero_grad on", "zero_grad off"])
    for step in (1, 2, 3):
        panel.step()
        at(panel, qtbot, step)
    first, second = (one.progress.snapshot.parameters for one in panel.plot.shown)
    assert not np.array_equal(first, second)
    assert panel.open_buttons[0].isEnabled() and not panel.open_buttons[1].isEnabled()
    assert "cannot be opened" in panel.open_buttons[1].toolTip()


@pytest.mark.slow
def test_a_value_that_cannot_be_is_marked_and_nothing_runs(panel, qtbot):
    panel.values[1].setText("0.1, 0.2")
    panel.values[1].editingFinished.emit()
    assert "one value" in panel.words.text() and not panel.run_button.isEnabled()
    assert panel.values[1].property("invalid")
    panel.values[1].setText("0.2")
    panel.values[1].editingFinished.emit()
    qtbot.waitUntil(lambda: len(panel.plot.shown) == 2)
    assert panel.plot.shown[1].words == "learning rate 0.2"


@pytest.mark.slow
def test_other_settings_of_the_session_begin_both_anew(panel, session, qtbot):
    panel.step()
    at(panel, qtbot, 1)
    session.edit("optimizer", training={"optimizer": "adam"})
    at(panel, qtbot, 0)
    assert {one.document.training.optimizer for one in panel.sides} == {"adam"}


@pytest.mark.slow
def test_they_go_on_unseen_until_their_settings_are_no_longer_those_of_the_session(panel, session, qtbot):
    panel.toggle_run()
    qtbot.waitUntil(lambda: panel.history.maximum() > 0)
    panel.hide()
    session.edit("rename", expression={"text": "a = 1.0"})
    reached = panel.history.maximum()
    qtbot.waitUntil(lambda: panel.history.maximum() > reached)
    assert panel.running
    session.edit("another seed", network={"seed": session.document.network.seed + 1})
    assert not panel.running
    qtbot.waitUntil(lambda: panel.history.maximum() == 0)


@pytest.mark.slow
def test_the_picture_is_drawn_in_both_themes_and_its_numbers_are_both_curves(panel, qtbot):
    panel.step()
    at(panel, qtbot, 1)
    pictures = []
    for colors in (LIGHT, DARK):
        panel.set_colors(colors)
        pictures.append(panel.plot.grab().toImage())
    assert pictures[0] != pictures[1]
    columns = dict(panel.figure_data())
    assert list(columns)[1] == "loss of A: learning rate 0.05" and columns["step of B"].tolist() == [0, 1]
    moment = panel.plot.shown[0].progress.snapshot
    assert columns["loss of A: learning rate 0.05"][-1] == moment.loss  # the point that the words are of


@pytest.mark.slow
def test_the_pointer_over_the_curves_reads_both_losses_at_one_step(panel, qtbot):
    losses = {}
    for step in range(1, 4):
        panel.step()
        at(panel, qtbot, step)
        losses[step] = [one.progress.snapshot.loss for one in panel.plot.shown]
    curves = panel.plot.curves
    qtbot.waitUntil(lambda: curves.box.width() > 10)
    curves.pointer.moved.emit(QPointF(2.0, sum(curves.whole[1]) / 2))
    (first, step, loss), (second, other_step, other_loss) = curves.pointed_values()
    assert (first.name, second.name) == ("A", "B") and step == other_step == 2
    assert [loss, other_loss] == pytest.approx(losses[2], rel=1e-14)
