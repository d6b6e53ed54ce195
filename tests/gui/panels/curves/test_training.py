"""The loss panel as a user sees it: marks, axes, words, zoom; and what it draws when nobody looks."""

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QApplication

from gui.panels.curves.training import FEW_POINTS, HEADER_HEIGHT, TrainingPanel
from gui.plots.step_plot import run_color, run_line
from gui.session.training_edits import set_run_hidden
from gui.theme import DARK, LIGHT, colors_of
from gui.widgets.labels import Legend
from tests.gui.color_vision import contrast
from tests.gui.training import train

SPIKE = np.concatenate([[4000.0, 900.0, 40.0], np.linspace(1.0, 0.5, 60)])


def drawn(panel):
    steps, losses = panel.plot.item(0).getOriginalDataset()
    return (0, []) if steps is None else (len(steps), losses)


def after_a_step(qtbot, session):
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)


@pytest.fixture
def show_losses(session, report):
    """Tells the panels of a run with these losses, in batches so that nothing is added to them."""

    def show(losses, **others):
        settings = replace(session.newest.snapshot.settings, batch_size=1)
        snapshot = replace(session.newest.snapshot, settings=settings)
        losses = np.asarray(losses, dtype=float)
        steps = np.arange(float(len(losses)))
        report(snapshot=snapshot, curve_steps=steps, curve_losses=losses, state="paused", **others)

    return show


def seen_heights(panel):
    """The losses at the lower and upper end of the view."""
    low, high = panel.plot.box.viewRange()[1]
    return (10.0**low, 10.0**high) if panel.logarithmic.isChecked() else (low, high)


def point_at(panel, x):
    """Puts the pointer over a step of the plot."""
    panel.plot.pointer.moved.emit(QPointF(x, panel.plot.box.viewRect().center().y()))


@pytest.fixture
def panel(qtbot, session, shown):
    """The panel after one step."""
    panel = shown(TrainingPanel)
    after_a_step(qtbot, session)
    qtbot.waitUntil(lambda: drawn(panel)[0] == 2)
    return panel


@pytest.mark.slow
def test_the_curve_grows_with_training_and_the_caption_says_the_loss(qtbot, session, shown):
    panel = shown(TrainingPanel)
    assert panel.caption == "no step yet"
    after_a_step(qtbot, session)
    qtbot.waitUntil(lambda: drawn(panel)[0] == 2)
    assert drawn(panel)[1].tolist() == [session.newest.curve_losses[0], session.newest.snapshot.loss]
    assert panel.caption == f"{session.newest.snapshot.loss:.4f} · all 100"
    assert "loss of all 100 samples" in panel.caption_tip


@pytest.mark.slow
def test_one_step_of_a_batch_is_a_mark_that_can_be_seen(session, panel, show_losses):
    panel.set_colors(LIGHT)
    show_losses([0.7])
    assert panel.plot.item(0).opts["symbol"] == "o"
    assert panel.caption == "0.7000 · batch of 1"
    (left, right), (low, high) = panel.plot.box.viewRange()
    assert left < 0.0 < right <= 5.0
    assert low == pytest.approx(0.35) and high == pytest.approx(1.05)
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(0.0, 0.7)))
    color = panel.plot.grab().toImage().pixelColor(place).name().upper()
    assert color == LIGHT.positive


@pytest.mark.slow
def test_few_points_have_marks_and_many_have_none(session, panel, show_losses):
    show_losses(np.linspace(1.0, 0.1, FEW_POINTS))
    assert panel.plot.item(0).opts["symbol"] == "o"
    show_losses(np.linspace(1.0, 0.1, FEW_POINTS + 1))
    assert panel.plot.item(0).opts["symbol"] is None


