"""One connected graph from blocks to a drawing: every step in its order, and the choices between alternatives."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import inf

from engine.graph.layout.blocks import BlockGraph
from engine.graph.layout.coordinates import coordinates
from engine.graph.layout.layers import Layered, into_layers
from engine.graph.layout.order import Effort, count_crossings, effort, finalists
from engine.graph.layout.placed import Poll, check
from engine.graph.layout.ranks import latest_ranks, shortest_ranks
from engine.graph.layout.routes import Drawing, draw
from engine.graph.layout.search import Search

_PIVOTS_PER_BLOCK = 20
_BOTH_RANKS = 130
_COLUMN = 272.0
_LONGEST = 1.33
_SEED = 20


def arrange(graph: BlockGraph, quality: str, cancelled: Poll | None = None) -> Drawing:
    """Lay out a connected graph.

    Args:
        graph: the blocks; at least one.
        quality: "full" or "quick".
        cancelled: polled on the way.
    """
    check(cancelled)
    candidates: list[Candidate] = []
    for ranks in _rank_candidates(graph, quality, cancelled):
        layered = into_layers(graph, ranks)
        work = effort(len(layered), quality)
        candidates += [Candidate(layered, search, work) for search in finalists(layered, work, cancelled)]
    best = _best(candidates, cancelled)
    y = coordinates(best.layered, best.search.orders, cancelled=cancelled)
    return draw(best.layered, y, count_crossings(best.layered, best.search.orders))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to lay a graph out: ranks, an order, and what that order is still worth."""

    layered: Layered
    search: Search
    work: Effort

    def length(self, cancelled: Poll | None) -> float:
        """About how long all edges together are, in pixels."""
        y = coordinates(self.layered, self.search.orders, cancelled=cancelled)
        return sum(abs(y[there] - y[here]) + _COLUMN for here, there in self.layered.weight)


def _best(candidates: list[Candidate], cancelled: Poll | None) -> Candidate:
    """Few crossings and short edges; the most promising candidates are kicked before the choice is made."""
    ranking = _ranked(candidates, cancelled)
    kicked = ranking[: ranking[0].work.kicked]
    for candidate in kicked:
        candidate.search.kick(random.Random(_SEED), candidate.work.kicks, cancelled)
    return _ranked(kicked, cancelled)[0]


def _ranked(candidates: list[Candidate], cancelled: Poll | None) -> list[Candidate]:
    """The candidates by the product of crossings and length, without those much longer than the shortest."""
    if len(candidates) == 1:
        return candidates
    lengths = [candidate.length(cancelled) for candidate in candidates]
    longest = _LONGEST * min(lengths)
    badness = [
        (candidate.search.crossings() + 2) * length if length <= longest else inf
        for candidate, length in zip(candidates, lengths, strict=True)
    ]
    ranking = sorted(range(len(candidates)), key=lambda which: (badness[which], which))
    return [candidates[which] for which in ranking if badness[which] < inf]


def _rank_candidates(graph: BlockGraph, quality: str, cancelled: Poll | None) -> list[list[int]]:
    """The shortest ranks and, where it costs little to try, the latest: longer edges, often fewer crossings."""
    latest = latest_ranks(graph)
    shortest = shortest_ranks(graph, latest, _PIVOTS_PER_BLOCK * len(graph), cancelled)
    if quality == "quick" or len(graph) > _BOTH_RANKS or shortest == latest:
        return [shortest]
    return [shortest, latest]
