import pytest

from engine.autograd import evaluate
from engine.document.shown import show_expression
from engine.graph import layout, make_picture
from engine.graph.moved import move_boxes

PROGRAM = "a = 2\nb = a * 3\nc = b + a\nd = tanh(c) * b\n"


@pytest.fixture(params=["right", "down"])
def picture(request):
    graph = show_expression(evaluate(PROGRAM)).graph
    return make_picture(graph, layout(graph, direction=request.param))


def test_a_moved_value_takes_its_operation_along(picture):
    moved = move_boxes(picture, {"c": (30.0, -200.0)})
    for old, new in ((picture.boxes["c"], moved.boxes["c"]), (picture.circles["c:op"], moved.circles["c:op"])):
        assert (new.x - old.x, new.y - old.y) == pytest.approx((30.0, -200.0))
    assert moved.bounds[1] <= moved.boxes["c"].y - moved.boxes["c"].height / 2


def test_only_the_edges_of_what_moved_are_drawn_anew(picture):
    moved = move_boxes(picture, {"c": (30.0, -200.0)})
    redrawn = {pair for pair, edge in moved.edges.items() if edge != picture.edges[pair]}
    assert redrawn == {pair for pair in picture.edges if {"c", "c:op"} & set(pair)}


def test_edges_still_begin_and_end_at_the_sides_of_their_nodes(picture):
    moved = move_boxes(picture, {"c": (-900.0, 300.0), "b": (500.0, 20.0)})
    nodes = {**moved.circles, **moved.boxes}
    for (source, target), edge in moved.edges.items():
        for key, (x, y) in ((source, edge.curves[0][0]), (target, edge.curves[-1][3])):
            node = nodes[key]
            half_x = getattr(node, "radius", None) or node.width / 2
            half_y = getattr(node, "radius", None) or node.height / 2
            on_side = abs(abs(x - node.x) - half_x) < 1e-6 or abs(abs(y - node.y) - half_y) < 1e-6
            assert on_side and abs(x - node.x) <= half_x + 1e-6 and abs(y - node.y) <= half_y + 1e-6


def test_two_values_moved_together_keep_the_edge_between_them(picture):
    moved = move_boxes(picture, {"c": (10.0, 400.0), "d": (10.0, 400.0), "tanh(c)": (0.0, 0.0)})
    start, end = moved.edges["c:op", "c"].curves[0][0], moved.edges["c:op", "c"].curves[-1][3]
    old = picture.edges["c:op", "c"].curves
    assert (end[0] - start[0], end[1] - start[1]) == pytest.approx(
        (old[-1][3][0] - old[0][0][0], old[-1][3][1] - old[0][0][1])
    )


def test_names_that_are_not_drawn_and_no_moves_change_nothing(picture):
    assert move_boxes(picture, {}) is picture
    assert move_boxes(picture, {"nobody": (1.0, 1.0)}) is picture
    assert move_boxes(picture, {"c": (0.0, 0.0)}).boxes == picture.boxes
