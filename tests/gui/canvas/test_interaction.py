import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from engine.graph.picture import EMPTY_PICTURE, Box, Picture, make_picture
from engine.language import evaluate
from engine.layout import fallback_layout
from engine.views.graph_view import show_expression
from gui.canvas.graph_scene import MAX_FOLLOWING
from gui.canvas.zoom_view import MAX_ZOOM, MIN_ZOOM

LEFT, MIDDLE, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.NoButton
NO_KEYS = Qt.KeyboardModifier.NoModifier


def send(canvas, kind, at, button, buttons):
    place = QPointF(at)
    event = QMouseEvent(kind, place, canvas.viewport().mapToGlobal(place), button, buttons, NO_KEYS)
    QApplication.sendEvent(canvas.viewport(), event)


def drag(canvas, *places, button=LEFT):
    send(canvas, QEvent.Type.MouseButtonPress, places[0], button, button)
    for place in places[1:]:
        send(canvas, QEvent.Type.MouseMove, place, NONE, button)
    send(canvas, QEvent.Type.MouseButtonRelease, places[-1], button, NONE)


def wheel(canvas, turned, at, modifiers=NO_KEYS):
    place = QPointF(at)
    event = QWheelEvent(
        place, canvas.viewport().mapToGlobal(place), QPoint(), QPoint(0, turned), NONE, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), event)


def place_of(canvas, key):
    return canvas.mapFromScene(canvas.centre_of(key))


@pytest.fixture
def shown(canvas, neuron):
    """The canvas with the neuron, and a function from label to key."""
    canvas.show_picture(neuron[0])
    canvas.show_readings(neuron[1])
    return canvas, {box.label: key for key, box in neuron[0].boxes.items()}


def test_a_click_on_a_value_selects_it(shown, qtbot):
    canvas, keys = shown
    with qtbot.waitSignal(canvas.node_selected) as caught:
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=place_of(canvas, keys["w1"]))
    assert caught.args == [keys["w1"]] and canvas.selected == keys["w1"]


def test_a_click_on_an_operation_selects_what_it_computes(shown, qtbot):
    canvas, keys = shown
    circle = canvas.picture.circles[keys["o"] + ":op"]
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=canvas.mapFromScene(circle.x, circle.y))
    assert canvas.selected == keys["o"]


def test_a_click_on_the_background_deselects(shown, qtbot):
    canvas, keys = shown
    canvas.select(keys["b"])
    with qtbot.waitSignal(canvas.node_selected) as caught:
        qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(4, 4))
    assert caught.args == [None]


def test_a_double_click_asks_for_an_explanation(shown, qtbot):
    canvas, keys = shown
    with qtbot.waitSignal(canvas.node_activated) as caught:
        qtbot.mouseDClick(canvas.viewport(), LEFT, pos=place_of(canvas, keys["n"]))
    assert caught.args == [keys["n"]]


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_group_is_opened_by_double_click_and_enter(canvas, qtbot, how):
    group = Box("group:layer", 0.0, 0.0, 190.0, 34.0, "layer", "group", members=12)
    canvas.show_picture(Picture({group.key: group}, {}, {}, (-95.0, -17.0, 95.0, 17.0)))
    with qtbot.waitSignal(canvas.group_toggled) as caught, qtbot.assertNotEmitted(canvas.node_activated):
        if how == "mouse":
            qtbot.mouseDClick(canvas.viewport(), LEFT, pos=place_of(canvas, group.key))
        else:
            canvas.select(group.key)
            qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert caught.args == ["group:layer"]


def test_a_double_click_on_the_background_fits(shown, qtbot):
    canvas, _keys = shown
    canvas.set_zoom(0.1)
    qtbot.mouseDClick(canvas.viewport(), LEFT, pos=QPoint(4, 4))
    assert canvas.zoom > 0.2


@pytest.mark.slow
def test_a_dragged_value_takes_its_operation_and_edges_along_and_says_where_it_is(shown, qtbot):
    canvas, keys = shown
    key, before = keys["n"], canvas.picture
    start = place_of(canvas, key)
    with qtbot.waitSignal(canvas.node_moved) as caught:
        drag(canvas, start, start + QPoint(20, 30), start + QPoint(40, 90))
    box, circle = canvas.picture.boxes[key], canvas.picture.circles[f"{key}:op"]
    assert caught.args == [key, box.x, box.y]
    assert box.y - before.boxes[key].y == pytest.approx(90 / canvas.zoom, abs=2)
    assert circle.x - before.circles[f"{key}:op"].x == pytest.approx(box.x - before.boxes[key].x)
    edge = canvas.picture.edges[f"{key}:op", key]
    assert edge.curves[0][0] == (circle.x + circle.radius, circle.y)
    assert edge.curves[-1][3] == (box.x - box.width / 2, box.y)


