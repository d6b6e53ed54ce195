"""The finished drawing, and what can go wrong on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field

from engine.quick_dataclass import dataclass

Point = tuple[float, float]
Cubic = tuple[Point, Point, Point, Point]
NodePair = tuple[Hashable, Hashable]
CancelCheck = Callable[[], bool]


class LayoutError(ValueError):
    """The graph, or an argument, cannot be laid out; the message says which and why."""


class CyclicGraphError(LayoutError):
    """The graph has a cycle; the message names its nodes in order."""


class LayoutCancelled(Exception):
    """The caller's ``cancelled`` said yes: not an error, and nothing was laid out."""


def raise_if_cancelled(cancelled: CancelCheck | None) -> None:
    """Raise `LayoutCancelled` when the caller no longer wants the drawing."""
    if cancelled is not None and cancelled():
        raise LayoutCancelled("the layout was cancelled")


@dataclass(frozen=True)
class Layout:
    """A finished drawing: where everything is, in pixels; y grows downwards.

    Attributes:
        positions: the centre of every node.
        routes: for every edge (u, v) a polyline from u's side to v's side: right edge to left edge, or bottom to top
            when laid out downwards. Fine enough to look smooth.
        curves: the same routes as cubic Bézier pieces ``(start, control, control, end)``, joined end to start.
        bounds: ``(x0, y0, x1, y1)`` around all boxes and routes; four zeros for an empty graph.
        crossings: how many pairs of routes cross, each counted as often as they do.
        quality: "full" or "quick", as it was asked for; a full layout that follows a quick one refines it in place.
    """

    positions: Mapping[Hashable, Point] = field(default_factory=dict)
    routes: Mapping[NodePair, list[Point]] = field(default_factory=dict)
    curves: Mapping[NodePair, list[Cubic]] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    crossings: int = 0
    quality: str = "full"
