"""The output of a neuron in the boundary panel while the network drawing points at it, against single numbers."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from engine.experiment.assemble import make_model
from gui.panels.network.network import NetworkPanel
from gui.panels.planes.boundary import BoundaryPanel
from tests.gui.training import train

CURVE = {
    "data": {"name": "curve"},
    "network": {"layer_sizes": (1, 4, 1)},
    "training": {"loss": "mean_squared_error"},
}


def value_of(session, neuron, raw):
    """What a neuron gives for a raw point, computed with single numbers."""
    layer, number = neuron
    values = session.data.to_inputs(np.array([raw]))[0].tolist()
    model = make_model(session.current_document())
    for each in model.layers[:layer]:
        values = [node(values) for node in each.neurons]
    return float(getattr(values[number], "data", values[number]))


def point_at(qtbot, panel, layer, neuron):
    qtbot.mouseMove(panel.drawing, QPoint(1, 1))  # a pointer that is there already would not move
    column = panel.drawing.picture.geometry.layers[layer]
    qtbot.mouseMove(panel.drawing, QPoint(round(column.x), round(column.ys[neuron])))


@pytest.fixture
def beside(shown):
    """Both panels, one beside the other: the pointer is over one of them."""

    def make():
        boundary, network = shown(BoundaryPanel, 380, 400), shown(NetworkPanel, 380, 400)
        network.move(400, 0)
        return boundary, network

    return make


@pytest.fixture
def panels(session, beside, qtbot):
    train(session, qtbot, "step")
    boundary, network = beside()
    qtbot.waitUntil(lambda: boundary.image.image is not None and boundary.image.image.ndim == 2)
    return boundary, network


@pytest.mark.parametrize("neuron", [(0, 1), (1, 0), (2, 3), (3, 0)])
def test_a_neuron_that_is_pointed_at_shows_its_output_in_the_boundary_plot(session, panels, qtbot, neuron):
    boundary, network = panels
    before, caption = boundary.image.image.copy(), boundary.caption
    point_at(qtbot, network, *neuron)
    name = "x2" if neuron == (0, 1) else f"L{neuron[0]}N{neuron[1] + 1}"
    qtbot.waitUntil(lambda: boundary.caption.startswith(f"{name}: "))
    assert name in boundary.reading.text()
    image, (left, right, bottom, top) = boundary.image.image, boundary.bounds
    n = len(image)
    for row, column in [(0, 0), (n - 1, 0), (3, n - 1), (n // 2, n // 3)]:
        raw = left + (right - left) * column / (n - 1), bottom + (top - bottom) * row / (n - 1)
        assert image[row, column] == pytest.approx(value_of(session, neuron, raw), abs=1e-6)
    largest = 1.0 if neuron == (3, 0) else np.abs(image).max()
    assert boundary.image.levels == pytest.approx((-largest, largest))
    assert [entry.text[0] for entry in boundary.scale.scale.entries] == ["−", "1" if neuron == (3, 0) else "+"]
    assert not network.drawing.enlarges
    network.drawing.leave()
    qtbot.waitUntil(lambda: boundary.caption == caption)
    assert np.array_equal(boundary.image.image, before)
    assert len(boundary.scale.scale.entries) == 2 and boundary.scale.scale.entries[0].marker


@pytest.mark.slow
def test_the_output_of_a_network_that_learns_0_and_1_has_the_colours_and_the_line_of_the_boundary(
    session, beside, qtbot
):
    assert session.edit("xor", data={"name": "xor"}, training={"loss": "mean_squared_error"})
    train(session, qtbot, "step")
    boundary, network = beside()
    qtbot.waitUntil(lambda: boundary.image.image is not None)
    point_at(qtbot, network, 3, 0)
    qtbot.waitUntil(lambda: "L3N1" in boundary.caption)
    assert boundary.image.levels == pytest.approx((0.0, 1.0)) and boundary.scale.scale.level == "0.5"
    x, y = boundary.boundary.getData()
    assert [value_of(session, (3, 0), place) for place in zip(x, y, strict=True)] == pytest.approx(
        [0.5] * len(x), abs=0.01
    )


def test_the_neuron_under_the_keyboards_cursor_is_shown_until_the_drawing_loses_the_keyboard(panels, qtbot):
    boundary, network = panels
    qtbot.keyClick(network.drawing, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: "L2N1" in boundary.caption)
    qtbot.keyClick(network.drawing, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "L2N2" in boundary.caption)
    qtbot.keyClick(network.drawing, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "L2N2" not in boundary.caption)


def test_training_goes_on_in_the_picture_of_the_neuron(session, panels, qtbot):
    boundary, network = panels
    point_at(qtbot, network, 1, 2)
    qtbot.waitUntil(lambda: "L1N3" in boundary.caption)
    before = boundary.image.image.copy()
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2 and not np.array_equal(boundary.image.image, before))
    left, _, bottom, _ = boundary.bounds
    expected = value_of(session, (1, 2), (left, bottom))
    qtbot.waitUntil(lambda: boundary.image.image[0, 0] == pytest.approx(expected, abs=1e-6))
    assert "L1N3" in boundary.caption


def test_a_network_that_loses_the_neuron_shows_its_own_output_again(session, panels, qtbot):
    boundary, network = panels
    point_at(qtbot, network, 2, 3)
    qtbot.waitUntil(lambda: "L2N4" in boundary.caption)
    session.edit("sizes", network={"layer_sizes": (2, 1, 1)})
    qtbot.waitUntil(lambda: "output of" not in boundary.caption and boundary.image.image is not None)
    assert session.neurons.pointed_at is None


def test_a_boundary_that_is_hidden_shows_no_neuron_and_a_drawing_that_is_hidden_points_at_none(session, panels, qtbot):
    boundary, network = panels
    point_at(qtbot, network, 1, 1)
    qtbot.waitUntil(lambda: "L1N2" in boundary.caption)
    boundary.hide()
    point_at(qtbot, network, 1, 2)
    qtbot.waitUntil(lambda: session.neurons.pointed_at == (1, 2))
    assert network.drawing.enlarges
    boundary.show()
    qtbot.waitUntil(lambda: "L1N3" in boundary.caption)
    network.hide()
    qtbot.waitUntil(lambda: "output of" not in boundary.caption)


def test_over_one_input_the_curve_is_that_of_the_neuron(session, beside, qtbot):
    assert session.edit("curve", **CURVE)
    train(session, qtbot, "step")
    boundary, network = beside()
    point_at(qtbot, network, 1, 2)
    qtbot.waitUntil(lambda: "L1N3" in boundary.caption)
    x, y = boundary.curve.getData()
    for place in (0, len(x) // 2, -1):
        assert y[place] == pytest.approx(value_of(session, (1, 2), [x[place]]), abs=1e-6)
