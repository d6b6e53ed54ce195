"""Numbers as they are shown: short, and true to what is shown beside them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

DECIMALS = 4


def short(number: Any, decimals: int = DECIMALS) -> str:
    """A number in few characters: `2`, `-0.5`, `0.7071`, `0.004165`, `1.5e-7`; an array by its shape, `[2×3]`.

    `decimals` digits behind the point without zeros at the end; a small number keeps `decimals` significant digits
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
    """A number as it stands in a formula: negative ones in parentheses."""
    text = short(number, decimals)
    return f"({text})" if text.startswith("-") else text


def equality(computed: Any, exact: Any, decimals: int = DECIMALS) -> str:
    """`= 0.25`, or `≈ 0.3333` when the numbers shown beside it do not give exactly the number shown.

    Args:
        computed: what the shown numbers give.
        exact: what the engine holds.
        decimals: digits behind the point.
    """
    text = short(exact, decimals)
    if np.ndim(exact) or not math.isfinite(computed):
        return f"= {text}"
    same = abs(computed - shown(exact, decimals)) <= 1e-12 * max(1.0, abs(exact))
    return f"= {text}" if same else f"≈ {text}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
