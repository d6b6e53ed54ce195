"""Coordinate assignment: the y of every vertex in its layer, once the order is known.

The sum of ``weight * |dy|`` over all segments is minimised exactly (network simplex), segments between two dummy
vertices weighing most, so that long edges run straight; the height of the whole picture counts a little, so that it
does not become a staircase. Many drawings share that minimum; `balance` then picks the most even one.

In a large graph the dummy vertices of a long edge share one variable, unless two long edges cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

import numpy as np

from engine.layout.balance import balanced
from engine.layout.layering import Layered
from engine.layout.network_simplex import Arc, NetworkSimplex
from engine.layout.result import CancelCheck

BOX_GAP = 18.0
DUMMY_GAP = 10.0
MIXED_GAP = 12.0
_SWEEPS = 4
_STRAIGHTNESS = (1, 2, 8)
_ANCHOR = 4.0
_SOFT = 1600


def separation(layered: Layered, upper: int, lower: int) -> float:
    """The least distance in pixels between the centres of two neighbours in a layer."""
    dummies = layered.is_dummy(upper) + layered.is_dummy(lower)
    gap = (BOX_GAP, MIXED_GAP, DUMMY_GAP)[dummies]
    return (layered.across(upper) + layered.across(lower)) / 2 + gap


def coordinates(
    layered: Layered,
    orders: Sequence[Sequence[int]],
    anchors: Mapping[int, float] | None = None,
    cancelled: CancelCheck | None = None,
) -> list[float]:
    """The y of every vertex, in pixels.

    Args:
        layered: the graph in layers.
        orders: the vertices of every layer from top to bottom.
        anchors: where some vertices stood before; they are pulled there weakly.
        cancelled: polled on the way.
    """
    variable = _variables(layered, orders)
    distances = _distances(layered, orders, variable)
    arcs = [*_segments(layered, variable), *((u, v, length, -inf, 0.0) for (u, v), length in distances.items())]
    arcs += _frame(orders, variable, anchors or {})
    starts = (_feasible(wanted, variable, distances) for wanted in _starts(layered, orders, anchors or {}))
    start = min((_framed(start, anchors or {}) for start in starts), key=lambda y: _cost(arcs, y))
    problem = NetworkSimplex(arcs, start)
    size = max(variable) + 1
    problem.solve(max_pivots(size), cancelled)
    y = problem.y
    if not anchors and problem.optimal and size <= _SOFT:
        y = balanced(problem, size)
    of_vertex = [y[variable[vertex]] for vertex in range(len(layered))]
    for order in orders:
        _centre_on_leaves(layered, order, of_vertex)
    return of_vertex


def _centre_on_leaves(layered: Layered, order: Sequence[int], y: list[float]) -> None:
    """Put every block that reads only leaves of its own in their middle: equal terms get equal shapes."""
    for index, vertex in enumerate(order):
        leaves = layered.predecessors[vertex]
        if len(leaves) < 2 or not all(_is_own_leaf(layered, leaf) for leaf in leaves):
            continue
        middle = sum(y[leaf] for leaf in leaves) / len(leaves)
        if index > 0:
            middle = max(middle, y[order[index - 1]] + separation(layered, order[index - 1], vertex))
        if index + 1 < len(order):
            lowest = y[order[index + 1]] - separation(layered, vertex, order[index + 1])
            middle = min(middle, lowest)
        y[vertex] = middle


def _is_own_leaf(layered: Layered, vertex: int) -> bool:
    return not layered.is_dummy(vertex) and not layered.predecessors[vertex] and len(layered.successors[vertex]) == 1


def max_pivots(size: int) -> int:
    """Maximum number of pivots for so many variables; the graphs of tests and benchmark need 1.2 for each."""
    return 6 * size if size <= 6000 else 12000


def _variables(layered: Layered, orders: Sequence[Sequence[int]]) -> list[int]:
    """The variable of every vertex; vertices that share one share their y."""
    if len(layered) <= _SOFT:
        return list(range(len(layered)))
    variable = [-1] * len(layered)
    count = 0
    crossed = _crossed_inner_segments(layered, orders)
    for vertex in range(len(layered)):
        before = layered.predecessors[vertex][0] if layered.is_dummy(vertex) else -1
        if before >= 0 and layered.is_dummy(before) and (before, vertex) not in crossed:
            variable[vertex] = variable[before]
        else:
            variable[vertex] = count
            count += 1
    return variable


def _crossed_inner_segments(layered: Layered, orders: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """The segments between dummy vertices that cross another such segment: these cannot both be level."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(orders):
        position = {vertex: index for index, vertex in enumerate(lower)}
        from_dummies = [(vertex, layered.successors[vertex][0]) for vertex in upper if layered.is_dummy(vertex)]
        inner = [(here, there) for here, there in from_dummies if layered.is_dummy(there)]
        ends = [position[there] for _, there in inner]
        for scan, worse in ((range(len(inner)), max), (range(len(inner) - 1, -1, -1), min)):
            extreme: int | None = None
            for index in scan:
                if extreme is not None and worse(extreme, ends[index]) != ends[index]:
                    found.add(inner[index])
                extreme = ends[index] if extreme is None else worse(extreme, ends[index])
    return found


def _distances(
    layered: Layered, orders: Sequence[Sequence[int]], variable: Sequence[int]
) -> dict[tuple[int, int], float]:
    """The least distance between variables that are neighbours in some layer."""
    found: dict[tuple[int, int], float] = {}
    for order in orders:
        for upper, lower in pairwise(order):
            pair = variable[upper], variable[lower]
            found[pair] = max(found.get(pair, 0.0), separation(layered, upper, lower))
    return found


