"""Every number that Why? explains, beside the number in the box, and both beside what the program has in CPython.

    python -m tests.reliability.explained [PROGRAMS]

Random programs of scalars call `backward()` never, once or more often, on the last result or on earlier ones, leave
gradients as they are or set them to 0, update leaves, and overflow. Each is written with Gradstep's Value, with a
learner's own class and with torch. Compared are

- at the end, the numbers in the boxes with those that CPython has with the same class (only of the own class, which
  CPython can run as it is), and the gradients that a pass is said to have found and added with those in CPython;
- at the end, after every step of the walk and after some of the program's statements, the number in each box with the
  one that is explained, or that there is none with the explanation why; each equation between numbers of an explanation
  and of the walk with itself, and the last of an explanation with the number that it explains.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from engine.autograd import topological_order
from engine.autograd.naming import is_constant
from engine.autograd.notation import short
from engine.language import ProgramError, after_statements, evaluate
from engine.teaching.explanation import SENTENCES, Lines
from engine.views.graph_view import GraphView, show_expression
from engine.views.program_numbers import ROUND_OFF
from engine.views.questions import Question, QuestionExplainer
from engine.views.shown_walk import ShownWalk
from engine.views.update_rule import program_update
from tests.engine.language.own_engine.own_engine_cases import engine
from tests.equations import untrue

OWN = "own"
BEGINNINGS = {"built in": "", OWN: engine("closures") + "\n", "torch": "import torch\n"}
NUMBERS = (0.0, 1.0, -1.0, 2.0, 1e160, 1e200)
NOT_COMMUTATIVE = ("{a} - {b}", "{a} / ({b} * {b} + 1.0)", "({a} - {b})**2")
EXPRESSIONS = ("{a} * {b}", "{a} * {b}", "{a} + {b}", "{a}.tanh()", "{a} * {b} + {a}", "{a} + 2.0", *NOT_COMMUTATIVE)
LEARNING_RATE = 0.1


def _pattern(key: str) -> re.Pattern[str]:
    """The pattern of a sentence of `SENTENCES`, with a group `number` for the gradient that the sum below it gives."""
    groups = dict.fromkeys(("amount", "right"), r"(?P<number>[^\s:;,]+?)")
    names = dict.fromkeys(("name", "root"), ".+?")
    return re.compile(
        re.sub(r"[.()]", r"\\\g<0>", SENTENCES[key]).format(initial=r"(?P<initial>\S+)", **groups, **names)
    )


NOT_ZEROED = _pattern("not zeroed")
SENTENCES_BEFORE_SUM = *map(_pattern, ("not zeroed so far", "one pass", "of another pass", "not reached")), NOT_ZEROED
EVERY = 3
"""Each third of a program's statements is looked at."""


def random_program(seed: int, style: str) -> str:
    """Return a program without the beginning of its style; its values are called v0, v1, ..."""
    rng = Random(seed)
    lines, n_leaves = [], rng.randint(1, 4)
    for number in range(n_leaves):
        data = rng.choice((rng.uniform(-3.0, 3.0), rng.uniform(-3.0, 3.0), rng.choice(NUMBERS)))
        lines.append(
            f"v{number} = " + (f"torch.tensor({data}, requires_grad=True)" if style == "torch" else f"Value({data})")
        )
    names = [f"v{number}" for number in range(n_leaves)]

    def compute() -> None:
        expression = rng.choice(EXPRESSIONS).format(a=rng.choice(names), b=rng.choice(names))
        names.append(f"v{len(names)}")
        lines.append(f"{names[-1]} = {expression}")

    for _ in range(rng.randint(2, 6)):
        compute()
    for _ in range(rng.randint(0, 4)):
        kind, leaf = rng.random(), names[rng.randrange(n_leaves)]
        if kind < 0.45:
            lines.append(
                f"{rng.choice(names[-2:])}.backward()"
                if style != "torch"
                else f"{rng.choice(names[-2:])}.backward(retain_graph=True)"
            )
        elif kind < 0.6:
            lines.append(f"{leaf}.grad = " + ("None" if style == "torch" else "0.0"))
        elif kind < 0.75:
            lines.append(f"if {leaf}.grad is not None: {leaf}.data -= {LEARNING_RATE} * {leaf}.grad")
        else:
            compute()
    return "\n".join(lines) + "\n"


def differences(seed: int, style: str) -> Iterator[str]:
    """Yield a line for each number that differs; nothing for a program that fails."""
    body = random_program(seed, style)
    try:
        evaluation = evaluate(BEGINNINGS[style] + body, record=True)
    except ProgramError:
        return
    view, place = show_expression(evaluation), f"{style} {seed}"
    if style == OWN:
        yield from (f"{place}: {line}" for line in _beside_cpython(view, body))
    shown = ShownWalk(view, learning_rate=LEARNING_RATE)
    positions = range(len(shown.walk) + 1) if shown.walk is not None else ()
    for step in shown.walk.script if shown.walk is not None else ():
        told = "\n".join((step.sum_line, step.numbers, step.accumulation))
        yield from (f"{place}, told in the walk: {line}" for line in untrue(told))
    for position in (None, *positions):
        at = "at the end" if position is None else f"after step {position}"
        yield from (f"{place}, {at}: {line}" for line in _beside_boxes(view, shown, position))
    for number in range(1, len(evaluation.statements), EVERY):
        view = show_expression(after_statements(evaluation, number))
        at = f"after statement {number}"
        yield from (f"{place}, {at}: {line}" for line in _beside_boxes(view, ShownWalk(view), None))


