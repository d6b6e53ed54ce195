"""Rows of the judgement of a learner's own engine, and how numbers stand in their sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.autograd.value import Value


@dataclass(frozen=True, slots=True)
class EngineCheckRow:
    """Judgement of one rule (of a method, for one input), or of the backward pass.

    Attributes:
        op: the table's name of the operation; the learner's text where it is none of the table's; the name of the
            method for the backward pass.
        line: of the rule, from 1; the method's line where unknown.
        expected: the gradient that the input should get from this value; None where unknown.
        given: the gradient that the rule gives it.
        ok: nothing is wrong.
        message: the mistake, or a remark; empty otherwise.
        input: name of the input; empty where no input is wrong.
        value: its drawn value; None where unknown.
        of_pass: it is about the backward pass as a whole, not about one rule.
    """

    op: str
    line: int
    expected: float | None
    given: float | None
    ok: bool
    message: str = ""
    input: str = ""
    value: Value | None = None
    of_pass: bool = False


def number_text(number: float) -> str:
    """Return a number as Python writes it, in six digits: `5.0`, `0.786448`, `-1.5e-07`."""
    if not math.isfinite(number):
        return str(number)
    text = f"{number:.6g}"
    return text if any(letter in text for letter in ".e") else f"{text}.0"
