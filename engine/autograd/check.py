"""Gradient checks: the backward pass against a central difference and a complex step, for every node.

* The central difference (f(x + h) - f(x - h)) / 2h has a truncation error of order h² and a round-off error of order
  ε·|f|/h; their sum is least near h = ε^(1/3)·max(1, |x|) = 6e-6 (Press et al., Numerical Recipes, section 5.7).
* The complex step Im f(x + ih) / h subtracts nothing, so h = 1e-30 leaves a negligible error (Squire & Trapp 1998,
  SIAM Review 40, 110-112). It is the reference wherever it exists, the central difference elsewhere.

A gradient is ok when it is finite and agrees with the reference within the tolerance stated below. A gradient is
undefined when one of them is not finite; the note gives the reason. At a kink there is no derivative: there, backward
must lie between the slopes on either side. All computations use copies, so the graph's data and grad do not change.
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from engine.autograd.contributions import contributions, gradients_of
from engine.autograd.data import ValueDataError
from engine.autograd.naming import is_constant, name_of
from engine.autograd.notation import counted
from engine.autograd.ops import Op
from engine.autograd.problems import scalar_problem
from engine.autograd.replay import Replay, rounding_of_partials
from engine.autograd.value import Value

EPSILON = sys.float_info.epsilon
STEP = EPSILON ** (1 / 3)
STEPS_BETWEEN = (1e-12, 1e-18, 1e-24)  # of a difference of a number so small that its own part is lost in rounding
COMPLEX_STEP = 1e-30
LONGEST_TURN, SHORT_TURN = 1e-6, 1e-20  # of the root in a complex step: a larger phase has wrapped around
RELATIVE_BELOW, RELATIVE_STEP = 1e-10, 1e-20  # the step for numbers so small, as a part of them
COMPLEX_TOLERANCE = 1e-9
CENTRAL_TOLERANCE = 1e-5
ROUND_OFF = 4 * EPSILON  # of a gradient that is small because large numbers cancel, such as 1 - tanh(50)²
PARTIAL_ROUND_OFF = 32 * EPSILON  # of a partial: the one of GELU multiplies 1 - tanh² by up to 18, at x = -6.5
MOST_ROUND_OFF, MOST_OF_A_GRADIENT = 1e-12, 1e-4  # a larger difference is never attributed to rounding
TINY = 1e-50  # the truncation of a complex step of 1e-30 is of order 1e-60
SMALLEST, UNDERFLOW = 1e-300, 1e-290  # smaller numbers lose digits one by one (subnormal)
TINIEST = 5e-324  # the distance of two numbers near 0
MAX_DIGITS = 16
SAMPLED_ELEMENTS = 3
NO_RESULT = "undefined: the result is not a finite number"
NOT_COMPARED = "not compared: "
OUTDATED = NOT_COMPARED + "{node} was computed before the data of its inputs changed"
COARSE = "the central difference is not reliable"  # lost in rounding, or the step is too long
NO_SLOPE = "undefined: half the step gives another slope, so no difference can judge the gradient"
TOO_ROUNDED = "undefined: {node} is so large that its rounding leaves no digit of the gradient"
DIGITS_LOST = "undefined: rounding leaves too few digits of the gradient"
FEW_DIGITS = 4  # agreement in fewer digits is left to the complex step
MUCH_WORK = 250_000  # operations recomputed for one difference at every node: about 0.3 s one by one


def best_step(x: float) -> float:
    """The best step of a central difference around x, 6e-6 for numbers up to 1."""
    return float(STEP * max(1.0, abs(x)))


@dataclass(frozen=True, slots=True)
class GradientCheck:
    """One node's gradient, computed three ways.

    Attributes:
        label: the node's name; for an element of an array with its index.
        value: the node.
        backward: gradient by the chain rule.
        central_difference: slope between x - h and x + h; nan where the root has no number there.
        complex_step: derivative by a complex step; None where an operation on the path does not allow one.
        agreeing_digits: digits in which backward agrees with the central difference, or with the complex step where
            that difference is lost in rounding, 0 to 16; near zero only digits above the round-off.
        ok: True when backward is finite and agrees with the reference.
        note: `constant`, `at a kink of ...`, `undefined: ` or `not compared: ` with the reason, why only the complex
            step is the reference; or empty.
        defined: True when there is a gradient to check. False: `note` gives the reason, and no digits are counted.
    """

    label: str
    value: Value
    backward: float
    central_difference: float
    complex_step: float | None
    agreeing_digits: int
    ok: bool
    note: str = ""
    defined: bool = True

    @property
    def digits_of_complex_step(self) -> int:
        """Digits in which backward agrees with the complex step, 0 to 16; 0 when there is none."""
        if not self.defined or self.complex_step is None:
            return 0
        return agreeing_digits(self.backward, self.complex_step, ROUND_OFF)

    @property
    def is_compared(self) -> bool:
        """True when data and gradients are of the same pass; a slope at other data cannot check a gradient."""
        return not self.note.startswith(NOT_COMPARED)

    @property
    def mark(self) -> str:
        """✓ right, ✗ wrong, – undefined or not compared."""
        return "✓" if self.ok else "✗" if self.defined else "–"


def check_gradients(root: Value) -> list[GradientCheck]:
    """Return a row for every node the root was computed from, inputs first; arrays by a few of their elements.

    Backward agrees when it differs from the complex step by at most 1e-9 of its size (and 1e-15 at most more), or,
    without a complex step, from the central difference by at most 1e-5 of its size plus the unavoidable round-off of
    the root, as long as that leaves a digit to compare. Numbers written in the formula without a derivative (the 3 of
    `(-2)**3`) have no row: nobody needs it.

    The time grows with the number of nodes times the number of nodes downstream of each. In a graph where that is very
    large, central differences are computed in blocks, and a complex step only where they do not agree already.

    Raises:
        ValueDataError: when the root is an array.
    """
    return list(iterate_checks(root))


def iterate_checks(root: Value) -> Iterator[GradientCheck]:
    """Yield the rows of `check_gradients` one by one, for a caller that must stay responsive.

    Data and gradients are read when the first row is requested; the graph may change after that.
    """
    if refusal := refusal_of(root):
        raise ValueDataError(refusal)
    gradients = gradients_of(root)
    replay = Replay(root)
    many = replay.estimated_work() > MUCH_WORK
    steps = [best_step(value.data) for value in replay.order] if many else []
    sides = replay.sides(steps) if many else repeat((0.0, 0.0))
    for index, (value, (below, above)) in enumerate(zip(replay.order, sides, strict=False)):
        gradient = gradients.get(value, 0.0)
        quick = _quick_row(replay, value, float(gradient), steps[index], below, above) if many else None
        found = _rows(replay, value, gradient) if quick is None else (quick,)
        yield from (row for row in found if row.defined or not is_constant(value) or row.note == NO_RESULT)


def refusal_of(root: Value) -> str:
    """Return the reason why the gradients of an array cannot be checked; "" for a single number."""
    if root.data.__class__ is float:
        return ""
    what = f"{name_of(root)} is an array of the shape {'×'.join(map(str, root.shape))}"
    return f"gradients are those of a single number, and {what}: its sum() would be one"


def summary(rows: Sequence[GradientCheck]) -> str:
    """Number of gradients that agree, differ and are undefined: `3 of 5 gradients agree, 1 differs, 1 is undefined`."""
    right, outdated = sum(row.ok for row in rows), sum(not row.is_compared for row in rows)
    undefined = sum(not row.defined for row in rows) - outdated
    wrong = len(rows) - right - undefined - outdated
    parts = [f"{right:,} of {counted(len(rows), 'gradient')} {'agrees' if 1 in (right, len(rows)) else 'agree'}"]
    parts += [f"{wrong:,} {'differs' if wrong == 1 else 'differ'}"] if wrong else []
    parts += [f"{undefined:,} {'is' if undefined == 1 else 'are'} undefined"] if undefined else []
    parts += [f"{outdated:,} cannot be compared: data were changed later"] if outdated else []
    return ", ".join(parts)


def check_value(
    root: Value, value: Value, replay: Replay | None = None, gradient: float | None = None
) -> GradientCheck:
    """Return the row of one scalar value of the graph of `root`.

    Args:
        root: a scalar value.
        value: a scalar value.
        replay: the Replay of `root` with its current data, if there is one already.
        gradient: of the root with respect to the value, if already known.

    Raises:
        ValueDataError: when the root is an array.
    """
    replay = Replay(root) if replay is None else replay
    backward = float(gradients_of(root).get(value, 0.0)) if gradient is None else gradient
    return _row(replay, value, replay.downstream([value]), name_of(value), (), backward)


def _rounding(root: Value, value: Value) -> float:
    """Upper bound of a gradient's error caused by rounded intermediate numbers.

    Each contribution has the rounding error of its partial times the upstream gradient and its error, and the error of
    that upstream gradient times the partial. A partial may be the difference of numbers of about 1, as 1 - tanh(20)²
    is, or of far larger ones, as exp(x - logsumexp(x)) at x = 1e9: that error is measured at each node's next float.
    """
    off: dict[Value, Any] = {root: 0.0}
    measured: dict[Value, list[float]] = {}
    for edge in contributions(root):
        upstream, before = float(np.max(np.abs(edge.upstream))), off.get(edge.node, 0.0)
        partial = 1.0 if edge.partial is None else abs(edge.partial)
        if edge.node not in measured:
            measured[edge.node] = rounding_of_partials(edge.node)
        rounding = PARTIAL_ROUND_OFF + (measured[edge.node][edge.index] if measured[edge.node] else 0.0)
        own = rounding * max(1.0, partial) * (upstream + before)
        off[edge.input] = off.get(edge.input, 0.0) + before * partial + own
    return float(off.get(value, 0.0))


def agreeing_digits(a: float, b: float, noise: float = 0.0) -> int:
    """Number of digits in which two numbers agree, 0 to 16: significant digits, or decimals if they differ by at most
    `noise`.

    Args:
        a: a number.
        b: a number.
        noise: error of either number; digits below it are not counted.
    """
    difference = abs(a - b)
    if difference == 0.0:
        return MAX_DIGITS
    if not math.isfinite(difference):
        return 0
    relative = difference / max(abs(a), abs(b))
    decimals = -math.log10(noise) if difference <= noise else 0.0
    return max(0, min(MAX_DIGITS, math.floor(max(-math.log10(relative), decimals))))


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
    """Row of a scalar value whose central difference decides: it agrees, or the root is not finite; None otherwise."""
    root = replay.order[-1].data
    central = (above - below) / ((value.data + h) - (value.data - h))
    noise = _noise(root, above, h)
    if not math.isfinite(root):
        return GradientCheck(name_of(value), value, backward, central, None, 0, False, NO_RESULT, False)
    digits = agreeing_digits(backward, central, noise)
    if not digits or not _near(backward, central, noise):
        return None
    return GradientCheck(name_of(value), value, backward, central, None, digits, True, _constant(value))


def _row(
    replay: Replay, value: Value, path: Sequence[int], label: str, index: tuple[int, ...], backward: float
) -> GradientCheck:
    x = float(value.data[index]) if index else value.data
    root = replay.order[-1].data
    h, below, above = _sides(replay, value, path, index, x)
    central = (above - below) / ((x + h) - (x - h))
    if not (math.isfinite(root) and math.isfinite(backward) and math.isfinite(central)):
        why = NO_RESULT if not math.isfinite(root) else _undefined(replay, value, path, index, (x + h, x - h), backward)
        return GradientCheck(label, value, backward, central, None, 0, False, why, False)
    by_complex_step = None if index else _complex_step(replay, value, path, backward)
    noise = _noise(root, above, h)
    digits = agreeing_digits(backward, central, noise)
    ok, note = _near(backward, central, noise) and digits > 0, _constant(value)
    agrees = ok if by_complex_step is None else _agrees(backward, by_complex_step, root)
    if not agrees and not index:  # a slope of 1e26 changes within 1e-30
        shorter = _complex_step(replay, value, path, backward, COMPLEX_STEP)
        by_complex_step = by_complex_step if shorter is None else shorter
        agrees = by_complex_step is not None and _agrees(backward, by_complex_step, root)
    if not ok and by_complex_step is None:
        nearby, shown = _nearby_slope(replay, value, path, index, backward)
        if shown >= FEW_DIGITS:
            return GradientCheck(label, value, backward, nearby, None, shown, True, note)
    is_rounded = by_complex_step is None and max(abs(backward), abs(central)) < UNDERFLOW
    if not agrees and by_complex_step is not None:
        off = abs(backward - by_complex_step)
        is_rounded = off <= _rounding(replay.order[-1], value)
        agrees = is_rounded and off <= max(MOST_ROUND_OFF, MOST_OF_A_GRADIENT * abs(backward))
    if not (agrees and ok) and (kink := _kink(replay, h, path)):
        ok, note = agrees or _between(backward, (root - below) / h, (above - root) / h), kink
    elif agrees and by_complex_step is not None and (not ok or digits < FEW_DIGITS):
        ok, digits = True, agreeing_digits(backward, by_complex_step, ROUND_OFF)
        note = f"{COARSE}; the complex step agrees"
    elif not agrees and (
        why := _outdated(replay, value, path)
        or _too_rounded(replay, path)
        or (_unmoved(replay, value, path, x + h) if below == above and not index else "")
        or (DIGITS_LOST if is_rounded else "")
    ):
        return GradientCheck(label, value, backward, central, by_complex_step, 0, False, why, False)
    elif not agrees:
        half = _central(replay, value, path, index, x, h / 2)
        if by_complex_step is None and _are_unrelated(central, half, _round_off(root, above, h)):
            return GradientCheck(label, value, backward, central, None, 0, False, NO_SLOPE, False)
        ok, note = False, COARSE if by_complex_step is None and _near(backward, central, noise) else note
    return GradientCheck(label, value, backward, central, by_complex_step, digits, ok, note)


def _outdated(replay: Replay, value: Value, path: Sequence[int]) -> str:
    """First node on the path to the root whose data differ from what its inputs give, as a note; or empty."""
    node = replay.first_outdated(value, path)
    return "" if node is None else OUTDATED.format(node=name_of(node))


def _too_rounded(replay: Replay, path: Sequence[int]) -> str:
    """First node on the path to the root so large that rounding hides its partials, as a note; or empty."""
    node = replay.first_too_rounded(path, MOST_OF_A_GRADIENT)
    return "" if node is None else TOO_ROUNDED.format(node=name_of(node))


def _unmoved(replay: Replay, value: Value, path: Sequence[int], nudged: float) -> str:
    """First node on the path to the root so large that a nudge of the value does not change it, as a note; or empty."""
    node = replay.first_unmoved(value, nudged, path)
    return "" if node is None else TOO_ROUNDED.format(node=name_of(node))


def _constant(value: Value) -> str:
    return "constant" if is_constant(value) else ""


def _undefined(
    replay: Replay, value: Value, path: Sequence[int], index: tuple[int, ...], nudged: Sequence[float], backward: float
) -> str:
    """Reason for an undefined gradient: a nudge leaves an operation's domain, or a derivative overflows."""
    for x in nudged:
        for node, datas, data in replay.data_of({value: _with(value, index, x)}, path):
            if np.all(np.isfinite(data)):
                continue
            single = node.op is not None and all(each.__class__ is float for each in (*datas, data))
            problem = scalar_problem(node.op, datas, data) if single and node.op is not None else None
            return f"undefined: {problem or f'a nudge gives {name_of(node)} no finite number'}"
    return f"undefined: the gradient is {'not a number' if math.isnan(backward) else 'too large (over 1.8e308)'}"


