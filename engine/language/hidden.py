"""Characters of a text that cannot be seen, or that change the order in which the rest is seen.

Within the program proper they are errors; in comments and quoted text they are said and shown. The list is that of
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
    """Whether a character cannot be seen, or turns the direction of what stands behind it."""
    if letter in BLANK_LETTERS or unicodedata.category(letter) == "Cf":
        return True
    return unicodedata.category(letter) == "Cc" and letter not in "\t\n\r\0"


def hidden_name(letter: str) -> str:
    """Its name in brackets, such as ` (right-to-left override)`; "" for one without."""
    name = unicodedata.name(letter, "").lower()
    return f" ({name})" if name else ""


def turns_direction(letter: str) -> bool:
    """Whether it makes text be shown in another order than the one it has."""
    return letter in _BIDIRECTIONAL


def hidden_places(text: str) -> Iterator[int]:
    """Offsets of the characters of a text that cannot be seen; the mark at its very start is not one of them."""
    for found in _NOT_PLAIN.finditer(text):
        at = found.start()
        if is_hidden(text[at]) and not (at == 0 and text[0] in "\ufeff\f"):
            yield at
