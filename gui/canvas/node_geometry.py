"""The geometry of nodes, worked out once when a node gets its size: outlines, cells, where texts stand.

Roles differ by shape: an input is round on the left, a parameter has cut corners on the left, an output is pointed on
the right with a thicker border, a group is a stack of cards, a constant a small pill, everything else a rounded box.
Coordinates are relative to the node's centre, in scene pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath

from engine.autograd.notation import counted
from engine.graph.build import CELL_WIDTH, Role
from engine.graph.picture import Box, Circle
from gui.canvas.style import CanvasStyle, fitting

RADIUS = 6.0
CUT = 9.0
POINT = 13.0
CARD_STEP = 3.5
LARGE_BASELINE = 5.5
TIP_SHIFT = 3.0
"""By how much a large number begins further left in the cell that a box's point cuts into."""
HATCH_STEP = 7.0
MAX_GEOMETRIES = 4_000
"""Geometries of boxes that are kept for the next box of the same kind and name."""
MARGIN = 9.0
"""How far a halo or a decoration may stand out of a node."""


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and where its baseline starts."""

    text: str
    at: QPointF


NO_TEXT = PlacedText("", QPointF())


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a box: its caption, where it starts (small, large), and the lines that say "not computed"."""

    caption: PlacedText
    number_at: QPointF
    large_at: QPointF
    hatch: tuple[QLineF, ...]
    frame: QRectF


@dataclass(frozen=True, slots=True)
class BoxShape:
    """What boxes of one role and size have in common.

    Attributes:
        outline: the whole shape.
        label_cell: the tinted part; the whole shape for a constant.
        cells: data and grad; a constant has only data.
        separators: lines between the cells.
        cards: the cards under a group.
        mark: where the mark of a problem stands.
        numbers: where numbers may be painted.
        bounds: everything that may be painted.
    """

    role: Role
    outline: QPainterPath
    label_cell: QPainterPath
    cells: tuple[Cell, ...]
    separators: tuple[QLineF, ...]
    cards: tuple[QPainterPath, ...]
    mark: QRectF
    numbers: QRectF
    bounds: QRectF


@dataclass(frozen=True, slots=True)
class BoxGeometry:
    """How one box is drawn.

    Attributes:
        shape: its outline and cells.
        label, note: name, and number of values of a group.
        large_label, large_font: the name as it is written where small words could not be read.
    """

    shape: BoxShape
    label: PlacedText
    note: PlacedText
    large_label: PlacedText
    large_font: QFont

    @property
    def outline(self) -> QPainterPath:
        """The whole shape."""
        return self.shape.outline


@dataclass(frozen=True, slots=True)
class CircleGeometry:
    """How an operation is drawn: its symbol and font, small and large, and its circle."""

    symbol: PlacedText
    font: QFont
    large_symbol: PlacedText
    large_font: QFont
    outline: QPainterPath
    bounds: QRectF


class GeometryCache:
    """Makes the geometries of nodes in the fonts of one theme; what several have in common is made once."""

    def __init__(self, style: CanvasStyle) -> None:
        self._style = style
        self._shells: dict[tuple[Role, float, float, bool], BoxShape] = {}
        self._boxes: dict[tuple[object, ...], BoxGeometry] = {}
        self._circles: dict[tuple[str, float], CircleGeometry] = {}

    def box(self, box: Box) -> BoxGeometry:
        """The geometry of one box."""
        key = (box.role, box.width, box.height, box.members, box.label, box.note)
        geometry = self._boxes.get(key)
        if geometry is None:
            if len(self._boxes) >= MAX_GEOMETRIES:
                self._boxes.clear()
            geometry = self._boxes[key] = self._box_geometry(box)
        return geometry

    def shape(self, box: Box) -> BoxShape:
        """What a box has in common with others: all that its numbers need."""
        key = (box.role, box.width, box.height, box.members > 0)
        shape = self._shells.get(key)
        if shape is None:
            shape = self._shells[key] = _constant_shape(box) if box.role == "constant" else _box_shape(box)
        return shape

    def _box_geometry(self, box: Box) -> BoxGeometry:
        shape = self.shape(box)
        if box.role == "constant":
            return BoxGeometry(shape, NO_TEXT, NO_TEXT, NO_TEXT, self._style.constant_font)
        left = -box.width / 2
        return BoxGeometry(shape, *_label(box, left, left + box.width - 2 * CELL_WIDTH, self._style))

    def circle(self, circle: Circle) -> CircleGeometry:
        """The geometry of one operation."""
        key = (circle.text, circle.radius)
        geometry = self._circles.get(key)
        if geometry is None:
            geometry = self._circles[key] = _circle_geometry(circle, self._style)
        return geometry


