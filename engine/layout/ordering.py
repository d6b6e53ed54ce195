"""One order of the layers as matrices, so that what a move would save is a handful of numpy calls.

For two neighbouring layers in their present order, ``link[p, q]`` is 1 where a step leads from the p-th vertex of the
one to the q-th of the next, and 0 elsewhere: parallel edges run along one route and cross as one. Prefix sums of it
answer every question about crossings; they are kept until one of the two layers changes. All numbers are small integers
held exactly in floats: the result does not depend on the machine's arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.layout.layers import Layered

Orders = list[list[int]]
Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ends:
    """Where the steps of one layer lead on one side.

    Attributes:
        owners: the vertices with any steps to that side, by local number, ascending.
        first: for each of them the index of its first step.
        others: the other ends of all steps, by local number, owner by owner.
        dense: the same as a matrix, a row for every vertex of the other layer.
    """

    owners: Places
    first: Places
    others: Places
    dense: Matrix


class Steps:
    """The steps of a layered graph as matrices, in no particular order.

    Attributes:
        layered: the graph.
        local: the number of every vertex within its layer.
        links: for every two neighbouring layers the steps between them, by local numbers.
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
        for here, there in layered.weight:
            self.links[layered.layer[here]][self.local[here], self.local[there]] = 1
        self.sides: list[list[tuple[int, Ends]]] = [[] for _ in sizes]
        for row, link in enumerate(self.links):
            self.sides[row + 1].append((row, _ends(link)))
            self.sides[row].append((row + 1, _ends(np.ascontiguousarray(link.T))))


def _ends(dense: Matrix) -> Ends:
    """The steps of the vertices that own the columns of a matrix."""
    owner, other = np.nonzero(dense.T)
    owners, first = np.unique(owner, return_index=True)
    return Ends(owners, first, other, dense)


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a step between two layers would cross, twice and up to a constant.

    Attributes:
        cost: ``[a, b]``: from gap a to gap b.
        from_place: ``[p, b]``: from the place p.
        to_place: ``[a, q]``: to the place q.
    """

    cost: Matrix
    from_place: Matrix
    to_place: Matrix


@dataclass(slots=True)
class Between:
    """Two neighbouring layers in their present order.

    Attributes:
        link: ``[p, q]``: whether a step leads from place p to place q.
        down: its sums along the first layer, the place itself included.
        sums: ``[a, b]``: the steps from the first a places to the first b places.
        crossed: ``[p, q]``: what crosses a step from place p to place q.
        crossings: how many pairs of steps cross.
    """

    link: Matrix
    down: Matrix
    sums: Matrix
    crossed: Matrix
    crossings: int
    _gaps: Gaps | None = None

    def gaps(self) -> Gaps:
        """What is needed to move whole paths."""
        if self._gaps is None:
            sums, half = self.sums, np.float32(0.5)
            cost: Matrix = 2 * (sums[:, -1:] + sums[-1]) - 4 * sums
            self._gaps = Gaps(cost, (cost[:-1] + cost[1:]) * half, (cost[:, :-1] + cost[:, 1:]) * half)
        return self._gaps


@dataclass(frozen=True, slots=True)
class Kept:
    """What an `Ordering` was."""

    orders: Orders
    place: list[int]
    local: list[list[int]]
    between: list[Between | None]


class Ordering:
    """One order under improvement.

    Attributes:
        steps: what is ordered.
        orders: the vertices of every layer, top to bottom; change them with `put`.
        place: the place of every vertex in its layer.
        local: the local numbers of every layer in their order.
    """

    def __init__(self, steps: Steps, orders: Orders):
        self.steps = steps
        self.orders: Orders = [[] for _ in orders]
        self.place = [0] * len(steps.layered)
        self.local: list[list[int]] = [[] for _ in orders]
        self._between: list[Between | None] = [None] * max(0, len(orders) - 1)
        for row, order in enumerate(orders):
            self.put(row, order)

    def put(self, row: int, order: Sequence[int]) -> None:
        """Give a layer another order."""
        self.orders[row] = list(order)
        self.local[row] = [self.steps.local[vertex] for vertex in order]
        for index, vertex in enumerate(order):
            self.place[vertex] = index
        for stale in (row - 1, row):
            if 0 <= stale < len(self._between):
                self._between[stale] = None

    def place_of(self, row: int) -> Places:
        """The places in a layer by local numbers."""
        places = np.empty(len(self.local[row]), dtype=np.intp)
        places[self.local[row]] = np.arange(len(places))
        return places

    def between(self, row: int) -> Between:
        """A layer and the next, as they are now."""
        found = self._between[row]
        if found is None:
            found = self._between[row] = self._measure(row)
        return found

    def keep(self) -> Kept:
        """The order as it is, to come back to."""
        return Kept(list(self.orders), list(self.place), list(self.local), list(self._between))

    def restore(self, kept: Kept) -> None:
        """Come back to an order that was kept."""
        self.orders, self.place = list(kept.orders), list(kept.place)
        self.local, self._between = list(kept.local), list(kept.between)

    def changed(self, kept: Kept) -> set[int]:
        """The layers that are no longer in the order that was kept."""
        pairs = enumerate(zip(self.orders, kept.orders, strict=True))
        return {row for row, (order, old) in pairs if order is not old and order != old}

    def crossings(self) -> int:
        """How many pairs of steps cross in all."""
        return sum(self.between(row).crossings for row in range(len(self._between)))

    def _measure(self, row: int) -> Between:
        link = self.steps.links[row].take(self.local[row], 0).take(self.local[row + 1], 1)
        upper, lower = link.shape
        down = link.cumsum(axis=0)
        sums = np.zeros((upper + 1, lower + 1), dtype=np.float32)
        down.cumsum(axis=1, out=sums[1:, 1:])
        crossed = sums[:-1, -1:] - sums[:-1, 1:]
        crossed += sums[-1, :-1]
        crossed -= sums[1:, :-1]
        return Between(link, down, sums, crossed, round(float((crossed * link).sum(dtype=np.float64)) / 2))
