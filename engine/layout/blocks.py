"""From nodes to blocks: an operation and its result are laid out as one.

The circle of an operation always stands `OP_GAP` pixels before the box of its result, so the two are one block with one
entrance (the circle's) and one exit (the box's). That halves the graph and keeps every operation beside its result. A
block has a length *along* the direction of reading and a breadth *across* it; nothing after this module knows whether
that direction is right or down.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from math import isfinite

import networkx as nx

from engine.layout.result import CyclicGraphError, LayoutError

OP_GAP = 16.0


@dataclass(frozen=True, slots=True)
class Block:
    """One box, or an operation with its result.

    Attributes:
        nodes: the nodes inside, in reading order (one or two).
        lengths: their lengths along the direction of reading, in pixels.
        across: the breadth of the block, in pixels.
    """

    nodes: tuple[Hashable, ...]
    lengths: tuple[float, ...]
    across: float

    @property
    def along(self) -> float:
        """The length of the whole block, in pixels."""
        return sum(self.lengths) + OP_GAP * (len(self.lengths) - 1)


@dataclass(slots=True)
class BlockGraph:
    """A graph of blocks, numbered so that every edge goes from a lower to a higher number.

    Attributes:
        blocks: the blocks by number.
        inputs: the numbers each block reads, in the order of its operands.
        outputs: the numbers each block is read by.
        weights: number of parallel edges that an edge stands for.
    """

    blocks: list[Block] = field(default_factory=list)
    inputs: list[list[int]] = field(default_factory=list)
    outputs: list[list[int]] = field(default_factory=list)
    weights: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.blocks)

    def add(self, block: Block) -> None:
        """Append a block without edges."""
        self.blocks.append(block)
        self.inputs.append([])
        self.outputs.append([])

    def connect(self, source: int, target: int, weight: int) -> None:
        """Append an edge between two blocks."""
        self.inputs[target].append(source)
        self.outputs[source].append(target)
        self.weights[source, target] = weight


def contract(digraph: nx.DiGraph, direction: str) -> BlockGraph:
    """Turn a graph of nodes into a graph of blocks.

    Raises:
        CyclicGraphError: the graph has a cycle.
        LayoutError: a node has no usable width or height, or an edge no usable multiplicity.
    """
    if not isinstance(digraph, nx.DiGraph):
        raise LayoutError(f"a networkx DiGraph or MultiDiGraph can be laid out, not a {type(digraph).__name__}")
    try:
        nodes = list(nx.topological_sort(digraph))
    except nx.NetworkXUnfeasible:
        cycle = [source for source, _ in nx.find_cycle(digraph)]
        names = " -> ".join(repr(node) for node in [*cycle, cycle[0]])
        raise CyclicGraphError(f"a computation graph has no cycles, this one has: {names}") from None
    along, across = ("width", "height") if direction == "right" else ("height", "width")
    graph = BlockGraph()
    number: dict[Hashable, int] = {}
    for node in nodes:
        if node in number:
            continue
        members: tuple[Hashable, ...] = (node,)
        if digraph.nodes[node].get("kind") == "op" and len(digraph.succ[node]) == 1:
            (result,) = digraph.succ[node]
            if len(digraph.pred[result]) == 1 and digraph.nodes[result].get("kind") != "op":
                members = (node, result)
        number.update(dict.fromkeys(members, len(graph)))
        lengths = tuple(_pixels(digraph, member, along) for member in members)
        graph.add(Block(members, lengths, max(_pixels(digraph, member, across) for member in members)))
    for node in number:
        for operand in digraph.pred[node]:
            if number[operand] != number[node]:
                graph.connect(number[operand], number[node], multiplicity(digraph, operand, node))
    return graph


def multiplicity(digraph: nx.DiGraph, source: Hashable, target: Hashable) -> int:
    """Number of parallel edges from one node to another, all those of a multigraph together.

    Raises:
        LayoutError: it is given, and not a whole number from 1 on.
    """
    data = digraph.pred[target][source]
    counts = [each.get("multiplicity", 1) for each in (data.values() if digraph.is_multigraph() else (data,))]
    for count in counts:
        if not isinstance(count, int) or count < 1:
            raise LayoutError(
                f"the multiplicity of {source!r} -> {target!r} is a whole number from 1 on, not {count!r}"
            )
    return sum(counts)


def connected_components(graph: BlockGraph) -> list[BlockGraph]:
    """The connected components, each numbered in the order of the whole."""
    component = [-1] * len(graph)
    parts: list[BlockGraph] = []
    for start in range(len(graph)):
        if component[start] >= 0:
            continue
        component[start] = len(parts)
        found = [start]
        for block in found:
            for neighbour in (*graph.inputs[block], *graph.outputs[block]):
                if component[neighbour] < 0:
                    component[neighbour] = len(parts)
                    found.append(neighbour)
        parts.append(BlockGraph())
    renumbered = [0] * len(graph)
    for number, each in enumerate(graph.blocks):
        part = parts[component[number]]
        renumbered[number] = len(part)
        part.add(each)
    for target, operands in enumerate(graph.inputs):
        for source in operands:
            weight = graph.weights[source, target]
            parts[component[target]].connect(renumbered[source], renumbered[target], weight)
    return parts


def _pixels(digraph: nx.DiGraph, node: Hashable, attribute: str) -> float:
    size = digraph.nodes[node].get(attribute)
    if not isinstance(size, (int, float)) or not isfinite(size) or size < 0:
        raise LayoutError(f"node {node!r} needs a {attribute} in pixels, 0 or more; it has {size!r}")
    return float(size)
