"""What a user sees first of a graph."""

import dataclasses

import pytest

from gui.canvas.zoom_view import MIN_READABLE_ZOOM, WRITTEN_ZOOM


@pytest.mark.slow
@pytest.mark.parametrize("columns, rows", [(20, 60), (1_000, 2), (30, 180)])
def test_a_graph_that_cannot_be_read_whole_is_opened_at_its_output(canvas, grid, columns, rows):
    canvas.show_picture(grid(columns, rows), keep_view=False)
    assert canvas.zoom >= MIN_READABLE_ZOOM
    assert canvas.visible_region.contains(canvas.centre_of(f"{columns - 1}.0"))


def test_nothing_but_the_margin_is_seen_beyond_the_graph(canvas, grid):
    canvas.show_picture(grid(20, 60), keep_view=False)
    assert canvas.visible_region.right() <= canvas.content_area().right() + 20
    assert canvas.visible_region.top() >= canvas.content_area().top() - 20


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
