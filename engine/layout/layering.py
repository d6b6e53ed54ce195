"""Layer assignment: a layer for every block, and long edges cut into segments from one layer to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from engine.layout.blocks import BlockGraph
from engine.layout.network_simplex import NetworkSimplex
from engine.layout.result import CancelCheck

_PIVOTS_PER_BLOCK = 20


@dataclass(slots=True)
class Layered:
    """A graph in which every edge leads from one layer to the next.

    The vertices are the blocks, under their own numbers, and after them the *dummy vertices*: one for every layer that
    an edge passes through without stopping. An edge between two vertices of neighbouring layers is a *segment*.

    Attributes:
        graph: the blocks.
        layer: the layer of every vertex, from 0.
        members: the vertices of every layer, not in any order.
        predecessors: the neighbours of every vertex in the layer before its own, in the order of the operands.
        successors: the neighbours in the layer after its own.
        weight: how many parallel edges a segment stands for.
        chains: the vertices that every edge of the blocks runs through, both ends included.
    """

    graph: BlockGraph
    layer: list[int]
    members: list[list[int]]
    predecessors: list[list[int]]
    successors: list[list[int]]
    weight: dict[tuple[int, int], int]
    chains: dict[tuple[int, int], list[int]]

    def __len__(self) -> int:
        return len(self.layer)

    def is_dummy(self, vertex: int) -> bool:
        """True when the vertex is a point on an edge rather than a block."""
        return vertex >= len(self.graph)

    def across(self, vertex: int) -> float:
        """The breadth of a vertex in pixels; 0 for a dummy."""
        return 0.0 if vertex >= len(self.graph) else self.graph.blocks[vertex].across


def into_layers(graph: BlockGraph, ranks: list[int]) -> Layered:
    """Cut every edge that spans more than one rank.

    Args:
        graph: the blocks.
        ranks: the layer of every block; 0 is the first, and every edge goes to a higher one.
    """
    layered = Layered(graph, list(ranks), [], [[] for _ in ranks], [[] for _ in ranks], {}, {})
    layered.members = [[] for _ in range(max(ranks, default=-1) + 1)]
    for block, rank in enumerate(ranks):
        layered.members[rank].append(block)
    for target, operands in enumerate(graph.inputs):
        for source in operands:
            _add_chain(layered, source, target)
    return layered


def _add_chain(layered: Layered, source: int, target: int) -> None:
    dummies = []
    for rank in range(layered.layer[source] + 1, layered.layer[target]):
        dummies.append(len(layered.layer))
        layered.layer.append(rank)
        layered.members[rank].append(dummies[-1])
        layered.predecessors.append([])
        layered.successors.append([])
    chain = [source, *dummies, target]
    layered.chains[source, target] = chain
    for here, there in pairwise(chain):
        layered.successors[here].append(there)
        layered.predecessors[there].append(here)
        layered.weight[here, there] = layered.graph.weights[source, target]


def latest_ranks(graph: BlockGraph) -> list[int]:
    """Every block as late as its consumers let it: leaves stand next to their first use."""
    ranks = [0] * len(graph)
    for block in reversed(range(len(graph))):
        ranks[block] = min((ranks[consumer] for consumer in graph.outputs[block]), default=0) - 1
    return _from_zero(ranks)


def shortest_ranks(graph: BlockGraph, start: list[int], cancelled: CancelCheck | None = None) -> list[int]:
    """The ranks with the shortest edges in total, by network simplex; after `_PIVOTS_PER_BLOCK` the best so far.

    Args:
        graph: the blocks.
        start: feasible ranks to begin with.
        cancelled: polled on the way.
    """
    order, core = _strip(graph)
    number = {block: index for index, block in enumerate(core)}
    arcs = [
        (number[source], number[target], 1.0, -inf, float(weight))
        for (source, target), weight in graph.weights.items()
        if source in number and target in number
    ]
    problem = NetworkSimplex(arcs, [float(start[block]) for block in core])
    problem.solve(_PIVOTS_PER_BLOCK * len(graph), cancelled)
    ranks = list(start)
    for block, y in zip(core, problem.y, strict=True):
        ranks[block] = round(y)
    for block, neighbour in reversed(order):
        ranks[block] = ranks[neighbour] + (-1 if (block, neighbour) in graph.weights else 1)
    return _from_zero(ranks)


def span(graph: BlockGraph, ranks: Sequence[int]) -> int:
    """Number of layers that all edges together pass through."""
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
