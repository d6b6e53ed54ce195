"""Explanations as data: structured text, lines of runs, for a panel to typeset; and all their sentences in one place.

This module does not know how an explanation will look.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.autograd.check import GradientCheck
from engine.autograd.naming import grouped_name
from engine.autograd.value import Value
from engine.teaching.wording import operand_name

SENTENCES: Mapping[str, str] = MappingProxyType({
    "constant": "{name} is a number written in the formula.",
    "leaf": "{name} is a leaf: it is not computed.",
    "data changed": "It was computed before its inputs got the data that they have now.",
    "problem here": "Problem: {problem}.",
    "problem before": "The problem began at {name}: {problem}.",
    "data pending": "Forward has not reached {name}: it is computed in step {step} of {all}; the walk is at "
    "step {now}.",
    "root is not a number": "{root} is undefined here (not a number), so a change of {name} has no defined "
    "effect.",
    "root is infinite": "{root} is infinite here, so a change of {name} has no defined effect.",
    "constant has no grad": "{name} is a number written in the formula: it never changes, so it has no "
    "gradient.",
    "root is 1": "The root changes one for one with itself.",
    "not used": "{root} does not depend on {name}, so nudging it changes nothing.",
    "not zeroed": "Gradients were not zeroed between passes: {name}.grad was {initial} before the last pass, "
    "which added {amount}.",
    "left over": "It is left from an earlier pass, as gradients were not zeroed; this one has added nothing yet.",
    "not zeroed so far": "Gradients were not zeroed between passes: {name}.grad was {initial} before this pass, which "
    "has added {amount} so far.",
    "one pass": "By the chain rule it is {right}:",
    "of another pass": "It is of an earlier pass: the program did not call backward() here, which would give {right}:",
    "not reached": "No backward() has reached {name}. One from {root} would give {right}:",
    "two symbols": "∂ is the slope of one operation, d the slope over all paths to {root}.",
    "kink": "{op} has no derivative at its kink. The value used is {used}.",
    "used often": "{name} is used {times} times: the contributions add up.",
    "backward pending": "Backward has not begun: it sets {root}.grad to 1 after forward; the walk is "
    "at forward step {now} of {all}.",
    "seed pending": "Forward is done. The next step begins backward: it sets {root}.grad to 1.",
    "grad pending": "Backward has not reached {name}: its first contribution comes from {source}, in backward step "
    "{step} of {all}; the walk is at step {now}.",
    "backward begins": "Backward begins at the output, which changes one for one with itself.",
    "undefined nearby": "There is no slope to compare with: when {name} is a little {side}, {node} is undefined "
    "({problem}).",
    "not compared": "There is no slope to compare with: {why}.",
    "undefined slope": "There is no slope of {root} by {name} to compare with: {why}.",
    "zero_grad": "Backward adds to existing gradients: without this step the gradients of two passes would accumulate.",
    "update": "The update moves the parameter against its gradient. Computed values do not change until the "
    "next forward pass.",
    "more contributions": "{count} more contributions add up to {amount}.",
})  # fmt: skip
"""Every sentence with a verb, by key; `{...}` are the values to put in."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one typeface.

    Attributes:
        kind: `word`, `math` (names and formulas), `number`, `fraction`, or `code` (Python source text).
        text: the text on one line: `do/dw1`.
        above, below: numerator and denominator of a fraction.
    """

    kind: str
    text: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationLine:
    """A line of an explanation.

    Attributes:
        kind: `heading`, `formula` or `text`.
        runs: its pieces from left to right.
    """

    kind: str
    runs: tuple[TextRun, ...]

    @property
    def text(self) -> str:
        """The line as plain text."""
        return "".join(run.text for run in self.runs)


Lines = tuple[ExplanationLine, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a value has its data and its gradient, at one moment of the walk through both passes.

    Attributes:
        value: the value explained.
        root: the value that was differentiated.
        why_step: lines about the effect of the walk's step on the value; empty when the step does not concern it.
        why_data: lines about the data.
        why_grad: lines about the gradient.
        gradient: of the root with respect to the value, the sum so far; None before the first contribution. An array
            for an array.
        check: the gradient compared with a central difference; None for arrays, values outside the graph, and
            incomplete gradients.
    """

    value: Value
    root: Value
    why_step: Lines
    why_data: Lines
    why_grad: Lines
    gradient: Any
    check: GradientCheck | None

    @property
    def lines(self) -> Lines:
        """Everything in reading order."""
        return self.why_step + self.why_data + self.why_grad

    @property
    def text(self) -> str:
        """Everything as plain text, line by line."""
        return "\n".join(line.text for line in self.lines)


def heading(before: str, number: str = "", after: str = "") -> ExplanationLine:
    """A question, with the number it is about."""
    runs = (TextRun("word", before), TextRun("number", number), TextRun("word", after))
    return ExplanationLine("heading", tuple(run for run in runs if run.text))


def formula(*parts: str | TextRun, number: str = "") -> ExplanationLine:
    """A formula and its result, set as a number; texts are set as formulas."""
    runs = [part if isinstance(part, TextRun) else TextRun("math", part) for part in parts if part]
    return ExplanationLine("formula", (*runs, TextRun("number", number)) if number else tuple(runs))


def fraction(above: str, below: str) -> TextRun:
    """A derivative: `do/dw1`."""
    return TextRun("fraction", f"{above}/{below}", above, below)


def total_run(of: Value, to: Value) -> TextRun:
    """The derivative over all paths from one value to another."""
    return fraction(f"d{grouped_name(of)}", f"d{grouped_name(to)}")


def partial_runs(node: Value, index: int) -> tuple[TextRun, ...]:
    """The local derivative by one input; for an input used several times, with its operand position."""
    slope = fraction(f"∂{grouped_name(node)}", f"∂{grouped_name(node.inputs[index])}")
    which = operand_name(node, index)
    return (slope, TextRun("math", f" ({which})")) if which else (slope,)


def plain(text: str) -> ExplanationLine:
    """A line of text."""
    return ExplanationLine("text", (TextRun("word", text),))


def sentence(key: str, **values: Any) -> ExplanationLine:
    """Return one of the sentences with the values put in."""
    return plain(SENTENCES[key].format(**values))
