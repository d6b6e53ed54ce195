"""Judgement of an engine of the learner's own, in words: its rules one by one, then its backward pass.

The judge in the sandbox (`guest/judge.py`) has compared each rule with finite differences of the learner's own forward
method. Here its numbers become rows with sentences: method, line, input, the gradient given and the right one, and the
likely mistake. Operations of the table are recognised only to name the formula. When every rule is right and
the gradients are not, it is the pass: its seed, its order, `=` for `+=`, or gradients left over from the pass before.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.autograd.backward import pull_back, run_backward
from engine.autograd.formula import letters as letters_of
from engine.autograd.ops import OPS
from engine.autograd.value import Value
from engine.language.known_operations import Recognised, close, formula_text, is_unknown, partial_text, recognise
from engine.messages import visible

NO_RULE = "its rule was not found"
"""Reason that the judge gives for a result that passes nothing on."""
_NAME = re.compile(r"[^\W\d][\w.\[\]'\"]*$")


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


def check_engine(
    judged: Mapping[str, Any],
    values: Sequence[Value],
    root: Value | None,
    passes: Sequence[Pass],
) -> tuple[EngineCheckRow, ...]:
    """Return the judgement of the learner's own engine: a row for each rule, then rows for its backward pass.

    Args:
        judged: report of the judge.
        values: of the graph that the program has at its end.
        root: start of the last backward pass.
        passes: backward passes of the run.
    """
    rules = _Rules(values, root)
    by_rule: dict[tuple[Any, ...], list[tuple[Mapping[str, Any], int]]] = {}
    rows: list[EngineCheckRow] = []
    faults: list[EngineCheckRow] = []
    for case in judged["cases"]:
        if "operator" in case:
            faults.append(rules.operator_row(case))
        for position, entry in enumerate(case["inputs"]):
            by_rule.setdefault((case["kind"], case["first"], case["method"], entry["name"]), []).append(
                (case, position)
            )
        if case["reason"] == NO_RULE and judged["backward"] is None:
            continue  # an engine that does not have a backward pass yet
        if case["unlinked"] or (not case["inputs"] and (case["error"] or case["reason"])):
            by_rule.setdefault((case["kind"], case["first"], case["method"], ""), []).append((case, -1))
    for applications in by_rule.values():
        found = [rules.row(case, position) for case, position in applications]
        wrong = [row for row in found if not row.ok]
        remarks = [row for row in found if row.message]
        rows.append(next((row for row in wrong if row.value is not None), (wrong or remarks or found)[0]))
    rows += [row for row in faults if all((row.line, row.expected) != (one.line, one.expected) for one in rows)]
    if any(case["form"] == "forward" for case in judged["cases"]):
        name, line = judged["cases"][0]["kind"].partition(".")[0], judged["cases"][0]["first"]
        rows.append(EngineCheckRow(name, line, None, None, True, _FORWARD_MODE, of_pass=True))
    rules_right = all(row.ok for row in rows)
    sure = rules_right and not any(case["reason"] for case in judged["cases"])
    alone = all(case["form"] != "pass" for case in judged["cases"])
    pass_row = _pass_row(passes, judged.get("backward"), rules_right, sure, alone)
    return (*rows, pass_row) if pass_row is not None else tuple(rows)


def cycle_row(value: Value, backward: Sequence[Any] | None) -> EngineCheckRow:
    """Return the row for values whose inputs lead back to them."""
    name, line = (visible(str(backward[0]), 60), int(backward[1])) if backward else ("backward", 1)
    called = value.label or "a value"
    return EngineCheckRow(name, line, None, None, False, _CYCLE.format(called), called, value, of_pass=True)


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
    """

    values: Sequence[Value]
    number: int
    before: Mapping[int, float]
    left_over: Mapping[int, float]
    names: Mapping[int, str]
    sure: bool = True
    seed: tuple[float, str] | None = None
    constants: frozenset[int] = frozenset()


def right_gradients(values: Sequence[Value], root: Value) -> dict[Value, Any]:
    """Return the gradients of a root by the engine's own rules; the values keep those that they have."""
    kept = [value.known_grad for value in values]
    for value in values:
        value.grad = None
    try:
        run_backward(root)
        return {value: value.known_grad for value in values if value.known_grad is not None}
    except (ArithmeticError, ValueError, TypeError):
        return {}
    finally:
        for value, grad in zip(values, kept, strict=True):
            value.grad = grad