def _beside_cpython(view: GraphView, body: str) -> Iterator[str]:
    """Compare with CPython the boxes, and what a pass is said to have found and added.

    Of a result that had no pass, the engine's own gradients are shown.
    """
    names, passes = _run(body)
    has_pass, of_root = view.program_gradients is not None, set(topological_order(view.root))
    for value in view.values:
        there = names.get(value.label)
        if there is None or value.label not in body:
            continue
        data, gradient = view.numbers(value)
        if data is not None and not _same(data, there.data):
            yield f"{value.label}.data is {data}, {there.data} in CPython"
        if (has_pass or value not in of_root) and not _same(gradient, there.grad):
            yield f"{value.label}.grad is {gradient}, {there.grad} in CPython"
        lines = QuestionExplainer().explain(Question(value, view)).why_grad
        for said in filter(None, (NOT_ZEROED.fullmatch(line.text) for line in lines)):
            if not any(_tells(said, *each) for name, *each in passes if name == value.label):
                yield f"{value.label}.grad: no pass in CPython found and added that: {said[0]}"


def _tells(said: re.Match[str], before: float, after: float) -> bool:
    """True where the sentence tells what a pass has found and added, which may be too little to change the gradient."""
    return said["initial"] == short(before) and (
        said["number"] == short(after - before) or before + _number(said["number"]) == after
    )


def _number(text: str) -> float:
    return float(text.replace("∞", "inf").replace("undefined", "nan"))


def _run(body: str) -> tuple[dict[str, Any], list[tuple[str, float, float]]]:
    """Run a program with the learner's class; return its names, and the gradients before and after each pass."""
    names: dict[str, Any] = {}
    passes: list[tuple[str, float, float]] = []
    exec(BEGINNINGS[OWN], names)  # this module's
    value_class = names["Value"]
    backward = value_class.backward

    def watched(root: Any) -> None:
        before = {name: each.grad for name, each in names.items() if isinstance(each, value_class)}
        backward(root)
        passes.extend((name, grad, names[name].grad) for name, grad in before.items())

    value_class.backward = watched
    exec(compile(body, "program", "exec"), names)
    return names, passes


def _beside_boxes(view: GraphView, shown: ShownWalk, position: int | None) -> Iterator[str]:
    """Compare the explanations with the boxes, at a position of the walk or at the end.

    Of data that follow from an undefined number no box shows anything, and the explanation tells what they come from.
    Where the gradients of passes cancel, the explanation may add them up to 0 and the program to what rounding leaves.
    Where data were changed and nothing was computed with them, the explanation says that it is of a new pass.
    """
    walk, explainer = shown.walk, QuestionExplainer()
    is_new_pass = view.program is not None and bool(view.program.data) and not view.program.is_before
    look_up = view.numbers
    if position is not None and walk is not None:
        look_up = walk.numbers_at(position, view.numbers_of_pass)
    elif program_update(view) is not None:
        position = shown.end
    for value in view.values:
        question = Question(value, view)
        if position is not None and walk is not None:
            zeroed, updated = walk.gradient(value, position) is not None, walk.updated(value, position)
            at = walk.position_in_passes(position)
            question = replace(question, position=at, zeroed=zeroed, updated=updated)
        explanation = explainer.explain(question)
        data, gradient = look_up(value)
        source = view.source_of(value)
        if is_new_pass and position is None and source is None:
            data = value.data
        for lines in (explanation.why_data, explanation.why_grad):
            yield from (f"{value.label}: {line}" for line in _untrue(lines))
        told = _told(explanation.why_data[0].text)
        if id(value) not in view.not_computed and told != _short(data):
            yield f"{value.label}.data is {data} in its box, {told} explained"
        told = _told(explanation.why_grad[0].text)
        is_round_off = told == "0" and gradient is not None and abs(gradient) <= ROUND_OFF
        if not is_constant(value) and told != _short(gradient) and not is_round_off:
            yield f"{value.label}.grad is {gradient} in its box, {told} explained"


def _untrue(lines: Lines) -> Iterator[str]:
    """Yield lines of an explanation that are not true, and a last sum that gives another number than it should."""
    for line in lines:
        yield from untrue(line.text)
    formulas = [line for line in lines if line.kind == "formula"]
    results = [run.text for line in formulas for run in line.runs if run.kind == "number"]
    said = [found["number"] for line in lines for each in SENTENCES_BEFORE_SUM if (found := each.fullmatch(line.text))]
    expected = said[-1] if said else _told(lines[0].text)
    if expected is not None and results:
        result = results[-1].lstrip("=≈ ")
        one, other = _number(result), _number(expected)
        if not (math.isclose(one, other, rel_tol=5e-4, abs_tol=1e-4) or (one != one and other != other)):
            yield f"{formulas[-1].text} should give {expected}"


def _short(number: Any) -> str | None:
    return None if number is None else short(number)


def _told(question: str) -> str | None:
    """Return the number that a question is about; None where it asks why there is none."""
    found = re.fullmatch(r"Why is .*\.(?:data|grad) = (.*?)(?: so far)?\?", question)
    return found[1] if found and found[1] != "None" else None


def _same(one: Any, other: float) -> bool:
    return one is not None and (
        one == other or (one != one and other != other) or math.isclose(one, other, rel_tol=1e-9)
    )


def main() -> int:
    """Compare as many programs as are asked for in each style; print what differs, and return 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.explained", description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    options = parser.parse_args()
    found = 0
    for seed in range(options.seed, options.seed + options.programs):
        for style in BEGINNINGS:
            for line in differences(seed, style):
                print(line, flush=True)
                found += 1
    print(f"{options.programs} programs in {len(BEGINNINGS)} styles: {found} numbers differ")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
