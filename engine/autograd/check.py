"""Is a gradient right? Backward beside a central difference and a complex step, for every node.

* The central difference (f(x + h) - f(x - h)) / 2h has a truncation error of order h² and a round-off error of order
  ε·|f|/h; their sum is least near h = ε^(1/3)·max(1, |x|) = 6e-6 (Press et al., Numerical Recipes, section 5.7).
* The complex step Im f(x + ih) / h subtracts nothing, so h = 1e-30 leaves no error worth naming (Squire & Trapp 1998,
  SIAM Review 40, 110-112). It judges wherever it exists; the central difference does elsewhere.

At a kink there is no derivative: there, backward must lie between the slopes on either side. Everything is computed on
copies, so the graph's data and grad stay as they are.
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from engine.autograd.contributions import contributions
from engine.autograd.naming import is_constant, name_of
from engine.autograd.replay import Replay
from engine.autograd.value import Value

EPSILON = sys.float_info.epsilon
STEP = EPSILON ** (1 / 3)
COMPLEX_STEP = 1e-30
COMPLEX_TOLERANCE = 1e-9
CENTRAL_TOLERANCE = 1e-5
TINY = 1e-50  # the truncation of a complex step of 1e-30 is of order 1e-60
MAX_DIGITS = 16
SAMPLED_ELEMENTS = 3
NO_RESULT = "undefined: the result is not a finite number"
MUCH_WORK = 250_000  # operations computed anew for one difference at every node: about 0.3 s one by one


@dataclass(frozen=True, slots=True)
class GradientCheck:
    """One node's gradient, three ways.

    Attributes:
        label: its name; for an element of an array with the index.
        value: the node.
        backward: gradient by the chain rule.
        central_difference: slope between x - h and x + h; nan where the root has no number there.
        complex_step: derivative by a complex step; None where an operation on the way does not allow one.
        agreeing_digits: significant digits in which backward and central difference agree, 0 to 16.
        ok: whether backward is right.
        note: `constant`, `at a kink: ...`, `undefined`, or empty.
    """

    label: str
    value: Value
    backward: float
    central_difference: float
    complex_step: float | None
    agreeing_digits: int
    ok: bool
    note: str = ""


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


def check_gradients(root: Value) -> list[GradientCheck]:
    """A row for every node the root was computed from, inputs first; arrays by a few of their elements.

    Backward agrees when it differs from the complex step by at most 1e-9 of its size, or, where there is none, from the
    central difference by at most 1e-5 of its size; to either comes the round-off of the root that cannot be avoided.

    The time grows with the number of nodes times what lies downstream of one. In a graph where that is very much, the
    central differences are computed many at a time, and a complex step is made only where they do not agree already.

    Raises:
        ValueDataError: when the root is an array.
    """
    return list(iterate_checks(root))


def iterate_checks(root: Value) -> Iterator[GradientCheck]:
    """The rows of `check_gradients` one by one, for a window that must not stop meanwhile.

    Data and gradients are read when the first row is asked for; the graph may change after that.
    """
    gradients = gradients_of(root)
    replay = Replay(root)
    many = replay.estimated_work() > MUCH_WORK
    steps = [_step(value.data) for value in replay.order] if many else []
    sides = replay.sides(steps) if many else repeat((0.0, 0.0))
    for index, (value, (below, above)) in enumerate(zip(replay.order, sides, strict=False)):
        gradient = gradients.get(value, 0.0)
        quick = _quick_row(replay, value, float(gradient), steps[index], below, above) if many else None
        yield from _rows(replay, value, gradient) if quick is None else (quick,)


def check_value(
    root: Value, value: Value, replay: Replay | None = None, gradient: float | None = None
) -> GradientCheck:
    """The row of one scalar value of the graph of `root`.

    Args:
        root: a scalar value.
        value: a scalar value.
        replay: that of `root` where there is one already, with the data of now.
        gradient: of the root with respect to the value, where it is already known.

    Raises:
        ValueDataError: when the root is an array.
    """
    replay = Replay(root) if replay is None else replay
    backward = float(gradients_of(root).get(value, 0.0)) if gradient is None else gradient
    return _row(replay, value, replay.downstream([value]), name_of(value), (), backward)


def gradients_of(root: Value) -> dict[Value, Any]:
    """Gradient of the root with respect to every value, by the chain rule, without touching any `grad`."""
    gradients: dict[Value, Any] = {root: 1.0}
    for edge in contributions(root):
        gradients[edge.input] = gradients.get(edge.input, 0.0) + edge.amount
    return gradients


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
    step = _step(leaf.data) if h is None else h
    above = replay.root_data({leaf: leaf.data + step})
    below = replay.root_data({leaf: leaf.data - step}) if central else root.data
    return float((above - below) / (2 * step if central else step))


def agreeing_digits(a: float, b: float, noise: float = 0.0) -> int:
    """Significant digits in which two numbers agree, 0 to 16; a difference within `noise` counts from 1 down."""
    difference = abs(a - b)
    if difference == 0.0:
        return MAX_DIGITS
    if not math.isfinite(difference):
        return 0
    size = max(abs(a), abs(b), 1.0 if difference <= noise else 0.0)
    return max(0, min(MAX_DIGITS, math.floor(-math.log10(difference / size))))


def _rows(replay: Replay, value: Value, gradient: Any) -> Iterator[GradientCheck]:
    path = replay.downstream([value])
    if value.data.__class__ is float:
        yield _row(replay, value, path, name_of(value), (), float(gradient))
        return
    whole = np.broadcast_to(gradient, value.data.shape)
    places = np.linspace(0, value.data.size - 1, min(SAMPLED_ELEMENTS, value.data.size)).round().astype(int)
    for place in places:
        index = tuple(int(i) for i in np.unravel_index(place, value.data.shape))
        yield _row(replay, value, path, f"{name_of(value)}{list(index)}", index, float(whole[index]))


def _quick_row(
    replay: Replay, value: Value, backward: float, h: float, below: float, above: float
) -> GradientCheck | None:
    """The row of a scalar value whose central difference says all: it agrees, or the root is not finite."""
    root = replay.order[-1].data
    central = (above - below) / ((value.data + h) - (value.data - h))
    noise = _noise(root, above, h)
    finite = math.isfinite(root)
    if finite and not _near(backward, central, noise):
        return None
    digits = agreeing_digits(backward, central, noise)
    note = NO_RESULT if not finite else "constant" if is_constant(value) else ""
    return GradientCheck(name_of(value), value, backward, central, None, digits, finite, note)


def _row(
    replay: Replay, value: Value, path: Sequence[int], label: str, index: tuple[int, ...], backward: float
) -> GradientCheck:
    x = float(value.data[index]) if index else value.data
    root = replay.order[-1].data
    h, below, above = _sides(replay, value, path, index, x)
    central = (above - below) / ((x + h) - (x - h))
    by_complex_step = None if index or not math.isfinite(central) else _complex_step(replay, value, path)
    noise = _noise(root, above, h)
    agrees = _agrees(backward, central, by_complex_step, noise)
    ok, note = agrees, "constant" if is_constant(value) else ""
    if not math.isfinite(root):
        ok, note = False, NO_RESULT
    elif not math.isfinite(central):
        kink = _kink(replay, h, path)
        ok, note = bool(kink) or is_constant(value) or not math.isfinite(backward), note or "undefined"
    elif not (agrees and _near(backward, central, noise)) and (kink := _kink(replay, h, path)):
        ok, note = agrees or _between(backward, (root - below) / h, (above - root) / h), kink
    digits = agreeing_digits(backward, central, noise)
    return GradientCheck(label, value, backward, central, by_complex_step, digits, ok, note)


def _sides(
    replay: Replay, value: Value, path: Sequence[int], index: tuple[int, ...], x: float
) -> tuple[float, float, float]:
    """A step and the root's data on either side; a smaller step where the first one leaves the domain."""
    for h in (_step(x), STEP * abs(x) or _step(x)):
        below, above = (float(replay.root_data({value: _with(value, index, x + d)}, path)) for d in (-h, h))
        if math.isfinite(below) and math.isfinite(above):
            break
    return h, below, above


