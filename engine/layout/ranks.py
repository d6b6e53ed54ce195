"""Which layer every block stands in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from engine.layout.blocks import BlockGraph
from engine.layout.placed import Poll
from engine.layout.simplex import Tension


def latest_ranks(graph: BlockGraph) -> list[int]:
    """Every block as late as its consumers let it: leaves stand next to their first use."""
    ranks = [0] * len(graph)
    for block in reversed(range(len(graph))):
        ranks[block] = min((ranks[consumer] for consumer in graph.outputs[block]), default=0) - 1
    return _from_zero(ranks)


def shortest_ranks(graph: BlockGraph, start: list[int], pivots: int, cancelled: Poll | None = None) -> list[int]:
    """The ranks with the shortest edges in total, by network simplex.

    Args:
        graph: the blocks.
        start: feasible ranks to begin with.
        pivots: how many improvements to make at most; stopping early leaves feasible ranks.
        cancelled: polled on the way.
    """
    order, core = _strip(graph)
    number = {block: index for index, block in enumerate(core)}
    arcs = [
        (number[source], number[target], 1.0, -inf, float(weight))
        for (source, target), weight in graph.weights.items()
        if source in number and target in number
    ]
    problem = Tension(arcs, [float(start[block]) for block in core])
    problem.solve(pivots, cancelled)
    ranks = list(start)
    for block, y in zip(core, problem.y, strict=True):
        ranks[block] = round(y)
    for block, neighbour in reversed(order):
        ranks[block] = ranks[neighbour] + (-1 if (block, neighbour) in graph.weights else 1)
    return _from_zero(ranks)


def span(graph: BlockGraph, ranks: Sequence[int]) -> int:
    """How many layers all edges together run through."""
    return sum(weight * (ranks[target] - ranks[source]) for (source, target), weight in graph.weights.items())


def _strip(graph: BlockGraph) -> tuple[list[tuple[int, int]], list[int]]:
    """Take off blocks that hang on a single edge, again and again: they always stand right beside their neighbour.

    Returns:
        the blocks taken off, each with the neighbour it hung on, and the blocks that remain.
    """
    around = [[*graph.inputs[block], *graph.outputs[block]] for block in range(len(graph))]
    degree = [len(neighbours) for neighbours in around]
    gone = [False] * len(graph)
    order: list[tuple[int, int]] = []
    waiting = [block for block in range(len(graph)) if degree[block] == 1]
    for block in waiting:
        neighbour = next((other for other in around[block] if not gone[other]), None)
        if neighbour is not None:
            gone[block] = True
            order.append((block, neighbour))
            degree[neighbour] -= 1
            if degree[neighbour] == 1:
                waiting.append(neighbour)
    return order, [block for block in range(len(graph)) if not gone[block]]


def _from_zero(ranks: Iterable[int]) -> list[int]:
    ranks = list(ranks)
    first = min(ranks, default=0)
    return [rank - first for rank in ranks]
