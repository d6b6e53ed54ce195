"""Placement: the y of every vertex in its layer, components side by side, and twins in the order of the graph.

The sum of ``weight * |dy|`` over all segments is minimised exactly (network simplex), segments between two dummy
vertices weighing most, so that long edges run straight; the height of the whole picture counts a little, so that it
does not become a staircase. In a large graph the dummy vertices of a long edge share one variable, unless two long
edges cross.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf, sqrt
from statistics import median
from typing import Any

import networkx as nx
import numpy as np

from engine.layout.blocks import multiplicity
from engine.layout.layering import Layered
from engine.layout.network_simplex import Arc, NetworkSimplex
from engine.layout.result import CancelCheck, ComponentLayout, Point

BOX_GAP = 18.0
DUMMY_GAP = 10.0
MIXED_GAP = 12.0
_SWEEPS = 4
_STRAIGHTNESS = (1, 2, 8)
_ANCHOR = 4.0
_SOFT = 1600

Bounds = tuple[float, float, float, float]
_PART_GAP = 54.0
_LEAST_GAP = 24.0
_EPS = 1e-6
_ASPECT = 1.6


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
    anchors = anchors or {}
    variable = _variables(layered, orders)
    distances = _distances(layered, orders, variable)
    arcs = [*_segments(layered, variable), *((u, v, length, -inf, 0.0) for (u, v), length in distances.items())]
    arcs += _frame(orders, variable, anchors)

    def cost(y: Sequence[float]) -> float:
        spare = ((y[v] - y[u] - length, low, high) for u, v, length, low, high in arcs)
        return sum(d * (high if d > 0 else low) for d, low, high in spare if d)

    starts = []
    for wanted in _starts(layered, orders, anchors):
        start = _feasible(wanted, variable, distances)
        starts.append([*start, min(start), max(start), *([0.0] if anchors else [])])  # top, bottom and ground
    problem = NetworkSimplex(arcs, min(starts, key=cost))
    problem.solve(max_pivots(max(variable) + 1), cancelled)
    y = [problem.y[variable[vertex]] for vertex in range(len(layered))]
    _centre_on_leaves(layered, orders, y)
    return y


def _centre_on_leaves(layered: Layered, orders: Sequence[Sequence[int]], y: list[float]) -> None:
    """Put every block that reads only leaves of its own in their middle: equal terms get equal shapes."""
    is_own_leaf = [
        not layered.is_dummy(vertex) and not layered.predecessors[vertex] and len(layered.successors[vertex]) == 1
        for vertex in range(len(layered))
    ]
    for order in orders:
        for index, vertex in enumerate(order):
            leaves = layered.predecessors[vertex]
            if len(leaves) < 2 or not all(is_own_leaf[leaf] for leaf in leaves):
                continue
            middle = sum(y[leaf] for leaf in leaves) / len(leaves)
            if index > 0:
                middle = max(middle, y[order[index - 1]] + separation(layered, order[index - 1], vertex))
            if index + 1 < len(order):
                middle = min(middle, y[order[index + 1]] - separation(layered, vertex, order[index + 1]))
            y[vertex] = middle


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
    under: list[list[tuple[int, float]]] = [[] for _ in range(size)]
    waiting = [0] * size
    for (upper, lower), distance in distances.items():
        under[upper].append((lower, distance))
        waiting[lower] += 1
    downwards = [which for which in range(size) if not waiting[which]]
    for which in downwards:
        for other, _ in under[which]:
            waiting[other] -= 1
            if not waiting[other]:
                downwards.append(other)
    below, above = list(mean), list(mean)
    for which in downwards:
        for other, distance in under[which]:
            below[other] = max(below[other], below[which] + distance)
    for which in reversed(downwards):
        for other, distance in under[which]:
            above[which] = min(above[which], above[other] - distance)
    return [(a + b) / 2 for a, b in zip(below, above, strict=True)]


def _starts(layered: Layered, orders: Sequence[Sequence[int]], anchors: Mapping[int, float]) -> Iterator[list[float]]:
    """Initial positions: every layer centred, and every layer after the medians of its neighbours.

    The second is better nearly always, but half a box higher at every step of a chain of sums.
    """
    gaps = []
    y = [0.0] * len(layered)
    for order in orders:
        gap = np.cumsum([0.0, *(separation(layered, upper, lower) for upper, lower in pairwise(order))])
        gaps.append(gap)
        for vertex, height in zip(order, gap + round(float(-gap[-1] / 2)), strict=True):
            y[vertex] = float(height)
    if not anchors:
        yield list(y)
    for sweep in range(_SWEEPS):
        sides, rows = (layered.predecessors, layered.successors), range(len(orders))
        if sweep % 2 == 1:
            sides, rows = sides[::-1], rows[::-1]
        for row in rows:
            wanted = []
            for vertex in orders[row]:
                heights = [y[neighbour] for neighbour in sides[0][vertex] or sides[1][vertex]]
                wanted.append(median(heights) if heights else y[vertex])
            _keep_distances(orders[row], gaps[row], wanted, y)
    if anchors:
        for order, gap in zip(orders, gaps, strict=True):
            _keep_distances(order, gap, [anchors.get(vertex, y[vertex]) for vertex in order], y)
    yield y


def _keep_distances(order: Sequence[int], gap: np.ndarray, wanted: Sequence[float], y: list[float]) -> None:
    """Half-way between pushing everything down and pushing everything up all distances are kept."""
    free = np.array(wanted) - gap
    low = np.maximum.accumulate(free)
    high = np.minimum.accumulate(free[::-1])[::-1]
    for vertex, height in zip(order, np.round((low + high) / 2) + gap, strict=True):
        y[vertex] = float(height)


def pack(parts: Sequence[ComponentLayout]) -> ComponentLayout:
    """Put drawings on shelves of about the same length, the broadest first; none overlaps another."""
    sizes = [(part.bounds[2] - part.bounds[0], part.bounds[3] - part.bounds[1]) for part in parts]
    area = sum((length + _PART_GAP) * (breadth + _PART_GAP) for length, breadth in sizes)
    limit = max([sqrt(area * _ASPECT), *(length for length, _ in sizes)], default=0.0)
    whole = ComponentLayout()
    x = y = shelf = 0.0
    for part in sorted(parts, key=lambda part: part.bounds[1] - part.bounds[3]):
        x0, y0, x1, y1 = part.bounds
        if x > 0 and x + x1 - x0 > limit:
            x, y, shelf = 0.0, y + shelf + _PART_GAP, 0.0
        _add(whole, part.moved(x - x0, y - y0))
        x += x1 - x0 + _PART_GAP
        shelf = max(shelf, y1 - y0)
    return whole


def pack_around(parts: Sequence[ComponentLayout], stay: Sequence[bool]) -> ComponentLayout:
    """Leave drawings where they are as far as they do not overlap, and put the others under them.

    Args:
        parts: the drawings.
        stay: which of them were in the previous drawing.
    """
    placed: list[ComponentLayout] = []
    for part, stays in zip(parts, stay, strict=True):
        if stays:
            placed.append(_clear_of(part, placed))
    whole = ComponentLayout()
    for part in placed:
        _add(whole, part)
    added = pack([part for part, stays in zip(parts, stay, strict=True) if not stays])
    if added.positions:
        x0, _, _, y1 = whole.bounds
        _add(whole, added.moved(x0 - added.bounds[0], y1 + _PART_GAP - added.bounds[1]))
    return whole


def _clear_of(part: ComponentLayout, others: Sequence[ComponentLayout]) -> ComponentLayout:
    """Move a drawing to the right or down, whichever is less, until it overlaps none of the others."""

    def overlaps(other: ComponentLayout) -> bool:
        """True when two rectangles are closer than parts may be."""
        a, b = part.bounds, other.bounds
        along = a[0] + _EPS < b[2] + _LEAST_GAP and b[0] + _EPS < a[2] + _LEAST_GAP
        return along and a[1] + _EPS < b[3] + _LEAST_GAP and b[1] + _EPS < a[3] + _LEAST_GAP

    while other := next((other for other in others if overlaps(other)), None):
        right = other.bounds[2] + _LEAST_GAP - part.bounds[0]
        down = other.bounds[3] + _LEAST_GAP - part.bounds[1]
        part = part.moved(right, 0.0) if right < down else part.moved(0.0, down)
    return part


def _add(whole: ComponentLayout, part: ComponentLayout) -> None:
    first = not whole.positions
    whole.positions.update(part.positions)
    whole.curves.update(part.curves)
    whole.crossings += part.crossings
    a, b = whole.bounds, part.bounds
    whole.bounds = b if first else (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def sort_twins(
    digraph: nx.DiGraph, drawing: ComponentLayout, direction: str, known: Mapping[Hashable, Point]
) -> ComponentLayout:
    """The drawing with interchangeable nodes of a column in the order of the graph.

    Args:
        digraph: the graph that is drawn.
        drawing: its drawing, x along the direction of reading and y across it.
        direction: "right" or "down".
        known: where nodes were that a reader knows where to find; they and their twins stay where they are.
    """
    classes: dict[Any, list[Hashable]] = {}
    for node in digraph:
        if digraph.degree(node):
            classes.setdefault(_likeness(digraph, drawing, direction, node), []).append(node)
    stands_at: dict[Hashable, Hashable] = {}
    for alike in classes.values():
        if len(alike) > 1 and not _is_known(alike, known):
            stands_at.update(zip(alike, sorted(alike, key=lambda node: drawing.positions[node][1]), strict=True))
    if not stands_at:
        return drawing
    positions = {
        node: (x, drawing.positions[stands_at.get(node, node)][1]) for node, (x, _) in drawing.positions.items()
    }
    curves = {(u, v): drawing.curves[stands_at.get(u, u), stands_at.get(v, v)] for u, v in drawing.curves}
    return replace(drawing, positions=positions, curves=curves)


def _is_known(alike: Sequence[Hashable], known: Mapping[Hashable, Point]) -> bool:
    """True when a reader can distinguish the two: not when all came out of one box."""
    positions = [known[node] for node in alike if node in known]
    return bool(positions) and (len(positions) < len(alike) or len(set(positions)) > 1)


def _likeness(digraph: nx.DiGraph, drawing: ComponentLayout, direction: str, node: Hashable) -> Any:
    """Equal for nodes that may change places; leaves may be of any length, for they all end where their column ends."""
    sizes = digraph.nodes[node]["width"], digraph.nodes[node]["height"]
    along, across = sizes if direction == "right" else sizes[::-1]
    before = frozenset((source, multiplicity(digraph, source, node)) for source in digraph.pred[node])
    after = frozenset((target, multiplicity(digraph, node, target)) for target in digraph.succ[node])
    end = round(drawing.positions[node][0] + along / 2, 3)
    return before, after, across, end, along if before else None
