import dataclasses
import math

import pytest
from PySide6.QtCore import QAbstractAnimation

from engine.graph import BoxNumbers
from gui.canvas import Activity, GraphCanvas
from gui.canvas.zoom_view import MAX_ZOOM, MIN_ZOOM, OPENING_ZOOM
from gui.theme import DARK, LIGHT


def picture_of(canvas):
    """What the viewport shows."""
    return canvas.viewport().grab().toImage()


@pytest.mark.slow
def test_a_first_picture_is_shown_whole(canvas, neuron):
    canvas.show_picture(neuron[0])
    left, top, right, bottom = neuron[0].bounds
    region = canvas.visible_region
    assert region.left() < left and region.top() < top and region.right() > right and region.bottom() > bottom


def test_a_picture_that_could_not_be_read_as_a_whole_opens_at_its_output(canvas, grid):
    canvas.show_picture(grid(20, 3))
    assert canvas.zoom == pytest.approx(OPENING_ZOOM)
    region, output = canvas.visible_region, canvas.centre_of("19.0")
    assert region.left() > 0 and region.contains(output.x() + 95, output.y())
    assert region.top() < -17 and region.bottom() > 3 * 52


@pytest.mark.slow
def test_a_view_chosen_by_the_user_is_kept_unless_it_shall_not_be(canvas, neuron, draw):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(0.6)
    canvas.show_picture(draw("a = 2\ny = a * 3")[0])
    assert canvas.zoom == 0.6
    canvas.show_picture(draw("a = 2\ny = a * 3")[0], keep_view=False)
    assert canvas.zoom > 1.0


@pytest.mark.slow
def test_a_new_picture_is_never_out_of_view(canvas, neuron, grid):
    canvas.show_picture(grid(40, 3))
    canvas.set_zoom(1.0)
    canvas.center_on("39.1")
    canvas.show_picture(neuron[0])
    assert canvas.visible_region.contains(canvas.content_area())


@pytest.mark.slow
def test_a_fitted_graph_stays_fitted_when_the_size_changes(canvas, neuron):
    canvas.show_picture(neuron[0])
    canvas.fit()
    before = canvas.zoom
    canvas.resize(1000, 600)
    assert canvas.zoom > before


@pytest.mark.slow
@pytest.mark.parametrize("zoom", [0.0, -3.0, 1e-12, math.inf, 1e9])
def test_zoom_is_clamped(canvas, neuron, zoom):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(zoom)
    assert MIN_ZOOM <= canvas.zoom <= MAX_ZOOM


def test_a_zoom_that_is_no_number_is_ignored(canvas, neuron):
    canvas.show_picture(neuron[0])
    before = canvas.zoom
    canvas.set_zoom(math.nan)
    assert canvas.zoom == before


def test_zooming_keeps_the_place_under_the_anchor(canvas, neuron):
    canvas.show_picture(neuron[0])
    anchor = canvas.mapFromScene(canvas.centre_of(next(iter(neuron[0].boxes))))
    before = canvas.mapToScene(anchor)
    canvas.set_zoom(2.3, anchor.toPointF())
    after = canvas.mapToScene(anchor)
    assert abs(after.x() - before.x()) < 2 and abs(after.y() - before.y()) < 2


@pytest.mark.slow
def test_a_thousand_zoom_steps_in_and_out_end_where_they_began(canvas, neuron):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(MIN_ZOOM)
    for factor in (1.1, 1 / 1.1):
        for _ in range(1_100):
            canvas.zoom_by(factor)
    assert canvas.zoom == MIN_ZOOM
    canvas.fit()
    assert canvas.visible_region.contains(canvas.content_area())


def test_zoom_changed_tells_the_scale(canvas, neuron, qtbot):
    canvas.show_picture(neuron[0])
    with qtbot.waitSignal(canvas.zoom_changed) as caught:
        canvas.set_zoom(0.8)
    assert caught.args == [pytest.approx(0.8)]


@pytest.mark.slow
def test_an_empty_canvas_shows_the_hint_and_a_full_one_does_not(canvas, neuron):
    blank = picture_of(canvas)
    canvas.set_hint("type an expression")
    assert picture_of(canvas) != blank
    canvas.show_picture(neuron[0])
    with_hint = picture_of(canvas)
    canvas.set_hint("")
    assert picture_of(canvas) == with_hint


