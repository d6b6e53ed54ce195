"""Blocks in layers, and long edges cut into steps from one layer to the next."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.layout.blocks import BlockGraph


@dataclass(slots=True)
class Layered:
    """A graph in which every edge leads from one layer to the next.

    The vertices are the blocks, under their own numbers, and after them the *bends*: one for every layer that an edge
    passes through without stopping.

    Attributes:
        graph: the blocks.
        layer: the layer of every vertex, from 0.
        members: the vertices of every layer, not in any order.
        before: the neighbours of every vertex in the layer before its own, in the order of the operands.
        after: the neighbours in the layer after its own.
        weight: how many parallel edges a step stands for.
        chains: the vertices that every edge of the blocks runs through, both ends included.
    """

    graph: BlockGraph
    layer: list[int]
    members: list[list[int]]
    before: list[list[int]]
    after: list[list[int]]
    weight: dict[tuple[int, int], int]
    chains: dict[tuple[int, int], list[int]]

    def __len__(self) -> int:
        return len(self.layer)

    def is_bend(self, vertex: int) -> bool:
        """Whether the vertex is a place on an edge rather than a block."""
        return vertex >= len(self.graph)

    def across(self, vertex: int) -> float:
        """The breadth of a vertex in pixels; 0 for a bend."""
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
    bends = []
    for rank in range(layered.layer[source] + 1, layered.layer[target]):
        bends.append(len(layered.layer))
        layered.layer.append(rank)
        layered.members[rank].append(bends[-1])
        layered.before.append([])
        layered.after.append([])
    chain = [source, *bends, target]
    layered.chains[source, target] = chain
    for here, there in pairwise(chain):
        layered.after[here].append(there)
        layered.before[there].append(here)
        layered.weight[here, there] = layered.graph.weights[source, target]
