"""Lines of an explanation, typeset: fractions are drawn, everything else is rich text of Qt.

Qt's rich text knows no fractions, so each is an inline object of the document that `QPyTextObject` draws: 0.02 ms a
formula, where LaTeX set by a library (ziamath 0.13) took 19 ms and 0.15 s to load. The plain text of every line stays
at hand: it is copied, returned by `plain_text` and read by a screen reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, QRect, QRectF, QSizeF, QTimer
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from engine.teaching.explanation import ExplanationLine
from engine.teaching.typeset import MINUS, Box, Fraction, Glyphs, typeset
from gui.painting import saved
from gui.theme import LIGHT, Colors, mono_font, text_pixels

FRACTION = QTextFormat.ObjectTypes.UserObject + 1
PLACE = QTextFormat.Property.UserProperty + 1
"""The property of an inline object that says which fraction it is."""
NO_BREAK = "\u00a0"
"""A blank at which no line ends: an equals sign stays with its number."""
BAR_ROOM, SIDE_ROOM = 2.0, 2.0  # pixels around the bar of a fraction, and beside it
SMALLER = 0.92
"""Height of the letters in a fraction, and of what is raised, `RAISED`, against those beside it."""
RAISED, SHIFT = 0.72, 0.32

SCRIPTS = {
    1: QTextCharFormat.VerticalAlignment.AlignSuperScript,
    -1: QTextCharFormat.VerticalAlignment.AlignSubScript,
}
AT_ONCE = 40
"""Lines that are set at once, more than a page shows: 10 to 15 ms."""
PIXELS = {"heading": 13, "formula": 15, "text": 13}
MARGINS = {"heading": (8, 4), "formula": (2, 2), "text": (2, 2)}
"""Above and below a line, pixels."""


def math_font(pixels: int, italic: bool = True) -> QFont:
    """The face of formulas, with serifs: letters are italic, digits and signs upright."""
    font = QFont(["STIX Two Text", "Cambria", "Times New Roman", "DejaVu Serif"])
    font.setStyleHint(QFont.StyleHint.Serif)
    font.setItalic(italic)
    font.setPixelSize(pixels)
    return font


class FormulaView(QTextBrowser):
    """A page of lines that can be read, selected and copied.

    Attributes:
        colors: of the theme, for the lines that are shown next.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """Make an empty page; `name` is what screen readers call it."""
        super().__init__(parent, openLinks=False)
        self.colors: Colors = LIGHT
        self._lines: tuple[ExplanationLine, ...] = ()
        self._formats: dict[tuple[str, str, int, bool], QTextCharFormat] = {}
        self._drawer = _FractionDrawer(self)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextBrowser { border: none; background: transparent; }")
        self._n_shown = self._scroll = 0
        self._more = QTimer(self, singleShot=True, interval=0)
        self._more.timeout.connect(self._show_more)
        self.document().setUndoRedoEnabled(False)
        self.document().documentLayout().registerHandler(FRACTION, self._drawer)

    def show_lines(self, lines: Iterable[ExplanationLine]) -> None:
        """Show these lines; the place that is looked at stays. Of very many the later ones follow in pieces."""
        self._lines = tuple(lines)
        self._scroll = self.verticalScrollBar().value()
        self._n_shown = 0
        self._drawer.clear()
        self._formats.clear()
        self.clear()
        self.setAccessibleDescription(self.plain_text())
        self._show_more()

    def _show_more(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for line in self._lines[self._n_shown : self._n_shown + AT_ONCE]:
            block = QTextBlockFormat()
            above, below = MARGINS[line.kind]
            block.setTopMargin(above)
            block.setBottomMargin(below)
            cursor.insertBlock(block) if self._n_shown else cursor.setBlockFormat(block)
            self._n_shown += 1
            for box in _joined(typeset(line)):
                self._insert(cursor, box, line.kind)
        cursor.endEditBlock()
        self.verticalScrollBar().setValue(self._scroll)
        if self._n_shown < len(self._lines):
            self._more.start()

    def plain_text(self) -> str:
        """The lines without their faces, fractions on one line."""
        return "\n".join(line.text for line in self._lines)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the copied content, with fractions written on one line."""
        data = QMimeData()
        data.setText(self.plain_text_of(self.textCursor()))
        return data

    def plain_text_of(self, cursor: QTextCursor) -> str:
        """The text of a selection."""
        start, pieces = cursor.selectionStart(), []
        probe = QTextCursor(self.document())
        for offset, letter in enumerate(cursor.selectedText()):
            if letter == "\ufffc":
                probe.setPosition(start + offset + 1)
                pieces.append(self._drawer.text(probe.charFormat()))
            else:
                pieces.append({"\u2029": "\n", NO_BREAK: " "}.get(letter, letter))
        return "".join(pieces)

    def _insert(self, cursor: QTextCursor, box: Box, line_kind: str) -> None:
        if isinstance(box, Fraction):
            form = QTextCharFormat(self._format("math", line_kind))
            form.setObjectType(FRACTION)
            form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
            form.setProperty(PLACE, self._drawer.add(box, form.font().pixelSize()))
            cursor.insertText("\ufffc", form)
        else:
            is_negative = box.kind == "number" and box.text.strip().lstrip("=≈ (").startswith(MINUS)
            text = box.text.replace(" ", NO_BREAK) if box.kind == "number" else box.text
            cursor.insertText(text, self._format(box.kind, line_kind, box.raised, is_negative))

    def _format(self, kind: str, line_kind: str, raised: int = 0, is_negative: bool = False) -> QTextCharFormat:
        key = kind, line_kind, raised, is_negative
        if key not in self._formats:
            self._formats[key] = self._made_format(*key)
        return self._formats[key]

    def _made_format(self, kind: str, line_kind: str, raised: int, is_negative: bool) -> QTextCharFormat:
        pixels, form = text_pixels(PIXELS[line_kind]), QTextCharFormat()
        color = self.colors.muted if line_kind == "text" and kind == "word" else self.colors.text
        if kind in ("math", "sign"):
            form.setFont(math_font(pixels + 1, italic=kind == "math"))
        elif kind == "code":
            form.setFont(mono_font(12))
            color = self.colors.text
        elif kind == "number":
            form.setFont(mono_font(PIXELS[line_kind]))
            color = self.colors.negative if is_negative else self.colors.positive
        else:
            form.setFont(self.font())
            form.setFontWeight(QFont.Weight.DemiBold if line_kind == "heading" else QFont.Weight.Normal)
            form.setProperty(QTextFormat.Property.FontPixelSize, text_pixels(PIXELS["text"]))
        if raised:
            form.setVerticalAlignment(SCRIPTS[raised])
        form.setForeground(QBrush(QColor(color)))
        return form


def _joined(boxes: Sequence[Box]) -> Iterator[Box]:
    """Glyphs of one face side by side as one box: a document is made faster of fewer pieces."""
    before: Glyphs | None = None
    for box in boxes:
        if isinstance(box, Glyphs) and before is not None and (box.kind, box.raised) == (before.kind, before.raised):
            before = Glyphs(before.text + box.text, box.kind, box.raised)
            continue
        if before is not None:
            yield before
        before = box if isinstance(box, Glyphs) else None
        if before is None:
            yield box
    if before is not None:
        yield before


@dataclass(frozen=True, eq=False)
class _PlacedFraction:
    """A fraction in the document, in letters of some pixels' height, and the room it takes."""

    fraction: Fraction
    pixels: int
    size: QSizeF


class _FractionDrawer(QPyTextObject):
    """Draws fractions into the document; the bar stands at half the height of small letters.

    A page has the same letters in a few heights, and Qt asks for each fraction's size again and again: fonts, their
    metrics and sizes are kept.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._placed: list[_PlacedFraction] = []
        self._faces: dict[tuple[int, bool], tuple[QFont, QFontMetricsF]] = {}

    def add(self, fraction: Fraction, pixels: int) -> int:
        """Append a fraction of the document; return its index."""
        self._placed.append(_PlacedFraction(fraction, pixels, self._size(fraction, pixels)))
        return len(self._placed) - 1

    def text(self, form: QTextFormat) -> str:
        """The fraction of an inline object as it is written on one line."""
        return self._at(form).fraction.text

    def clear(self) -> None:
        """The document is empty."""
        self._placed.clear()

    def _at(self, form: QTextFormat) -> _PlacedFraction:
        return self._placed[int(form.property(PLACE))]

    def intrinsicSize(self, _document: QTextDocument, _place: int, form: QTextFormat) -> QSizeF:
        return self._at(form).size

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, _document: QTextDocument, _place: int, form: QTextFormat
    ) -> None:
        placed = self._at(form)
        with saved(painter):
            painter.setPen(form.foreground().color())
            self._draw(painter, placed.fraction, placed.pixels, QRectF(rect))

    def _face(self, pixels: int, italic: bool = True) -> tuple[QFont, QFontMetricsF]:
        if (pixels, italic) not in self._faces:
            font = math_font(pixels, italic)
            self._faces[pixels, italic] = font, QFontMetricsF(font)
        return self._faces[pixels, italic]

    def _face_of(self, box: Glyphs, pixels: int) -> tuple[QFont, QFontMetricsF]:
        return self._face(_scaled(pixels, RAISED) if box.raised else pixels, box.kind == "math")

    def _size(self, box: Box, pixels: int) -> QSizeF:
        """Width and height of a box; a fraction is as high above its bar as below it."""
        if isinstance(box, Fraction):
            inner = _scaled(pixels, SMALLER)
            above, below = self._row_size(box.above, inner), self._row_size(box.below, inner)
            width = max(above.width(), below.width()) + 2 * SIDE_ROOM
            return QSizeF(width, 2 * max(above.height(), below.height()) + 2 * BAR_ROOM)
        _font, metrics = self._face_of(box, pixels)
        return QSizeF(metrics.horizontalAdvance(box.text), metrics.height())

    def _row_size(self, row: Iterable[Box], pixels: int) -> QSizeF:
        sizes = [self._size(box, pixels) for box in row]
        return QSizeF(sum(size.width() for size in sizes), max((size.height() for size in sizes), default=0.0))

    def _draw(self, painter: QPainter, box: Box, pixels: int, rect: QRectF) -> None:
        if isinstance(box, Glyphs):
            _font, metrics = self._face(pixels)
            middle = rect.center().y() - box.raised * SHIFT * metrics.ascent()
            base = middle + (metrics.ascent() - metrics.descent()) / 2
            painter.setFont(self._face_of(box, pixels)[0])
            painter.drawText(round(rect.left()), round(base), box.text)
            return
        inner, middle = _scaled(pixels, SMALLER), rect.center().y()
        painter.drawLine(round(rect.left()) + 1, round(middle), round(rect.right()) - 1, round(middle))
        half = rect.height() / 2 - BAR_ROOM
        for row, top in ((box.above, rect.top()), (box.below, middle + BAR_ROOM)):
            left = rect.center().x() - self._row_size(row, inner).width() / 2
            for part in row:
                size = self._size(part, inner)
                self._draw(painter, part, inner, QRectF(left, top, size.width(), half))
                left += size.width()


def _scaled(pixels: int, factor: float) -> int:
    return max(8, round(pixels * factor))
