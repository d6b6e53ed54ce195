"""Local search over the order of one layer at a time, for many orders at once.

With the neighbouring layers fixed, a layer is a linear ordering problem: ``C[i, j]`` is how often the segments of i
cross those of j when i stands before j, read off the prefix sums of the adjacency. A vertex is taken out and put back
where that saves most; the savings of all positions are one cumulative sum. Numpy's cost lies in its calls, not in the
numbers, so thirty different orders are searched together in the time of two or three.

All numbers are small integers held exactly in floats: the result does not depend on the machine's arithmetic. Large
layers make no matrix product, because the threads of a BLAS stall when the machine is busy with a training run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

import numpy as np

from engine.layout.ordering import Adjacency, Indices, Matrix, Ordering, Orders, SideAdjacency
from engine.layout.result import CancelCheck, raise_if_cancelled

_REPEATS = 30
LARGEST_PRODUCT = 60_000
"""Multiplications up to which a matrix product is made: a BLAS takes up its threads only for far larger ones."""


def dense(others: int, size: int) -> bool:
    """True when two layers are so small that a matrix product is fastest."""
    return others * size * size <= LARGEST_PRODUCT


class OrderSet:
    """Several orders of the same layers, improved together.

    Attributes:
        local_orders: for every layer an array (n_orders, n_vertices) of local numbers, top to bottom.
    """

    def __init__(self, adjacency: Adjacency, starts: Sequence[Orders]):
        self._matrices = adjacency.matrices
        self._sides = adjacency.sides
        self._members = adjacency.layered.members
        self.local_orders: list[Indices] = [
            np.array([[adjacency.local[vertex] for vertex in start[row]] for start in starts])
            for row in range(len(self._members))
        ]

    def orders(self, which: int) -> Orders:
        """One of the orders, as vertices."""
        return [
            [members[local] for local in local_orders[which].tolist()]
            for members, local_orders in zip(self._members, self.local_orders, strict=True)
        ]

    def crossings(self) -> list[int]:
        """Number of pairs of segments that cross in each of the orders."""
        total = np.zeros(len(self.local_orders[0]))
        for matrix, upper, lower in zip(self._matrices, self.local_orders, self.local_orders[1:], strict=False):
            placed = matrix[upper[:, :, None], lower[:, None, :]]
            later = placed.sum(axis=1, keepdims=True) - placed.cumsum(axis=1)
            total += ((later.cumsum(axis=2) - later) * placed).sum(axis=(1, 2))
        return [round(crossings) for crossings in total.tolist()]

    def improve(self, rounds: int, rows: Iterable[int] | None = None, cancelled: CancelCheck | None = None) -> set[int]:
        """Sweep over the layers, forth and back, until nothing changes or for so many rounds.

        Args:
            rounds: how many sweeps at most.
            rows: the layers to begin with; all when None. Others follow when a neighbour of theirs changed.
            cancelled: polled on the way.

        Returns:
            the layers that changed.
        """
        size = len(self.local_orders)
        return _sweep(self._improve_row, size, range(size) if rows is None else rows, rounds, cancelled)

    def _improve_row(self, row: int) -> bool:
        size = self.local_orders[row].shape[1]
        if size < 2:
            return False
        cost = self._cost(row)
        saving = cost - cost.transpose(0, 2, 1)
        changed = False
        for _ in range(_REPEATS):
            moving = self._movable(saving, self.local_orders[row])
            if not moving:
                break
            changed = True
            for vertex in moving:
                self._move(row, saving, vertex)
        return changed

    def _cost(self, row: int) -> Matrix:
        """``C`` of a layer for every order, shape (n_orders, n_vertices, n_vertices)."""
        orders, size = self.local_orders[row].shape
        cost = np.zeros((orders, size, size), dtype=np.float32)
        for beside, side in self._sides[row]:
            if len(side.owners):
                self._add_cost(cost, self.local_orders[beside], side)
        return cost

    @staticmethod
    def _add_cost(cost: Matrix, local_orders: Indices, side: SideAdjacency) -> None:
        """Add what the segments to one side cost; few segments in a large layer are looked up one by one."""
        placed = side.dense[local_orders]
        earlier = placed.cumsum(axis=1)
        earlier -= placed
        if dense(*placed.shape[1:]):
            cost += placed.transpose(0, 2, 1) @ earlier
            return
        which = np.arange(len(local_orders))[:, None]
        position = np.empty_like(local_orders)
        position[which, local_orders] = np.arange(local_orders.shape[1])
        crossed = earlier[which, position[:, side.others]]
        if len(side.owners) < len(side.others):
            crossed = np.add.reduceat(crossed, side.first, axis=1)
        cost[:, side.owners] += crossed

    @staticmethod
    def _movable(saving: Matrix, local_orders: Indices) -> list[int]:
        """The vertices that gain by a move in at least one order."""
        orders, size = local_orders.shape
        rows = np.arange(orders)[:, None]
        ahead = saving[rows[:, :, None], local_orders[:, :, None], local_orders[:, None, :]]
        sums = ahead.cumsum(axis=2)
        now = sums.reshape(orders, -1)[:, :: size + 1]
        which, position = ((sums.max(axis=2) > now) | (now < 0)).nonzero()
        return sorted(set(local_orders[which, position].tolist()))

    def _move(self, row: int, saving: Matrix, vertex: int) -> None:
        """Put one vertex at its best position, in every order in which that saves crossings."""
        local_orders = self.local_orders[row]
        which = np.arange(len(local_orders))
        sums = saving[which[:, None], vertex, local_orders].cumsum(axis=1)
        here = (local_orders == vertex).argmax(axis=1)
        top = sums.max(axis=1)
        for order in (np.maximum(top, 0) > sums[which, here]).nonzero()[0].tolist():
            best = int(sums[order].argmax()) if top[order] >= 0 else -1
            line = local_orders[order].tolist()
            line.remove(vertex)
            line.insert(best + (best < here[order]), vertex)
            local_orders[order] = line


def insert(ordering: Ordering, rows: Iterable[int], rounds: int, cancelled: CancelCheck | None = None) -> set[int]:
    """Improve a single order as `OrderSet.improve` does, beginning with some layers.

    Returns:
        the layers that changed.
    """
    return _sweep(lambda row: _insert_row(ordering, row), len(ordering.orders), rows, rounds, cancelled)


def _sweep(
    improve_row: Callable[[int], bool], size: int, rows: Iterable[int], rounds: int, cancelled: CancelCheck | None
) -> set[int]:
    """Improve layer after layer, forth and back; the neighbours of one that changed are looked at again."""
    stale, changed = set(rows), set[int]()
    for sweep in range(rounds):
        for row in sorted(stale, reverse=sweep % 2 == 1):
            raise_if_cancelled(cancelled)
            stale.discard(row)
            if improve_row(row):
                changed.add(row)
                stale.update(beside for beside in (row - 1, row + 1) if 0 <= beside < size)
        if not stale:
            break
    return changed


def _insert_row(ordering: Ordering, row: int) -> bool:
    if len(ordering.orders[row]) < 2:
        return False
    saving = _saving(ordering, row)
    local = ordering.local[row]
    order = list(range(len(local)))
    ahead = saving
    changed = False
    for _ in range(_REPEATS):
        sums = ahead.cumsum(axis=1)
        now = sums.ravel()[:: len(order) + 1]
        gaining = ((sums.max(axis=1) > now) | (now < 0)).nonzero()[0].tolist()
        if not gaining:
            break
        changed = True
        for vertex in sorted([order[index] for index in gaining], key=local.__getitem__):
            _move(order, saving[vertex].tolist(), vertex)
        ahead = saving.take(order, 0).take(order, 1)
    if changed:
        ordering.put(row, [ordering.orders[row][vertex] for vertex in order])
    return changed


def _saving(ordering: Ordering, row: int) -> Matrix:
    """Crossings saved, position by position, by placing one vertex after the other instead of before it."""
    size = len(ordering.orders[row])
    cost = np.zeros((size, size), dtype=np.float32)
    for beside, side in ordering.adjacency.sides[row]:
        if beside < row:
            adjacency, sums = ordering.between(beside).adjacency, ordering.between(beside).down
        else:
            adjacency = ordering.between(row).adjacency.T
            sums = adjacency.cumsum(axis=0)
        if dense(*adjacency.shape):
            cost += adjacency.T @ sums
        else:
            _add_sparse(cost, sums, side, ordering.positions_of(row), ordering.positions_of(beside))
    return cost - cost.T


def _add_sparse(cost: Matrix, sums: Matrix, side: SideAdjacency, own: Indices, other: Indices) -> None:
    """The same product, segment by segment: there are few in a large layer."""
    if len(side.owners):
        cost[own[side.owners]] += np.add.reduceat(sums[other[side.others]], side.first, axis=0)


def _move(order: list[int], saving: list[float], vertex: int) -> None:
    """Put one vertex at its best position, if that saves anything."""
    sums = list(accumulate(map(saving.__getitem__, order)))
    here, top = order.index(vertex), max(sums)
    best = sums.index(top)
    if top < 0:
        top, best = 0.0, -1
    if top > sums[here]:
        order.pop(here)
        order.insert(best + (best < here), vertex)
