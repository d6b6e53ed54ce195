"""Layouts of graphs whose edges span so many layers that leading each of them through all of those would never end.

A leaf that is used in every line of a long program has an edge to each of them, and every edge bends once in every
layer that it passes: 2,500 operations in a row make 600,000 bends, hours of search and gigabytes. Above a number of
bends that can be laid out in seconds the longest edges are left out of the layout and drawn straight to where they
lead, under whatever stands there. What an operation is next to is always laid out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import networkx as nx

from engine.graph.layout import Placed
from engine.graph.layout import passes as layout_passes
from engine.graph.layout.placed import Cubic, Edge, Point, Poll

MOST_BENDS = 30_000
"""Layers that all edges together may pass through."""
LEVEL_ENDS = 40.0
"""How far a straight edge leaves and arrives level, pixels."""


def passes(
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Placed | None = None,
    fold: bool = False,
    cancelled: Poll | None = None,
) -> Iterator[Placed]:
    """Lays out a graph as `engine.graph.layout.passes` does, within seconds whatever its edges span.

    Args:
        digraph, direction, previous, fold, cancelled: as there.

    Yields:
        one drawing or two, as soon as they are there.

    Raises:
        as `engine.graph.layout.layout`.
    """
    far = far_edges(digraph)
    near = digraph
    if far:
        near = digraph.copy()
        near.remove_edges_from(far)
    for placed in layout_passes(near, direction=direction, previous=previous, fold=fold, cancelled=cancelled):
        yield _with_straight_edges(placed, digraph, far, direction) if far else placed


def far_edges(digraph: nx.DiGraph, most_bends: int = MOST_BENDS) -> list[Edge]:
    """The longest edges, as many as have to go that all others together pass through no more layers than that.

    The shortest edge into a node always stays.
    """
    if not nx.is_directed_acyclic_graph(digraph):
        return []  # the layout says what is wrong
    spans = _spans(digraph)
    total = sum(spans.values())
    if total <= most_bends:
        return []
    shortest = {min(digraph.in_edges(node), key=spans.__getitem__) for node in digraph if digraph.in_degree(node)}
    far = []
    for edge in sorted(spans.keys() - shortest, key=spans.__getitem__, reverse=True):
        if total <= most_bends or not spans[edge]:
            break
        far.append(edge)
        total -= spans[edge]
    return far


def _spans(digraph: nx.DiGraph) -> dict[Edge, int]:
    """Through how many layers each edge passes when every value stands as close to its first use as it can.

    An operation stands in the layer of its result.
    """
    rank: dict[object, int] = {}
    for node in reversed(list(nx.topological_sort(digraph))):
        first = min((rank[after] for after in digraph.succ[node]), default=1)
        rank[node] = first if digraph.nodes[node]["kind"] == "op" else first - 1
    return {(u, v): max(0, rank[v] - rank[u] - 1) for u, v in digraph.edges}


def _with_straight_edges(placed: Placed, digraph: nx.DiGraph, far: list[Edge], direction: str) -> Placed:
    curves, routes = dict(placed.curves), dict(placed.routes)
    for edge in far:
        curve = _straight(digraph, placed, edge, direction == "down")
        curves[edge] = [curve]
        routes[edge] = list(curve)
    x0, y0, x1, y1 = placed.bounds
    points = [point for edge in far for point in routes[edge]]
    xs, ys = [x for x, _y in points], [y for _x, y in points]
    bounds = (min(x0, *xs), min(y0, *ys), max(x1, *xs), max(y1, *ys))
    return replace(placed, curves=curves, routes=routes, bounds=bounds)


def _straight(digraph: nx.DiGraph, placed: Placed, edge: Edge, down: bool) -> Cubic:
    """Out of the side of the source, and into that of the target, that edges use."""

    def beside(node: object, towards: int, away: float) -> Point:
        x, y = placed.positions[node]
        way = towards * (digraph.nodes[node]["height" if down else "width"] / 2 + away)
        return (x, y + way) if down else (x + way, y)

    source, target = edge
    return beside(source, 1, 0), beside(source, 1, LEVEL_ENDS), beside(target, -1, LEVEL_ENDS), beside(target, -1, 0)
