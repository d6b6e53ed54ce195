"""How high every vertex stands in its layer, once the order is known.

The sum of ``weight * |dy|`` over all steps is minimised exactly (network simplex), steps between two bends weighing
most, so that long edges run straight; the height of the whole picture counts a little, so that it does not become a
staircase. Many drawings share that minimum; `balance` then picks the most even one.

In a large graph the bends of a long edge move as one, unless two long edges cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

import numpy as np

from engine.layout.balance import balanced
from engine.layout.layers import Layered
from engine.layout.placed import Poll
from engine.layout.simplex import Arc, Tension

BOX_GAP = 18.0
BEND_GAP = 10.0
MIXED_GAP = 12.0
_SWEEPS = 4
_STRAIGHTNESS = (1, 2, 8)
_ANCHOR = 4.0
_SOFT = 1600


def separation(layered: Layered, upper: int, lower: int) -> float:
    """The least distance in pixels between the centres of two neighbours in a layer."""
    bends = layered.is_bend(upper) + layered.is_bend(lower)
    gap = (BOX_GAP, MIXED_GAP, BEND_GAP)[bends]
    return (layered.across(upper) + layered.across(lower)) / 2 + gap


def coordinates(
    layered: Layered,
    orders: Sequence[Sequence[int]],
    anchors: Mapping[int, float] | None = None,
    cancelled: Poll | None = None,
) -> list[float]:
    """The height of every vertex, in pixels.

    Args:
        layered: the graph in layers.
        orders: the vertices of every layer from top to bottom.
        anchors: where some vertices stood before; they are pulled there weakly.
        cancelled: polled on the way.
    """
    body = _bodies(layered, orders)
    distances = _distances(layered, orders, body)
    arcs = [*_steps(layered, body), *((u, v, length, -inf, 0.0) for (u, v), length in distances.items())]
    arcs += _frame(orders, body, anchors or {})
    starts = (_feasible(wanted, body, distances) for wanted in _starts(layered, orders, anchors or {}))
    problem = Tension(arcs, min((_framed(start, anchors or {}) for start in starts), key=lambda y: _cost(arcs, y)))
    size = max(body) + 1
    problem.solve(_pivots(size), cancelled)
    y = problem.y
    if not anchors and problem.optimal and size <= _SOFT:
        y = balanced(problem, size)
    heights = [y[body[vertex]] for vertex in range(len(layered))]
    for order in orders:
        _seat(layered, order, heights)
    return heights


def _seat(layered: Layered, order: Sequence[int], y: list[float]) -> None:
    """Put every block that reads only leaves of its own in their middle: equal terms get equal shapes."""
    for index, vertex in enumerate(order):
        leaves = layered.before[vertex]
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
    return not layered.is_bend(vertex) and not layered.before[vertex] and len(layered.after[vertex]) == 1


def _pivots(size: int) -> int:
    return 6 * size if size <= 6000 else 12000


def _bodies(layered: Layered, orders: Sequence[Sequence[int]]) -> list[int]:
    """The number of the body every vertex belongs to; the vertices of a body stand at one height."""
    if len(layered) <= _SOFT:
        return list(range(len(layered)))
    body = [-1] * len(layered)
    count = 0
    crossed = _crossed_inner_steps(layered, orders)
    for vertex in range(len(layered)):
        before = layered.before[vertex][0] if layered.is_bend(vertex) else -1
        if before >= 0 and layered.is_bend(before) and (before, vertex) not in crossed:
            body[vertex] = body[before]
        else:
            body[vertex] = count
            count += 1
    return body


def _crossed_inner_steps(layered: Layered, orders: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """The steps between bends that cross another such step: these cannot both be level."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(orders):
        place = {vertex: index for index, vertex in enumerate(lower)}
        inner = [(v, layered.after[v][0]) for v in upper if layered.is_bend(v) and layered.is_bend(layered.after[v][0])]
        ends = [place[there] for _, there in inner]
        for scan, worse in ((range(len(inner)), max), (range(len(inner) - 1, -1, -1), min)):
            extreme: int | None = None
            for index in scan:
                if extreme is not None and worse(extreme, ends[index]) != ends[index]:
                    found.add(inner[index])
                extreme = ends[index] if extreme is None else worse(extreme, ends[index])
    return found


