"""The plain drawing for when a layout fails."""

import networkx as nx
import pytest

from engine.layout import fallback_layout
from tests.engine.layout.looking import backward, overlapping
from tests.engine.layout.samples import any_dag, expression


@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("graph", [expression(30, 2), any_dag(5), expression(200, 1)])
def test_every_node_stands_clear_of_the_others_and_every_edge_points_forward(graph, direction):
    placed = fallback_layout(graph, direction)
    assert set(placed.positions) == set(graph)
    assert set(placed.curves) == set(placed.routes) == set(graph.edges)
    assert overlapping(graph, placed) == []
    assert backward(graph, placed, ("right", "down").index(direction)) == []


def test_an_empty_graph_has_an_empty_drawing():
    assert fallback_layout(nx.DiGraph()).bounds == (0.0, 0.0, 0.0, 0.0)
