"""Local search over the order of one layer at a time, for many orders at once.

With the neighbouring layers held still, a layer is a linear ordering problem: ``C[i, j]`` is how often the steps of i
cross those of j when i stands before j, read off the prefix sums of the adjacency. A vertex is taken out and put back
where that saves most; the savings of all places are one cumulative sum. Numpy's cost lies in its calls, not in the
numbers, so a whole batch of different orders is searched in the time of two or three.

All numbers are small integers held exactly in floats: the result does not depend on the machine's arithmetic. Large
layers make no matrix product, because the threads of a BLAS stall when the machine is busy with a training run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

from engine.layout.ordering import Ends, Matrix, Ordering, Orders, Places, Steps
from engine.layout.placed import Poll, check

_REPEATS = 30
_DENSE = 60_000


def dense(others: int, size: int) -> bool:
    """Whether the steps between two layers are so few that a matrix product costs least.

    A BLAS takes up its threads only for far larger products; they would stall beside a training run.
    """
    return others * size * size <= _DENSE


class Batch:
    """Several orders of the same layers, improved together.

    Attributes:
        places: for every layer an array (n_orders, n_vertices) of local numbers, top to bottom.
    """

    def __init__(self, steps: Steps, starts: Sequence[Orders]):
        self._links = steps.links
        self._sides = steps.sides
        self._local = steps.local
        self._members = steps.layered.members
        self.places: list[Places] = [
            np.array([[steps.local[vertex] for vertex in start[row]] for start in starts])
            for row in range(len(self._members))
        ]

    def orders(self, which: int) -> Orders:
        """One of the orders, as vertices."""
        return [
            [members[index] for index in places[which].tolist()]
            for members, places in zip(self._members, self.places, strict=True)
        ]

    def crossings(self) -> list[int]:
        """How many pairs of steps cross in each of the orders."""
        total = np.zeros(len(self.places[0]))
        for link, upper, lower in zip(self._links, self.places, self.places[1:], strict=False):
            placed = link[upper[:, :, None], lower[:, None, :]]
            later = placed.sum(axis=1, keepdims=True) - placed.cumsum(axis=1)
            total += ((later.cumsum(axis=2) - later) * placed).sum(axis=(1, 2))
        return [round(crossings) for crossings in total.tolist()]

    def improve(self, rounds: int, rows: Iterable[int] | None = None, cancelled: Poll | None = None) -> set[int]:
        """Sweep over the layers, forth and back, until nothing changes or for so many rounds.

        Args:
            rounds: how many sweeps at most.
            rows: the layers to begin with; all when None. Others follow when a neighbour of theirs changed.
            cancelled: polled on the way.

        Returns:
            the layers that changed.
        """
        size = len(self.places)
        stale = set(range(size)) if rows is None else set(rows)
        changed: set[int] = set()
        for sweep in range(rounds):
            for row in sorted(stale, reverse=sweep % 2 == 1):
                check(cancelled)
                stale.discard(row)
                if self._improve_row(row):
                    changed.add(row)
                    stale.update(beside for beside in (row - 1, row + 1) if 0 <= beside < size)
            if not stale:
                break
        return changed

    def _improve_row(self, row: int) -> bool:
        size = self.places[row].shape[1]
        if size < 2:
            return False
        cost = self._cost(row)
        saving = cost - cost.transpose(0, 2, 1)
        changed = False
        for _ in range(_REPEATS):
            moving = self._movable(saving, self.places[row])
            if not moving:
                break
            changed = True
            for vertex in moving:
                self._move(row, saving, vertex)
        return changed

    def _cost(self, row: int) -> Matrix:
        """``C`` of a layer for every order, shape (n_orders, n_vertices, n_vertices)."""
        orders, size = self.places[row].shape
        cost = np.zeros((orders, size, size), dtype=np.float32)
        for beside, ends in self._sides[row]:
            if len(ends.owners):
                self._add_cost(cost, self.places[beside], ends)
        return cost

    @staticmethod
    def _add_cost(cost: Matrix, places: Places, ends: Ends) -> None:
        """Add what the steps to one side cost; few steps in a large layer are looked up one by one."""
        placed = ends.dense[places]
        earlier = placed.cumsum(axis=1)
        earlier -= placed
        if dense(*placed.shape[1:]):
            cost += placed.transpose(0, 2, 1) @ earlier
            return
        which = np.arange(len(places))[:, None]
        position = np.empty_like(places)
        position[which, places] = np.arange(places.shape[1])
        crossed = earlier[which, position[:, ends.others]]
        if len(ends.owners) < len(ends.others):
            crossed = np.add.reduceat(crossed, ends.first, axis=1)
        cost[:, ends.owners] += crossed

    @staticmethod
    def _movable(saving: Matrix, places: Places) -> list[int]:
        """The vertices that gain by a move in at least one order."""
        orders, size = places.shape
        rows = np.arange(orders)[:, None]
        ahead = saving[rows[:, :, None], places[:, :, None], places[:, None, :]]
        sums = ahead.cumsum(axis=2)
        now = sums.reshape(orders, -1)[:, :: size + 1]
        which, place = ((sums.max(axis=2) > now) | (now < 0)).nonzero()
        return sorted(set(places[which, place].tolist()))

    def _move(self, row: int, saving: Matrix, vertex: int) -> None:
        """Put one vertex at its best place, in every order in which that saves crossings."""
        places = self.places[row]
        which = np.arange(len(places))
        sums = saving[which[:, None], vertex, places].cumsum(axis=1)
        here = (places == vertex).argmax(axis=1)
        top = sums.max(axis=1)
        for order in (np.maximum(top, 0) > sums[which, here]).nonzero()[0].tolist():
            best = int(sums[order].argmax()) if top[order] >= 0 else -1
            line = places[order].tolist()
            line.remove(vertex)
            line.insert(best + (best < here[order]), vertex)
            places[order] = line


def insert(ordering: Ordering, rows: Iterable[int], rounds: int, cancelled: Poll | None = None) -> set[int]:
    """Improve a single order as `Batch.improve` does, beginning with some layers.

    Returns:
        the layers that changed.
    """
    size = len(ordering.orders)
    stale = set(rows)
    changed: set[int] = set()
    for sweep in range(rounds):
        for row in sorted(stale, reverse=sweep % 2 == 1):
            check(cancelled)
            stale.discard(row)
            if _insert_row(ordering, row):
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
        for place in sorted([order[index] for index in gaining], key=local.__getitem__):
            _move(order, saving[place].tolist(), place)
        ahead = saving.take(order, 0).take(order, 1)
    if changed:
        ordering.put(row, [ordering.orders[row][place] for place in order])
    return changed


def _saving(ordering: Ordering, row: int) -> Matrix:
    """What it saves, place by place, to have the one after the other instead of before it."""
    size = len(ordering.orders[row])
    cost = np.zeros((size, size), dtype=np.float32)
    for beside, ends in ordering.steps.sides[row]:
        if beside < row:
            link, sums = ordering.between(beside).link, ordering.between(beside).down
        else:
            link = ordering.between(row).link.T
            sums = link.cumsum(axis=0)
        if dense(*link.shape):
            cost += link.T @ sums
        else:
            _add_sparse(cost, sums, ends, ordering.place_of(row), ordering.place_of(beside))
    return cost - cost.T


def _add_sparse(cost: Matrix, sums: Matrix, ends: Ends, own: Places, other: Places) -> None:
    """The same product, step by step: there are few in a large layer."""
    if len(ends.owners):
        cost[own[ends.owners]] += np.add.reduceat(sums[other[ends.others]], ends.first, axis=0)


def _move(order: list[int], saving: list[float], place: int) -> None:
    """Put one vertex at its best place, if that saves anything."""
    sums = list(accumulate(map(saving.__getitem__, order)))
    here, top = order.index(place), max(sums)
    best = sums.index(top)
    if top < 0:
        top, best = 0.0, -1
    if top > sums[here]:
        order.pop(here)
        order.insert(best + (best < here), place)
