"""The outlines of boxes by role, and other shapes around their centre, in scene pixels."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath

from engine.graph.forms import POINT, Role

RADIUS = 6.0
CUT = 9.0
LARGEST_ROUNDING = 17.0
"""Radius of the round side of an input, where the box is high enough."""
CARD_STEP = 3.5
HATCH_STEP = 7.0


def outline_of(role: Role, frame: QRectF) -> QPainterPath:
    """The whole shape of a box."""
    if role == "output":
        return _pointed(frame)
    path = QPainterPath()
    if role == "parameter":
        path = _cornered(frame)
    elif role == "input":
        radius = min(frame.height() / 2, LARGEST_ROUNDING)
        path.addRoundedRect(frame, radius, radius)
        right = QPainterPath()
        right.addRoundedRect(frame.adjusted(2 * radius, 0, 0, 0), RADIUS, RADIUS)
        path = path.united(right).simplified()
    else:
        path.addRoundedRect(frame, RADIUS, RADIUS)
    return path


def _cornered(frame: QRectF) -> QPainterPath:
    """Cut corners on the left, round ones on the right."""
    left, top, right, bottom = frame.left(), frame.top(), frame.right(), frame.bottom()
    path = QPainterPath(QPointF(left + CUT, top))
    path.lineTo(right - RADIUS, top)
    path.quadTo(right, top, right, top + RADIUS)
    path.lineTo(right, bottom - RADIUS)
    path.quadTo(right, bottom, right - RADIUS, bottom)
    path.lineTo(left + CUT, bottom)
    path.lineTo(left, bottom - CUT)
    path.lineTo(left, top + CUT)
    path.closeSubpath()
    return path


def _pointed(frame: QRectF) -> QPainterPath:
    """Round corners on the left, a point on the right."""
    left, top, right, bottom = frame.left(), frame.top(), frame.right(), frame.bottom()
    path = QPainterPath(QPointF(left + RADIUS, top))
    path.lineTo(right - POINT, top)
    path.lineTo(right, frame.center().y())
    path.lineTo(right - POINT, bottom)
    path.lineTo(left + RADIUS, bottom)
    path.quadTo(left, bottom, left, bottom - RADIUS)
    path.lineTo(left, top + RADIUS)
    path.quadTo(left, top, left + RADIUS, top)
    path.closeSubpath()
    return path


def part_of(outline: QPainterPath, cell: QRectF) -> QPainterPath:
    """The outline inside a cell: a path of its own, because SVG knows no clipping here."""
    area = QPainterPath()
    area.addRect(cell)
    return outline.intersected(area)


def cards_under(frame: QRectF) -> tuple[QPainterPath, ...]:
    """Two cards that stick out below, the lowest first."""
    cards = []
    for depth in (2, 1):
        card = QPainterPath()
        inset = depth * CARD_STEP
        card.addRoundedRect(frame.adjusted(inset, inset, -inset, inset), RADIUS, RADIUS)
        cards.append(card)
    return tuple(cards)


def hatch_lines(area: QRectF) -> tuple[QLineF, ...]:
    """Slanted lines across a rectangle, cut at its edges."""
    left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
    slant = bottom - top
    lines = []
    start = left - slant + HATCH_STEP
    while start < right:
        x0, y0, x1, y1 = start, bottom, start + slant, top
        if x0 < left:
            x0, y0 = left, bottom - (left - start)
        if x1 > right:
            x1, y1 = right, top + (start + slant - right)
        lines.append(QLineF(x0, y0, x1, y1))
        start += HATCH_STEP
    return tuple(lines)
