import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QColor

from engine.document.document import MOST_HIDDEN
from engine.experiment.assemble import make_model
from engine.network import Neuron
from engine.network.neuron_maps import neuron_maps
from engine.network.shape import NetworkShape
from gui.panels.network.network import NetworkPanel
from gui.panels.network.network_geometry import LEAST_COLUMN, ParameterPlace, least_width, place_network
from gui.panels.network.network_picture import NetworkPicture, PictureJob, PictureRequest, paint
from gui.theme import LIGHT


def sizes(session):
    return session.document.network.layer_sizes


def typed(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_sizes_are_typed(qtbot, session, shown):
    panel = shown(NetworkPanel)
    typed(qtbot, panel.sizes, "2, 16, 8, 1")
    assert sizes(session) == (2, 16, 8, 1)
    assert len(panel.diagram.hidden) == 2
    assert panel.caption == "193 parameters"
    session.undo_stack.undo_edit()
    assert sizes(session) == (2, 4, 4, 1)
    assert panel.sizes.text() == "2, 4, 4, 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2, 0, 1", "from 1 to 256"),
        (f"2, {10**12}, 1", "from 1 to 256"),
        ("2, " + "4, " * 100 + "1", "t most 20 hidden layers are possible, not"),
        ("2, 256, 256, 256, 1", "100,000 parameters"),
        ("3, 4, 1", "the data have 2 inputs"),
        ("2, 4, 3", "needs 1 output"),
        ("2", "wo numbers at least"),
        ("2, four, 1", "whole numbers with commas"),
        ("2, -4, 1", "from 1 to 256"),
        ("2, , 1", "missing at place 2"),
        ("2, 4, 1,", "missing at place 4"),
        (", 2, 1", "missing at place 1"),
        ("2 → → 1", "missing at place 2"),
        ("", "missing at place 1"),
        ("2, 4x, 1", "'4x' at place 2 is not one"),
        ("2, 4, " + "x" * 900, "at place 3 is not one"),
    ],
)
def test_sizes_that_cannot_be_are_refused_with_the_reason(session, shown, text, reason):
    panel = shown(NetworkPanel)
    panel.sizes.enter(text)
    assert reason in panel.size_row.problem
    assert sizes(session) == (2, 4, 4, 1)
    assert len(session.undo_stack.steps) == 0


@pytest.mark.parametrize("text", ["2,8,1", "[2, 8, 1]", "2 8 1", " 2 → 8 → 1 ", "2; 8;1", "(2, 8 1)"])
def test_sizes_are_taken_in_the_ways_people_write_them(session, shown, text):
    panel = shown(NetworkPanel)
    panel.sizes.enter(text)
    assert sizes(session) == (2, 8, 1)


def test_plus_and_minus_change_one_layer(qtbot, session, shown):
    panel = shown(NetworkPanel)
    qtbot.mouseClick(panel.diagram.hidden[0].more, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.diagram.hidden[1].less, Qt.MouseButton.LeftButton)
    assert sizes(session) == (2, 5, 3, 1)


def test_a_layer_of_one_neuron_has_no_minus(session, shown):
    panel = shown(NetworkPanel)
    session.edit("sizes", network={"layer_sizes": (2, 1, 1)})
    assert not panel.diagram.hidden[0].less.isEnabled()


def test_layers_are_added_and_taken_away_down_to_a_linear_model(qtbot, session, shown):
    panel = shown(NetworkPanel)
    qtbot.mouseClick(panel.more, Qt.MouseButton.LeftButton)
    assert sizes(session) == (2, 4, 4, 4, 1)
    for _ in range(3):
        qtbot.mouseClick(panel.less, Qt.MouseButton.LeftButton)
    assert sizes(session) == (2, 1)
    assert "linear model" in panel.caption
    assert not panel.less.isEnabled()


@pytest.mark.slow
def test_there_are_at_most_20_hidden_layers(session, shown):
    panel = shown(NetworkPanel)
    session.edit("sizes", network={"layer_sizes": (2, *[2] * MOST_HIDDEN, 1)})
    assert not panel.more.isEnabled()


def test_the_ends_follow_the_data(session, shown):
    panel = shown(NetworkPanel)
    session.edit("data set", data={"name": "spiral3"})
    assert sizes(session) == (2, 4, 4, 3)
    assert panel.sizes.text() == "2, 4, 4, 3"


