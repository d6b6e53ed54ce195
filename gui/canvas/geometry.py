"""The geometry of nodes and edges, computed once when a picture is drawn: outlines, cells, places of texts, curves.

Roles differ by shape: an input is round on the left, a parameter has cut corners on the left, an output is pointed on
the right with a thicker border, a group is a stack of cards, a constant a small pill, everything else a rounded box.
The form of the box decides where name and numbers stand (`engine/graph/forms.py`).
Coordinates of nodes are relative to their centre, those of edges are the scene's; both in scene pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath

from engine.autograd.notation import counted
from engine.graph.drawn_parts import SYMBOLS, arrow_head, lines_of, printable
from engine.graph.forms import FORMS, POINT, BoxForm, Role
from engine.graph.picture import Box, Circle, Curve, Edge
from gui.canvas.style import CanvasStyle, fitting

RADIUS = 6.0
CUT = 9.0
LARGEST_ROUNDING = 17.0
"""Radius of the round side of an input, where the box is high enough."""
CARD_STEP = 3.5
HATCH_STEP = 7.0
LARGE_BASELINE = 5.5
CELL_MARGIN = 5.0
BASELINE, LABEL_BASELINE = 0.36, 0.35
"""Distance of the baseline of digits, or of a name, below their middle, in heights of their letters."""
CAPTION_WIDTH, CAPTION_RISE = 18.0, 4.5
"""Room for a caption next to a name, and the distance of its baseline above the numbers."""
NOTE_BASELINE = 5.0
"""Distance of a note's baseline above the end of the cell for the name."""
NOTE_SHIFT = QPointF(0, 5.5)
"""By how much a name with a note under it stands higher."""
TIP_SHIFT = 3.0
"""By how much a number begins further left in the cell that a box's point cuts into."""
MAX_GEOMETRIES = 4_000
"""Geometries of boxes that are kept for the next box of the same kind and name."""
MARGIN = 9.0
"""Largest distance that a halo or a mark extends from a node."""
EDGE_MARGIN = 8.0
"""Largest distance that a line or an arrow head extends from its curve."""


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


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and where its baseline starts."""

    text: str
    at: QPointF


NO_TEXT = PlacedText("", QPointF())


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a box.

    Attributes:
        caption: "data" or "grad"; none where the form has no room for it.
        number_at: where its baseline starts; where it ends for one that is `to_the_right`.
        bare_at: the same without captions.
        to_the_right: numbers are aligned at their right end.
        hatch: lines that say "not computed".
        frame: where they are.
        middle: height at which the number stands without captions.
    """

    caption: PlacedText
    number_at: QPointF
    bare_at: QPointF
    to_the_right: bool
    hatch: tuple[QLineF, ...]
    frame: QRectF
    middle: float = 0.0