def _sides(
    replay: Replay, value: Value, path: Sequence[int], index: tuple[int, ...], x: float
) -> tuple[float, float, float]:
    """A step and the root's data on either side; a smaller step where the first one leaves the domain."""
    for h in (best_step(x), STEP * abs(x) or best_step(x)):
        below, above = (float(replay.root_data({value: _with(value, index, x + d)}, path)) for d in (-h, h))
        if math.isfinite(below) and math.isfinite(above):
            break
    return h, below, above


def _nearby_slope(
    replay: Replay, value: Value, path: Sequence[int], index: tuple[int, ...], backward: float
) -> tuple[float, int]:
    """Slope over the shorter step that agrees best with backward, and in how many digits.

    The step of 6e-6 is too long for the 1e-308 of tanh(1e-308 * 1e16), and a complex step is too short there. One in
    proportion to the number is lost in the rounding of tanh(1e-308 * 1e16) - 1; then a step in between is not.
    """
    x, root = float(value.data[index]) if index else value.data, replay.order[-1].data
    found, own = [], max(STEP * abs(x), 1e9 * TINIEST)
    for h in (own, *(step for step in STEPS_BETWEEN if step > own)):
        slope = _central(replay, value, path, index, x, h)
        found.append((slope, agreeing_digits(backward, slope, _noise(root, root + slope * h, h))))
    return max(found, key=lambda each: each[1])


