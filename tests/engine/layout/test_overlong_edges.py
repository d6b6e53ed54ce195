"""Graphs whose edges are too long to be led through every layer."""

import networkx as nx
import pytest

from engine.layout import layout, progressive_layout
from engine.layout.layering import overlong_edges


def _chain(length: int) -> nx.DiGraph:
    """`y = y + x`, again and again: the leaf x is used in every line."""
    graph = nx.DiGraph()
    graph.add_node("x", kind="value", width=120.0, height=34.0)
    before = "x"
    for number in range(length):
        op, result = f"y{number}:op", f"y{number}"
        graph.add_node(op, kind="op", width=30.0, height=30.0)
        graph.add_node(result, kind="value", width=120.0, height=34.0)
        graph.add_edges_from([(before, op), ("x", op), (op, result)])
        before = result
    return graph


def test_a_graph_of_usual_length_has_no_far_edges():
    assert overlong_edges(_chain(100)) == []


def test_the_longest_edges_go_until_the_rest_can_be_laid_out():
    graph = _chain(100)
    overlong = overlong_edges(graph, max_dummies=1_000)
    assert 0 < len(overlong) < 99
    assert ("x", "y99:op") in overlong
    assert ("x", "y1:op") not in overlong


def test_what_an_operation_is_next_to_stays():
    graph = _chain(100)
    overlong = overlong_edges(graph, max_dummies=0)
    graph.remove_edges_from(overlong)
    assert nx.is_weakly_connected(graph)
    assert all(graph.in_degree(node) for node in graph if node != "x")


@pytest.mark.long
def test_a_leaf_used_in_five_hundred_lines_is_laid_out_with_all_its_edges():
    graph = _chain(500)
    *_, placed = progressive_layout(graph, fold=True)
    assert placed.curves.keys() == set(graph.edges) == placed.routes.keys()
    x, y = placed.positions["x"]
    assert placed.curves["x", "y499:op"][0][0] == (x + 60, y)
    assert placed.curves["x", "y499:op"][-1][3] == (placed.positions["y499:op"][0] - 15, placed.positions["y499:op"][1])


@pytest.mark.slow
def test_downwards_a_straight_edge_leaves_below_and_arrives_above():
    graph = _chain(500)
    placed = next(iter(progressive_layout(graph, direction="down", fold=True)))
    x, y = placed.positions["x"]
    assert placed.curves["x", "y499:op"][0][0] == (x, y + 17)


def test_without_far_edges_it_is_the_layout():
    graph = _chain(12)
    assert list(progressive_layout(graph)) == [layout(graph)]
