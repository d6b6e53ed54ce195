"""Check of the table: every operation's derivative against a complex step and a central difference, at points of its
domain; operations on arrays at some of their elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.autograd.check import GradientCheck, check_gradients
from engine.autograd.ops import Op
from engine.autograd.value import Value, apply

PLACES = (0.17, 0.41, 0.63, 0.89)
"""Points of a check, as fractions of the range of samples."""
N_INPUTS = 3
"""Number of inputs used to check an operation with any number of them."""
FROM_KINK = 0.05
"""Minimum distance of a point from a kink, where there is no derivative."""


@dataclass(frozen=True)
class OpCheck:
    """Results of the checks of one operation.

    Attributes:
        op: the operation.
        rows: one for each input at each point.
    """

    op: Op
    rows: tuple[GradientCheck, ...]

    @property
    def ok(self) -> bool:
        """True when all rows agree."""
        return bool(self.rows) and all(row.ok for row in self.rows)

    @property
    def digits(self) -> int:
        """Digits in which the worst row agrees."""
        return min((max(row.agreeing_digits, row.digits_of_complex_step) for row in self.rows), default=0)


def check_op(op: Op) -> OpCheck:
    """Check the derivatives of one operation."""
    roots = [_array_root(op)] if op.vjps else [_root(op, place) for place in PLACES]
    rows = (row for root in roots if root is not None for row in check_gradients(root) if row.value.op is None)
    return OpCheck(op, tuple(rows))


def _root(op: Op, place: float) -> Value | None:
    """The operation at a point of its domain; None at a kink. No two inputs are equal."""
    n = op.arity or (2 * N_INPUTS + 1 if op.paired else N_INPUTS)
    ranges = [op.domain.samples[min(index, len(op.domain.samples) - 1)] for index in range(n)]
    parts = [(place + 0.31 * index) % 1.0 for index in range(n)]
    points = [low + part * (high - low) for part, (low, high) in zip(parts, ranges, strict=True)]
    if op.elementwise and op.kink and abs(op.distance_to_kink(*points)) < FROM_KINK:
        return None
    return apply(op, *(Value(point, f"x{index}") for index, point in enumerate(points, start=1)))


def _array_root(op: Op) -> Value:
    """The operation on arrays, with a weight for every element of its result, so that all elements count
    differently.
    """
    left = Value(np.linspace(0.3, 1.7, 6).reshape(2, 3), "a")
    right = Value(np.linspace(-0.8, 1.3, 6).reshape(3, 2), "b")
    result = apply(op, left, right) if len(op.vjps) == 2 else apply(op, left)
    weights = np.linspace(0.5, 1.5, np.size(result.data)).reshape(np.shape(result.data))
    return result * 1.25 if result.data.__class__ is float else (result * weights).sum()
