"""Layered layout of a computation graph: `layout` turns sizes and edges into places and curves.

The steps, one module each: `far_edges` takes out what spans too much, `blocks` joins operations with their results,
`ranks` finds the layers, `layers` cuts long edges, `order` sorts the layers, `coordinates` and `balance` give heights,
`routes` draws, `folding` wraps what is far too long, `packing` puts components together, `twins` sorts what the edges
cannot tell apart; `arrange` runs them, and `before` takes over what it can from the drawing before. `simplex` is the
optimiser behind ranks and coordinates; `starts`, `ordering`, `insertion`, `paths` and `search` are what an order is
found with, `sweeps` where those would take too much memory. `columns` is the plain drawing for when all else fails.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

import networkx as nx

from engine.layout.arrange import arrange
from engine.layout.before import recall
from engine.layout.blocks import contract, split
from engine.layout.columns import columns
from engine.layout.far_edges import far_edges, with_straight_edges, without
from engine.layout.packing import pack, pack_around
from engine.layout.placed import CyclicGraphError, LayoutCancelled, LayoutError, Placed, Point, Poll
from engine.layout.routes import Drawing, polyline
from engine.layout.twins import in_order

__all__ = ["CyclicGraphError", "LayoutCancelled", "LayoutError", "Placed", "columns", "layout", "passes"]

_DIRECTIONS = ("right", "down")
_QUALITIES = ("full", "quick")
_AT_ONCE = 200


def layout(
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Placed | Mapping[Hashable, Point] | None = None,
    quality: str = "full",
    fold: bool = False,
    cancelled: Poll | None = None,
) -> Placed:
    """Lay out a directed acyclic graph, in bounded memory whatever its edges span.

    Args:
        digraph: nodes with `width` and `height` in pixels and `kind` ("value" or "op"; a value where it is missing).
            Edges may have a `multiplicity`; parallel edges of a MultiDiGraph share one route.
        direction: "right" or "down", the way the edges point.
        previous: the last drawing (or its positions) of a similar graph; nodes that were there move little.
        quality: "quick" for a picture at once, "full" for the best one. With a quick drawing as `previous`, "full"
            improves that one in place.
        fold: whether a drawing far too long for any screen, such as that of a chain of 200 operations, is wrapped into
            rows like a text; the few edges between two rows run back, between the rows. Without it every edge points
            forward.
        cancelled: asked between rounds, in the calling thread; True stops the work.

    Returns:
        the drawing; the same for the same graph on every machine.

    Raises:
        CyclicGraphError: the graph has a cycle.
        LayoutError: the graph, or an argument, is not as said above; the message names the node or the edge.
        LayoutCancelled: `cancelled` said yes.
    """
    _expect("direction", direction, _DIRECTIONS)
    _expect("quality", quality, _QUALITIES)
    far = far_edges(digraph)
    near = without(digraph, far)
    before = recall(previous, direction)
    parts = [arrange(part, quality, before, cancelled, folded=fold) for part in split(contract(near, direction))]
    if before is None:
        drawing = in_order(near, pack(parts), direction, {})
    else:
        at_home = [any(node in before.positions for node in part.positions) for part in parts]
        settled = {} if before.rough else before.positions
        drawing = in_order(near, pack_around(parts, at_home), direction, settled)
    return with_straight_edges(_finish(drawing, direction, quality), digraph, far, direction)


def passes(
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Placed | Mapping[Hashable, Point] | None = None,
    fold: bool = False,
    cancelled: Poll | None = None,
) -> Iterator[Placed]:
    """Lay out a graph for somebody who waits for it: a picture soon, then a better one that grows out of it.

    Graphs of up to 200 nodes, and those that stay close to a drawing before, are full at once. What comes last depends
    on the graph alone; whoever draws the same graph elsewhere takes the last of its passes.

    Args:
        digraph, direction, previous, fold, cancelled: as for `layout`.

    Yields:
        one drawing or two, as soon as they are there.

    Raises:
        as `layout`.
    """
    if previous is None and len(digraph) > _AT_ONCE:
        previous = layout(digraph, direction=direction, quality="quick", fold=fold, cancelled=cancelled)
        yield previous
    yield layout(digraph, direction=direction, previous=previous, fold=fold, cancelled=cancelled)


def _expect(name: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise LayoutError(f"{name} is one of {', '.join(map(repr, allowed))}, not {given!r}")


def _finish(drawing: Drawing, direction: str, quality: str) -> Placed:
    """Turn along and across into x and y."""
    x0, y0, x1, y1 = drawing.bounds
    routes = {edge: polyline(pieces) for edge, pieces in drawing.curves.items()}
    if direction == "right":
        return Placed(drawing.positions, routes, drawing.curves, drawing.bounds, drawing.crossings, quality)
    positions = {node: (y, x) for node, (x, y) in drawing.positions.items()}
    turned = {edge: [(y, x) for x, y in points] for edge, points in routes.items()}
    curves = {
        edge: [((a[1], a[0]), (b[1], b[0]), (c[1], c[0]), (d[1], d[0])) for a, b, c, d in pieces]
        for edge, pieces in drawing.curves.items()
    }
    return Placed(positions, turned, curves, (y0, x0, y1, x1), drawing.crossings, quality)
