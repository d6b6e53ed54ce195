"""The drawn network as one works on it: menus over the columns, single weights by hand, maps, what is shown."""

import base64
import dataclasses
import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from datasets import available_features
from engine.document.document import LARGEST_WEIGHT
from engine.network.neuron_maps import neuron_maps, plane_bounds
from engine.network.shape import NetworkShape
from gui.export.drawing import draw_svg
from gui.export.figures import widget_drawing
from gui.panels.network.network import NetworkPanel
from gui.panels.network.network_edits import NetworkEdits, SizesField
from gui.panels.network.network_geometry import ParameterPlace
from gui.panels.network.network_picture import MAP_SHADES, map_pictures, map_table
from gui.session.training_edits import shown_parameters
from gui.theme import LIGHT, follow_text_size, set_text_size
from tests.gui.training import train


@pytest.fixture
def panel(shown):
    return shown(NetworkPanel, width=620, height=560)


def at(panel, layer, neuron):
    """Where a neuron is drawn."""
    column = panel.drawing.picture.geometry.layers[layer]
    return QPoint(round(column.x), round(column.ys[neuron]))


def choose(button, title):
    """Opens a header's menu and takes an entry."""
    button.fill()
    next(action for action in button.menu().actions() if action.text() == title).trigger()


@pytest.mark.slow
def test_each_layer_gets_its_activation_by_its_menu(session, panel):
    choose(panel.diagram.hidden[1].activation, "ReLU")
    choose(panel.diagram.output.menu, "tanh")
    assert session.document.network.activations == ("tanh", "relu")
    assert session.document.network.output_activation == "tanh"
    assert [header.activation.text() for header in panel.diagram.hidden] == ["tanh ▾", "ReLU ▾"]
    choose(panel.diagram.hidden[1].activation, "ReLU in every hidden layer")
    assert session.document.network.activations == ("relu", "relu")
    session.undo_stack.undo_edit()
    assert panel.diagram.hidden[0].activation.text() == "tanh ▾"


@pytest.mark.slow
def test_layers_are_inserted_and_removed_where_one_is(session, panel, qtbot):
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    choose(panel.diagram.hidden[1].activation, "ReLU")
    choose(panel.diagram.hidden[0].activation, "Insert a layer before this one")
    assert session.document.network.layer_sizes == (2, 4, 4, 4, 1)
    assert session.document.network.activations == ("tanh", "tanh", "relu")
    assert told == ["The remaining weights are kept; 20 new ones are drawn by the initialiser."]
    choose(panel.diagram.hidden[1].activation, "Insert a layer after this one")
    assert session.document.network.activations == ("tanh", "tanh", "tanh", "relu")
    choose(panel.diagram.hidden[3].activation, "Remove this layer")
    assert session.document.network.activations == ("tanh",) * 3
    assert len(panel.diagram.headers) == 5


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_the_menu_of_the_inputs_stays_open_for_several_choices(session, panel, qtbot, by):
    button = panel.diagram.inputs.menu
    button.fill()
    menu = button.menu()
    menu.popup(button.mapToGlobal(QPoint(0, 0)))
    qtbot.waitUntil(menu.isVisible)
    entries = {action.text(): action for action in menu.actions()}
    for title in ("x1²", "x2²", "x1", "x2", "x2²"):
        if by == "mouse":
            qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entries[title]).center())
        else:
            menu.setActiveAction(entries[title])
            qtbot.keyClick(menu, Qt.Key.Key_Space)
        assert menu.isVisible()
        fed = session.data.features
        assert [action.isChecked() for action in entries.values()] == [
            name in fed for name in available_features(session.data.raw.n_features)
        ]
    assert session.document.data.features == ("x1^2",) and not entries["x1²"].isEnabled()
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_features_are_fed_and_left_out_by_the_menu_of_the_inputs(session, panel):
    choose(panel.diagram.inputs.menu, "x1²")
    assert session.document.data.features == ("x1", "x2", "x1^2")
    assert session.document.network.layer_sizes[0] == 3
    choose(panel.diagram.inputs.menu, "x1²")
    assert session.document.data.features == ()
    choose(panel.diagram.inputs.menu, "x1")
    panel.diagram.inputs.menu.fill()
    entries = {action.text(): action for action in panel.diagram.inputs.menu.menu().actions()}
    assert not entries["x2"].isEnabled() and entries["x1"].isEnabled()


