"""The table's formulas in the words of a learner's program: `y.data * out.grad` for the letter b."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping

from engine.autograd.ops import OPS
from engine.autograd.wording import with_texts
from engine.language.known_operations import Recognised


def formula_text(text: str, letters: Mapping[str, str]) -> str:
    """A formula of the table in the learner's words: `1 - out.data**2`."""
    return with_texts(text, letters).replace(" ** ", "**")


def partial_text(operation: Recognised, position: int, letters: Mapping[str, str]) -> str:
    """What an input should get, in the learner's words: `y.data * out.grad`."""
    op = operation.op
    places = [at for at, one in enumerate(operation.arguments) if one.__class__ is int and one == position]
    if not op.elementwise or not places or op.name not in OPS:
        return f"the slope of {op.name} * {letters['g']}"
    texts = [_times_gradient(op.partials[at], letters) for at in places]
    return " + ".join(texts)


def _times_gradient(text: str, letters: Mapping[str, str]) -> str:
    if text in ("1", "-1"):
        return text.removesuffix("1") + letters["g"]
    body = ast.parse(text, mode="eval").body
    loose = (isinstance(body, ast.BinOp) and isinstance(body.op, (ast.Add, ast.Sub))) or isinstance(body, ast.Call)
    formula = formula_text(text, letters)
    loose = loose and (" if " in formula or isinstance(body, ast.BinOp))
    return f"({formula}) * {letters['g']}" if loose else f"{formula} * {letters['g']}"


def quietly(function: Callable[..., float], *numbers: float) -> float:
    """The value of a formula of the table; nan where there is none."""
    try:
        return float(function(*numbers))
    except (ArithmeticError, ValueError):
        return math.nan


def number_text(number: float) -> str:
    """A number as Python writes it, in six digits: `5.0`, `0.786448`, `-1.5e-07`."""
    if not math.isfinite(number):
        return str(number)
    text = f"{number:.6g}"
    return text if any(letter in text for letter in ".e") else f"{text}.0"