def _central(replay: Replay, value: Value, path: Sequence[int], index: tuple[int, ...], x: float, h: float) -> float:
    below, above = (float(replay.root_data({value: _with(value, index, x + d)}, path)) for d in (-h, h))
    return (above - below) / ((x + h) - (x - h))


def _are_unrelated(slope: float, half: float, noise: float) -> bool:
    """True when slopes over a step and over half of it have nothing in common, as those of cos(1e308)."""
    return not abs(slope - half) <= 0.3 * max(abs(slope), abs(half)) + 2 * noise


def _noise(root: float, above: float, h: float) -> float:
    """Round-off of the root as it shows in a central difference."""
    return max(_round_off(root, above, h), SMALLEST)


def _round_off(root: float, above: float, h: float) -> float:
    return 8 * EPSILON * max(abs(root), abs(above)) / h


def _agrees(backward: float, by_complex_step: float, size: float) -> bool:
    """True when they agree up to the rounding of subtracted numbers of that size (at most 1)."""
    round_off = max(ROUND_OFF * min(1.0, abs(size)), TINY)
    return abs(backward - by_complex_step) <= COMPLEX_TOLERANCE * max(abs(backward), abs(by_complex_step)) + round_off


def _near(backward: float, central: float, noise: float) -> bool:
    return abs(backward - central) <= CENTRAL_TOLERANCE * max(abs(backward), abs(central)) + noise


