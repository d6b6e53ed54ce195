"""Nodes that are elsewhere than the layout put them: dragged by hand, or on their way between two pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from engine.graph.picture import Box, Circle, Curve, Edge, Picture, Point
from gui.canvas.walk import Links

Node = TypeVar("Node", Box, Circle)
REACH = 30.0
"""Least length of the level start and end of a redrawn edge, scene pixels."""


def with_node_at(picture: Picture, links: Links, key: str, x: float, y: float) -> Picture:
    """The picture with one value moved, its operation and its edges with it.

    Args:
        key: a box.
        x, y: its new centre, scene pixels.
    """
    box = picture.boxes[key]
    dx, dy = x - box.x, y - box.y
    boxes = {**picture.boxes, key: dataclasses.replace(box, x=x, y=y)}
    block = block_of(picture, links, key)
    circles = dict(picture.circles)
    for name in block & circles.keys():
        circles[name] = dataclasses.replace(circles[name], x=circles[name].x + dx, y=circles[name].y + dy)
    edges = dict(picture.edges)
    moved = Picture(boxes, circles, edges, _bounds_with(picture, boxes[key]))
    for pair in touching(links, block):
        edges[pair] = redrawn(moved, links, edges[pair])
    return moved


def block_of(picture: Picture, links: Links, key: str) -> set[str]:
    """A value and the operation that computes it: they move together."""
    return {key, *(name for name in links.before[key] if name in picture.circles)}


def touching(links: Links, keys: set[str]) -> set[tuple[str, str]]:
    """All edges that begin or end at one of the nodes."""
    leaving = {(key, target) for key in keys for target in links.after[key]}
    return leaving | {(source, key) for key in keys for source in links.before[key]}


def redrawn(picture: Picture, links: Links, edge: Edge) -> Edge:
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


def _bounds_with(picture: Picture, box: Box) -> tuple[float, float, float, float]:
    left, top, right, bottom = picture.bounds
    half_x, half_y = box.width / 2, box.height / 2
    return min(left, box.x - half_x), min(top, box.y - half_y), max(right, box.x + half_x), max(bottom, box.y + half_y)


def kept_places(moved: Mapping[str, tuple[Point, Point]], picture: Picture) -> dict[str, tuple[Point, Point]]:
    """Places given by hand that still hold: the layout has left the node where it was before the drag.

    Args:
        moved: by key, where the layout had put it and where the user did.
    """
    return {
        key: places
        for key, places in moved.items()
        if key in picture.boxes and (picture.boxes[key].x, picture.boxes[key].y) == places[0]
    }


def between(old: Picture, new: Picture, share: float) -> Picture:
    """A picture on the way from one to another: nodes of both in between, everything else as in the new one.

    Args:
        share: 0 for the old places, 1 for the new ones.
    """
    boxes = {key: _moved_between(old.boxes.get(key), box, share) for key, box in new.boxes.items()}
    circles = {key: _moved_between(old.circles.get(key), circle, share) for key, circle in new.circles.items()}
    edges = {pair: _edge_between(old.edges.get(pair), edge, share) for pair, edge in new.edges.items()}
    return Picture(boxes, circles, edges, new.bounds)


def _moved_between(old: Node | None, new: Node, share: float) -> Node:
    if old is None:
        return new
    return dataclasses.replace(new, x=_mix(old.x, new.x, share), y=_mix(old.y, new.y, share))


def _edge_between(old: Edge | None, new: Edge, share: float) -> Edge:
    if old is None or len(old.curves) != len(new.curves):
        return new
    pairs = zip(old.curves, new.curves, strict=True)
    return dataclasses.replace(new, curves=tuple(_curve_between(a, b, share) for a, b in pairs))


def _curve_between(old: Curve, new: Curve, share: float) -> Curve:
    points = [(_mix(a[0], b[0], share), _mix(a[1], b[1], share)) for a, b in zip(old, new, strict=True)]
    return points[0], points[1], points[2], points[3]


def _mix(a: float, b: float, share: float) -> float:
    return a + (b - a) * share