def test_new_weights_are_other_weights_and_reset_keeps_them(qtbot, session, shown):
    panel = shown(NetworkPanel)
    first = make_model(session.document).weights
    qtbot.mouseClick(panel.roll, Qt.MouseButton.LeftButton)
    second = make_model(session.document).weights
    assert not np.array_equal(first, second)
    session.reset()
    assert make_model(session.document).weights.tolist() == second.tolist()
    session.undo_stack.undo_edit()
    assert make_model(session.document).weights.tolist() == first.tolist()


def at(panel, layer, neuron):
    """Where a neuron is drawn."""
    column = panel.drawing.picture.geometry.layers[layer]
    return QPoint(round(column.x), round(column.ys[neuron]))


@pytest.mark.slow
def test_the_drawing_follows_training_and_reads_a_neuron_out(qtbot, session, shown):
    panel = shown(NetworkPanel, width=600, height=700)
    qtbot.mouseMove(panel.drawing, at(panel, 1, 2))
    before = panel.bar.words.text()
    session.train("step")
    qtbot.waitUntil(lambda: panel.bar.words.text() != before)
    assert before.startswith("L1N3   w1 ") and before.endswith("b +0.0000")
    weights = session.shown.snapshot.parameters[6:9]
    numbers = [float(text.replace("−", "-")) for text in panel.bar.words.text().split()[2::2]]
    np.testing.assert_allclose(numbers, weights, atol=5e-5)


def test_a_column_shows_the_neurons_that_it_has_room_for_and_says_how_many_there_are():
    for height in (170, 400):
        drawing = place_network((2, 64, 1), 400, height)
        column = drawing.layers[1]
        assert 1 < len(column.ys) < 64 == column.size
        assert column.ys[-1] + drawing.side / 2 + 18 <= height


@pytest.mark.parametrize("sizes", [(1, 1), (2, 4, 4, 1), (2, *[256] * 20, 10)])
@pytest.mark.parametrize(("width", "height"), [(240, 170), (180, 96), (900, 400)])
def test_every_neuron_of_the_drawing_is_inside(sizes, width, height):
    width = max(width, least_width(sizes))
    drawing = place_network(sizes, width, height)
    half = drawing.side / 2
    for column in drawing.layers:
        assert half <= column.x <= width - half
        assert all(half <= y <= height - half for y in column.ys)


def test_the_drawn_names_of_standardised_inputs_are_those_of_their_columns(session, shown):
    panel = shown(NetworkPanel)
    session.edit("standardise", data={"scaling": True})
    assert panel.drawing.picture.drawn_names == ("x1", "x2")
    assert all("standardised" in name for name in panel.drawing.picture.names)


@pytest.mark.parametrize("sizes", [(3, 4, 4, 3), (3, 1), (4, *[16] * 8, 1)])
@pytest.mark.parametrize("names", [0.0, 30.0, 95.0, 4000.0])
def test_names_of_inputs_have_room_where_the_columns_leave_some(sizes, names):
    width, height = max(620.0, least_width(sizes)), 300.0
    drawing = place_network(sizes, width, height, names)
    xs = [column.x for column in drawing.layers]
    assert min(np.diff(xs)) >= LEAST_COLUMN - 1e-9 and xs[-1] + LEAST_COLUMN / 2 <= width
    if len(sizes) < 6:
        assert xs[0] - drawing.side / 2 - 4 >= min(names, 0.22 * width) - 1e-9


def test_what_is_under_the_pointer_is_the_neuron_the_bias_or_the_weight_that_is_drawn_there():
    drawing = place_network((2, 3, 1), 400, 300)
    half = drawing.side / 2
    for layer, column in enumerate(drawing.layers):
        for neuron, y in enumerate(column.ys):
            assert drawing.neuron_at(column.x, y) == (layer, neuron)
            if layer:
                assert drawing.parameter_at(*drawing.bias_place(layer, neuron)) == ParameterPlace(layer, neuron + 1, 0)
    left, right = drawing.layers[:2]
    for share in (0.02, 0.98):
        x = left.x + half + share * (right.x - left.x - 2 * half)
        for neuron, row in enumerate(drawing.curve_heights(1, share)):
            for weight, y in enumerate(row):
                found = drawing.parameter_at(x, y)
                near = found.weight if share < 0.5 else found.neuron
                assert near == (weight if share < 0.5 else neuron) + 1
    assert drawing.curve_heights(1, 0.0)[:, 1].tolist() == [left.ys[1]] * 3
    assert drawing.curve_heights(1, 1.0)[1].tolist() == pytest.approx([right.ys[1]] * 2)
    assert drawing.parameter_at(left.x, 1.0) is None and drawing.neuron_at(1.0, 1.0) is None


