"""Twins, nodes with the same neighbours, stand in the order in which the graph names them.

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
from engine.layout.result import Point
from engine.layout.routes import ComponentLayout


def sort_twins(
    digraph: nx.DiGraph, drawing: ComponentLayout, direction: str, known: Mapping[Hashable, Point]
) -> ComponentLayout:
    """The drawing with interchangeable nodes of a column in the order of the graph.

    Args:
        digraph: what is drawn.
        drawing: its drawing, x along the direction of reading and y across it.
        direction: "right" or "down".
        known: where nodes were that a reader knows where to find; they and their twins stay where they are.
    """
    classes: dict[Any, list[Hashable]] = {}
    for node in digraph:
        if digraph.degree(node):
            classes.setdefault(_likeness(digraph, drawing, direction, node), []).append(node)
    stands_at: dict[Hashable, Hashable] = {}
    for alike in classes.values():
        if len(alike) > 1 and not _is_known(alike, known):
            stands_at.update(zip(alike, sorted(alike, key=lambda node: drawing.positions[node][1]), strict=True))
    if not stands_at:
        return drawing
    positions = {
        node: (x, drawing.positions[stands_at.get(node, node)][1]) for node, (x, _) in drawing.positions.items()
    }
    curves = {(u, v): drawing.curves[stands_at.get(u, u), stands_at.get(v, v)] for u, v in drawing.curves}
    return replace(drawing, positions=positions, curves=curves)


def _is_known(alike: Sequence[Hashable], known: Mapping[Hashable, Point]) -> bool:
    """True when a reader can distinguish the two: not when all came out of one box."""
    positions = [known[node] for node in alike if node in known]
    return bool(positions) and (len(positions) < len(alike) or len(set(positions)) > 1)


def _likeness(digraph: nx.DiGraph, drawing: ComponentLayout, direction: str, node: Hashable) -> Any:
    """Equal for nodes that may change places; leaves may be of any length, for they all end where their column ends."""
    sizes = digraph.nodes[node]["width"], digraph.nodes[node]["height"]
    along, across = sizes if direction == "right" else sizes[::-1]
    before = frozenset((source, multiplicity(digraph, source, node)) for source in digraph.pred[node])
    after = frozenset((target, multiplicity(digraph, node, target)) for target in digraph.succ[node])
    end = round(drawing.positions[node][0] + along / 2, 3)
    return before, after, across, end, along if before else None
