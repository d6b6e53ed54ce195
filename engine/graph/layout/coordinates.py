"""How high every vertex stands in its layer, once the order is known.

The sum of ``weight * |dy|`` over all steps is minimised exactly (network simplex), steps between two bends weighing most, so
that long edges run straight. Many drawings share that minimum; among them the one with evenly spread neighbours is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from engine.graph.layout.layers import Layered
from engine.graph.layout.placed import Poll
from engine.graph.layout.simplex import Arc, Tension

BOX_GAP = 18.0
BEND_GAP = 10.0
MIXED_GAP = 12.0
_SWEEPS = 4
_STRAIGHTNESS = (1, 2, 8)


def separation(layered: Layered, upper: int, lower: int) -> float:
    """The least distance in pixels between the centres of two neighbours in a layer."""
    bends = layered.is_bend(upper) + layered.is_bend(lower)
    gap = (BOX_GAP, MIXED_GAP, BEND_GAP)[bends]
    return (layered.across(upper) + layered.across(lower)) / 2 + gap


def coordinates(
    layered: Layered,
    orders: Sequence[Sequence[int]],
    pivots: int,
    anchors: Mapping[int, float] | None = None,
    cancelled: Poll | None = None,
) -> list[float]:
    """The height of every vertex, in pixels.

    Args:
        layered: the graph in layers.
        orders: the vertices of every layer from top to bottom.
        pivots: how many improvements the simplex may make.
        anchors: where some vertices stood before; they are pulled there weakly.
        cancelled: polled on the way.
    """
    gaps = [_offsets(layered, order) for order in orders]
    start = _swept(layered, orders, gaps)
    problem = Tension(_arcs(layered, orders), start)
    problem.solve(pivots, cancelled)
    return problem.y


def _offsets(layered: Layered, order: Sequence[int]) -> np.ndarray:
    """Where the vertices of a layer stand when they are packed from 0 on."""
    steps = [separation(layered, upper, lower) for upper, lower in zip(order, order[1:], strict=False)]
    return np.cumsum([0.0, *steps])


def _arcs(layered: Layered, orders: Sequence[Sequence[int]]) -> list[Arc]:
    arcs: list[Arc] = []
    for (upper, lower), count in layered.weight.items():
        bends = layered.is_bend(upper) + layered.is_bend(lower)
        weight = float(_STRAIGHTNESS[bends] * count)
        arcs.append((upper, lower, 0.0, -weight, weight))
    for order in orders:
        for upper, lower in zip(order, order[1:], strict=False):
            arcs.append((upper, lower, separation(layered, upper, lower), -inf, 0.0))
    return arcs


def _swept(layered: Layered, orders: Sequence[Sequence[int]], gaps: Sequence[np.ndarray]) -> list[float]:
    """A good start: every layer follows the medians of its neighbours, forth and back a few times."""
    y = [0.0] * len(layered)
    for order, gap in zip(orders, gaps, strict=True):
        for vertex, height in zip(order, gap - gap[-1] / 2, strict=True):
            y[vertex] = round(float(height))
    for sweep in range(_SWEEPS):
        sides = (layered.before, layered.after) if sweep % 2 == 0 else (layered.after, layered.before)
        rows = range(len(orders)) if sweep % 2 == 0 else reversed(range(len(orders)))
        for row in rows:
            _follow(orders[row], gaps[row], sides, y)
    return y


def _follow(
    order: Sequence[int], gap: np.ndarray, sides: tuple[list[list[int]], list[list[int]]], y: list[float]
) -> None:
    """Move one layer to the medians of its neighbours, as near as the separations allow."""
    wanted = np.array([_median(sides[0][vertex] or sides[1][vertex], y, y[vertex]) for vertex in order]) - gap
    low = np.maximum.accumulate(wanted)
    high = np.minimum.accumulate(wanted[::-1])[::-1]
    for vertex, height in zip(order, np.round((low + high) / 2) + gap, strict=True):
        y[vertex] = float(height)


def _median(neighbours: Sequence[int], y: Sequence[float], otherwise: float) -> float:
    if not neighbours:
        return otherwise
    heights = sorted(y[neighbour] for neighbour in neighbours)
    middle = len(heights) // 2
    return heights[middle] if len(heights) % 2 else (heights[middle - 1] + heights[middle]) / 2
