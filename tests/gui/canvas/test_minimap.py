import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from engine.graph import EMPTY_PICTURE
from gui.canvas.minimap import Minimap
from gui.theme import DARK


@pytest.fixture
def minimap(canvas):
    return canvas.findChild(Minimap)


def test_the_map_shows_only_while_something_is_out_of_view(canvas, minimap, neuron):
    assert minimap.isHidden()
    canvas.show_picture(neuron[0])
    canvas.fit()
    assert minimap.isHidden()
    canvas.set_zoom(3.0)
    assert minimap.isVisible()
    canvas.show_picture(EMPTY_PICTURE)
    assert minimap.isHidden()


def test_a_small_canvas_has_no_room_for_the_map(canvas, minimap, neuron):
    canvas.show_picture(neuron[0])
    canvas.set_zoom(3.0)
    canvas.resize(300, 200)
    assert minimap.isHidden()


def test_the_map_stays_inside_the_canvas(canvas, minimap, grid):
    for picture in (grid(40, 2), grid(2, 60), grid(30, 30)):
        canvas.show_picture(picture, keep_view=False)
        canvas.set_zoom(1.0)
        assert canvas.rect().contains(minimap.geometry())


def test_a_click_on_the_map_shows_that_place(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 10))
    canvas.set_zoom(1.0)
    canvas.center_on("0.0")
    qtbot.mouseClick(minimap, Qt.MouseButton.LeftButton, pos=QPoint(minimap.width() - 8, minimap.height() // 2))
    assert canvas.visible_region.contains(canvas.centre_of("39.5"))


def test_the_map_follows_view_and_theme(canvas, minimap, grid):
    canvas.show_picture(grid(40, 10))
    canvas.set_zoom(1.0)
    canvas.center_on("0.0")
    first = minimap.grab().toImage()
    canvas.center_on("39.5")
    second = minimap.grab().toImage()
    assert first != second
    canvas.set_colors(DARK)
    assert minimap.grab().toImage() != second


def test_the_map_takes_a_small_share_of_a_small_canvas(canvas, minimap, grid):
    canvas.resize(480, 320)
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    assert 30 <= minimap.width() <= 0.28 * 480 and minimap.height() <= 0.28 * 320


def test_the_map_makes_way_for_what_is_selected(canvas, minimap, grid):
    canvas.show_picture(grid(40, 40))
    canvas.set_zoom(1.0)
    before = minimap.geometry()
    key = canvas.key_at(nearest(canvas, before.center()))
    canvas.select(key)
    canvas.center_on(key)
    canvas.pan(before.center().x() - 400, before.center().y() - 300)
    shown = canvas.mapFromScene(canvas.centre_of(key))
    assert before.contains(shown) and not minimap.geometry().contains(shown)


def test_dragging_out_of_the_map_stays_at_the_border_of_the_graph(canvas, minimap, grid, qtbot):
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    qtbot.mousePress(minimap, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    QTest.mouseMove(minimap, QPoint(2000, 20))
    qtbot.mouseRelease(minimap, Qt.MouseButton.LeftButton, pos=QPoint(2000, 20))
    assert canvas.visible_region.intersects(canvas.content_area())


def test_the_map_can_be_put_away(canvas, minimap, grid):
    canvas.show_picture(grid(40, 6))
    canvas.set_zoom(1.0)
    canvas.show_minimap(False)
    assert minimap.isHidden()
    canvas.show_minimap(True)
    assert minimap.isVisible()


def nearest(canvas, place):
    """The middle of the node that is nearest to a place of the canvas."""
    middles = [QPointF(canvas.mapFromScene(canvas.centre_of(key))) for key in canvas.picture.boxes]
    return min(middles, key=lambda middle: (middle - QPointF(place)).manhattanLength())
