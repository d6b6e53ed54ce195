"""Judgement of the backward pass of a learner's own engine: its seed, its order, what it keeps and what was left over.

The rules of the engine are judged one by one (`engine_check.py`). When they are right and the gradients of the program
are not those of its graph, it is the pass.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.autograd.backward import pull_back, run_backward, topological_order
from engine.autograd.value import Value
from engine.language.engine_rows import EngineCheckRow, number_text
from engine.language.known_operations import is_unknown
from engine.messages import visible


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward pass of the program.

    Attributes:
        values: the graph after it, with the gradients that it gave, the root last.
        number: from 1.
        before: gradients that were there before it, by the number of the value.
        left_over: gradients of values that were updated since the pass before without being zeroed.
        names: names of the values in the program, by their numbers.
        sure: the right derivatives of all its operations are known.
        seed: a number that it was given, likely for the gradient of its output, and the name of the parameter; None
            without one.
        constants: leaves that have no gradient on purpose, by their numbers.
        keeps_inputs: values hold their inputs in attributes, where a pass can find them, not only in closures.
    """

    values: Sequence[Value]
    number: int
    before: Mapping[int, float]
    left_over: Mapping[int, float]
    names: Mapping[int, str]
    sure: bool = True
    seed: tuple[float, str] | None = None
    constants: frozenset[int] = frozenset()
    keeps_inputs: bool = True


def right_gradients(values: Sequence[Value], root: Value) -> dict[Value, Any]:
    """Return the gradients of a root by the engine's own rules; the values keep those that they have."""
    below = topological_order(root)  # exponents, too, which are none of the learner's values
    kept = {value: value.known_grad for value in (*values, *below)}
    for value in kept:
        value.grad = None
    try:
        run_backward(root)
        return {value: value.known_grad for value in values if value.known_grad is not None}
    except (ArithmeticError, ValueError, TypeError):
        return {}
    finally:
        for value, grad in kept.items():
            value.grad = grad


def cycle_row(value: Value, backward: Sequence[Any] | None) -> EngineCheckRow:
    """Return the row for values whose inputs lead back to them."""
    name, line = (visible(str(backward[0]), 60), int(backward[1])) if backward else ("backward", 1)
    called = value.label or "a value"
    return EngineCheckRow(name, line, None, None, False, _CYCLE.format(called), called, value, of_pass=True)


def pass_row(
    passes: Sequence[Pass],
    backward: Sequence[Any] | None,
    rules_right: bool,
    sure: bool,
    alone: bool,
    in_place: bool,
) -> EngineCheckRow | None:
    """Return the mistake of the first wrong pass.

    Args:
        passes: of the run.
        backward: name and line of the pass.
        rules_right: no rule was found wrong.
        sure: all rules were compared.
        alone: the rules stand apart from the pass, so that they could be asked for any upstream gradient.
        in_place: the rules add to the gradients themselves, so that no pass can leave a contribution out.
    """
    name, line = (visible(str(backward[0]), 60), int(backward[1])) if backward else ("backward", 1)
    row = EngineCheckRow(name, line, None, None, False, of_pass=True)
    return next(filter(None, (_problem_of(one, row, rules_right, sure, alone, in_place) for one in passes)), None)


def _problem_of(
    one: Pass, row: EngineCheckRow, rules_right: bool, sure: bool, alone: bool, in_place: bool
) -> EngineCheckRow | None:
    if one.left_over:
        number, grad = next(iter(one.left_over.items()))
        called = one.names.get(number) or one.values[number].label or "a parameter"
        message = _NOT_ZEROED.format(one.number - 1, one.number, called, number_text(grad), row.op)
        return replace(row, expected=0.0, given=grad, message=message, input=called)
    root = one.values[-1] if one.values else None
    if root is None or not root.inputs or root.data.__class__ is not float or one.before:
        return None
    numbers = {value: 0.0 if value.known_grad is None else value.known_grad for value in one.values}
    if any(number.__class__ is not float for number in numbers.values()):
        return None
    right = right_gradients(one.values, root)
    if not right or not all(grad.__class__ is float and math.isfinite(grad) for grad in right.values()):
        return None
    if not any(numbers.values()):
        has_gradients = any(value.known_grad is not None for value in one.values)
        is_wrong = has_gradients and any(grad for value, grad in right.items() if value is not root)
        return replace(row, expected=1.0, given=0.0, message=_NO_SEED.format(row.op, row.line)) if is_wrong else None
    if rules_right and one.sure and not any(_is_at_kink(value) or is_unknown(value) for value in one.values):
        return _order_problem(one, row, numbers, right, sure, alone, in_place)
    return None


