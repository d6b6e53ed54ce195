"""Local search over the order of one layer at a time, for many orders at once.

With the neighbouring layers held still, a layer is a linear ordering problem: ``C[i, j]`` is how often the steps of i
cross those of j when i stands before j, read off the prefix sums of the adjacency. A vertex is taken out and put back
where that saves most; the savings of all places are one cumulative sum. Numpy's cost lies in its calls, not in the
numbers, so a whole batch of different orders is searched in the time of two or three.

All numbers are small integers held exactly in floats: the result does not depend on the machine's arithmetic. There is
no matrix product, because the threads of a BLAS stall when the machine is busy with a training run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.graph.layout.layers import Layered
from engine.graph.layout.placed import Poll, check

Orders = list[list[int]]
Matrix = NDArray[np.float32]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ends:
    """Where the steps of one layer lead on one side.

    Attributes:
        owners: the vertices with any steps to that side, by local number, ascending.
        first: for each of them the index of its first step.
        others: the other ends of all steps, by local number, owner by owner.
        weights: the weights of these steps.
        dense: the same as a matrix, a row for every vertex of the other layer.
    """

    owners: Places
    first: Places
    others: Places
    weights: Matrix
    dense: Matrix


class Steps:
    """The steps of a layered graph as matrices.

    Attributes:
        layered: the graph.
        local: the number of every vertex within its layer.
        links: for every two neighbouring layers the weights of the steps between them, by local numbers.
        sides: for every layer its steps to the layer before and to the layer after, where there is one.
    """

    def __init__(self, layered: Layered):
        self.layered = layered
        self.local = [0] * len(layered)
        for members in layered.members:
            for index, vertex in enumerate(members):
                self.local[vertex] = index
        sizes = [len(members) for members in layered.members]
        self.links: list[Matrix] = [np.zeros(shape, dtype=np.float32) for shape in pairwise(sizes)]
        for (here, there), weight in layered.weight.items():
            self.links[layered.layer[here]][self.local[here], self.local[there]] = weight
        self.sides: list[list[tuple[int, Ends]]] = [[] for _ in sizes]
        for row, link in enumerate(self.links):
            self.sides[row + 1].append((row, _ends(link)))
            self.sides[row].append((row + 1, _ends(np.ascontiguousarray(link.T))))


def _ends(dense: Matrix) -> Ends:
    """The steps of the vertices that own the columns of a matrix."""
    owner, other = np.nonzero(dense.T)
    owners, first = np.unique(owner, return_index=True)
    return Ends(owners, first, other, dense[other, owner], dense)


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
        """How many parallel edges cross in each of the orders."""
        total = np.zeros(len(self.places[0]))
        for link, upper, lower in zip(self._links, self.places, self.places[1:], strict=False):
            placed = link[upper[:, :, None], lower[:, None, :]]
            later = placed.sum(axis=1, keepdims=True) - placed.cumsum(axis=1)
            total += ((later.cumsum(axis=2) - later) * placed).sum(axis=(1, 2))
        return [round(crossings) for crossings in total.tolist()]

    def orders_of(self, which: int, rows: Iterable[int]) -> dict[int, list[int]]:
        """Some layers of one of the orders, as vertices."""
        return {row: [self._members[row][index] for index in self.places[row][which].tolist()] for row in rows}

    def put(self, which: int, row: int, order: Sequence[int]) -> None:
        """Give a layer another order."""
        self.places[row][which] = [self._local[vertex] for vertex in order]

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
        for _ in range(30):
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
        which = np.arange(orders)[:, None]
        for beside, ends in self._sides[row]:
            if not len(ends.owners):
                continue
            places = self.places[beside]
            placed = ends.dense[places]
            earlier = placed.cumsum(axis=1)
            earlier -= placed
            position = np.empty_like(places)
            position[which, places] = np.arange(places.shape[1])
            crossed = earlier[which, position[:, ends.others]] * ends.weights[:, None]
            if len(ends.owners) < len(ends.others):
                crossed = np.add.reduceat(crossed, ends.first, axis=1)
            cost[:, ends.owners] += crossed
        return cost

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
        sums = saving[np.arange(len(places))[:, None], vertex, places].cumsum(axis=1)
        here = (places == vertex).argmax(axis=1).tolist()
        best = sums.argmax(axis=1).tolist()
        for order, (a, b) in enumerate(zip(here, best, strict=True)):
            top = sums[order, b]
            if top < 0:
                top, b = 0, -1
            if top <= sums[order, a]:
                continue
            line = places[order]
            if b < a:
                line[b + 2 : a + 1] = line[b + 1 : a].copy()
                line[b + 1] = vertex
            else:
                line[a:b] = line[a + 1 : b + 1].copy()
                line[b] = vertex
