"""The graph side of the language: what the grammar found becomes Values, with names, labels and places.

The builder never sees text: the parser tells it about numbers, operations and names with their offsets. Statements are
taken back whole (`discard`) when they turn out to be one that is set aside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from typing import NamedTuple

from engine.autograd.naming import is_whole, name_of
from engine.autograd.ops import INFIX, Op
from engine.autograd.printer import numbered
from engine.autograd.problems import OVERFLOW, UNDERFLOW, scalar_problem
from engine.autograd.value import Constant, Value, apply

LONGEST_NAME = 12
"""Characters of a name that is made for a part of a statement; longer ones are made where they are shown."""


class Made(NamedTuple):
    """A value made by the current statement: its short text, the offsets it was written at, where to point at it."""

    value: Value
    start: int
    end: int
    at: int


class Literal(NamedTuple):
    """A number in the text: offsets with its sign."""

    start: int
    end: int


class Builder:
    """Values made so far, and what is known about them.

    Attributes:
        names: the value each name stands for at this moment.
        made: every value in the order of creation, with its key and place; filled statement by statement.
        bound: the name each value was given first.
        bound_at: offset of the statement that gave each name its present value.
        literals: the leaves whose number stands in the text, and where.
        problems: for each node that caused a mathematical problem, the sentence.
    """

    def __init__(self, bindings: Mapping[str, Sized]) -> None:
        """`bindings`: for each name the places in the whole text that give it a value."""
        self.names: dict[str, Value] = {}
        self.made: list[tuple[Made, str, tuple[int, int]]] = []
        self.literals: dict[Value, Literal] = {}
        self.bound: dict[Value, str] = {}
        self.bound_at: dict[str, int] = {}
        self.problems: dict[Value, str] = {}
        self.undefined: set[Value] = set()
        self._bindings = bindings
        self._times: dict[str, int] = {}
        self._current: list[Made] = []
        self._expressions = 0

    def number(self, data: float, start: int, end: int, written_zero: bool = True) -> Value:
        """A number written in the text; `written_zero`: whether a 0 was meant."""
        value = Constant(data)
        self._keep(value, start, end, start)
        self.literals[value] = Literal(start, end)
        if math.isinf(data):
            self._mark(value, OVERFLOW)
        elif data == 0.0 and not written_zero:
            self.problems[value] = UNDERFLOW
        return value

    def infix(self, symbol: str, left: Value, right: Value, place: tuple[int, int, int]) -> Value:
        """`left symbol right`; `place`: start, end and the offset of the symbol."""
        op = INFIX[symbol]
        value = apply(op, left, right)
        self._computed(value, op, (left, right), place)
        return value

    def negative(self, x: Value, start: int, end: int) -> Value:
        """`-x`; the sign of a number belongs to the number."""
        if x.__class__ is Constant and x in self.literals:
            return self._replace(x, Constant(-x.data), start, end)
        value = -x
        assert value.op is not None
        self._computed(value, value.op, (x,), (start, end, start))
        return value

    def call(self, op: Op, arguments: list[Value], place: tuple[int, int, int]) -> Value:
        """`op(arguments)`."""
        value = apply(op, *arguments)
        self._computed(value, op, tuple(arguments), place)
        return value

    def leaf(self, number: Value, label: str, start: int, end: int) -> Value:
        """`Value(number, label)`: a leaf, also inside an expression."""
        leaf = Value(number.data, label)
        literal = self.literals.get(number)
        self._replace(number, leaf, start, end)
        if literal is not None:
            self.literals[leaf] = literal
        return leaf

    def plain(self, value: Value, start: int, end: int) -> Value:
        """The data of `value` as a constant, through which no gradient flows."""
        constant = Constant(value.data)
        self._keep(constant, start, end, start)
        return constant

    def bind(self, targets: list[str], value: Value, statement: tuple[int, int]) -> Value:
        """Gives the value of a statement to its names and closes the statement."""
        if value.__class__ is Constant:
            value = self._as_leaf(value)
        own = any(made.value is value for made in self._current)
        keys = []
        for target in targets:
            self._times[target] = count = self._times.get(target, 0) + 1
            shown = numbered(target, count) if self.is_bound_again(target) else target
            keys.append(target if count == 1 else f"{target}#{count}")
            if own and value not in self.bound:
                value.label = shown if value.op is not None or value.label in ("", target) else value.label
                self.bound[value] = target
            self.names[target], self.bound_at[target] = value, statement[0]
        self._close(keys[0], value, statement)
        return value

    def is_bound_again(self, name: str) -> bool:
        """Whether the text gives a name more than one value."""
        return len(self._bindings[name]) > 1

    def express(self, value: Value, statement: tuple[int, int]) -> None:
        """Closes a statement that is an expression without a name."""
        self._expressions += 1
        self._close(f"={self._expressions}", value, statement)

    def discard(self) -> None:
        """Takes back what the current statement made."""
        for made in self._current:
            self.literals.pop(made.value, None)
            self.problems.pop(made.value, None)
            self.undefined.discard(made.value)
        self._current.clear()

    def relabel(self, value: Value, label: str) -> None:
        """`value.label = label`."""
        value.label = label

    def _close(self, key: str, result: Value, statement: tuple[int, int]) -> None:
        for index, made in enumerate(self._current):
            value = made.value
            if value is result:
                self.made.append((made, key, statement))
            else:
                if value.op is not None:
                    value.label = _short_name(value)
                self.made.append((made, f"{key}.{index}", statement))
        self._current = []

    def _computed(self, value: Value, op: Op, inputs: tuple[Value, ...], place: tuple[int, int, int]) -> None:
        self._keep(value, *place)
        data = value.data
        if data == 0.0 or op.domain.condition or not math.isfinite(data):
            problem = scalar_problem(op, [source.data for source in inputs], data)
            if problem is not None:
                self._mark(value, problem)
                return
        if self.undefined and not self.undefined.isdisjoint(inputs):
            self.undefined.add(value)

    def _mark(self, value: Value, problem: str) -> None:
        self.problems[value] = problem
        if not math.isfinite(value.data):
            self.undefined.add(value)

    def _keep(self, value: Value, start: int, end: int, at: int) -> None:
        self._current.append(Made(value, start, end, at))

    def _as_leaf(self, constant: Value) -> Value:
        """A number that gets a name is a leaf of its own, not part of a formula."""
        leaf = Value(constant.data)
        literal = self.literals.get(constant)
        place = next((made for made in self._current if made.value is constant), None)
        if place is not None:
            self._replace(constant, leaf, place.start, place.end)
        if literal is not None:
            self.literals[leaf] = literal
        return leaf

    def _replace(self, old: Value, new: Value, start: int, end: int) -> Value:
        """Lets `new` stand where the statement's number `old` stood."""
        index = next(index for index, made in enumerate(self._current) if made.value is old)
        self._current[index] = Made(new, start, end, start)
        if self.literals.pop(old, None) is not None:
            self.literals[new] = Literal(start, end)
        if old in self.problems:
            self.problems[new] = self.problems[old]
        if old in self.undefined:
            self.undefined.add(new)
        self.problems.pop(old, None)
        self.undefined.discard(old)
        return new


def _short_name(value: Value) -> str:
    """The name of a part that the text does not name, if that is short."""
    name = name_of(value)
    return name if len(name) <= LONGEST_NAME and is_whole(name) else ""
