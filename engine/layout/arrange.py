"""One connected graph from blocks to a drawing: every step in its order, and the choices between alternatives."""

from __future__ import annotations

import random

from engine.layout.before import Before, Kept, find, kept_order, kept_ranks, row_length, settled
from engine.layout.blocks import BlockGraph
from engine.layout.coordinates import coordinates
from engine.layout.layers import into_layers
from engine.layout.order import MOST_BYTES, Draft, affordable, drafts, effort, matrix_bytes
from engine.layout.ordering import Steps
from engine.layout.placed import Poll, check
from engine.layout.ranks import latest_ranks, shortest_ranks, span
from engine.layout.routes import Drawing, draw
from engine.layout.search import Moves, Search
from engine.layout.sweeps import count_crossings

_PIVOTS_PER_BLOCK = 20
_BOTH_RANKS = 130
_LONGEST = 1.16
_WORTH_MOVING = 1
_SEED = 18
_EDIT_SEARCHES = 3


def arrange(
    graph: BlockGraph,
    quality: str,
    before: Before | None = None,
    cancelled: Poll | None = None,
    *,
    folded: bool = False,
) -> Drawing:
    """Lay out a connected graph.

    Args:
        graph: the blocks; at least one.
        quality: "full" or "quick".
        before: the drawing before this one; what was there moves little.
        cancelled: polled on the way.
        folded: whether a drawing far too long is wrapped into rows.
    """
    check(cancelled)
    kept = find(graph, before)
    best = _edited(graph, kept, quality, cancelled) if kept else _found(graph, quality, cancelled)
    orders = best.orders
    y = coordinates(best.layered, orders, kept.heights if kept else None, cancelled)
    ends = kept.ends if kept else {}
    drawing = draw(best.layered, y, best.crossings, ends, row_length(graph, before), folded=folded)
    return drawing if before is None else settled(drawing, before)


def _edited(graph: BlockGraph, kept: Kept, quality: str, cancelled: Poll | None) -> Draft | Search:
    """The order as it was, new nodes and the ways of edges fitted in; that of old nodes where it saves many crossings.

    After a quick drawing everything is improved, and more often.
    """
    shortest = shortest_ranks(graph, latest_ranks(graph), _PIVOTS_PER_BLOCK * len(graph), cancelled)
    layered = into_layers(graph, kept_ranks(graph, kept, shortest))
    orders = kept_order(layered, kept)
    crossings = count_crossings(layered, orders)
    if not crossings or matrix_bytes(layered, 1, _EDIT_SEARCHES) > MOST_BYTES:
        return Draft(layered, orders, crossings)
    moves = Moves(Steps(layered))
    search = Search(moves, orders)
    if quality == "full" and kept.before.rough:
        work = effort(layered, quality)
        search.settle(work.rounds, cancelled)
        search.kick(random.Random(_SEED), 2 * work.kicks, cancelled)
        return search
    search.fit([[block] for block in range(len(graph)) if block not in kept.heights], cancelled)
    settled = Search(moves, search.orders)
    settled.settle(1, cancelled)
    return settled if search.crossings - settled.crossings > _WORTH_MOVING else search


def _found(graph: BlockGraph, quality: str, cancelled: Poll | None) -> Draft | Search:
    """The best of many orders: of all drafts some are settled, of those some are kicked."""
    ranks = _rank_candidates(graph, quality, cancelled)
    layereds = [into_layers(graph, each) for each in ranks]
    work = affordable(layereds, quality)
    share = work and work.shared(len(ranks))
    found = [draft for layered in layereds for draft in drafts(layered, share, cancelled)]
    if work is None:
        return min(found, key=_badness)
    chosen = sorted(found, key=_badness)[: work.finalists]
    if work.plain:
        chosen += [draft for draft in found if draft.plain and draft not in chosen]
    searches = [draft if draft.moves is None else Search(draft.moves, draft.orders) for draft in chosen]
    for search in searches:
        if isinstance(search, Search):
            search.settle(work.rounds, cancelled)
    kicked = sorted(searches, key=_badness)[: work.kicked]
    for search in kicked:
        if isinstance(search, Search):
            search.kick(random.Random(_SEED), work.kicks, cancelled)
    return min(kicked, key=_badness)


def _badness(found: Draft | Search) -> int:
    """Crossings times the number of steps: few crossings are bought with longer edges, but not at any price."""
    return (found.crossings + 2) * len(found.layered.weight)


def _rank_candidates(graph: BlockGraph, quality: str, cancelled: Poll | None) -> list[list[int]]:
    """The shortest ranks and, for small graphs, the latest: edges a little longer, often fewer crossings."""
    latest = latest_ranks(graph)
    shortest = shortest_ranks(graph, latest, _PIVOTS_PER_BLOCK * len(graph), cancelled)
    if quality == "quick" or len(graph) > _BOTH_RANKS or shortest == latest:
        return [shortest]
    too_long = span(graph, latest) > _LONGEST * span(graph, shortest)
    return [shortest] if too_long else [shortest, latest]