@pytest.mark.slow
def test_new_numbers_appear_and_only_changed_boxes_are_painted_again(canvas, neuron):
    picture, readings = neuron
    canvas.show_picture(picture)
    canvas.show_readings(readings)
    before = picture_of(canvas)
    canvas.show_readings(dict(readings))
    assert picture_of(canvas) == before
    key = next(iter(picture.boxes))
    assert canvas.scene().show_readings({key: dataclasses.replace(readings[key], data="9.0000")}) == 1
    assert picture_of(canvas) != before


@pytest.mark.slow
def test_readings_for_unknown_keys_are_harmless(canvas, neuron):
    canvas.show_readings({"nobody": BoxNumbers("1", "1", "positive", "positive")})
    canvas.show_picture(neuron[0])
    canvas.show_readings({"nobody": BoxNumbers("1", "1", "positive", "positive")} | neuron[1])
    assert set(canvas.readings) == set(neuron[0].boxes)


@pytest.mark.slow
def test_a_changed_theme_repaints_everything(canvas, neuron):
    canvas.show_picture(neuron[0])
    light = picture_of(canvas)
    canvas.set_colors(DARK)
    dark = picture_of(canvas)
    assert dark.pixelColor(3, 3).name().upper() == DARK.canvas
    canvas.set_colors(LIGHT)
    assert picture_of(canvas) == light != dark


@pytest.mark.slow
def test_activity_is_drawn_and_taken_back(canvas, neuron):
    canvas.show_picture(neuron[0])
    before = picture_of(canvas)
    edge, key = next(iter(neuron[0].edges)), next(iter(neuron[0].boxes))
    activities = [
        Activity(nodes=frozenset({key})), Activity(edges=frozenset({edge})), Activity(differing=frozenset({key})),
        Activity(flow={edge: 0.7}), Activity(edge_labels={edge: "2.0"}),
    ]  # fmt: skip
    for activity in activities:
        canvas.show_activity(activity)
        assert picture_of(canvas) != before
        canvas.show_activity(Activity())
        assert picture_of(canvas) == before


@pytest.mark.slow
def test_the_view_follows_the_activity_where_it_is_told_to(canvas, grid):
    canvas.show_picture(grid(20, 3))
    early = Activity(nodes=frozenset({"1.2", "1.2:op", "nobody"}))
    canvas.show_activity(early)
    assert not canvas.visible_region.contains(canvas.centre_of("1.2"))
    canvas.show_activity(early, follow=True)
    assert canvas.visible_region.contains(canvas.centre_of("1.2"))
    canvas.set_zoom(0.1)
    canvas.show_activity(early, follow=True)
    assert canvas.zoom > 0.5 and canvas.visible_region.contains(canvas.centre_of("1.2"))


@pytest.mark.slow
def test_activity_for_what_is_not_drawn_is_harmless(canvas, neuron):
    strange = Activity(
        frozenset({"x"}), frozenset({("x", "y")}), frozenset({"z"}), {("a", "b"): 1.0}, {("a", "b"): "1"}
    )
    canvas.show_activity(strange)
    canvas.show_picture(neuron[0])
    canvas.show_activity(Activity())
    assert canvas.decorations == {}


def test_the_path_from_the_selection_to_the_output_is_lit(canvas, neuron, key_of):
    picture = neuron[0]
    canvas.show_picture(picture)
    canvas.select(key_of(picture, "w1"))
    lit = {key for key, decoration in canvas.decorations.items() if decoration.on_path and key in picture.boxes}
    labels = {picture.boxes[key].label for key in lit}
    assert {"w1", "n", "o"} <= labels and not {"x1", "w2", "b"} & labels


def test_hovering_lights_another_path_and_leaving_goes_back_to_the_selection(canvas, neuron, key_of):
    picture = neuron[0]
    canvas.show_picture(picture)
    canvas.select(key_of(picture, "w1"))
    selected = canvas.decorations
    canvas.hover(key_of(picture, "b"))
    assert canvas.decorations != selected
    canvas.hover(None)
    assert canvas.decorations == selected


def test_select_is_silent_and_choose_speaks(canvas, neuron, qtbot, key_of):
    canvas.show_picture(neuron[0])
    key = key_of(neuron[0], "b")
    with qtbot.assertNotEmitted(canvas.node_selected):
        canvas.select(key)
    with qtbot.waitSignal(canvas.node_selected) as caught:
        canvas.choose(None)
    assert caught.args == [None]


