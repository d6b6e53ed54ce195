import dataclasses

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from engine.graph import EMPTY_PICTURE
from gui.theme import DARK

pytestmark = pytest.mark.slow

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def minimap(canvas):
    return canvas.minimap


def test_the_map_shows_only_while_something_is_out_of_view(canvas, minimap, neuron):
    assert minimap.rect.isEmpty()
    canvas.show_picture(neuron[0])
    canvas.fit()
    assert minimap.rect.isEmpty()
    canvas.set_zoom(3.0)
    assert not minimap.rect.isEmpty()
    canvas.show_picture(EMPTY_PICTURE)
    assert minimap.rect.isEmpty()


def test_a_small_canvas_has_no_room_for_the_map(canvas, minimap, neuron):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(3.0)
    canvas.resize(300, 200)
    assert minimap.rect.isEmpty()


def test_the_map_stays_inside_the_canvas(canvas, minimap, grid):
    for picture in (grid(40, 2), grid(2, 60), grid(30, 30)):
        canvas.show_picture(picture, keep_view=False)
        canvas.set_zoom(1.0)
        assert canvas.rect().contains(minimap.rect)


def test_a_click_on_the_map_shows_that_place(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 10))
    canvas.set_zoom(1.0)
    canvas.center_on("0.0")
    at = minimap.rect.center()
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(minimap.rect.right() - 8, at.y()))
    assert canvas.visible_region.contains(canvas.centre_of("39.5"))


def test_the_map_follows_view_and_theme(canvas, minimap, grid):
    canvas.show_picture(grid(40, 10))
    canvas.set_zoom(1.0)
    canvas.center_on("0.0")
    first = map_of(canvas)
    canvas.center_on("39.5")
    second = map_of(canvas)
    assert first != second
    canvas.set_colors(DARK)
    assert map_of(canvas) != second


def test_the_map_takes_a_small_share_of_a_small_canvas(canvas, minimap, grid):
    canvas.resize(480, 320)
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    assert 30 <= minimap.rect.width() <= 0.28 * 480 and minimap.rect.height() <= 0.28 * 320


def test_the_map_makes_way_for_what_is_selected(canvas, minimap, grid):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    before = minimap.rect
    key = nearest(canvas, before.center())
    canvas.select(key)
    canvas.center_on(key)
    canvas.pan(before.center().x() - 400, before.center().y() - 300)
    shown = canvas.mapFromScene(canvas.centre_of(key))
    assert before.contains(shown) and not minimap.rect.contains(shown)


