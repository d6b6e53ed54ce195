"""Layer assignment: a layer for every block, and long edges cut into segments from one layer to the next.

Some edges span too many layers for that: a leaf used in every line of a program of 2,500 operations makes 3,000,000
dummy vertices, hours of search and gigabytes. Above `MAX_DUMMIES` the longest edges are left out of the layout and
drawn straight to where they lead, under whatever stands there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

import networkx as nx

from engine.layout.blocks import BlockGraph, multiplicity
from engine.layout.network_simplex import NetworkSimplex
from engine.layout.result import CancelCheck, Cubic, Layout, NodePair, Point

_PIVOTS_PER_BLOCK = 20

MAX_DUMMIES = 15_000
"""Layers that all edges together may pass through, parallel edges counted one by one.

The ranks are chosen for the least such sum, and begin with those that are counted here: there are never more dummy
vertices.
"""
LEVEL_ENDS = 40.0
"""Length of the horizontal start and end of a straight edge, pixels."""


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
        weight: number of parallel edges that a segment stands for.
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
            dummies = []
            for rank in range(ranks[source] + 1, ranks[target]):
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
                layered.weight[here, there] = graph.weights[source, target]
    return layered


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


def overlong_edges(digraph: nx.DiGraph, max_dummies: int = MAX_DUMMIES) -> list[NodePair]:
    """The longest edges, as many as have to go that all others together pass through no more layers than that.

    The shortest edge into a node stays as long as there are others. What is not a graph without cycles has none: the
    layout says what is wrong with it.
    """
    if not isinstance(digraph, nx.DiGraph) or len(digraph) * digraph.number_of_edges() <= max_dummies:
        return []
    if not nx.is_directed_acyclic_graph(digraph):
        return []
    spans = _spans(digraph)
    dummies = {(u, v): span * multiplicity(digraph, u, v) for (u, v), span in spans.items()}
    total = sum(dummies.values())
    if total <= max_dummies:
        return []
    operands = {node: [(source, node) for source in digraph.pred[node]] for node in digraph}
    shortest = {min(edges, key=spans.__getitem__) for edges in operands.values() if edges}
    overlong = []
    longest_first = iter(sorted(spans, key=lambda edge: (edge in shortest, -spans[edge])))
    while total > max_dummies:
        edge = next(longest_first)
        if spans[edge]:
            overlong.append(edge)
            total -= dummies[edge]
    return overlong


def without(digraph: nx.DiGraph, overlong: Sequence[NodePair]) -> nx.DiGraph:
    """The graph as it is laid out: itself when there are no overlong edges."""
    if not overlong:
        return digraph
    near = digraph.copy()
    for source, target in overlong:
        near.remove_edges_from([(source, target)] * digraph.number_of_edges(source, target))
    return near


def _spans(digraph: nx.DiGraph) -> dict[NodePair, int]:
    """Number of layers that each edge passes when every value stands as close to its first use as it can.

    An operation stands in the layer of its result.
    """
    rank: dict[Hashable, int] = {}
    for node in reversed(list(nx.topological_sort(digraph))):
        first = min((rank[after] for after in digraph.succ[node]), default=1)
        rank[node] = first if digraph.nodes[node].get("kind") == "op" else first - 1
    return {(u, v): max(0, rank[v] - rank[u] - 1) for u, v in digraph.edges()}


def with_straight_edges(drawing: Layout, digraph: nx.DiGraph, overlong: Sequence[NodePair], direction: str) -> Layout:
    """The drawing with the edges that were left out; itself when there are none.

    They leave and enter nodes at the sides that edges use.
    """
    if not overlong:
        return drawing
    down = direction == "down"

    def beside(node: Hashable, towards: int, away: float) -> Point:
        x, y = drawing.positions[node]
        way = towards * (digraph.nodes[node]["height" if down else "width"] / 2 + away)
        return (x, y + way) if down else (x + way, y)

    added: dict[NodePair, list[Cubic]] = {}
    for u, v in overlong:
        added[u, v] = [(beside(u, 1, 0), beside(u, 1, LEVEL_ENDS), beside(v, -1, LEVEL_ENDS), beside(v, -1, 0))]
    x0, y0, x1, y1 = drawing.bounds
    xs, ys = zip(*(point for (curve,) in added.values() for point in curve), strict=True)
    bounds = (min(x0, *xs), min(y0, *ys), max(x1, *xs), max(y1, *ys))
    return replace(drawing, curves={**drawing.curves, **added}, bounds=bounds)
