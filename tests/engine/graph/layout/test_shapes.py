"""Graphs of every shape are laid out, and nonsense is refused with a reason."""

import networkx as nx
import pytest

from engine.graph.layout import CyclicGraphError, LayoutCancelled, LayoutError, layout


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
