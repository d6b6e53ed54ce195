"""Orders to begin with, and what can be made of them without matrices.

A depth-first walk from either end gives one order each; random vectors, smoothed over the graph, give as many more as
are wanted, and the local search that follows keeps the character of its start.

That search (`local_search.py`) looks at every pair of positions of two neighbouring layers. This is quick for the
computations of a lesson and takes gigabytes for a leaf with thousands of uses. `barycentre_sweeps` needs memory for the
segments alone: the layers follow the means of their neighbours, forth and back (Sugiyama, Tagawa and Toda, IEEE Trans.
SMC 11(2), 1981; Graphviz's `dot` sweeps in the same way, with medians). `count_crossings` counts by insertion into a
sorted list.
"""

from __future__ import annotations

import random
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.layout.layering import Layered
from engine.layout.ordering import Orders
from engine.layout.result import CancelCheck, raise_if_cancelled

Vectors = NDArray[np.float64]
"""One column for each vector, one row for each vertex."""

_SWEEPS = 8
_CENTRED = 5


def from_results(layered: Layered) -> Orders:
    """A depth-first walk from the results to their operands, in the order of the operands."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.successors[vertex]]
    return _walk(layered, roots[::-1], layered.predecessors)


def from_leaves(layered: Layered) -> Orders:
    """A depth-first walk from the leaves to their consumers."""
    roots = [vertex for vertex in range(len(layered.graph)) if not layered.predecessors[vertex]]
    return _walk(layered, roots, layered.successors)


@dataclass(frozen=True, slots=True)
class ChebyshevFilter:
    """Filter from random vectors to orders.

    Attributes:
        vectors: how many random vectors.
        cutoff: eigenvectors of the averaging operator with an eigenvalue from here to 1 pass the filter.
        degrees: of the polynomials, ascending; after each of them an order is read off every vector.
    """

    vectors: int
    cutoff: float
    degrees: tuple[int, ...]


def spectral_orders(layered: Layered, chebyshev: ChebyshevFilter, rng: random.Random) -> list[Orders]:
    """Random vectors averaged over neighbours again and again: the smoothest eigenvectors of the graph remain.

    Plain averaging needs hundreds of rounds; Chebyshev polynomials of it single out the same eigenvectors in a tenth
    (Zhou, Saad, Tiago and Chelikowsky, J. Comput. Phys. 219, 2006, filter the spectrum of a Hamiltonian so). Every
    mixture of smooth eigenvectors is a start of its own. Sums are taken in a fixed order, nothing depends on how a
    matrix is factorised.

    Args:
        layered: the graph in layers, connected and with at least one segment.
        chebyshev: how many vectors, and which polynomials.
        rng: where the random vectors come from.
    """
    averaged = _Averages(layered, chebyshev.cutoff)
    columns = range(chebyshev.vectors)
    old = averaged.centred(np.array([[rng.random() - 0.5 for _ in columns] for _ in range(len(layered))]))
    vectors = averaged(old)
    found = []
    for count in range(2, chebyshev.degrees[-1] + 1):
        vectors, old = 2 * averaged(vectors) - old, vectors
        if count % _CENTRED == 0:
            vectors, old = averaged.centred(vectors), averaged.centred(old)
            largest = np.abs(vectors).max(axis=0)
            vectors, old = vectors / largest, old / largest
        if count in chebyshev.degrees:
            values = np.round(vectors / np.abs(vectors).max(axis=0), 9).T.tolist()
            found += [[sorted(members, key=value.__getitem__) for members in layered.members] for value in values]
    return found


class _Averages:
    """The mean of every vertex's neighbours, scaled so that eigenvalues below the cutoff lie between -1 and 1."""

    def __init__(self, layered: Layered, cutoff: float):
        neighbours = [(*layered.predecessors[vertex], *layered.successors[vertex]) for vertex in range(len(layered))]
        degree = np.array([len(others) for others in neighbours])
        self._flat = np.array([other for others in neighbours for other in others])
        self._first = np.concatenate(([0], np.cumsum(degree)[:-1]))
        self._scale = 2 / (1 + cutoff) / degree[:, None]
        self._own = (1 - cutoff) / (1 + cutoff)
        self._share = (degree / degree.sum())[:, None]

    def __call__(self, vectors: Vectors) -> Vectors:
        mean: Vectors = np.add.reduceat(vectors[self._flat], self._first, axis=0) * self._scale
        mean += vectors * self._own
        return mean

    def centred(self, vectors: Vectors) -> Vectors:
        """The vectors without their constant part, the eigenvector of the eigenvalue 1."""
        centred: Vectors = vectors - (vectors * self._share).sum(axis=0)
        return centred


def _walk(layered: Layered, roots: Sequence[int], beside: list[list[int]]) -> Orders:
    orders: Orders = [[] for _ in layered.members]
    seen = [False] * len(layered)
    waiting = list(roots[::-1])
    while waiting:
        vertex = waiting.pop()
        if not seen[vertex]:
            seen[vertex] = True
            orders[layered.layer[vertex]].append(vertex)
            waiting.extend(beside[vertex][::-1])
    return orders


def count_crossings(layered: Layered, orders: Sequence[Sequence[int]]) -> int:
    """Count pairs of segments that cross, as `Ordering.crossings` does, in memory for one layer's segments."""
    total = 0
    for upper, lower in pairwise(orders):
        position = {vertex: index for index, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            for target in sorted(position[other] for other in layered.successors[vertex]):
                total += len(seen) - bisect_right(seen, target)
                insort(seen, target)
    return total


def barycentre_sweeps(
    layered: Layered, starts: Sequence[Orders], cancelled: CancelCheck | None = None
) -> tuple[Orders, int]:
    """The best order that a few sweeps make of several starts.

    Args:
        layered: the graph in layers.
        starts: orders to begin with, one or more.
        cancelled: polled on the way.

    Returns:
        the order, and how many pairs of segments cross in it; never more than in the best of the starts.
    """
    best, fewest = starts[0], count_crossings(layered, starts[0])
    for start in starts:
        orders = [list(order) for order in start]
        for count in range(_SWEEPS):
            crossings = count_crossings(layered, orders)
            if crossings < fewest:
                best, fewest = [list(order) for order in orders], crossings
            if not fewest:
                return best, fewest
            _sweep(layered, orders, forth=count % 2 == 0, cancelled=cancelled)
    return best, fewest


def _sweep(layered: Layered, orders: Orders, forth: bool, cancelled: CancelCheck | None) -> None:
    """Sort every layer but the first of the way by the mean positions of its neighbours on the way."""
    beside = layered.predecessors if forth else layered.successors
    rows = range(1, len(orders)) if forth else range(len(orders) - 2, -1, -1)
    for row in rows:
        raise_if_cancelled(cancelled)
        position = {vertex: index for index, vertex in enumerate(orders[row - 1 if forth else row + 1])}
        mean = {
            vertex: sum(position[other] for other in beside[vertex]) / len(beside[vertex])
            for vertex in orders[row]
            if beside[vertex]
        }
        _sort_where_known(orders[row], mean)


def _sort_where_known(order: list[int], mean: dict[int, float]) -> None:
    """Sort the vertices that have neighbours; the others keep their positions."""
    known = iter(sorted((vertex for vertex in order if vertex in mean), key=mean.__getitem__))
    order[:] = [next(known) if vertex in mean else vertex for vertex in order]
