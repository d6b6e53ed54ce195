"""The order of the vertices within their layers: as few crossings as can be found in a fixed number of rounds.

Many different starts are improved together by insertion, the best few by re-insertion of paths, the best one by small
kicks. Barycentre sweeps are not used: they pull every start into the same basin. Only a graph whose matrices would take
more than `MOST_BYTES` has to do with them: what the search would need is reckoned before it begins.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

from engine.layout.insertion import Batch
from engine.layout.layers import Layered
from engine.layout.ordering import Orders, Steps
from engine.layout.placed import Poll
from engine.layout.search import Moves
from engine.layout.starts import Smoothing, from_leaves, from_results, smoothed
from engine.layout.sweeps import count_crossings, swept

MOST_BYTES = 64_000_000
"""What the matrices of one search may take together; the largest graph of the benchmark takes a quarter of it."""

_SEED = 18
_WIDE = 2.4
_ITEM = 4
_KEPT_MATRICES, _ORDER_MATRICES, _BATCH_MATRICES = 2, 7, 4


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work an order is worth; counted in rounds, so that the picture does not depend on the machine.

    Attributes:
        smoothings: the noises that are smoothed into starts.
        finalists: how many orders get their paths re-inserted.
        plain: whether the order of the operands is one of them in any case.
        rounds: how many rounds of insertion and re-insertion each of them gets at most.
        kicked: how many of the finalists are disturbed to see what becomes of them.
        kicks: how often each of them is.
    """

    smoothings: tuple[Smoothing, ...]
    finalists: int
    plain: bool
    rounds: int
    kicked: int
    kicks: int

    @property
    def starts(self) -> int:
        """How many orders are improved together."""
        return 2 + sum(each.noises * len(each.rounds) for each in self.smoothings)

    @property
    def searches(self) -> int:
        """How many orders are searched one by one at most, with what is kept of one while it is kicked."""
        return self.finalists + self.plain + bool(self.kicks)

    def shared(self, graphs: int) -> Effort:
        """The same work for several graphs together."""
        parts = (replace(each, noises=-(-each.noises // graphs)) for each in self.smoothings)
        return replace(self, smoothings=tuple(parts))


_FULL = (
    (25, Effort((Smoothing(6, 0.9, (8, 16)),), 2, False, 3, 1, 8)),
    (36, Effort((Smoothing(10, 0.9, (12, 24)),), 2, False, 3, 1, 12)),
    (90, Effort((Smoothing(16, 0.9, (12, 24)),), 3, False, 3, 1, 20)),
    (140, Effort((Smoothing(14, 0.9, (12, 24)),), 4, True, 4, 2, 28)),
    (200, Effort((Smoothing(14, 0.9, (12, 24)),), 4, False, 4, 1, 24)),
    (300, Effort((Smoothing(14, 0.9, (12, 24)),), 4, False, 4, 1, 16)),
    (700, Effort((Smoothing(12, 0.9, (60,)), Smoothing(6, 0.97, (60, 120))), 4, True, 4, 1, 16)),
    (1300, Effort((Smoothing(8, 0.9, (60,)), Smoothing(4, 0.97, (60, 120))), 2, True, 4, 1, 8)),
    (4000, Effort((Smoothing(2, 0.9, (60,)), Smoothing(3, 0.97, (60, 120))), 1, True, 4, 1, 6)),
    (12000, Effort((Smoothing(1, 0.97, (100,)),), 1, False, 4, 1, 0)),
)
_QUICK = (
    (300, Effort((Smoothing(14, 0.9, (12, 24)),), 1, False, 2, 1, 0)),
    (700, Effort((Smoothing(12, 0.9, (60,)), Smoothing(6, 0.97, (60, 120))), 1, True, 2, 1, 0)),
    (1300, Effort((Smoothing(8, 0.9, (60,)), Smoothing(4, 0.97, (60, 120))), 1, True, 2, 1, 0)),
    (4000, Effort((Smoothing(2, 0.97, (60, 120)),), 1, False, 2, 1, 0)),
)
_LEAST = Effort((), 1, False, 1, 1, 0)


def effort(layered: Layered, quality: str) -> Effort:
    """What a graph can have: by its vertices (blocks and bends), or as if it had more when its layers are very wide.

    A round costs as the cubes of the layers; a graph as dense as no computation would keep its user waiting.
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
        size * max(size, sum(len(layered.before[v]) + len(layered.after[v]) for v in members))
        for size, members in zip(sizes, layered.members, strict=True)
    ]
    together = _BATCH_MATRICES * starts * max(around, default=0)
    return _ITEM * (cells * (_KEPT_MATRICES + _ORDER_MATRICES * searches) + together)


def affordable(layereds: Sequence[Layered], quality: str) -> Effort | None:
    """The work that a graph can have with its matrices within `MOST_BYTES`; None when not even the least has.

    Args:
        layereds: the graph in layers, in one way or more; all are worked on.
        quality: "full" or "quick".
    """
    for work in (effort(layereds[0], quality), _LEAST):
        if sum(matrix_bytes(layered, work.starts, work.searches) for layered in layereds) <= MOST_BYTES:
            return work
    return None


@dataclass(frozen=True, slots=True)
class Draft:
    """An order that may be improved further.

    Attributes:
        layered: the graph.
        orders: the order.
        crossings: how many pairs of steps cross.
        moves: what can be moved in it; None when it stays as it is, because nothing crosses or the matrices of a search
            would be too large.
        plain: whether it began in the order of the operands.
    """

    layered: Layered
    orders: Orders
    crossings: int
    moves: Moves | None = None
    plain: bool = False


def drafts(layered: Layered, work: Effort | None, cancelled: Poll | None = None) -> list[Draft]:
    """Good and different orders.

    Of several with the same number of crossings one is taken: most often they are the same order.

    Args:
        layered: a connected graph in layers.
        work: how hard to try; None for a graph that is too large for a search.
        cancelled: polled on the way.
    """
    plain = from_results(layered)
    if count_crossings(layered, plain) == 0:
        return [Draft(layered, plain, 0, plain=True)]
    starts = [plain, from_leaves(layered)]
    if work is None:
        return [Draft(layered, *swept(layered, starts, cancelled))]
    steps = Steps(layered)
    moves = Moves(steps)
    rng = random.Random(_SEED)
    for smoothing in work.smoothings:
        starts += smoothed(layered, smoothing, rng)
    batch = Batch(steps, starts)
    batch.improve(40, cancelled=cancelled)
    crossings = batch.crossings()
    first = {crossings[which]: which for which in reversed(range(len(starts)))}
    return [Draft(layered, batch.orders(which), crossings[which], moves, which == 0) for which in {0, *first.values()}]
