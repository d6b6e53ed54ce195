"""Nodes that the edges cannot tell apart stand in the order in which the graph names them.

The neurons of a layer all have the same inputs and the same consumers: every order of them crosses equally often, so
the search leaves them in any. Exchanging such nodes together with their routes changes nothing but who stands where.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import replace
from typing import Any

import networkx as nx

from engine.graph.layout.blocks import multiplicity
from engine.graph.layout.routes import Drawing


def in_order(digraph: nx.DiGraph, drawing: Drawing, settled: Container[Hashable]) -> Drawing:
    """The drawing with interchangeable nodes of a column in the order of the graph.

    Args:
        digraph: what is drawn.
        drawing: its drawing, x along the direction of reading and y across it.
        settled: nodes that a reader knows where to find; they and their like stay where they are.
    """
    classes: dict[Any, list[Hashable]] = {}
    for node in digraph:
        if digraph.degree(node):
            classes.setdefault(_likeness(digraph, drawing, node), []).append(node)
    place: dict[Hashable, Hashable] = {}
    for alike in classes.values():
        if len(alike) > 1 and not any(node in settled for node in alike):
            place.update(zip(alike, sorted(alike, key=lambda node: drawing.positions[node][1]), strict=True))
    if not place:
        return drawing
    positions = {node: drawing.positions[place.get(node, node)] for node in drawing.positions}
    curves = {(u, v): drawing.curves[place.get(u, u), place.get(v, v)] for u, v in drawing.curves}
    return replace(drawing, positions=positions, curves=curves)


def _likeness(digraph: nx.DiGraph, drawing: Drawing, node: Hashable) -> Any:
    attributes = digraph.nodes[node]
    before = frozenset((source, multiplicity(digraph, source, node)) for source in digraph.pred[node])
    after = frozenset((target, multiplicity(digraph, node, target)) for target in digraph.succ[node])
    return before, after, attributes["width"], attributes["height"], round(drawing.positions[node][0], 3)
