"""Colours and marks in an editor: syntax, the caret's line, invisible characters, errors, the selected value.

Places are lines and columns, both from 1 and counted in characters; Qt counts in UTF-16 units. A text beyond the
limit of the language gets no colours: Qt highlights it as a whole (1.4 s for 200,000 characters).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from engine.language import highlight_line
from engine.language.hidden import hidden_places, is_hidden
from engine.language.source import MAX_CHARACTERS, line_starts
from gui.theme import Colors

LONGEST_LINE = 2000
KEPT_LINES = 256
"""Lines whose spans are cached: another theme only changes the colours."""
_STRINGS = ("", '"""', "'''", '"', "'")
"""Quotes of a string that goes on in the next line, after a backslash for plain ones, by the state of a line."""


def word_formats(colors: Colors) -> dict[str, QTextCharFormat]:
    """Return how words of a program are written, by their kinds."""
    return {
        "number": _format(colors.text, bold=True),
        "function": _format(colors.accent),
        "keyword": _format(colors.negative),
        "operator": _format(colors.muted),
        "comment": _format(colors.muted, italic=True),
        "string": _format(colors.third),
        "set-aside": _format(colors.muted, italic=True),
    }


class Highlighter(QSyntaxHighlighter):
    """Colours a line by the kinds of its spans.

    Attributes:
        active: whether the text is coloured.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._program = document
        self.active = True
        self._switching = False
        self._formats: dict[str, QTextCharFormat] = {}
        self._spans = lru_cache(KEPT_LINES)(lambda text, opened: highlight_line(text, opened))

    def set_colors(self, colors: Colors) -> None:
        self._formats = word_formats(colors)
        self.rehighlight()

    def follow_size(self, characters: int) -> None:
        """Adapt to the length of the text; call this before inserting a long one."""
        wanted = characters <= MAX_CHARACTERS
        if wanted != self.active and not self._switching:
            self.active = wanted
            self._switching = True  # Qt reports it as a change of the text while it is under way
            self.setDocument(self._program if wanted else None)  # type: ignore[arg-type]  # Qt takes a null pointer
            self._switching = False

    def highlightBlock(self, text: str) -> None:
        """Called by Qt for each line that changed; the state of a line says in which string it ends."""
        if len(text) > LONGEST_LINE:
            self.setCurrentBlockState(0)
            return
        spans, goes_on = self._spans(text, _STRINGS[max(self.previousBlockState(), 0)])
        self.setCurrentBlockState(_STRINGS.index(goes_on))
        for span in spans:
            style = self._formats.get(span.kind)
            if style is not None:
                self.setFormat(span.column - 1, span.length, style)


def _format(color: str, bold: bool = False, italic: bool = False) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setForeground(QColor(color))
    style.setFontItalic(italic)
    if bold:
        style.setFontWeight(600)
    return style


MOST_HIDDEN_MARKS = 100
Mark = QTextEdit.ExtraSelection
Place = tuple[int, int]
"""Line and column."""


def place_of(text: str, offset: int) -> Place:
    """Line and column of an offset in a text, whatever its lines end with."""
    starts = _line_starts(text[:offset])
    return len(starts), offset - starts[-1] + 1


def offset_of(text: str, place: Place) -> int:
    """The offset of a line and column in a text; its end where there is no such line."""
    line, column = place
    starts = _line_starts(text)
    return min(starts[line - 1] + column - 1, len(text)) if line <= len(starts) else len(text)


def _line_starts(text: str) -> list[int]:
    """Return the offsets at which lines of the editor begin, for which U+2029 is the end of a line, too."""
    return line_starts(text.replace("\u2029", "\n"))


def units(text: str, characters: int) -> int:
    """Return the number of UTF-16 units, as Qt counts, in the first characters of a text."""
    start = text[:characters]
    return len(start) if start.isascii() else len(start.encode("utf-16-le", "surrogatepass")) // 2


def characters(text: str, n_units: int) -> int:
    """Return the number of characters in the first UTF-16 units of a text."""
    if text.isascii():
        return n_units
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * n_units].decode("utf-16-le", "ignore"))


def cursor_at(document: QTextDocument, place: Place) -> QTextCursor:
    """A caret at a place; at the end of its line, or of the text, where there is no such place."""
    block = document.findBlockByNumber(place[0] - 1)
    cursor = QTextCursor(block if block.isValid() else document.lastBlock())
    line = cursor.block().text()
    cursor.setPosition(cursor.block().position() + units(line, max(place[1] - 1, 0)))
    return cursor


def line_mark(cursor: QTextCursor, color: str) -> Mark:
    """The whole line with the caret."""
    mark = Mark()
    mark.format.setBackground(QColor(color))
    mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
    mark.cursor = QTextCursor(cursor)
    mark.cursor.clearSelection()
    return mark


def muted_mark(document: QTextDocument, line: int, color: str) -> Mark:
    """All lines from one on in a quiet colour."""
    mark = Mark()
    mark.format.setForeground(QColor(color))
    mark.cursor = cursor_at(document, (line, 1))
    mark.cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    return mark


def part_mark(document: QTextDocument, start: Place, end: Place, color: str) -> Mark:
    """A part of the text on a ground of its own."""
    mark = Mark()
    mark.format.setBackground(QColor(color))
    mark.cursor = cursor_at(document, start)
    mark.cursor.setPosition(cursor_at(document, end).position(), QTextCursor.MoveMode.KeepAnchor)
    return mark


def wavy_mark(document: QTextDocument, place: tuple[int, int, int], color: str) -> Mark:
    """A wavy line under (line, column, end column)."""
    mark = Mark()
    mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    mark.format.setUnderlineColor(QColor(color))
    start, end = _underlined(document.findBlockByNumber(place[0] - 1), place[1], place[2])
    mark.cursor = QTextCursor(document)
    mark.cursor.setPosition(start)
    mark.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return mark


def wavy_line_mark(document: QTextDocument, line: int, color: str) -> Mark:
    """A wavy line under what stands in a line, from 1."""
    text = document.findBlockByNumber(line - 1).text()
    return wavy_mark(document, (line, len(text) - len(text.lstrip()) + 1, len(text.split("#")[0].rstrip()) + 1), color)


def _underlined(block: QTextBlock, column: int, end_column: int) -> tuple[int, int]:
    """Document positions to underline; at the end of a line, and for what cannot be seen, a character beside it."""
    line = block.text()
    start = min(max(0, column - 1), max(0, len(line) - 1))
    end = max(start + 1, min(end_column - 1, len(line)))
    added = line[start:end]
    while all(map(is_hidden, added)) and (start > 0 or end < len(line)):
        start, end = max(0, start - 1), min(end + 1, len(line))
        added = line[start] + line[end - 1]
    return block.position() + units(line, start), block.position() + units(line, end)


def hidden_marks(document: QTextDocument, color: str, ground: str) -> list[Mark]:
    """Mark for what cannot be seen, on the characters beside it."""
    marks: list[Mark] = []
    block = document.begin()
    while block.isValid() and len(marks) < MOST_HIDDEN_MARKS:
        line = block.text()
        places = hidden_places(line) if len(line) <= LONGEST_LINE and not line.isascii() else ()
        some = islice(places, MOST_HIDDEN_MARKS - len(marks))
        marks += [_hidden_mark(block, units(line, place), color, ground) for place in some]
        block = block.next()
    return marks


def _hidden_mark(block: QTextBlock, at: int, color: str, ground: str) -> Mark:
    mark = Mark()
    mark.format.setBackground(QColor(color))
    mark.format.setForeground(QColor(ground))
    mark.cursor = QTextCursor(block)
    mark.cursor.setPosition(block.position() + max(0, at - 1))
    mark.cursor.setPosition(block.position() + min(at + 2, block.length() - 1), QTextCursor.MoveMode.KeepAnchor)
    return mark
