"""The geometry of nodes and edges, worked out once when a node gets its size: outlines, cells, where texts stand.

Roles differ by shape: an input is round on the left, a parameter has cut corners on the left, an output is pointed on
the right with a thicker border, a group is a stack of cards, a constant a small pill, everything else a rounded box.
Coordinates are relative to the node's centre, in scene pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath, QPolygonF

from engine.graph.build import CELL_WIDTH
from engine.graph.picture import Box, Circle, Curve, Edge
from gui.canvas.ink import Ink, fitting

RADIUS = 6.0
CUT = 9.0
POINT = 13.0
CARD_STEP = 3.5
LARGE_BASELINE = 5.5
HATCH_STEP = 7.0
PARALLEL_GAP = 5.0
ARROW_LENGTH, ARROW_WIDTH = 7.0, 6.0
MARGIN = 9.0
"""How far a halo or a mark may stand out of a node."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where its baseline starts."""

    text: str
    at: QPointF


NO_TEXT = Text("", QPointF())


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a box: its caption, where it starts (small, large), and the lines that say "not computed"."""

    caption: Text
    number_at: QPointF
    large_at: QPointF
    hatch: tuple[QLineF, ...]
    frame: QRectF


@dataclass(frozen=True, slots=True)
class BoxForm:
    """How a box is drawn.

    Attributes:
        outline: the whole shape.
        label_cell: the tinted part; None for a constant.
        cells: data and grad; a constant has only data.
        separators: lines between the cells.
        cards: bottom edges of the cards under a group.
        label, note: name, and number of values of a group.
        large_label: the name as it is written where small words could not be read.
        mark: where the mark of a problem stands.
        bounds: everything that may be painted.
    """

    role: str
    outline: QPainterPath
    label_cell: QPainterPath | None
    cells: tuple[Cell, ...]
    separators: tuple[QLineF, ...]
    cards: tuple[QPainterPath, ...]
    label: Text
    large_label: Text
    note: Text
    mark: QRectF
    bounds: QRectF


@dataclass(frozen=True, slots=True)
class CircleForm:
    """How an operation is drawn: its symbol and font, near and distant, and its circle."""

    symbol: Text
    font: QFont
    large_symbol: Text
    large_font: QFont
    outline: QPainterPath
    bounds: QRectF


@dataclass(frozen=True, slots=True)
class EdgeForm:
    """How an edge is drawn: its parallel lines, arrow heads, the middle for a text, and what may be painted."""

    lines: QPainterPath
    arrows: QPainterPath
    middle: QPointF
    bounds: QRectF


def box_form(box: Box, ink: Ink) -> BoxForm:
    """The geometry of one box."""
    if box.role == "constant":
        return _constant_form(box, ink)
    frame = _frame(box.width, box.height)
    outline = _outline(box.role, frame)
    label_right = frame.right() - 2 * CELL_WIDTH
    middle, end = label_right + CELL_WIDTH, frame.right() - (8.0 if box.role == "output" else 0.0)
    cells = (_cell("data", label_right, middle, frame), _cell("grad", middle, end, frame))
    separators = tuple(
        QLineF(x, frame.top() + inset, x, frame.bottom() - inset) for x, inset in ((label_right, 0.5), (middle, 6.0))
    )
    label, note = _label(box, frame.left(), label_right, ink)
    middle_x, room = (frame.left() + label_right) / 2, label_right - frame.left() - 5
    large_label = _centred(shown_label(box), middle_x, LARGE_BASELINE, room, ink.large_label_font)
    return BoxForm(
        role=box.role, outline=outline, label_cell=_left_part(outline, frame, label_right), cells=cells,
        separators=separators, cards=_cards(frame) if box.members else (), label=label, large_label=large_label,
        note=note,
        mark=QRectF(frame.right() - 11, frame.top() - 6, 14, 14),
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )  # fmt: skip


def _frame(width: float, height: float) -> QRectF:
    return QRectF(-width / 2, -height / 2, width, height)


def _outline(role: str, frame: QRectF) -> QPainterPath:
    if role == "output":
        return _pointed(frame)
    path = QPainterPath()
    if role == "parameter":
        path = _cornered(frame)
    elif role == "input":
        path.addRoundedRect(frame, frame.height() / 2, frame.height() / 2)
        right = QPainterPath()
        right.addRoundedRect(frame.adjusted(frame.height(), 0, 0, 0), RADIUS, RADIUS)
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


def _left_part(outline: QPainterPath, frame: QRectF, right: float) -> QPainterPath:
    """The outline up to x = right: a path of its own, because SVG knows no clipping here."""
    area = QPainterPath()
    area.addRect(QRectF(frame.left() - 1, frame.top() - 1, right - frame.left() + 1, frame.height() + 2))
    return outline.intersected(area)


def _cards(frame: QRectF) -> tuple[QPainterPath, ...]:
    """Two cards that stick out below, the lowest first."""
    cards = []
    for depth in (2, 1):
        card = QPainterPath()
        inset = depth * CARD_STEP
        card.addRoundedRect(frame.adjusted(inset, inset, -inset, inset), RADIUS, RADIUS)
        cards.append(card)
    return tuple(cards)


def _cell(name: str, left: float, right: float, frame: QRectF) -> Cell:
    height = frame.height()
    inner = QRectF(left + 5.0, frame.top() + height * 0.42, right - left - 10.0, height * 0.46)
    start = left + 7.0
    return Cell(
        Text(name, QPointF(start, frame.top() + height * 0.33)),
        QPointF(start, inner.bottom() - 3.5),
        QPointF(start - 1.0, LARGE_BASELINE),
        _hatch(inner),
        inner,
    )


def _hatch(area: QRectF) -> tuple[QLineF, ...]:
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


def _label(box: Box, left: float, right: float, ink: Ink) -> tuple[Text, Text]:
    name = _centred(shown_label(box), (left + right) / 2, 4.5, right - left - 8, ink.label_font)
    if not box.members:
        return name, NO_TEXT
    count = _centred(f"{box.members} values", (left + right) / 2, 11.0, right - left - 4, ink.caption_font)
    return Text(name.text, name.at - QPointF(0, 5.5)), count


def shown_label(box: Box) -> str:
    """What stands in the label cell; a dot for a value without a name."""
    return printable(box.label) or "·"


def printable(text: str) -> str:
    """The text in one line and without characters that no XML file may hold."""
    return "".join(c if c.isprintable() else " " for c in text.encode("utf-8", "replace").decode("utf-8")).strip()


def _centred(text: str, x: float, baseline: float, width: float, font: QFont) -> Text:
    metrics = QFontMetricsF(font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width) if text else ""
    return Text(text, QPointF(x - metrics.horizontalAdvance(text) / 2, baseline))


def _constant_form(box: Box, ink: Ink) -> BoxForm:
    frame = _frame(box.width, box.height)
    outline = QPainterPath()
    outline.addRoundedRect(frame, frame.height() / 2, frame.height() / 2)
    cell = Cell(NO_TEXT, QPointF(0, 3.5), QPointF(0, 3.5), (), frame)
    return BoxForm(
        role=box.role, outline=outline, label_cell=None, cells=(cell,), separators=(), cards=(),
        label=NO_TEXT, large_label=NO_TEXT,
        note=NO_TEXT, mark=QRectF(frame.right() - 9, frame.top() - 6, 14, 14),
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )  # fmt: skip


SYMBOLS = {"*": "×", "-": "−", "@": "@"}


def circle_form(circle: Circle, ink: Ink) -> CircleForm:
    """The geometry of one operation; a long name is written smaller."""
    text = printable(SYMBOLS.get(circle.text, circle.text))
    fonts = (ink.word_font, ink.word_font) if len(text) > 1 else (ink.symbol_font, ink.large_symbol_font)
    font, large_font = (fitting(QFont(font), text, 2 * circle.radius - 4) for font in fonts)
    outline = QPainterPath()
    outline.addEllipse(QPointF(0, 0), circle.radius, circle.radius)
    symbol = _symbol(text, font)
    reach = max(circle.radius, -symbol.at.x()) + MARGIN
    bounds = QRectF(-reach, -reach, 2 * reach, 2 * reach)
    return CircleForm(symbol, font, _symbol(text, large_font), large_font, outline, bounds)


def _symbol(text: str, font: QFont) -> Text:
    """A text whose ink is centred."""
    metrics = QFontMetricsF(font)
    return Text(text, QPointF(-metrics.horizontalAdvance(text) / 2, -metrics.tightBoundingRect(text).center().y()))


def edge_form(edge: Edge) -> EdgeForm:
    """The geometry of one edge, in scene coordinates."""
    lines, arrows = QPainterPath(), QPainterPath()
    for index in range(edge.multiplicity):
        shift = (index - (edge.multiplicity - 1) / 2) * PARALLEL_GAP
        curves = [shifted(curve, shift) for curve in edge.curves] if shift else edge.curves
        _add_line(lines, curves)
        arrows.addPolygon(_arrow(curves[-1]))
    middle = edge.curves[len(edge.curves) // 2]
    return EdgeForm(lines, arrows, _halfway(middle), lines.controlPointRect().adjusted(-8, -8, 8, 8))


def _add_line(path: QPainterPath, curves: Sequence[Curve]) -> None:
    path.moveTo(*curves[0][0])
    for _start, one, two, end in curves:
        path.cubicTo(*one, *two, *end)


def _halfway(curve: Curve) -> QPointF:
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve
    return QPointF((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)


def shifted(curve: Curve, distance: float) -> Curve:
    """A curve beside the curve: its control polygon's sides moved `distance` pixels to their right (Tiller-Hanson)."""
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


def _arrow(curve: Curve) -> QPolygonF:
    """A small head at the end of a curve."""
    tip = curve[3]
    behind = next((point for point in (curve[2], curve[1], curve[0]) if point != tip), (tip[0] - 1, tip[1]))
    nx, ny = _normal(behind, tip)
    x, y = tip[0] - ny * ARROW_LENGTH, tip[1] + nx * ARROW_LENGTH
    half = ARROW_WIDTH / 2
    corners = (tip, (x + nx * half, y + ny * half), (x - nx * half, y - ny * half), tip)
    return QPolygonF([QPointF(*corner) for corner in corners])