@pytest.mark.slow
def test_very_many_edges_stay_where_they_are_while_their_value_is_dragged(canvas):
    shown = show_expression(evaluate("x = 2\n" + "".join(f"t{k} = x + {k}\n" for k in range(MAX_FOLLOWING + 1))))
    canvas.show_picture(make_picture(shown.graph, fallback_layout(shown.graph, "right")))
    before = canvas.picture
    canvas.set_zoom(1.0)
    canvas.centerOn(canvas.centre_of("x"))
    start = place_of(canvas, "x")
    drag(canvas, start, start + QPoint(20, 30), start + QPoint(0, 90))
    assert canvas.picture.boxes["x"].y == pytest.approx(before.boxes["x"].y + 90, abs=2)
    assert canvas.picture.edges == before.edges


@pytest.mark.slow
def test_a_dragged_value_is_found_where_it_is_now(shown):
    canvas, keys = shown
    start = place_of(canvas, keys["n"])
    drag(canvas, start, start + QPoint(0, 80))
    assert canvas.key_at(QPointF(place_of(canvas, keys["n"]))) == keys["n"]
    assert canvas.key_at(QPointF(start)) is None


@pytest.mark.slow
def test_from_far_a_drag_on_a_node_pans(canvas, grid):
    picture = grid(60, 40)
    canvas.show_picture(picture)
    canvas.fit()
    start = place_of(canvas, "30.20")
    before = canvas.mapToScene(QPoint(0, 0))
    drag(canvas, start, start + QPoint(0, 80))
    assert canvas.is_low_detail and canvas.picture == picture and canvas.mapToScene(QPoint(0, 0)) != before


@pytest.mark.slow
def test_a_drag_does_not_select_and_a_tiny_one_is_a_click(shown, qtbot):
    canvas, keys = shown
    start = place_of(canvas, keys["n"])
    with qtbot.assertNotEmitted(canvas.node_selected):
        drag(canvas, start, start + QPoint(0, 60))
    start = place_of(canvas, keys["n"])
    with qtbot.assertNotEmitted(canvas.node_moved):
        drag(canvas, start, start + QPoint(1, 1))
    assert canvas.selected == keys["n"]


@pytest.mark.slow
def test_a_dragged_value_stays_until_another_picture_is_shown(shown, neuron):
    canvas, keys = shown
    start = place_of(canvas, keys["b"])
    drag(canvas, start, start + QPoint(0, 60))
    moved = canvas.picture
    assert moved.boxes[keys["b"]] != neuron[0].boxes[keys["b"]]
    canvas.show_picture(moved)
    assert canvas.picture == moved
    canvas.show_picture(neuron[0])
    assert canvas.picture == neuron[0]


def test_a_new_picture_without_the_dragged_node_ends_the_drag(shown, qtbot):
    canvas, keys = shown
    start = place_of(canvas, keys["n"])
    send(canvas, QEvent.Type.MouseButtonPress, start, LEFT, LEFT)
    send(canvas, QEvent.Type.MouseMove, start + QPoint(0, 50), NONE, LEFT)
    canvas.show_picture(EMPTY_PICTURE)
    with qtbot.assertNotEmitted(canvas.node_moved):
        send(canvas, QEvent.Type.MouseMove, start + QPoint(0, 70), NONE, LEFT)
        send(canvas, QEvent.Type.MouseButtonRelease, start, LEFT, NONE)


@pytest.mark.slow
def test_a_new_picture_with_the_dragged_node_goes_on_with_the_drag(shown, neuron, qtbot):
    canvas, keys = shown
    start = place_of(canvas, keys["n"])
    send(canvas, QEvent.Type.MouseButtonPress, start, LEFT, LEFT)
    send(canvas, QEvent.Type.MouseMove, start + QPoint(0, 50), NONE, LEFT)
    canvas.show_picture(neuron[0], animate=True)
    with qtbot.waitSignal(canvas.node_moved):
        send(canvas, QEvent.Type.MouseMove, start + QPoint(0, 70), NONE, LEFT)
        send(canvas, QEvent.Type.MouseButtonRelease, start + QPoint(0, 70), LEFT, NONE)


@pytest.mark.parametrize("button", [LEFT, MIDDLE])
def test_the_background_is_dragged_to_pan(shown, button):
    canvas, _keys = shown
    before = canvas.mapToScene(QPoint(100, 100))
    drag(canvas, QPoint(10, 10), QPoint(60, 40), button=button)
    after = canvas.mapToScene(QPoint(150, 130))
    assert abs(after.x() - before.x()) < 3 and abs(after.y() - before.y()) < 3


@pytest.mark.parametrize("way", ["middle button", "space"])
def test_over_a_node_the_middle_button_or_space_pans(shown, qtbot, way):
    canvas, keys = shown
    start, picture = place_of(canvas, keys["n"]), canvas.picture
    if way == "space":
        qtbot.keyPress(canvas, Qt.Key.Key_Space)
    drag(canvas, start, start + QPoint(40, 50), button=LEFT if way == "space" else MIDDLE)
    qtbot.keyRelease(canvas, Qt.Key.Key_Space)
    assert canvas.picture == picture and canvas.selected is None
    assert place_of(canvas, keys["n"]) != start


