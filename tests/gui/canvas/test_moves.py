import pytest

from gui.canvas.edges import edge_form, shifted
from gui.canvas.moves import between, kept_places, with_node_at
from gui.canvas.walk import links_of


def test_a_moved_value_takes_its_operation_along_and_redraws_only_its_edges(grid):
    picture = grid(4, 2)
    moved = with_node_at(picture, links_of(picture), "1.0", 400.0, -300.0)
    assert (moved.boxes["1.0"].x, moved.boxes["1.0"].y) == (400.0, -300.0)
    assert moved.circles["1.0:op"].y == -300.0
    redrawn = {pair for pair, edge in moved.edges.items() if edge != picture.edges[pair]}
    assert redrawn == {("0.0", "1.0:op"), ("1.0:op", "1.0"), ("1.0", "2.0:op")}
    assert moved.bounds[1] == -317.0 and picture.boxes["1.0"].y == 0.0


def test_a_place_given_by_hand_holds_while_the_layout_leaves_the_node_alone(grid):
    picture = grid(3, 1)
    held = {"1.0": ((320.0, 0.0), (1.0, 2.0)), "2.0": ((9.0, 9.0), (1.0, 2.0)), "gone": ((0.0, 0.0), (1.0, 2.0))}
    assert set(kept_places(held, picture)) == {"1.0"}


def test_half_way_between_two_pictures_common_nodes_are_in_the_middle(grid):
    old = grid(3, 2)
    new = with_node_at(grid(4, 2), links_of(grid(4, 2)), "1.0", 320.0, -100.0)
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
