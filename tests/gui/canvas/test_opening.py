"""What a user sees first of a graph."""

import dataclasses

import pytest

from gui.canvas.zoom_view import MIN_READABLE_ZOOM, WRITTEN_ZOOM


@pytest.fixture
def low_beginning(grid):
    """A long and high graph whose first node stands at its lower end."""
    picture = grid(20, 60)
    first = {key: box for key, box in picture.boxes.items() if not key.startswith("0.") or key == "0.59"}
    edges = {pair: edge for pair, edge in picture.edges.items() if pair[0] in first or pair[0].endswith(":op")}
    return dataclasses.replace(picture, boxes=first, edges=edges)


@pytest.mark.slow
def test_a_graph_that_cannot_be_read_whole_is_opened_where_it_begins(canvas, low_beginning):
    canvas.show_picture(low_beginning, keep_view=False)
    assert canvas.zoom >= MIN_READABLE_ZOOM
    assert canvas.visible_region.contains(canvas.centre_of("0.59"))


@pytest.mark.slow
def test_a_strip_of_a_thousand_columns_is_opened_at_its_beginning(canvas, grid):
    canvas.show_picture(grid(1_000, 2), keep_view=False)
    assert canvas.zoom >= MIN_READABLE_ZOOM
    assert canvas.visible_region.contains(canvas.centre_of("0.0"))


@pytest.mark.slow
def test_a_huge_graph_with_a_shape_is_opened_whole(canvas, grid):
    canvas.show_picture(grid(30, 180), keep_view=False)
    assert canvas.visible_region.contains(canvas.content_area())


def test_it_begins_where_most_can_be_seen(canvas, grid):
    picture = grid(6, 40)
    rows = {key: int(key.partition(".")[2]) for key in picture.boxes}
    boxes = {
        key: box
        for key, box in picture.boxes.items()
        if (rows[key] in (0, 30) if key.startswith("0.") else rows[key] >= 20)
    }
    canvas.show_picture(dataclasses.replace(picture, boxes=boxes, circles={}, edges={}), keep_view=False)
    assert canvas.zoom >= MIN_READABLE_ZOOM
    assert canvas.visible_region.contains(canvas.centre_of("0.30")) and not canvas.shows_all
    assert not canvas.visible_region.contains(canvas.centre_of("0.0"))


def test_what_was_seen_whole_stays_so_when_an_operation_is_expanded(canvas, grid):
    canvas.show_picture(grid(5, 3), keep_view=False)
    assert canvas.shows_all and canvas.zoom >= MIN_READABLE_ZOOM
    canvas.show_picture(grid(7, 3), same_values=True)
    assert canvas.shows_all and WRITTEN_ZOOM <= canvas.zoom < MIN_READABLE_ZOOM


def test_what_was_too_large_keeps_its_zoom_and_the_selected_value_its_place(canvas, grid):
    canvas.show_picture(grid(12, 12), keep_view=False)
    canvas.select("1.5")
    zoom, stood = canvas.zoom, canvas.node_area("1.5").center()
    larger = grid(24, 24)
    boxes = {key: dataclasses.replace(box, x=box.x + 900, y=box.y + 500) for key, box in larger.boxes.items()}
    left, top, right, bottom = larger.bounds
    bounds = left + 900, top + 500, right + 900, bottom + 500
    canvas.show_picture(dataclasses.replace(larger, boxes=boxes, circles={}, edges={}, bounds=bounds), same_values=True)
    assert canvas.zoom == zoom and (canvas.node_area("1.5").center() - stood).manhattanLength() <= 3
