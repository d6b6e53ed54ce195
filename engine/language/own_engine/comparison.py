"""The learner's own engine, compared with the table of operations: each rule by itself, then the order of the pass.

`check_own_engine` is a pure function of what `probe` fetched from the sandbox and of the program's text. The
rule of a value was asked what it gives its inputs for a known upstream gradient; the table says what it should give.
Where they differ a sentence names the method, its line, both numbers and, where it is one of the classic ones, the
mistake. When every rule is right and the gradients are not, it is the pass: its seed, its order, or what was left over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.autograd.formula import letters as letters_of
from engine.language.own_engine.backward_pass import pass_rows
from engine.language.own_engine.classes import OwnEngine, Place
from engine.language.own_engine.formulas import formula_text, number_text, partial_text, quietly
from engine.language.own_engine.graph import EngineCheckRow, OwnGraph
from engine.language.own_engine.operations import Recognised, close, named_by
from engine.language.own_engine.probe import NO_RULE, OFFSET, UPSTREAM, OwnAnswer, OwnNode, OwnRecords
from engine.quick_dataclass import dataclass

__all__ = ["EngineCheckRow", "check_own_engine"]

FACTOR = UPSTREAM[1] / UPSTREAM[0]


def check_own_engine(records: OwnRecords, engine: OwnEngine) -> tuple[EngineCheckRow, ...]:
    """Compares the learner's engine with the table of operations.

    Args:
        records: what was fetched of the objects.
        engine: what was read of the program's text.

    Returns:
        A row for each value that was computed, inputs before what they feed; then rows for what is wrong with the
        backward pass as a whole.
    """
    graph = OwnGraph(records.nodes, engine, records.earlier)
    if graph.cycle:
        return (_cycle_row(graph, records),)
    judge = _Judge(graph, records)
    judge.choose()
    rows = [judge.row(node) for node in graph.ordered if node.inputs]
    return (*rows, *pass_rows(records, graph, all(row.ok for row in rows)))


@dataclass(frozen=True, slots=True)
class _Received:
    """What one input got from a rule, beside what it should get.

    Attributes:
        key: of the input.
        positions: where it stands among the inputs.
        expected: the local derivative.
        given: what the rule gave it for an upstream gradient of 1.
        adds: whether it adds to what was there.
        scales: whether the upstream gradient is a factor of it.
        right: whether `given` is right.
    """

    key: int
    positions: tuple[int, ...]
    expected: float
    given: float
    adds: bool
    scales: bool
    right: bool


class _Judge:
    """Compares the answers of the rules with the table."""

    def __init__(self, graph: OwnGraph, records: OwnRecords) -> None:
        self.graph = graph
        self.records = records
        self.uses: dict[int, int] = {}
        for node in graph.ordered:
            for key in node.inputs:
                self.uses[key] = self.uses.get(key, 0) + 1

    def choose(self) -> None:
        """Decides between operations that give the same value: that of the name, else that of the rule."""
        for node in self.graph.ordered:
            answer = self.records.answers.get(node.key)
            fitting = [one for one in self.graph.operations.get(node.key, []) if one.fits]
            if answer is not None and answer.plain and fitting:
                hints = self.graph.hints(node)
                named = [one for one in fitting if one.op in named_by(tuple(hints))]
                wrong = [self._wrong_count(node, answer, one) for one in named or fitting]
                self.graph.chosen[node.key] = (named or fitting)[wrong.index(min(wrong))]

    def _wrong_count(self, node: OwnNode, answer: OwnAnswer, operation: Recognised) -> int:
        """How many inputs a rule gives something wrong; `=` that keeps the last of two equal parts does not count."""
        return sum(
            not part.right and (part.adds or _times(part, operation) < 2 or not close(2 * part.given, part.expected))
            for part in self._received(node, answer, operation)
        )

    def row(self, node: OwnNode) -> EngineCheckRow:
        """What is to be said of one computed value."""
        place, operations = self.graph.place(node), self.graph.operations.get(node.key, [])
        answer = self.records.answers.get(node.key)
        name = operations[0].op.name if operations else node.op or place.name
        row = EngineCheckRow(name, place.line_of(0), None, None, True, key=node.key)
        if not operations:
            return replace(row, message=_unknown(place)) if _is_finite(node, self.graph) else row
        if not operations[0].fits or self._is_another(node, answer, operations):
            return self._forward_row(row, node, place, next(one for one in operations if not one.fits))
        operations = [one for one in operations if one.fits]
        if answer is None:
            return row
        if answer.words == NO_RULE:
            return row
        if answer.words:
            return replace(row, ok=False, message=_raised(place, answer.words))
        return self._compared(row, node, place, answer, operations) if answer.plain else row

    def _is_another(self, node: OwnNode, answer: OwnAnswer | None, operations: Sequence[Recognised]) -> bool:
        """Whether the name and the rule are those of one operation, and the value is that of another."""
        missed = [one for one in operations if not one.fits]
        named = [one for one in operations if one.fits and one.op in named_by(tuple(self.graph.hints(node)))]
        if named or not missed or answer is None or not answer.plain:
            return False
        rights = [all(part.right for part in self._received(node, answer, one)) for one in operations]
        return any(rights[len(operations) - len(missed) :]) and not any(rights[: len(operations) - len(missed)])

    def _forward_row(self, row: EngineCheckRow, node: OwnNode, place: Place, operation: Recognised) -> EngineCheckRow:
        """The value itself is not what the operation gives."""
        value = operation.value(self.graph.datas(node))
        if self.graph.engine.changes_data or not math.isfinite(value) or node.data is None:
            return row  # the data of an input have been changed since
        formula = formula_text(operation.op.value, self._letters(node, place, operation))
        message = (
            f"`{place.name}`, line {place.line}, computes {number_text(node.data)}; {formula} is {number_text(value)}"
        )  # fmt: skip
        return replace(row, expected=value, given=node.data, ok=False, message=message, line=place.line)

    def _compared(
        self, row: EngineCheckRow, node: OwnNode, place: Place, answer: OwnAnswer, operations: Sequence[Recognised]
    ) -> EngineCheckRow:
        operation = self.graph.chosen.get(node.key, operations[0])
        received = self._received(node, answer, operation)
        row = replace(row, op=operation.op.name)
        wrong = next((one for one in received if not one.right or not one.scales), None)
        replaced = next((one for one in received if not one.adds and one.given != 0.0), None)
        if replaced is not None and (wrong is None or (wrong.scales and _times(wrong, operation) > 1)):
            return self._replaces(row, node, place, replaced, operation)
        if wrong is not None:
            return self._wrong(row, node, place, wrong, received, operation)
        row = self._with_amounts(row, node, received[0]) if received else row
        return replace(row, message=_SET.format(place.name, place.line)) if _lost_in_set(node, operation) else row

    def _received(self, node: OwnNode, answer: OwnAnswer, operation: Recognised) -> list[_Received]:
        datas, y = self.graph.datas(node), node.data
        assert y is not None
        partials = operation.partials(datas, y)
        beside = operation.beside_kink(datas) if operation.is_at_kink(datas) else [(p, p) for p in partials]
        found = []
        for key, plain, offset in zip(answer.inputs, answer.plain, answer.offset, strict=True):
            positions = tuple(at for at, one in enumerate(node.inputs) if one == key)
            expected = sum(partials[at] for at in positions)
            low, high = (sum(beside[at][side] for at in positions) for side in (0, 1))
            given = math.nan if plain is None else plain
            adds, scales = _manner(given, math.nan if offset is None else offset)
            right = (
                not math.isfinite(expected) or close(given, expected, abs(y)) or low <= given <= high
                or (given == 0.0 and self._needs_nothing(operation, positions, key))
            )  # fmt: skip
            found.append(_Received(key, positions, expected, given, adds, scales, right))
        return found

    def _needs_nothing(self, operation: Recognised, positions: tuple[int, ...], key: int) -> bool:
        """Whether it is the exponent of a power and a constant: nobody asks for its gradient."""
        node = self.graph.nodes.get(key)
        constant = node is not None and not node.inputs and not self._called(key)
        of_kink = [operation.arguments.index(at) for at in positions if at in operation.arguments]
        by_kink = operation.op.arguments.index(operation.op.kink_of) if operation.op.kink_of else -1
        return constant and by_kink >= 0 and all(at == by_kink for at in of_kink)

    def _upstream(self, node: OwnNode) -> float:
        """The gradient that the value has in truth; 1 where that says nothing."""
        found = self.graph.gradients.get(node.key, 1.0)
        return found if math.isfinite(found) and found != 0.0 else 1.0

    def _with_amounts(self, row: EngineCheckRow, node: OwnNode, received: _Received) -> EngineCheckRow:
        """The row with what the input should get from the node and what it is given."""
        upstream = self._upstream(node)
        given = received.given * (upstream if received.scales else 1.0)
        return replace(row, expected=received.expected * upstream + 0.0, given=given + 0.0)

    def _replaces(
        self, row: EngineCheckRow, node: OwnNode, place: Place, received: _Received, operation: Recognised
    ) -> EngineCheckRow:
        key = received.key
        line, name = place.line_of(received.positions[0] if received.positions else 0), self._name(key, node, place)
        several = _times(received, operation) > 1
        if self.uses.get(key, 0) < 2 and not several:
            message = _REPLACES_ONCE.format(place.name, line)
            return replace(self._with_amounts(row, node, received), message=message, line=line)
        row = self._with_amounts(row, node, received)
        expected = row.expected if several and row.expected is not None else self.graph.gradients.get(key, math.nan)
        grad = self.graph.nodes[key].grad
        given = received.given if grad is None or not self.records.passes else grad
        message = _REPLACES.format(place.name, line, name, number_text(given), number_text(expected))
        return replace(row, ok=False, line=line, expected=expected, given=given, message=message, input=name)

    def _wrong(
        self, row: EngineCheckRow, node: OwnNode, place: Place, wrong: _Received, received: Sequence[_Received],
        operation: Recognised,
    ) -> EngineCheckRow:  # fmt: skip
        position = wrong.positions[0] if wrong.positions else 0
        line, name = place.line_of(position), self._name(wrong.key, node, place)
        letters = self._letters(node, place, operation)
        parts = [partial_text(operation, at, letters) for at in wrong.positions]
        formula = " + ".join(dict.fromkeys(parts)) if len(set(parts)) > 1 or len(parts) < 2 else f"2 * {parts[0]}"
        row = self._with_amounts(row, node, wrong)
        if not wrong.scales and row.given is not None and row.expected is not None and close(row.given, row.expected):
            message = _FORGETS_HERE.format(place.name, line, name, number_text(row.given))
            return replace(row, ok=False, line=line, message=message, input=name)
        numbers = [number_text(number) for number in (row.given, row.expected) if number is not None]
        message = _WRONG.format(place.name, line, name, numbers[0], formula, numbers[-1])
        message += self._mistake(node, wrong, received, operation, letters)
        return replace(row, ok=False, line=line, message=message, input=name)

    def _mistake(
        self, node: OwnNode, wrong: _Received, received: Sequence[_Received], operation: Recognised,
        letters: Mapping[str, str],
    ) -> str:  # fmt: skip
        """The classic mistake that gives this number; empty where it is none."""
        datas, y, given, expected = self.graph.datas(node), node.data, wrong.given, wrong.expected
        assert y is not None
        if not wrong.scales:
            return _FORGETS
        if given == 0.0:
            return _NOTHING
        if close(given, -expected):
            return _SIGN
        others = [one for one in received if one is not wrong]
        if operation.op.infix == "*" and len(wrong.positions) == 1 and close(given, datas[wrong.positions[0]]):
            return _OWN_DATA
        if len(others) == 1 and close(given, others[0].expected) and not math.isclose(given, expected):
            return _SWAPPED
        if len(datas) == 1 and 0 in operation.arguments:
            return self._of_one_input(operation, datas[0], y, given, expected, letters)
        if close(given, 2 * expected):
            return _TWICE
        return _UNCHANGED if close(given, 1.0) else ""

    def _of_one_input(
        self, operation: Recognised, x: float, y: float, given: float, expected: float, letters: Mapping[str, str]
    ) -> str:
        numbers = operation.numbers([x])
        if operation.op.infix == "**" and operation.op.arity == 2 and operation.arguments[0] == 0:
            exponent = numbers[1]
            if close(given, exponent * y):
                return _NOT_LOWERED
            if exponent != 0.0 and close(given, expected / exponent):
                return _EXPONENT_MISSING
        if operation.op.arity == 1:
            text = operation.op.partials[0]
            instead = operation.op.scalar_partials[0]
            if "y" in letters_of(text) and close(given, quietly(instead, x, x)):
                return _INPUT_FOR_OUTPUT.format(formula_text(text, letters))
            if "x" in letters_of(text) and close(given, quietly(instead, y, y)):
                return _OUTPUT_FOR_INPUT.format(formula_text(text, letters))
            if close(given, y):
                return _OUTPUT_ITSELF
        if close(given, 2 * expected):
            return _TWICE
        return _UNCHANGED if close(given, 1.0) else ""

    def _called(self, key: int) -> str:
        """What the program calls a value; empty where it has no name."""
        node = self.graph.nodes.get(key)
        return (node.label if node else "") or self.records.names.get(key, "")

    def _name(self, key: int, node: OwnNode, place: Place) -> str:
        """What a sentence calls an input of a node."""
        if called := self._called(key):
            return called
        position = node.inputs.index(key) if key in node.inputs else 0
        return place.operands[position] if position < len(place.operands) else f"input {position + 1}"

    def _letters(self, node: OwnNode, place: Place, operation: Recognised) -> dict[str, str]:
        """What the letters of the table's formulas stand for in the learner's words."""
        data, grad = self.graph.engine.data[0], self.graph.engine.grad[0]
        letters = {"y": f"out.{data}", "g": f"out.{grad}"}
        for letter, argument in zip(operation.op.arguments, operation.arguments, strict=False):
            key = node.inputs[argument] if isinstance(argument, int) else -1
            number = self.graph.nodes[key].data if isinstance(argument, int) and key in self.graph.nodes else argument
            if key >= 0:
                letters[letter] = f"{self._name(key, node, place)}.{data}"
            elif number is not None:
                letters[letter] = number_text(float(number)).removesuffix(".0")
        return letters


def _times(received: _Received, operation: Recognised) -> int:
    """How often the operation takes the input: twice in `a + a`, also where the class keeps `a` once, in a set."""
    return sum(one.__class__ is int and one in received.positions for one in operation.arguments)


def _manner(plain: float, offset: float) -> tuple[bool, bool]:
    """Whether a rule adds to what was there, and whether the upstream gradient is a factor of what it gives."""
    if close(offset, OFFSET + FACTOR * plain):
        return True, True
    if close(offset, FACTOR * plain):
        return False, True
    if close(offset, OFFSET + plain):
        return True, False
    return (False, False) if close(offset, plain) else (True, True)


_WRONG = "`{0}`, line {1}, gives {2} the gradient {3}; it should be {4} = {5}"
_FORGETS = ": it leaves out out.grad, the gradient that has arrived from the output"
_FORGETS_HERE = (
    "`{0}`, line {1}, gives {2} the gradient {3} whatever has arrived from the output: it leaves out out.grad"
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
    "`{0}`, line {1}, replaces the gradient of {2}, which is used more than once: {2}.grad is {3} and should be {4}; "
    "+= keeps every contribution"
)
_REPLACES_ONCE = "`{0}`, line {1}, sets the gradient with =: right here, but += is needed once a value is used twice"
_SET = "`{0}`, line {1}, keeps its inputs in a set: of an input that is used twice it keeps one; both edges are drawn"
_UNKNOWN = "`{0}`, line {1}, was not compared: no operation of the table gives this value"
_RAISED = "`{0}`, line {1}, cannot run its rule: {2}"
_WRAP = "; wrap numbers first: other = other if isinstance(other, Value) else Value(other)"
_CYCLE = "The inputs of {0} lead back to {0} itself: such values have no order, and no gradient"


def _unknown(place: Place) -> str:
    return _UNKNOWN.format(place.name, place.line)


def _raised(place: Place, words: str) -> str:
    wraps = "has no attribute" in words and ("'int'" in words or "'float'" in words)
    return _RAISED.format(place.name, place.line, words) + (_WRAP if wraps else "")


def _lost_in_set(node: OwnNode, operation: Recognised) -> bool:
    arguments = [one for one in operation.arguments if one.__class__ is int]
    return node.in_set and len(arguments) > len(set(arguments))


def _is_finite(node: OwnNode, graph: OwnGraph) -> bool:
    return node.data is not None and all(map(math.isfinite, (node.data, *graph.datas(node))))


def _cycle_row(graph: OwnGraph, records: OwnRecords) -> EngineCheckRow:
    node = graph.nodes[graph.cycle]
    name = node.label or records.names.get(node.key, "a value")
    line = graph.engine.definitions.get(node.kind, 1)
    return EngineCheckRow(node.op or node.kind, line, None, None, False, _CYCLE.format(name), node.key, name)