class _Rules:
    """Writes the judge's findings on rules as rows."""

    def __init__(self, values: Sequence[Value], root: Value | None) -> None:
        self._values = values
        self._uses = Counter(source for value in values for source in value.inputs)
        self._right = right_gradients(values, root) if root is not None and root.data.__class__ is float else {}

    def row(self, case: Mapping[str, Any], position: int) -> EngineCheckRow:
        """Return the row of one application of a rule, for one of its inputs."""
        value = self._values[case["node"]] if 0 <= case["node"] < len(self._values) else None
        op = visible(case["op"] or case["method"], 40)
        line = int(case["line"])
        row = EngineCheckRow(op, line, None, None, True, value=value)
        method = visible(case["method"], 60)
        if case["error"]:
            return replace(row, ok=False, message=_raised(method, line, visible(case["error"], 200)))
        if position < 0 and case["unlinked"]:
            name = visible(case["unlinked"], 40)
            return replace(row, ok=False, input=name, message=_UNLINKED.format(method, line, name))
        if position < 0:
            return replace(row, message=_NOT_COMPARED.format(method, line, visible(case["reason"], 160)))
        entry = case["inputs"][position]
        line = int(entry["line"] or case.get("rule_line") or line)
        application = _Application(
            case, position, method, line, self._operand(entry), [self._operand(each) for each in case["inputs"]]
        )
        operation = application.recognised()
        if operation is not None:
            row = replace(row, op=operation.op.name)
        if entry["given"] is None:
            shapes = [tuple(shape) for shape in entry["shapes"] or ((), ())]
            message = _SHAPE.format(method, line, application.name, *shapes)
            return replace(row, ok=False, line=line, message=message, input=application.name)
        if entry["unasked"]:
            return replace(row, expected=0.0, given=0.0, message=_UNASKED.format(method, line, application.name))
        upstream = self._right.get(value, 1.0) if value is not None else 1.0
        if upstream.__class__ is not float or not math.isfinite(upstream) or upstream == 0.0:
            upstream = 1.0  # the true gradient of the value is of no use here
        exact = application.exact(operation)
        amounts = replace(
            row, expected=exact * upstream + 0.0, given=entry["given"] * (upstream if application.scales else 1) + 0.0
        )
        right = application.right
        replaces = application.scales and not application.adds and entry["given"] != 0.0
        if replaces and (right or entry["times"] > 1):
            return self._replaces(replace(amounts, line=line), application, entry, right)
        if right and entry["together"]:
            total, expected = map(number_text, entry["together"])
            names = " and ".join(self._operand(other) for other in case["inputs"] if other["together"])
            message = _TOGETHER.format(method, line, names, total, expected)
            return replace(amounts, ok=False, line=line, input=application.name, message=message)
        if right and not application.proportional:
            message = _NOT_PROPORTIONAL.format(method, line, application.name, number_text(entry["given"]))
            return replace(
                amounts, ok=False, line=line, input=application.name, message=message,
                expected=exact + 0.0, given=entry["given"] + 0.0,
            )  # fmt: skip
        if not right and application.scales and entry["choice"]:
            words = _STRAIGHT_THROUGH if entry["choice"] == "steps" else _HANDED_ON
            given = number_text(amounts.given or 0.0)
            return replace(amounts, line=line, message=words.format(method, line, application.name, given))
        if not right or not application.scales:
            missed = application.missed_forward(operation)
            if missed:
                return replace(
                    amounts, ok=False, line=int(case["first"]), message=missed[0], expected=missed[1], given=case["y"]
                )
            return application.wrong(replace(amounts, line=line), operation, upstream)
        if entry.get("lost"):
            return replace(amounts, message=_SET.format(method, line))
        return amounts

    def operator_row(self, case: Mapping[str, Any]) -> EngineCheckRow:
        """Return the row of one of Python's operators that computes another operation."""
        value = self._values[case["node"]] if 0 <= case["node"] < len(self._values) else None
        method, line, data = visible(case["method"], 60), int(case["first"]), visible(str(case["attributes"][0]), 40)
        texts = []
        for number, name, plain in case["operands"]:
            if number is not None:
                texts.append(f"{self._operand({'node': number, 'name': name})}.{data}")
            else:  # not one of the engine's objects: a number, or an array
                texts.append(visible(str(name), 40) if plain is None else number_text(plain))
        op = OPS[_TABLE_NAMES.get(case["operator"], case["operator"])]
        formula = _OPERATORS[case["operator"]].format(*texts)
        expected, given = case["right"], case["y"]
        if expected is None or given is None:  # arrays
            return EngineCheckRow(
                op.name, line, None, None, False, _COMPUTES.format(method, line, formula), value=value
            )
        message = _FORWARD.format(method, line, number_text(given), formula, number_text(expected))
        return EngineCheckRow(op.name, line, expected, given, False, message, value=value)

    def _replaces(
        self, row: EngineCheckRow, application: _Application, entry: Mapping[str, Any], right: bool
    ) -> EngineCheckRow:
        source = self._values[entry["node"]] if 0 <= entry["node"] < len(self._values) else None
        several = entry["times"] > 1
        known = self._right.get(source) if source is not None else None
        given = source.known_grad if source is not None else None
        used = several or (source is not None and self._uses[source] > 1)
        is_right = given is not None and known is not None and np.allclose(given, known, 1e-4, 1e-4)
        if not used or (is_right and right):
            return replace(row, message=_REPLACES_ONCE.format(application.method, row.line))
        if entry["data"] is None:
            message = _REPLACES_ARRAY.format(application.method, row.line, application.name)
            return replace(row, ok=False, expected=None, given=None, message=message, input=application.name)
        expected = row.expected if several or known is None else known
        given = entry["given"] if given is None or not given else given
        message = _REPLACES.format(
            application.method, row.line, application.name, number_text(given), number_text(expected or 0.0)
        )
        return replace(row, ok=False, expected=expected, given=given, message=message, input=application.name)

    def _operand(self, entry: Mapping[str, Any]) -> str:
        """Return the name of an input for a sentence: its place in the program, else the parameter's name."""
        number = entry["node"]
        label = self._values[number].label if 0 <= number < len(self._values) else ""
        return label if label and _NAME.match(label) else visible(str(entry["name"]), 40)