@pytest.mark.slow
def test_the_wheel_zooms_to_the_pointer_and_stops_at_its_limits(shown):
    canvas, keys = shown
    at = place_of(canvas, keys["w1"])
    before = canvas.mapToScene(at)
    wheel(canvas, 120, at)
    after = canvas.mapToScene(at)
    assert abs(after.x() - before.x()) < 3 and abs(after.y() - before.y()) < 3
    for turned, limit in ((120_000, MAX_ZOOM), (-120_000, MIN_ZOOM)):
        for _ in range(100):
            wheel(canvas, turned, at)
        assert canvas.zoom == limit


@pytest.mark.slow
def test_shift_and_wheel_pan_sideways(shown):
    canvas, _keys = shown
    zoom, before = canvas.zoom, canvas.mapToScene(QPoint(0, 0))
    wheel(canvas, 120, QPoint(50, 50), Qt.KeyboardModifier.ShiftModifier)
    after = canvas.mapToScene(QPoint(0, 0))
    assert canvas.zoom == zoom and after.x() < before.x() and after.y() == before.y()


def test_hovering_a_value_lights_its_path_and_leaving_the_canvas_ends_it(shown):
    canvas, keys = shown
    send(canvas, QEvent.Type.MouseMove, place_of(canvas, keys["w1"]), NONE, NONE)
    assert canvas.decorations[keys["o"]].on_path
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert canvas.decorations == {}


def test_arrow_keys_walk_along_edges(shown, qtbot):
    canvas, keys = shown
    canvas.select(keys["w1"])
    walked = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(canvas, key)
        walked.append(canvas.picture.boxes[canvas.selected].label)
    assert walked[-1] == "o" and "n" in walked
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.selected == keys["n"]


def test_the_first_arrow_key_selects_the_output(shown, qtbot):
    canvas, keys = shown
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert canvas.selected == keys["o"]


@pytest.mark.slow
def test_walking_brings_the_value_into_view(shown, qtbot):
    canvas, keys = shown
    canvas.set_zoom(4.0)
    canvas.select(keys["n"])
    canvas.center_on(keys["x1"])
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.visible_region.contains(canvas.centre_of(keys["o"]))


@pytest.mark.slow
def test_keys_zoom_fit_and_deselect(shown, qtbot):
    canvas, keys = shown
    canvas.fit()
    whole = canvas.zoom
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.zoom > whole
    qtbot.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.zoom == pytest.approx(whole)
    qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.zoom < whole
    canvas.select(keys["b"])
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.selected is None


@pytest.mark.slow
def test_enter_asks_for_an_explanation_of_the_selection(shown, qtbot):
    canvas, keys = shown
    canvas.select(keys["b"])
    with qtbot.waitSignal(canvas.node_activated) as caught:
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert caught.args == [keys["b"]]


def test_keys_on_an_empty_canvas_are_harmless(canvas, qtbot):
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Plus, Qt.Key.Key_Escape):
        qtbot.keyClick(canvas, key)
    canvas.fit()
    canvas.fit_selection()
    qtbot.mouseDClick(canvas.viewport(), LEFT, pos=QPoint(50, 50))
    drag(canvas, QPoint(10, 10), QPoint(90, 90))
    assert canvas.selected is None


@pytest.mark.slow
def test_keyboard_focus_can_be_seen(shown, qtbot):
    canvas, keys = shown
    canvas.select(keys["b"])
    canvas.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    with_focus = canvas.viewport().grab().toImage()
    canvas.clearFocus()
    assert canvas.viewport().grab().toImage() != with_focus


@pytest.mark.parametrize("reason", [QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard])
def test_a_menu_is_asked_for_at_the_value(shown, qtbot, reason):
    canvas, keys = shown
    canvas.select(keys["n"])
    at = place_of(canvas, keys["n"])
    with qtbot.waitSignal(canvas.context_requested) as caught:
        QApplication.sendEvent(canvas.viewport(), QContextMenuEvent(reason, at, canvas.viewport().mapToGlobal(at)))
    assert caught.args == [keys["n"], canvas.viewport().mapToGlobal(at)]


def test_the_tool_tip_has_all_digits(shown):
    canvas, keys = shown
    at = place_of(canvas, keys["o"])
    QApplication.sendEvent(canvas.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, canvas.viewport().mapToGlobal(at)))
    assert "0.70710678118654" in QToolTip.text()
    QToolTip.hideText()


def test_shift_and_a_click_chooses_a_second_value_and_leaves_the_selection(shown, qtbot):
    canvas, keys = shown
    canvas.choose(keys["w1"])
    place = place_of(canvas, keys["o"])
    with qtbot.waitSignal(canvas.node_compared) as caught:
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, place)
    assert caught.args == [keys["o"]] and canvas.selected == keys["w1"]
    with qtbot.waitSignal(canvas.node_compared) as caught:
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [None] and canvas.selected == keys["o"]
    with qtbot.waitSignal(canvas.node_compared) as caught:
        qtbot.keyClick(canvas, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert caught.args == [keys["o"]]
