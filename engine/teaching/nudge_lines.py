"""Texts about a nudge and about following the gradient, with enough digits to show the differences."""

from __future__ import annotations

import math
from decimal import Context, Decimal

from engine.autograd import Value
from engine.autograd.naming import grouped_name, name_of
from engine.autograd.notation import in_parentheses
from engine.teaching.explanation import ExplanationLine, Lines, TextRun, formula, heading, plain, total_run
from engine.teaching.nudging import Ascent, ErrorCurve, Nudge

DIGITS, MOST_DIGITS = 12, 25
SHOWN = 1e-4  # largest relative error of a difference of two rounded numbers
PREDICTED = TextRun("word", "predicted = ")

SENTENCES = {
    "nudge": "Nudging {name} by h = {h}",
    "truncation": "The difference is the bend of {root} between {name} and {name} + h: truncation, which grows with h.",
    "round-off": "The difference is the rounding of {root} to 16 digits, divided by h: round-off, larger for a "
    "smaller h.",
    "exact": "There is no difference: along {name} the graph is a straight line, as far as the digits go.",
    "no number": "{root} has no number at {place}: an operation is outside of its domain, or its result is too large.",
    "outdated": "{node} was computed before its inputs got the data that they have now, as by an update: the gradient "
    "of {name} predicts nothing here.",
    "ascent": "Adding {step} × grad to {leaves}",
    "prediction": "Each leaf moves {root} by step × grad × grad: the sum of the squares of the gradients is {squares}.",
}
"""Every sentence on nudges."""


def digits(number: float) -> str:
    """Format a number with twelve significant digits, enough to show round-off."""
    return f"{number:.{DIGITS}g}"


_QUIET = Context(traps=[])
"""Computes with infinite numbers, too: inf - inf is nan."""


def _after_sign(computed: Decimal, number: float) -> tuple[str, str]:
    """Return ` = ` or ` ≈ `, as the displayed number is or is not what the displayed ones give, and the number."""
    text = digits(number)
    return (" = " if math.isfinite(number) and computed == Decimal(text) else " ≈ "), text


def difference(after: float, before: float) -> str:
    """Format `after - before` with enough digits, twelve or more, to agree with the numbers as displayed.

    Args:
        after, before: finite numbers.
    """
    exact, wide = after - before, DIGITS
    while wide < MOST_DIGITS and abs(_difference_shown(after, before, wide) - exact) > SHOWN * abs(exact):
        wide += 1
    return f"{after:.{wide}g} - {in_parentheses(f'{before:.{wide}g}')}"


def _difference_shown(after: float, before: float, wide: int) -> float:
    return float(Decimal(f"{after:.{wide}g}") - Decimal(f"{before:.{wide}g}"))


def nudge_lines(root: Value, value: Value, gradient: float, nudge: Nudge, curve: ErrorCurve) -> Lines:
    """Return predicted change, actual change, their difference, and its cause."""
    name, output = grouped_name(value), name_of(root)
    title, *measured = measured_lines(root, value, nudge)
    if not _has_numbers(root, nudge):
        return (title, *measured)
    h, actual, slope = f"{nudge.h:.6g}", *measured
    sign, predicted = _after_sign(_QUIET.multiply(Decimal(digits(gradient)), Decimal(h)), nudge.predicted_change)
    displayed = _QUIET.subtract(Decimal(digits(nudge.actual_change)), Decimal(predicted))
    difference_sign, left = _after_sign(displayed, nudge.actual_change - nudge.predicted_change)
    product = f" × h = {digits(gradient)} × {in_parentheses(h)}{sign}"
    return (
        title,
        formula(PREDICTED, total_run(root, value), product, number=predicted),
        actual,
        formula(TextRun("word", f"difference{difference_sign}"), number=left),
        slope,
        plain(SENTENCES[cause(nudge, curve)].format(name=name, root=output)),
    )


def measured_lines(root: Value, value: Value, nudge: Nudge) -> Lines:
    """Return the actual change and the slope that it gives: what is known without a gradient."""
    name = grouped_name(value)
    title = heading(SENTENCES["nudge"].format(name=name, h=f"{nudge.h:.6g}"))
    if not _has_numbers(root, nudge):
        place = f"{name} + h" if math.isfinite(root.data) else name
        return (title, plain(SENTENCES["no number"].format(place=place, root=name_of(root))))
    change = difference(nudge.data, root.data)
    after, before = change.split(" - ")
    sign, actual = _after_sign(_QUIET.subtract(Decimal(after), Decimal(before.strip("()"))), nudge.actual_change)
    slope_sign, slope = _after_sign(_QUIET.divide(Decimal(actual), Decimal(f"{nudge.h:.6g}")), nudge.slope)
    return (
        title,
        formula(TextRun("word", "actual = "), change + sign, number=actual),
        formula(TextRun("word", f"slope = actual / h{slope_sign}"), number=slope),
    )


def _has_numbers(root: Value, nudge: Nudge) -> bool:
    """True where the output is a number with the nudge and without it."""
    return math.isfinite(nudge.data) and math.isfinite(root.data)


def outdated_lines(value: Value, node: Value, h: float) -> Lines:
    """Return the text for data that were changed after `node` was computed from them."""
    name = grouped_name(value)
    return (
        heading(SENTENCES["nudge"].format(name=name, h=f"{h:.6g}")),
        plain(SENTENCES["outdated"].format(name=name, node=name_of(node))),
    )


def cause(nudge: Nudge, curve: ErrorCurve) -> str:
    """Return the cause of the difference: "exact", "truncation" for an h above the best one, or "round-off"."""
    if nudge.error == 0.0 or not curve.nudges:
        return "exact"
    best = curve.nudges[curve.best]
    is_straight = all(each.error <= 1e-9 * max(1.0, abs(each.slope)) for each in curve.nudges[:4])
    return "truncation" if abs(nudge.h) > abs(best.h) and not is_straight else "round-off"


def ascent_lines(root: Value, leaves: str, ascent: Ascent) -> Lines:
    """Return the output before and after, and the change that the gradients predicted."""
    output = name_of(root)
    arrow = ExplanationLine(
        "formula", (TextRun("math", f"{output}: {digits(ascent.before)} → "), TextRun("number", digits(ascent.after)))
    )
    before, after, squares = (Decimal(digits(number)) for number in (ascent.before, ascent.after, ascent.squares))
    changed = _after_sign(_QUIET.subtract(after, before), ascent.actual_change)
    predicted = _after_sign(_QUIET.multiply(Decimal(f"{ascent.step:.6g}"), squares), ascent.predicted_change)
    return (
        heading(SENTENCES["ascent"].format(step=f"{ascent.step:.6g}", leaves=leaves)),
        arrow,
        formula(TextRun("word", f"actual change{changed[0]}"), number=changed[1]),
        formula(PREDICTED, f"{ascent.step:.6g} × {digits(ascent.squares)}{predicted[0]}", number=predicted[1]),
        plain(SENTENCES["prediction"].format(root=output, squares=digits(ascent.squares))),
    )
