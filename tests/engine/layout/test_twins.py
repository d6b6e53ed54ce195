"""Neurons of a layer stand in their order, and the drawing is no other for it."""

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import pytest

from engine.layout import layout


def dense(sizes, width=190.0):
    graph = nx.DiGraph()
    names = [[f"L{layer}N{number}" for number in range(size)] for layer, size in enumerate(sizes)]
    for name in (name for layer in names for name in layer):
        graph.add_node(name, kind="value", width=width, height=34.0)
    for one, other in pairwise(names):
        graph.add_edges_from((a, b) for a in one for b in other)
    return graph, names


@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("quality", ["quick", "full"])
def test_neurons_of_a_layer_stand_in_their_order(direction, quality):
    graph, names = dense((3, 9, 12, 2))
    placed = layout(graph, direction=direction, quality=quality)
    across = 1 if direction == "right" else 0
    for layer in names:
        heights = [placed.positions[name][across] for name in layer]
        assert heights == sorted(heights)


def test_every_route_still_ends_at_its_nodes():
    graph, _ = dense((2, 7, 7, 1))
    placed = layout(graph)
    for (u, v), points in placed.routes.items():
        assert points[0] == pytest.approx((placed.positions[u][0] + 95.0, placed.positions[u][1]), abs=17)
        assert points[-1] == pytest.approx((placed.positions[v][0] - 95.0, placed.positions[v][1]), abs=17)
    assert set(placed.routes) == set(graph.edges)


def test_nodes_that_a_reader_knows_stay_where_they_are():
    graph, names = dense((2, 5, 1))
    turned = {name: (x, -y) for name, (x, y) in layout(graph).positions.items()}
    placed = layout(graph, previous=turned)
    heights = [placed.positions[name][1] for name in names[1]]
    assert heights == sorted(heights, reverse=True)


def test_nodes_with_other_neighbours_keep_the_place_that_avoids_crossings():
    graph = nx.DiGraph()
    for name in "abcdxy":
        graph.add_node(name, kind="value", width=190.0, height=34.0)
    graph.add_edges_from([("a", "y"), ("b", "x"), ("c", "y"), ("d", "x")])
    assert layout(graph).crossings == 0


def weighted_sum():
    """What an opened neuron is: weights with long names and a bias with a short one, and two inputs others use too."""
    graph = nx.DiGraph()
    for name, width in (("w1", 190.0), ("w2", 190.0), ("b", 150.0), ("x1", 140.0), ("x2", 140.0), ("n", 190.0)):
        graph.add_node(name, kind="value", width=width, height=34.0)
    graph.add_edges_from((name, "n") for name in ("w1", "w2", "b", "x1", "x2"))
    return graph


@pytest.mark.parametrize("direction", ["right", "down"])
def test_leaves_of_one_sum_stand_in_their_order_however_broad_they_are(direction):
    graph = weighted_sum()
    placed = layout(graph, direction=direction)
    across = 1 if direction == "right" else 0
    heights = [placed.positions[name][across] for name in ("w1", "w2")]
    assert heights == sorted(heights)
    for name in ("w1", "w2", "b", "x1", "x2"):
        x, y = placed.positions[name]
        half = graph.nodes[name]["width"] / 2
        end = (x + half, y) if direction == "right" else (x, y + 17.0)
        assert placed.routes[name, "n"][0] == pytest.approx(end)
    if direction == "right":
        in_turn = sorted(("w1", "w2", "b", "x1", "x2"), key=lambda name: placed.positions[name][1])
        assert in_turn == ["w1", "w2", "b", "x1", "x2"]


def test_what_came_out_of_one_box_has_no_place_of_its_own_yet():
    graph = weighted_sum()
    before = layout(graph)
    home = before.positions["w2"]
    crowd = replace(before, positions=before.positions | dict.fromkeys(("w1", "w2", "b", "x1", "x2"), home))
    placed = layout(graph, previous=crowd)
    heights = [placed.positions[name][1] for name in ("w1", "w2", "b", "x1", "x2")]
    assert heights == sorted(heights)
