"""Orders of the layers, and their crossings counted with matrices.

For two neighbouring layers ``adjacency[p, q]`` is 1 where a segment leads from the p-th vertex of the one to the q-th
of the next, and 0 elsewhere: parallel edges run along one route and cross as one. Prefix sums of it answer every
question about crossings; they are kept until one of the two layers changes. All numbers are small integers held exactly
in floats, so that the result does not depend on the machine's arithmetic. Large layers make no matrix product, because
the threads of a BLAS stall when the machine is busy with a training run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.layout.layering import Layered

Orders = list[list[int]]
Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]
Indices = NDArray[np.intp]

LARGEST_PRODUCT = 60_000
"""Multiplications up to which a matrix product is made: a BLAS takes up its threads only for far larger ones."""


@dataclass(frozen=True, slots=True)
class SideAdjacency:
    """Targets of one layer's segments on one side, in compressed rows and as a matrix.

    Attributes:
        owners: the vertices with any segments to that side, by local number, ascending.
        first: for each of them the index of its first segment.
        others: the other ends of all segments, by local number, owner by owner.
        dense: the same as a matrix, a row for every vertex of the other layer.
    """

    owners: Indices
    first: Indices
    others: Indices
    dense: Matrix


class Adjacency:
    """The segments of a layered graph as matrices, in no particular order.

    The *local* number of a vertex is its index in `Layered.members` of its layer; its *position*, its index in an
    order.

    Attributes:
        layered: the graph.
        local: the number of every vertex within its layer.
        matrices: for every two neighbouring layers the segments between them, by local numbers.
        sides: for every layer its segments to the layer before and to the layer after, where there is one.
    """

    def __init__(self, layered: Layered):
        self.layered = layered
        self.local = [0] * len(layered)
        for members in layered.members:
            for index, vertex in enumerate(members):
                self.local[vertex] = index
        sizes = [len(members) for members in layered.members]
        self.matrices: list[Matrix] = [np.zeros(shape, dtype=np.float32) for shape in pairwise(sizes)]
        for here, there in layered.weight:
            self.matrices[layered.layer[here]][self.local[here], self.local[there]] = 1
        self.sides: list[list[tuple[int, SideAdjacency]]] = [[] for _ in sizes]
        for row, matrix in enumerate(self.matrices):
            self.sides[row + 1].append((row, _side(matrix)))
            self.sides[row].append((row + 1, _side(np.ascontiguousarray(matrix.T))))


def _side(dense: Matrix) -> SideAdjacency:
    """The segments of the vertices that own the columns of a matrix."""
    owner, other = np.nonzero(dense.T)
    owners, first = np.unique(owner, return_index=True)
    return SideAdjacency(owners, first, other, dense)


@dataclass(frozen=True, slots=True)
class Gaps:
    """Crossings of a segment between two layers, doubled and up to a constant.

    Attributes:
        cost: ``[a, b]``: from gap a to gap b.
        from_position: ``[p, b]``: from the position p.
        to_position: ``[a, q]``: to the position q.
    """

    cost: Matrix
    from_position: Matrix
    to_position: Matrix


@dataclass(slots=True)
class Between:
    """Two neighbouring layers in their present order.

    Attributes:
        adjacency: ``[p, q]``: 1 where a segment leads from position p to position q.
        down: its sums along the first layer, the position itself included.
        sums: ``[a, b]``: the segments from the first a positions to the first b positions.
        crossed: ``[p, q]``: number of segments that cross one from position p to position q.
        crossings: number of pairs of segments that cross.
    """

    adjacency: Matrix
    down: Matrix
    sums: Matrix
    crossed: Matrix
    crossings: int
    _gaps: Gaps | None = None

    def gaps(self) -> Gaps:
        """Data for moving whole paths."""
        if self._gaps is None:
            sums, half = self.sums, np.float32(0.5)
            cost: Matrix = 2 * (sums[:, -1:] + sums[-1]) - 4 * sums
            self._gaps = Gaps(cost, (cost[:-1] + cost[1:]) * half, (cost[:, :-1] + cost[:, 1:]) * half)
        return self._gaps


@dataclass(frozen=True, slots=True)
class OrderingState:
    """Saved state of an `Ordering`."""

    orders: Orders
    position: list[int]
    local: list[list[int]]
    between: list[Between | None]


class Ordering:
    """One order under improvement.

    Attributes:
        adjacency: the graph to be ordered.
        orders: the vertices of every layer, top to bottom; change them with `put`.
        position: the position of every vertex in its layer.
        local: the local numbers of every layer in their order.
    """

    def __init__(self, adjacency: Adjacency, orders: Orders):
        self.adjacency = adjacency
        self.orders: Orders = [[] for _ in orders]
        self.position = [0] * len(adjacency.layered)
        self.local: list[list[int]] = [[] for _ in orders]
        self._between: list[Between | None] = [None] * max(0, len(orders) - 1)
        for row, order in enumerate(orders):
            self.put(row, order)

    def put(self, row: int, order: Sequence[int]) -> None:
        """Give a layer another order."""
        self.orders[row] = list(order)
        self.local[row] = [self.adjacency.local[vertex] for vertex in order]
        for index, vertex in enumerate(order):
            self.position[vertex] = index
        for stale in (row - 1, row):
            if 0 <= stale < len(self._between):
                self._between[stale] = None

    def positions_of(self, row: int) -> Indices:
        """The positions in a layer by local numbers."""
        positions = np.empty(len(self.local[row]), dtype=np.intp)
        positions[self.local[row]] = np.arange(len(positions))
        return positions

    def between(self, row: int) -> Between:
        """A layer and the next, as they are now."""
        found = self._between[row]
        if found is None:
            placed = self.adjacency.matrices[row].take(self.local[row], 0).take(self.local[row + 1], 1)
            upper, lower = placed.shape
            down = placed.cumsum(axis=0)
            sums = np.zeros((upper + 1, lower + 1), dtype=np.float32)
            down.cumsum(axis=1, out=sums[1:, 1:])
            crossed = sums[:-1, -1:] - sums[:-1, 1:]
            crossed += sums[-1, :-1]
            crossed -= sums[1:, :-1]
            crossings = round(float((crossed * placed).sum(dtype=np.float64)) / 2)
            found = self._between[row] = Between(placed, down, sums, crossed, crossings)
        return found

    def save(self) -> OrderingState:
        """The order as it is, to come back to."""
        return OrderingState(list(self.orders), list(self.position), list(self.local), list(self._between))

    def restore(self, state: OrderingState) -> None:
        """Come back to an order that was saved."""
        self.orders, self.position = list(state.orders), list(state.position)
        self.local, self._between = list(state.local), list(state.between)

    def changed(self, state: OrderingState) -> set[int]:
        """The layers that are no longer in the order that was saved."""
        pairs = enumerate(zip(self.orders, state.orders, strict=True))
        return {row for row, (order, old) in pairs if order is not old and order != old}

    def crossings(self) -> int:
        """Total number of pairs of segments that cross."""
        return sum(self.between(row).crossings for row in range(len(self._between)))


def dense(others: int, size: int) -> bool:
    """True when two layers are so small that a matrix product is fastest."""
    return others * size * size <= LARGEST_PRODUCT
