"""Crossing reduction: the order of the vertices in each layer, with as few crossings as a fixed amount of work finds.

Many different initial orders are improved together by insertion, the best few by local search (`local_search`), the
best one of these by perturbations. A depth-first walk from either end gives one initial order each; random vectors,
smoothed over the graph, give as many more as are wanted. Barycentre sweeps pull every start into the same basin: only a
graph whose matrices would take too much memory has to do with them.

Work is counted in rounds, so that the picture does not depend on the machine; DESIGN.md says where the tables come
from.
"""

from __future__ import annotations

import random
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from engine.layout.blocks import BlockGraph
from engine.layout.crossings import Adjacency, Orders
from engine.layout.layering import Layered, into_layers, latest_ranks, shortest_ranks, span
from engine.layout.local_search import LocalSearch, Moves, OrderSet
from engine.layout.result import CancelCheck, raise_if_cancelled

Vectors = NDArray[np.float64]
"""One column for each vector, one row for each vertex."""

_BARYCENTRE_SWEEPS = 8
_CENTRED = 5

MAX_MATRIX_BYTES = 64_000_000
"""Maximum memory of the matrices of one search; the largest graph of the benchmark takes a quarter of it."""
_WIDE = 2.4
_ITEM_BYTES = 4
_KEPT_MATRICES, _ORDER_MATRICES, _SET_MATRICES = 2, 7, 4
_SEED = 18
_INSERTION_SWEEPS = 40
_BOTH_RANKS = 130
_LONGEST = 1.16


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
        vectors: number of random vectors.
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
        chebyshev: number of vectors, and the polynomials.
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

    Every layer follows the mean positions of its neighbours, forth and back (Sugiyama, Tagawa and Toda, IEEE Trans.
    SMC 11(2), 1981); that needs memory for the segments alone.

    Args:
        layered: the graph in layers.
        starts: orders to begin with, one or more.
        cancelled: polled on the way.

    Returns:
        the order, and the number of pairs of segments that cross in it; never more than in the best of the starts.
    """
    best, fewest = starts[0], count_crossings(layered, starts[0])
    for start in starts:
        orders = [list(order) for order in start]
        for count in range(_BARYCENTRE_SWEEPS):
            crossings = count_crossings(layered, orders)
            if crossings < fewest:
                best, fewest = [list(order) for order in orders], crossings
            if not fewest:
                return best, fewest
            forth = count % 2 == 0
            beside = layered.predecessors if forth else layered.successors
            for row in range(1, len(orders)) if forth else range(len(orders) - 2, -1, -1):
                raise_if_cancelled(cancelled)
                position = {vertex: index for index, vertex in enumerate(orders[row - 1 if forth else row + 1])}
                mean = {
                    vertex: sum(position[other] for other in beside[vertex]) / len(beside[vertex])
                    for vertex in orders[row]
                    if beside[vertex]
                }
                # vertices without neighbours keep their positions
                known = iter(sorted((vertex for vertex in orders[row] if vertex in mean), key=mean.__getitem__))
                orders[row] = [next(known) if vertex in mean else vertex for vertex in orders[row]]
    return best, fewest


@dataclass(frozen=True, slots=True)
class Effort:
    """Work spent on an order, in rounds.

    Attributes:
        filters: what random vectors are made into orders with.
        finalists: number of orders improved by local search.
        operand_order: True when the order of the operands is one of them in any case.
        rounds: maximum number of rounds of insertion and re-insertion for each of them.
        perturbed: number of finalists that are perturbed.
        perturbations: number of perturbations of each of them.
    """

    filters: tuple[ChebyshevFilter, ...]
    finalists: int
    operand_order: bool
    rounds: int
    perturbed: int
    perturbations: int

    @property
    def starts(self) -> int:
        """Number of orders improved together."""
        return 2 + sum(each.vectors * len(each.degrees) for each in self.filters)

    @property
    def searches(self) -> int:
        """Maximum number of orders searched one by one, including the saved part of one while it is perturbed."""
        return self.finalists + self.operand_order + bool(self.perturbations)

    def shared(self, layerings: int) -> Effort:
        """The same work for several layerings of a graph together."""
        parts = (replace(each, vectors=-(-each.vectors // layerings)) for each in self.filters)
        return replace(self, filters=tuple(parts))


_FULL = (
    (25, Effort((ChebyshevFilter(6, 0.9, (8, 16)),), 2, False, 3, 1, 8)),
    (36, Effort((ChebyshevFilter(10, 0.9, (12, 24)),), 2, False, 3, 1, 12)),
    (90, Effort((ChebyshevFilter(16, 0.9, (12, 24)),), 3, False, 3, 1, 20)),
    (140, Effort((ChebyshevFilter(14, 0.9, (12, 24)),), 4, True, 4, 2, 28)),
    (200, Effort((ChebyshevFilter(14, 0.9, (12, 24)),), 4, False, 4, 1, 24)),
    (300, Effort((ChebyshevFilter(14, 0.9, (12, 24)),), 4, False, 4, 1, 16)),
    (700, Effort((ChebyshevFilter(12, 0.9, (60,)), ChebyshevFilter(6, 0.97, (60, 120))), 4, True, 4, 1, 16)),
    (1300, Effort((ChebyshevFilter(8, 0.9, (60,)), ChebyshevFilter(4, 0.97, (60, 120))), 2, True, 4, 1, 8)),
    (4000, Effort((ChebyshevFilter(2, 0.9, (60,)), ChebyshevFilter(3, 0.97, (60, 120))), 1, True, 4, 1, 6)),
    (12000, Effort((ChebyshevFilter(1, 0.97, (100,)),), 1, False, 4, 1, 0)),
)
_QUICK = (
    (300, Effort((ChebyshevFilter(14, 0.9, (12, 24)),), 1, False, 2, 1, 0)),
    (700, Effort((ChebyshevFilter(12, 0.9, (60,)), ChebyshevFilter(6, 0.97, (60, 120))), 1, True, 2, 1, 0)),
    (1300, Effort((ChebyshevFilter(8, 0.9, (60,)), ChebyshevFilter(4, 0.97, (60, 120))), 1, True, 2, 1, 0)),
    (4000, Effort((ChebyshevFilter(2, 0.97, (60, 120)),), 1, False, 2, 1, 0)),
)
_LEAST = Effort((), 1, False, 1, 1, 0)


def effort(layered: Layered, quality: str) -> Effort:
    """The effort for a graph, by its vertices (blocks and dummies); very wide layers count as more of them.

    A round costs as the cubes of the layers: a graph denser than any computation would keep its user waiting.
    """
    wide = sqrt(sum(len(members) ** 3 for members in layered.members)) / _WIDE
    size = max(len(layered), wide)
    table = (*_FULL, (10**9, replace(_LEAST, rounds=2))) if quality == "full" else _QUICK
    return next((work for limit, work in table if size <= limit), _LEAST)


def matrix_bytes(layered: Layered, starts: int, searches: int) -> int:
    """The most memory that the matrices of a search can take, in bytes.

    Args:
        layered: the graph in layers.
        starts: number of orders improved together.
        searches: number of orders searched one by one.
    """
    sizes = [len(members) for members in layered.members]
    cells = sum(upper * lower for upper, lower in pairwise(sizes))
    around = [
        size * max(size, sum(len(layered.predecessors[v]) + len(layered.successors[v]) for v in members))
        for size, members in zip(sizes, layered.members, strict=True)
    ]
    together = _SET_MATRICES * starts * max(around, default=0)
    return _ITEM_BYTES * (cells * (_KEPT_MATRICES + _ORDER_MATRICES * searches) + together)


def affordable(layerings: Sequence[Layered], quality: str) -> Effort | None:
    """The work that a graph can have with its matrices within `MAX_MATRIX_BYTES`; None when not even the least has.

    Args:
        layerings: the graph in layers, in one way or more; all are worked on.
        quality: "full" or "quick".
    """
    for work in (effort(layerings[0], quality), _LEAST):
        if sum(matrix_bytes(layered, work.starts, work.searches) for layered in layerings) <= MAX_MATRIX_BYTES:
            return work
    return None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An order that may be improved further.

    Attributes:
        layered: the graph.
        orders: the order.
        crossings: number of pairs of segments that cross.
        moves: what can be moved in it; None when it stays as it is, because nothing crosses or the matrices of a search
            would be too large.
        operand_order: True when it began in the order of the operands.
    """

    layered: Layered
    orders: Orders
    crossings: int
    moves: Moves | None = None
    operand_order: bool = False


