"""Counting crossings, and saving them."""

import random
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.layout import crossings, local_search
from engine.layout.blocks import contract
from engine.layout.crossings import Adjacency, Ordering
from engine.layout.layering import into_layers, latest_ranks
from engine.layout.local_search import (
    LocalSearch,
    Moves,
    OrderSet,
    Reinsertion,
    dummy_chains,
    insert,
    runs,
)
from engine.layout.ordering import count_crossings, effort, from_leaves, from_results
from tests.engine.layout.samples import chain, expression

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 10**6)


def layers_of(seed, operations=18):
    graph = contract(expression(operations, seed), "right")
    return into_layers(graph, latest_ranks(graph))


def shuffled(layered, seed):
    rng = random.Random(seed)
    return [rng.sample(members, len(members)) for members in layered.members]


def crossings_by_definition(layered, orders):
    position = {vertex: index for order in orders for index, vertex in enumerate(order)}
    total = 0
    for (a, b), (c, d) in combinations(layered.weight, 2):
        if layered.layer[a] == layered.layer[c] and (position[a] - position[c]) * (position[b] - position[d]) < 0:
            total += 1
    return total


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_all_counts_agree_with_the_definition(seed):
    layered = layers_of(seed)
    orders = shuffled(layered, seed)
    adjacency = Adjacency(layered)
    crossings = crossings_by_definition(layered, orders)
    assert OrderSet(adjacency, [orders, from_leaves(layered)]).crossings()[0] == crossings
    assert Ordering(adjacency, orders).crossings() == crossings
    assert count_crossings(layered, orders) == crossings


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_insertion_saves_crossings_in_every_order_of_the_set(seed):
    layered = layers_of(seed)
    together = OrderSet(
        Adjacency(layered), [shuffled(layered, seed), shuffled(layered, seed + 1), from_results(layered)]
    )
    before = together.crossings()
    together.improve(20)
    assert all(after <= old for after, old in zip(together.crossings(), before, strict=True))
    for which in range(3):
        assert [sorted(order) for order in together.orders(which)] == [sorted(m) for m in layered.members]


@pytest.mark.parametrize("largest_product", [0, 60_000])
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_order_is_improved_as_a_set_of_one(monkeypatch, largest_product, seed):
    """The same when products of layers are made as matrices and step by step."""
    monkeypatch.setattr(crossings, "LARGEST_PRODUCT", largest_product)
    layered = layers_of(seed)
    adjacency, orders = Adjacency(layered), shuffled(layered, seed)
    together, ordering = OrderSet(adjacency, [orders]), Ordering(adjacency, orders)
    rows = set(range(len(orders)))
    assert together.improve(20) == insert(ordering, rows, 20)
    assert together.orders(0) == ordering.orders


@given(SEEDS)
@settings(max_examples=25, deadline=None)
def test_reinsertion_saves_crossings_and_loses_no_vertex(seed):
    layered = layers_of(seed)
    search = Ordering(Adjacency(layered), shuffled(layered, seed))
    before = search.crossings()
    changed = Reinsertion(search).improve([*dummy_chains(layered), *runs(layered)])
    assert search.crossings() < before if changed else search.crossings() == before
    assert search.crossings() == crossings_by_definition(layered, search.orders)
    assert [sorted(order) for order in search.orders] == [sorted(members) for members in layered.members]


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_perturbations_never_make_an_order_worse(seed):
    layered = layers_of(seed)
    search = LocalSearch(Moves(Adjacency(layered)), from_results(layered))
    search.improve(2)
    before = search.crossings
    search.perturb(random.Random(seed), 6)
    assert search.crossings <= before
    assert search.crossings == crossings_by_definition(layered, search.orders)


def test_reinsertion_stops_when_it_has_looked_at_enough(monkeypatch):
    layered = layers_of(3)
    monkeypatch.setattr(local_search, "MAX_CELLS", 1)
    monkeypatch.setattr(local_search, "MAX_CELLS_PER_BLOCK", 0)
    limited, free = (Ordering(Adjacency(layered), shuffled(layered, 3)) for _ in range(2))
    every = [*dummy_chains(layered), *runs(layered)]
    limited_rows = Reinsertion(limited).improve(every)
    monkeypatch.undo()
    assert len(limited_rows) < len(Reinsertion(free).improve(every))
    assert limited.crossings() > free.crossings()


def test_wide_layers_get_the_work_of_a_larger_graph():
    dense = nx.DiGraph((source, 60 + target) for source in range(60) for target in range(60))
    nx.set_node_attributes(dense, {node: {"width": 190, "height": 34} for node in dense})
    graphs = [contract(graph, "right") for graph in (dense, chain(60))]
    wide, narrow = (into_layers(graph, latest_ranks(graph)) for graph in graphs)
    assert len(wide) < len(narrow)
    assert effort(wide, "full").perturbations < effort(narrow, "full").perturbations


def test_a_path_is_put_back_at_the_cheapest_positions_of_all():
    """The dummy vertices of one edge between two tangled lines: no single move helps, the whole path does."""
    layered = layers_of(3)
    orders = from_results(layered)
    search = Ordering(Adjacency(layered), orders)
    for path in dummy_chains(layered):
        Reinsertion(search).improve([path])
        best = search.crossings()
        for vertex in path:
            row = layered.layer[vertex]
            order = [other for other in search.orders[row] if other != vertex]
            for gap in range(len(order) + 1):
                tried = [*search.orders[:row], [*order[:gap], vertex, *order[gap:]], *search.orders[row + 1 :]]
                assert crossings_by_definition(layered, tried) >= best
