"""Graphs of every shape are laid out, and nonsense is refused with a reason."""

import networkx as nx
import pytest

from engine.layout import CyclicGraphError, LayoutCancelled, LayoutError, layout
from tests.engine.layout.samples import expression


def value_graph(*edges, nodes=()):
    """A graph of boxes without operations."""
    graph = nx.DiGraph()
    graph.add_nodes_from([*nodes, *(node for edge in edges for node in edge)], width=190, height=34, kind="value")
    graph.add_edges_from(edges)
    return graph


def test_an_empty_graph_is_an_empty_picture():
    placed = layout(nx.DiGraph())
    assert (placed.positions, placed.routes, placed.bounds, placed.crossings) == ({}, {}, (0, 0, 0, 0), 0)


def test_a_single_node_fills_the_bounds():
    placed = layout(value_graph(nodes=["x"]))
    x, y = placed.positions["x"]
    assert placed.bounds == (x - 95, y - 17, x + 95, y + 17)


def test_a_cycle_is_named():
    with pytest.raises(CyclicGraphError, match="'a' -> 'b' -> 'a'"):
        layout(value_graph(("a", "b"), ("b", "a")))


@pytest.mark.parametrize("thing", [nx.Graph([("a", "b")]), [("a", "b")]])
def test_what_has_no_direction_is_refused(thing):
    with pytest.raises(LayoutError, match=f"DiGraph or MultiDiGraph can be laid out, not a {type(thing).__name__}"):
        layout(thing)


@pytest.mark.parametrize("count", [0, -1, 2.5, "2", None])
def test_edges_are_whole(count):
    graph = value_graph(("a", "b"))
    graph.edges["a", "b"]["multiplicity"] = count
    with pytest.raises(LayoutError, match=f"'a' -> 'b' is a whole number from 1 on, not {count!r}"):
        layout(graph)


@pytest.mark.slow
def test_parallel_edges_of_a_multigraph_are_one_edge_of_as_many():
    graph = expression(30, 2)
    multi = nx.MultiDiGraph()
    multi.add_nodes_from(graph.nodes(data=True))
    for source, target, data in graph.edges(data=True):
        multi.add_edges_from([(source, target)] * data.get("multiplicity", 1))
    assert multi.number_of_edges() > graph.number_of_edges()
    assert layout(multi) == layout(graph)


def test_a_node_without_a_size_is_named():
    graph = nx.DiGraph()
    graph.add_node("x", kind="value", height=3)
    with pytest.raises(LayoutError, match="'x' needs a width"):
        layout(graph)


def test_an_unknown_direction_is_refused():
    with pytest.raises(LayoutError, match="'right', 'down', not 'left'"):
        layout(nx.DiGraph(), direction="left")


def test_a_cancelled_layout_says_so():
    with pytest.raises(LayoutCancelled):
        layout(value_graph(("a", "b")), cancelled=lambda: True)


def test_a_layout_can_be_cancelled_on_the_way():
    graph, asked = expression(40, 1), []

    def after_a_while():
        asked.append(True)
        return len(asked) > 20

    with pytest.raises(LayoutCancelled):
        layout(graph, cancelled=after_a_while)
    assert len(asked) == 21


def test_an_operation_with_two_results_or_none_is_a_node_of_its_own():
    graph = value_graph(("x", "f"), ("f", "y"), ("f", "z"), ("x", "g"))
    for node in ("f", "g"):
        graph.nodes[node].update(kind="op", width=30, height=30)
    placed = layout(graph)
    assert set(placed.routes) == set(graph.edges)
    assert placed.positions["x"][0] < placed.positions["f"][0] < placed.positions["y"][0]


def test_isolated_nodes_are_packed_into_a_sheet():
    placed = layout(value_graph(nodes=[f"x{index}" for index in range(12)]))
    x0, y0, x1, y1 = placed.bounds
    assert len(set(placed.positions.values())) == 12
    assert 0.3 < (x1 - x0) / (y1 - y0) < 6


def test_the_names_of_nodes_may_be_anything_hashable():
    placed = layout(value_graph((1, "a"), ("a", (2, 3)), (None.__class__, "a")))
    assert set(placed.positions) == {1, "a", (2, 3), None.__class__}
