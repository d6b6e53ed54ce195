"""The way from one picture to the next: nodes that stay move to their new places in less than 200 ms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from engine.graph.picture import EMPTY_PICTURE, Box, Circle, Curve, Edge, Picture, Point

Node = TypeVar("Node", Box, Circle)
Bounds = tuple[float, float, float, float]

MILLISECONDS = 160
MAX_MOVING = 400
"""Limit of nodes and edges that are animated; a larger graph is shown immediately."""


def emerging(old: Picture, new: Picture, came_from: Mapping[str, str]) -> Picture:
    """The old picture with the new boxes already in it, each in the place of the old box that it comes out of.

    Args:
        came_from: for keys of new boxes the key of an old one.
    """
    boxes, circles = dict(old.boxes), dict(old.circles)
    for key, box in new.boxes.items():
        home = old.boxes.get(came_from.get(key, ""))
        if key in boxes or home is None:
            continue
        boxes[key] = dataclasses.replace(box, x=home.x, y=home.y)
        circle = new.circles.get(f"{key}:op")
        if circle is not None:
            circles[circle.key] = dataclasses.replace(circle, x=home.x, y=home.y)
    return dataclasses.replace(old, boxes=boxes, circles=circles)


def interpolated(old: Picture, new: Picture, share: float) -> Picture:
    """A picture on the way from one to another: nodes of both in between, everything else as in the new one.

    Args:
        share: 0 for the old places, 1 for the new ones.
    """
    boxes = {key: _moved_between(old.boxes.get(key), box, share) for key, box in new.boxes.items()}
    circles = {key: _moved_between(old.circles.get(key), circle, share) for key, circle in new.circles.items()}
    shifts = {
        key: (node.x - there.x, node.y - there.y)
        for nodes, final in ((boxes, new.boxes), (circles, new.circles))
        for key, node in nodes.items()
        for there in (final[key],)
    }
    edges = {pair: _edge_between(old.edges.get(pair), edge, share, shifts) for pair, edge in new.edges.items()}
    return Picture(boxes, circles, edges, new.bounds if share >= 1 else _around(old.bounds, new.bounds))


def _around(one: Bounds, other: Bounds) -> Bounds:
    """Both: what is on its way is still, or already, outside one of them."""
    (a, b, c, d), (x0, y0, x1, y1) = one, other
    return min(a, x0), min(b, y0), max(c, x1), max(d, y1)


def _moved_between(old: Node | None, new: Node, share: float) -> Node:
    if old is None:
        return new
    return dataclasses.replace(new, x=_mix(old.x, new.x, share), y=_mix(old.y, new.y, share))


def _edge_between(old: Edge | None, new: Edge, share: float, shifts: Mapping[str, Point]) -> Edge:
    if old is None or len(old.curves) != len(new.curves):
        # bent so that it holds on to its nodes, which are shifted from where they will be
        (x0, y0), (x1, y1) = shifts[new.source], shifts[new.target]
        last = 3 * len(new.curves)
        curves = [
            tuple(
                (x + _mix(x0, x1, (3 * row + step) / last), y + _mix(y0, y1, (3 * row + step) / last))
                for step, (x, y) in enumerate(curve)
            )
            for row, curve in enumerate(new.curves)
        ]
        return dataclasses.replace(new, curves=tuple((a, b, c, d) for a, b, c, d in curves))
    pairs = zip(old.curves, new.curves, strict=True)
    return dataclasses.replace(new, curves=tuple(_curve_between(a, b, share) for a, b in pairs))


def _curve_between(old: Curve, new: Curve, share: float) -> Curve:
    points = [(_mix(a[0], b[0], share), _mix(a[1], b[1], share)) for a, b in zip(old, new, strict=True)]
    return points[0], points[1], points[2], points[3]


def _mix(a: float, b: float, share: float) -> float:
    return a + (b - a) * share


class Transition(QVariantAnimation):
    """The way of a scene's items from one picture to the next."""

    def __init__(self, scene: QObject, show: Callable[[Picture], None], settle: Callable[[], None]) -> None:
        """Moves what `scene` holds: `show` puts the items where a picture has them, `settle` where they belong."""
        super().__init__(scene)
        self._show_moving, self._settle_all = show, settle
        self._old: Picture = EMPTY_PICTURE
        self._new: Picture = EMPTY_PICTURE
        self.setStartValue(0.0)
        self.setEndValue(1.0)
        self.setDuration(MILLISECONDS)
        self.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.valueChanged.connect(self._show)
        self.finished.connect(self._settle)

    def begin(self, old: Picture, new: Picture) -> None:
        """Starts moving; large graphs and those without a common node are left where they are."""
        size = len(new.boxes) + len(new.circles) + len(new.edges)
        moving = any(key in old.boxes and old.boxes[key] != box for key, box in new.boxes.items())
        if moving and size <= MAX_MOVING:
            self._old, self._new = old, new
            self.start()
            self._show(0.0)  # Qt emits no first value; without it the new places would flash for one frame

    @property
    def is_running(self) -> bool:
        """True during a transition."""
        return self.state() == QVariantAnimation.State.Running

    def finish(self) -> None:
        """End immediately, everything in its new place."""
        if self.is_running:
            self.stop()
            self._settle_all()
        self._forget()

    def _show(self, share: float) -> None:
        if share < 1:  # what comes then settles
            self._show_moving(interpolated(self._old, self._new, share))

    def _settle(self) -> None:
        self._settle_all()
        self._forget()

    def _forget(self) -> None:
        self._old = self._new = EMPTY_PICTURE
