"""The derivative lens: the output as a function of one value, a secant that approaches the tangent, and f with f'.

Everything is computed on the graph with one value changed (`Nudger.root_data_at`), or from the table of operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Op, Value, name_of, topological_order
from engine.autograd.naming import grouped_name
from engine.autograd.notation import in_parentheses
from engine.teaching import Nudger
from engine.teaching.explanation import Lines, TextRun, formula, plain, total_run
from engine.teaching.nudge_lines import difference, digits

N_POINTS = 161
LEAST_HALF_WIDTH = 1.0
OP_RANGE = 4.0
"""Smallest half width of the range in which an operation is drawn."""
FARTHEST = 1e300
"""Largest end of a drawn range: the length of the range has to be a float, too."""

SENTENCES = {
    "tangent": "As h shrinks, the secant through {name} and {name} + h approaches the tangent, whose slope is the "
    "gradient.",
    "no number": "The output has no number at {place}: an operation is outside of its domain, or its result is too "
    "large.",
    "operation": "The derivative of {op} at each value is the factor by which the gradient is multiplied.",
}
"""Every sentence of the lens."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LensView:
    """The output as a function of one value.

    Attributes:
        name, output: labels of the axes.
        x, y: data of the value and of the output.
        xs, ys: (n,) the curve; nan where an operation is outside of its domain.
        gradient: slope of the tangent.
        h, secant: the change, and the slope of the secant through x and x + h; nan where undefined.
        lines: the text for both.
    """

    name: str
    output: str
    x: float
    y: float
    xs: Floats
    ys: Floats
    gradient: float
    h: float
    secant: float
    lines: Lines


def look_through(nudger: Nudger, value: Value, h: float) -> LensView:
    """Return the output of a graph as a function of one of its scalar values, around that value's data.

    Args:
        nudger: of the graph.
        value: a leaf, or any value that the output depends on.
        h: distance of the secant's second point; not 0.
    """
    x, y, gradient = value.data, nudger.root.data, nudger.gradient(value)
    half = max(LEAST_HALF_WIDTH, abs(x), 1.25 * abs(h))
    xs = _points_between(x - half, x + half)
    ys = np.array(nudger.root_data_at(value, xs.tolist()))
    nudged = nudger.nudge(value, h)
    lines = _lines(nudger.root, value, gradient, h, nudged.data, nudged.slope)
    finite = np.where(np.isfinite(ys), ys, np.nan)
    return LensView(name_of(value), name_of(nudger.root), x, y, xs, finite, gradient, h, nudged.slope, lines)


def _points_between(left: float, right: float) -> Floats:
    return np.linspace(max(left, -FARTHEST), min(right, FARTHEST), N_POINTS)


def _lines(root: Value, value: Value, gradient: float, h: float, above: float, secant: float) -> Lines:
    name = grouped_name(value)
    tangent = formula(TextRun("word", "tangent: "), total_run(root, value), " ≈ ", number=digits(gradient))
    if not math.isfinite(secant):
        place = f"{name} + h" if math.isfinite(root.data) else name
        return tangent, plain(SENTENCES["no number"].format(place=place))
    quotient = f"({difference(above, root.data)}) ÷ {in_parentheses(f'{h:.6g}')} ≈ "
    slope = formula(TextRun("word", "secant: "), quotient, number=digits(secant))
    return slope, tangent, plain(SENTENCES["tangent"].format(name=name))


@dataclass(frozen=True, eq=False)
class OperationView:
    """An operation of one number with its derivative, and the values of a graph computed with it.

    Attributes:
        op: the table's entry.
        xs, ys, slopes: (n,) f and f'; nan outside of the domain.
        names: of the values.
        at: (n_values, 3) the input, f and f' of each.
        lines: the text for them.
    """

    op: Op
    xs: Floats
    ys: Floats
    slopes: Floats
    names: tuple[str, ...]
    at: Floats
    lines: Lines


def is_of_one_number(op: Op | None) -> bool:
    """Return True for an operation with a curve: one scalar input, one scalar output."""
    return op is not None and op.elementwise and op.arity == 1


def curve_of(op: Op, xs: Floats) -> tuple[Floats, Floats]:
    """Return f and f' of an operation of one number, (n,) each; nan outside of the domain."""
    with np.errstate(all="ignore"):
        ys = np.array([op.scalar(x) if op.defined(x) else math.nan for x in xs.tolist()], dtype=float)
        slopes = [op.scalar_partials[0](x, y) if y == y else math.nan for x, y in zip(xs.tolist(), ys, strict=True)]
    return ys, np.array(slopes, dtype=float)


def look_at_operation(root: Value, op: Op) -> OperationView:
    """Return the curve of an operation of one number, with a point for each value of a graph computed with it."""
    users = [value for value in topological_order(root) if value.op is op and value.data.__class__ is float]
    users = [value for value in users if value.inputs[0].data.__class__ is float]
    rows = [(v.inputs[0].data, v.data, op.scalar_partials[0](v.inputs[0].data, v.data)) for v in users]
    at = np.array(rows, dtype=float).reshape(-1, 3)
    at = at[np.isfinite(at).all(axis=1)]
    half = max(OP_RANGE, *(1.1 * abs(x) for x in at[:, 0].tolist()), 0.0) if len(at) else OP_RANGE
    xs = _points_between(-half, half)
    ys, slopes = curve_of(op, xs)
    return OperationView(op, xs, ys, slopes, tuple(map(name_of, users)), at, _operation_lines(op, users, rows))


MOST_LISTED = 20


def _operation_lines(op: Op, users: Sequence[Value], rows: Sequence[tuple[float, float, float]]) -> Lines:
    listed = list(zip(users, rows, strict=True))[:MOST_LISTED]
    lines = [
        formula(TextRun("word", f"{name_of(value)}: "), f"{op.name}'({x:.6g}) = ", number=f"{slope:.6g}")
        for value, (x, _y, slope) in listed
    ]
    return (plain(SENTENCES["operation"].format(op=op.name)), *lines)