def _order_problem(
    one: Pass,
    row: EngineCheckRow,
    numbers: Mapping[Value, float],
    right: Mapping[Value, float],
    sure: bool,
    alone: bool,
    in_place: bool,
) -> EngineCheckRow | None:
    root, seed = one.values[-1], numbers[one.values[-1]]
    wanted, parameter = one.seed or (1.0, "")
    if not parameter.lower().startswith(_SEED_NAMES):
        if one.seed is not None and _near(seed, wanted):
            right = {value: wanted * grad for value, grad in right.items()}
        wanted = 1.0
    elif wanted != 1.0:
        right = {value: wanted * grad for value, grad in right.items()}
    places = {value: number for number, value in enumerate(one.values)}
    wrong = [
        value
        for value, grad in right.items()
        if not _near(numbers[value], grad) and (numbers[value] or not _is_constant(value, places[value], one))
    ]
    leaves = [value for value in right if not value.inputs]
    given_up = all(value.inputs and not numbers[value] for value in wrong) and any(numbers[leaf] for leaf in leaves)
    if not wrong or given_up:
        return None  # gradients that nobody needs after the pass are given up
    factor = seed / right[root] if right.get(root) else 0.0
    if factor and not _near(factor, 1.0) and all(_near(numbers[value], factor * grad) for value, grad in right.items()):
        words = _OTHER_SEED if wanted != 1.0 else _WRONG_SEED
        message = words.format(row.op, row.line, number_text(seed), number_text(wanted))
        return replace(row, expected=wanted, given=seed, message=message)
    named = [value for value in wrong if value.label or places[value] in one.names]
    value = named[0] if named else wrong[0]
    called = value.label or one.names.get(places[value], "")
    grad = f"{called}.grad" if called else "the gradient of a computed value"
    amounts = number_text(numbers[value]), number_text(right[value])
    reverse = _is_not_reversed(one.values, numbers)
    uses = _uses(one.values)
    kept = {each: "" if in_place else _kept(each, uses[each], numbers) for each in wrong}
    kept_one = kept[value] == "one" and (not reverse or all(kept.values()))
    if sure and not any(numbers[each] for each in one.values[:-1]):
        message = _NONE_PASSED.format(row.op, row.line, grad, *amounts)
    elif sure and reverse and not one.keeps_inputs:
        message = _INPUTS_NOT_FOUND.format(row.op, row.line, grad, *amounts)
    elif not sure or not (reverse or kept_one or _may_be_order(wrong, one.values, uses, numbers)):
        message = _PASS_WRONG.format(row.op, row.line, grad, *amounts)
    elif kept[value] == "one" and not reverse:
        message = _PASS_REPLACES.format(row.op, row.line, called or "a value", *amounts, grad)
    elif (kept[value] == "one" and all(kept.values())) or not (alone or reverse):
        message = _PASS_EITHER.format(row.op, row.line, grad, *amounts)
    elif reverse:
        message = _ONLY_OUTPUT.format(row.op, row.line, grad, *amounts)
    else:
        message = _ORDER.format(row.op, row.line, grad, *amounts)
    return replace(row, expected=right[value], given=numbers[value], message=message, input=called, value=None)


def _is_at_kink(value: Value) -> bool:
    """Return True where several gradients are right, and the table has chosen one."""
    op = value.op
    if op is None or not op.kink or not op.elementwise or len(value.inputs) != len(op.arguments):
        return False
    return bool(op.distance_to_kink(*(source.data for source in value.inputs)) == 0.0)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-5 * max(1.0, min(abs(a), abs(b)))


def _is_constant(value: Value, place: int, one: Pass) -> bool:
    """Return True for a leaf whose gradient is of no interest, as that of a number in a formula."""
    return not value.inputs and (place in one.constants or not (value.label or one.names.get(place)))


def _uses(values: Sequence[Value]) -> dict[Value, list[tuple[Value, float]]]:
    """Return for each value its consumers, and their derivatives by it."""
    found: dict[Value, list[tuple[Value, float]]] = defaultdict(list)
    for out in values:
        for source, slope in local_derivatives(out).items() if out.op is not None else ():
            found[source].append((out, slope))
    return found


def _kept(value: Value, uses: Sequence[tuple[Value, float]], numbers: Mapping[Value, float]) -> str:
    """Return which of the contributions of its consumers, with the gradients that these have, a value has.

    Returns:
        "all", "one" or "" for neither.
    """
    if _near(numbers[value], sum(slope * numbers[out] for out, slope in uses)):
        return "all"
    parts = [slope * numbers[out] / out.inputs.count(value) for out, slope in uses]
    return "one" if any(part and _near(numbers[value], part) for part in parts) else ""


