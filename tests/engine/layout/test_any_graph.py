"""Properties of every drawing of every acyclic graph."""

import os
import random
import subprocess
import sys
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import layout, progressive_layout
from tests.engine.layout.looking import backward, boxes, drawn_crossings, overlapping, touching
from tests.engine.layout.samples import any_dag, chain, expression, long_memory, measured, perceptron

SEEDS = st.integers(0, 10**6)
REPEATED = """
from engine.layout import layout, progressive_layout
from tests.engine.layout.samples import expression
print(sorted(layout(expression(25, 3)).positions.items()))
"""


def assert_sound(graph, placed, axis=0):
    assert set(placed.positions) == set(graph)
    assert set(placed.routes) == set(placed.curves) == set(graph.edges)
    assert overlapping(graph, placed) == []
    assert touching(graph, placed) == []
    assert backward(graph, placed, axis) == []
    x0, y0, x1, y1 = placed.bounds
    points = [point for route in placed.routes.values() for point in route]
    corners = [corner for box in boxes(graph, placed).values() for corner in (box[:2], box[2:])]
    assert all(x0 - 1e-6 <= x <= x1 + 1e-6 and y0 - 1e-6 <= y <= y1 + 1e-6 for x, y in (*points, *corners))


@pytest.mark.slow
@given(SEEDS, st.sampled_from(("right", "down")), st.sampled_from(("full", "quick")))
@settings(max_examples=40, deadline=None)
def test_a_drawing_of_any_graph_is_sound(seed, direction, quality):
    graph = any_dag(seed)
    assert_sound(graph, layout(graph, direction=direction, quality=quality), axis=("right", "down").index(direction))


@pytest.mark.slow
@pytest.mark.parametrize("graph", [any_dag(0), any_dag(5), long_memory(12)], ids=["any 0", "any 5", "long edges"])
def test_a_large_graph_is_placed_soundly_too(monkeypatch, graph):
    """Its dummy vertices share their heights where their segments do not cross."""
    monkeypatch.setattr(sys.modules["engine.layout.placement"], "_SOFT", 0)
    assert_sound(graph, layout(graph, quality="quick"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 31])
def test_a_search_that_ends_early_leaves_a_sound_drawing(monkeypatch, seed):
    monkeypatch.setattr(sys.modules["engine.layout.local_search"], "_REPEATS", 1)
    monkeypatch.setattr(sys.modules["engine.layout.local_search"], "_INSERTION_SWEEPS", 1)
    graph = any_dag(seed)
    assert_sound(graph, layout(graph))


@pytest.mark.slow
@given(SEEDS, st.integers(1, 30))
@settings(max_examples=25, deadline=None)
def test_a_drawing_of_any_expression_is_sound(seed, operations):
    graph = expression(operations, seed)
    placed = layout(graph)
    assert_sound(graph, placed)
    assert drawn_crossings(placed) <= placed.crossings


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_nodes_is_free(seed):
    graph = expression(12, seed)
    turned = graph.__class__()
    turned.add_nodes_from(reversed(list(graph.nodes(data=True))))
    turned.add_edges_from(reversed(list(graph.edges(data=True))))
    assert_sound(turned, layout(turned))


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_the_same_graph_gives_the_same_drawing(seed):
    assert layout(expression(15, seed)) == layout(expression(15, seed))


