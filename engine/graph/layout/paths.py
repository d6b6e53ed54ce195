"""Exact re-insertion of whole paths: local search that moves many layers at once.

A path (the bends of a long edge, or a run of vertices with one consumer each) is taken out and put back at the cheapest
place in all its layers together. What a step costs between two gaps follows from two-dimensional prefix sums of the
adjacency, and the cheapest sequence of gaps from a dynamic programme over the layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.graph.layout.insertion import Matrix, Orders, Steps
from engine.graph.layout.layers import Layered
from engine.graph.layout.placed import Poll, check

Vector = NDArray[np.float32]


def bend_paths(layered: Layered) -> list[list[int]]:
    """The bends of every edge that has any."""
    return [chain[1:-1] for chain in layered.chains.values() if len(chain) > 2]


def runs(layered: Layered) -> list[list[int]]:
    """Runs of vertices with one consumer each, every vertex in the longest run through it."""
    length = [1] * len(layered)
    comes_from: list[int | None] = [None] * len(layered)
    for members in layered.members:
        for vertex in members:
            singles = [other for other in layered.before[vertex] if len(layered.after[other]) == 1]
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
    """One order under improvement.

    Attributes:
        orders: the vertices of every layer, top to bottom; change them with `put`.
    """

    def __init__(self, steps: Steps, orders: Orders):
        self._steps = steps
        self._layered = steps.layered
        self.orders: Orders = [[] for _ in orders]
        self._place = [0] * len(self._layered)
        self._sums: list[Matrix | None] = [None] * len(orders)
        self._costs: list[Matrix | None] = [None] * len(orders)
        self._crossings: list[int | None] = [None] * len(orders)
        for row, order in enumerate(orders):
            self.put(row, order)

    def put(self, row: int, order: Sequence[int]) -> None:
        """Give a layer another order."""
        self.orders[row] = list(order)
        for index, vertex in enumerate(order):
            self._place[vertex] = index
        self._forget(row)

    def crossings(self) -> int:
        """How many parallel edges cross in all; a pair of steps counts the product of their weights."""
        return sum(self._row_crossings(row) for row in range(len(self.orders) - 1))

    def improve(self, paths: Iterable[Sequence[int]], cancelled: Poll | None = None) -> set[int]:
        """Re-insert every path once.

        Returns:
            the layers that changed.
        """
        changed: set[int] = set()
        for count, path in enumerate(paths):
            if count % 64 == 0:
                check(cancelled)
            if self._reinsert(path) > 0:
                changed.update(self._layered.layer[vertex] for vertex in path)
        return changed

    def _forget(self, row: int) -> None:
        for stale in (row - 1, row):
            if stale >= 0:
                self._sums[stale] = self._costs[stale] = self._crossings[stale] = None

    def _row_crossings(self, row: int) -> int:
        found = self._crossings[row]
        if found is None:
            sums = self._prefix(row)
            later = sums[:-1, -1:] - sums[:-1, 1:]
            steps = sums[1:, 1:] - sums[:-1, 1:] - sums[1:, :-1] + sums[:-1, :-1]
            found = self._crossings[row] = round(float((steps * later).sum()))
        return found

    def _reinsert(self, path: Sequence[int]) -> int:
        """Put one path at its cheapest place; return the crossings saved."""
        if not self._crossed(path):
            return 0
        cost, now, choices = self._along(path)
        last = self._leaving(path[-1])
        now += float(last[self._place[path[-1]]])
        cost = cost + last
        gap = int(cost.argmin())
        saved = round(now - float(cost[gap]))
        if saved > 0:
            self._apply(path, choices, gap)
        return saved

    def _along(self, path: Sequence[int]) -> tuple[Vector, float, list[NDArray[np.intp]]]:
        """The dynamic programme over the layers of a path.

        Returns:
            for every gap of the last layer the least cost up to there, the cost of the path as it is, and for every
            layer but the first the best gap of the layer before.
        """
        place, before = self._place, self._layered.before
        cost = self._entering(path[0], before[path[0]])
        now = float(cost[place[path[0]]])
        choices = []
        for here, there in pairwise(path):
            step = self._step(here, there)
            now += float(step[place[here], place[there]])
            step += cost[:, None]
            choices.append(step.argmin(axis=0))
            cost = step.min(axis=0)
            if len(before[there]) > 1:
                extra = self._entering(there, [other for other in before[there] if other != here])
                now += float(extra[place[there]])
                cost += extra
        return cost, now, choices

    def _crossed(self, path: Sequence[int]) -> bool:
        """Whether anything crosses a step into or out of the path."""
        for vertex in path:
            for other in self._layered.before[vertex]:
                if self._is_crossed(other, vertex):
                    return True
        return any(self._is_crossed(path[-1], other) for other in self._layered.after[path[-1]])

    def _is_crossed(self, here: int, there: int) -> bool:
        sums = self._prefix(self._layered.layer[here])
        p, q = self._place[here], self._place[there]
        return bool(sums[p, -1] > sums[p, q + 1] or sums[-1, q] > sums[p + 1, q])

    def _apply(self, path: Sequence[int], choices: Sequence[NDArray[np.intp]], gap: int) -> None:
        gaps = [gap]
        for choice in reversed(choices):
            gap = int(choice[gap])
            gaps.append(gap)
        for vertex, target in zip(path, reversed(gaps), strict=True):
            row = self._layered.layer[vertex]
            order, here = self.orders[row], self._place[vertex]
            if target in (here, here + 1):
                continue
            order.pop(here)
            order.insert(target - (target > here), vertex)
            for index in range(min(here, target - 1), min(len(order), max(here, target) + 1)):
                self._place[order[max(index, 0)]] = max(index, 0)
            self._forget(row)

    def _step(self, here: int, there: int) -> Matrix:
        """What the step between two path vertices costs from any gap to any gap, without the steps into the second."""
        layered, place = self._layered, self._place
        costs = self._gap_costs(layered.layer[here]).copy()
        end = place[there] + 1
        for other in layered.before[there]:
            start, weight = place[other] + 1, layered.weight[other, there]
            costs[start:, :end] -= weight
            costs[:start, end:] -= weight
        weight = layered.weight[here, there]
        return costs if weight == 1 else costs * np.float32(weight)

    def _entering(self, vertex: int, others: Sequence[int]) -> Vector:
        """What the steps from `others` into a path vertex cost at every gap of its layer."""
        row = self._layered.layer[vertex] - 1
        total = np.zeros(len(self.orders[row + 1]) + 1, dtype=np.float32)
        end = self._place[vertex] + 1
        incident = [(self._place[other], self._layered.weight[other, vertex]) for other in self._layered.before[vertex]]
        for other in others:
            start, weight = self._place[other], self._layered.weight[other, vertex]
            sums = self._prefix(row)
            cost = self._gap_costs(row)[start] - sums[start + 1]
            cost += sums[start]
            cost[:end] -= sum(w for p, w in incident if p < start)
            cost[end:] -= sum(w for p, w in incident if p > start)
            total += cost if weight == 1 else cost * np.float32(weight)
        return total

    def _leaving(self, vertex: int) -> Vector:
        """What the steps out of the last path vertex cost at every gap of its layer."""
        row = self._layered.layer[vertex]
        total = np.zeros(len(self.orders[row]) + 1, dtype=np.float32)
        start = self._place[vertex] + 1
        incident = [(self._place[other], self._layered.weight[vertex, other]) for other in self._layered.after[vertex]]
        for end, weight in incident:
            sums = self._prefix(row)
            cost = self._gap_costs(row)[:, end] - sums[:, end + 1]
            cost += sums[:, end]
            cost[:start] -= sum(w for q, w in incident if q < end)
            cost[start:] -= sum(w for q, w in incident if q > end)
            total += cost if weight == 1 else cost * np.float32(weight)
        return total

    def _prefix(self, row: int) -> Matrix:
        """``[a, b]``: the steps from the first a vertices of a layer to the first b of the next."""
        sums = self._sums[row]
        if sums is None:
            upper, lower = self.orders[row], self.orders[row + 1]
            local = self._steps.local
            link = self._steps.links[row][[local[vertex] for vertex in upper]][:, [local[vertex] for vertex in lower]]
            sums = np.zeros((len(upper) + 1, len(lower) + 1), dtype=np.float32)
            np.cumsum(link.cumsum(axis=0), axis=1, out=sums[1:, 1:])
            self._sums[row] = sums
        return sums

    def _gap_costs(self, row: int) -> Matrix:
        """``[a, b]``: what crosses a step from gap a of a layer to gap b of the next."""
        costs = self._costs[row]
        if costs is None:
            sums = self._prefix(row)
            costs = self._costs[row] = sums[:, -1:] + sums[-1:, :] - 2 * sums
        return costs
