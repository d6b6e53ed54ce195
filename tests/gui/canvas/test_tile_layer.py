import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from gui.canvas import Activity, level_of_detail, tiles
from gui.painting import painting
from gui.theme import DARK

pytestmark = pytest.mark.slow


@pytest.fixture
def painted(monkeypatch):
    """How often an edge and the ground of a node was painted since it was cleared."""
    counts = {"edges": 0, "grounds": 0}
    edge, ground = tiles.paint_edge, tiles.paint_ground

    def paint_edge(*arguments, **named):
        counts["edges"] += 1
        edge(*arguments, **named)

    def paint_ground(*arguments, **named):
        counts["grounds"] += 1
        ground(*arguments, **named)

    monkeypatch.setattr(tiles, "paint_edge", paint_edge)
    monkeypatch.setattr(tiles, "paint_ground", paint_ground)
    return counts


def pixels(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(plain.constBits(), dtype=np.uint8)
    return flat.reshape(plain.height(), plain.width(), 4)[..., :3].astype(int)  # a copy: the image goes


def repaint(canvas):
    canvas.viewport().repaint()


def test_new_numbers_paint_neither_edges_nor_the_grounds_of_boxes_again(canvas, neuron, painted):
    picture, readings = neuron
    canvas.show_picture(picture)
    repaint(canvas)
    assert painted["edges"] >= len(picture.edges) and painted["grounds"] >= len(picture.boxes)
    painted.update(edges=0, grounds=0)
    for number in range(5):
        changed = {key: dataclasses.replace(old, data=f"{number}.0000") for key, old in readings.items()}
        canvas.show_readings(changed)
        repaint(canvas)
    canvas.hover(next(iter(picture.boxes)))
    repaint(canvas)
    assert painted == {"edges": 0, "grounds": 0}


@pytest.mark.parametrize("change", ["zoom", "theme", "flow", "picture"])
def test_what_changes_their_look_paints_them_again(canvas, neuron, painted, draw, change):
    canvas.show_picture(neuron[0])
    repaint(canvas)
    painted.update(edges=0)
    if change == "zoom":
        canvas.zoom_by(1.2)
    elif change == "theme":
        canvas.set_colors(DARK)
    elif change == "flow":
        canvas.show_activity(Activity(flow={next(iter(neuron[0].edges)): 1.0}))
    else:
        canvas.show_picture(draw("a = 2\nb = a * 3")[0])
    repaint(canvas)
    assert painted["edges"] > 0


@pytest.mark.parametrize("zoom", [0.31, 0.77, 1.0, 1.9])
def test_tiles_look_like_what_they_stand_for(canvas, neuron, zoom):
    """Nobody can see where one tile ends and the next begins."""
    canvas.show_minimap(False)
    canvas.show_picture(neuron[0])
    canvas.set_zoom(zoom)
    canvas.pan(37, -21)
    whole = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    whole.fill(canvas.backgroundBrush().color())
    with painting(whole) as painter:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        canvas.scene().render(
            painter, QRectF(whole.rect()), canvas.visible_region
        )  # without a widget there are no tiles
    tiled = pixels(canvas.viewport().grab().toImage())
    assert np.abs(tiled - pixels(whole)).max() <= 40  # glyphs are blended twice, lines are not
    assert np.abs(tiled - pixels(whole)).mean() < 0.05


def test_panning_far_keeps_few_tiles(canvas, grid):
    canvas.show_picture(grid(60, 40))
    canvas.set_zoom(1.0)
    canvas.center_on("1.1")
    for _ in range(60):
        canvas.pan(-300, -10)
        repaint(canvas)
    assert canvas.scene().tile_layer.tile_count < 80


def test_a_dragged_node_is_not_left_behind_on_the_sheet(canvas, neuron, key_of):
    canvas.show_picture(neuron[0])
    repaint(canvas)
    key = key_of(neuron[0], "b")
    box = canvas.picture.boxes[key]
    at = canvas.mapFromScene(box.x - box.width / 4, box.y + box.height / 2 - 1)
    canvas.drag_node(key, box.x, box.y + 400)
    image = canvas.viewport().grab().toImage()
    assert image.pixelColor(at) == canvas.backgroundBrush().color()


@pytest.fixture
def hasty(canvas, grid, monkeypatch):
    """A canvas whose frames make one tile each while the view moves."""
    monkeypatch.setattr(tiles, "MOVING_SECONDS", 0.0)
    canvas.show_picture(grid(40, 30))
    canvas.set_zoom(0.6)
    canvas.center_on("20.15")
    repaint(canvas)
    canvas.scene().budget.stand_still()
    return canvas


def ink_columns(image):
    """Which of the image's columns of 40 pixels show anything but the canvas."""
    ground = np.array(image.pixelColor(0, 0).getRgb()[2::-1])
    seen = (np.abs(pixels(image) - ground).sum(axis=2) > 12).any(axis=0)
    return [bool(seen[x : x + 40].any()) for x in range(0, image.width() - 40, 40)]


@pytest.mark.parametrize("factor", [1.3, 1 / 1.1, 0.5])
def test_no_frame_of_a_zoom_shows_an_empty_tile(hasty, factor):
    hasty.zoom_by(factor)
    first = hasty.viewport().grab().toImage()
    assert hasty.scene().budget.is_time_limited and not hasty.is_low_detail
    hasty.scene().budget.stand_still()
    last = hasty.viewport().grab().toImage()
    columns = ink_columns(last)
    assert all(one for one, wanted in zip(ink_columns(first), columns, strict=True) if wanted) and any(columns)
    assert first != last


def test_while_the_zoom_changes_little_is_painted_and_afterwards_everything_is_sharp(hasty, painted, qtbot):
    painted.update(grounds=0)
    hasty.zoom_by(1.02)
    repaint(hasty)
    assert painted["grounds"] == 0  # the tiles there are, stretched
    hasty.zoom_by(1.4)
    repaint(hasty)
    assert 0 < painted["grounds"] < 80  # one tile
    qtbot.waitUntil(lambda: not hasty.scene().budget.is_time_limited)
    settled = hasty.viewport().grab().toImage()
    hasty.scene().tile_layer.forget()
    assert hasty.viewport().grab().toImage() == settled


def test_a_jump_is_complete_at_once(hasty):
    hasty.zoom_by(1.7)
    hasty.fit_selection()
    hasty.fit()
    assert not hasty.scene().budget.is_time_limited and hasty.scene().tile_layer.complete


def test_a_change_of_flow_paints_only_the_tiles_under_it(canvas, grid, painted):
    picture = grid(40, 30)
    canvas.show_picture(picture)
    canvas.set_zoom(1.0)
    canvas.center_on("20.15")
    canvas.scene().budget.stand_still()
    repaint(canvas)
    everything, painted["edges"] = painted["edges"], 0
    canvas.show_activity(Activity(flow={("20.15:op", "20.15"): 1.0}))
    repaint(canvas)
    assert 0 < painted["edges"] < everything / 2


def test_a_large_picture_begins_as_a_draft_and_is_made_complete_bit_by_bit(canvas, grid, qtbot, monkeypatch):
    monkeypatch.setattr(tiles, "SETTLING_SECONDS", 0.0)
    canvas.show_picture(grid(80, 80))
    canvas.set_zoom(0.6)
    canvas.scene().end_move()
    repaint(canvas)
    assert not canvas.scene().tile_layer.complete
    assert canvas.scene().tile_layer.tile_count <= 2
    qtbot.waitUntil(lambda: canvas.is_sharp)


def test_edges_that_are_only_a_texture_are_drawn_in_one_call(canvas, grid, monkeypatch):
    alone = []
    monkeypatch.setattr(level_of_detail, "MAX_CURVES", 1)
    monkeypatch.setattr(tiles, "paint_edge", lambda *given: alone.append(given))
    canvas.show_picture(grid(30, 20))
    canvas.set_zoom(0.5)
    canvas.center_on("10.10")
    repaint(canvas)
    assert 0 < canvas.scene().tile_layer.tile_count >= len(alone)


def test_another_theme_of_a_crowded_view_starts_with_a_draft_that_is_completed(canvas, grid, qtbot):
    canvas.resize(1_920, 1_440)
    canvas.show_picture(grid(30, 60))
    canvas.set_zoom(0.5)
    canvas.centerOn(canvas.content_area().center())
    layer, crowd = canvas.scene().tile_layer, canvas.scene().state.index.count_nodes_in(canvas.visible_region)
    qtbot.waitUntil(lambda: layer.complete and canvas.scene().budget.mode == "still")
    assert not canvas.is_low_detail and crowd > 640
    canvas.set_colors(DARK)
    repaint(canvas)
    assert not layer.complete
    qtbot.waitUntil(lambda: layer.complete)
    shown = pixels(canvas.viewport().grab().toImage())
    canvas.scene().tile_layer.forget()  # without a limit: the next frame is complete
    assert np.array_equal(shown, pixels(canvas.viewport().grab().toImage()))
