"""Nodes that the edges cannot tell apart stand in the order in which the graph names them.

The neurons of a layer all have the same inputs and the same consumers, and so have the weights and the bias of one sum:
every order of them crosses equally often, so the search leaves them in any. Exchanging such nodes together with their
routes changes nothing but who stands where.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx

from engine.layout.blocks import multiplicity
from engine.layout.placed import Point
from engine.layout.routes import Drawing


def in_order(digraph: nx.DiGraph, drawing: Drawing, direction: str, settled: Mapping[Hashable, Point]) -> Drawing:
    """The drawing with interchangeable nodes of a column in the order of the graph.

    Args:
        digraph: what is drawn.
        drawing: its drawing, x along the direction of reading and y across it.
        direction: "right" or "down".
        settled: where nodes were that a reader knows where to find; they and their like stay where they are.
    """
    classes: dict[Any, list[Hashable]] = {}
    for node in digraph:
        if digraph.degree(node):
            classes.setdefault(_likeness(digraph, drawing, direction, node), []).append(node)
    place: dict[Hashable, Hashable] = {}
    for alike in classes.values():
        if len(alike) > 1 and not _known(alike, settled):
            place.update(zip(alike, sorted(alike, key=lambda node: drawing.positions[node][1]), strict=True))
    if not place:
        return drawing
    positions = {node: (x, drawing.positions[place.get(node, node)][1]) for node, (x, _) in drawing.positions.items()}
    curves = {(u, v): drawing.curves[place.get(u, u), place.get(v, v)] for u, v in drawing.curves}
    return replace(drawing, positions=positions, curves=curves)


def _known(alike: Sequence[Hashable], settled: Mapping[Hashable, Point]) -> bool:
    """Whether a reader knows one from the other: not when all came out of one box."""
    places = [settled[node] for node in alike if node in settled]
    return bool(places) and (len(places) < len(alike) or len(set(places)) > 1)


def _likeness(digraph: nx.DiGraph, drawing: Drawing, direction: str, node: Hashable) -> Any:
    """Equal for nodes that may change places; leaves may be of any length, for they all end where their column ends."""
    sizes = digraph.nodes[node]["width"], digraph.nodes[node]["height"]
    along, across = sizes if direction == "right" else sizes[::-1]
    before = frozenset((source, multiplicity(digraph, source, node)) for source in digraph.pred[node])
    after = frozenset((target, multiplicity(digraph, node, target)) for target in digraph.succ[node])
    end = round(drawing.positions[node][0] + along / 2, 3)
    return before, after, across, end, along if before else None