def _distances(layered: Layered, orders: Sequence[Sequence[int]], body: Sequence[int]) -> dict[tuple[int, int], float]:
    """The least distance between bodies that are neighbours in some layer."""
    found: dict[tuple[int, int], float] = {}
    for order in orders:
        for upper, lower in pairwise(order):
            pair = body[upper], body[lower]
            found[pair] = max(found.get(pair, 0.0), separation(layered, upper, lower))
    return found


def _steps(layered: Layered, body: Sequence[int]) -> list[Arc]:
    arcs: list[Arc] = []
    for (here, there), count in layered.weight.items():
        if body[here] != body[there]:
            weight = float(_STRAIGHTNESS[layered.is_bend(here) + layered.is_bend(there)] * count)
            arcs.append((body[here], body[there], 0.0, -weight, weight))
    return arcs


def _frame(orders: Sequence[Sequence[int]], body: Sequence[int], anchors: Mapping[int, float]) -> list[Arc]:
    """The top and bottom of the picture, whose distance costs, and anchors to a fixed ground: the last three bodies."""
    top = max(body) + 1
    bottom, ground = top + 1, top + 2
    arcs: list[Arc] = []
    for order in orders:
        arcs.append((top, body[order[0]], 0.0, -inf, 0.0))
        arcs.append((body[order[-1]], bottom, 0.0, -inf, 0.0))
    arcs.append((top, bottom, 0.0, -inf, min(64.0, len(body) / 16)))
    for vertex, height in anchors.items():
        arcs.append((ground, body[vertex], height, -_ANCHOR, _ANCHOR))
    return arcs


def _framed(start: Sequence[float], anchors: Mapping[int, float]) -> list[float]:
    """Heights with those of the top, the bottom and, for anchors, the ground."""
    return [*start, min(start), max(start), *([0.0] if anchors else [])]


def _cost(arcs: Sequence[Arc], y: Sequence[float]) -> float:
    """What feasible heights cost."""
    spare = ((y[v] - y[u] - length, low, high) for u, v, length, low, high in arcs)
    return sum(d * (high if d > 0 else low) for d, low, high in spare if d)


def _feasible(wanted: Sequence[float], body: Sequence[int], distances: Mapping[tuple[int, int], float]) -> list[float]:
    """Heights of bodies near the wanted heights of their vertices, with all distances kept."""
    size = max(body) + 1
    if size == len(body):
        return list(wanted)
    total, count = [0.0] * size, [0] * size
    for vertex, which in enumerate(body):
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
    """The bodies from top to bottom, each with those directly under it."""
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
    """Heights to begin with: every layer centred, and every layer after the medians of its neighbours.

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
            _settle(order, gap, [anchors.get(vertex, y[vertex]) for vertex in order], y)
    yield y


def _sweep(layered: Layered, orders: Sequence[Sequence[int]], gaps: Sequence[np.ndarray], y: list[float]) -> None:
    """Let every layer follow the medians of its neighbours, forth and back a few times."""
    for sweep in range(_SWEEPS):
        sides = (layered.before, layered.after) if sweep % 2 == 0 else (layered.after, layered.before)
        rows = range(len(orders)) if sweep % 2 == 0 else reversed(range(len(orders)))
        for row in rows:
            _follow(orders[row], gaps[row], sides, y)


def _offsets(layered: Layered, order: Sequence[int]) -> np.ndarray:
    """Where the vertices of a layer stand when they are packed from 0 on."""
    steps = [separation(layered, upper, lower) for upper, lower in pairwise(order)]
    return np.cumsum([0.0, *steps])


def _follow(
    order: Sequence[int], gap: np.ndarray, sides: tuple[list[list[int]], list[list[int]]], y: list[float]
) -> None:
    """Move one layer to the medians of its neighbours, as near as the distances allow."""
    _settle(order, gap, [_median(sides[0][vertex] or sides[1][vertex], y, y[vertex]) for vertex in order], y)


def _settle(order: Sequence[int], gap: np.ndarray, wanted: Sequence[float], y: list[float]) -> None:
    """Between pushing everything down and pushing everything up lies a place for all that keeps the distances."""
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
