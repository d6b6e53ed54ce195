"""Why this data, why this grad: the chain rule at one node in words, with names and with the numbers put in.

All rules come from the table of operations and all numbers from the graph. An equals sign appears only where the
displayed numbers give the displayed result (`≈` elsewhere). A local derivative, of one operation by one operand, is
written with ∂; the derivative over all paths to the root, which is the gradient, with d. On a walk through both passes
only values computed so far are explained; `explain_walk.py` covers the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.autograd.backward import topological_order
from engine.autograd.check import NOT_COMPARED, GradientCheck, check_value
from engine.autograd.contributions import Contribution, local_derivative
from engine.autograd.data import ValueDataError
from engine.autograd.naming import grouped_name, is_constant, name_of
from engine.autograd.notation import counted, product_text, short, sum_text
from engine.autograd.problems import problem_of, scalar_problem
from engine.autograd.replay import Replay, Use, is_older_than_inputs
from engine.autograd.value import Value
from engine.teaching.explain_terms import contribution_lines, sum_lines
from engine.teaching.explain_walk import WalkProgress
from engine.teaching.explanation import (
    Explanation,
    ExplanationLine,
    Lines,
    TextRun,
    formula,
    heading,
    plain,
    sentence,
    total_run,
)
from engine.teaching.walk import SET_LATER, ProgramGradients, Walk
from engine.teaching.wording import in_names, numbers_and_result, statement

COMPARED_DIGITS = 12
"""Significant digits of a number that a gradient is compared with."""
MAX_PATH = 10
ENDS_OF_PATH = 4


class Explainer:
    """Explains values of one graph, any number of times.

    The graph's structure is analysed once; the numbers are read again for each explanation, and only the values between
    the explained value and the root are computed.

    Attributes:
        root: the value differentiated.
    """

    def __init__(self, root: Value, program: ProgramGradients | None = None) -> None:
        """Analyse the structure.

        Args:
            root: the value differentiated.
            program: gradients that the program has; None where the engine has computed them.

        Raises:
            ValueDataError: when the root is an array.
        """
        if root.data.__class__ is not float:
            raise ValueDataError(f"explanations start at a single number; this value has the shape {root.shape}")
        self.root = root
        self._program = program
        self._replay = Replay(root)

    def explain(self, value: Value, walk: Walk | None = None, position: int = -1) -> Explanation:
        """Explain one value; reads data only, never `grad`.

        Args:
            value: any value; outside the graph of the root its gradient is 0.
            walk: a walk through the graph of the root; None: everything is computed.
            position: number of sub-steps done; below 0 all of them.
        """
        self._replay.read()
        progress = WalkProgress(value, walk, position) if walk is not None and position >= 0 and value in walk else None
        downstream = self._replay.downstream([value])
        terms = tuple(self._replay.contributions_to(value, downstream))
        if progress is None or progress.complete:
            return self._whole(value, terms, downstream, progress)
        return _unfinished(self.root, value, terms[: len(progress.arrived)], progress)

    def _whole(
        self,
        value: Value,
        terms: tuple[Contribution, ...],
        downstream: Sequence[int],
        progress: WalkProgress | None,
    ) -> Explanation:
        """Explanation of a value whose gradient is complete."""
        path = self._replay.shortest_path(value)
        root, (nodes, partials) = self.root, self._values_and_partials(value, path)
        gradient = sum((term.amount for term in terms), 1.0 if value is root else 0.0)
        program = self._program if progress is None else progress.program
        has_pass = program is not None or progress is not None
        why_grad, check = _no_gradient_lines(value, root, has_pass), None
        if nodes and value.data.__class__ is float and not (is_constant(value) and path):
            check = check_value(root, value, self._replay, float(gradient))
        if not why_grad:
            number = self._replay.number_of_paths(value, downstream)
            why_grad = (
                *_question_of_program(value, root, gradient, program),
                *_gradient_lines(value, root, terms, gradient),
                *_path_lines(nodes, partials, number),
                *self._slope_lines(value, check),
            )
        why_step = progress.step_lines() if progress is not None else ()
        return Explanation(value, root, why_step, data_lines(value, progress), why_grad, gradient, check)

    def _values_and_partials(self, value: Value, path: Sequence[Use]) -> tuple[tuple[Value, ...], tuple[float, ...]]:
        """The values on a path to the root, both ends included, and the local derivatives along it."""
        nodes = (value, *(node for node, _index in path)) if path or value is self.root else ()
        scalar = all(source.data.__class__ is float for node in nodes[1:] for source in node.inputs)
        return nodes, tuple(local_derivative(*use) for use in path) if scalar else ()

    def _slope_lines(self, value: Value, check: GradientCheck | None) -> Lines:
        if check is None:
            return ()
        if not math.isfinite(self.root.data):
            return () if value is self.root else _no_effect_lines(value, self.root)
        if not check.defined:
            return (self._why_no_slope(value, check),)
        lead = f"Nudging {grouped_name(value)} up and down a little moves {grouped_name(self.root)} with a slope of "
        verdict = check.note if check.note not in ("", "constant") else _agreement(check.agreeing_digits)
        lines = [_compared(lead, check.central_difference, verdict)]
        if check.complex_step is not None:
            lead = "A complex step, which subtracts nothing, gives "
            lines.append(_compared(lead, check.complex_step, _agreement(check.digits_of_complex_step)))
        return tuple(lines)

    def _why_no_slope(self, value: Value, check: GradientCheck) -> ExplanationLine:
        """The operation that has no result when the value is nudged, and the side of the nudge."""
        if not check.is_compared:
            return sentence("not compared", why=check.note.removeprefix(NOT_COMPARED))
        path, nudge = self._replay.downstream([value]), 1e-6 * max(1.0, abs(value.data))
        for side, change in (("smaller", -nudge), ("larger", nudge)):
            for node, datas, data in self._replay.data_of({value: value.data + change}, path):
                problem = None if node.op is None or math.isfinite(data) else scalar_problem(node.op, datas, data)
                if problem is not None:
                    names = {"name": grouped_name(value), "node": in_names(node), "side": side, "problem": problem}
                    return sentence("undefined nearby", **names)
        return sentence("undefined slope", name=grouped_name(value), root=grouped_name(self.root), why=check.note)


def _compared(lead: str, number: float, verdict: str) -> ExplanationLine:
    """A line with the reference of a gradient, with enough digits to show the difference."""
    runs = TextRun("word", lead), TextRun("number", f"{number:.{COMPARED_DIGITS}g}"), TextRun("word", f": {verdict}.")
    return ExplanationLine("text", runs)


def _agreement(digits: int) -> str:
    return "agrees to every digit" if digits >= 16 else f"agrees to {counted(digits, 'digit')}"


def _unfinished(root: Value, value: Value, terms: tuple[Contribution, ...], progress: WalkProgress) -> Explanation:
    """Return the explanation at a step of a walk at which some contributions to the gradient have not arrived."""
    name, gradient, why_grad = grouped_name(value), None, progress.missing_grad_lines()
    initial = progress.program.initial.get(value) if progress.program is not None else None
    if terms:
        amount = sum((term.amount for term in terms), 0.0)
        gradient = amount if initial is None else initial + amount
        left = f"{name}.grad so far" if initial is None else "added so far"
        why_grad = (
            heading(f"Why is {name}.grad = ", short(gradient), " so far?"),
            *_not_zeroed_lines("not zeroed so far", name, initial, amount, gradient),
            *contribution_lines(root, terms),
            *sum_lines(left, root, terms, amount),
            progress.so_far_line(amount),
        )
    elif initial is not None:
        gradient, question = initial, heading(f"Why is {name}.grad = ", short(initial), " so far?")
        why_grad = question, sentence("left over"), *why_grad[1:]
    return Explanation(value, root, progress.step_lines(), data_lines(value, progress), why_grad, gradient, None)


def data_lines(value: Value, progress: WalkProgress | None = None) -> Lines:
    """Return why a value has its data, or why it has none yet on a walk."""
    if progress is not None and not progress.data_known:
        return progress.missing_data_lines()
    first = heading(f"Why is {grouped_name(value)}.data = ", short(value.data), "?")
    if value.op is None:
        return (first, sentence("constant" if is_constant(value) else "leaf", name=name_of(value)))
    names = in_names(value)
    lines = [first, formula(statement(value, names))]
    if is_older_than_inputs(value):
        lines.append(sentence("data changed"))
    else:
        numbers, result = numbers_and_result(value)
        lines.append(formula(number=result) if names == numbers else formula(f"= {numbers} ", number=result))
    return (*lines, *_problem_lines(value))


def _problem_lines(value: Value) -> list[ExplanationLine]:
    """A line on the problem that began at this value, or on its origin."""
    problem = problem_of(value)
    if problem:
        return [sentence("problem here", problem=problem)]
    origin = None if np.isfinite(value.data).all() else _first_problem(value)
    if origin is None:
        return []
    return [sentence("problem before", name=grouped_name(origin), problem=problem_of(origin))]


def _first_problem(value: Value) -> Value | None:
    return next((past for past in topological_order(value) if problem_of(past)), None)


def _no_gradient_lines(value: Value, root: Value, has_pass: bool) -> Lines:
    """Reason for a missing gradient: the value is a number in a formula, or the root is not finite; () otherwise.

    Where a program or a walk has made a pass from a root that is not finite, there are gradients all the same.
    """
    first = heading(f"Why does {grouped_name(value)} have no grad?")
    if not math.isfinite(root.data) and not has_pass:
        return (first, *_no_effect_lines(value, root))
    if is_constant(value) and value is not root:
        return (first, sentence("constant has no grad", name=grouped_name(value)))
    return ()


def _no_effect_lines(value: Value, root: Value) -> Lines:
    """Say that a change has no defined effect on a root that is not finite, and where the problem began."""
    which = "root is not a number" if root.data != root.data else "root is infinite"
    return (sentence(which, root=grouped_name(root), name=grouped_name(value)), *_problem_lines(root))


def _question_of_program(value: Value, root: Value, gradient: Any, program: ProgramGradients | None) -> Lines:
    """The question about a gradient, and how the program's gradient differs from that of one pass."""
    name, gradients = grouped_name(value), program or ProgramGradients()
    initial, given = gradients.initial.get(value), {**gradients.overrides, **gradients.later}
    not_reached = sentence("not reached", name=name, root=grouped_name(root), right=short(gradient))
    if not gradients.is_pass and value not in given and initial is None:
        return heading(f"Why does {name} have no grad?"), not_reached
    if value in given:
        note, has = SET_LATER if value in gradients.later else gradients.note, given[value]
        lines = heading(f"Why is {name}.grad = ", "None" if has is None else short(has), "?"), plain(note)
        return (*lines, sentence("one pass", right=short(gradient)))
    if initial is None:
        return (heading(f"Why is {name}.grad = ", short(gradient), "?"),)
    if not gradients.is_pass:
        question = heading(f"Why is {name}.grad = ", short(initial), "?")
        return question, sentence("of another pass", right=short(gradient)) if np.any(initial) else not_reached
    total = initial + gradient
    return (
        heading(f"Why is {name}.grad = ", short(total), "?"),
        *_not_zeroed_lines("not zeroed", name, initial, gradient, total),
    )


