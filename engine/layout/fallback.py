"""The plainest drawing there is, for when the layout fails: every node in the column after those it comes from.

Nothing is searched and nothing can go wrong: linear in the size of the graph, whatever is in it. Edges are straight.
"""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx

from engine.layout.result import Cubic, Layout, Point
from engine.layout.routes import straight

LAYER_GAP = 60.0
ROW_GAP = 18.0


def fallback_layout(digraph: nx.DiGraph, direction: str = "right") -> Layout:
    """Draw an acyclic graph in columns, top-down in rows.

    Args:
        digraph: nodes with `width` and `height` in pixels.
        direction: "right" or "down".
    """
    along, across = ("width", "height") if direction == "right" else ("height", "width")
    positions: dict[Hashable, Point] = {}
    start = 0.0
    for nodes in nx.topological_generations(digraph):
        longest = max(digraph.nodes[node][along] for node in nodes)
        y = 0.0
        for node in nodes:
            breadth = digraph.nodes[node][across]
            positions[node] = (start + longest / 2, y + breadth / 2)
            y += breadth + ROW_GAP
        start += longest + LAYER_GAP
    if direction == "down":
        positions = {node: (y, x) for node, (x, y) in positions.items()}
    curves = {(u, v): [_straight(digraph, positions, u, v, direction)] for u, v in digraph.edges()}
    return Layout(positions, curves, _bounds(digraph, positions), quality="quick")


def _straight(
    digraph: nx.DiGraph, positions: dict[Hashable, Point], source: Hashable, target: Hashable, direction: str
) -> Cubic:
    """Straight line from the side of one node to the side of the other."""
    (x0, y0), (x1, y1) = positions[source], positions[target]
    if direction == "right":
        x0, x1 = x0 + digraph.nodes[source]["width"] / 2, x1 - digraph.nodes[target]["width"] / 2
    else:
        y0, y1 = y0 + digraph.nodes[source]["height"] / 2, y1 - digraph.nodes[target]["height"] / 2
    return straight((x0, y0), (x1, y1))


def _bounds(digraph: nx.DiGraph, positions: dict[Hashable, Point]) -> tuple[float, float, float, float]:
    if not positions:
        return 0.0, 0.0, 0.0, 0.0
    sizes = [(x, y, digraph.nodes[n]["width"] / 2, digraph.nodes[n]["height"] / 2) for n, (x, y) in positions.items()]
    return (
        min(x - w for x, _, w, _ in sizes),
        min(y - h for _, y, _, h in sizes),
        max(x + w for x, _, w, _ in sizes),
        max(y + h for _, y, _, h in sizes),
    )
