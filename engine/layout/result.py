"""The finished drawing, and the errors on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

Point = tuple[float, float]
Cubic = tuple[Point, Point, Point, Point]
NodePair = tuple[Hashable, Hashable]
CancelCheck = Callable[[], bool]
_SAMPLES = 12
_BERNSTEIN = tuple(
    ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
    for t in (step / _SAMPLES for step in range(1, _SAMPLES + 1))
)
"""Weights of the four points of a cubic at each of its samples."""


class LayoutError(ValueError):
    """The graph, or an argument, cannot be laid out; the message says which and why."""


class CyclicGraphError(LayoutError):
    """The graph has a cycle; the message names its nodes in order."""


class LayoutCancelled(Exception):
    """Raised when the caller's ``cancelled`` returned True; nothing was laid out."""


def raise_if_cancelled(cancelled: CancelCheck | None) -> None:
    """Raise `LayoutCancelled` when the caller no longer wants the drawing."""
    if cancelled is not None and cancelled():
        raise LayoutCancelled("the layout was cancelled")


def straight(start: Point, end: Point) -> Cubic:
    """A straight piece."""
    (x0, y0), (x1, y1) = start, end
    return (start, (x0 + (x1 - x0) / 3, y0 + (y1 - y0) / 3), (x1 - (x1 - x0) / 3, y1 - (y1 - y0) / 3), end)


@dataclass(frozen=True)
class Layout:
    """A finished drawing: where everything is, in pixels; y grows downwards.

    Attributes:
        positions: the centre of every node.
        curves: for every edge (u, v) its way from u's side to v's side, right edge to left edge, or bottom to top when
            laid out downwards, as cubic Bézier pieces ``(start, control, control, end)``, joined end to start.
        bounds: ``(x0, y0, x1, y1)`` around all boxes and edges; four zeros for an empty graph.
        crossings: number of crossings of routes.
        quality: "full" or "quick", as it was asked for; a full layout that follows a quick one refines it in place.
    """

    positions: Mapping[Hashable, Point] = field(default_factory=dict)
    curves: Mapping[NodePair, list[Cubic]] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    crossings: int = 0
    quality: str = "full"

    @cached_property
    def routes(self) -> Mapping[NodePair, list[Point]]:
        """Polylines along the curves of every edge, fine enough to look smooth."""
        return {edge: _polyline(pieces) for edge, pieces in self.curves.items()}

    def turned(self) -> Layout:
        """The same drawing with x and y exchanged."""
        x0, y0, x1, y1 = self.bounds
        positions = {node: (y, x) for node, (x, y) in self.positions.items()}
        curves = {
            edge: [((a[1], a[0]), (b[1], b[0]), (c[1], c[0]), (d[1], d[0])) for a, b, c, d in pieces]
            for edge, pieces in self.curves.items()
        }
        return Layout(positions, curves, (y0, x0, y1, x1), self.crossings, self.quality)


def _polyline(pieces: Sequence[Cubic]) -> list[Point]:
    """The ends of the straight pieces, and points on the bent ones."""
    points = [pieces[0][0]]
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in pieces:
        if ax == bx == dx or ay == by == dy:
            points.append((dx, dy))
        else:
            points += [
                (a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy) for a, b, c, d in _BERNSTEIN
            ]
    return points


@dataclass(slots=True)
class ComponentLayout:
    """A part of the picture; x runs along the direction of reading, y across it.

    Attributes:
        positions: the centre of every node.
        curves: the pieces of every edge.
        bounds: ``(x0, y0, x1, y1)`` around boxes and curves.
        crossings: number of pairs of edges that cross.
    """

    positions: dict[Hashable, Point] = field(default_factory=dict)
    curves: dict[NodePair, list[Cubic]] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    crossings: int = 0

    def moved(self, dx: float, dy: float) -> ComponentLayout:
        """The same drawing elsewhere."""
        positions = {node: (x + dx, y + dy) for node, (x, y) in self.positions.items()}
        curves = {
            edge: [
                ((ax + dx, ay + dy), (bx + dx, by + dy), (cx + dx, cy + dy), (ex + dx, ey + dy))
                for (ax, ay), (bx, by), (cx, cy), (ex, ey) in pieces
            ]
            for edge, pieces in self.curves.items()
        }
        x0, y0, x1, y1 = self.bounds
        return ComponentLayout(positions, curves, (x0 + dx, y0 + dy, x1 + dx, y1 + dy), self.crossings)