def _not_zeroed_lines(which: str, name: str, initial: Any, amount: Any, total: Any) -> Lines:
    """Return a sentence and the sum for a gradient from before the pass, which was not zeroed; () for none.

    Args:
        which: the key of the sentence.
        name: of the value.
        initial: gradient before the pass; None: there was none.
        amount: that the pass has added.
        total: of both.
    """
    if initial is None:
        return ()
    words = sentence(which, name=name, initial=short(initial), amount=short(amount))
    if total.__class__ is not float:
        return (words,)
    terms, result = sum_text((initial, amount), total)
    return words, formula(f"{name}.grad = {terms} ", number=result)


def _gradient_lines(value: Value, root: Value, terms: Sequence[Contribution], gradient: Any) -> list[ExplanationLine]:
    if value is root and not terms:
        return [formula(total_run(root, root), " = ", number="1"), sentence("root is 1")]
    if not terms:
        return [sentence("not used", root=grouped_name(root), name=grouped_name(value))]
    lines = contribution_lines(root, terms)
    lines += sum_lines(total_run(root, value), root, terms, gradient)
    if len(terms) > 1:
        lines.append(sentence("used often", name=grouped_name(value), times=len(terms)))
    rules = dict.fromkeys(term.node.op.rule for term in terms if term.node.op is not None)
    lines += map(plain, rules)
    if all(term.partial is not None for term in terms):
        lines.append(sentence("two symbols", root=grouped_name(root)))
    return lines


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
    """Product of the local derivatives along one of `number` paths; of a long path only factors other than 1."""
    factors_shown = [partial for partial in partials if partial != 1.0] if len(partials) >= MAX_PATH else partials
    factors_shown = factors_shown or partials[:1]
    left_out = " (except factors of 1)" if len(factors_shown) < len(partials) else ""
    factors, product = product_text(factors_shown, math.prod(partials))
    runs = [
        TextRun("word", f"Local derivatives along it{left_out}: "),
        TextRun("number", f"{factors} {product}" if len(factors_shown) > 1 else factors),
    ]
    if number > 1:
        runs.append(TextRun("word", ". This is the part of the gradient that flows along this path."))
    return [ExplanationLine("text", tuple(runs))]