def test_dragging_out_of_the_map_stays_at_the_border_of_the_graph(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    start = minimap.rect.topLeft() + QPoint(20, 20)
    qtbot.mousePress(canvas.viewport(), LEFT, pos=start)
    QTest.mouseMove(canvas.viewport(), start + QPoint(2000, 0))
    qtbot.mouseRelease(canvas.viewport(), LEFT, pos=start + QPoint(2000, 0))
    assert canvas.visible_region.intersects(canvas.content_area())


def test_the_map_can_be_put_away(canvas, minimap, grid):
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    canvas.show_minimap(False)
    assert minimap.rect.isEmpty()
    canvas.show_minimap(True)
    assert not minimap.rect.isEmpty()


@pytest.mark.parametrize("click", [QTest.mouseClick, QTest.mouseDClick])
def test_clicks_on_the_map_select_nothing_and_fit_nothing(canvas, minimap, grid, click):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    canvas.select("3.3")
    under = nearest(canvas, minimap.rect.center())
    canvas.pan(*(minimap.rect.center() - canvas.mapFromScene(canvas.centre_of(under))).toTuple())
    click(canvas.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, minimap.rect.center())
    assert canvas.selected == "3.3" and canvas.zoom == 1.0


def test_a_new_graph_has_the_map_where_it_covers_nothing(canvas, minimap, grid):
    picture = grid(20, 14)
    last = max(box.x for box in picture.boxes.values())
    crowd = {key: box for key, box in picture.boxes.items() if box.x < last - 2_000 or box.y >= 400}
    boxes = crowd | {"19.0": picture.boxes["19.0"]}
    canvas.show_picture(dataclasses.replace(picture, boxes=boxes, circles={}, edges={}), keep_view=False)
    assert not minimap.rect.isEmpty() and nodes_under(canvas, minimap) == []


def test_the_map_covers_the_beginning_of_a_graph_last(canvas, minimap, grid):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    size, seen = canvas.viewport().size(), canvas.visible_region

    def is_upper_left(fewest):
        minimap.arrange(seen, size, nodes_in=lambda part: fewest if part.x() + part.y() < 50 else 5, keep_corner=False)
        return minimap.rect.x() + minimap.rect.y() < 50

    assert [is_upper_left(fewest) for fewest in (1, 0)] == [False, True]


def test_nodes_under_the_map_can_be_seen_until_the_pointer_is_on_it(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    canvas.center_on("20.20")
    settle(canvas, qtbot)
    assert nodes_under(canvas, minimap)
    away = map_of(canvas)
    QTest.mouseMove(canvas.viewport(), minimap.rect.center())
    on_it = map_of(canvas)
    assert on_it != away
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert map_of(canvas) == away


@pytest.mark.parametrize("size", [(800, 600), (430, 310)])
def test_the_map_and_the_note_do_not_cover_one_another(canvas, minimap, grid, size):
    """Wherever the map goes to make way for what is selected."""
    canvas.resize(*size)
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    note = "Too many to draw: 65,818 values; the neurons and the layers of the network stay closed. " * 2
    canvas.set_hint("", note)
    for key in ("20.20", "22.23", "18.17", "21.16"):
        canvas.center_on("20.20")
        canvas.select(key)
        without, there = noted(canvas, ""), noted(canvas, note)
        changed = [
            (x, y) for x in range(0, size[0], 2) for y in range(0, 90, 2)
            if without.pixelColor(x, y) != there.pixelColor(x, y)
        ]  # fmt: skip
        assert changed and not any(minimap.rect.contains(*place) for place in changed)


def test_a_pan_paints_what_comes_into_view_and_not_the_whole_view(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    canvas.center_on("20.20")
    settle(canvas, qtbot)
    regions = PaintedRegions(canvas.viewport())
    canvas.pan(-20, 10)
    QApplication.processEvents()
    assert not minimap.rect.isEmpty()
    assert 0 < regions.pixels < canvas.width() * canvas.height() / 5


@pytest.mark.parametrize("note", ["", "Too many to draw"])
def test_what_stands_still_above_a_pan_leaves_nothing_behind(canvas, grid, note, qtbot):
    canvas.show_picture(grid(40, 40))
    canvas.fit()
    canvas.set_zoom(1.0)
    canvas.center_on("20.20")
    canvas.set_hint("", note)
    for step in ((-20, 10), (33, -7), (5, 40)):
        canvas.pan(*step)
        QApplication.processEvents()
    settle(canvas, qtbot)
    shown = on_screen(canvas)
    canvas.viewport().update()
    QApplication.processEvents()
    assert on_screen(canvas) == shown


class PaintedRegions(QObject):
    """Counts the pixels that a widget is asked to paint."""

    def __init__(self, widget):
        super().__init__(widget)
        self.pixels = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.pixels += sum(rect.width() * rect.height() for rect in event.region())
        return False


def settle(canvas, qtbot):
    """Waits until nothing is left to be painted."""
    QApplication.processEvents()
    qtbot.waitUntil(lambda: canvas.is_sharp)
    QApplication.processEvents()


def on_screen(canvas):
    return canvas.screen().grabWindow(canvas.winId()).toImage()


def noted(canvas, note):
    canvas.set_hint("", note)
    return canvas.viewport().grab().toImage()


def map_of(canvas):
    """What the map looks like."""
    return canvas.viewport().grab(canvas.minimap.rect).toImage()


def nodes_under(canvas, minimap):
    """Keys of the values whose box reaches under the map."""
    area = canvas.mapToScene(minimap.rect).boundingRect()
    boxes = canvas.picture.boxes.values()
    return [
        box.key for box in boxes
        if area.intersects(QRectF(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height))
    ]  # fmt: skip


def nearest(canvas, place):
    """The value that is nearest to a place of the canvas."""
    return min(
        canvas.picture.boxes,
        key=lambda key: (canvas.mapFromScene(canvas.centre_of(key)) - place).manhattanLength(),
    )
