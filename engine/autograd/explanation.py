"""What an explanation is: structured text, lines of runs, for a panel to typeset; and its sentences in one place.

Nothing here knows how it will look.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.autograd.check import GradientCheck
from engine.autograd.naming import grouped_name
from engine.autograd.value import Value
from engine.autograd.wording import operand_name
from engine.quick_dataclass import dataclass

SENTENCES: Mapping[str, str] = MappingProxyType({
    "constant": "{name} is a number written in the formula.",
    "leaf": "{name} is a leaf: its number is given, not computed.",
    "problem here": "Problem: {problem}.",
    "problem before": "The problem began at {name}: {problem}.",
    "data to come": "Forward has not reached {name}: it is computed in step {step} of {all}, and the walk stands at "
    "step {now}.",
    "root is not a number": "{root} is undefined here (not a number), so nothing can be said about how {name} would "
    "move it.",
    "root is infinite": "{root} is infinite here, so nothing can be said about how {name} would move it.",
    "constant has no grad": "{name} is a number written in the formula: it never changes, so no gradient is kept "
    "for it.",
    "root is 1": "The root changes one for one with itself.",
    "not used": "{root} does not depend on {name}, so nudging it changes nothing.",
    "not zeroed": "Gradients were not zeroed between passes: {name}.grad was {held} before the last pass, which added "
    "{amount}.",
    "one pass": "By the chain rule it is {right}:",
    "of another pass": "It is of an earlier pass: the program did not call backward() here, which would give {right}:",
    "not set": "The program has not set {name}.grad. By the chain rule it is {right}:",
    "two symbols": "∂ is the slope of one operation by itself, d that of every way to {root} together.",
    "kink": "At a kink of {op} there is no derivative; used here: {used}.",
    "used often": "{name} is used {times} times: the contributions add up.",
    "backward to begin": "Backward has not begun: it sets {root}.grad to 1 once forward is done, and the walk stands "
    "at forward step {now} of {all}.",
    "seed to come": "Forward is done. The next step begins backward: it sets {root}.grad to 1.",
    "grad to come": "Backward has not reached {name}: its first contribution comes from {source}, in backward step "
    "{step} of {all}, and the walk stands at step {now}.",
    "backward begins": "Backward begins at the output, which changes one for one with itself.",
    "undefined beside": "There is no slope to compare with: with {name} a little {side}, {node} is undefined "
    "({problem}).",
    "not compared": "There is no slope to compare with: {why}, as by an update.",
    "undefined slope": "There is no slope of {root} by {name} to compare with: {why}.",
    "zero_grad": "Backward adds to what is there: without this step the gradients of two passes would pile up.",
    "update": "The update moves the parameter against its gradient; what was computed before stays as it is until the "
    "next forward.",
    "more contributions": "{count} more contributions are together {amount}.",
})  # fmt: skip
"""Every sentence that has a verb, with the names of what is put in."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one face.

    Attributes:
        kind: `word`, `math` (names and formulas), `number`, `fraction`, or `code` (Python as it is typed).
        text: on one line: `do/dw1`.
        above, below: of a fraction, what stands over and under its bar.
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
        """The line without faces."""
        return "".join(run.text for run in self.runs)


Lines = tuple[ExplanationLine, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a value has its data and its gradient, at one moment of the walk through both passes.

    Attributes:
        value: the value explained.
        root: the value that was differentiated.
        why_step: lines about what the step of the walk did to the value; empty where it did nothing to it.
        why_data: lines about the data.
        why_grad: lines about the gradient.
        gradient: of the root with respect to the value, as far as it has been added up; an array for an array; None
            where nothing has arrived yet.
        check: the gradient beside a central difference; None for arrays, values outside the graph, and gradients that
            are not complete.
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
    """A formula and, in the face of numbers, what it gives; texts are in the face of formulas."""
    runs = [part if isinstance(part, TextRun) else TextRun("math", part) for part in parts if part]
    return ExplanationLine("formula", (*runs, TextRun("number", number)) if number else tuple(runs))


def fraction(above: str, below: str) -> TextRun:
    """A derivative: `do/dw1`."""
    return TextRun("fraction", f"{above}/{below}", above, below)


def total_run(of: Value, to: Value) -> TextRun:
    """The derivative over every way from one value to another."""
    return fraction(f"d{grouped_name(of)}", f"d{grouped_name(to)}")


def partial_runs(node: Value, index: int) -> tuple[TextRun, ...]:
    """The local derivative by one input; where it is several operands, by which."""
    slope = fraction(f"∂{grouped_name(node)}", f"∂{grouped_name(node.inputs[index])}")
    which = operand_name(node, index)
    return (slope, TextRun("math", f" ({which})")) if which else (slope,)


def plain(text: str) -> ExplanationLine:
    """A line of text."""
    return ExplanationLine("text", (TextRun("word", text),))


def sentence(which: str, **put_in: Any) -> ExplanationLine:
    """One of the sentences, with what belongs into it."""
    return plain(SENTENCES[which].format(**put_in))
