"""Memory and work of a layout: measured in bytes and counts, never in seconds."""

import random
import tracemalloc

import networkx as nx
import pytest

from engine.layout import incremental, layout, ordering
from engine.layout.blocks import connected_components, contract
from engine.layout.crossings import Adjacency
from engine.layout.layering import MAX_DUMMIES, into_layers, latest_ranks, overlong_edges, shortest_ranks, without
from engine.layout.local_search import LocalSearch
from engine.layout.ordering import (
    MAX_MATRIX_BYTES,
    affordable,
    barycentre_sweeps,
    candidates,
    count_crossings,
    effort,
    from_leaves,
    from_results,
    matrix_bytes,
)
from tests.engine.layout.looking import backward, overlapping
from tests.engine.layout.samples import DOT, Builder, expression, long_memory, measured

MEGABYTE = 1_000_000


def sum_of_products(count):
    """`a*a + a*a + ...`"""
    build = Builder()
    a = build.leaf()
    total = build.op(a, a)
    for _ in range(count - 1):
        total = build.op(total, build.op(a, a))
    return build.graph


def leaf_used_often(count):
    """`a + a + a + ...`"""
    build = Builder()
    a = total = build.leaf()
    for _ in range(count):
        total = build.op(total, a)
    return build.graph


def comb(count):
    """`y = tanh(y * a + b)`, again and again."""
    build = Builder()
    a, b, y = build.leaf(), build.leaf(), build.leaf()
    for _ in range(count):
        y = build.op(build.op(build.op(y, a), b))
    return build.graph


def knot(leaves, results):
    """Products of leaves drawn at random, and their sum: layers that are wide and full."""
    rng, build = random.Random(1), Builder()
    values = [build.leaf() for _ in range(leaves)]
    build.op(*[build.op(*rng.choices(values, k=6)) for _ in range(results)])
    return build.graph


def peak_of(work):
    """The most memory a call has held at once, in bytes."""
    tracemalloc.start(1)
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("graph", [sum_of_products(500), knot(40, 100)], ids=["products", "knot"])
def test_a_layout_takes_less_than_a_hundred_megabytes(graph):
    assert peak_of(lambda: layout(graph, quality="quick")) < 100 * MEGABYTE


@pytest.mark.slow
@pytest.mark.parametrize("graph", [sum_of_products(2490), leaf_used_often(2400), comb(300), long_memory(500)])
def test_edges_never_have_more_dummy_vertices_than_are_allowed(graph):
    near = without(graph, overlong_edges(graph))
    blocks = contract(near, "right")
    latest = latest_ranks(blocks)
    for ranks in (latest, shortest_ranks(blocks, latest)):
        assert len(into_layers(blocks, ranks)) - len(blocks) <= MAX_DUMMIES


@pytest.mark.slow
@pytest.mark.parametrize("graph", [knot(20, 60), expression(60, 4)])
def test_a_search_takes_no_more_than_was_reckoned(graph):
    blocks = max(connected_components(contract(graph, "right")), key=len)
    layered = into_layers(blocks, latest_ranks(blocks))
    work = affordable([layered], "full")
    reckoned = matrix_bytes(layered, work.starts, work.searches)

    def search():
        found = candidates(layered, work)[: work.searches]
        searches = [LocalSearch(each.moves, each.orders) for each in found]
        for each in searches:
            each.improve(1)

    assert peak_of(search) < reckoned + MEGABYTE


@pytest.mark.slow
def test_no_matrix_is_made_where_they_would_be_too_large(monkeypatch):
    monkeypatch.setattr(ordering, "MAX_MATRIX_BYTES", 1000)
    monkeypatch.setattr(incremental, "MAX_MATRIX_BYTES", 1000)
    monkeypatch.setattr(Adjacency, "__init__", lambda *_: pytest.fail("a matrix was made"))
    graph = expression(60, 4)
    quick = layout(graph, quality="quick")
    for placed in (quick, layout(graph, previous=quick), layout(graph)):
        assert overlapping(graph, placed) == []
        assert backward(graph, placed, 0) == []
        assert placed.crossings > 0


@pytest.mark.slow
def test_where_nothing_crosses_no_matrix_is_made(monkeypatch):
    monkeypatch.setattr(Adjacency, "__init__", lambda *_: pytest.fail("a matrix was made"))
    graph = sum_of_products(40)
    assert layout(graph).crossings == 0
    assert layout(graph, previous=layout(graph, quality="quick")).crossings == 0


@pytest.mark.slow
def test_sweeps_never_make_an_order_worse_and_lose_no_vertex():
    for seed in range(12):
        blocks = contract(expression(40, seed), "right")
        layered = into_layers(blocks, latest_ranks(blocks))
        starts = [from_results(layered), from_leaves(layered)]
        orders, crossings = barycentre_sweeps(layered, starts)
        assert crossings == count_crossings(layered, orders)
        assert crossings <= min(count_crossings(layered, start) for start in starts)
        assert [sorted(order) for order in orders] == [sorted(members) for members in layered.members]


@pytest.mark.parametrize("name", sorted(DOT))
def test_the_published_graphs_are_far_from_the_bound(name):
    graph = measured(name)
    assert overlong_edges(graph) == []
    blocks = contract(graph, "right")
    layered = into_layers(blocks, latest_ranks(blocks))
    work = effort(layered, "full")
    assert 4 * matrix_bytes(layered, work.starts, work.searches) < MAX_MATRIX_BYTES


def test_an_order_without_crossings_stays_as_it_is():
    blocks = contract(sum_of_products(3), "right")
    layered = into_layers(blocks, latest_ranks(blocks))
    start = from_results(layered)
    assert barycentre_sweeps(layered, [start]) == (start, 0)


def test_a_graph_with_a_cycle_has_no_overlong_edges_for_the_layout_says_what_is_wrong():
    graph = nx.DiGraph(nx.cycle_graph(8, create_using=nx.DiGraph))
    assert overlong_edges(graph, max_dummies=1) == []


def test_all_edges_are_left_out_where_no_dummy_is_allowed():
    graph = sum_of_products(4)
    near = without(graph, overlong_edges(graph, max_dummies=0))
    assert overlong_edges(near, max_dummies=0) == []
    assert near.number_of_edges() < graph.number_of_edges()


def test_parallel_edges_of_a_multigraph_are_left_out_together():
    graph = nx.MultiDiGraph(sum_of_products(30))
    overlong = overlong_edges(graph, max_dummies=10)
    near = without(graph, overlong)
    assert overlong
    assert not any(near.has_edge(*edge) for edge in overlong)
