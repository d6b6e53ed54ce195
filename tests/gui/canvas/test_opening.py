"""What a user sees first of a graph."""

import dataclasses

import pytest

from gui.canvas.zoom_view import MIN_READABLE_ZOOM


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
