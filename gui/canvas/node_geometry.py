"""The geometry of nodes, worked out once when a node gets its size: outlines, cells, where texts stand.

Roles differ by shape: an input is round on the left, a parameter has cut corners on the left, an output is pointed on
the right with a thicker border, a group is a stack of cards, a constant a small pill, everything else a rounded box.
The form of the box decides where name and numbers stand (`engine/graph/forms.py`).
Coordinates are relative to the node's centre, in scene pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath

from engine.autograd.notation import counted
from engine.graph.forms import FORMS, BoxForm, Role
from engine.graph.picture import Box, Circle
from gui.canvas.outlines import cards_under, hatch_lines, outline_of, part_of
from gui.canvas.style import CanvasStyle, fitting

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
        """The geometry of one box."""
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
        return BoxGeometry(shape, *_label(box, self._style))

    def circle(self, circle: Circle) -> CircleGeometry:
        """The geometry of one operation."""
        key = (circle.text, circle.radius)
        geometry = self._circles.get(key)
        if geometry is None:
            geometry = self._circles[key] = _circle_geometry(circle, self._style)
        return geometry


def _box_shape(box: Box) -> BoxShape:
    form = FORMS[box.form]
    frame = _frame(box.width, box.height)
    outline = outline_of(box.role, frame)
    name = QRectF(*form.name_cell(box.width, box.height))
    data, grad = (QRectF(*cell) for cell in form.number_cells(box.width, box.height, box.role))
    numbers = QRectF(data.left(), data.top(), frame.right() - data.left(), frame.bottom() - data.top())
    return BoxShape(
        role=box.role,
        form=box.form,
        outline=outline,
        label_cell=part_of(outline, name),
        cells=(_cell(form, "data", data), _cell(form, "grad", _before_point(form, grad, box.role))),
        separators=_separators(form, name, grad),
        cards=cards_under(frame) if box.members else (),
        mark=QRectF(frame.right() - 11, frame.top() - 6, 14, 14),
        numbers=numbers if form.name_above else numbers.adjusted(0, 2, 0, -2),
        bounds=frame.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN),
    )


def _before_point(form: BoxForm, cell: QRectF, role: Role) -> QRectF:
    """The cell of a row into which the point of an output cuts."""
    return cell.adjusted(0, 0, -8.0, 0) if role == "output" and not form.name_above else cell


def _separators(form: BoxForm, name: QRectF, grad: QRectF) -> tuple[QLineF, ...]:
    if form.name_above:
        below = QLineF(name.left() + 0.5, name.bottom(), name.right() - 0.5, name.bottom())
        return (
            (below,) if form.stacked else (below, QLineF(grad.left(), grad.top() + 5, grad.left(), grad.bottom() - 5))
        )
    beside = QLineF(name.right(), name.top() + 0.5, name.right(), name.bottom() - 0.5)
    return beside, QLineF(grad.left(), grad.top() + 6.0, grad.left(), grad.bottom() - 6.0)


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
        return _captioned_cell(name, cell)
    baseline = cell.center().y() + BASELINE * form.number_pixels
    at = QPointF(cell.right() - CELL_MARGIN if form.stacked or name == "grad" else cell.left() + CELL_MARGIN, baseline)
    inner = cell.adjusted(4.0, 2.0, -4.0, -3.0)
    return Cell(
        _caption_above(form, name, cell), at, at, form.stacked or name == "grad", hatch_lines(inner), inner,
        cell.center().y(),
    )  # fmt: skip


def _caption_above(form: BoxForm, name: str, cell: QRectF) -> PlacedText:
    """Return the caption of a number, at the end of the strip with the name; None where numbers are stacked."""
    if form.stacked:
        return NO_TEXT
    left = cell.left() + CELL_MARGIN if name == "data" else cell.right() - CELL_MARGIN - CAPTION_WIDTH
    return PlacedText(name, QPointF(left, cell.top() - CAPTION_RISE))


def _captioned_cell(name: str, cell: QRectF) -> Cell:
    """A number in a row, with its caption above."""
    inner = QRectF(cell.left() + 5.0, cell.top() + cell.height() * 0.36, cell.width() - 10.0, cell.height() * 0.52)
    start = cell.left() + 6.0 - TIP_SHIFT * (cell.width() < FORMS["row"].cell[0])
    caption = PlacedText(name, QPointF(cell.left() + 7.0, cell.top() + cell.height() * 0.29))
    return Cell(
        caption, QPointF(start, cell.bottom() - 6.5), QPointF(start, LARGE_BASELINE), False, hatch_lines(inner), inner
    )


def _label(box: Box, style: CanvasStyle) -> tuple[PlacedText, QFont, PlacedText, PlacedText, bool]:
    """Return the label in the largest font that fits, the note, the label without a note, and True if captions fit."""
    form = FORMS[box.form]
    cell = QRectF(*form.name_cell(box.width, box.height))
    middle, name, room = cell.center().x(), shown_label(box), cell.width() - 6
    fonts = [font for font in style.label_fonts if font.pixelSize() <= cell.height() - 4] or style.label_fonts[-1:]
    font = next((font for font in fonts if QFontMetricsF(font).horizontalAdvance(name) <= room), fonts[-1])
    bare = _centred(name, middle, cell.center().y() + LABEL_BASELINE * font.pixelSize(), room, font)
    count = printable(box.note) or (counted(box.members, "value") if box.members else "")
    return (
        PlacedText(bare.text, bare.at - NOTE_SHIFT) if count else bare,
        font,
        _centred(count, middle, cell.bottom() - NOTE_BASELINE, room, style.caption_font),
        bare,
        not form.name_above or bare.at.x() - cell.left() >= CAPTION_WIDTH + 2 * CELL_MARGIN,
    )


def shown_label(box: Box) -> str:
    """Return the text of the label cell; a dot for a value without a name."""
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
