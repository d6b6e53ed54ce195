"""The optimiser finds the optimum, and every state on the way is feasible."""

import random
from itertools import product
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import network_simplex
from engine.layout.network_simplex import NetworkSimplex


def cost(arcs, y):
    total = 0
    for u, v, length, low, high in arcs:
        stretch = y[v] - y[u] - length
        total += (high if stretch > 0 else low) * stretch if stretch else 0
    return total


def ranks_problem(seed, size=5):
    """Edges of a random acyclic graph that want to be short, and a feasible start."""
    rng = random.Random(seed)
    pairs = [(u, v) for u in range(size) for v in range(u + 1, size) if rng.random() < 0.5]
    return [(u, v, 1.0, -inf, float(rng.randint(1, 3))) for u, v in pairs], [float(u) for u in range(size)]


@pytest.mark.slow
@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_ranks_are_as_short_as_any(seed):
    arcs, start = ranks_problem(seed)
    problem = NetworkSimplex(arcs, start)
    problem.solve(1000)
    feasible = (y for y in product(range(5), repeat=5) if all(y[v] - y[u] >= 1 for u, v, *_ in arcs))
    assert problem.optimal
    assert cost(arcs, problem.y) == min(cost(arcs, y) for y in feasible)


@pytest.mark.slow
@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_straight_lines_are_as_straight_as_any(seed):
    rng = random.Random(seed)
    arcs = [(0, 1, 2.0, -inf, 0.0), (2, 3, 3.0, -inf, 0.0)]
    for u, v in product((0, 1), (2, 3)):
        weight = float(rng.randint(0, 4))
        arcs.append((u, v, 0.0, -weight, weight))
    problem = NetworkSimplex(arcs, [0.0, 5.0, 1.0, 9.0])
    problem.solve(1000)
    feasible = ((0, a, b, c) for a, b, c in product(range(-8, 9), repeat=3) if a >= 2 and c - b >= 3)
    assert cost(arcs, problem.y) == min(cost(arcs, y) for y in feasible)


@given(st.integers(0, 10**6), st.integers(0, 6))
@settings(max_examples=30, deadline=None)
def test_stopping_early_leaves_a_feasible_state(seed, pivots):
    arcs, start = ranks_problem(seed, size=8)
    problem = NetworkSimplex(arcs, start)
    problem.solve(pivots)
    assert all(problem.y[v] - problem.y[u] >= 1 for u, v, *_ in arcs)
    assert cost(arcs, problem.y) <= cost(arcs, start)


def test_a_dense_problem_stops_after_so_many_breakpoints_in_a_feasible_state(monkeypatch):
    arcs, start = ranks_problem(3, size=8)
    monkeypatch.setattr(network_simplex, "MAX_BREAKPOINTS", 1)
    problem = NetworkSimplex(arcs, start)
    problem.solve(1000)
    assert not problem.optimal
    assert all(problem.y[v] - problem.y[u] >= 1 for u, v, *_ in arcs)
    assert cost(arcs, problem.y) <= cost(arcs, start)
