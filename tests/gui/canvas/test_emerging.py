"""New boxes start where the box was that they come out of."""

from engine.graph.picture import Box, Circle, Picture
from gui.canvas.moves import between, emerging


def box(key, x, y):
    return Box(key, x, y, 100.0, 34.0, key, "intermediate")


def test_new_boxes_and_their_operations_start_at_the_box_they_come_out_of():
    old = Picture({"group": box("group", 10.0, 20.0), "x": box("x", 0.0, 0.0)})
    new = Picture(
        {"w": box("w", 200.0, 50.0), "x": box("x", 0.0, 5.0)}, {"w:op": Circle("w:op", 150.0, 50.0, 15.0, "+", "add")}
    )
    start = emerging(old, new, {"w": "group"})
    first, half = between(start, new, 0.0), between(start, new, 0.5)
    assert (first.boxes["w"].x, first.boxes["w"].y) == (10.0, 20.0)
    assert (first.circles["w:op"].x, first.circles["w:op"].y) == (10.0, 20.0)
    assert (half.boxes["w"].x, half.boxes["w"].y) == (105.0, 35.0)
    assert "w" not in old.boxes


def test_boxes_that_come_from_nowhere_are_in_their_place_at_once():
    new = Picture({"w": box("w", 200.0, 50.0)})
    assert between(emerging(Picture(), new, {"w": "gone"}), new, 0.0) == new