def test_selecting_what_is_not_there_selects_nothing(canvas, neuron):
    canvas.select("nobody")
    canvas.show_picture(neuron[0])
    canvas.select("nobody")
    assert canvas.selected is None
    canvas.center_on("nobody")


def test_a_selection_survives_as_long_as_its_node(canvas, neuron, draw, key_of):
    canvas.show_picture(neuron[0])
    canvas.select(key_of(neuron[0], "b"))
    canvas.show_picture(neuron[0])
    assert canvas.selected == key_of(neuron[0], "b")
    canvas.show_picture(draw("a = 2\ny = a * 3")[0])
    assert canvas.selected is None


def test_center_on_brings_a_node_into_the_middle(canvas, neuron, key_of):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(3.0)
    key = key_of(neuron[0], "o")
    canvas.center_on(key)
    off = canvas.visible_region.center() - canvas.centre_of(key)
    assert abs(off.x()) < 2 and abs(off.y()) < 2


def test_fit_selection_shows_the_path(canvas, neuron, key_of):
    canvas.show_picture(neuron[0])
    canvas.fit()
    whole = canvas.zoom
    canvas.select(key_of(neuron[0], "n"))
    canvas.fit_selection()
    assert canvas.zoom > whole
    assert canvas.visible_region.contains(canvas.centre_of(key_of(neuron[0], "o")))


@pytest.mark.slow
def test_nodes_move_to_their_new_places_in_less_than_200_ms(canvas, draw, qtbot, monkeypatch, key_of):
    monkeypatch.setattr(GraphCanvas, "motion_allowed", lambda self: True)
    small, large = draw("a = 2\nb = a * 3")[0], draw("a = 2\nc = 4\nb = a * 3\nd = b * c + a")[0]
    canvas.show_picture(large)
    canvas.fit()
    there = picture_of(canvas)
    canvas.show_picture(small)
    canvas.show_picture(large, animate=True, keep_view=False)
    canvas.fit()
    transition = canvas.scene().transition
    assert transition.state() == QAbstractAnimation.State.Running and transition.duration() < 200
    assert picture_of(canvas) != there
    qtbot.waitUntil(lambda: transition.state() == QAbstractAnimation.State.Stopped)
    assert picture_of(canvas) == there


@pytest.mark.slow
def test_nothing_moves_where_the_system_forbids_it(canvas, draw, monkeypatch):
    monkeypatch.setattr(GraphCanvas, "motion_allowed", lambda self: False)
    canvas.show_picture(draw("a = 2\nb = a * 3")[0])
    canvas.show_picture(draw("a = 2\nc = 4\nb = a * 3\nd = b * c + a")[0], animate=True)
    assert canvas.scene().transition.state() == QAbstractAnimation.State.Stopped


def test_finding_goes_by_name(canvas, neuron, key_of):
    canvas.show_picture(neuron[0])
    assert canvas.search("W1")[0] == key_of(neuron[0], "w1")
    assert canvas.search("tanh") == [key_of(neuron[0], "o")]
    assert canvas.search("  ") == canvas.search("nobody") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["<script>", "&amp;", "]]>", "🎈", "\ud800", "a\nb\0c", "مرحبا", "x" * 5_000, ""])
def test_hostile_names_are_drawn(canvas, neuron, name):
    picture = neuron[0]
    key = next(iter(picture.boxes))
    boxes = dict(picture.boxes) | {key: dataclasses.replace(picture.boxes[key], label=name)}
    canvas.show_picture(dataclasses.replace(picture, boxes=boxes))
    canvas.select(key)
    assert not picture_of(canvas).isNull()


@pytest.mark.slow
def test_from_far_nodes_selection_and_theme_are_drawn(canvas, grid):
    canvas.show_picture(grid(60, 40))
    plain = picture_of(canvas)
    canvas.select("3.3")
    assert picture_of(canvas) != plain
    canvas.set_colors(DARK)
    assert picture_of(canvas).pixelColor(2, 2).name().upper() == DARK.canvas


@pytest.mark.slow
def test_every_node_in_view_is_drawn_at_every_zoom(canvas, grid):
    picture = grid(60, 40)
    canvas.show_picture(picture)
    for zoom in (0.04, 0.1, 0.3, 0.45, 0.7, 1.5):
        canvas.set_zoom(zoom)
        canvas.center_on("30.20")
        box = picture.boxes["30.20"]
        at = canvas.mapFromScene(box.x - box.width / 2 + 6, box.y - 8)
        assert picture_of(canvas).pixelColor(at).name().upper() != LIGHT.canvas, zoom