def test_a_click_on_a_neuron_opens_its_numbers_and_return_puts_one_in(session, panel, qtbot):
    qtbot.mouseClick(panel.drawing, Qt.MouseButton.LeftButton, pos=at(panel, 1, 1))
    assert list(panel.bar.fields) == ["L1N2.w1", "L1N2.w2", "L1N2.b"]
    field = panel.bar.fields["L1N2.w1"]
    before = shown_parameters(session)[3]
    assert float(field.text()) == pytest.approx(before, rel=1e-3)
    field.selectAll()
    qtbot.keyClicks(field, "0.75")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert shown_parameters(session)[3] == 0.75
    session.undo_stack.undo_edit()
    assert shown_parameters(session)[3] == before
    assert float(field.text()) == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("width", [300, 440, 620])
def test_numbers_of_a_neuron_are_whole_in_their_fields_with_larger_text(session, panel, width):
    try:
        set_text_size(150)
        panel.resize(width, 560)
        follow_text_size(panel)
        panel.bar.show_place(ParameterPlace(2, 1, 1))
        panel.layout().activate()
        fields = panel.bar.fields
        assert len(fields) > 1 and "L2N1.w1" in fields and "L2N1.b" in fields
        for field in fields.values():
            room = field.width() - 2 * 7  # border and padding
            assert field.fontMetrics().horizontalAdvance("−0.543") <= room
    finally:
        set_text_size(100)


@pytest.mark.slow
@pytest.mark.parametrize("gone", [ParameterPlace(4, 1, 1), ParameterPlace(1, 9, 1), ParameterPlace(1, 1, 3)])
def test_a_parameter_that_the_network_has_no_more_is_not_to_be_had(panel, gone):
    """A click on a drawing that was not the newest raised a KeyError."""
    panel.bar.show_place(gone)
    assert panel.bar.place is None and panel.bar.fields == {}


@pytest.mark.slow
def test_the_open_numbers_of_a_neuron_close_when_undo_takes_its_layer_away(session, panel, qtbot):
    assert session.edit("setting", network={"layer_sizes": (2, 1)})
    train(session, qtbot, "step")
    assert session.edit("setting", network={"layer_sizes": (2, 8, 8, 1)})
    panel.bar.show_place(ParameterPlace(3, 0, 0))
    session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: not panel.bar.fields)
    assert session.document.network.layer_sizes == (2, 1)


@pytest.mark.parametrize("text", ["nan", "inf", "1e308", "abc", "0,5", "", "1_0", str(2 * LARGEST_WEIGHT)])
def test_a_weight_that_cannot_be_is_refused_at_its_field_and_the_old_one_stays(session, panel, text):
    panel.bar.show_place(ParameterPlace(2, 1, 0))
    field, before = panel.bar.fields["L2N1.b"], shown_parameters(session).tolist()
    field.enter(text)
    assert field.problem.startswith("L2N1.b ")
    notes = [label for label in panel.findChildren(QLabel) if label.text() == field.problem]
    assert [note.isVisible() for note in notes] == [True]
    panel.bar.close_fields()
    assert not notes[0].isVisible()
    assert shown_parameters(session).tolist() == before and len(session.undo_stack.steps) == 0


