"""Histograms of weights, gradients and activations: counts against counting by hand."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.autograd import Value
from engine.experiment.assemble import make_model
from engine.network.layer_figures import histograms
from gui.panels.figures.histograms import ActivationsPanel, WeightsPanel

MOONS = {"data": {"name": "moons", "n_samples": 40}, "network": {"layer_sizes": (2, 5, 3, 1)}}


@pytest.fixture
def trained(session, shown, qtbot):
    """Makes a panel on a session that has made two steps."""

    def make(kind):
        assert session.edit("setting", **MOONS)
        panel = shown(kind, width=420)
        for step in (1, 2):
            session.train("step")
            qtbot.waitUntil(lambda step=step: panel.caption == f"step {step}")
        return panel

    return make


def counted(numbers, edges):
    """How many numbers lie in each bin: each but the last without its upper edge."""
    pairs = list(pairwise(edges))
    return [sum(low <= x < high or (high == edges[-1] and x == high) for x in numbers) for low, high in pairs]


def test_groups_share_the_edges_and_every_finite_number_is_counted_once():
    groups = [np.array([0.0, 1.0, 2.0, np.nan]), np.array([[2.0, 4.0], [np.inf, -np.inf]]), np.empty(0)]
    found = histograms(groups, bins=4)
    assert [each.counts.tolist() for each in found] == [[1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 0]]
    assert all(each.edges.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0] for each in found)
    assert [each.left_out for each in found] == [1, 2, 0]


@pytest.mark.slow
def test_the_weights_of_every_layer_are_counted(session, trained):
    panel = trained(WeightsPanel)
    model = make_model(session.current_document())
    for layer, shown in zip(model.layers, panel.layers, strict=True):
        numbers = [parameter.data for parameter in layer.parameters()]
        assert shown.histogram.counts.tolist() == counted(numbers, shown.histogram.edges)
        assert (shown.mean, shown.deviation) == pytest.approx((np.mean(numbers), np.std(numbers)))
    data = dict(panel.figure_data())
    assert data["L2 weights"].tolist() == panel.layers[1].histogram.counts.tolist()
    assert data["from"][0] == min(each.numbers.min() for each in panel.layers)


@pytest.mark.slow
def test_gradients_are_those_of_the_last_update_and_there_are_none_before_it(session, shown, trained, qtbot):
    panel = shown(WeightsPanel)
    panel.choose("gradients")
    qtbot.waitUntil(lambda: panel.caption == "step 0")
    assert "no gradients" in panel.note.text() and len(panel.layers) == 0
    panel = trained(WeightsPanel)
    panel.choose("gradients")
    qtbot.waitUntil(lambda: len(panel.layers) == 3)
    gradients = session.newest.snapshot.gradients
    assert np.concatenate([each.numbers for each in panel.layers]).tolist() == gradients.tolist()
    assert session.edit("a neuron more", network={"layer_sizes": (2, 5, 4, 1)})
    qtbot.waitUntil(lambda: not panel.layers)  # at step 2 still, and nothing has been passed back through it
    assert "no gradients" in panel.note.text() and session.trained_so_far.step == 2


@pytest.mark.slow
def test_activations_are_the_outputs_of_the_neurons_for_the_training_samples(session, trained):
    panel = trained(ActivationsPanel)
    model = make_model(session.current_document())
    outputs = [[], [], []]
    for x in session.dataset.X:
        values = [Value(number) for number in x]
        for layer, found in zip(model.layers, outputs, strict=True):
            values = layer.respond(values)
            found += [value.data for value in values]
    for found, shown in zip(outputs, panel.layers, strict=True):
        assert sorted(shown.numbers) == pytest.approx(sorted(found))
        assert shown.histogram.counts.sum() == len(found)
    flat = np.mean([1 - y * y < 0.02 for y in outputs[0]])
    assert panel.layers[0].flat == pytest.approx(flat)


@pytest.mark.slow
def test_the_bin_under_the_pointer_is_said(session, trained):
    panel = trained(WeightsPanel)
    layer = panel.layers[2]
    middle = float(layer.histogram.edges[3:5].mean())
    panel.pointer.moved.emit(QPointF(middle, 0.5))
    assert panel.note.text().startswith(f"L3: {layer.histogram.counts[3]} of 4 from ")


@pytest.mark.slow
def test_an_untrained_network_has_weights_and_activations(session, shown, qtbot):
    for kind in (WeightsPanel, ActivationsPanel):
        panel = shown(kind)
        qtbot.waitUntil(lambda panel=panel: len(panel.layers) == 3)
        assert panel.caption == "step 0"


def test_the_share_of_flat_outputs_stands_beside_the_bars_and_only_where_a_layer_can_be_flat(session, shown, qtbot):
    assert session.edit("setting", **MOONS)
    panel = shown(ActivationsPanel, width=420)
    qtbot.waitUntil(lambda: len(panel.layers) == 3)
    axis, box = panel.flat_axis, panel.plot.box
    qtbot.waitUntil(lambda: axis.isVisible() and axis.geometry().width() > 40)
    assert axis.geometry().left() >= box.geometry().right()
    assert session.edit("linear", network={"activations": ("linear", "linear")})
    qtbot.waitUntil(lambda: len(panel.layers) == 3 and not panel.flat_axis.isVisible())
