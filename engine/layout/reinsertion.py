"""Exact re-insertion of whole paths: local search that moves many layers at once.

A path (the dummy vertices of a long edge, or a run of vertices with one consumer each) is taken out and put back at the
cheapest positions in all its layers together. What a segment costs between two gaps follows from two-dimensional prefix
sums of the adjacency, and the cheapest sequence of gaps from a dynamic programme over the layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from engine.layout.layering import Layered
from engine.layout.ordering import Indices, Matrix, Ordering, Vector
from engine.layout.result import CancelCheck, raise_if_cancelled

MAX_CELLS = 20_000_000
MAX_CELLS_PER_BLOCK = 2_000_000


def dummy_chains(layered: Layered) -> list[list[int]]:
    """The dummy vertices of every edge that has any."""
    return [chain[1:-1] for chain in layered.chains.values() if len(chain) > 2]


def runs(layered: Layered) -> list[list[int]]:
    """Runs of vertices with one consumer each, every vertex in the longest run through it."""
    length = [1] * len(layered)
    comes_from: list[int | None] = [None] * len(layered)
    for members in layered.members:
        for vertex in members:
            singles = [other for other in layered.predecessors[vertex] if len(layered.successors[other]) == 1]
            if singles:
                comes_from[vertex] = max(singles, key=length.__getitem__)
                length[vertex] += max(length[other] for other in singles)
    found = []
    taken = set(comes_from)
    for vertex in range(len(layered)):
        if vertex not in taken and length[vertex] > 1:
            found.append(_back(vertex, comes_from))
    return found


def _back(vertex: int | None, comes_from: Sequence[int | None]) -> list[int]:
    run = []
    while vertex is not None:
        run.append(vertex)
        vertex = comes_from[vertex]
    return run[::-1]


class Reinsertion:
    """Takes paths out of an order and puts them back at their cheapest positions.

    Costs are counted twice and up to a constant for every path: only their differences matter. What a path's own
    segments cross does not count; ``sign`` vectors, +1 beyond a position and -1 before it, take that off.

    The work is limited by the cells of the matrices that are looked at, far above what computations need: in a dense
    graph, where nearly everything crosses, every path goes through wide layers again and again.
    """

    def __init__(self, ordering: Ordering):
        self._ordering = ordering
        self._layered = ordering.adjacency.layered
        self._widest = max((len(order) for order in ordering.orders), default=0)
        self._step_up = np.where(np.arange(2 * self._widest + 1) < self._widest, np.float32(-1), np.float32(1))
        self._cells_left = MAX_CELLS + MAX_CELLS_PER_BLOCK * len(self._layered.graph)

    def improve(self, paths: Iterable[Sequence[int]], cancelled: CancelCheck | None = None) -> set[int]:
        """Re-insert every path once.

        Returns:
            the layers that changed.
        """
        changed: set[int] = set()
        for count, path in enumerate(paths):
            if count % 64 == 0:
                raise_if_cancelled(cancelled)
            if self._cells_left > 0 and self._is_crossed(path) and self._reinsert(path):
                changed.update(self._layered.layer[vertex] for vertex in path)
        return changed

    def _is_crossed(self, path: Sequence[int]) -> bool:
        """True when another segment crosses a segment into or out of the path."""
        position, row = self._ordering.position, self._layered.layer[path[0]]
        for vertex in path:
            at = position[vertex]
            for other in self._layered.predecessors[vertex]:
                if self._ordering.between(row - 1).crossed[position[other], at]:
                    return True
            row += 1
        return any(
            self._ordering.between(row - 1).crossed[position[path[-1]], position[other]]
            for other in self._layered.successors[path[-1]]
        )

    def _reinsert(self, path: Sequence[int]) -> bool:
        """Put one path at its cheapest positions; return whether that saved crossings."""
        layered, position = self._layered, self._ordering.position
        cost, now, choices = self._along(path)
        last = path[-1]
        for other in layered.successors[last]:
            leaving = self._ordering.between(layered.layer[last]).gaps().to_position[:, position[other]]
            cost = cost + leaving
            now += leaving.item(position[last])
        gap = int(cost.argmin())
        if cost.item(gap) >= now:
            return False
        self._apply(path, choices, gap)
        return True

    def _along(self, path: Sequence[int]) -> tuple[Vector, float, list[Indices]]:
        """The dynamic programme over the layers of a path.

        Returns:
            for every gap of the last layer the least cost up to there, the cost of the path as it is, and for every
            layer but the first the best gap of the layer before.
        """
        position = self._ordering.position
        cost, now = self._into(path[0], None)
        choices = []
        for here, there in pairwise(path):
            segment = self._segment(here, there)
            self._cells_left -= segment.size
            now += segment.item(position[here], position[there])
            segment += cost[:, None]
            choices.append(segment.argmin(axis=0))
            cost = segment.min(axis=0)
            if len(self._layered.predecessors[there]) > 1:
                extra, more = self._into(there, here)
                now += more
                cost += extra
        return cost, now, choices

    def _into(self, vertex: int, path: int | None) -> tuple[Vector, float]:
        """Cost of the segments into a path vertex at every gap of its layer, and at present.

        Args:
            vertex: the vertex.
            path: the vertex before it in the path, whose segment is not counted; None for the first.
        """
        layered, position = self._layered, self._ordering.position
        total = np.zeros(len(self._ordering.orders[layered.layer[vertex]]) + 1, dtype=np.float32)
        turned = 0
        for other in layered.predecessors[vertex]:
            if other == path:
                continue
            total += self._ordering.between(layered.layer[other]).gaps().from_position[position[other]]
            if path is not None:
                turned += 1 if position[other] > position[path] else -1
        if turned:
            total += turned * self._signs(vertex)
        return total, total.item(position[vertex])

    def _segment(self, here: int, there: int) -> Matrix:
        """Cost of the segment between two path vertices from any gap to any gap, without segments into the second."""
        sign = self._signs(here)
        for other in self._layered.predecessors[there]:
            if other != here:
                sign = sign + self._signs(other)
        segment: Matrix = sign[:, None] * self._signs(there)
        segment += self._ordering.between(self._layered.layer[here]).gaps().cost
        return segment

    def _apply(self, path: Sequence[int], choices: Sequence[Indices], gap: int) -> None:
        ordering = self._ordering
        gaps = [gap]
        for choice in reversed(choices):
            gap = int(choice[gap])
            gaps.append(gap)
        for vertex, target in zip(path, reversed(gaps), strict=True):
            row, here = self._layered.layer[vertex], ordering.position[vertex]
            if target not in (here, here + 1):
                order = list(ordering.orders[row])
                order.pop(here)
                order.insert(target - (target > here), vertex)
                ordering.put(row, order)

    def _signs(self, vertex: int) -> Vector:
        """-1 at the gaps before a vertex, +1 at those behind: a piece of one array, whatever the layer."""
        first = self._widest - 1 - self._ordering.position[vertex]
        return self._step_up[first : first + len(self._ordering.orders[self._layered.layer[vertex]]) + 1]
