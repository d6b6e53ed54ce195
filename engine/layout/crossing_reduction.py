"""Crossing reduction: layers and an order with as few crossings as can be found in a fixed number of rounds.

Many different initial orders are improved together by insertion, the best few by local search, the best one of these by
perturbations. Barycentre sweeps are not used where it can be avoided: they pull every start into the same basin. Only a
graph whose matrices would take too much memory has to do with them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.layout.blocks import BlockGraph
from engine.layout.effort import Effort, affordable
from engine.layout.initial_orders import barycentre_sweeps, count_crossings, from_leaves, from_results, spectral_orders
from engine.layout.insertion import OrderSet
from engine.layout.layering import Layered, into_layers, latest_ranks, shortest_ranks, span
from engine.layout.local_search import LocalSearch, Moves
from engine.layout.ordering import Adjacency, Orders
from engine.layout.result import CancelCheck

_SEED = 18
_SWEEPS = 40
_BOTH_RANKS = 130
_LONGEST = 1.16


@dataclass(frozen=True, slots=True)
class Candidate:
    """An order that may be improved further.

    Attributes:
        layered: the graph.
        orders: the order.
        crossings: how many pairs of segments cross.
        moves: what can be moved in it; None when it stays as it is, because nothing crosses or the matrices of a search
            would be too large.
        operand_order: whether it began in the order of the operands.
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
        work: how hard to try; None for a graph that is too large for a search.
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
    orders.improve(_SWEEPS, cancelled=cancelled)
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
