"""Contract of every layout: a new entry is tested as soon as it exists."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import LAYOUTS, LayoutCancelled, LayoutError, drawings, layout, networkx_layouts, registry, why_not
from engine.layout.blocks import contract
from engine.layout.networkx_layouts import component_layout
from engine.layout.pipeline import finished
from tests.engine.layout.looking import boxes, drawn_crossings, overlapping, under_boxes
from tests.engine.layout.samples import any_dag, chain, expression, perceptron

GRAPHS = {
    "neuron": expression(6, 3),
    "expression": expression(25, 3),
    "perceptron": perceptron(2, 3, 1),
    "chain": chain(12),
    "several components": nx.disjoint_union(expression(5, 1), expression(4, 2)),
    "any": any_dag(11),
}
AVAILABLE = [name for name, entry in LAYOUTS.items() if not entry.missing()]


def last(name, graph, **how):
    *_, placed = drawings(name, graph, **how)
    return placed


def on_border(box, point):
    """True when a point lies on the border of a rectangle, or of the circle in it."""
    left, top, right, bottom = box
    x, y = (point[0] - (left + right) / 2) * 2 / (right - left), (point[1] - (top + bottom) / 2) * 2 / (bottom - top)
    return max(abs(x), abs(y)) == pytest.approx(1.0) or x * x + y * y == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("name", AVAILABLE)
def test_no_two_boxes_overlap_and_edges_run_from_border_to_border(name, direction):
    for graph in GRAPHS.values():
        if why_not(name, graph):
            continue
        placed = last(name, graph, direction=direction)
        assert set(placed.positions) == set(graph) and set(placed.curves) == set(placed.routes) == set(graph.edges)
        assert overlapping(graph, placed) == []
        found = boxes(graph, placed)
        for (source, target), pieces in placed.curves.items():
            assert on_border(found[source], pieces[0][0]) and on_border(found[target], pieces[-1][3])
        x0, y0, x1, y1 = placed.bounds
        assert all(
            x0 <= a + 1e-6 and y0 <= b + 1e-6 and c <= x1 + 1e-6 and d <= y1 + 1e-6 for a, b, c, d in found.values()
        )


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("name", AVAILABLE)
def test_no_edge_runs_under_a_box_of_others(name, direction):
    for graph in GRAPHS.values():
        if not why_not(name, graph):
            placed = last(name, graph, direction=direction)
            assert under_boxes(graph, placed) == []


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from(AVAILABLE))
@settings(max_examples=30, deadline=None)
def test_no_two_boxes_of_any_graph_overlap(seed, name):
    graph = any_dag(seed)
    if not why_not(name, graph):
        assert overlapping(graph, last(name, graph)) == []


@pytest.mark.parametrize("name", AVAILABLE)
def test_an_operation_stands_beside_its_result(name):
    graph = GRAPHS["expression"]
    if why_not(name, graph):
        graph = GRAPHS["chain"]
    placed = last(name, graph)
    for node, kind in graph.nodes(data="kind"):
        if kind == "op":
            [result] = graph.succ[node]
            (x0, y0), (x1, y1) = placed.positions[node], placed.positions[result]
            assert y0 == pytest.approx(y1) and x0 < x1 < x0 + 300


@pytest.mark.parametrize("name", AVAILABLE)
def test_the_same_graph_is_drawn_the_same_way_again(name):
    assert last(name, GRAPHS["chain"]).positions == last(name, GRAPHS["chain"]).positions


@pytest.mark.parametrize("name", AVAILABLE)
def test_it_can_be_cancelled(name):
    with pytest.raises(LayoutCancelled):
        last(name, GRAPHS["chain"], cancelled=lambda: True)


@pytest.mark.parametrize("name", [name for name, entry in LAYOUTS.items() if entry.most_nodes is not None])
def test_a_graph_that_is_too_large_is_refused_in_words(name, monkeypatch):
    monkeypatch.setattr(registry.importlib.util, "find_spec", lambda _name: object())
    large = nx.DiGraph()
    large.add_nodes_from(range(LAYOUTS[name].most_nodes + 1), width=80.0, height=40.0, kind="value")
    assert f"{LAYOUTS[name].most_nodes:,} values" in why_not(name, large)
    with pytest.raises(LayoutError, match=f"{name} cannot draw this graph: draws up to"):
        last(name, large)


def test_what_needs_a_library_that_is_missing_says_so(monkeypatch):
    monkeypatch.setattr(registry.importlib.util, "find_spec", lambda _name: None)
    assert why_not("kamada_kawai", GRAPHS["neuron"]) == "Needs SciPy, which is not installed"


def test_the_planar_layout_lets_no_edges_cross_and_refuses_graphs_that_have_to():
    graph = GRAPHS["chain"]
    assert drawn_crossings(last("planar", graph)) == 0
    crossed = nx.DiGraph()
    crossed.add_nodes_from("abcdefg", width=80.0, height=40.0, kind="value")
    crossed.add_edges_from((one, other) for one in "abc" for other in "def")
    assert why_not("planar", crossed) == "This graph is not planar: some of its edges have to cross"


def test_columns_of_the_multipartite_layout_are_those_of_the_longest_way_to_the_end():
    graph = nx.DiGraph()
    graph.add_nodes_from("abcd", width=80.0, height=40.0, kind="value")
    graph.add_edges_from([("a", "b"), ("b", "c"), ("d", "c")])
    places = last("multipartite", graph).positions
    assert places["a"][0] < places["b"][0] < places["c"][0]
    assert places["b"][0] == pytest.approx(places["d"][0])


@pytest.mark.slow
def test_the_layered_layout_is_the_one_there_always_was():
    graph = GRAPHS["expression"]
    assert last("layered", graph).positions == layout(graph).positions


def test_a_name_that_is_none_is_refused():
    with pytest.raises(LayoutError, match="layered, multipartite"):
        last("circle", GRAPHS["chain"])


@pytest.mark.parametrize("spreading", ["pushed", "scaled"])
def test_blocks_that_a_layout_puts_on_one_place_get_places_of_their_own(spreading):
    graph = GRAPHS["neuron"]
    blocks = contract(graph, "right")
    placed = component_layout(graph, blocks, lambda plain: dict.fromkeys(plain, (0.0, 0.0)), "right", None, spreading)
    assert overlapping(graph, finished(placed, "right", "full")) == []


def test_edges_for_which_no_way_around_is_found_in_time_stay_straight(monkeypatch):
    monkeypatch.setattr(networkx_layouts, "_MOST_COMPARISONS", -1)
    graph = GRAPHS["perceptron"]
    placed = last("spring", graph)
    assert {len(pieces) for pieces in placed.curves.values()} == {1}
    assert overlapping(graph, placed) == []
