"""The order of the vertices within their layers: as few crossings as can be found in a fixed number of rounds.

Many different starts are improved together by insertion, the best few by re-insertion of paths, the best one by small
kicks. Barycentre sweeps are not used: they pull every start into the same basin.
"""

from __future__ import annotations

import random
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.graph.layout.insertion import Batch
from engine.graph.layout.layers import Layered
from engine.graph.layout.ordering import Orders, Steps
from engine.graph.layout.placed import Poll
from engine.graph.layout.search import Moves, Search
from engine.graph.layout.starts import from_leaves, from_results, smoothed

_SEED = 18


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work an order is worth; counted in rounds, so that the picture does not depend on the machine.

    Attributes:
        noises: how many noises are smoothed into starts.
        smoothings: after how many averages each of them is read off.
        finalists: how many orders get their paths re-inserted.
        rounds: how many rounds of insertion and re-insertion each of them gets at most.
        kicked: how many of the finalists are disturbed to see what becomes of them.
        kicks: how often each of them is.
    """

    noises: int
    smoothings: tuple[int, ...]
    finalists: int
    rounds: int
    kicked: int
    kicks: int


_FULL = (
    (25, Effort(4, (40,), 2, 3, 1, 5)),
    (90, Effort(8, (80,), 2, 3, 2, 8)),
    (200, Effort(6, (60, 200), 3, 4, 2, 24)),
    (600, Effort(8, (100, 300), 3, 4, 2, 10)),
    (1600, Effort(6, (100, 300), 2, 4, 1, 12)),
    (4000, Effort(3, (100, 300), 2, 4, 1, 4)),
    (12000, Effort(1, (100,), 1, 4, 1, 0)),
)
_QUICK = (
    (200, Effort(4, (60,), 1, 2, 1, 0)),
    (600, Effort(4, (100,), 1, 2, 1, 0)),
    (4000, Effort(0, (), 1, 2, 1, 0)),
)
_LEAST = Effort(0, (), 1, 1, 1, 0)


def effort(vertices: int, quality: str) -> Effort:
    """What a graph of so many vertices (blocks and bends) can have."""
    table = (*_FULL, (10**9, replace(_LEAST, rounds=2))) if quality == "full" else _QUICK
    return next((work for limit, work in table if vertices <= limit), _LEAST)


def finalists(layered: Layered, work: Effort, cancelled: Poll | None = None) -> list[Search]:
    """A few good and different orders.

    Args:
        layered: a connected graph in layers.
        work: how hard to try.
        cancelled: polled on the way.
    """
    steps = Steps(layered)
    plain = from_results(layered)
    if len(layered.members) < 2 or count_crossings(layered, plain) == 0:
        return [Search(Moves(steps), plain)]
    starts = [plain, from_leaves(layered)]
    if work.noises:
        starts += smoothed(layered, work.noises, work.smoothings, random.Random(_SEED))
    moves = Moves(steps)
    found = [Search(moves, start) for start in _best(steps, starts, work.finalists, cancelled)]
    for search in found:
        search.settle(range(len(plain)), work.rounds, cancelled=cancelled)
    return found


def count_crossings(layered: Layered, orders: Sequence[Sequence[int]]) -> int:
    """How many pairs of steps cross, each pair counted once however many parallel edges it stands for."""
    total = 0
    for upper, lower in pairwise(orders):
        place = {vertex: index for index, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            ends = sorted(place[other] for other in layered.after[vertex])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _best(steps: Steps, starts: Sequence[Orders], count: int, cancelled: Poll | None) -> list[Orders]:
    """The starts that are best after insertion, fewest crossings first, and the first in any case.

    Of several with the same number of crossings one is taken: most often they are the same order.
    """
    batch = Batch(steps, starts)
    batch.improve(40, cancelled=cancelled)
    crossings = batch.crossings()
    ranking = list({crossings[which]: which for which in reversed(range(len(starts)))}.items())
    chosen = [which for _, which in sorted(ranking)[:count]]
    return [batch.orders(which) for which in dict.fromkeys([*chosen, 0] if count > 1 else chosen)]
