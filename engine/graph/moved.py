"""Nodes that a person has put elsewhere than the layout did: their places, and the ways of their edges.

A value and the operation that computes it move together. The edges of both are routed again, and so
are those that now run under one of them: around boxes, if need be (`engine/layout/visibility.py`). Everything else
stays where it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from engine.graph.picture import Box, Circle, Curve, Edge, Picture, Point
from engine.layout.visibility import CLEARANCES, Obstacles, Rect, SearchBudget, rounded, shortest_way

MOST_COMPARED = 100_000
"""Pairs of a box that was moved and an edge up to which edges are led around boxes; above it each is one curve."""
MOST_REROUTED = 1_000
"""Limit of moved edges that are routed around boxes: more of them could not be distinguished."""
PARALLEL_GAP = 5.0
"""Between the lines of an edge with several operands, scene pixels."""
LEAST_CLEARANCE = 2.0
STUB = 5.0
"""Length by which the level start and end of a way around boxes exceed its clearance."""
REACH = 30.0
"""Least length of the level start and end of a simple curve."""
ROUNDING = 60.0
"""Greatest distance from a corner at which its rounding begins."""


@dataclass(frozen=True)
class Links:
    """Connections between the nodes of a picture; made once for it.

    Attributes:
        after, before: keys of the nodes an edge leads to, and comes from.
        downwards: True when most edges point down rather than right.
    """

    after: dict[str, list[str]] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    downwards: bool = False


def links_of(picture: Picture) -> Links:
    """The neighbours of every node."""
    after: dict[str, list[str]] = {key: [] for key in (*picture.boxes, *picture.circles)}
    before: dict[str, list[str]] = {key: [] for key in after}
    across = along = 0.0
    for (source, target), edge in picture.edges.items():
        after[source].append(target)
        before[target].append(source)
        (x0, y0), (x1, y1) = edge.curves[0][0], edge.curves[-1][3]
        across, along = across + x1 - x0, along + y1 - y0
    return Links(after, before, along > across)


def move_boxes(picture: Picture, moved: Mapping[str, Point]) -> Picture:
    """The picture with some values elsewhere.

    Args:
        picture: as the layout placed it.
        moved: by key, the distance of each value from there, in scene pixels to the right and down; keys that are not
            drawn are ignored.
    """
    places = {
        key: (picture.boxes[key].x + dx, picture.boxes[key].y + dy)
        for key, (dx, dy) in moved.items()
        if key in picture.boxes
    }
    around = len(places) * len(picture.edges) <= MOST_COMPARED
    return place_boxes(picture, links_of(picture), places, around=around) if places else picture


def place_boxes(
    picture: Picture,
    links: Links,
    places: Mapping[str, Point],
    *,
    around: bool = True,
    edges_follow: bool = True,
) -> Picture:
    """The picture with some values elsewhere, their operations and edges with them.

    Args:
        links: of the picture.
        places: the new centre of each value, by key, scene pixels.
        around: leads edges around boxes; otherwise each is one curve: soon done, good enough during a drag.
        edges_follow: otherwise they stay where they are: there are too many of them for a drag.
    """
    boxes, circles = dict(picture.boxes), dict(picture.circles)
    touched: set[str] = set()
    for key, (x, y) in places.items():
        box = boxes[key]
        boxes[key] = dataclasses.replace(box, x=x, y=y)
        block = block_of(picture, links, key)
        touched |= block
        for name in block & circles.keys():
            circle = circles[name]
            circles[name] = dataclasses.replace(circle, x=circle.x + x - box.x, y=circle.y + y - box.y)
    moved = Picture(boxes, circles, picture.edges, picture.bounds)
    redrawn = (rerouted if around else _simple_curves)(moved, links, touched) if edges_follow else {}
    bounds = _bounds_with(picture.bounds, (boxes[key] for key in places), ())
    return with_edges(dataclasses.replace(moved, bounds=bounds), redrawn)


def with_edges(picture: Picture, edges: Mapping[tuple[str, str], Edge]) -> Picture:
    """The picture with some edges drawn otherwise."""
    bounds = _bounds_with(picture.bounds, (), edges.values())
    return dataclasses.replace(picture, edges={**picture.edges, **edges}, bounds=bounds)


def _simple_curves(picture: Picture, links: Links, moved: Set[str]) -> dict[tuple[str, str], Edge]:
    """The edges of some nodes as one curve each."""
    edges = {pair: picture.edges[pair] for pair in touching(links, moved)}
    return {pair: _with(edge, (simple_curve(_ends(picture, links, edge)),)) for pair, edge in edges.items()}


def rerouted(picture: Picture, links: Links, moved: Set[str]) -> dict[tuple[str, str], Edge]:
    """New routes around boxes for edges of some nodes and edges under these; for very many, one curve each.

    Args:
        picture: with the nodes where they are now.
        moved: keys of boxes and circles.
    """
    nodes: list[Box | Circle] = [*picture.circles.values(), *picture.boxes.values()]
    rows = {node.key: row for row, node in enumerate(nodes)}
    obstacles = Obstacles([node_bounds(node) for node in nodes])
    pairs = touching(links, moved)
    if len(pairs) > MOST_REROUTED:
        return _simple_curves(picture, links, moved)
    pairs |= _running_under(picture, [node_bounds(nodes[rows[key]]) for key in moved]) - pairs
    new, budget = {}, SearchBudget()
    for pair in sorted(pairs):
        own = [rows[pair[0]], rows[pair[1]]]
        ends, around = _ends(picture, links, picture.edges[pair]), obstacles.without(own)
        way = route(ends, [obstacles[row] for row in own], around, budget)
        new[pair] = _with(picture.edges[pair], way)
    return new


def _running_under(picture: Picture, rects: Sequence[Rect]) -> set[tuple[str, str]]:
    """Edges that enter one of the rectangles."""
    pairs = [pair for pair, edge in picture.edges.items() for _ in edge.curves]
    curves = np.array([curve for edge in picture.edges.values() for curve in edge.curves]).reshape(-1, 4, 2)
    low, high = curves.min(axis=1)[:, None], curves.max(axis=1)[:, None]
    walls = np.array(rects, dtype=float).reshape(-1, 4)
    near = np.flatnonzero(((low < walls[:, 2:]) & (high > walls[:, :2])).all(axis=2).any(axis=1))
    return {pairs[row] for row in near[Obstacles(walls).touched(curves[near])]}


def _with(edge: Edge, curves: tuple[Curve, ...]) -> Edge:
    return dataclasses.replace(edge, curves=curves)


def node_bounds(node: Box | Circle) -> Rect:
    """The rectangle of a box, or around a circle."""
    across, down = (node.radius, node.radius) if isinstance(node, Circle) else (node.width / 2, node.height / 2)
    return node.x - across, node.y - down, node.x + across, node.y + down


def block_of(picture: Picture, links: Links, key: str) -> set[str]:
    """A value and the operation that computes it: they move together."""
    return {key, *(name for name in links.before[key] if name in picture.circles)}


def touching(links: Links, keys: Iterable[str]) -> set[tuple[str, str]]:
    """All edges that begin or end at one of the nodes."""
    keys = set(keys)
    leaving = {(key, target) for key in keys for target in links.after[key]}
    return leaving | {(source, key) for key in keys for source in links.before[key]}


def _ends(picture: Picture, links: Links, edge: Edge) -> Ends:
    """The sides of the nodes between which an edge runs now."""
    start = _side(picture, edge.source, 1, links.downwards)
    end = _side(picture, edge.target, -1, links.downwards)
    return Ends(start, end, links.downwards, spread=PARALLEL_GAP * (edge.multiplicity - 1) / 2)


def _side(picture: Picture, key: str, side: int, downwards: bool) -> Point:
    """The middle of the side where edges leave (1) or arrive (-1)."""
    node = picture.boxes.get(key) or picture.circles[key]
    half_x, half_y = (node.radius, node.radius) if isinstance(node, Circle) else (node.width / 2, node.height / 2)
    return (node.x, node.y + side * half_y) if downwards else (node.x + side * half_x, node.y)


def _bounds_with(
    bounds: tuple[float, float, float, float], boxes: Iterable[Box], edges: Iterable[Edge]
) -> tuple[float, float, float, float]:
    """The bounds, and with them those of boxes and edges."""
    rects = [bounds, *map(node_bounds, boxes)]
    rects += [(x, y, x, y) for edge in edges for curve in edge.curves for x, y in curve]
    lefts, tops, rights, bottoms = zip(*rects, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@dataclass(frozen=True)
class Ends:
    """Start and end of an edge, and their boxes.

    Attributes:
        start, end: on the right side of one box and the left side of the other; top-down: below and above.
        downwards: True when edges leave boxes below rather than at the right.
        spread: distance of the outermost of parallel lines from their middle, scene pixels.
    """

    start: Point
    end: Point
    downwards: bool = False
    spread: float = 0.0


def simple_curve(ends: Ends) -> Curve:
    """One curve with level ends, whatever stands in between."""
    (x0, y0), (x1, y1) = ends.start, ends.end
    if ends.downwards:
        reach = _reach(y1 - y0)
        return ends.start, (x0, y0 + reach), (x1, y1 - reach), ends.end
    reach = _reach(x1 - x0)
    return ends.start, (x0 + reach, y0), (x1 - reach, y1), ends.end


def _reach(gap: float) -> float:
    return gap / 2 if 0 <= gap < 2 * REACH else max(REACH, abs(gap) / 2)


def route(ends: Ends, own: Sequence[Rect], others: Obstacles, budget: SearchBudget | None = None) -> tuple[Curve, ...]:
    """A smooth way from start to end that enters no box.

    Args:
        own: the boxes of the two ends, which it only leaves and enters at its ends.
        others: all other boxes.
        budget: what may be spent on it; as much as one edge may take when None.

    Returns:
        the pieces of the way; the simple curve where it is free, where there is no way at all (an end inside another
        box, or walled in), and where none was found before the budget was spent.
    """
    budget = budget or SearchBudget()
    if budget.left < 0:
        return (simple_curve(ends),)
    simple = simple_curve(ends)
    near = Obstacles(own).grown(-0.01)  # the ends of an edge do not touch its own boxes
    is_free = not (others.grown(ends.spread + LEAST_CLEARANCE).touched_by(simple) or near.touched_by(simple))
    if is_free:
        return (simple,)
    for clearance, most_boxes in CLEARANCES:
        line = _line_around(ends, own, others, clearance + ends.spread, most_boxes, budget)
        if line is not None:
            pieces = rounded(line, [near, others.grown(ends.spread + min(1.0, clearance / 2))], ROUNDING)
            return tuple(pieces)
    return (simple,)


def _line_around(
    ends: Ends, own: Sequence[Rect], others: Obstacles, clearance: float, most_boxes: int, budget: SearchBudget
) -> list[Point] | None:
    """The corners of a way that stays clear of all boxes, level ends included; None when there is none."""
    (x0, y0), (x1, y1) = ends.start, ends.end
    stub = clearance + STUB
    start, end = ((x0, y0 + stub), (x1, y1 - stub)) if ends.downwards else ((x0 + stub, y0), (x1 - stub, y1))
    grown, stubs = others.grown(clearance), ([ends.start, start], [end, ends.end])
    boxes, walls = Obstacles(own), Obstacles(own).grown(clearance)
    if grown.hold(start) or grown.hold(end) or any(grown.crossed_by(one) or boxes.crossed_by(one) for one in stubs):
        return None
    line = shortest_way(start, end, grown, budget, most_boxes, [walls[0], walls[1]])
    return None if line is None else [ends.start, *line, ends.end]
