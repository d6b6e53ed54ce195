"""Derivatives by finite differences, with the range of numbers that are right: more than a point at a kink."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable

STEP = 1e-5
"""First step, of the size of the number that is moved."""

Range = tuple[float, float, float]
"""Best estimate, lowest and highest derivative that is right."""


def slope(value: Callable[[float], float], middle: float, size: float, given: float | None) -> Range:
    """Return the derivative of a function at 0, nan where it cannot be moved.

    Args:
        value: the function of a step; nan where it is not defined.
        middle: its value at 0.
        size: of the moved number; 0 where irrelevant.
        given: the rule's gradient; one that fits immediately needs no closer look.
    """
    scale = max(1.0, size)
    step = STEP * scale
    right, left = value(step), value(-step)
    here, one_sided = (right - left) / (2 * step), (right - middle) / step
    smooth = abs(one_sided - here) <= 1e-3 * max(1.0, abs(here))
    rounding = 4 * sys.float_info.epsilon * abs(middle) / step
    if smooth and given is not None and abs(here - given) <= 1e-8 * max(1.0, abs(here)) + rounding:
        return given, given, given
    if smooth and given is None:
        finer = (value(10 * step) - value(-10 * step)) / (20 * step)
        if abs(finer - here) <= 1e-7 * max(1.0, abs(here)):
            return here, here, here
    return _closer_look(value, middle, {scale, size or scale})


def _closer_look(value: Callable[[float], float], middle: float, sizes: set[float]) -> Range:
    """Compare difference quotients of many steps, from both sides; of two sizes of steps the surer one counts."""
    found = [_of_size(value, middle, size) for size in sorted(sizes, reverse=True)]
    return min(found, key=lambda one: (one[0] != one[0], (one[2] - one[1]) / max(1.0, abs(one[0]))))


def _of_size(value: Callable[[float], float], middle: float, size: float) -> Range:
    steps = [size * 10.0**-exponent for exponent in range(2, 9)]
    sides = [((value(step) - middle) / step, (middle - value(-step)) / step) for step in steps]
    known = [side for side in sides if any(map(math.isfinite, side))]
    if not known:
        return math.nan, math.nan, math.nan
    right, left = known[-3] if len(known) > 2 else known[-1]
    if not math.isfinite(right) or not math.isfinite(left):
        one = right if math.isfinite(right) else left
        quotients = [first if math.isfinite(right) else second for first, second in known]
        if len(known) > 3 and all(abs(after) > 1.5 * abs(before) for before, after in itertools.pairwise(quotients)):
            return math.nan, math.nan, math.nan  # it grows without end, as that of the square root at 0
        return one, one - 1e-3 * max(1.0, abs(one)), one + 1e-3 * max(1.0, abs(one))
    jump = abs(right - left)
    earlier = [abs(after - before) for after, before in sides[:4] if math.isfinite(after - before)]
    if jump > 1e-3 * max(1.0, abs(right)) and (not earlier or jump > 0.3 * min(earlier)):
        low, high = min(right, left), max(right, left)
        return (right + left) / 2, low - 1e-4 * abs(low) - 1e-6, high + 1e-4 * abs(high) + 1e-6
    estimates = [(after + before) / 2 for after, before in sides]
    rounding = [4 * sys.float_info.epsilon * abs(middle) / step for step in steps]
    pairs = [
        (abs(a - b) + rounded, b)
        for (a, b), rounded in zip(itertools.pairwise(estimates), rounding[1:], strict=True)
        if math.isfinite(a - b)
    ]
    if not pairs:  # of one step alone nobody knows how far it is off
        return math.nan, math.nan, math.nan
    error, best = min(pairs)
    slack = max(10 * error, 1e-7 * max(1.0, abs(best), abs(middle) * 1e-3))
    return best, best - slack, best + slack
