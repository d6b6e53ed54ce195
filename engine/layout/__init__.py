"""Layered layout of a computation graph: `layout` turns sizes and edges into positions and curves.

`pipeline` runs the steps, one module each: `overlong_edges` takes out what spans too much, `blocks` joins operations
with their results, `layering` finds the layers and cuts long edges, `crossing_reduction` orders the layers,
`coordinates` and `balance` place the vertices, `routes` draws, `folding` wraps what is far too long, `packing` puts
components together, `twins` sorts what the edges cannot tell apart; `incremental` takes over what it can from the
previous drawing. `network_simplex` is the optimiser behind layers and coordinates; `initial_orders`, `ordering`,
`insertion`, `reinsertion`, `local_search` and `effort` are what an order is found with. `fallback` is the plain drawing
for when all else fails. `registry` names this layout and those of networkx, which `by_positions` gives room and edges.
DESIGN.md tells the sources, the figures, and what was tried and left.
"""

from engine.layout.fallback import fallback_layout
from engine.layout.pipeline import layout, progressive_layout
from engine.layout.registry import LAYOUTS, LayoutEntry, drawings, why_not
from engine.layout.result import CyclicGraphError, Layout, LayoutCancelled, LayoutError

__all__ = [
    "LAYOUTS",
    "CyclicGraphError",
    "Layout",
    "LayoutCancelled",
    "LayoutEntry",
    "LayoutError",
    "drawings",
    "fallback_layout",
    "layout",
    "progressive_layout",
    "why_not",
]
