import pytest

from engine.graph.moved import links_of
from engine.graph.picture import Box, BoxNumbers, Circle, Edge, Picture
from gui.canvas.descriptions import describe, summary, tool_tip
from gui.canvas.navigation import find, neighbour, path_to_output, value_of


def small(downwards=False):
    """Two inputs a and b, their sum s, and a loose value."""
    places = {"a": (0, 0), "b": (0, 60), "s": (300, 30), "loose": (300, 200)}
    roles = {"a": "input", "b": "input", "s": "output", "loose": "intermediate"}
    turned = {key: (y, x) if downwards else (x, y) for key, (x, y) in places.items()}
    boxes = {key: Box(key, *turned[key], 100, 34, key.upper(), roles[key]) for key in places}
    circle = Circle("s:op", 30 if downwards else 200, 200 if downwards else 30, 15, "+", "add")
    middle = {**turned, "s:op": (circle.x, circle.y)}
    pairs = (("a", "s:op"), ("b", "s:op"), ("s:op", "s"))
    edges = {(u, v): Edge(u, v, ((middle[u], middle[u], middle[v], middle[v]),)) for u, v in pairs}
    return Picture(boxes, {"s:op": circle}, edges, (-50, -20, 350, 220))


@pytest.mark.parametrize(
    ("start", "direction", "end"),
    [("a", "right", "s"), ("s", "left", "a"), ("a", "down", "b"), ("b", "up", "a"), ("s", "down", "loose"),
     ("s", "right", None), ("a", "left", None), ("a", "up", None)],
)  # fmt: skip
def test_arrows_follow_edges_along_the_flow_and_columns_across_it(start, direction, end):
    picture = small()
    assert neighbour(picture, links_of(picture), start, direction) == end


@pytest.mark.parametrize(("start", "direction", "end"), [("a", "down", "s"), ("s", "up", "a"), ("a", "right", "b")])
def test_in_a_graph_that_flows_down_the_arrows_turn(start, direction, end):
    picture = small(downwards=True)
    assert neighbour(picture, links_of(picture), start, direction) == end


def test_the_path_ends_at_the_output():
    picture = small()
    nodes, edges = path_to_output(picture, links_of(picture), "a")
    assert nodes == {"a", "s:op", "s"} and edges == {("a", "s:op"), ("s:op", "s")}


def test_a_value_that_does_not_reach_the_output_has_only_itself():
    picture = small()
    assert path_to_output(picture, links_of(picture), "loose") == ({"loose"}, frozenset())
    assert path_to_output(picture, links_of(picture), "nobody") == (frozenset(), frozenset())


def test_an_operation_stands_for_what_it_computes():
    picture = small()
    assert value_of(picture, links_of(picture), "s:op") == "s"


def test_equal_names_are_found_first_then_beginnings():
    boxes = {label: Box(label, 0, 0, 100, 34, label, "input") for label in ("my_w", "w1", "w", "x")}
    assert find(Picture(boxes, {}, {}, (0, 0, 1, 1)), "W") == ["w", "w1", "my_w"]


def test_small_digits_are_found_by_those_of_the_keyboard():
    boxes = {label: Box(label, 0, 0, 100, 34, label, "input") for label in ("x₁₂", "x₁", "b³")}
    assert find(Picture(boxes, {}, {}, (0, 0, 1, 1)), "x12") == ["x₁₂"]
    assert find(Picture(boxes, {}, {}, (0, 0, 1, 1)), "x₁") == ["x₁", "x₁₂"]
    assert find(Picture(boxes, {}, {}, (0, 0, 1, 1)), "b3") == ["b³"]


def test_words_escape_names_and_name_the_problem():
    box = Box("k", 0, 0, 100, 34, "<b>&", "output")
    picture = Picture({"k": box}, {}, {}, (0, 0, 1, 1))
    reading = BoxNumbers("nan", "–", "bad", "unknown", "data nan\ngrad not computed yet", "log of -1 < 0")
    tip = tool_tip(picture, {"k": reading}, "k")
    assert "&lt;b&gt;&amp;" in tip and "log of -1 &lt; 0" in tip and "<br>grad not computed yet" in tip
    words = describe(picture, links_of(picture), {"k": reading}, "k")
    assert words == "<b>&, output, data not a number, gradient not computed, log of -1 < 0"
    assert tool_tip(picture, {}, None) == "" and summary(picture).startswith("1 value;")