@pytest.mark.slow
def test_running_and_pausing(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.run()
    qtbot.waitUntil(lambda: drawn(panel)[0] > 10)
    session.pause()
    qtbot.waitUntil(lambda: session.newest.state == "paused")
    assert session.run_state == "paused"


@pytest.mark.slow
def test_reset_empties_the_curve(session, panel):
    panel.plot.zoom(0.5)
    session.reset()
    assert drawn(panel)[0] == 0
    assert panel.caption == "no step yet"
    assert not panel.plot.zoomed


@pytest.mark.slow
def test_the_axis_switches_between_losses_and_logarithms(session, panel):
    loss = session.newest.curve_losses[0]
    panel.logarithmic.click()
    assert drawn(panel)[1][0] == pytest.approx(np.log10(loss))
    panel.logarithmic.click()
    assert drawn(panel)[1][0] == pytest.approx(loss)


@pytest.mark.slow
def test_a_spike_at_the_start_makes_the_axis_logarithmic_and_the_panel_says_why(session, panel, show_losses):
    show_losses(SPIKE)
    assert panel.logarithmic.isChecked()
    assert panel.plot.axes["left"].logarithmic
    assert panel.note.isVisible()
    assert panel.note.text() == "log scale: the largest loss is 5,244 times the median"
    assert "5,244 times the median of the training losses" in panel.note.toolTip()
    assert " ".join(panel.note.lines()) == panel.note.text()  # whole in a narrow panel
    low, high = seen_heights(panel)
    assert low < 0.5 and high > 4000.0
    flat = np.log10(1.0 / 0.5) / np.log10(high / low)
    assert flat > 0.05  # what came after the spike was below 0.02 % of the height


@pytest.mark.slow
def test_a_loss_of_zero_on_a_logarithmic_axis_is_said_to_stand_at_the_bottom(session, panel, show_losses):
    show_losses([1.0, 0.5, 0.1, 0.0, 0.0])
    assert not panel.note.isVisible()
    panel.logarithmic.click()
    assert drawn(panel)[1][-1] == pytest.approx(-2.0)
    assert panel.note.text() == "log scale: losses of 0 stand at the bottom"
    show_losses([1.0, 0.5, 0.1])
    assert not panel.note.isVisible()


@pytest.mark.slow
def test_an_axis_that_is_logarithmic_by_itself_says_where_a_loss_of_zero_stands(session, panel, show_losses):
    show_losses([*SPIKE, 0.0])
    assert panel.note.text().startswith("log scale: the largest loss is")
    assert "drawn at the bottom" in panel.note.toolTip()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["button", "note"])
def test_a_click_takes_the_axis_back_for_the_rest_of_the_run(qtbot, session, panel, place, show_losses):
    show_losses(SPIKE)
    if place == "button":
        panel.logarithmic.click()
    else:
        qtbot.mouseClick(panel.note, Qt.MouseButton.LeftButton)
    assert not panel.logarithmic.isChecked() and panel.note.isHidden()
    show_losses(SPIKE * 3)
    assert not panel.logarithmic.isChecked()
    session.reset()
    after_a_step(qtbot, session)
    show_losses(SPIKE)
    assert panel.logarithmic.isChecked()


@pytest.mark.slow
def test_a_view_that_was_zoomed_stays_while_training_goes_on(session, panel, show_losses):
    show_losses(np.linspace(1.0, 0.5, 50))
    panel.plot.zoom(0.5)
    before = panel.plot.box.viewRange()
    show_losses(np.concatenate([SPIKE, SPIKE]))
    assert panel.plot.box.viewRange() == before
    assert not panel.logarithmic.isChecked()
    panel.plot.fit_button.click()
    assert panel.plot.box.viewRange()[0][1] > 120


@pytest.mark.slow
def test_a_run_that_diverges_says_so_at_its_step_and_keeps_the_sensible_part(session, panel, show_losses):
    losses = np.concatenate([np.linspace(2.0, 1.0, 8), [30.0, 1e60, 1e140, 1e200]])
    panel.logarithmic.click()
    panel.logarithmic.click()
    show_losses(losses, diverged_at=12)
    assert panel.plot.divergence.isVisible()
    assert panel.plot.divergence.value() == 12
    assert "diverged at step 12" in panel.legend.text()  # above the plot, where no curve is
    panel.resize(236, 200)  # the narrowest column
    assert panel.legend.wordWrap() and panel.legend.heightForWidth(panel.legend.width()) <= HEADER_HEIGHT
    left, right = panel.plot.box.viewRange()[0]
    assert left < 12 < right
    assert panel.note.isVisible() and panel.note.text() == "losses above 20 are cut off"
    assert seen_heights(panel)[1] < 3.0
    assert panel.caption.startswith("1.00e+200")
    show_losses(losses[:8], diverged_at=None)
    assert not panel.plot.divergence.isVisible()


@pytest.mark.slow
def test_a_real_divergence_is_marked_where_the_message_says(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.edit("rate", training={"learning_rate": 1e9}, network={"layer_sizes": (2, 1)})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "failed")
    step = session.newest.diverged_at
    assert f"step {step}" in session.newest.message
    qtbot.waitUntil(lambda: panel.plot.divergence.isVisible() and panel.plot.divergence.value() == step)


