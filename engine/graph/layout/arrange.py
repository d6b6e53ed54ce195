"""One connected graph from blocks to a drawing: every step in its order, and the choices between alternatives."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.graph.layout.before import Before, Kept, find, kept_order, kept_ranks, row_length, settled
from engine.graph.layout.blocks import BlockGraph
from engine.graph.layout.coordinates import coordinates
from engine.graph.layout.layers import Layered, into_layers
from engine.graph.layout.order import Effort, count_crossings, effort, finalists
from engine.graph.layout.ordering import Steps
from engine.graph.layout.placed import Poll, check
from engine.graph.layout.ranks import latest_ranks, shortest_ranks, span
from engine.graph.layout.routes import Drawing, draw
from engine.graph.layout.search import Moves, Search

_PIVOTS_PER_BLOCK = 20
_BOTH_RANKS = 130
_LONGEST = 1.16
_SEED = 18


def arrange(graph: BlockGraph, quality: str, before: Before | None = None, cancelled: Poll | None = None) -> Drawing:
    """Lay out a connected graph.

    Args:
        graph: the blocks; at least one.
        quality: "full" or "quick".
        before: the drawing before this one; what was there moves little.
        cancelled: polled on the way.
    """
    check(cancelled)
    kept = find(graph, before)
    if kept is None:
        best = _best(_candidates(graph, quality, cancelled), cancelled)
    else:
        best = _edited(graph, kept, quality, cancelled)
    orders = best.search.orders
    y = coordinates(best.layered, orders, kept.heights if kept else None, cancelled)
    drawing = draw(
        best.layered, y, count_crossings(best.layered, orders), kept.ends if kept else {}, row_length(graph, before)
    )
    return drawing if before is None else settled(drawing, before)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to lay a graph out: ranks, an order, and what that order is still worth."""

    layered: Layered
    search: Search
    work: Effort

    @property
    def badness(self) -> int:
        """Crossings times the number of steps: few crossings are bought with longer edges, but not at any price."""
        return (self.search.crossings() + 2) * len(self.layered.weight)


def _edited(graph: BlockGraph, kept: Kept, quality: str, cancelled: Poll | None) -> Candidate:
    """The order as it was, improved once; more often when it was a quick one and time does not press."""
    shortest = shortest_ranks(graph, latest_ranks(graph), _PIVOTS_PER_BLOCK * len(graph), cancelled)
    layered = into_layers(graph, kept_ranks(graph, kept, shortest))
    search = Search(Moves(Steps(layered)), kept_order(layered, kept))
    refine = quality == "full" and kept.before.rough
    work = effort(len(layered), quality)
    search.settle(range(len(layered.members)), work.rounds if refine else 1, cancelled=cancelled)
    if refine:
        search.kick(random.Random(_SEED), work.kicks, cancelled)
    return Candidate(layered, search, work)


def _candidates(graph: BlockGraph, quality: str, cancelled: Poll | None) -> list[Candidate]:
    found: list[Candidate] = []
    for ranks in _rank_candidates(graph, quality, cancelled):
        layered = into_layers(graph, ranks)
        work = effort(len(layered), quality)
        found += [Candidate(layered, search, work) for search in finalists(layered, work, cancelled)]
    return found


def _best(candidates: list[Candidate], cancelled: Poll | None) -> Candidate:
    """Few crossings and short edges; the most promising candidates are kicked before the choice is made."""
    ranking = sorted(candidates, key=lambda candidate: candidate.badness)
    kicked = ranking[: ranking[0].work.kicked]
    for candidate in kicked:
        candidate.search.kick(random.Random(_SEED), candidate.work.kicks, cancelled)
    return min(kicked, key=lambda candidate: candidate.badness)


def _rank_candidates(graph: BlockGraph, quality: str, cancelled: Poll | None) -> list[list[int]]:
    """The shortest ranks and, for small graphs, the latest: edges a little longer, often fewer crossings."""
    latest = latest_ranks(graph)
    shortest = shortest_ranks(graph, latest, _PIVOTS_PER_BLOCK * len(graph), cancelled)
    if quality == "quick" or len(graph) > _BOTH_RANKS or shortest == latest:
        return [shortest]
    too_long = span(graph, latest) > _LONGEST * span(graph, shortest)
    return [shortest] if too_long else [shortest, latest]