@dataclass(frozen=True, slots=True)
class BoxShape:
    """Properties shared by boxes of one role, form and size.

    Attributes:
        role, form: theirs.
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
    form: str
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
    """Geometry of one box.

    Attributes:
        shape: its outline and cells.
        label, font: its name, in the largest font in which it fits.
        note: number of values of a group.
        bare_label: the name where notes are left out.
        has_captions: there is room for the captions data and grad next to the name.
    """

    shape: BoxShape
    label: PlacedText
    font: QFont
    note: PlacedText
    bare_label: PlacedText
    has_captions: bool = True

    @property
    def outline(self) -> QPainterPath:
        """The whole shape."""
        return self.shape.outline


@dataclass(frozen=True, slots=True)
class CircleGeometry:
    """Geometry of an operation: its symbol and font, small and large, and its circle."""

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
        self._shells: dict[tuple[Role, str, float, float, bool], BoxShape] = {}
        self._boxes: dict[tuple[object, ...], BoxGeometry] = {}
        self._circles: dict[tuple[str, float], CircleGeometry] = {}

    def box(self, box: Box) -> BoxGeometry:
        key = (box.role, box.form, box.width, box.height, box.members, box.label, box.note)
        geometry = self._boxes.get(key)
        if geometry is None:
            if len(self._boxes) >= MAX_GEOMETRIES:
                del self._boxes[next(iter(self._boxes))]  # the oldest; all of them at once would take 6 ms
            geometry = self._boxes[key] = self._box_geometry(box)
        return geometry

    def shape(self, box: Box) -> BoxShape:
        """Return the shared shape of a box: all that its numbers need."""
        key = (box.role, box.form, box.width, box.height, box.members > 0)
        shape = self._shells.get(key)
        if shape is None:
            shape = self._shells[key] = _constant_shape(box) if box.role == "constant" else _box_shape(box)
        return shape

    def _box_geometry(self, box: Box) -> BoxGeometry:
        shape = self.shape(box)
        if box.role == "constant":
            return BoxGeometry(shape, NO_TEXT, self._style.label_fonts[0], NO_TEXT, NO_TEXT)
        style, form = self._style, FORMS[box.form]
        cell = QRectF(*form.name_cell(box.width, box.height))
        middle, name, room = cell.center().x(), shown_label(box), cell.width() - 6
        fonts = [font for font in style.label_fonts if font.pixelSize() <= cell.height() - 4] or style.label_fonts[-1:]
        font = next((font for font in fonts if QFontMetricsF(font).horizontalAdvance(name) <= room), fonts[-1])
        bare = _centred(name, middle, cell.center().y() + LABEL_BASELINE * font.pixelSize(), room, font)
        count = printable(box.note) or (counted(box.members, "value") if box.members else "")
        return BoxGeometry(
            shape=shape,
            label=PlacedText(bare.text, bare.at - NOTE_SHIFT) if count else bare,
            font=font,
            note=_centred(count, middle, cell.bottom() - NOTE_BASELINE, room, style.caption_font),
            bare_label=bare,
            has_captions=not form.name_above or bare.at.x() - cell.left() >= CAPTION_WIDTH + 2 * CELL_MARGIN,
        )

    def circle(self, circle: Circle) -> CircleGeometry:
        """The geometry of one operation; a long name is written smaller."""
        key = (circle.text, circle.radius)
        geometry = self._circles.get(key)
        if geometry is None:
            text, room = printable(SYMBOLS.get(circle.text, circle.text)), 2 * circle.radius - 4
            fonts = (self._style.symbol_font, self._style.large_symbol_font)
            font, large_font = (fitting(QFont(font), text, room) for font in fonts)
            outline = QPainterPath()
            outline.addEllipse(QPointF(0, 0), circle.radius, circle.radius)
            symbol = _symbol(text, font)
            reach = max(circle.radius, -symbol.at.x()) + MARGIN
            bounds = QRectF(-reach, -reach, 2 * reach, 2 * reach)
            large_symbol = _symbol(text, large_font)
            geometry = CircleGeometry(symbol, font, large_symbol, large_font, outline, bounds)
            self._circles[key] = geometry
        return geometry


def _box_shape(box: Box) -> BoxShape:
    form = FORMS[box.form]
    frame = _frame(box.width, box.height)
    outline = outline_of(box.role, frame)
    name = QRectF(*form.name_cell(box.width, box.height))
    data, grad = (QRectF(*cell) for cell in form.number_cells(box.width, box.height, box.role))
    numbers = QRectF(data.left(), data.top(), frame.right() - data.left(), frame.bottom() - data.top())
    if form.name_above:
        after_name = QLineF(name.left() + 0.5, name.bottom(), name.right() - 0.5, name.bottom())
    else:
        after_name = QLineF(name.right(), name.top() + 0.5, name.right(), name.bottom() - 0.5)
    inset = 5.0 if form.name_above else 6.0
    between = QLineF(grad.left(), grad.top() + inset, grad.left(), grad.bottom() - inset)
    if box.role == "output" and not form.name_above:
        grad.adjust(0, 0, -8.0, 0)  # the point of an output cuts into the cell of a row
    return BoxShape(
        role=box.role,
        form=box.form,
        outline=outline,
        label_cell=part_of(outline, name),
        cells=(_cell(form, "data", data), _cell(form, "grad", grad)),
        separators=(after_name,) if form.stacked else (after_name, between),
        cards=cards_under(frame) if box.members else (),
        mark=QRectF(frame.right() - 11, frame.top() - 6, 14, 14),
        numbers=numbers if form.name_above else numbers.adjusted(0, 2, 0, -2),
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )


def _constant_shape(box: Box) -> BoxShape:
    frame = _frame(box.width, box.height)
    outline = QPainterPath()
    outline.addRoundedRect(frame, frame.height() / 2, frame.height() / 2)
    return BoxShape(
        role=box.role,
        form=box.form,
        outline=outline,
        label_cell=outline,
        cells=(Cell(NO_TEXT, QPointF(), QPointF(), False, (), frame),),
        separators=(),
        cards=(),
        mark=QRectF(frame.right() - 9, frame.top() - 6, 14, 14),
        numbers=frame,
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )


def _frame(width: float, height: float) -> QRectF:
    return QRectF(-width / 2, -height / 2, width, height)


def _cell(form: BoxForm, name: str, cell: QRectF) -> Cell:
    if not form.name_above:
        inner = QRectF(cell.left() + 5.0, cell.top() + cell.height() * 0.36, cell.width() - 10.0, cell.height() * 0.52)
        x = cell.left() + 6.0 - TIP_SHIFT * (cell.width() < FORMS["row"].cell[0])
        at, bare_at = QPointF(x, cell.bottom() - 6.5), QPointF(x, LARGE_BASELINE)
        caption = PlacedText(name, QPointF(cell.left() + 7.0, cell.top() + cell.height() * 0.29))
        return Cell(caption, at, bare_at, False, hatch_lines(inner), inner)
    to_the_right = form.stacked or name == "grad"
    baseline = cell.center().y() + BASELINE * form.number_pixels
    at = QPointF(cell.right() - CELL_MARGIN if to_the_right else cell.left() + CELL_MARGIN, baseline)
    caption = NO_TEXT  # numbers under one another have none; others at the end of the strip with the name
    if not form.stacked:
        left = cell.left() + CELL_MARGIN if name == "data" else cell.right() - CELL_MARGIN - CAPTION_WIDTH
        caption = PlacedText(name, QPointF(left, cell.top() - CAPTION_RISE))
    inner = cell.adjusted(4.0, 2.0, -4.0, -3.0)
    return Cell(caption, at, at, to_the_right, hatch_lines(inner), inner, cell.center().y())


def shown_label(box: Box) -> str:
    """Return the text of the label cell; a dot for a value without a name."""
    return printable(box.label) or "·"


def _centred(text: str, x: float, baseline: float, width: float, font: QFont) -> PlacedText:
    if not text:
        return NO_TEXT
    metrics = QFontMetricsF(font)
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return PlacedText(text, QPointF(x - metrics.horizontalAdvance(text) / 2, baseline))


def _symbol(text: str, font: QFont) -> PlacedText:
    """A text whose visible part is centred."""
    metrics = QFontMetricsF(font)
    return PlacedText(
        text, QPointF(-metrics.horizontalAdvance(text) / 2, -metrics.tightBoundingRect(text).center().y())
    )


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
    for curves in lines_of(edge):
        lines.moveTo(*curves[0][0])
        for _start, one, two, stop in curves:
            lines.cubicTo(*one, *two, *stop)
        _add_arrow(arrows, curves[-1])
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = edge.curves[len(edge.curves) // 2]
    middle = QPointF((x0 + 3 * x1 + 3 * x2 + x3) / 8, (y0 + 3 * y1 + 3 * y2 + y3) / 8)
    start, end = QPointF(*edge.curves[0][0]), QPointF(*edge.curves[-1][3])
    bounds = lines.controlPointRect().adjusted(-EDGE_MARGIN, -EDGE_MARGIN, EDGE_MARGIN, EDGE_MARGIN)
    return EdgeGeometry(lines, arrows, start, middle, end, bounds)


def _add_arrow(path: QPainterPath, curve: Curve) -> None:
    """A small head at the end of a curve."""
    tip, left, right = arrow_head(curve)
    path.moveTo(*tip)
    path.lineTo(*left)
    path.lineTo(*right)
    path.closeSubpath()
