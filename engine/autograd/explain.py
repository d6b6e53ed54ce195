"""Why this data, why this grad: the chain rule at one node in words, with names and with the numbers put in.

The result is plain structured text, lines of runs, for a panel to typeset; nothing here knows how it will look. All
rules come from the table of operations, all numbers from the graph, and an equals sign stands only where the numbers as
shown give the number shown (`≈` elsewhere).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.autograd.check import GradientCheck, check_value
from engine.autograd.contributions import Contribution, contributions
from engine.autograd.naming import derivative, grouped, is_constant, name_of
from engine.autograd.notation import equality, factor, short, shown
from engine.autograd.problems import problem_of
from engine.autograd.value import Value, topological_order
from engine.autograd.wording import in_both, in_names, partial_in_words, statement

MAX_TERMS = 6
MAX_FORMULA = 100
MAX_PATH = 10
ENDS_OF_PATH = 4


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one face: `word`, `math` (names and formulas) or `number`."""

    kind: str
    text: str


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


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a value has its data and its gradient.

    Attributes:
        value: the value explained.
        root: the value that was differentiated.
        why_data: lines about the data.
        why_grad: lines about the gradient.
        gradient: of the root with respect to the value; an array for an array.
        terms: the contribution of each consumer edge, in the order of the algorithm.
        path: one way from the value to the root (the shortest), each node followed by its consumer; both ends included.
        path_partials: local derivative of each edge of `path`; empty where arrays are on it.
        check: the gradient beside a central difference; None for arrays and values outside the graph.
    """

    value: Value
    root: Value
    why_data: tuple[ExplanationLine, ...]
    why_grad: tuple[ExplanationLine, ...]
    gradient: Any
    terms: tuple[Contribution, ...]
    path: tuple[Value, ...]
    path_partials: tuple[float, ...]
    check: GradientCheck | None

    @property
    def slope(self) -> float | None:
        """The central difference; None for arrays and values outside the graph."""
        return self.check.central_difference if self.check is not None else None

    @property
    def agreeing_digits(self) -> int:
        """Digits in which gradient and slope agree, 0 to 16."""
        return self.check.agreeing_digits if self.check is not None else 0

    @property
    def lines(self) -> tuple[ExplanationLine, ...]:
        """Everything in reading order."""
        return self.why_data + self.why_grad

    @property
    def text(self) -> str:
        """Everything as plain text, line by line."""
        return "\n".join(line.text for line in self.lines)


def explain(value: Value, root: Value) -> Explanation:
    """Explains one value of the graph of `root`; reads data only, never `grad`.

    Args:
        value: any value; outside the graph of the root its gradient is 0.
        root: a scalar value.

    Raises:
        ValueDataError: when the root is an array.
    """
    edges = list(contributions(root))
    terms = tuple(edge for edge in edges if edge.input is value)
    gradient = sum((edge.amount for edge in terms), 1.0 if value is root else 0.0)
    path, partials = _shortest_path(value, root, edges)
    check = check_value(root, value) if path and value.data.__class__ is float else None
    why_grad = _no_gradient_lines(value, root) or (
        _heading(f"Why is {_name(value)}.grad = ", short(gradient), "?"),
        *_gradient_lines(value, root, terms, gradient),
        *_path_lines(path, partials, _number_of_paths(value, root, edges)),
        *_slope_lines(value, root, check),
    )
    return Explanation(value, root, _data_lines(value), why_grad, gradient, terms, path, partials, check)


def _data_lines(value: Value) -> tuple[ExplanationLine, ...]:
    lines = [_heading(f"Why is {_name(value)}.data = ", short(value.data), "?")]
    if value.op is None:
        kind = "a number written in the formula" if is_constant(value) else "a leaf: its number is given, not computed"
        return (*lines, _text(f"{name_of(value)} is {kind}."))
    before, _, number = in_both(value).rpartition(" ")
    lines.append(_formula(statement(value, in_names(value))))
    lines.append(_formula(before.removeprefix(in_names(value)).lstrip() + " ", number))
    return (*lines, *_trouble_lines(value))


def _trouble_lines(value: Value) -> list[ExplanationLine]:
    """What went wrong at this value, or where the trouble came from that it inherited."""
    trouble = problem_of(value)
    if trouble:
        return [_text(f"Trouble: {trouble}.")]
    origin = None if np.isfinite(value.data).all() else _first_trouble(value)
    return [_text(f"The trouble began at {_name(origin)}: {problem_of(origin)}.")] if origin is not None else []


def _first_trouble(value: Value) -> Value | None:
    return next((past for past in topological_order(value) if problem_of(past)), None)


def _no_gradient_lines(value: Value, root: Value) -> tuple[ExplanationLine, ...]:
    """Why there is no gradient: the value is a number in a formula, or the root is no finite number; () otherwise."""
    name, end = _name(value), _name(root)
    heading = ExplanationLine("heading", (TextRun("word", f"Why has {name} no grad?"),))
    if not math.isfinite(root.data):
        which = "no number" if root.data != root.data else "infinite"
        words = f"{end} is undefined here ({which}), so nothing can be said about how {name} would move it."
        return (heading, _text(words), *_trouble_lines(root))
    if is_constant(value) and value is not root:
        words = f"{name} is a number written in the formula: it never changes, so no gradient is kept for it."
        return (heading, _text(words))
    return ()


def _gradient_lines(value: Value, root: Value, terms: Sequence[Contribution], gradient: Any) -> list[ExplanationLine]:
    if value is root and not terms:
        return [_formula(f"{derivative(root, root)} = ", "1"), _text("The root changes one for one with itself.")]
    if not terms:
        return [_text(f"{_name(root)} does not depend on {_name(value)}, so nudging it changes nothing.")]
    lines = [line for edge in terms[:MAX_TERMS] for line in _local_lines(edge)]
    if all(edge.partial is not None for edge in terms):
        lines += _chain_rule_lines(value, root, terms, gradient)
    rules = dict.fromkeys(edge.node.op.rule for edge in terms if edge.node.op is not None)
    return lines + [_text(rule) for rule in rules]


def _local_lines(edge: Contribution) -> list[ExplanationLine]:
    """`∂n/∂x = formula = numbers = number` for one edge."""
    if edge.partial is None:
        return []
    words, numbers, given = partial_in_words(edge.node, edge.index)
    left = derivative(edge.node, edge.input)
    exact = short(edge.partial)
    steps = list(dict.fromkeys(text for text in (words, numbers) if text != exact))
    steps = steps[:1] if any(len(text) > MAX_FORMULA for text in steps) else steps
    if steps:
        lines = [_formula(f"{left} = {' = '.join(steps)} ", equality(given, edge.partial))]
    else:
        lines = [_formula(f"{left} ", f"= {exact}")]
    return lines + _kink_lines(edge)


def _kink_lines(edge: Contribution) -> list[ExplanationLine]:
    op, datas = edge.node.op, [source.data for source in edge.node.inputs]
    if op is None or not (op.kink and op.elementwise) or op.distance_to_kink(*datas) != 0.0:
        return []
    if op.name == "pow" and edge.index == 0:
        return []  # only the exponent has none there: x² is smooth at 0
    return [_text(f"At a kink of {op.name} there is no derivative; used here: {op.at_kink}.")]


def _chain_rule_lines(
    value: Value, root: Value, terms: Sequence[Contribution], gradient: float
) -> list[ExplanationLine]:
    """The sum over consumers: with names, with numbers, and the sum of the terms."""
    left, more = derivative(root, value), " + …" if len(terms) > MAX_TERMS else ""
    first = terms[:MAX_TERMS]
    names = " + ".join(f"{derivative(root, edge.node)} × {derivative(edge.node, value)}" for edge in first)
    numbers = " + ".join(
        f"{short(edge.upstream) if index == 0 else factor(edge.upstream)} × {factor(edge.partial)}"
        for index, edge in enumerate(first)
    )
    computed = sum(shown(edge.upstream) * shown(edge.partial) for edge in terms)
    lines = [_formula(f"{left} = {names}{more}"), _formula(f"= {numbers}{more} ", equality(computed, gradient))]
    if len(terms) > 1:
        amounts = " + ".join(short(e.amount) if i == 0 else factor(e.amount) for i, e in enumerate(first))
        total = sum(shown(edge.amount) for edge in terms)
        lines.append(_formula(f"= {amounts}{more} ", equality(total, gradient)))
        lines.append(_text(f"{_name(value)} is used {len(terms)} times: the contributions add up."))
    return lines


def _shortest_path(
    value: Value, root: Value, edges: Sequence[Contribution]
) -> tuple[tuple[Value, ...], tuple[float, ...]]:
    """The way to the root over the fewest operations; empty when there is none."""
    consumers: dict[Value, list[Contribution]] = {}
    for edge in edges:
        consumers.setdefault(edge.input, []).append(edge)
    came: dict[Value, Contribution | None] = {value: None}
    queue = deque([value])
    while queue and root not in came:
        for edge in consumers.get(queue.popleft(), ()):
            if edge.node not in came:
                came[edge.node] = edge
                queue.append(edge.node)
    return _walked_back(root, came)


def _walked_back(root: Value, came: dict[Value, Contribution | None]) -> tuple[tuple[Value, ...], tuple[float, ...]]:
    if root not in came:
        return (), ()
    path, partials = [root], []
    while (edge := came[path[-1]]) is not None:
        path.append(edge.input)
        partials.append(edge.partial)
    known = all(partial is not None for partial in partials)
    return tuple(reversed(path)), tuple(reversed(partials)) if known else ()


def _number_of_paths(value: Value, root: Value, edges: Sequence[Contribution]) -> int:
    counts = {root: 1}
    for edge in edges:
        counts[edge.input] = counts.get(edge.input, 0) + counts.get(edge.node, 0)
    return counts.get(value, 0)


def _path_lines(path: Sequence[Value], partials: Sequence[float], number: int) -> list[ExplanationLine]:
    if len(path) < 2:
        return []
    names = [name_of(path[0]), *(f"{value.op.text if value.op else ''} → {name_of(value)}" for value in path[1:])]
    if len(names) > MAX_PATH:
        between = f"… {len(names) - 2 * ENDS_OF_PATH} more …"
        names = [*names[:ENDS_OF_PATH], between, *names[-ENDS_OF_PATH:]]
    which = "Path to the output: " if number == 1 else f"The shortest of {number:,} paths to the output: "
    lines = [ExplanationLine("text", (TextRun("word", which), TextRun("math", " → ".join(names))))]
    return lines + _product_lines(partials, number) if len(partials) > 1 else lines


def _product_lines(partials: Sequence[float], number: int) -> list[ExplanationLine]:
    """The product of the local derivatives along one of `number` paths; of many those that are not 1."""
    told = [partial for partial in partials if partial != 1.0] if len(partials) >= MAX_PATH else partials
    told = told or partials[:1]
    left_out = " (but for those of 1)" if len(told) < len(partials) else ""
    factors = " × ".join([short(told[0]), *map(factor, told[1:])])
    product = equality(math.prod(map(shown, told)), math.prod(partials))
    runs = [
        TextRun("word", f"Local derivatives along it{left_out}: "),
        TextRun("number", f"{factors} {product}" if len(told) > 1 else factors),
    ]
    if number > 1:
        runs.append(TextRun("word", ", the part of the gradient that comes this way."))
    return [ExplanationLine("text", tuple(runs))]


def _slope_lines(value: Value, root: Value, check: GradientCheck | None) -> list[ExplanationLine]:
    if check is None:
        return []
    if not math.isfinite(check.central_difference):
        return [_text(f"Nudging {_name(value)} gives {_name(root)} no finite number: undefined here.")]
    lead = f"Nudging {_name(value)} up and down a little moves {_name(root)} with a slope of "
    digits = check.agreeing_digits
    agree = "agrees to every digit" if digits >= 16 else f"agrees to {digits} digit{'' if digits == 1 else 's'}"
    verdict = check.note if check.note.startswith("at a kink") else agree
    return [
        ExplanationLine(
            "text",
            (
                TextRun("word", lead),
                TextRun("number", short(check.central_difference)),
                TextRun("word", f": {verdict}."),
            ),
        )
    ]


def _name(value: Value) -> str:
    return grouped(name_of(value))


def _heading(before: str, number: str, after: str) -> ExplanationLine:
    return ExplanationLine("heading", (TextRun("word", before), TextRun("number", number), TextRun("word", after)))


def _formula(text: str, number: str = "") -> ExplanationLine:
    runs = (TextRun("math", text), TextRun("number", number)) if number else (TextRun("math", text),)
    return ExplanationLine("formula", runs)


def _text(text: str) -> ExplanationLine:
    return ExplanationLine("text", (TextRun("word", text),))