@pytest.mark.slow
def test_a_click_on_a_bias_or_a_line_puts_the_cursor_into_its_field(session, panel, qtbot):
    session.edit("sizes", network={"layer_sizes": (2, 2, 9, 1)})
    geometry = panel.drawing.picture.geometry
    x, y = geometry.bias_place(2, 1)
    qtbot.mouseClick(panel.drawing, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    assert panel.bar.place == ParameterPlace(2, 2, 0)
    left = geometry.layers[2]
    x = left.x + geometry.side / 2 + 2
    qtbot.mouseClick(panel.drawing, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(left.ys[6])))
    assert panel.bar.place == ParameterPlace(3, 1, 7)
    assert "L3N1.w7" in panel.bar.fields and len(panel.bar.fields) == 5
    panel.bar.close_fields()
    assert panel.drawing.pinned is None and panel.bar.fields == {}


def test_arrow_keys_go_from_neuron_to_neuron_and_return_opens_one(session, panel, qtbot):
    drawing = panel.drawing
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Up):
        qtbot.keyClick(drawing, key)
    assert drawing.accessibleDescription() == "Input x1"
    qtbot.keyClick(drawing, Qt.Key.Key_Right)
    assert drawing.accessibleDescription().startswith("L1N1   w1 ")
    qtbot.keyClick(drawing, Qt.Key.Key_Return)
    assert panel.bar.place == ParameterPlace(1, 1, 1)


@pytest.mark.slow
def test_maps_are_those_of_the_moment_and_their_scale_is_over_the_column(session, panel, qtbot):
    qtbot.waitUntil(lambda: panel.drawing.picture.maps is not None)
    first = panel.drawing.picture.maps
    session.train("step")
    qtbot.waitUntil(lambda: session.shown is not None and panel.drawing.picture.maps is not first)
    bounds = plane_bounds(session.data.raw.X)
    shape = NetworkShape(session.document.network.layer_sizes, ("tanh", "tanh", "linear"))
    maps = maps_of(session, shape, bounds, first.width)
    qtbot.waitUntil(lambda: np.array_equal(panel.drawing.picture.maps.scales[2], maps.scales[2]))
    image, table = panel.drawing.picture.maps.images[2], map_table(LIGHT)
    row, column = first.width + 3, 5  # in the second neuron of the second layer
    shade = round(float(np.clip(maps.layers[2][1, 3, 5] / maps.scales[2][1], -1, 1)) * MAP_SHADES)
    assert image.pixel(column, row) == int(table[shade + MAP_SHADES])
    assert panel.diagram.headers[0].scale.text() == f"±{maps.scales[0].max():.3g}"


def test_the_output_of_a_network_that_learns_0_and_1_has_the_colours_of_the_boundary(session, panel, qtbot):
    assert session.edit("xor", data={"name": "xor"}, training={"loss": "mean_squared_error"})
    session.train("step")
    output, pictures = len(session.document.network.layer_sizes) - 1, panel.drawing
    qtbot.waitUntil(lambda: pictures.picture.maps is not None and pictures.picture.maps.levels == (0.0, 1.0))
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.snapshot.step == 1)
    shape = NetworkShape(session.document.network.layer_sizes, ("tanh", "tanh", "linear"))

    def has_the_shades():
        maps = maps_of(session, shape, plane_bounds(session.data.raw.X), pictures.picture.maps.width)
        shades = np.rint(np.clip(2 * maps.layers[output][0] - 1, -1, 1) * MAP_SHADES).astype(int) + MAP_SHADES
        image, table = pictures.picture.maps.images[output], map_table(LIGHT)
        return all(image.pixel(5, row) == int(table[shades[row, 5]]) for row in range(maps.layers[output].shape[1]))

    qtbot.waitUntil(has_the_shades)
    assert panel.diagram.output.scale.text() == "0 to 1"