def _may_be_order(
    wrong: Sequence[Value],
    values: Sequence[Value],
    uses: Mapping[Value, Sequence[tuple[Value, float]]],
    numbers: Mapping[Value, float],
) -> bool:
    """Return True where values that pass on what they have before all of it has arrived may give these gradients.

    Each contribution to a value is then made from parts of the contributions to its consumer, once or several times.
    """
    possible: dict[Value, set[float]] = {values[-1]: {numbers[values[-1]]}}
    n_sums = 0
    for value in reversed(values[:-1]):
        sums = {0.0}
        for out, slope in uses[value]:
            for given in possible.get(out, ()):
                sums |= {have + slope * given for have in sums}
                if (n_sums := n_sums + len(sums)) > _MOST_SUMS:
                    return True
        possible[value] = sums
    return all(any(_near(numbers[value], each) for each in possible[value]) for value in wrong)


_MOST_SUMS = 100_000
"""Sums that are tried; where there are more, a wrong order may give any gradients."""


def _is_not_reversed(values: Sequence[Value], numbers: Mapping[Value, float]) -> bool:
    """Return True when only the root passed a gradient on: the others were visited before anything had arrived."""
    root = values[-1]
    slopes = local_derivatives(root)
    return all(_near(numbers[value], 1.0 if value is root else slopes.get(value, 0.0)) for value in values)


def local_derivatives(value: Value) -> dict[Value, float]:
    """Return the derivatives of a number by its inputs; an input that is used twice has the sum."""
    nodes = [value, *dict.fromkeys(value.inputs)]
    kept = [node.known_grad for node in nodes]
    try:
        for node in nodes:
            node.grad = 0.0
        value.grad = 1.0
        pull_back(value)
        return {node: node.grad for node in nodes[1:]}
    finally:
        for node, grad in zip(nodes, kept, strict=True):
            node.grad = grad


_CYCLE = (
    "The inputs of {0} lead back to {0} itself: such values have no order, and no gradient. A rule that is kept by an "
    "input instead of by the result does that, too"
)
_NO_SEED = (
    "{0}, line {1}: all gradients are 0.0 at its end: the output does not have its own 1.0 when the rules run, or "
    "gradients are set to 0.0 afterwards"
)
_WRONG_SEED = "{0}, line {1}, gives the output the gradient {2}; the gradient of a value with respect to itself is 1.0"
_OTHER_SEED = "{0}, line {1}, gives the output the gradient {2}, although it was called with {3}"
_SEED_NAMES = ("seed", "g", "up", "d_out", "dout", "dy", "dl", "out_g", "output_g", "adj", "bar", "cotangent", "start")
"""First letters of names that parameters for the gradient of the output have."""
_NOT_ZEROED = (
    "the gradients of step {0} are still there in step {1}: {2}.grad was {3} before {4} ran again; set every "
    "gradient to 0.0 before each backward pass"
)
_ORDER = (
    "{0}, line {1}: every rule is right, the order is not: a value passes its gradient on before it has received all "
    "of it, or more than once ({2} is {3} and should be {4})"
)
_NONE_PASSED = (
    "{0}, line {1}: every rule is right, but only the output has a gradient at the end ({2} is {3} and should be {4}): "
    "no rule is called after the output has got its own 1.0, none finds its inputs, or gradients are set to 0.0 later"
)
_ONLY_OUTPUT = (
    "{0}, line {1}: every rule is right, but only the output has passed its gradient on ({2} is {3} and should be "
    "{4}): either the pass calls no other rule, or the order has to be reversed, from the output back to the inputs"
)
_INPUTS_NOT_FOUND = (
    "{0}, line {1}: every rule is right, but only the output has passed its gradient on ({2} is {3} and should be "
    "{4}): the pass does not find the inputs, which no attribute of a value holds, or it visits them too early"
)
_PASS_REPLACES = (
    "{0}, line {1}: every rule is right, but {2}, which is used more than once, keeps only one contribution: {5} is "
    "{3} and should be {4}; += keeps every one"
)
_PASS_EITHER = (
    "{0}, line {1}: {2} is {3} and should be {4}: either = keeps only the last contribution where += keeps every one, "
    "or the values are not visited from the output back to the inputs"
)
_PASS_WRONG = "{0}, line {1}: {2} is {3} and should be {4}"
