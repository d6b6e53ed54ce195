"""Lines of a notebook that are not Python: `%matplotlib inline`, `!pip install micrograd`."""

from __future__ import annotations

import re

from engine.language.notes import Note
from engine.language.source import PATTERN, Source

_COMMAND = re.compile(r"^([ \t]*)((?:%{1,2}|!)[A-Za-z][^\n]*)$", re.MULTILINE)


def set_aside(source: Source) -> tuple[list[Note], str, str]:
    """Notes of the lines that are set aside, and the text without them, every other letter in its place.

    The text is given twice: with a statement that does nothing in the place of each command, and with blanks.
    """
    text = blanked = source.text
    found = [match for match in _COMMAND.finditer(text) if _begins_a_statement(text, match.start(2))]
    notes = []
    for match in found:
        notes.append(Note("set aside: a notebook command", *source.place(match.start(2))))
        blank = "pass" if match.end(2) - match.start(2) >= 4 else "0"
        blanked = blanked[: match.start(2)] + " " * (match.end(2) - match.start(2)) + blanked[match.end(2) :]
        text = text[: match.start(2)] + blank.ljust(match.end(2) - match.start(2)) + text[match.end(2) :]
    return notes, text, blanked


def _begins_a_statement(text: str, offset: int) -> bool:
    """Whether no bracket and no quoted text is open there."""
    depth = 0
    for token in PATTERN.finditer(text):
        if token.start() >= offset:
            return depth <= 0 and token.start() == offset
        if token.lastgroup == "operator":
            depth += (token.group() in "([{") - (token.group() in ")]}")
    return False