def _noise(root: float, above: float, h: float) -> float:
    """The round-off of the root as it shows in a central difference."""
    return 8 * EPSILON * max(abs(root), abs(above), 1e-300) / h


def _agrees(backward: float, central: float, by_complex_step: float | None, noise: float) -> bool:
    if by_complex_step is None or math.isnan(backward):
        return _near(backward, central, noise)
    return abs(backward - by_complex_step) <= COMPLEX_TOLERANCE * max(abs(backward), abs(by_complex_step)) + TINY


def _near(backward: float, central: float, noise: float) -> bool:
    return abs(backward - central) <= CENTRAL_TOLERANCE * max(abs(backward), abs(central)) + noise


def _between(backward: float, left: float, right: float) -> bool:
    slack = 1e-4 * max(abs(left), abs(right), 1e-12)
    return min(left, right) - slack <= backward <= max(left, right) + slack


def _step(x: float) -> float:
    return float(STEP * max(1.0, abs(x)))


def _with(value: Value, index: tuple[int, ...], x: float) -> Any:
    if not index:
        return x
    data = value.data.copy()
    data[index] = x
    return data


def _complex_step(replay: Replay, value: Value, path: Sequence[int]) -> float | None:
    """The derivative by a complex step; None where it leaves the branch that the real graph is on."""
    order = replay.order
    if any(source.data.__class__ is not float for i in path for source in order[i].inputs):
        return None
    root = order[-1].data
    try:
        result = replay.complex_root(value, complex(value.data, COMPLEX_STEP), path)
    except (ArithmeticError, ValueError):
        return None
    if not cmath.isfinite(result) or not abs(result.real - root) <= 1e-9 * max(1.0, abs(root)):
        return None
    return float(result.imag / COMPLEX_STEP)


def _kink(replay: Replay, h: float, path: Sequence[int]) -> str:
    """`at a kink: ...` when a change by h carries an operation on the way across one; empty otherwise."""
    for i in path:
        node = replay.order[i]
        op = node.op
        if op is None or not op.kink or not op.elementwise:
            continue
        datas = [source.data for source in node.inputs]
        if all(data.__class__ is float for data in datas) and abs(op.distance_to_kink(*datas)) <= 10 * h:
            return f"at a kink of {op.name}: {op.at_kink}"
    return ""
