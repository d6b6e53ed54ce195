"""A program text within the limits, with places in it, and its syntax tree.

A text that passes has at most 20,000 characters and 500 lines. Offsets in the cleaned text are offsets in the text as
typed, because cleaning replaces characters one by one.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable

from engine.language.errors import Fix, ProgramError

MAX_CHARACTERS = 20_000
MAX_LINES = 500
MAX_NAME = 64

_BLANKS = dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0x0B, 0x0C, 0x85), " ")
_BLANKS |= {0x2028: "\n", 0x2029: "\n"}

# `ast.parse` and `compile` warn of oddities in the learner's text, such as `1if x`; the terminal is no place for that.
for _category in (SyntaxWarning, DeprecationWarning):  # Python 3.11 calls `"\e"` deprecated
    warnings.filterwarnings("ignore", category=_category, module="<(unknown|program)>")

_LINE_END = re.compile("\r\n|\r|\n")


class Source:
    """A program text that is within the limits, with the means to name places in it.

    Attributes:
        text: the text with line ends and blanks made uniform; as long as the one typed.
    """

    def __init__(self, text: str) -> None:
        start = text[: MAX_CHARACTERS + 1]  # of a text that is longer only this is looked at
        plain = start.replace("\r\n", " \n").replace("\r", "\n")
        if plain.startswith("\ufeff"):
            plain = "\f" + plain[1:]  # Python passes over a form feed at the start of a line, and over no mark
        blank = plain.translate(_BLANKS)
        self.text = plain if plain == blank or parse(plain) is not None else blank
        self._line_starts = line_starts(self.text)
        self._refuse_too_much(len(text))

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_start(self, offset: int) -> int:
        """Return the offset of the start of the line that contains `offset`."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def start_of_line(self, line: int) -> int:
        """Return the offset of the start of a line, from 1; the end of the text for a line behind the last."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)

    def line_end(self, offset: int) -> int:
        """Return the offset of the end of the line that contains `offset`."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end

    def span_of_line(self, line: int) -> tuple[int, int]:
        """Return the offsets between which a line, from 1, stands without its indentation."""
        start = self.start_of_line(line)
        end = self.line_end(start)
        return end - len(self.text[start:end].lstrip()), end

    def error(self, message: str, start: int, end: int | None = None, *fixes: Fix | None) -> ProgramError:
        """Return an error that underlines the text from `start` to `end`, with the edits that repair it."""
        line, column = self.place(start)
        return ProgramError(message, line, column, column + max((end or start) - start, 1), fixes)

    def _refuse_too_much(self, characters: int) -> None:
        lines = self.text.removesuffix("\n").count("\n") + 1
        if characters > MAX_CHARACTERS:
            message = f"the text is too long: {characters:,} characters, at most {MAX_CHARACTERS:,}"
            raise self.error(message, MAX_CHARACTERS)
        if lines > MAX_LINES:
            message = f"the text has too many lines: {lines:,}, at most {MAX_LINES:,}"
            raise self.error(message, self._line_starts[MAX_LINES])


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as Python's parser counts them: they end with a line feed, a carriage return, or both.

    Form feeds and other separators, at which `str.splitlines` begins a line, are characters in a line.
    """
    return _LINE_END.split(text)


def line_starts(text: str) -> list[int]:
    """Return the offsets at which the lines of a text begin."""
    return [0, *(found.end() for found in _LINE_END.finditer(text))]


def parse(text: str) -> ast.Module | None:
    """Return the syntax tree of a program; None for a text that Python's parser does not take."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def offsets(text: str) -> Callable[[int, int], int]:
    """Return a function from a line (from 1) and a column in bytes of UTF-8, as in `ast`, to an offset in the text."""
    starts = [*line_starts(text), len(text)]

    def offset(line: int, column: int) -> int:
        start = starts[line - 1]
        end = starts[line] if line < len(starts) else start
        return start + len(text[start:end].encode()[:column].decode(errors="ignore"))

    return offset