@pytest.mark.parametrize("typed", ["", "3.5"])
def test_escape_leaves_the_fields_of_a_neuron_without_a_change_and_goes_back_to_the_drawing(
    session, panel, qtbot, typed
):
    before = shown_parameters(session).tolist()
    qtbot.mouseClick(panel.drawing, Qt.MouseButton.LeftButton, pos=at(panel, 1, 1))
    field = panel.bar.fields["L1N2.w1"]
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert panel.bar.place is None and panel.drawing.pinned is None
    qtbot.waitUntil(panel.drawing.hasFocus)
    assert shown_parameters(session).tolist() == before and len(session.undo_stack.steps) == 0
    assert not session.modified


def test_in_an_svg_each_neuron_has_its_own_map(panel, qtbot):
    qtbot.waitUntil(lambda: panel.drawing.picture.maps is not None)
    svg = draw_svg(widget_drawing(panel.drawing)).decode()
    found = [QImage.fromData(base64.b64decode(text)) for text in re.findall(r'data:image/png;base64,([^"]*)"', svg)]
    assert len(found) == sum(panel.session.document.network.layer_sizes)
    assert {(image.width(), image.height()) for image in found} == {(panel.drawing.picture.maps.width,) * 2}
    maps = panel.drawing.picture.maps
    second = maps.images[1].copy(0, maps.width, maps.width, maps.width)
    assert found[3].convertToFormat(second.format()) == second


def test_a_neuron_that_is_pointed_at_has_a_larger_map_of_its_own(session, panel, qtbot):
    qtbot.mouseMove(panel.drawing, at(panel, 2, 1))
    qtbot.waitUntil(lambda: panel.drawing.picture.maps is not None and panel.drawing.picture.maps.enlarged is not None)
    maps = panel.drawing.picture.maps
    neuron, image = maps.enlarged
    assert neuron == (2, 1) and image.width() == image.height() > maps.width
    corner = image.pixelColor(0, 0), maps.images[2].pixelColor(0, maps.width)
    assert corner[0] == corner[1]


def test_a_neuron_that_is_nearly_silent_stays_pale():
    shape = NetworkShape((2, 2), ("linear",))
    maps = neuron_maps(shape, np.array([1.0, 0.0, 0.0, 0.01, 0.0, 0.0]), (-2.0, 2.0, -2.0, 2.0), 9, 2)
    pictures = map_pictures(maps, (2, 2), map_table(LIGHT))
    assert pictures.scales[1].tolist() == pytest.approx([2.0, 0.2]) and pictures.largest[1] == 2.0
    assert pictures.images[1].pixel(8, 0) == map_table(LIGHT)[-1]
    assert pictures.images[1].pixel(8, 9) == map_table(LIGHT)[MAP_SHADES + round(MAP_SHADES / 10)]


def maps_of(session, shape, bounds, width):
    return neuron_maps(shape, session.shown.snapshot.parameters, bounds, width, 2)


