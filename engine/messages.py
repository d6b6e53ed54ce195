"""Messages about invalid input: the given value, the allowed ones, the nearest match.

Every package uses them, `datasets` and the command line included, which should not wait for NumPy: this module
imports nothing but the standard library. Foreign text is shortened and escaped, so that a message stays one short
line without anything that a terminal or a label would obey. A file may hold a name of 19 MB, a number of 5,000 digits,
an escape sequence or an override of the writing direction.
"""

import difflib
import math
import numbers
import operator
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

DOTS = "..."
MOST_DIGITS = 30
LONGEST_NAME = 64
"""Limit of characters of a name for which the nearest match is searched."""
BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters that count as letters or marks."""


# The given value


def visible(text: str, longest: int | None = None) -> str:
    """Return the text on one line, with unprintable and invisible characters as escapes such as `\\x1b`.

    Args:
        text: any text; only the displayed part of a long one is examined.
        longest: limit of characters; a shortened text ends in three dots. None: no limit.
    """
    if longest is None:
        return "".join(map(_visible_letter, text))
    shown = "".join(map(_visible_letter, text[: longest + 1]))
    return shown if len(shown) <= longest else shown[: longest - len(DOTS)] + DOTS


def _visible_letter(letter: str) -> str:
    seen = letter.isprintable() and letter not in BLANK_LETTERS
    return letter if seen else letter.encode("unicode_escape").decode("ascii")


def quoted(value: object, longest: int = 60) -> str:
    """Return a value as Python writes it, in at most `longest` characters: `'swishh'`, `[1, 2, ...]`, `0.1`."""
    if isinstance(value, str):
        return _quoted_text(value, longest)
    return visible(_SHORT.repr(value), longest)


def _quoted_text(text: str, longest: int) -> str:
    shown = visible(repr(text[: longest - 1]))
    if len(text) < longest and len(shown) <= longest:
        return shown
    return shown[: longest - len(DOTS) - 1] + DOTS + shown[-1]


class _Short(reprlib.Repr):
    """`repr` that reads only the beginning of a container, and handles numbers of any length."""

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if abs(x) < 10**MOST_DIGITS else f"a number of more than {MOST_DIGITS} digits"


_SHORT = _Short()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, 60, 200


# The nearest match


def nearest(word: object, known: Iterable[str]) -> str | None:
    """Return the most similar known word, in any case; None when none is close, or `word` is not a short text."""
    if not isinstance(word, str) or len(word) > LONGEST_NAME:
        return None
    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else None


def did_you_mean(word: object, known: Iterable[str], write: Callable[[str], str] = repr) -> str:
    """Return `, did you mean 'tanh'?` to end a message about an unknown name; "" when no known one is close.

    Args:
        word: the given name.
        known: the known names.
        write: formats the match.
    """
    match = nearest(word, known)
    return "" if match is None else f", did you mean {write(match)}?"


def unknown_name(kind: str, given: object, known: Iterable[str]) -> str:
    """Return such as `no loss 'hing', did you mean 'hinge'? (there are: hinge, ...)`."""
    names = list(known)
    return f"no {kind} {quoted(given)}{did_you_mean(given, names)} (there are: {', '.join(names)})"


# Ranges


def wrong_number(
    given: object, low: float = -math.inf, high: float = math.inf, *, above: bool = False, below: bool = False
) -> str:
    """Return the allowed numbers, `a finite number from 0 to 1`, when `given` is none of them; "" when it is.

    Python's traps: `True` is an int, nan passes a comparison written the wrong way round, an int may be too large for
    a
    float, NumPy has numbers of its own.

    Args:
        given: anything.
        low: lower bound.
        high: upper bound.
        above: lower bound is exclusive.
        below: upper bound is exclusive.
    """
    number = _number_of(given)
    inside = (low < number if above else low <= number) and (number < high if below else number <= high)
    return "" if math.isfinite(number) and inside else "a finite number" + _range_in_words(low, high, above, below)


def _number_of(given: object) -> float:
    """Return the float nearest to a number; nan for everything else, and for a number too large for a float."""
    try:
        return float(given) if isinstance(given, numbers.Real) and not isinstance(given, bool) else math.nan
    except OverflowError:
        return math.nan


def _range_in_words(low: float, high: float, above: bool, below: bool) -> str:
    if math.isfinite(low) and math.isfinite(high) and not (above or below):
        return f" from {low:g} to {high:g}"
    lower = "" if low == -math.inf else f"{'above' if above else 'at least'} {low:g}"
    upper = "" if high == math.inf else f"{'below' if below else 'at most'} {high:g}"
    return " " + " and ".join(filter(None, (lower, upper))) if lower or upper else ""


def wrong_integer(given: Any, low: int, high: int) -> str:
    """Return the allowed whole numbers, `a whole number from 1 to 100`, when `given` is none of them; "" when it is."""
    whole = isinstance(given, numbers.Integral) and not isinstance(given, bool)
    return "" if whole and low <= operator.index(given) <= high else f"a whole number from {low:,} to {high:,}"
