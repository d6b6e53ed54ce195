import pytest

from engine.graph.moved import move_boxes
from gui.canvas.edges import edge_form, shifted
from gui.canvas.moves import between


def test_half_way_between_two_pictures_common_nodes_are_in_the_middle(grid):
    old = grid(3, 2)
    new = move_boxes(grid(4, 2), {"1.0": (0.0, -100.0)})
    middle = between(old, new, 0.5)
    assert middle.boxes["1.0"].y == -50.0
    assert middle.boxes["3.1"] == new.boxes["3.1"]
    assert between(old, new, 1.0) == new


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
    form = edge_form(grid(2, 1).edges["0.0", "1.0:op"])
    start, end = form.lines.pointAtPercent(0.0), form.lines.pointAtPercent(1.0)
    assert form.bounds.contains(start) and form.bounds.contains(end)
    assert form.bounds.contains(form.arrows.boundingRect())
