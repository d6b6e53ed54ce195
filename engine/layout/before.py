"""The drawing before this one: what an edited graph takes over from it, so that a reader finds everything again.

Blocks that were there keep their column unless an edge pushes them on, their order, and, as far as straight edges allow
it, their height; the finished drawing is moved so that half of the old nodes stand exactly where they stood.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median

from engine.layout.blocks import BlockGraph
from engine.layout.layers import Layered
from engine.layout.ordering import Orders
from engine.layout.placed import Edge, LayoutError, Placed, Point
from engine.layout.ranks import span
from engine.layout.routes import Drawing

_SAME_COLUMN = 1.0
_LONGER = 1.4
_LONGER_BY = 3


@dataclass(frozen=True, slots=True)
class Before:
    """Places and routes as they were; x along the direction of reading, y across it.

    Attributes:
        positions: the centre of every node.
        routes: the polyline of every edge, where it is known.
        rough: whether that was a quick layout, which may still be improved.
    """

    positions: Mapping[Hashable, Point]
    routes: Mapping[Edge, Sequence[Point]] = field(default_factory=dict)
    rough: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What one connected graph finds of itself in the drawing before.

    Attributes:
        heights: the old heights of the blocks that were there.
        ends: where those blocks ended, along the direction of reading.
        before: the whole of it.
    """

    heights: Mapping[int, float]
    ends: Mapping[int, float]
    before: Before


def recall(previous: Placed | Mapping[Hashable, Point] | None, direction: str) -> Before | None:
    """The previous drawing in the orientation of the new one; None when there is nothing to take over.

    Raises:
        LayoutError: a node stood nowhere (nan or infinity).
    """
    if not previous:
        return None
    positions = previous.positions if isinstance(previous, Placed) else previous
    for node, (x, y) in positions.items():
        if not (isfinite(x) and isfinite(y)):
            raise LayoutError(f"the previous place of node {node!r} is two finite numbers, not {(x, y)!r}")
    routes = previous.routes if isinstance(previous, Placed) else {}
    rough = isinstance(previous, Placed) and previous.quality == "quick"
    if direction == "right":
        return Before(positions, routes, rough)
    turned = {edge: [(y, x) for x, y in points] for edge, points in routes.items()}
    return Before({node: (y, x) for node, (x, y) in positions.items()}, turned, rough)


def find(graph: BlockGraph, before: Before | None) -> Kept | None:
    """What was there of a graph; None when that is less than half of it, or its columns tell nothing."""
    ends = _ends(graph, before)
    if before is None or len(ends) * 2 < len(graph) or row_length(graph, before) is not None:
        return None
    heights = {number: before.positions[graph.blocks[number].nodes[-1]][1] for number in ends}
    return Kept(heights, ends, before)


def row_length(graph: BlockGraph, before: Before | None) -> float | None:
    """How long the rows of the drawing before were, in pixels; None when it was in one row."""
    ends = _ends(graph, before)
    known = (edge for edge in graph.weights if edge[0] in ends and edge[1] in ends)
    if all(ends[source] < ends[target] for source, target in known):
        return None
    return max(ends.values()) - min(ends.values())


def _ends(graph: BlockGraph, before: Before | None) -> dict[int, float]:
    """Where the blocks that were there ended, along the direction of reading."""
    if before is None:
        return {}
    places = ((number, block, before.positions.get(block.nodes[-1])) for number, block in enumerate(graph.blocks))
    return {number: place[0] + block.lengths[-1] / 2 for number, block, place in places if place is not None}


def kept_ranks(graph: BlockGraph, kept: Kept, shortest: list[int]) -> list[int]:
    """The old columns, blocks pushed on where an edge demands it; the shortest ranks when that made edges too long."""
    columns: list[float] = []
    for end in sorted(kept.ends.values()):
        if not columns or end - columns[-1] > _SAME_COLUMN:
            columns.append(end)
    ranks = [0] * len(graph)
    for block, operands in enumerate(graph.inputs):
        old = bisect_left(columns, kept.ends[block] - _SAME_COLUMN) if block in kept.ends else 0
        ranks[block] = max([old, *(ranks[operand] + 1 for operand in operands)])
    for block in reversed(range(len(graph))):
        if graph.outputs[block] and not graph.inputs[block]:
            ranks[block] = min(ranks[consumer] for consumer in graph.outputs[block]) - 1
    first = min(ranks)
    ranks = [rank - first for rank in ranks]
    return ranks if span(graph, ranks) <= _LONGER * span(graph, shortest) + _LONGER_BY else shortest


def kept_order(layered: Layered, kept: Kept) -> Orders:
    """Every layer by old heights; what is new stands at the mean of its neighbours."""
    y: dict[int, float] = dict(kept.heights)
    blocks = range(len(layered.graph))
    for order in (blocks, reversed(blocks), blocks):
        for block in order:
            around = [*layered.graph.inputs[block], *layered.graph.outputs[block]]
            known = [y[other] for other in around if other in y]
            if block not in y and known:
                y[block] = sum(known) / len(known)
    for chain in layered.chains.values():
        _bend_heights(layered, kept, chain, y)
    return [sorted(members, key=lambda vertex: (y.get(vertex, 0.0), vertex)) for members in layered.members]


def settled(drawing: Drawing, before: Before) -> Drawing:
    """The drawing moved to where most of it was."""
    known = [node for node in drawing.positions if node in before.positions]
    if not known:
        return drawing
    dx = median(before.positions[node][0] - drawing.positions[node][0] for node in known)
    dy = median(before.positions[node][1] - drawing.positions[node][1] for node in known)
    return drawing.moved(dx, dy)


def _bend_heights(layered: Layered, kept: Kept, chain: Sequence[int], y: dict[int, float]) -> None:
    """Bends stand where the edge ran, or on the straight line between its ends."""
    source, target = layered.graph.blocks[chain[0]], layered.graph.blocks[chain[-1]]
    route = kept.before.routes.get((source.nodes[-1], target.nodes[0]))
    first, last = y.get(chain[0], 0.0), y.get(chain[-1], 0.0)
    for index, bend in enumerate(chain[1:-1], start=1):
        share = index / (len(chain) - 1)
        y[bend] = first + (last - first) * share
        if route is not None:
            y[bend] = _height_at(route, route[0][0] + (route[-1][0] - route[0][0]) * share)


def _height_at(route: Sequence[Point], x: float) -> float:
    index = min(bisect_left([point[0] for point in route], x), len(route) - 1)
    return route[index][1]
