import random

import pytest

from engine.graph import build_graph, layout, make_picture, moved
from engine.graph.moved import links_of, move_boxes, place_boxes, touching
from engine.language import evaluate
from engine.layout.visibility import MOST_COMPARISONS, SearchBudget
from engine.views.graph_view import show_expression
from tests.engine.graph.test_routes_around_boxes import is_entered, points_on

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


def rect(node):
    across, down = (node.radius, node.radius) if hasattr(node, "radius") else (node.width / 2, node.height / 2)
    return node.x - across, node.y - down, node.x + across, node.y + down


def under(edge, node):
    """Whether an edge runs under a node, by sampling."""
    return is_entered(rect(node), points_on(edge.curves), 0.01)


@pytest.mark.parametrize("moved_by", [(30.0, -200.0), (0.0, 30.0), (-150.0, 10.0), (400.0, 25.0)])
def test_only_edges_of_what_moved_and_those_it_came_to_lie_on_are_drawn_anew(picture, moved_by):
    moved = move_boxes(picture, {"c": moved_by})
    block = moved.boxes["c"], moved.circles["c:op"]
    redrawn = {pair for pair, edge in moved.edges.items() if edge != picture.edges[pair]}
    own = {pair for pair in picture.edges if {"c", "c:op"} & set(pair)}
    in_the_way = {
        pair for pair, edge in picture.edges.items() if pair not in own and any(under(edge, n) for n in block)
    }
    assert in_the_way <= redrawn - own
    for pair in redrawn - own:
        assert any(overlap(edge_rect(picture.edges[pair]), rect(node)) for node in block)


@pytest.mark.long
@pytest.mark.parametrize("n_uses", [20, 200])
def test_a_value_that_is_used_everywhere_is_moved_with_bounded_work(n_uses, monkeypatch):
    """The ways of its edges share one budget: 200 of them once took 3.5 s."""
    budgets = []
    monkeypatch.setattr(moved, "SearchBudget", lambda: budgets.append(SearchBudget()) or budgets[-1])
    lines = [f"a{i} = x*{i} + 1\n" for i in range(n_uses)]
    names = ", ".join(f"a{i}" for i in range(n_uses))
    graph = show_expression(evaluate(f"x = 2.0\n{''.join(lines)}L = sum([{names}])")).graph
    before = make_picture(graph, layout(graph, quality="quick"))
    after = move_boxes(before, {"x": (40.0, 300.0)})
    assert sum(after.edges[pair] != before.edges[pair] for pair in before.edges) >= n_uses
    spent = [MOST_COMPARISONS - budget.left for budget in budgets]
    assert len(spent) == 1 and spent[0] < 3 * MOST_COMPARISONS


def edge_rect(edge):
    xs, ys = zip(*(point for curve in edge.curves for point in curve), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def overlap(one, two):
    return one[0] < two[2] and one[2] > two[0] and one[1] < two[3] and one[3] > two[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_edges_of_a_dragged_value_run_under_no_box(picture, seed):
    """Unless it was dropped onto another one."""
    chance = random.Random(seed)
    key = chance.choice(["b", "c", "d"])
    moved = move_boxes(picture, {key: (chance.uniform(-500, 500), chance.uniform(-300, 300))})
    nodes = {**moved.circles, **moved.boxes}
    block = {key, f"{key}:op"}
    grown = [tuple(a + b for a, b in zip(rect(nodes[name]), (-25, -8, 25, 8), strict=True)) for name in block]
    if any(overlap(one, rect(node)) for one in grown for name, node in nodes.items() if name not in block):
        return
    for pair, edge in moved.edges.items():
        assert [name for name, node in nodes.items() if name not in pair and under(edge, node)] == []


def test_in_a_hand_an_edge_is_one_curve(picture):
    links = links_of(picture)
    moved = place_boxes(picture, links, {"c": (0.0, 0.0)}, around=False)
    assert all(len(moved.edges[pair].curves) == 1 for pair in touching(links, {"c", "c:op"}))
    elsewhere = touching(links, {"c", "c:op"})
    assert all(edge == picture.edges[pair] for pair, edge in moved.edges.items() if pair not in elsewhere)


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


@pytest.mark.long
def test_of_very_many_moved_values_every_edge_is_one_curve_and_no_way_around_boxes_is_looked_for(monkeypatch):
    graph = build_graph([evaluate("a = 1\ny = " + " + ".join(["a"] * 400)).root])
    picture = make_picture(graph, layout(graph, quality="quick"))
    monkeypatch.setattr(moved, "rerouted", lambda *_: pytest.fail("a way around boxes was looked for"))
    places = dict.fromkeys([*picture.boxes, *(f"gone{n}" for n in range(10_000))], (5.0, 7.0))
    after = move_boxes(picture, places)
    assert all(box.x == picture.boxes[key].x + 5 for key, box in after.boxes.items())


def test_of_very_many_edges_each_is_one_curve_and_no_way_is_looked_for(picture, monkeypatch):
    monkeypatch.setattr(moved, "MOST_REROUTED", 1)
    monkeypatch.setattr(moved, "route", lambda *_: pytest.fail("a way was looked for"))
    edges = moved.rerouted(picture, links_of(picture), {"a"})
    assert edges.keys() == touching(links_of(picture), {"a"})
    assert len(edges) == 2 and all(len(edge.curves) == 1 for edge in edges.values())
