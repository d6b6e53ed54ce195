"""What came from outside, put into a sentence: short, on one line, nothing in it that a terminal or label would obey.

A name of 19 MB, a number of 5,000 digits, an escape sequence or an override of the writing direction are values a file
may hold; a message that quotes them is still a message. Everything is cut before it is turned into text, so that
quoting costs no more than what is shown.
"""

import reprlib

DOTS = "..."
MOST_DIGITS = 30


def visible(text: str, longest: int = 200) -> str:
    """The text on one line of at most `longest` characters, with what cannot be printed as an escape such as `\\x1b`.

    A text that is cut ends in three dots.
    """
    shown = "".join(letter if letter.isprintable() else _escaped(letter) for letter in text[: longest + 1])
    return shown if len(shown) <= longest else shown[: longest - len(DOTS)] + DOTS


def quoted(value: object, longest: int = 60) -> str:
    """Any value as Python writes it, in at most `longest` characters: `'swishh'`, `[1, 2, ...]`, `0.1`."""
    if isinstance(value, str):
        return _quoted_text(value, longest)
    return visible(_SHORT.repr(value), longest)


def _quoted_text(text: str, longest: int) -> str:
    shown = repr(text[: longest - 1])
    if len(text) < longest and len(shown) <= longest:
        return shown
    return shown[: longest - len(DOTS) - 1] + DOTS + shown[-1]


def _escaped(letter: str) -> str:
    return repr(letter)[1:-1]


class _Short(reprlib.Repr):
    """`repr` that looks at the beginning of a container only, and that knows how long a number may be."""

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if abs(x) < 10**MOST_DIGITS else f"a number of more than {MOST_DIGITS} digits"


_SHORT = _Short()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, 60, 200
