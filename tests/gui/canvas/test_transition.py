import dataclasses

import pytest

from engine.graph.drawn_parts import shifted
from engine.graph.moved import move_boxes
from engine.graph.picture import Box, Circle, Picture
from gui.canvas.geometry import edge_geometry
from gui.canvas.transition import emerging, interpolated


def test_half_way_between_two_pictures_common_nodes_are_in_the_middle(grid):
    old = grid(3, 2)
    new = move_boxes(grid(4, 2), {"1.0": (0.0, -100.0)})
    middle = interpolated(old, new, 0.5)
    assert middle.boxes["1.0"].y == -50.0
    assert middle.boxes["3.1"] == new.boxes["3.1"]
    assert interpolated(old, new, 1.0) == new


def test_what_comes_from_outside_is_inside_the_bounds_on_its_way(grid):
    new = grid(3, 2)
    old = move_boxes(new, {"1.0": (0.0, -500.0)})
    for share in (0.0, 0.5):
        moving = interpolated(old, new, share)
        assert moving.bounds[1] <= moving.boxes["1.0"].y - 17.0


@pytest.mark.parametrize("distance", [-2.5, 2.5])
def test_a_parallel_line_keeps_its_distance_at_both_ends(distance):
    curve = ((0.0, 0.0), (50.0, 0.0), (50.0, 100.0), (100.0, 100.0))
    moved = shifted(curve, distance)
    assert moved[0] == (0.0, distance) and moved[3] == (100.0, 100.0 + distance)
    assert moved[1][0] == 50.0 - distance and moved[2][0] == 50.0 - distance


def test_points_that_fall_together_do_no_harm():
    point = (1.0, 1.0)
    assert all(abs(x) < 10 and abs(y) < 10 for x, y in shifted((point,) * 4, 2.5))


def test_the_bounds_of_an_edge_hold_its_curve(grid):
    geometry = edge_geometry(grid(2, 1).edges["0.0", "1.0:op"])
    start, end = geometry.lines.pointAtPercent(0.0), geometry.lines.pointAtPercent(1.0)
    assert geometry.bounds.contains(start) and geometry.bounds.contains(end)
    assert geometry.bounds.contains(geometry.arrows.boundingRect())


def test_edges_hold_on_to_nodes_on_their_way(grid):
    """Also those that are new, or take another way than before."""
    old = grid(3, 2)
    new = move_boxes(grid(3, 2), {"1.0": (40.0, -160.0), "0.1": (500.0, 10.0)})
    for share in (0.0, 0.3, 1.0):
        for before in (old, dataclasses.replace(old, edges={})):
            now = interpolated(before, new, share)
            for (source, target), edge in now.edges.items():
                one = now.boxes.get(source) or now.circles[source]
                two = now.boxes.get(target) or now.circles[target]
                (x0, y0), (x1, y1) = edge.curves[0][0], edge.curves[-1][3]
                assert (y0, y1) == (pytest.approx(one.y), pytest.approx(two.y))
                assert abs(x0 - one.x) <= 95.01 and abs(x1 - two.x) <= 95.01


def box(key, x, y):
    return Box(key, x, y, 100.0, 34.0, key, "intermediate")


def test_new_boxes_and_their_operations_start_at_the_box_they_come_out_of():
    old = Picture({"group": box("group", 10.0, 20.0), "x": box("x", 0.0, 0.0)})
    new = Picture(
        {"w": box("w", 200.0, 50.0), "x": box("x", 0.0, 5.0)}, {"w:op": Circle("w:op", 150.0, 50.0, 15.0, "+", "add")}
    )
    start = emerging(old, new, {"w": "group"})
    first, half = interpolated(start, new, 0.0), interpolated(start, new, 0.5)
    assert (first.boxes["w"].x, first.boxes["w"].y) == (10.0, 20.0)
    assert (first.circles["w:op"].x, first.circles["w:op"].y) == (10.0, 20.0)
    assert (half.boxes["w"].x, half.boxes["w"].y) == (105.0, 35.0)
    assert "w" not in old.boxes


def test_boxes_that_come_from_nowhere_are_in_their_place_at_once():
    new = Picture({"w": box("w", 200.0, 50.0)})
    assert interpolated(emerging(Picture(), new, {"w": "gone"}), new, 0.0) == new