def _box_shape(box: Box) -> BoxShape:
    frame = _frame(box.width, box.height)
    outline = _outline(box.role, frame)
    label_right = frame.right() - 2 * CELL_WIDTH
    middle, end = label_right + CELL_WIDTH, frame.right() - (8.0 if box.role == "output" else 0.0)
    return BoxShape(
        role=box.role,
        outline=outline,
        label_cell=_left_part(outline, frame, label_right),
        cells=(_cell("data", label_right, middle, frame), _cell("grad", middle, end, frame)),
        separators=(
            QLineF(label_right, frame.top() + 0.5, label_right, frame.bottom() - 0.5),
            QLineF(middle, frame.top() + 6.0, middle, frame.bottom() - 6.0),
        ),
        cards=_cards(frame) if box.members else (),
        mark=QRectF(frame.right() - 11, frame.top() - 6, 14, 14),
        numbers=QRectF(label_right, frame.top(), frame.right() - label_right, frame.height()).adjusted(0, 2, 0, -2),
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )


def _constant_shape(box: Box) -> BoxShape:
    frame = _frame(box.width, box.height)
    outline = QPainterPath()
    outline.addRoundedRect(frame, frame.height() / 2, frame.height() / 2)
    return BoxShape(
        role=box.role,
        outline=outline,
        label_cell=outline,
        cells=(Cell(NO_TEXT, QPointF(), QPointF(), (), frame),),
        separators=(),
        cards=(),
        mark=QRectF(frame.right() - 9, frame.top() - 6, 14, 14),
        numbers=frame,
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )


def _frame(width: float, height: float) -> QRectF:
    return QRectF(-width / 2, -height / 2, width, height)


def _outline(role: Role, frame: QRectF) -> QPainterPath:
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
        PlacedText(name, QPointF(start, frame.top() + height * 0.33)),
        QPointF(start, inner.bottom() - 3.5),
        QPointF(start - 1.0 - TIP_SHIFT * (right - left < CELL_WIDTH), LARGE_BASELINE),
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


def _label(box: Box, left: float, right: float, style: CanvasStyle) -> tuple[PlacedText, PlacedText, PlacedText, QFont]:
    """Label, note, and label in large letters with its font: the largest in which it fits."""
    middle, name, room = (left + right) / 2, shown_label(box), right - left - 5
    large = next(
        (font for font in style.large_label_fonts if QFontMetricsF(font).horizontalAdvance(name) <= room),
        style.large_label_fonts[-1],
    )
    baseline = -1.0 if box.members else 4.5
    count = printable(box.note) or (counted(box.members, "value") if box.members else "")
    return (
        _centred(name, middle, baseline, right - left - 8, style.label_font),
        _centred(count, middle, 11.0, right - left - 4, style.caption_font),
        _centred(name, middle, LARGE_BASELINE, room, large),
        large,
    )


def shown_label(box: Box) -> str:
    """What stands in the label cell; a dot for a value without a name."""
    return printable(box.label) or "·"


def printable(text: str) -> str:
    """The text in one line and without characters that no XML file may hold."""
    return "".join(c if c.isprintable() else " " for c in text.encode("utf-8", "replace").decode("utf-8")).strip()


def _centred(text: str, x: float, baseline: float, width: float, font: QFont) -> PlacedText:
    if not text:
        return NO_TEXT
    metrics = QFontMetricsF(font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return PlacedText(text, QPointF(x - metrics.horizontalAdvance(text) / 2, baseline))


SYMBOLS = {"*": "×", "-": "−", "@": "@"}


def _circle_geometry(circle: Circle, style: CanvasStyle) -> CircleGeometry:
    """The geometry of one operation; a long name is written smaller."""
    text = printable(SYMBOLS.get(circle.text, circle.text))
    room = 2 * circle.radius - 4
    font, large_font = (fitting(QFont(font), text, room) for font in (style.symbol_font, style.large_symbol_font))
    outline = QPainterPath()
    outline.addEllipse(QPointF(0, 0), circle.radius, circle.radius)
    symbol = _symbol(text, font)
    reach = max(circle.radius, -symbol.at.x()) + MARGIN
    bounds = QRectF(-reach, -reach, 2 * reach, 2 * reach)
    return CircleGeometry(symbol, font, _symbol(text, large_font), large_font, outline, bounds)


def _symbol(text: str, font: QFont) -> PlacedText:
    """A text whose visible part is centred."""
    metrics = QFontMetricsF(font)
    return PlacedText(
        text, QPointF(-metrics.horizontalAdvance(text) / 2, -metrics.tightBoundingRect(text).center().y())
    )
