"""Lines of a notebook that are not Python: `%matplotlib inline`, `!pip install micrograd`, `Value?`."""

from __future__ import annotations

import re

from engine.language.advice.notes import Note
from engine.language.source import PATTERN, Source

_COMMAND = re.compile(
    r"^([ \t]*)((?:%{1,2}|!)[A-Za-z][^\n]*|\?{1,2}[A-Za-z_][\w.]*|[A-Za-z_][\w.]*\?{1,2})$", re.MULTILINE
)


def set_aside(source: Source) -> tuple[list[Note], str, str]:
    """Notes of the lines that are set aside, and the text without them, every other letter in its place.

    The text is given twice: with a statement that does nothing in the place of each command, and with blanks.
    """
    text = blanked = source.text
    found = _commands(text)
    notes = []
    for match in found:
        notes.append(Note("set aside: a notebook command", *source.place(match.start(2))))
        blank = "pass" if match.end(2) - match.start(2) >= 4 else '""'
        blanked = blanked[: match.start(2)] + " " * (match.end(2) - match.start(2)) + blanked[match.end(2) :]
        text = text[: match.start(2)] + blank.ljust(match.end(2) - match.start(2)) + text[match.end(2) :]
    return notes, text, blanked


def set_aside_at(source: Source) -> frozenset[int]:
    """The offsets at which something was set aside."""
    return frozenset(match.start(2) for match in _commands(source.text))


def _commands(text: str) -> list[re.Match[str]]:
    return [match for match in _COMMAND.finditer(text) if _begins_a_statement(text, match.start(2))]


def _begins_a_statement(text: str, offset: int) -> bool:
    """Whether no bracket and no quoted text is open there."""
    depth = 0
    for token in PATTERN.finditer(text):
        if token.start() >= offset:
            return depth <= 0 and token.start() == offset
        if token.lastgroup == "operator":
            depth += (token.group() in "([{") - (token.group() in ")]}")
    return False
