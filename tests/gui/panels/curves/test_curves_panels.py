"""Accuracy, R² and gradient norms over the steps, and what every plot of curves does: smoothing, values, marks."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.autograd import Value
from engine.experiment.assemble import make_model
from engine.network import LOSSES, encode
from gui.panels.curves.accuracy import AccuracyPanel
from gui.panels.curves.gradient_norms import GradientsPanel, layer_colors
from gui.panels.curves.training import TrainingPanel
from gui.plots.step_plot import smoothed
from gui.theme import DARK, LIGHT
from tests.gui.training import train

MOONS = {"data": {"name": "moons", "test_share": 0.3}, "training": {"loss": "hinge"}}
CURVE = {
    "data": {"name": "curve", "test_share": 0.3},
    "network": {"layer_sizes": (1, 4, 1)},
    "training": {"loss": "mean_squared_error"},
}
PANELS = (TrainingPanel, AccuracyPanel, GradientsPanel)


def numbers(panel, name):
    return next(curve for curve in panel.curves if curve.name == name)


def point_at(panel, x):
    panel.plot.pointer.moved.emit(QPointF(x, panel.plot.box.viewRect().center().y()))


@pytest.fixture
def trained(session, shown, qtbot):
    """Makes a panel on a session that was trained for some steps, one by one."""

    def make(kind, edit=MOONS, steps=3):
        assert session.edit("setting", **edit)
        panel = shown(kind, width=500)
        for _ in range(steps):
            train(session, qtbot, "step")
        qtbot.waitUntil(lambda: len(panel.curves) > 0 and panel.curves[0].steps[-1] >= steps - 1)
        return panel

    return make


@pytest.mark.parametrize("kind", [AccuracyPanel, GradientsPanel])
def test_an_untrained_network_has_no_curve_and_the_panel_says_when_it_begins(session, shown, kind):
    panel = shown(kind)
    assert panel.caption == "no step yet"
    assert "begin" in panel.caption_tip


@pytest.mark.slow
def test_accuracy_is_shown_in_per_cent_for_train_and_test(session, trained):
    panel = trained(AccuracyPanel)
    moment = session.newest.snapshot
    assert numbers(panel, "train").numbers[-1] == pytest.approx(100 * moment.accuracy)
    assert numbers(panel, "test").numbers[-1] == pytest.approx(100 * moment.test_accuracy)
    assert panel.caption == f"{100 * moment.accuracy:.1f} % · test {100 * moment.test_accuracy:.1f} %"
    assert panel.plot.axes["left"].labelText == "accuracy (%)"


@pytest.mark.slow
def test_a_regression_has_r_squared_by_its_definition(session, trained):
    panel = trained(AccuracyPanel, CURVE)
    y, X = session.data.train.y, session.data.train.X
    model = make_model(session.current_document())
    errors = sum((t - model(list(x)).data) ** 2 for x, t in zip(X, y, strict=True))
    expected = 1 - errors / sum((t - sum(y) / len(y)) ** 2 for t in y)
    assert numbers(panel, "train").numbers[-1] == pytest.approx(expected)
    assert panel.plot.axes["left"].labelText == "R²"
    assert panel.caption.startswith("R² ")


@pytest.mark.slow
def test_the_gradient_norms_are_those_of_the_graph_of_single_numbers(session, trained, qtbot):
    panel = trained(GradientsPanel, steps=1)
    before = make_model(session.document)  # the first weights: the gradient of step 1 was taken there
    targets = encode(LOSSES["hinge"], session.data.train.y, 1).values
    X = session.data.train.X
    terms = [LOSSES["hinge"].of_sample([before(list(x))], t) for x, t in zip(X, targets, strict=True)]
    loss = sum(terms, Value(0.0)) / len(terms)
    loss.backward()
    expected = [sum(p.grad**2 for p in layer.parameters()) ** 0.5 for layer in before.layers]
    assert [curve.numbers[-1] for curve in panel.curves] == pytest.approx(expected)
    assert list(panel.norms) == pytest.approx(expected)
    assert panel.caption.startswith("L1 ")
    assert panel.plot.axes["left"].logarithmic
    session.edit("a neuron more", network={"layer_sizes": (2, 5, 4, 1)})
    qtbot.waitUntil(lambda: panel.caption == "no gradient yet")  # and not norms of 0
    assert not panel.norms and session.shown.snapshot.step == 1


@pytest.mark.slow
def test_a_gradient_that_vanishes_on_its_way_back_is_said_in_a_sentence(session, shown, qtbot):
    deep = {"network": {"layer_sizes": (2, *[4] * 8, 1), "activations": ("sigmoid",) * 8}}
    assert session.edit("deep", **MOONS, **deep)
    panel = shown(GradientsPanel, width=500)
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: len(panel.curves) == 9)
    assert "vanishes" in panel.note.text()


@pytest.mark.slow
@pytest.mark.parametrize("kind", PANELS)
def test_a_past_step_that_is_viewed_is_marked_in_every_plot(session, trained, qtbot, kind):
    panel = trained(kind)
    assert not panel.plot.viewed.isVisible()
    session.training.view_step(1)
    qtbot.waitUntil(lambda: panel.plot.viewed.isVisible() and panel.plot.viewed.value() == 1)
    session.training.view_step(None)
    qtbot.waitUntil(lambda: not panel.plot.viewed.isVisible())


@pytest.mark.slow
@pytest.mark.parametrize("kind", PANELS)
def test_the_numbers_under_the_pointer_are_said_for_every_curve(session, trained, kind):
    panel = trained(kind)
    point_at(panel, 1.0)
    text = panel.plot.readout.text()
    assert text.startswith("step 1\n")
    assert len(text.splitlines()) == 1 + len(panel.curves)
    for curve in panel.curves:
        assert curve.name in text
    assert panel.caption.startswith("step 1: ")
    panel.plot.pointer.left.emit()
    assert panel.plot.readout.isHidden() and not panel.caption.startswith("step")


@pytest.mark.parametrize("weight", [0.6, 0.9, 0.97])
def test_smoothing_is_the_weighted_mean_of_all_points_so_far(weight):
    points = np.sin(np.arange(30.0)) + 3.0
    for index, mean in enumerate(smoothed(points, weight)):
        weights = [weight ** (index - k) for k in range(index + 1)]
        expected = sum(w * p for w, p in zip(weights, points, strict=False)) / sum(weights)
        assert mean == pytest.approx(expected)


@pytest.mark.slow
def test_smoothing_is_said_and_leaves_the_recorded_curve_faint_behind(session, trained):
    panel = trained(TrainingPanel)
    before = panel.plot.item(0).getOriginalDataset()[1].tolist()
    assert panel.plot.smooth_item(0).getOriginalDataset()[0] is None
    panel.smoothing.choose(0.9)
    assert panel.plot.item(0).getOriginalDataset()[1].tolist() == before
    assert panel.plot.item(0).opts["pen"].color().alpha() < 100
    assert panel.plot.smooth_item(0).getOriginalDataset()[1] == pytest.approx(smoothed(np.array(before), 0.9))
    assert panel.smoothing.text() == "smooth 0.9"
    assert "weight 0.9" in panel.plot.toolTip()
    point_at(panel, 2.0)
    assert f"smoothed {smoothed(np.array(before), 0.9)[2]:.4f}" in panel.plot.readout.text()
    panel.smoothing.choose(0.0)
    assert panel.smoothing.text() == "smooth"


def test_layers_have_different_colours_that_can_be_seen_on_both_themes():
    for colors in (LIGHT, DARK):
        for n_layers in (1, 2, 21):
            assert len(set(layer_colors(colors, n_layers))) == n_layers


@pytest.mark.slow
def test_the_figures_data_are_the_numbers_that_are_drawn_with_all_their_digits(session, trained):
    panel = trained(GradientsPanel)
    data = dict(panel.figure_data())
    assert data["L1, gradient norm"].tolist() == numbers(panel, "L1").numbers.tolist()
    assert data["step of L1"].tolist() == [1, 2, 3]


@pytest.mark.slow
def test_curves_are_there_again_when_the_session_was_saved_and_opened(session, trained, tmp_path, qtbot):
    panel = trained(AccuracyPanel)
    drawn = [(curve.name, curve.steps.tolist(), curve.numbers.tolist()) for curve in panel.curves]
    assert session.save(tmp_path / "run.gradstep")
    session.reset()
    qtbot.waitUntil(lambda: len(panel.curves) == 0)
    assert session.open(tmp_path / "run.gradstep")
    qtbot.waitUntil(lambda: len(panel.curves) == 2)
    assert [(curve.name, curve.steps.tolist(), curve.numbers.tolist()) for curve in panel.curves] == drawn


@pytest.mark.slow
def test_the_losses_of_earlier_runs_stay_beside_the_present_one(session, trained, qtbot):
    panel = trained(TrainingPanel)
    first = session.newest.curve_losses.tolist()
    assert panel.earlier == []
    session.reset()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: len(panel.earlier) == 1 and len(panel.curves) == 2)
    assert panel.earlier[0].numbers.tolist() == first
    assert panel.earlier[0].name in panel.legend.text()
    assert dict(panel.figure_data())[f"loss of {panel.earlier[0].name}"].tolist() == first
    assert panel.earlier[0].color not in {curve.color for curve in panel.curves}


@pytest.mark.slow
def test_a_much_longer_earlier_run_does_not_press_the_present_one_into_a_sliver(session, trained, qtbot):
    panel = trained(TrainingPanel, steps=1)
    session.training.set_control(None, 400)
    train(session, qtbot, "steps")
    session.reset()
    qtbot.waitUntil(lambda: len(panel.earlier) == 1)
    assert panel.plot.whole[0][1] >= panel.earlier[0].steps[-1]
    for _ in range(10):
        train(session, qtbot, "step")
    qtbot.waitUntil(lambda: panel.curves[0].steps[-1] >= 9)
    assert panel.plot.whole[0][1] <= 5 * panel.curves[0].steps[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(240, 170), (240, 260), (320, 150), (700, 300)])
@pytest.mark.parametrize("weight", [0.0, 0.9])
def test_the_values_under_the_pointer_are_inside_the_plot(session, trained, width, height, weight):
    panel = trained(TrainingPanel)
    panel.smoothing.choose(weight)
    panel.resize(width, height)
    for step in (0.0, 2.0):
        point_at(panel, step)
        assert panel.plot.readout.text().startswith(f"step {step:.0f}")
        area = panel.plot.rect()
        assert area.contains(panel.plot.readout.geometry()), (panel.plot.readout.geometry(), area)
