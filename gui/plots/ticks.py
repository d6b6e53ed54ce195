"""Ticks of the axes of every plot, on the screen and painted into files."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gui.number_texts import tick_text, with_minus

LARGEST_EXPONENT = 310.0
"""No float has a larger one; while a plot is being resized its axis may be asked for anything."""
FACTORS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Steps between the ticks of a linear axis, as multiples of a power of ten."""
DECADE_STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200)
DIGITS: Sequence[Sequence[float]] = ((1,), (1, 3), (1, 2, 5), range(1, 10), np.arange(1.0, 10.0, 0.1).tolist())
"""Mantissas of a logarithmic axis's ticks, from few to many."""
MOST_DIGITS = 6


def linear_ticks(low: float, high: float, most: int) -> list[float]:
    """Return about `most` round numbers (2 or more), evenly spaced, in a range; two at least."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / max(most, 2)
    power = 10.0 ** math.floor(math.log10(rough))
    widest = next(place for place, factor in enumerate(FACTORS) if power * factor >= rough * 0.999)
    for factor in reversed(FACTORS[: widest + 1]):
        step = power * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first:
            break
    return [round(k * step, 12) for k in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Return the exponents of ten, ascending, at which a logarithmic axis has ticks: two at least.

    Whole decades where two of them fit, else round mantissas; a range of equal numbers has its ends.

    Args:
        low: exponent at the lower end.
        high: exponent at the upper end.
        most: ticks there is room for; fewer than 2 count as 2.
    """
    low, high, most = max(low, -LARGEST_EXPONENT), min(high, LARGEST_EXPONENT), max(most, 2)
    found: list[float] = []
    for every in DECADE_STEPS:
        decades = [float(decade) for decade in range(math.ceil(low), math.floor(high) + 1) if decade % every == 0]
        found = decades if len(decades) >= 2 else found
        if 2 <= len(found) <= most:
            return found
    if found:
        return _spread(found, most)
    for digits in DIGITS:
        exponents = [decade + math.log10(digit) for decade in range(math.floor(low), math.floor(high) + 1)
                     for digit in digits]  # fmt: skip
        found = [exponent for exponent in exponents if low <= exponent <= high]
        if len(found) >= 2:
            return _spread(found, most)
    numbers = linear_ticks(10.0**low, 10.0**high, most) if abs(low) < 300 else []
    found = [math.log10(number) for number in numbers if number > 0.0]
    return found if len(found) >= 2 else [low, high]


def _spread(ticks: Sequence[float], most: int) -> list[float]:
    """At most so many of the ticks, the first and the last among them."""
    return [ticks[place] for place in np.linspace(0, len(ticks) - 1, min(most, len(ticks))).round().astype(int)]


def log_labels(exponents: Sequence[float]) -> list[str]:
    """Return the numbers with these exponents of ten, with enough digits to distinguish them."""
    if max(exponents, default=0.0) >= 12.0 and all(exponent == round(exponent) for exponent in exponents):
        return [with_minus(f"1e{exponent:.0f}") if exponent else "1" for exponent in exponents]  # not 1M next to 1e12
    for digits in range(2, MOST_DIGITS + 1):
        texts = [_power_text(exponent, digits) for exponent in exponents]
        if len(set(texts)) == len(texts):
            break
    return texts


def _power_text(exponent: float, digits: int) -> str:
    if abs(exponent) < 300:
        return tick_text(float(f"{10.0**exponent:.{digits}g}"), max(digits, 6))
    return with_minus(f"1e{round(exponent)}")
