"""Predict, then reveal: reads an answer for a gradient, judges it, and gives a hint without the result."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.autograd.naming import grouped_name
from engine.autograd.notation import short
from engine.autograd.replay import Use
from engine.autograd.value import Value
from engine.teaching.explanation import ExplanationLine, Lines, TextRun, formula, heading, partial_runs, plain

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_ANSWER = re.compile(rf"({_NUMBER})(?:\s*/\s*({_NUMBER}))?")
TOLERANCE = 5e-4
"""Tolerance of an answer: half a unit of the fourth digit that the boxes show, relative to its size or to 1."""

SENTENCES = {
    "right": "Right: {name}.grad = {gradient}.",
    "wrong": "Not yet: {answer} is not {name}.grad. The hint shows the rule.",
    "sign": "Nearly: the size is right, the sign is not.",
    "one of several": "That is the contribution of one consumer: {name} is used {times} times, and the contributions "
    "add up.",
    "unreadable": "Type a number, such as -1.5, 1/3 or 2e-3.",
    "hint": "Hint for {name}.grad",
    "root": "This is the output. It changes one for one with itself.",
    "unused": "The output does not depend on {name}. What would nudging it change?",
    "sum": "{name} is used {times} times: add up the contributions of all uses.",
}
"""Every sentence of the quiz."""


@dataclass(frozen=True)
class Verdict:
    """Result of judging an answer.

    Attributes:
        right: it is the gradient.
        is_number: it could be read.
        text: a sentence for the learner.
    """

    right: bool
    is_number: bool
    text: str


@dataclass
class Score:
    """Number of gradients that were right at the first answer, at a later one, and with a hint."""

    first: int = 0
    later: int = 0
    hinted: int = 0


def read_answer(text: str) -> float | None:
    """Read a number or a quotient of two numbers; None for anything else."""
    found = _ANSWER.fullmatch(text.strip().replace("−", "-"))
    if found is None:
        return None
    number, divisor = float(found[1]), float(found[2] or 1.0)
    return number / divisor if divisor else None


def judge(text: str, value: Value, gradient: float, contributions: Sequence[float] = ()) -> Verdict:
    """Judge an answer for a gradient, to the four digits that a box shows.

    Args:
        text: as it was typed.
        value: the value whose gradient was asked.
        gradient: the right answer.
        contributions: the summands of the gradient.
    """
    answer, name = read_answer(text), grouped_name(value)
    if answer is None:
        return Verdict(False, False, SENTENCES["unreadable"])
    if is_near(answer, gradient):
        return Verdict(True, True, SENTENCES["right"].format(name=name, gradient=short(gradient)))
    if is_near(answer, -gradient):
        return Verdict(False, True, SENTENCES["sign"])
    if len(contributions) > 1 and any(is_near(answer, amount) for amount in contributions):
        return Verdict(False, True, SENTENCES["one of several"].format(name=name, times=len(contributions)))
    return Verdict(False, True, SENTENCES["wrong"].format(answer=short(answer), name=name))


def is_near(answer: float, gradient: float) -> bool:
    """True when two numbers agree to the digits that a box shows."""
    return math.isfinite(answer) and abs(answer - gradient) <= TOLERANCE * max(min(1.0, abs(gradient)), 1e-3) + (
        TOLERANCE * abs(gradient) if abs(gradient) > 1.0 else 0.0
    )


def hint(value: Value, root: Value, uses: Sequence[Use]) -> Lines:
    """Lines with the local rule of every consumer in names: the formula, not its result.

    Args:
        value: the value whose gradient was asked.
        root: the output.
        uses: its consumers, each with the operand's position, as `Replay.uses` returns them.
    """
    name = grouped_name(value)
    lines: list[ExplanationLine] = [heading(SENTENCES["hint"].format(name=name))]
    if value is root:
        return (*lines, plain(SENTENCES["root"]))
    if not uses:
        return (*lines, plain(SENTENCES["unused"].format(name=name)))
    if len(uses) > 1:
        lines.append(plain(SENTENCES["sum"].format(name=name, times=len(uses))))
    for node, index in uses:
        lines.append(
            formula(
                TextRun("word", f"from {grouped_name(node)}: "),
                f"{grouped_name(node)}.grad × ",
                *partial_runs(node, index),
            )
        )
    rules = dict.fromkeys(node.op.rule for node, _index in uses if node.op is not None)
    return (*lines, *map(plain, rules))
