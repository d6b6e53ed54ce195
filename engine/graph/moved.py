"""Nodes that a person has put elsewhere than the layout did: their places, and the ways of their edges.

A value and the operation that computes it move together; the edges of both are drawn as one curve each, from side to
side as the layout would. Everything else stays where it was.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.graph.picture import Box, Circle, Curve, Edge, Picture, Point

REACH = 30.0
"""Least length of the level start and end of a redrawn edge, scene pixels."""


@dataclass(frozen=True)
class Links:
    """Who feeds whom in one picture; made once for it.

    Attributes:
        after, before: keys of the nodes an edge leads to, and comes from.
        downwards: whether most edges point down rather than right.
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
        moved: by key, how far each value is from there, in scene pixels to the right and down; keys that are not drawn
            are ignored.
    """
    places = {
        key: (picture.boxes[key].x + dx, picture.boxes[key].y + dy)
        for key, (dx, dy) in moved.items()
        if key in picture.boxes
    }
    return place_boxes(picture, links_of(picture), places) if places else picture


def place_boxes(picture: Picture, links: Links, places: Mapping[str, Point]) -> Picture:
    """The picture with some values elsewhere, their operations and edges with them.

    Args:
        links: those of the picture.
        places: the new centre of each value, by key, scene pixels.
    """
    boxes, circles, edges = dict(picture.boxes), dict(picture.circles), dict(picture.edges)
    touched: set[str] = set()
    for key, (x, y) in places.items():
        box = boxes[key]
        boxes[key] = dataclasses.replace(box, x=x, y=y)
        block = block_of(picture, links, key)
        touched |= block
        for name in block & circles.keys():
            circle = circles[name]
            circles[name] = dataclasses.replace(circle, x=circle.x + x - box.x, y=circle.y + y - box.y)
    moved = Picture(boxes, circles, edges)
    for pair in touching(links, touched):
        edges[pair] = _redrawn(moved, links, edges[pair])
    return dataclasses.replace(moved, bounds=_bounds_with(picture.bounds, (boxes[key] for key in places)))


def block_of(picture: Picture, links: Links, key: str) -> set[str]:
    """A value and the operation that computes it: they move together."""
    return {key, *(name for name in links.before[key] if name in picture.circles)}


def touching(links: Links, keys: Iterable[str]) -> set[tuple[str, str]]:
    """All edges that begin or end at one of the nodes."""
    keys = set(keys)
    leaving = {(key, target) for key in keys for target in links.after[key]}
    return leaving | {(source, key) for key in keys for source in links.before[key]}


def _redrawn(picture: Picture, links: Links, edge: Edge) -> Edge:
    """The edge as one curve between where its nodes stand now."""
    start = _side(picture, edge.source, 1, links.downwards)
    end = _side(picture, edge.target, -1, links.downwards)
    return dataclasses.replace(edge, curves=(_bend(start, end, links.downwards),))


def _side(picture: Picture, key: str, side: int, downwards: bool) -> Point:
    """The middle of the side where edges leave (1) or arrive (-1)."""
    node = picture.boxes.get(key) or picture.circles[key]
    half_x, half_y = (node.radius, node.radius) if isinstance(node, Circle) else (node.width / 2, node.height / 2)
    return (node.x, node.y + side * half_y) if downwards else (node.x + side * half_x, node.y)


def _bend(start: Point, end: Point, downwards: bool) -> Curve:
    if downwards:
        reach = _reach(end[1] - start[1])
        return start, (start[0], start[1] + reach), (end[0], end[1] - reach), end
    reach = _reach(end[0] - start[0])
    return start, (start[0] + reach, start[1]), (end[0] - reach, end[1]), end


def _reach(gap: float) -> float:
    return gap / 2 if 0 <= gap < 2 * REACH else max(REACH, abs(gap) / 2)


def _bounds_with(bounds: tuple[float, float, float, float], boxes: Iterable[Box]) -> tuple[float, float, float, float]:
    left, top, right, bottom = bounds
    for box in boxes:
        left, right = min(left, box.x - box.width / 2), max(right, box.x + box.width / 2)
        top, bottom = min(top, box.y - box.height / 2), max(bottom, box.y + box.height / 2)
    return left, top, right, bottom