def test_a_curve_is_full_where_it_runs_and_tinted_down_to_zero():
    shape = NetworkShape((1, 1), ("linear",))
    pictures = map_pictures(
        neuron_maps(shape, np.array([1.0, 0.0]), (-1.0, 1.0, 0.0, 0.0), 33, 1), (1, 1), map_table(LIGHT)
    )
    image, table = pictures.images[1], map_table(LIGHT)
    assert (image.width(), image.height()) == (33, 33)
    assert image.pixel(32, 0) == table[-1] and image.pixel(0, 32) == table[0]
    assert image.pixel(32, 10) == table[MAP_SHADES + MAP_SHADES // 3] and image.pixel(32, 20) == table[MAP_SHADES]


@pytest.mark.slow
def test_the_switch_says_what_is_shown_and_gradients_are_there_after_the_first_step(session, panel, qtbot):
    for mode, button in panel.modes.items():
        button.click()
        assert panel.drawing.picture.mode == mode and not panel.drawing.grab().isNull()
    panel.modes["gradients"].click()
    assert panel.bar.words.text() == "There are no gradients yet: the first step of training computes them."
    session.train("step")
    qtbot.waitUntil(lambda: panel.drawing.picture.numbers.known)
    largest = np.abs(panel.drawing.picture.numbers.matrices[0][:, :-1]).max()
    assert panel.drawing.picture.numbers.weight_scale >= largest
    flat = np.concatenate([matrix.ravel() for matrix in panel.drawing.picture.numbers.matrices])
    assert np.array_equal(flat, session.shown.snapshot.gradients)


@pytest.mark.slow
def test_a_large_network_says_what_a_step_costs(session, panel):
    assert panel.cost.isHidden()
    panel.sizes.enter("2, 64, 64, 64, 64, 64, 64, 64, 64, 1")
    assert panel.cost.text() == "A training step will take about 4 ms: 29,377 parameters, 100 samples."
    assert panel.caption == "29,377 parameters"


def test_the_numbers_of_the_drawing_are_handed_out(session, panel, qtbot):
    columns = dict(panel.figure_data())
    assert columns["parameter"][:3] == ["L1N1.w1", "L1N1.w2", "L1N1.b"]
    assert columns["value"] == shown_parameters(session).tolist()
    assert "gradient" not in columns


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"initialiser": "zeros"}, "symmetry is never broken"),
        ({"initialiser": "equal"}, "symmetry is never broken"),
        ({"output_activation": "sigmoid"}, "after a sigmoid output it comes twice"),
    ],
)
def test_what_is_odd_about_a_network_is_said_beside_it(session, panel, changes, note):
    session.edit("loss", training={"loss": "binary_cross_entropy"})
    session.edit("network", network=changes)
    assert note in panel.cost.text() and panel.cost.isVisible()


@pytest.mark.parametrize("text", ["-1", str(2**64), "abc", "", "1.5"])
def test_a_seed_that_cannot_be_is_refused_at_its_field(session, panel, text):
    panel.fields["network.seed"].enter(text)
    assert panel.fields["network.seed"].problem and session.document.network.seed == 1


def test_an_output_for_each_class_cannot_be_typed_away(session, panel):
    session.edit("data", data={"name": "spiral3"})
    panel.sizes.enter("2, 4, 1")
    assert "needs 3 outputs" in panel.sizes.problem
    assert session.document.network.layer_sizes[-1] == 3


@pytest.mark.slow
def test_training_goes_on_with_another_architecture_and_keeps_what_remains(session, panel, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 3)
    for _ in range(5):
        qtbot.mouseClick(panel.diagram.hidden[0].more, Qt.MouseButton.LeftButton)
    assert session.run_state == "running" and session.document.network.layer_sizes == (2, 9, 4, 1)
    assert session.trained_so_far.step > 3 and len(session.trained_so_far.parameters) == 72
    step = session.trained_so_far.step
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > step)
    assert session.newest.snapshot.parameters.shape == (72,)
    session.pause()


@pytest.mark.slow
def test_twenty_layers_scroll_and_each_has_its_buttons(session, panel, qtbot):
    panel.sizes.enter("2, " + "1, " * 20 + "1")
    assert len(panel.diagram.hidden) == 20 and not panel.more.isEnabled()
    qtbot.waitUntil(lambda: panel.drawing.width() > panel.width())
    right = panel.diagram.headers[-1].geometry().right()
    assert right <= panel.drawing.width()


def test_every_field_of_the_network_has_a_control_with_a_name(session, panel):
    controls = panel.fields | {
        "network.activations": panel.diagram.hidden[0].activation,
        "network.output_activation": panel.diagram.output.menu,
    }
    assert {f"network.{item.name}" for item in dataclasses.fields(session.document.network)} == set(controls)
    assert all(control.accessibleName() for control in controls.values())


def test_a_button_of_a_layer_that_is_gone_changes_nothing(session, qapp):
    before = session.document
    for layer in (len(before.network.layer_sizes) - 1, 9):
        NetworkEdits(session, SizesField(session)).step_layer(layer, 1)
    assert session.document is before
