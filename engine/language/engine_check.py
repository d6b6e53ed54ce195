"""Judgement of an engine of the learner's own, in words: its rules one by one, then its backward pass.

The judge in the sandbox (`guest/judge.py`) has compared each rule with finite differences of the learner's own forward
method. Here its numbers become rows with sentences: method, line, input, the gradient given and the right one, and the
likely mistake. Operations of the table are recognised only to name the formula. When every rule is right and
the gradients are not, it is the pass (`pass_check.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.autograd.formula import letters as letters_of
from engine.autograd.ops import OPS
from engine.autograd.value import Value
from engine.language.engine_rows import EngineCheckRow, number_text
from engine.language.known_operations import Recognised, close, formula_text, partial_text, recognise
from engine.language.pass_check import Pass, pass_row, right_gradients
from engine.messages import visible

NO_RULE = "its rule was not found"
"""Reason that the judge gives for a result that passes nothing on."""
_NAME = re.compile(r"[^\W\d][\w.\[\]'\"]*$")


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
    in_place = all(case.get("adds_itself") for case in judged["cases"])
    of_pass = pass_row(passes, judged.get("backward"), rules_right, sure, alone, in_place)
    return (*rows, of_pass) if of_pass is not None else tuple(rows)


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
        if right and not application.proportional and entry["choice"] != "same":
            message = _NOT_PROPORTIONAL.format(method, line, application.name, number_text(entry["given"]))
            amounts = replace(amounts, expected=exact + 0.0, given=entry["given"] + 0.0)
            return replace(amounts, ok=False, line=line, input=application.name, message=message)
        if (not right or not application.proportional) and application.scales and entry["choice"]:
            words = _STRAIGHT_THROUGH if entry["choice"] == "steps" else _HANDED_ON
            given = number_text(amounts.given or 0.0)
            return replace(amounts, line=line, message=words.format(method, line, application.name, given))
        if not right or not application.scales:
            if missed := application.missed_forward(operation):
                amounts = replace(amounts, ok=False, line=int(case["first"]))
                return replace(amounts, message=missed[0], expected=missed[1], given=case["y"])
            return application.wrong(replace(amounts, line=line), operation, upstream)
        if entry.get("lost"):
            return replace(amounts, message=_SET.format(method, line))
        return replace(amounts, message=application.computes_another())

    def operator_row(self, case: Mapping[str, Any]) -> EngineCheckRow:
        """Return the row of a faulty operator."""
        value = self._values[case["node"]] if 0 <= case["node"] < len(self._values) else None
        method, op = visible(case["method"], 60), OPS[_TABLE_NAMES.get(case["operator"], case["operator"])]
        if case["dropped"]:
            line, name = int(case["line"]), visible(str(case["dropped"]), 40)
            row = EngineCheckRow(op.name, line, None, None, False, _DROPPED.format(method, line, name))
            return replace(row, value=value, input=name)
        line, data = int(case["first"]), visible(str(case["attributes"][0]), 40)
        texts = []
        for number, name, plain in case["operands"]:
            if number is not None:
                texts.append(f"{self._operand({'node': number, 'name': name})}.{data}")
            else:  # not one of the engine's objects: a number, or an array
                texts.append(visible(str(name), 40) if plain is None else number_text(plain))
        formula = _OPERATORS[case["operator"]].format(*texts)
        expected, given = case["right"], case["y"]
        if expected is None or given is None:  # arrays
            message = _COMPUTES.format(method, line, formula)
            return EngineCheckRow(op.name, line, None, None, False, message, value=value)
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
        if not given:  # no pass yet, or zeroed since, or 0 has replaced the others
            given = 0.0 if close(entry["given"], expected or 0.0) else entry["given"]
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
            plain = self.entry["offset"] + given * self.entry["upstream"]
            is_number = math.isfinite(given) and math.isfinite(later)
            self.proportional = manner is not None or not is_number or abs(later - plain) <= 1e-6 * max(1.0, abs(plain))

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
        """Return the operation of the table that this is by its number and its derivatives; None at a kink."""
        if any(entry["high"] - entry["low"] > 1e-3 * max(1.0, abs(entry["high"])) for entry in self.case["inputs"]):
            return None  # the mean of two slopes may be the slope of another operation
        for one in self._candidates():
            if one.fits and self._has_slopes(one, "expected"):
                return one
        return None

    def exact(self, operation: Recognised | None) -> float:
        """Return the right derivative: from the table where the operation is known, else as measured."""
        measured = float(self.entry["expected"])
        if operation is None:
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

    def computes_another(self) -> str:
        """Return a remark where a function's value is not that of the table's function of this name; "" otherwise."""
        first, entry, y = self.case["kind"].rpartition(".")[2], self.entry, self.case["y"]
        op = _FUNCTIONS.get(first.strip("_").lower())
        if op is None or self.case["n_arguments"] != 1 or y is None or entry["data"] is None:
            return ""
        usual = Recognised(op, (0,)).value([entry["data"]])
        if not math.isfinite(usual) or abs(usual - y) <= 1e-3 * max(1.0, abs(usual)):
            return ""
        formula, line = f"{op.name}({number_text(entry['data'])})", self.case["first"]
        return _UNUSUAL.format(first, line, number_text(y), formula, number_text(usual))

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
        elif operation is None or (operation.op.name in OPS and not operation.op.elementwise):
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


# Formulas and numbers in the learner's words


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
_UNUSUAL = "{0}, line {1}, computes {2}, but {3} is {4}: this name usually stands for another function"
_FUNCTIONS = {
    name: op
    for op in OPS.values()
    if op.elementwise and op.arity == 1 and not op.infix
    for name in (op.name, *op.synonyms)
}
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
_NOTHING = ": nothing arrives there, or 0"
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
_DROPPED = (
    "{0}, line {1}, returns a result that does not keep {2} among its inputs, so that {2} gets no gradient through it: "
    "give the result its inputs"
)
_RAISED = "{0}, line {1}, cannot run its rule: {2}"
_WRAP = "; wrap numbers first: other = other if isinstance(other, Value) else Value(other)"


def _raised(method: str, line: int, words: str) -> str:
    wraps = "has no attribute" in words and ("'int'" in words or "'float'" in words)
    return _RAISED.format(method, line, words) + (_WRAP if wraps else "")
