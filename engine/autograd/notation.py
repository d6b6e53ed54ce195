"""Display form of numbers: short, and consistent with the other numbers shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

DECIMALS = 4
MOST_DECIMALS = 8
NEARLY = 0.5e-4

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def short(number: Any, decimals: int = DECIMALS) -> str:
    """A number in few characters: `2`, `-0.5`, `0.7071`, `0.004165`, `1.5e-7`; an array by its shape, `[2×3]`.

    `decimals` digits after the point without trailing zeros; a small number keeps `decimals` significant digits
    instead, and very large and very small ones are written with an exponent.
    """
    if not isinstance(number, (float, int)):
        shape = "×".join(map(str, np.shape(number)))
        return f"[{shape}]" if shape else short(float(number), decimals)
    if number == 0:
        return "0"
    if not math.isfinite(number):
        return "undefined" if number != number else ("∞" if number > 0 else "-∞")
    size = abs(number)
    if 1e-4 <= size < 0.5 * 10.0 ** (2 - decimals):
        return _trimmed(f"{number:.{decimals - 1 - math.floor(math.log10(size))}f}")
    if size >= 1e9 or size < 1e-4:
        mantissa, exponent = f"{number:.{decimals - 1}e}".split("e")
        return f"{_trimmed(mantissa)}e{int(exponent)}"
    return _trimmed(f"{number:.{decimals}f}")


def shown(number: float, decimals: int = DECIMALS) -> float:
    """The number that `short` shows, as a float."""
    return float(short(number, decimals).replace("∞", "inf").replace("undefined", "nan"))


def factor(number: Any, decimals: int = DECIMALS) -> str:
    """A number as part of a formula: negative ones in parentheses."""
    return in_parentheses(short(number, decimals))


def in_parentheses(text: str) -> str:
    """A formatted number that follows a sign: a negative one in parentheses."""
    return f"({text})" if text.startswith("-") else text


def equality(computed: Any, exact: Any, decimals: int = DECIMALS) -> str:
    """`= 0.25`, or `≈ 0.3333` when the displayed numbers do not give exactly the displayed result.

    Args:
        computed: result of the displayed numbers.
        exact: the engine's number.
        decimals: digits after the point of the displayed numbers, and of this one where they give them all.
    """
    decimals = decimals if short(computed, decimals) == short(exact, decimals) else DECIMALS
    text = short(exact, decimals)
    if np.ndim(exact) or not math.isfinite(computed):
        return f"= {text}"
    same = abs(computed - shown(exact, decimals)) <= 1e-12 * max(1.0, abs(exact))
    return f"= {text}" if same else f"≈ {text}"


def enough_decimals(computed: Callable[[int], float], exact: Any) -> int:
    """Number of decimals with which the displayed numbers of a line give the displayed result.

    Args:
        computed: function from a number of decimals to the result of the numbers displayed with it.
        exact: the engine's number.

    Returns:
        The least number from 4 to 8 with which the result of the displayed numbers, rounded to as many or to 4, is the
            displayed number (a third of 1, three times: 5); if there is none, the least with which it is within half a
            digit.
    """
    if np.ndim(exact) or not math.isfinite(exact):
        return DECIMALS
    for decimals in range(DECIMALS, MOST_DECIMALS + 1):
        given = computed(decimals)
        if any(short(given, each) == short(exact, each) for each in (decimals, DECIMALS)):
            return decimals
    room = NEARLY * max(1.0, abs(exact))
    near = (d for d in range(DECIMALS, MOST_DECIMALS) if abs(computed(d) - exact) <= room)
    return next(near, MOST_DECIMALS) if math.isfinite(computed(DECIMALS)) else DECIMALS


def product_text(factors: Sequence[float], product: float) -> tuple[str, str]:
    """A product of numbers and its result, with enough decimals: `0.5 × (-1)` and `= -0.5`."""

    def computed(decimals: int) -> float:
        return math.prod(shown(each, decimals) for each in factors)

    decimals = enough_decimals(computed, product)
    written = " × ".join(placed(each, place, decimals) for place, each in enumerate(factors))
    return written, equality(computed(decimals), product, decimals)


def exact_sum(numbers: Iterable[float]) -> float:
    """The sum of numbers, rounded once; plain addition where `fsum` refuses (inf - inf, or above 1.8e308)."""
    terms = list(numbers)
    try:
        return math.fsum(terms)
    except (ValueError, OverflowError):
        return sum(terms)


def sum_text(terms: Sequence[float], total: float) -> tuple[str, str]:
    """A sum of numbers and its result, with enough decimals: `-6 + (-2)` and `= -8`."""

    def computed(decimals: int) -> float:
        return exact_sum(shown(each, decimals) for each in terms)

    decimals = enough_decimals(computed, total)
    written = " + ".join(placed(each, place, decimals) for place, each in enumerate(terms))
    return written, equality(computed(decimals), total, decimals)


def placed(number: float, place: int, decimals: int = DECIMALS) -> str:
    """A number at a place (from 0) of a sum or product: in parentheses where a sign would follow a sign."""
    return short(number, decimals) if place == 0 else factor(number, decimals)


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 operation`, `2,340 operations`.

    Args:
        number: 0 or more.
        noun: singular noun.
        plural: plural noun; None: `noun` with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `11th`, `22nd`."""
    ending = "th" if 10 <= number % 100 <= 20 else _ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
