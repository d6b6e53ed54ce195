"""Layered layout of a computation graph: `layout` turns sizes and edges into positions and curves.

The steps, in the order in which `pipeline` runs them: `blocks` joins operations with their results, `layering` finds
the layers and cuts long edges, `ordering` orders the layers with few crossings (by the moves of `local_search`),
`placement` gives every vertex its coordinate and puts components together, `routing` draws the edges and wraps what is
far too long. `incremental` takes over what it can from the previous drawing. `network_simplex` is the optimiser behind
layers and coordinates. `registry` names this layout and those of networkx; `networkx_layouts` gives the points of the
latter room and edges, which `visibility` leads around boxes. DESIGN.md tells the sources, the figures, and what was
tried and left.
"""

from engine.layout.pipeline import fallback_layout, layout, progressive_layout
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
