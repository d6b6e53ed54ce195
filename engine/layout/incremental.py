"""Incremental layout: an edited graph takes over what it can from the previous drawing.

Blocks that were there keep their column unless an edge pushes them on, their order, and, as far as straight edges allow
it, their height; the finished drawing is moved so that half of the old nodes stand exactly where they stood.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import isfinite
from statistics import median

from engine.layout.blocks import BlockGraph
from engine.layout.crossings import Adjacency, Orders
from engine.layout.layering import Layered, into_layers, latest_ranks, shortest_ranks, span
from engine.layout.local_search import LocalSearch, Moves
from engine.layout.ordering import MAX_MATRIX_BYTES, Candidate, count_crossings, effort, matrix_bytes
from engine.layout.result import CancelCheck, ComponentLayout, Layout, LayoutError, Point

_SAME_COLUMN = 1.0
_LONGER = 1.4
_LONGER_BY = 3
_WORTH_MOVING = 1
_EDIT_SEARCHES = 3
_SEED = 18


@dataclass(frozen=True, slots=True)
class Known:
    """Parts of one connected graph that appear in the previous drawing.

    Attributes:
        y: the old centres, across the direction of reading, of the blocks that were there.
        ends: where those blocks ended, along the direction of reading.
        previous: the whole of it, x along the direction of reading and y across it.
    """

    y: Mapping[int, float]
    ends: Mapping[int, float]
    previous: Layout


def oriented(previous: Layout | Mapping[Hashable, Point] | None, direction: str) -> Layout | None:
    """The previous drawing, or its positions, with x along the direction of the new one; None for none.

    Raises:
        LayoutError: a node stood nowhere (nan or infinity).
    """
    if not previous:
        return None
    drawing = previous if isinstance(previous, Layout) else Layout(previous)
    for node, (x, y) in drawing.positions.items():
        if not (isfinite(x) and isfinite(y)):
            raise LayoutError(f"the previous place of node {node!r} is two finite numbers, not {(x, y)!r}")
    return drawing if direction == "right" else drawing.turned()


def known_blocks(graph: BlockGraph, previous: Layout | None) -> Known | None:
    """Known blocks of a graph; None when fewer than half are known, or their columns give no order."""
    ends = _ends(graph, previous)
    if previous is None or len(ends) * 2 < len(graph) or row_length(graph, previous) is not None:
        return None
    y = {number: previous.positions[graph.blocks[number].nodes[-1]][1] for number in ends}
    return Known(y, ends, previous)


def row_length(graph: BlockGraph, previous: Layout | None) -> float | None:
    """Length of the previous drawing's rows in pixels; None when it was in one row."""
    ends = _ends(graph, previous)
    edges = (edge for edge in graph.weights if edge[0] in ends and edge[1] in ends)
    if all(ends[source] < ends[target] for source, target in edges):
        return None
    return max(ends.values()) - min(ends.values())


def _ends(graph: BlockGraph, previous: Layout | None) -> dict[int, float]:
    """End of each known block, along the direction of reading."""
    if previous is None:
        return {}
    centres = ((number, block, previous.positions.get(block.nodes[-1])) for number, block in enumerate(graph.blocks))
    return {number: centre[0] + block.lengths[-1] / 2 for number, block, centre in centres if centre is not None}


def updated_order(
    graph: BlockGraph, known: Known, quality: str, cancelled: CancelCheck | None
) -> Candidate | LocalSearch:
    """The order as it was, with new nodes and the routes of edges where they cross least.

    Old nodes change places only where that saves many crossings. After a quick drawing everything is improved, with
    more perturbations.
    """
    shortest = shortest_ranks(graph, latest_ranks(graph), cancelled)
    layered = into_layers(graph, _kept_ranks(graph, known, shortest))
    orders = _kept_order(layered, known)
    crossings = count_crossings(layered, orders)
    if not crossings or matrix_bytes(layered, 1, _EDIT_SEARCHES) > MAX_MATRIX_BYTES:
        return Candidate(layered, orders, crossings)
    moves = Moves(Adjacency(layered))
    search = LocalSearch(moves, orders)
    if quality == "full" and known.previous.quality == "quick":
        work = effort(layered, quality)
        search.improve(work.rounds, cancelled)
        search.perturb(random.Random(_SEED), 2 * work.perturbations, cancelled)
        return search
    search.place_paths([[block] for block in range(len(graph)) if block not in known.y], cancelled)
    improved = LocalSearch(moves, search.orders)
    improved.improve(1, cancelled)
    return improved if search.crossings - improved.crossings > _WORTH_MOVING else search


def _kept_ranks(graph: BlockGraph, known: Known, shortest: list[int]) -> list[int]:
    """The old columns, blocks pushed on where an edge demands it; the shortest ranks when that made edges too long."""
    columns: list[float] = []
    for end in sorted(known.ends.values()):
        if not columns or end - columns[-1] > _SAME_COLUMN:
            columns.append(end)
    ranks = [0] * len(graph)
    for block, operands in enumerate(graph.inputs):
        old = bisect_left(columns, known.ends[block] - _SAME_COLUMN) if block in known.ends else 0
        ranks[block] = max([old, *(ranks[operand] + 1 for operand in operands)])
    for block in reversed(range(len(graph))):
        if graph.outputs[block] and not graph.inputs[block]:
            ranks[block] = min(ranks[consumer] for consumer in graph.outputs[block]) - 1
    first = min(ranks)
    ranks = [rank - first for rank in ranks]
    return ranks if span(graph, ranks) <= _LONGER * span(graph, shortest) + _LONGER_BY else shortest


def _kept_order(layered: Layered, known: Known) -> Orders:
    """Every layer by the old y; new blocks stand at the mean of their neighbours.

    Dummy vertices stand where the edge ran, or on the straight line between its ends.
    """
    y: dict[int, float] = dict(known.y)
    blocks = range(len(layered.graph))
    for order in (blocks, reversed(blocks), blocks):
        for block in order:
            around = [*layered.graph.inputs[block], *layered.graph.outputs[block]]
            given = [y[other] for other in around if other in y]
            if block not in y and given:
                y[block] = sum(given) / len(given)
    for chain in layered.chains.values():
        source, target = layered.graph.blocks[chain[0]], layered.graph.blocks[chain[-1]]
        route = known.previous.routes.get((source.nodes[-1], target.nodes[0]))
        first, last = y.get(chain[0], 0.0), y.get(chain[-1], 0.0)
        for index, dummy in enumerate(chain[1:-1], start=1):
            share = index / (len(chain) - 1)
            y[dummy] = first + (last - first) * share
            if route is not None:
                x = route[0][0] + (route[-1][0] - route[0][0]) * share
                y[dummy] = route[min(bisect_left([point[0] for point in route], x), len(route) - 1)][1]
    return [sorted(members, key=lambda vertex: (y.get(vertex, 0.0), vertex)) for members in layered.members]


def aligned(drawing: ComponentLayout, previous: Layout) -> ComponentLayout:
    """The drawing moved to where most of it was."""
    nodes = [node for node in drawing.positions if node in previous.positions]
    if not nodes:
        return drawing
    dx = median(previous.positions[node][0] - drawing.positions[node][0] for node in nodes)
    dy = median(previous.positions[node][1] - drawing.positions[node][1] for node in nodes)
    return drawing.moved(dx, dy)
