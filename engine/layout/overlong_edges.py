"""Edges that span so many layers that leading each of them through all of those would never end.

A leaf that is used in every line of a long program has an edge to each of them, and every edge needs a dummy vertex in
every layer that it passes: 2,500 operations in a row make 3,000,000 of them, hours of search and gigabytes. Above a
number that can be laid out in seconds the longest edges are left out of the layout and drawn straight to where they
lead, under whatever stands there. The shortest edge into an operation goes last.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import networkx as nx

from engine.layout.blocks import multiplicity
from engine.layout.result import Cubic, Layout, NodePair, Point

MAX_DUMMIES = 15_000
"""Layers that all edges together may pass through, parallel edges counted one by one.

The ranks are chosen for the least such sum, and begin with those that are counted here: there are never more dummy
vertices.
"""
LEVEL_ENDS = 40.0
"""Length of the horizontal start and end of a straight edge, pixels."""


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
    for edge in sorted(spans, key=lambda edge: (edge in shortest, -spans[edge])):
        if total <= max_dummies:
            break
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
    """Through how many layers each edge passes when every value stands as close to its first use as it can.

    An operation stands in the layer of its result.
    """
    rank: dict[Hashable, int] = {}
    for node in reversed(list(nx.topological_sort(digraph))):
        first = min((rank[after] for after in digraph.succ[node]), default=1)
        rank[node] = first if digraph.nodes[node].get("kind") == "op" else first - 1
    return {(u, v): max(0, rank[v] - rank[u] - 1) for u, v in digraph.edges()}


def with_straight_edges(drawing: Layout, digraph: nx.DiGraph, overlong: Sequence[NodePair], direction: str) -> Layout:
    """The drawing with the edges that were left out; itself when there are none."""
    if not overlong:
        return drawing
    added = {edge: [_straight(digraph, drawing, edge, direction == "down")] for edge in overlong}
    x0, y0, x1, y1 = drawing.bounds
    points = [point for (curve,) in added.values() for point in curve]
    xs, ys = [x for x, _y in points], [y for _x, y in points]
    bounds = (min(x0, *xs), min(y0, *ys), max(x1, *xs), max(y1, *ys))
    return replace(drawing, curves={**drawing.curves, **added}, bounds=bounds)


def _straight(digraph: nx.DiGraph, drawing: Layout, edge: NodePair, down: bool) -> Cubic:
    """Leave the source, and enter the target, at the sides that edges use."""

    def beside(node: Hashable, towards: int, away: float) -> Point:
        x, y = drawing.positions[node]
        way = towards * (digraph.nodes[node]["height" if down else "width"] / 2 + away)
        return (x, y + way) if down else (x + way, y)

    source, target = edge
    return beside(source, 1, 0), beside(source, 1, LEVEL_ENDS), beside(target, -1, LEVEL_ENDS), beside(target, -1, 0)
