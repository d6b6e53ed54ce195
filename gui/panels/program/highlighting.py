"""Colours of the program in the editor: line by line, and only in a text that can be a program.

Qt asks a highlighter about every line that changed, so the size is bounded instead: a text beyond the language's limit
is refused by it anyway, and is shown without colours (200,000 characters took 1.4 s with them).
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from engine.language import highlight_line
from engine.language.source import MAX_CHARACTERS
from gui.theme import Colors

LONGEST_LINE = 2000
KEPT_LINES = 256
"""Lines whose spans are cached: another theme only changes the colours."""
_STRINGS = ("", '"""', "'''")
"""Quotes of a string that continues on the next line, by the state of a line."""


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
        self._formats = {
            "number": _format(colors.text, bold=True),
            "function": _format(colors.accent),
            "keyword": _format(colors.negative),
            "operator": _format(colors.muted),
            "comment": _format(colors.muted, italic=True),
            "string": _format(colors.third),
            "set-aside": _format(colors.muted, italic=True),
        }
        self.rehighlight()

    def follow_size(self, characters: int) -> None:
        """Adapt to the length of the text; call this before inserting a long one."""
        wanted = characters <= MAX_CHARACTERS
        if wanted != self.active and not self._switching:
            self.active = wanted
            self._switching = True  # to Qt it is a change of the text, of which we are told while it is under way
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
