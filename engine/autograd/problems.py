"""Mathematical problems at a node, in one sentence each.

Numbers follow IEEE 754 throughout the engine, so a problem never raises: it shows as inf, nan or a 0 that should not be
one. This module finds it from a node's data, its inputs' data and the domain in the table of operations. Only the node
that *caused* it is named, not the nodes that inherit it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.ops import Op
from engine.autograd.value import Value

OVERFLOW = "overflow: number too large (over 1.8e308)"
UNDERFLOW = "underflow: number too small, it became 0"


def problem_of(value: Value) -> str | None:
    """The problem this node causes; None when its data are sound or its inputs have the problem."""
    if value.data.__class__ is not float:
        return _array_problem(value)
    op = value.op
    if op is None:
        return _leaf_problem(value.data)
    inputs = [source.data for source in value.inputs]
    if any(data.__class__ is not float for data in inputs):
        return _array_problem(value)
    return scalar_problem(op, inputs, value.data)


def scalar_problem(op: Op, inputs: Sequence[float], y: float) -> str | None:
    """The problem of an operation that made `y` of the float `inputs`, or None."""
    if y != y and any(x != x for x in inputs):
        return None
    if op.domain.condition and not op.defined(*inputs):
        return op.domain.problem
    if y != y:
        return "not a number: " + _indeterminate(op, inputs)
    if math.isinf(y):
        return OVERFLOW if all(map(math.isfinite, inputs)) else None
    return UNDERFLOW if y == 0.0 and _vanished(op, inputs) else None


def _leaf_problem(data: float) -> str | None:
    if data != data:
        return "not a number"
    return OVERFLOW if math.isinf(data) else None


def _indeterminate(op: Op, inputs: Sequence[float]) -> str:
    words = [str(x) for x in inputs]
    return f" {op.text} ".join(words) if len(words) == 2 else f"{op.name}({', '.join(words[:3])})"


def _vanished(op: Op, inputs: Sequence[float]) -> bool:
    """True when a result of 0 is the rounding of a number that is not 0."""
    return bool(op.nonzero) and all(map(math.isfinite, inputs)) and bool(op.exactly_nonzero(*inputs))


def _array_problem(value: Value) -> str | None:
    """The same for arrays, without the domain: the first kind of bad element, when all inputs are finite."""
    if np.isfinite(value.data).all() or not all(_finite(source.data) for source in value.inputs):
        return None
    return "not a number" if np.isnan(value.data).any() else OVERFLOW


def _finite(data: Any) -> bool:
    return bool(np.isfinite(data).all())
