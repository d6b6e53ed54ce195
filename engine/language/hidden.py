"""Characters of a text that cannot be seen, or that change the order in which the rest is seen.

In code they are errors; in comments and strings a note tells of them. The list is that of
N. Boucher and R. Anderson, "Trojan Source: Invisible Vulnerabilities" (2021), with the letters that cannot be seen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from engine.messages import BLANK_LETTERS

_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_NOT_PLAIN = re.compile(r"[^\t\n -~]")


def is_hidden(letter: str) -> bool:
    """Return True for a character that cannot be seen, or that turns the direction of the text behind it."""
    if letter in BLANK_LETTERS or unicodedata.category(letter) == "Cf":
        return True
    return unicodedata.category(letter) == "Cc" and letter not in "\t\n\r\0"


def hidden_name(letter: str) -> str:
    """Return a character's name in brackets, such as ` (right-to-left override)`; "" for one without a name."""
    name = unicodedata.name(letter, "").lower()
    return f" ({name})" if name else ""


def turns_direction(letter: str) -> bool:
    """Return True for a character by which text is shown in another order than it has."""
    return letter in _BIDIRECTIONAL


def hidden_places(text: str) -> Iterator[int]:
    """Yield the offsets of characters that cannot be seen; the byte order mark at the start is not one of them."""
    for found in _NOT_PLAIN.finditer(text):
        at = found.start()
        if is_hidden(text[at]) and not (at == 0 and text[0] in "\ufeff\f"):
            yield at