@pytest.mark.slow
def test_the_value_under_the_pointer_is_said(panel, session):
    point_at(panel, 0.0)
    assert panel.caption == f"step 0: {session.newest.curve_losses[0]:.4f}"
    panel.plot.zoom(0.8)
    point_at(panel, 1.0)
    assert panel.caption == f"step 1: {session.newest.snapshot.loss:.4f}"
    panel.plot.pointer.left.emit()
    assert not panel.caption.startswith("step")
    point_at(panel, 0.0)
    QApplication.sendEvent(panel.plot.viewport(), QEvent(QEvent.Type.Leave))
    assert not panel.caption.startswith("step")


@pytest.mark.slow
def test_the_pointer_keeps_its_place_while_the_curve_grows(session, panel, show_losses):
    show_losses(np.linspace(1.0, 0.5, 50))
    point_at(panel, 25.0)
    assert panel.caption.startswith("step 25: ")
    show_losses(np.linspace(1.0, 0.5, 100))
    assert int(panel.caption.removeprefix("step ").split(":")[0]) in range(48, 53)


@pytest.mark.slow
@pytest.mark.parametrize(
    "losses",
    [
        [], [0.0], [0.0] * 50, [1e308] * 50, [1e308], [5e-324] * 9, [-1.0, 0.0, 1.0] * 9, [np.nan, np.inf, 1.0],
        [np.nan] * 3, [1e-300, 1e300, 1.7e308] * 9, [1.0, 1.0 + 1e-15] * 9, np.geomspace(1e-308, 1e308, 90),
    ],
)  # fmt: skip
def test_any_losses_are_drawn_without_a_warning(session, panel, losses, show_losses):
    show_losses(losses)
    for _ in range(3):  # the axis chosen by itself, and both kinds
        panel.plot.zoom(1e-9)
        point_at(panel, 0.0)
        assert not panel.plot.grab().isNull()
        panel.plot.fit()
        assert not panel.plot.grab().isNull()
        assert np.all(np.isfinite(panel.plot.box.viewRange()))
        panel.logarithmic.click()


@pytest.mark.slow
def test_a_hidden_panel_draws_nothing_and_catches_up_when_it_is_shown(session, panel, monkeypatch, show_losses):
    panel.hide()
    draws, captions, real = [], [], panel.plot.item(0).setData
    monkeypatch.setattr(panel.plot.item(0), "setData", lambda *data, **look: (draws.append(1), real(*data, **look)))
    panel.caption_changed.connect(captions.append)
    for n in range(1, 20):
        show_losses(np.linspace(1.0, 0.5, n))
    assert (draws, captions) == ([], [])
    panel.show()
    assert len(draws) == 1
    assert drawn(panel)[0] == 19
    assert captions


@pytest.mark.slow
def test_the_legend_and_the_tips_name_the_loss(session, panel, show_losses):
    assert "all 100" in panel.legend.text()
    assert "loss of all 100 samples" in panel.plot.toolTip()
    show_losses(SPIKE)
    assert "batches of 1" in panel.legend.text()
    show_losses(SPIKE, test_steps=np.array([0.0, 5.0]), test_losses=np.array([1.0, 2.0]))
    assert "test" in panel.legend.text()


@pytest.mark.slow
@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_the_marks_are_in_the_colours_of_the_theme(session, panel, colors, show_losses):
    panel.set_colors(colors)
    show_losses([0.7], diverged_at=3)
    assert panel.plot.divergence.pen.color().name().upper() == colors.error.upper()
    assert panel.plot.item(0).opts["symbolBrush"].color().name().upper() == colors.positive


@pytest.mark.slow
def test_the_caption_is_of_the_past_step_that_is_viewed(qtbot, session, shown):
    panel = shown(TrainingPanel)
    for _ in range(3):
        train(session, qtbot, "step")
    session.training.view_step(1)
    qtbot.waitUntil(lambda: panel.caption == f"step 1: {session.newest.curve_losses[1]:.4f}")
    session.training.view_step(None)
    qtbot.waitUntil(lambda: panel.caption == f"{session.newest.snapshot.loss:.4f} · all 100")