def candidates(layered: Layered, work: Effort | None, cancelled: CancelCheck | None = None) -> list[Candidate]:
    """Good and different orders.

    Of several with the same number of crossings one is taken: most often they are the same order.

    Args:
        layered: a connected graph in layers.
        work: the effort to spend; None for a graph that is too large for a search.
        cancelled: polled on the way.
    """
    operand_order = from_results(layered)
    if count_crossings(layered, operand_order) == 0:
        return [Candidate(layered, operand_order, 0, operand_order=True)]
    starts = [operand_order, from_leaves(layered)]
    if work is None:
        return [Candidate(layered, *barycentre_sweeps(layered, starts, cancelled))]
    adjacency = Adjacency(layered)
    moves = Moves(adjacency)
    rng = random.Random(_SEED)
    for chebyshev in work.filters:
        starts += spectral_orders(layered, chebyshev, rng)
    orders = OrderSet(adjacency, starts)
    orders.improve(_INSERTION_SWEEPS, cancelled=cancelled)
    crossings = orders.crossings()
    first = {crossings[which]: which for which in reversed(range(len(starts)))}
    return [
        Candidate(layered, orders.orders(which), crossings[which], moves, which == 0) for which in {0, *first.values()}
    ]


def fewest_crossings(graph: BlockGraph, quality: str, cancelled: CancelCheck | None) -> Candidate | LocalSearch:
    """The best of many orders: of all candidates some are improved, of those some are perturbed.

    Args:
        graph: a connected graph.
        quality: "full" or "quick".
        cancelled: polled on the way.
    """
    ranks = _rank_candidates(graph, quality, cancelled)
    layerings = [into_layers(graph, each) for each in ranks]
    work = affordable(layerings, quality)
    share = work and work.shared(len(ranks))
    found = [candidate for layered in layerings for candidate in candidates(layered, share, cancelled)]
    if work is None:
        return min(found, key=_penalty)
    chosen = sorted(found, key=_penalty)[: work.finalists]
    if work.operand_order:
        chosen += [each for each in found if each.operand_order and each not in chosen]
    searches = [each if each.moves is None else LocalSearch(each.moves, each.orders) for each in chosen]
    for search in searches:
        if isinstance(search, LocalSearch):
            search.improve(work.rounds, cancelled)
    perturbed = sorted(searches, key=_penalty)[: work.perturbed]
    for search in perturbed:
        if isinstance(search, LocalSearch):
            search.perturb(random.Random(_SEED), work.perturbations, cancelled)
    return min(perturbed, key=_penalty)


def _penalty(found: Candidate | LocalSearch) -> int:
    """Crossings times the number of segments: fewer crossings may cost longer edges, but not without limit."""
    return (found.crossings + 2) * len(found.layered.weight)


def _rank_candidates(graph: BlockGraph, quality: str, cancelled: CancelCheck | None) -> list[list[int]]:
    """The shortest ranks and, for small graphs, the latest: edges a little longer, often fewer crossings."""
    latest = latest_ranks(graph)
    shortest = shortest_ranks(graph, latest, cancelled)
    if quality == "quick" or len(graph) > _BOTH_RANKS or shortest == latest:
        return [shortest]
    too_long = span(graph, latest) > _LONGEST * span(graph, shortest)
    return [shortest] if too_long else [shortest, latest]