class _Application:
    """One application of a rule, and one input of it."""

    def __init__(
        self, case: Mapping[str, Any], position: int, method: str, line: int, name: str, names: Sequence[str]
    ) -> None:
        self.case, self.entry = case, case["inputs"][position]
        self.position, self.method, self.line, self.name, self._names = position, method, line, name, names
        given, later = self.entry["given"], self.entry["later"]
        self.adds, self.scales, self.proportional = True, True, True
        if self.entry["all"] and given is not None and later is not None:
            manner = _manner(given, later, self.entry["upstream"], self.entry["offset"])
            self.adds, self.scales = manner or (True, True)
            self.proportional = manner is not None or not math.isfinite(given) or not math.isfinite(later)

    @property
    def right(self) -> bool:
        """True when the gradient given for an upstream gradient of 1 is right."""
        given, expected = self.entry["given"], self.entry["expected"]
        if expected != expected:  # the forward method cannot be moved here
            return True
        return bool(self.entry["low"] <= given <= self.entry["high"] or close(given, expected, 1.0))

    @property
    def slots(self) -> list[int]:
        """Numbers of the inputs in the places of the operation; one that is used twice stands in two."""
        return [index for index, entry in enumerate(self.case["inputs"]) for _ in range(entry["times"])]

    def recognised(self) -> Recognised | None:
        """Return the operation of the table that this is by its number and its derivatives."""
        for one in self._candidates():
            if one.fits and self._has_slopes(one, "expected"):
                return one
        return None

    def exact(self, operation: Recognised | None) -> float:
        """Return the right derivative: from the table where the operation is known, else as measured."""
        measured = float(self.entry["expected"])
        if operation is None or self.entry["high"] - self.entry["low"] > 1e-3 * max(1.0, abs(measured)):
            return float(self.entry["given"]) if self.right else float(f"{measured:.9g}")
        datas = [self.case["inputs"][slot]["data"] for slot in self.slots]
        parts = zip(operation.partials(datas, self.case["y"]), self.slots, strict=True)
        return sum(part for part, slot in parts if slot == self.position)

    def _candidates(self) -> list[Recognised]:
        datas = [entry["data"] for entry in self.case["inputs"] for _ in range(entry["times"])]
        if self.case["y"] is None or any(data is None for data in datas):
            return []
        hints = [self.case["op"], self.case["method"].partition(".")[0], self.case["kind"].rpartition(".")[2]]
        hints = [hint for hint in hints if hint]
        return recognise(self.case["op"], self.case["y"], datas, hints)

    def _has_slopes(self, one: Recognised, which: str) -> bool:
        datas = [self.case["inputs"][slot]["data"] for slot in self.slots]
        found = one.partials(datas, self.case["y"])
        for index, entry in enumerate(self.case["inputs"]):
            slope = sum(part for part, slot in zip(found, self.slots, strict=True) if slot == index)
            wanted = entry[which]
            if wanted is None or math.isfinite(slope) < math.isfinite(wanted):
                return False
            if math.isfinite(slope) and abs(slope - wanted) > 1e-4 * max(1.0, abs(slope)):
                return False
        return True

    def missed_forward(self, operation: Recognised | None) -> tuple[str, float] | None:
        """Return the message for a method whose name and rule belong to one operation, and its value to another."""
        for one in self._candidates():
            if one.fits or one is operation or not self._has_slopes(one, "given"):
                continue
            value = one.value([self.case["inputs"][slot]["data"] for slot in self.slots])
            if math.isfinite(value):
                formula = formula_text(one.op.value, self._letters(one))
                first = self.case["kind"].rpartition(".")[2]
                numbers = number_text(self.case["y"]), formula, number_text(value)
                return _FORWARD.format(first, self.case["first"], *numbers), value
        return None

    def wrong(self, row: EngineCheckRow, operation: Recognised | None, upstream: float) -> EngineCheckRow:
        """Return the row of a rule that gives an input something wrong, where so much has arrived from above."""
        row = replace(row, ok=False, input=self.name)
        if self.case["form"] == "forward":
            carried = number_text(self.entry["given"]), number_text(self.entry["expected"])
            return replace(row, message=_WRONG_FORWARD.format(self.method, row.line, self.name, *carried))
        if self.entry["data"] is None:  # an array
            element = self.entry.get("element")
            if element is None:
                return replace(
                    row, given=None, expected=None, message=_WRONG_ARRAY.format(self.method, row.line, self.name)
                )
            place = ", ".join(map(str, element[0]))
            numbers = number_text(element[1]), number_text(element[2])
            message = _WRONG_ELEMENT.format(self.method, row.line, self.name, place, *numbers)
            return replace(row, given=element[1], expected=element[2], message=message)
        given, expected = row.given or 0.0, row.expected or 0.0
        numbers = number_text(given), number_text(expected)
        if numbers[0] == numbers[1]:
            numbers = repr(given), repr(expected)
        if not self.scales and close(given, expected):
            return replace(row, message=_FORGETS_HERE.format(self.method, row.line, self.name, numbers[0]))
        low, high = self.entry["low"], self.entry["high"]
        if high - low > 1e-3 * max(1.0, abs(high)):
            ends = map(number_text, sorted(round(end, 3) * upstream + 0.0 for end in (low, high)))
            message = _WRONG_AT_KINK.format(self.method, row.line, self.name, numbers[0], *ends)
        elif operation is None:
            message = _WRONG_UNKNOWN.format(self.method, row.line, self.name, *numbers)
        else:
            letters = self._letters(operation)
            places = [at for at, slot in enumerate(self.slots) if slot == self.position]
            parts = [partial_text(operation, at, letters) for at in places]
            formula = " + ".join(dict.fromkeys(parts)) if len(set(parts)) > 1 or len(parts) < 2 else f"2 * {parts[0]}"
            message = _WRONG.format(self.method, row.line, self.name, numbers[0], formula, numbers[1])
        return replace(row, message=message + self._mistake(operation))

    def _mistake(self, operation: Recognised | None) -> str:
        """Return the classic mistake that gives this number; "" where it is none."""
        given, expected = self.entry["given"], self.entry["expected"]
        if not self.scales:
            return _FORGETS
        if given == 0.0:
            return _NOTHING
        if close(given, -expected, 1e3):
            return _SIGN
        others = [entry for entry in self.case["inputs"] if entry is not self.entry]
        if operation is not None and operation.op.infix == "*" and close(given, self.entry["data"] or 0.0):
            return _OWN_DATA
        if len(others) == 1 and close(given, others[0]["expected"], 1e3):
            return _SWAPPED
        if operation is not None and len(self.slots) == 1 and 0 in operation.arguments:
            return self._of_one_input(operation)
        return _TWICE if close(given, 2 * expected, 1e3) else _UNCHANGED if close(given, 1.0) else ""

    def _of_one_input(self, operation: Recognised) -> str:
        given, expected, x, y = self.entry["given"], self.entry["expected"], self.entry["data"], self.case["y"]
        numbers, letters = operation.numbers([x]), self._letters(operation)
        if operation.op.infix == "**" and operation.op.arity == 2 and operation.arguments[0] == 0:
            if close(given, numbers[1] * y, 1e3):
                return _NOT_LOWERED
            if numbers[1] != 0.0 and close(given, expected / numbers[1], 1e3):
                return _EXPONENT_MISSING
        if operation.op.arity == 1:
            text, instead = operation.op.partials[0], operation.op.scalar_partials[0]
            if "y" in letters_of(text) and close(given, float(instead(x, x)), 1e3):
                return _INPUT_FOR_OUTPUT.format(formula_text(text, letters))
            if "x" in letters_of(text) and close(given, float(instead(y, y)), 1e3):
                return _OUTPUT_FOR_INPUT.format(formula_text(text, letters))
            if close(given, y, 1e3):
                return _OUTPUT_ITSELF
        return _TWICE if close(given, 2 * expected, 1e3) else _UNCHANGED if close(given, 1.0) else ""

    def _letters(self, operation: Recognised) -> dict[str, str]:
        """Return the learner's names for the letters of the table's formulas."""
        data, grad = self.case["attributes"]
        letters = {"y": f"out.{data}", "g": f"out.{grad}"}
        for letter, argument in zip(operation.op.arguments, operation.arguments, strict=False):
            if isinstance(argument, int):
                letters[letter] = f"{self._names[self.slots[argument]]}.{data}"
            else:
                letters[letter] = number_text(float(argument)).removesuffix(".0")
        return letters