@pytest.mark.slow
def test_after_other_data_the_caption_is_of_no_step_until_a_batch_of_them_is_seen(session, shown, qtbot):
    assert session.edit("setting", data={"name": "moons"}, training={"batch_size": 10})
    panel = shown(TrainingPanel)
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: panel.caption.endswith("batch of 10"))
    assert session.edit("data", data={"name": "circles"})
    qtbot.waitUntil(lambda: panel.caption == "no step yet")
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: panel.caption.endswith("batch of 10"))


# Several runs


@pytest.fixture
def after_a_diverged_run(session, qtbot, shown):
    """The panel after a run that diverged, and two steps of another one."""
    panel = shown(TrainingPanel)
    session.edit("rate", training={"learning_rate": 1e9})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.diverged_at is not None)
    session.reset()
    session.edit("rate", training={"learning_rate": 0.05})
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: drawn(panel)[0] >= 2 and bool(panel.earlier))
    return panel


@pytest.mark.parametrize("by_user", [False, True])
def test_an_earlier_run_that_diverged_leaves_the_ranges_to_the_one_that_is_trained(
    session, after_a_diverged_run, show_losses, by_user
):
    panel = after_a_diverged_run
    assert panel.earlier[0].numbers.max() > 1e6
    losses = np.linspace(1.0, 0.5, 50) if by_user else SPIKE
    show_losses(losses)
    for _ in range(2 if by_user else 1):
        (left, right), _ = panel.plot.box.viewRange()
        low, high = seen_heights(panel)
        assert -5 < left <= 0 and len(losses) - 1 <= right < 2 * len(losses)
        assert losses.min() / 10 < low <= losses.min() and losses.max() <= high < 20 * losses.max()
        panel.logarithmic.click() if by_user else None


def test_a_long_earlier_run_does_not_stretch_the_steps(session, qtbot, shown, show_losses):
    panel = shown(TrainingPanel)
    train(session, qtbot, "step")
    show_losses(np.geomspace(2.0, 0.1, 5_000))
    session.reset()
    train(session, qtbot, "step")
    show_losses(np.linspace(1.0, 0.5, 30))
    qtbot.waitUntil(lambda: bool(panel.earlier))
    assert panel.plot.box.viewRange()[0][1] < 60


def test_before_the_first_step_the_newest_earlier_run_sets_the_ranges(session, qtbot, shown, show_losses):
    panel = shown(TrainingPanel)
    train(session, qtbot, "step")
    session.reset()
    qtbot.waitUntil(lambda: bool(panel.earlier))
    (left, right), (low, high) = panel.plot.box.viewRange()
    curve = panel.earlier[-1]
    assert left <= curve.steps.min() and curve.steps.max() <= right
    assert low <= curve.numbers.min() and curve.numbers.max() <= high


def test_a_hidden_run_has_no_curve_and_no_name_in_the_legend(session, qtbot, shown):
    panel = shown(TrainingPanel)
    train(session, qtbot, "step")
    session.reset()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: "run 1" in panel.legend.text())
    set_run_hidden(session, session.runs.all[0], True)
    assert panel.earlier == [] and "run 1" not in panel.legend.text()
    session.undo_stack.undo_edit()
    assert "run 1" in panel.legend.text()


def test_the_legend_names_no_run_whose_curve_is_outside_of_the_ranges(session, after_a_diverged_run, show_losses):
    panel = after_a_diverged_run
    show_losses(np.linspace(1e-3, 1e-4, 60))
    assert "run 1" not in panel.legend.text()


def test_a_setting_changed_in_mid_run_is_marked_at_its_step(session, qtbot, panel):
    train(session, qtbot, "step")
    session.edit("penalty", training={"l2": 0.01})
    session.edit("rate", training={"learning_rate": 0.5})
    train(session, qtbot, "step")
    (mark,) = [line for line in panel.plot.changes if line.isVisible()]
    assert mark.value() == 2
    assert "L2 0 → 0.01" in mark.toolTip() and "rate 0.05 → 0.5" in mark.toolTip()
    point_at(panel, 2.0)
    assert "rate 0.05 → 0.5" in panel.plot.readout.text()
    point_at(panel, 0.0)
    assert "→" not in panel.plot.readout.text()
    panel.plot.pointer.left.emit()
    session.reset()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: not any(line.isVisible() for line in panel.plot.changes))


def visible_marks(panel):
    return {line.value(): line.toolTip() for line in panel.plot.changes if line.isVisible()}