def _segments(layered: Layered, variable: Sequence[int]) -> list[Arc]:
    arcs: list[Arc] = []
    for (here, there), count in layered.weight.items():
        if variable[here] != variable[there]:
            weight = float(_STRAIGHTNESS[layered.is_dummy(here) + layered.is_dummy(there)] * count)
            arcs.append((variable[here], variable[there], 0.0, -weight, weight))
    return arcs


def _frame(orders: Sequence[Sequence[int]], variable: Sequence[int], anchors: Mapping[int, float]) -> list[Arc]:
    """The top and bottom of the picture, whose distance costs, and anchors to a fixed ground: the last variables."""
    top = max(variable) + 1
    bottom, ground = top + 1, top + 2
    arcs: list[Arc] = []
    for order in orders:
        arcs.append((top, variable[order[0]], 0.0, -inf, 0.0))
        arcs.append((variable[order[-1]], bottom, 0.0, -inf, 0.0))
    arcs.append((top, bottom, 0.0, -inf, min(64.0, len(variable) / 16)))
    for vertex, height in anchors.items():
        arcs.append((ground, variable[vertex], height, -_ANCHOR, _ANCHOR))
    return arcs


def _framed(start: Sequence[float], anchors: Mapping[int, float]) -> list[float]:
    """An assignment with the values of the top, the bottom and, for anchors, the ground."""
    return [*start, min(start), max(start), *([0.0] if anchors else [])]


def _cost(arcs: Sequence[Arc], y: Sequence[float]) -> float:
    """Cost of a feasible assignment."""
    spare = ((y[v] - y[u] - length, low, high) for u, v, length, low, high in arcs)
    return sum(d * (high if d > 0 else low) for d, low, high in spare if d)


def _feasible(
    wanted: Sequence[float], variable: Sequence[int], distances: Mapping[tuple[int, int], float]
) -> list[float]:
    """Values of the variables near the wanted y of their vertices, with all distances kept."""
    size = max(variable) + 1
    if size == len(variable):
        return list(wanted)
    total, count = [0.0] * size, [0] * size
    for vertex, which in enumerate(variable):
        total[which] += wanted[vertex]
        count[which] += 1
    mean = [float(round(a / b)) for a, b in zip(total, count, strict=True)]
    order = _downwards(size, distances)
    below, above = list(mean), list(mean)
    for which, under in order:
        for other, distance in under:
            below[other] = max(below[other], below[which] + distance)
    for which, under in reversed(order):
        for other, distance in under:
            above[which] = min(above[which], above[other] - distance)
    return [(a + b) / 2 for a, b in zip(below, above, strict=True)]


def _downwards(size: int, distances: Mapping[tuple[int, int], float]) -> list[tuple[int, list[tuple[int, float]]]]:
    """The variables from top to bottom, each with those directly under it."""
    under: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    waiting = [0] * size
    for (upper, lower), distance in distances.items():
        under[upper].append((lower, distance))
        waiting[lower] += 1
    ready = [which for which in range(size) if not waiting[which]]
    for which in ready:
        for other, _ in under[which]:
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return [(which, under[which]) for which in ready]


def _starts(layered: Layered, orders: Sequence[Sequence[int]], anchors: Mapping[int, float]) -> Iterator[list[float]]:
    """Initial positions: every layer centred, and every layer after the medians of its neighbours.

    The second is better nearly always, but half a box higher at every step of a chain of sums.
    """
    gaps = [_offsets(layered, order) for order in orders]
    y = [0.0] * len(layered)
    for order, gap in zip(orders, gaps, strict=True):
        for vertex, height in zip(order, gap + round(float(-gap[-1] / 2)), strict=True):
            y[vertex] = float(height)
    if not anchors:
        yield list(y)
    _sweep(layered, orders, gaps, y)
    if anchors:
        for order, gap in zip(orders, gaps, strict=True):
            _keep_distances(order, gap, [anchors.get(vertex, y[vertex]) for vertex in order], y)
    yield y


def _sweep(layered: Layered, orders: Sequence[Sequence[int]], gaps: Sequence[np.ndarray], y: list[float]) -> None:
    """Let every layer follow the medians of its neighbours, forth and back a few times."""
    for sweep in range(_SWEEPS):
        sides, rows = (layered.predecessors, layered.successors), range(len(orders))
        if sweep % 2 == 1:
            sides, rows = sides[::-1], rows[::-1]
        for row in rows:
            _follow(orders[row], gaps[row], sides, y)


def _offsets(layered: Layered, order: Sequence[int]) -> np.ndarray:
    """Offsets of a layer's vertices when packed from 0 on."""
    steps = [separation(layered, upper, lower) for upper, lower in pairwise(order)]
    return np.cumsum([0.0, *steps])


def _follow(
    order: Sequence[int], gap: np.ndarray, sides: tuple[list[list[int]], list[list[int]]], y: list[float]
) -> None:
    """Move one layer to the medians of its neighbours, as near as the distances allow."""
    _keep_distances(order, gap, [_median(sides[0][vertex] or sides[1][vertex], y, y[vertex]) for vertex in order], y)


def _keep_distances(order: Sequence[int], gap: np.ndarray, wanted: Sequence[float], y: list[float]) -> None:
    """Half-way between pushing everything down and pushing everything up all distances are kept."""
    free = np.array(wanted) - gap
    low = np.maximum.accumulate(free)
    high = np.minimum.accumulate(free[::-1])[::-1]
    for vertex, height in zip(order, np.round((low + high) / 2) + gap, strict=True):
        y[vertex] = float(height)


def _median(neighbours: Sequence[int], y: Sequence[float], otherwise: float) -> float:
    if not neighbours:
        return otherwise
    heights = sorted(y[neighbour] for neighbour in neighbours)
    middle = len(heights) // 2
    return heights[middle] if len(heights) % 2 else (heights[middle - 1] + heights[middle]) / 2