def _manner(plain: float, later: float, upstream: float, offset: float) -> tuple[bool, bool] | None:
    """Return how a rule makes gradients; None where it is neither.

    Args:
        plain: the gradient that it gives for an upstream gradient of 1.
        later: the one for another upstream gradient, where the input had some before.
        upstream: that other one.
        offset: what the input had.

    Returns:
        Two flags: the rule adds to existing gradients; the upstream gradient is a factor of its result.
    """
    for adds, scales in ((True, True), (False, True), (True, False), (False, False)):
        if close(later, offset * adds + plain * (upstream if scales else 1.0), 1e3):
            return adds, scales
    return None


# The backward pass as a whole


def _pass_row(
    passes: Sequence[Pass], backward: Sequence[Any] | None, rules_right: bool, sure: bool, alone: bool
) -> EngineCheckRow | None:
    """Return the mistake of the first wrong pass.

    Args:
        passes: of the run.
        backward: name and line of the pass.
        rules_right: no rule was found wrong.
        sure: all rules were compared.
        alone: the rules stand apart from the pass, so that they could be asked for any upstream gradient.
    """
    name, line = (visible(str(backward[0]), 60), int(backward[1])) if backward else ("backward", 1)
    row = EngineCheckRow(name, line, None, None, False, of_pass=True)
    return next(filter(None, (_problem_of(one, row, rules_right, sure, alone) for one in passes)), None)