def test_a_place_knows_its_name_and_its_index_among_all_parameters():
    sizes = (2, 3, 2)
    names = list(NetworkShape(sizes, ("tanh", "tanh")).parameter_names())
    places = [ParameterPlace(1, 2, 1), ParameterPlace(1, 3, 0), ParameterPlace(2, 1, 3), ParameterPlace(2, 2, 0)]
    assert [names[place.index(sizes)] for place in places] == [place.name for place in places]


def test_every_control_has_a_name_for_screen_readers(session, shown):
    panel = shown(NetworkPanel)
    headers = [panel.diagram.hidden[0].more, panel.diagram.hidden[0].activation, panel.diagram.inputs.menu]
    controls = [*panel.fields.values(), *headers, *panel.modes.values(), panel.more, panel.less, panel.drawing]
    assert all(control.accessibleName() for control in controls)


def test_weights_that_are_no_numbers_are_painted_too(session, shown):
    drawing = shown(NetworkPanel).drawing
    drawing.show_network((2, 4, 4, 1), np.full(37, np.nan), np.full(37, np.inf))
    for mode in ("maps", "weights", "gradients", "biases"):
        drawing.set_mode(mode)
        _picture, image, _seconds = paint(PictureRequest(drawing.picture, drawing.size(), 1.0, None))
        assert not image.isNull()


def test_the_window_never_makes_the_values_of_a_network(session, shown, monkeypatch):
    """Those of 100,000 parameters take most of a second; the training thread makes them."""
    panel, here, made_here = shown(NetworkPanel), threading.get_ident(), []
    real = Neuron.__init__

    def watched(neuron, *arguments, **settings):
        made_here.extend([neuron] if threading.get_ident() == here else [])
        real(neuron, *arguments, **settings)

    monkeypatch.setattr(Neuron, "__init__", watched)
    for sizes in ((2, 6, 1), (2, 3, 3, 1)):
        assert session.edit("layers", network={"layer_sizes": sizes})
        assert [column.size for column in panel.drawing.picture.geometry.layers] == list(sizes)
    session.undo_stack.undo_edit()
    assert made_here == []


@pytest.mark.slow
def test_maps_are_computed_and_the_network_is_painted_beside_the_window(qtbot, session, shown, monkeypatch):
    here, painted_in = threading.get_ident(), []
    real = NetworkPicture.paint

    def watched(picture, painter):
        painted_in.append(threading.get_ident())
        real(picture, painter)

    monkeypatch.setattr(NetworkPicture, "paint", watched)
    panel = shown(NetworkPanel, width=600, height=500)
    qtbot.waitUntil(lambda: panel.drawing.picture.maps is not None)
    column = panel.drawing.picture.geometry.layers[1]
    first = panel.drawing.grab().toImage()
    session.train("step")
    qtbot.waitUntil(lambda: panel.drawing.grab().toImage() != first)
    assert first.pixelColor(round(column.x), round(column.ys[0])) != QColor(LIGHT.panel)
    assert painted_in and here not in painted_in


def test_a_picture_that_comes_too_late_is_not_shown(shown):
    drawing = shown(NetworkPanel, width=600, height=500).drawing
    picture, image, _seconds = paint(PictureRequest(drawing.picture, drawing.size(), 1.0, None))
    drawing.set_mode("biases")
    drawing.show_painted(picture, image)
    assert drawing.picture.mode == "biases"


@pytest.mark.slow
def test_pictures_of_running_training_leave_time_to_it(qtbot, session, shown, monkeypatch):
    """Each waits until those before took a fifth of the time; when nothing runs they are painted at once."""
    clock = [100.0]
    monkeypatch.setattr("gui.scheduling.time.monotonic", lambda: clock[0])
    drawing, owner, got = shown(NetworkPanel).drawing, QObject(), []
    job = PictureJob(owner)
    job.painted.connect(lambda picture, _image: got.append(picture))
    request = PictureRequest(drawing.picture, drawing.size(), 1.0, lambda: spent(0.02))
    job.ask(request, at_once=False)
    qtbot.waitUntil(lambda: len(got) == 1)
    job.ask(request, at_once=False)
    assert job.throttle.waits
    job.ask(request, at_once=True)
    assert not job.throttle.waits
    qtbot.waitUntil(lambda: len(got) == 2)
    clock[0] += 60.0
    job.ask(request, at_once=False)
    assert not job.throttle.waits
    qtbot.waitUntil(lambda: len(got) == 3)
    owner.deleteLater()


def spent(seconds):
    """Maps that take so much of a processor."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    shape = NetworkShape((2, 4, 4, 1), ("tanh", "tanh", "linear"))
    return neuron_maps(shape, np.zeros(37), (-1.0, 1.0, -1.0, 1.0), 8, 2)