@pytest.mark.long
def test_the_drawing_does_not_depend_on_hashes():
    drawn = [
        subprocess.run(
            [sys.executable, "-c", REPEATED],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(["."])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("direction", ["right", "down"])
def test_an_operation_stands_beside_its_result(direction):
    graph = perceptron(2, 3, 1)
    placed = layout(graph, direction=direction)
    along = 0 if direction == "right" else 1
    size = ("width", "height")[along]
    for node in graph:
        if graph.nodes[node]["kind"] == "op":
            (result,) = graph.succ[node]
            op, value = placed.positions[node], placed.positions[result]
            gap = (graph.nodes[node][size] + graph.nodes[result][size]) / 2 + 16
            assert op[1 - along] == value[1 - along]
            assert value[along] - op[along] == pytest.approx(gap)


def test_a_leaf_stands_in_the_column_before_its_first_use():
    graph = perceptron(2, 2, 1)
    placed = layout(graph)
    columns = sorted(
        {placed.positions[n][0] + graph.nodes[n]["width"] / 2 for n in graph if graph.nodes[n]["kind"] == "value"}
    )
    for node in graph:
        if not graph.pred[node]:
            used = min(columns.index(placed.positions[next(iter(graph.succ[op]))][0] + 95) for op in graph.succ[node])
            assert columns.index(placed.positions[node][0] + 95) == used - 1


def test_equal_terms_have_equal_shapes():
    graph = measured("neuron_tanh")
    placed = layout(graph)
    middles = {
        placed.positions[op][1] - sum(placed.positions[leaf][1] for leaf in graph.pred[op]) / 2
        for op in graph
        if graph.nodes[op]["kind"] == "op" and [graph.in_degree(n) for n in graph.pred[op]] == [0, 0]
    }
    assert middles == {0}


def test_components_do_not_overlap():
    graph = expression(6, 1)
    for seed in (2, 3):
        other = expression(5, seed)
        graph.update(nx.relabel_nodes(other, {node: f"{seed}:{node}" for node in other}))
    assert_sound(graph, layout(graph))


def test_a_curve_joins_its_pieces_end_to_start():
    placed = layout(expression(25, 4))
    for edge, pieces in placed.curves.items():
        assert pieces[0][0] == placed.routes[edge][0]
        assert pieces[-1][3] == placed.routes[edge][-1]
        assert all(before[3] == after[0] for before, after in pairwise(pieces))


@pytest.mark.slow
def test_a_large_graph_is_laid_out_soundly():
    graph = perceptron(2, 12, 12, 1)
    placed = layout(graph, quality="quick")
    assert overlapping(graph, placed) == []
    assert backward(graph, placed) == []


@pytest.mark.slow
def test_parallel_edges_weigh_what_they_are():
    graph = expression(20, 7)
    heavy = graph.copy()
    for edge in heavy.edges:
        heavy.edges[edge]["multiplicity"] = 3
    assert layout(heavy).crossings == layout(graph).crossings


@pytest.mark.slow
@given(SEEDS, st.sampled_from(("right", "down")))
@settings(max_examples=15, deadline=None)
def test_boxes_may_have_any_size(seed, direction):
    rng, graph = random.Random(seed), any_dag(seed, nodes=16)
    for node in graph:
        graph.nodes[node].update(width=rng.choice((0, 0.5, 30, 190, 900, 4000.25)), height=rng.choice((0, 1, 34, 700)))
    assert_sound(graph, layout(graph, direction=direction), axis=("right", "down").index(direction))


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_parallel_edges_and_several_components_are_sound(seed):
    rng = random.Random(seed)
    parts = [nx.relabel_nodes(expression(rng.randrange(1, 9), seed + k), lambda node, k=k: (k, node)) for k in range(3)]
    graph = nx.compose_all(parts)
    for edge in graph.edges:
        graph.edges[edge]["multiplicity"] = rng.randrange(1, 4)
    assert_sound(graph, layout(graph))
    assert_sound(graph, layout(graph, previous=layout(graph, quality="quick")))


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 30, 300])
@pytest.mark.parametrize("direction", ["right", "down"])
def test_without_folding_every_edge_of_a_chain_points_forward(length, direction):
    graph = chain(length)
    assert_sound(graph, layout(graph, direction=direction), axis=("right", "down").index(direction))


def test_a_long_chain_is_level_from_the_start(monkeypatch):
    """Its places are right before anything is improved, which would take a second for each thousand operations."""
    monkeypatch.setattr(sys.modules["engine.layout.placement"], "max_pivots", lambda size: 0)
    graph = chain(60)
    placed = layout(graph)
    sums = [node for node in graph if graph.pred[node] and graph.nodes[node]["kind"] == "value"]
    assert len({placed.positions[node][1] for node in sums[:-1]}) == 1


@pytest.mark.slow
def test_one_pass_for_a_small_graph_or_one_that_was_drawn_before_two_for_a_large_one():
    small, large = expression(12, 3), chain(90)
    assert [placed.quality for placed in progressive_layout(small)] == ["full"]
    first, last = progressive_layout(large)
    assert (first.quality, last.quality) == ("quick", "full")
    assert [placed.quality for placed in progressive_layout(large, previous=last)] == ["full"]
    assert list(progressive_layout(large)) == [first, last]