def _problem_of(one: Pass, row: EngineCheckRow, rules_right: bool, sure: bool, alone: bool) -> EngineCheckRow | None:
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
        return _order_problem(one, row, numbers, right, sure, alone)
    return None


def _order_problem(
    one: Pass,
    row: EngineCheckRow,
    numbers: Mapping[Value, float],
    right: Mapping[Value, float],
    sure: bool,
    alone: bool,
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
    if all(value.inputs and not numbers[value] for value in wrong) and any(numbers[leaf] for leaf in leaves):
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
    kept = {each: _kept(each, one.values, numbers) for each in wrong}
    kept_one = kept[value] == "one" and (not reverse or all(kept.values()))
    if not sure or not (reverse or kept_one or _may_be_order(wrong, one.values, numbers)):
        message = _PASS_WRONG.format(row.op, row.line, grad, *amounts)
    elif kept[value] == "one" and not reverse:
        message = _PASS_REPLACES.format(row.op, row.line, called or "a value", *amounts, grad)
    elif (kept[value] == "one" and all(kept.values())) or not (alone or reverse):
        message = _PASS_EITHER.format(row.op, row.line, grad, *amounts)
    else:
        message = _ORDER.format(row.op, row.line, grad, *amounts)
        message += _REVERSED if reverse else ""
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


def _kept(value: Value, values: Sequence[Value], numbers: Mapping[Value, float]) -> str:
    """Return which of the contributions of its consumers, with the gradients that these have, a value has.

    Returns:
        "all", "one" or "" for neither.
    """
    consumers = [out for out in values if value in out.inputs and out.op is not None]
    given = [local_derivatives(out)[value] * numbers[out] for out in consumers]
    if _near(numbers[value], sum(given)):
        return "all"
    parts = [part / out.inputs.count(value) for part, out in zip(given, consumers, strict=True)]
    return "one" if any(part and _near(numbers[value], part) for part in parts) else ""


def _may_be_order(wrong: Sequence[Value], values: Sequence[Value], numbers: Mapping[Value, float]) -> bool:
    """Return True where values that pass on what they have before all of it has arrived may give these gradients.

    Each contribution to a value is then 0, or made from a part of the contributions to its consumer.
    """
    possible: dict[Value, set[float]] = {values[-1]: {numbers[values[-1]]}}
    for value in reversed(values[:-1]):
        sums = {0.0}
        for out in values:
            if value not in out.inputs or out.op is None:
                continue
            slope = local_derivatives(out)[value]
            sums = {have + slope * given for have in sums for given in {0.0, *possible.get(out, ())}}
            if len(sums) > _MOST_SUMS:
                return True
        possible[value] = sums
    return all(any(_near(numbers[value], each) for each in possible[value]) for value in wrong)


_MOST_SUMS = 4_000


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


# Formulas and numbers in the learner's words


def number_text(number: float) -> str:
    """Return a number as Python writes it, in six digits: `5.0`, `0.786448`, `-1.5e-07`."""
    if not math.isfinite(number):
        return str(number)
    text = f"{number:.6g}"
    return text if any(letter in text for letter in ".e") else f"{text}.0"


_CYCLE = "The inputs of {0} lead back to {0} itself: such values have no order, and no gradient"
_WRONG = "{0}, line {1}, gives {2} the gradient {3}; it should be {4} = {5}"
_WRONG_UNKNOWN = "{0}, line {1}, gives {2} the gradient {3}; moving {2} a little shows that it should be {4}"
_WRONG_AT_KINK = "{0}, line {1}, gives {2} the gradient {3}; here, at a kink, anything from {4} to {5} is right"
_WRONG_FORWARD = "{0}, line {1}, gives the derivative {3} with respect to {2}; it should be {4}"
_WRONG_ARRAY = "{0}, line {1}, gives {2} a wrong gradient: moving its elements a little gives another one"
_WRONG_ELEMENT = (
    "{0}, line {1}, gives {2}[{3}] the gradient {4} where the upstream gradient is 1 everywhere; it should be {5}"
)
_FORWARD_MODE = "This engine works in forward mode: each value carries its derivative, and there is no backward pass"
_SHAPE = "{0}, line {1}, gives {2} a gradient of the shape {3}; {2} has the shape {4}"
_FORWARD = "{0}, line {1}, computes {2}; {3} is {4}"
_COMPUTES = "{0}, line {1}, computes something else than {2}"
_OPERATORS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "truediv": "{0} / {1}",
    "pow": "{0} ** {1}",
    "matmul": "{0} @ {1}",
    "neg": "-{0}",
    "abs": "abs({0})",
}
"""Python's own operators, by the names of their methods."""
_TABLE_NAMES = {"truediv": "div"}
_FORGETS = ": it leaves out out.grad, the gradient that has arrived from the output"
_NOT_PROPORTIONAL = (
    "{0}, line {1}, gives {2} the right gradient, {3}, where 1 arrives from the output, and a wrong one where another "
    "number does: out.grad has to be a factor of every contribution, once"
)
_FORGETS_HERE = "{0}, line {1}, gives {2} the gradient {3} whatever has arrived from the output: it leaves out out.grad"
_TOGETHER = (
    "{0}, line {1}, gives {2} the gradient {3} in all; here, at a kink that they share, moving them together shows "
    "that it should be {4}"
)
_STRAIGHT_THROUGH = (
    "{0}, line {1}, gives {2} the gradient {3}; the derivative is 0, as the result does not change when {2} moves a "
    "little: a straight-through estimator, or an error"
)
_HANDED_ON = (
    "{0}, line {1}, gives {2} the gradient {3}; the derivative is 1, as the result is {2} itself: a gradient that is "
    "stopped or changed on purpose, or an error"
)
_NOTHING = ": nothing arrives there"
_SIGN = ": the sign is the wrong way round"
_OWN_DATA = ": that is its own data; a product gives each factor the data of the other one"
_SWAPPED = ": that is what the other input should get"
_NOT_LOWERED = ": the exponent of the derivative is n - 1, not n"
_EXPONENT_MISSING = ": the exponent comes down as a factor"
_INPUT_FOR_OUTPUT = ": it uses its input where its output belongs: {0}"
_OUTPUT_FOR_INPUT = ": it uses its output where its input belongs: {0}"
_OUTPUT_ITSELF = ": that is the output itself, not its derivative"
_TWICE = ": that is twice as much"
_UNCHANGED = ": it passes the gradient on as it has arrived, without the local derivative"
_REPLACES = (
    "{0}, line {1}, replaces the gradient of {2}, which is used more than once: {2}.grad is {3} and should be {4}; "
    "+= keeps every contribution"
)
_REPLACES_ARRAY = (
    "{0}, line {1}, replaces the gradient of {2}, which is used more than once; += keeps every contribution"
)
_REPLACES_ONCE = "{0}, line {1}, sets the gradient with =: right here, but += is needed once a value is used twice"
_SET = "{0}, line {1}, keeps its inputs in a set: of an input that is used twice it keeps one; both edges are drawn"
_UNASKED = "{0}, line {1}, gives {2} no gradient, as {2} asks for none"
_NOT_COMPARED = "{0}, line {1}, was not compared: {2}"
_UNLINKED = (
    "{0}, line {1}, gives {2} a gradient, but the result does not keep {2} among its inputs: {2} never passes it on"
)
_RAISED = "{0}, line {1}, cannot run its rule: {2}"
_WRAP = "; wrap numbers first: other = other if isinstance(other, Value) else Value(other)"
_NO_SEED = "{0}, line {1}, never gives the output its own gradient of 1.0: every gradient stays 0.0"
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
    "of it ({2} is {3} and should be {4})"
)
_REVERSED = "; the order has to be reversed: from the output back to the inputs"
_PASS_REPLACES = (
    "{0}, line {1}: every rule is right, but {2}, which is used more than once, keeps only one contribution: {5} is "
    "{3} and should be {4}; += keeps every one"
)
_PASS_EITHER = (
    "{0}, line {1}: {2} is {3} and should be {4}: either = keeps only the last contribution where += keeps every one, "
    "or the values are not visited from the output back to the inputs"
)
_PASS_WRONG = "{0}, line {1}: {2} is {3} and should be {4}"


def _raised(method: str, line: int, words: str) -> str:
    wraps = "has no attribute" in words and ("'int'" in words or "'float'" in words)
    return _RAISED.format(method, line, words) + (_WRAP if wraps else "")
