"""Nudges: what the root does when a value changes by h, and how far the slope of that is from the gradient."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from engine.autograd.contributions import gradients_of
from engine.autograd.replay import Replay
from engine.autograd.value import Value

EPSILON = sys.float_info.epsilon
STEP = EPSILON ** (1 / 3)


@dataclass(frozen=True, slots=True)
class Nudge:
    """What one value's change by h does to the root.

    Attributes:
        h: the change.
        data: the root's data after it.
        actual_change: the root's data after it minus before.
        predicted_change: gradient times h.
        slope: actual change over h.
    """

    h: float
    data: float
    actual_change: float
    predicted_change: float
    slope: float

    @property
    def error(self) -> float:
        """Distance of the slope from the gradient: truncation for a large h, round-off for a tiny one."""
        return abs(self.slope - self.predicted_change / self.h)


def nudge(root: Value, leaf: Value, h: float, gradient: float | None = None) -> Nudge:
    """What the root does when `leaf` grows by `h` (any number but 0).

    Args:
        root: a scalar value.
        leaf: a scalar value, leaf or not.
        h: the change, of either sign.
        gradient: of the root with respect to `leaf`; computed when None.
    """
    if h == 0.0:
        raise ValueError("a nudge needs an h that is not 0")
    slope_by_rule = gradients_of(root).get(leaf, 0.0) if gradient is None else gradient
    data = Replay(root).root_data({leaf: leaf.data + h})
    change = data - root.data
    return Nudge(h, data, change, slope_by_rule * h, change / h)


def slope(root: Value, leaf: Value, h: float | None = None, *, central: bool = True) -> float:
    """A finite-difference slope of the root with respect to `leaf`.

    Args:
        root: a scalar value.
        leaf: a scalar value, leaf or not.
        h: the change; None: ε^(1/3)·max(1, |leaf|).
        central: both sides; otherwise from `leaf` to `leaf + h`.
    """
    replay = Replay(root)
    step = best_step(leaf.data) if h is None else h
    above = replay.root_data({leaf: leaf.data + step})
    below = replay.root_data({leaf: leaf.data - step}) if central else root.data
    return float((above - below) / (2 * step if central else step))


def best_step(x: float) -> float:
    """The step with which a central difference around x is best, 6e-6 of numbers up to 1."""
    return float(STEP * max(1.0, abs(x)))