def test_another_network_in_mid_run_is_marked_at_its_step_beside_what_was_changed_before(session, qtbot, panel):
    session.edit("rate", training={"learning_rate": 0.5})
    train(session, qtbot, "step")
    before = session.document.network.layer_sizes
    after = (before[0], 3, before[-1])
    session.edit("a wide layer", network={"layer_sizes": (before[0], 5, before[-1])})
    session.edit("a layer", network={"layer_sizes": after})
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: set(visible_marks(panel)) == {1, 2})
    names = ["-".join(map(str, sizes)) for sizes in (before, after)]
    assert f"{names[0]} → {names[1]}" in visible_marks(panel)[2] and "→ 0.5" in visible_marks(panel)[1]
    assert names[1] in session.runs.words(session.runs.run(2))
    while session.document.network.layer_sizes != before:
        session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: set(visible_marks(panel)) == {1})


def test_going_on_from_a_past_step_leaves_the_run_of_before_as_an_earlier_curve(session, qtbot, shown):
    panel = shown(TrainingPanel)
    for _ in range(4):
        train(session, qtbot, "step")
    session.training.view_step(2)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 2)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2 and drawn(panel)[0] == 3)
    qtbot.waitUntil(lambda: [curve.name for curve in panel.earlier] == ["run 1"])
    assert panel.earlier[0].steps[-1] >= 3 and panel.plot.box.viewRange()[0][1] < 4.5


def test_the_legend_says_in_which_settings_the_runs_differ(session, qtbot, panel):
    for rate in (0.1, 0.3):
        session.reset()
        session.edit("rate", training={"learning_rate": rate})
        train(session, qtbot, "step")
    session.reset()
    train(session, qtbot, "step")
    panel.resize(900, 300)
    qtbot.waitUntil(lambda: [curve.name for curve in panel.earlier] == ["run 1", "run 2", "run 3"])
    assert all(rate in panel.legend.text() for rate in ("0.05", "0.1", "0.3"))


@pytest.mark.parametrize(("kind", "least"), [("normal", 4.5), ("high", 7.0)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_names_of_the_runs_can_be_read(session, qtbot, panel, theme, kind, least):
    colors = colors_of(theme, kind)
    panel.set_colors(colors)
    for _run in range(4):
        train(session, qtbot, "step")
        session.reset()
    panel.resize(900, 300)
    qtbot.waitUntil(lambda: len(panel.earlier) == 4)
    written = set(re.findall("#[0-9a-fA-F]{6}", panel.legend.text()))
    assert len(written) >= 4 and min(contrast(color, colors.panel) for color in written) >= least


def test_the_legend_says_the_settings_of_the_present_run_as_of_the_earlier_ones(session, qtbot, panel):
    train(session, qtbot, "step")
    assert "run" not in panel.legend.text()
    session.reset()
    session.edit("rate", training={"learning_rate": 0.3})
    train(session, qtbot, "step")
    panel.resize(900, 300)
    qtbot.waitUntil(lambda: "0.3 · run 2" in panel.legend.text() and "0.05 · run 1" in panel.legend.text())
    panel.resize(300, 300)
    assert "0.3 · run 2" in panel.legend.toolTip() and "0.05 · run 1" in panel.legend.toolTip()


def test_a_legend_without_room_says_how_many_runs_it_leaves_out_and_an_exported_one_has_them_all(qtbot):
    legend = Legend(shortens=True)
    qtbot.addWidget(legend)
    legend.resize(240, 20)
    runs = [("#000000", f"SGD 0.{number} · run {number}") for number in range(1, 9)]
    legend.show_entries([("#000000", "train")], runs)
    named = legend.text().count("run ")
    assert 0 < named < 8 and f"{8 - named} more" in legend.text()
    whole = legend.whole(400)
    qtbot.addWidget(whole)
    assert whole.text().count("run ") == 8 and whole.height() > legend.fontMetrics().lineSpacing()


def test_twenty_runs_have_different_lines():
    assert len({(run_color(LIGHT, number, None), run_line(number)) for number in range(1, 21)}) == 20


def test_a_low_plot_has_the_room_of_the_note(qtbot, session, shown):
    panel = shown(TrainingPanel, 400, 220)
    train(session, qtbot, "step")
    panel.show_note("log scale")
    assert panel.note.isVisible()
    panel.resize(400, 120)
    assert not panel.note.isVisible()
    panel.resize(400, 220)
    assert panel.note.isVisible()
