import dataclasses

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from gui.canvas import Activity, sheet
from gui.theme import DARK


@pytest.fixture
def painted(monkeypatch):
    """How often an edge and the ground of a node was painted since it was cleared."""
    counts = {"edges": 0, "grounds": 0}
    edge, ground = sheet.paint_edge, sheet.paint_ground

    def paint_edge(*arguments, **named):
        counts["edges"] += 1
        edge(*arguments, **named)

    def paint_ground(*arguments, **named):
        counts["grounds"] += 1
        ground(*arguments, **named)

    monkeypatch.setattr(sheet, "paint_edge", paint_edge)
    monkeypatch.setattr(sheet, "paint_ground", paint_ground)
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
    canvas.show_picture(neuron[0])
    canvas.set_zoom(zoom)
    canvas.pan(37, -21)
    whole = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    whole.fill(canvas.backgroundBrush().color())
    painter = QPainter(whole)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.setTransform(canvas.viewportTransform())
    area = canvas.visible_region
    layer = canvas.scene().sheet
    layer._paint_area(painter, (area.left(), area.top(), area.right(), area.bottom()), zoom < 0.62)
    painter.end()
    for item in canvas.scene().items():
        item.setVisible(item is layer)
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
    assert canvas.scene().sheet.tile_count < 80


def test_a_dragged_node_is_not_left_behind_on_the_sheet(canvas, neuron, key_of):
    canvas.show_picture(neuron[0])
    repaint(canvas)
    key = key_of(neuron[0], "b")
    box = canvas.picture.boxes[key]
    at = canvas.mapFromScene(box.x - box.width / 4, box.y + box.height / 2 - 1)
    canvas.drag_node(key, box.x, box.y + 400)
    image = canvas.viewport().grab().toImage()
    assert image.pixelColor(at) == canvas.backgroundBrush().color()