def _between(backward: float, left: float, right: float) -> bool:
    slack = 1e-4 * max(abs(left), abs(right), 1e-12)
    return min(left, right) - slack <= backward <= max(left, right) + slack


def _with(value: Value, index: tuple[int, ...], x: float) -> Any:
    if not index:
        return x
    data = value.data.copy()
    data[index] = x
    return data


def _complex_step(
    replay: Replay, value: Value, path: Sequence[int], backward: float, part: float = 1.0
) -> float | None:
    """The derivative by a complex step, or a part of it; None off the real graph's branch or too small."""
    order = replay.order
    if any(source.data.__class__ is not float for i in path for source in order[i].inputs):
        return None
    root, size = order[-1].data, abs(value.data)
    h = COMPLEX_STEP * max(1.0, size) if size == 0.0 or size > RELATIVE_BELOW else size * RELATIVE_STEP
    h *= part
    if h < SMALLEST:
        return None
    result = complex(math.nan)
    with suppress(ArithmeticError, ValueError):
        result = replay.complex_root(value, complex(value.data, h), path)
    if not cmath.isfinite(result) or not abs(result.real - root) <= 1e-9 * max(1.0, abs(root)):
        # a step in proportion to 1e308 is too long for cos
        return _complex_step(replay, value, path, backward, 1.0 / size) if part == 1.0 and size > 1.0 else None
    # inside of the graph the phase may turn as far as the gradient says, although the result shows none of it
    if LONGEST_TURN * max(1.0, abs(root)) < (turned := max(abs(result.imag), abs(backward) * h)) < math.inf:
        return _complex_step(replay, value, path, backward, part * SHORT_TURN / turned)
    lost = result.imag == 0.0 if h < COMPLEX_STEP else 0.0 < max(abs(result.imag), abs(backward) * h) < UNDERFLOW
    return None if lost else float(result.imag / h)


def _kink(replay: Replay, h: float, path: Sequence[int]) -> str:
    """`at a kink: ...` when a change by h carries an operation on the path across a kink; empty otherwise."""
    for i in path:
        node = replay.order[i]
        op = node.op
        datas = [source.data for source in node.inputs]
        if op is not None and op.needs_elements and _has_ties(op, datas[0], node.data, 10 * h):
            return f"at a kink of {op.name}: equal elements share the gradient"
        if op is None or not op.kink or not op.elementwise:
            continue
        if np.min(np.abs(op.distance_to_kink(*datas)), initial=math.inf) <= 10 * h:
            return f"at a kink of {op.name}: {op.at_kink}"
    return ""


def _has_ties(op: Op, x: Any, chosen: Any, distance: float) -> bool:
    """Return True where several elements are the one that a reduction has chosen along its axis."""
    settings = dict(op.settings)
    axis = settings["axis"]
    if axis is not None and not settings["keepdims"]:
        chosen = np.expand_dims(chosen, axis)
    return bool((np.sum(np.abs(x - chosen) <= distance, axis=axis) > 1).any())
