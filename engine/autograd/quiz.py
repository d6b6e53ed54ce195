"""Predict, then reveal: what was typed for a gradient, whether it is right, and a hint that does not give it away."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from engine.autograd.explanation import ExplanationLine, Lines, TextRun, formula, heading, partial_runs, plain
from engine.autograd.naming import grouped_name
from engine.autograd.notation import short
from engine.autograd.replay import Use
from engine.autograd.value import Value
from engine.quick_dataclass import dataclass

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ANSWER = re.compile(rf"({_NUMBER})(?:\s*/\s*({_NUMBER}))?")
TOLERANCE = 5e-4
"""Of an answer against the gradient: half a unit of the fourth digit that the boxes show, of its size or of 1."""

SENTENCES = {
    "right": "Right: {name}.grad = {gradient}.",
    "wrong": "Not yet: {answer} is not {name}.grad. The hint has the rule.",
    "sign": "Nearly: the size is right, the sign is not.",
    "one of several": "That is the contribution of one consumer: {name} is used {times} times, and the contributions "
    "add up.",
    "unreadable": "Type a number, such as -1.5, 1/3 or 2e-3.",
    "hint": "Hint for {name}.grad",
    "root": "This is the output: it changes one for one with itself.",
    "unused": "The output is not computed from {name}: what would nudging it change?",
    "sum": "{name} is used {times} times: add up what comes back from each.",
}
"""Every sentence of the quiz."""


@dataclass(frozen=True)
class Verdict:
    """What is said of an answer.

    Attributes:
        right: whether it is the gradient.
        is_number: whether it could be read at all.
        text: a sentence.
    """

    right: bool
    is_number: bool
    text: str


@dataclass
class Score:
    """How many gradients were right at the first answer, at a later one, and with a hint."""

    first: int = 0
    later: int = 0
    hinted: int = 0


def read_answer(text: str) -> float | None:
    """A number or a quotient of two as it was typed; None for anything else."""
    found = _ANSWER.fullmatch(text.strip().replace("−", "-"))
    if found is None:
        return None
    number, divisor = float(found[1]), float(found[2] or 1.0)
    return number / divisor if divisor else None


def judge(text: str, value: Value, gradient: float, contributions: Sequence[float] = ()) -> Verdict:
    """Whether an answer is the gradient, to the four digits that a box shows.

    Args:
        text: as it was typed.
        value: whose gradient it is.
        gradient: the right one.
        contributions: the amounts that it is the sum of.
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
    """Whether two numbers agree to the digits that a box shows."""
    return math.isfinite(answer) and abs(answer - gradient) <= TOLERANCE * max(min(1.0, abs(gradient)), 1e-3) + (
        TOLERANCE * abs(gradient) if abs(gradient) > 1.0 else 0.0
    )


def hint(value: Value, root: Value, uses: Sequence[Use]) -> Lines:
    """The local rule of every consumer in names: what has to be worked out, not what it gives.

    Args:
        value: whose gradient is asked for.
        root: the output.
        uses: its consumers, each with the operand's position, as `Replay.uses` gives them.
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
