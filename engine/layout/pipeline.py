"""From a graph to its drawing: every step in its order, and a plain drawing for when a step fails."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

import networkx as nx

from engine.layout.blocks import BlockGraph, connected_components, contract
from engine.layout.incremental import aligned, known_blocks, oriented, row_length, updated_order
from engine.layout.layering import overlong_edges, with_straight_edges, without
from engine.layout.ordering import fewest_crossings
from engine.layout.placement import coordinates, pack, pack_around, sort_twins
from engine.layout.result import (
    CancelCheck,
    ComponentLayout,
    Layout,
    LayoutError,
    Point,
    raise_if_cancelled,
    straight,
)
from engine.layout.routing import draw

_DIRECTIONS = ("right", "down")
_QUALITIES = ("full", "quick")
_SMALL = 200

FALLBACK_LAYER_GAP = 60.0
FALLBACK_ROW_GAP = 18.0


def layout(
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Layout | Mapping[Hashable, Point] | None = None,
    quality: str = "full",
    fold: bool = False,
    cancelled: CancelCheck | None = None,
) -> Layout:
    """Lay out a directed acyclic graph, in bounded memory whatever its edges span.

    Args:
        digraph: nodes with `width` and `height` in pixels and `kind` ("value" or "op"; a value where it is missing).
            Edges may have a `multiplicity`; parallel edges of a MultiDiGraph share one route.
        direction: "right" or "down", the way the edges point.
        previous: the last drawing (or its positions) of a similar graph; nodes that were there move little.
        quality: "quick" for a first picture, "full" for the best one. With a quick drawing as `previous`, "full"
            improves that one in place.
        fold: True to wrap a drawing far too long for any screen, such as that of a chain of 200 operations, into rows
            like a text; the few edges between two rows run back, between the rows. Otherwise every edge points forward.
        cancelled: asked between rounds, in the calling thread; True stops the work.

    Returns:
        the drawing; the same for the same graph on every machine.

    Raises:
        CyclicGraphError: the graph has a cycle.
        LayoutError: the graph, or an argument, is not as required above; the message names the node or the edge.
        LayoutCancelled: `cancelled` returned True.
    """
    expect_direction(direction)
    _expect("quality", quality, _QUALITIES)
    overlong = overlong_edges(digraph)
    near = without(digraph, overlong)
    before = oriented(previous, direction)
    components = connected_components(contract(near, direction))
    parts = [_component_layout(component, quality, before, cancelled, fold) for component in components]
    if before is None:
        drawing = sort_twins(near, pack(parts), direction, {})
    else:
        stay = [any(node in before.positions for node in part.positions) for part in parts]
        known = {} if before.quality == "quick" else before.positions
        drawing = sort_twins(near, pack_around(parts, stay), direction, known)
    return with_straight_edges(finished(drawing, direction, quality), digraph, overlong, direction)


def progressive_layout(
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Layout | Mapping[Hashable, Point] | None = None,
    fold: bool = False,
    cancelled: CancelCheck | None = None,
) -> Iterator[Layout]:
    """Lay out a graph for somebody who waits for it: a picture soon, then a better one that grows out of it.

    Graphs of up to 200 nodes, and those that stay close to a drawing before, are full at once. What comes last depends
    on the graph alone; whoever draws the same graph elsewhere takes the last of them.

    Args:
        digraph, direction, previous, fold, cancelled: as for `layout`.

    Yields:
        one drawing or two, as soon as they are there.

    Raises:
        as `layout`.
    """
    if previous is None and len(digraph) > _SMALL:
        previous = layout(digraph, direction=direction, quality="quick", fold=fold, cancelled=cancelled)
        yield previous
    yield layout(digraph, direction=direction, previous=previous, fold=fold, cancelled=cancelled)


def _component_layout(
    graph: BlockGraph,
    quality: str,
    previous: Layout | None,
    cancelled: CancelCheck | None,
    folded: bool,
) -> ComponentLayout:
    """Lay out a connected graph.

    Args:
        graph: the blocks; at least one.
        quality: "full" or "quick".
        previous: the drawing before this one; what was there moves little.
        cancelled: polled on the way.
        folded: True when a drawing far too long is wrapped into rows.
    """
    raise_if_cancelled(cancelled)
    known = known_blocks(graph, previous)
    if known is None:
        best = fewest_crossings(graph, quality, cancelled)
    else:
        best = updated_order(graph, known, quality, cancelled)
    y = coordinates(best.layered, best.orders, known.y if known else None, cancelled)
    old_ends = known.ends if known else {}
    drawing = draw(best.layered, y, best.crossings, old_ends, row_length(graph, previous), folded=folded)
    return drawing if previous is None else aligned(drawing, previous)


def expect_direction(direction: str) -> None:
    """Raise an error for an unknown direction.

    Raises:
        LayoutError: it is neither "right" nor "down".
    """
    _expect("direction", direction, _DIRECTIONS)


def _expect(name: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise LayoutError(f"{name} is one of {', '.join(map(repr, allowed))}, not {given!r}")


def finished(drawing: ComponentLayout, direction: str, quality: str) -> Layout:
    """Turn along and across into x and y."""
    found = Layout(drawing.positions, drawing.curves, drawing.bounds, drawing.crossings, quality)
    return found if direction == "right" else found.turned()


def fallback_layout(digraph: nx.DiGraph, direction: str = "right") -> Layout:
    """The plainest drawing of an acyclic graph, for when its layout fails: in columns, top-down in rows.

    Every node stands in the column after those it comes from, and edges are straight. Nothing is searched and nothing
    can go wrong: linear in the size of the graph, whatever is in it.

    Args:
        digraph: nodes with `width` and `height` in pixels.
        direction: "right" or "down".
    """
    along, across = ("width", "height") if direction == "right" else ("height", "width")
    drawing = ComponentLayout()
    left, bottom = 0.0, 0.0
    for nodes in nx.topological_generations(digraph):
        longest = max(digraph.nodes[node][along] for node in nodes)
        y = 0.0
        for node in nodes:
            breadth = digraph.nodes[node][across]
            drawing.positions[node] = (left + longest / 2, y + breadth / 2)
            bottom = max(bottom, y + breadth)
            y += breadth + FALLBACK_ROW_GAP
        drawing.bounds = (0.0, 0.0, left + longest, bottom)
        left += longest + FALLBACK_LAYER_GAP
    for source, target in digraph.edges():
        (x0, y0), (x1, y1) = drawing.positions[source], drawing.positions[target]
        start = x0 + digraph.nodes[source][along] / 2, y0
        drawing.curves[source, target] = [straight(start, (x1 - digraph.nodes[target][along] / 2, y1))]
    return finished(drawing, direction, "quick")
