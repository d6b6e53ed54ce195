"""Budget of work for an order, and of memory for its search.

Work is counted in rounds, so that the picture does not depend on the machine. Where the tables come from stands in
DESIGN.md. What the search would need is estimated before it begins: a graph whose matrices would take more than
`MAX_MATRIX_BYTES` gets less of it, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

from engine.layout.initial_orders import ChebyshevFilter
from engine.layout.layering import Layered

MAX_MATRIX_BYTES = 64_000_000
"""Maximum memory of the matrices of one search; the largest graph of the benchmark takes a quarter of it."""

_WIDE = 2.4
_ITEM_BYTES = 4
_KEPT_MATRICES, _ORDER_MATRICES, _SET_MATRICES = 2, 7, 4


@dataclass(frozen=True, slots=True)
class Effort:
    """Work spent on an order, in rounds.

    Attributes:
        filters: what random vectors are made into orders with.
        finalists: how many orders are improved by local search.
        operand_order: whether the order of the operands is one of them in any case.
        rounds: how many rounds of insertion and re-insertion each of them gets at most.
        perturbed: how many of the finalists are perturbed.
        perturbations: how often each of them is.
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
    """What a graph can have: by its vertices (blocks and dummies), or as if it had more when its layers are very wide.

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
        starts: how many orders are improved together.
        searches: how many are searched one by one.
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
