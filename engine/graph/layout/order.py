"""The order of the vertices within their layers: as few crossings as can be found in a fixed number of rounds.

Many different starts are improved together by insertion, the best few by re-insertion of paths, the best one by small
kicks. Barycentre sweeps are not used: they pull every start into the same basin.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import sqrt

from engine.graph.layout.insertion import Batch
from engine.graph.layout.layers import Layered
from engine.graph.layout.ordering import Ordering, Orders, Steps
from engine.graph.layout.placed import Poll
from engine.graph.layout.search import Moves
from engine.graph.layout.starts import Smoothing, from_leaves, from_results, smoothed

_SEED = 18
_WIDE = 2.4


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


@dataclass(frozen=True, slots=True)
class Draft:
    """An order improved by insertion alone.

    Attributes:
        moves: what can be moved in it, and the graph.
        orders: the order.
        crossings: how many pairs of steps cross.
        plain: whether it began in the order of the operands.
    """

    moves: Moves
    orders: Orders
    crossings: int
    plain: bool

    @property
    def layered(self) -> Layered:
        """The graph."""
        return self.moves.steps.layered


def drafts(layered: Layered, work: Effort, cancelled: Poll | None = None) -> list[Draft]:
    """Good and different orders.

    Of several with the same number of crossings one is taken: most often they are the same order.

    Args:
        layered: a connected graph in layers.
        work: how hard to try.
        cancelled: polled on the way.
    """
    steps = Steps(layered)
    moves = Moves(steps)
    plain = from_results(layered)
    if Ordering(steps, plain).crossings() == 0:
        return [Draft(moves, plain, 0, True)]
    starts = [plain, from_leaves(layered)]
    rng = random.Random(_SEED)
    for smoothing in work.smoothings:
        starts += smoothed(layered, smoothing, rng)
    batch = Batch(steps, starts)
    batch.improve(40, cancelled=cancelled)
    crossings = batch.crossings()
    first = {crossings[which]: which for which in reversed(range(len(starts)))}
    return [Draft(moves, batch.orders(which), crossings[which], which == 0) for which in {0, *first.values()}]
