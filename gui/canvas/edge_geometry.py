"""The geometry of edges: curves, the parallel lines of several operands, arrow heads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from engine.graph.moved import PARALLEL_GAP
from engine.graph.picture import Curve, Edge

ARROW_LENGTH, ARROW_WIDTH = 7.0, 6.0
EDGE_MARGIN = 8.0
"""Largest distance that a line or an arrow head extends from its curve."""


@dataclass(frozen=True, slots=True)
class EdgeGeometry:
    """Geometry of an edge: its parallel lines, arrow heads, places for a text, and painted bounds."""

    lines: QPainterPath
    arrows: QPainterPath
    start: QPointF
    middle: QPointF
    end: QPointF
    bounds: QRectF


def edge_geometry(edge: Edge) -> EdgeGeometry:
    """The geometry of one edge, in scene coordinates."""
    lines, arrows = QPainterPath(), QPainterPath()
    for index in range(edge.multiplicity):
        shift = (index - (edge.multiplicity - 1) / 2) * PARALLEL_GAP
        curves = [shifted(curve, shift) for curve in edge.curves] if shift else edge.curves
        _add_line(lines, curves)
        _add_arrow(arrows, curves[-1])
    middle = edge.curves[len(edge.curves) // 2]
    start, end = QPointF(*edge.curves[0][0]), QPointF(*edge.curves[-1][3])
    bounds = lines.controlPointRect().adjusted(-EDGE_MARGIN, -EDGE_MARGIN, EDGE_MARGIN, EDGE_MARGIN)
    return EdgeGeometry(lines, arrows, start, _halfway(middle), end, bounds)


def _add_line(path: QPainterPath, curves: Sequence[Curve]) -> None:
    path.moveTo(*curves[0][0])
    for _start, one, two, end in curves:
        path.cubicTo(*one, *two, *end)


def _halfway(curve: Curve) -> QPointF:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve
    return QPointF((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)


def shifted(curve: Curve, distance: float) -> Curve:
    """Return the parallel curve: sides of its control polygon moved `distance` pixels to the right (Tiller-Hanson)."""
    normals = [_normal(a, b) for a, b in pairwise(curve)]
    before, after = [normals[0], *normals], [*normals, normals[-1]]
    moved = []
    for (x, y), (ax, ay), (bx, by) in zip(curve, before, after, strict=True):
        length = max(0.35, 1 + ax * bx + ay * by)  # a sharp bend must not shoot out
        moved.append((x + distance * (ax + bx) / length, y + distance * (ay + by) / length))
    return (moved[0], moved[1], moved[2], moved[3])


def _normal(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    return (-dy / length, dx / length) if length else (0.0, 1.0)


def _add_arrow(path: QPainterPath, curve: Curve) -> None:
    """A small head at the end of a curve."""
    tip = curve[3]
    behind = next((point for point in (curve[2], curve[1], curve[0]) if point != tip), (tip[0] - 1, tip[1]))
    nx, ny = _normal(behind, tip)
    x, y = tip[0] - ny * ARROW_LENGTH, tip[1] + nx * ARROW_LENGTH
    half = ARROW_WIDTH / 2
    path.moveTo(*tip)
    path.lineTo(x + nx * half, y + ny * half)
    path.lineTo(x - nx * half, y - ny * half)
    path.closeSubpath()
