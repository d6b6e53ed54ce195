"""What is known about the values of a run: names, places in the text, keys, labels, roles, problems, leaves.

Where a value's own expression stands says `value_places.py`; what a function made belongs to the statement that called
it.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.autograd.backward import topological_order
from engine.autograd.naming import is_whole, name_of
from engine.autograd.printer import numbered
from engine.autograd.problems import OVERFLOW, UNDERFLOW, scalar_problem
from engine.autograd.value import Value
from engine.language.advice.notes import Note
from engine.language.fetching import Fetched, values_in
from engine.language.hidden import hidden_name, hidden_places, turns_direction
from engine.language.nodes import assigned_parts, number_of
from engine.language.reading import Bound, Reading
from engine.language.results import Evaluation, Leaf, Origin, Problem
from engine.language.source import Source
from engine.language.value_places import Span, ValuePlaces

LONGEST_NAME = 12
"""Characters of a name that is made for a part of a statement; longer ones are made where they are shown."""
MOST_NAMED = 5_000
"""Values of a graph up to which parts get such names."""

_INPUT_NAME = re.compile(r"x|(input|feature|t|target|y)_?[0-9]*$", re.IGNORECASE)


def describe(reading: Reading, fetched: Fetched) -> Evaluation:
    """Names, root, notes, problems, leaves, origins and roles of what was fetched; nothing else is filled in."""
    return _Describer(reading, fetched).describe()


class _Describer:
    """Goes through the statements in the order of the text and gives each value to the first that reaches it."""

    def __init__(self, reading: Reading, fetched: Fetched) -> None:
        self.reading = reading
        self.source = reading.source
        self.places = reading.places
        self.fetched = fetched
        self.root: Value | None = None
        self.origins: dict[Value, Origin] = {}
        self.bound_names: dict[Value, str] = {}
        self.values = ValuePlaces(reading)
        self.statement_of: dict[Value, Bound] = {}
        self.unnamed: list[tuple[Value, Bound]] = []
        self.undefined: set[Value] = set()
        self._times: dict[str, int] = {}
        self._parts: Counter[str] = Counter()
        self._bindings = Counter(name for bound in reading.bound if bound.outside for name in bound.names)
        self._expressions = 0
        self._few = len(fetched.values) <= MOST_NAMED

    def describe(self) -> Evaluation:
        for bound in self.reading.bound:
            if bound.number in self.fetched.bound:
                self._statement(bound, self.fetched.bound[bound.number])
        variables = {**self.fetched.variables, **self.fetched.tracked}
        if self.root not in self.origins:
            self.root = None
        problems = self._problems()
        return Evaluation(
            names={name: value for name, value in variables.items() if isinstance(value, Value)},
            root=self.root,
            notes=[*(self._unused() if self.reading.tracked else []), *hidden_notes(self.source)],
            problems=problems,
            leaves=self._leaves(),
            origins=self.origins,
            roles=self._roles(),
            not_computed=frozenset(self.undefined - {problem.value for problem in problems}),
        )

    # Statements

    def _statement(self, bound: Bound, thing: Any) -> None:
        values = list(values_in(thing, 3))
        whole = thing if isinstance(thing, Value) else None
        if whole is not None and bound.value is not None:
            self.values.match(bound.value, whole, self.origins)
        written = [(part, each) for _name, part, each in _written(bound, thing) if isinstance(each, Value)]
        for part, value in written:
            self.values.match(part, value, self.origins)
        key = self._key(bound, whole)
        named = self._several(bound, thing)
        for value in values:
            own = named.get(value, key)
            self._claim(value, bound, own, value if value is whole or value in named else None)
        if whole is None:
            if written and bound.outside:
                self.root = written[-1][1]
            return
        if bound.outside:
            self.root = whole
        if not bound.names:
            self.unnamed.append((whole, bound))

    def _key(self, bound: Bound, whole: Value | None) -> str:
        """What values of this statement are called by: its name, and how many times that was given a value before."""
        if not bound.names:
            self._expressions += 1
            return f"={self._expressions}"
        if not bound.outside:
            return f"{bound.names[0]}@{self.source.place(bound.start)[0]}"
        keys = []
        own = whole is not None and whole not in self.origins
        for name in bound.names:
            self._times[name] = count = self._times.get(name, 0) + 1
            keys.append(name if count == 1 else f"{name}#{count}")
            if whole is not None and own and whole not in self.bound_names:
                self._label(whole, name, count)
        return keys[0]

    def _several(self, bound: Bound, thing: Any) -> dict[Value, str]:
        """For `x1, x2 = Value(2.0), Value(0.0)` the new values with their keys, labelled by their names."""
        if bound.value is not None or not bound.outside or not isinstance(thing, tuple):
            return {}
        named: dict[Value, str] = {}
        for name, value in zip(dict.fromkeys(bound.names), thing, strict=False):
            if isinstance(value, Value) and value not in self.origins and value not in self.bound_names:
                count = self._times[name]
                named[value] = name if count == 1 else f"{name}#{count}"
                self._label(value, name, count)
        return named

    def _label(self, value: Value, name: str, count: int) -> None:
        shown = numbered(name, count) if self._bindings[name] > 1 else name
        if value.label in ("", name):
            value.label = shown
        self.bound_names[value] = name

    def _claim(self, root: Value, bound: Bound, key: str, whole: Value | None) -> None:
        """Gives the statement every value that no earlier one has."""
        origins = self.origins
        if root in origins:
            return
        place = self.source.place(bound.start)
        fresh = topological_order(root, known=origins.__contains__)
        taken = self._parts[key]
        self._parts[key] += len(fresh)
        for index, value in enumerate(fresh):
            span = self.values.spans.get(value)
            start, end = (span.start, span.end) if span is not None else (bound.start, bound.end)
            own = key if value is whole else f"{key}.{index + taken}"
            origins[value] = Origin(own, *place, start, end)
            self.statement_of[value] = bound
            if self._few and value.op is not None and not value.label and value is not whole:
                name = name_of(value)
                value.label = name if len(name) <= LONGEST_NAME and is_whole(name) else ""

    # Leaves, roles

    def _leaves(self) -> list[Leaf]:
        leaves: list[Leaf] = []
        for bound in self.reading.bound:
            if not bound.outside or bound.in_loop or not bound.names or bound.number not in self.fetched.bound:
                continue
            thing = self.fetched.bound[bound.number]
            whole = [(bound.names[0], bound.value, thing)] if bound.value is not None else []
            for name, part, each in whole or _written(bound, thing):
                is_value = isinstance(each, Value)
                leaf = self._leaf_of_value(bound, each) if is_value else self._leaf_of_number(bound, name, part, each)
                leaves += [leaf] if leaf is not None else []
        titles = Counter(leaf.title for leaf in leaves)
        return [leaf if titles[leaf.title] == 1 else _with_column(leaf) for leaf in leaves]

    def _leaf_of_value(self, bound: Bound, value: Value) -> Leaf | None:
        literal = self.values.literals.get(value)
        if literal is None or value.op is not None or self.statement_of.get(value) is not bound:
            return None
        written = _number_at(self.source.text[literal.start : literal.end])
        if written is None or not math.isfinite(written) or value not in self.bound_names:
            return None
        return self._leaf(bound, self.bound_names[value], self.origins[value].key, value, written, literal)

    def _leaf_of_number(self, bound: Bound, name: str, written: ast.expr, thing: Any) -> Leaf | None:
        """A number that is not a Value: a learning rate, say. Whole numbers may be counts, which no slider changes."""
        if thing.__class__ is not float or not math.isfinite(thing) or not isinstance(bound.node, ast.Assign):
            return None
        if number_of(written) is None:
            return None
        start, end = self.places.span(written)
        earlier = sum(name in b.names for b in self.reading.bound[: bound.number] if b.outside)
        key = name if not earlier else f"{name}#{earlier + 1}"
        return self._leaf(bound, name, key, Value(thing, name), thing, Span(start, end, start))

    def _leaf(self, bound: Bound, name: str, key: str, value: Value, number: float, literal: Span) -> Leaf:
        line, column = self.source.place(literal.start)
        title = f"{name} (line {line})" if self._bindings[name] > 1 else name
        return Leaf(name, key, title, value, number, line, column, literal.start, literal.end)

    def _roles(self) -> dict[Value, str]:
        """Names such as `x1` or `target` are inputs, and beside them all other leaves are parameters."""
        leaves = [value for value in self.origins if value.op is None and value.__class__ is Value]
        inputs = [leaf for leaf in leaves if _INPUT_NAME.match(self.bound_names.get(leaf, leaf.label))]
        if not any(self.bound_names.get(leaf, leaf.label)[:1] in ("x", "X") for leaf in inputs):
            own = (leaf for leaf in leaves if leaf not in self.bound_names)  # `L1N2.w1` is the network's
            unnamed = {leaf: "parameter" for leaf in own if not leaf.label or "." in leaf.label}
            return dict.fromkeys(leaves, "input") | unnamed
        return dict.fromkeys(leaves, "parameter") | dict.fromkeys(inputs, "input")

    # What is worth telling

    def _problems(self) -> list[Problem]:
        problems = []
        for value, origin in self.origins.items():
            message = self._problem_of(value)
            if message is None:
                if self.undefined and not self.undefined.isdisjoint(value.inputs):
                    self.undefined.add(value)
                continue
            if value.data.__class__ is float and not math.isfinite(value.data):
                self.undefined.add(value)
            span = self.values.spans.get(value)
            place = self.source.place(span.at) if span is not None else (origin.line, origin.column)
            problems.append(Problem(message, *place, value))
        return sorted(problems, key=lambda problem: (problem.line, 0)) if not self.reading.tracked else problems

    def _problem_of(self, value: Value) -> str | None:
        data, op = value.data, value.op
        if data.__class__ is not float:
            return None
        if op is None:
            return self._literal_problem(value)
        if data != 0.0 and not op.domain.condition and math.isfinite(data):
            return None
        numbers = [source.data for source in value.inputs]
        if any(number.__class__ is not float for number in numbers):
            return None
        return scalar_problem(op, numbers, data)

    def _literal_problem(self, value: Value) -> str | None:
        literal = self.values.literals.get(value)
        if literal is None or (value.data != 0.0 and not math.isinf(value.data)):
            return None
        if math.isinf(value.data):
            return OVERFLOW
        mantissa = self.source.text[literal.start : literal.end].lower().partition("e")[0]
        return UNDERFLOW if mantissa.strip("0._-+ ()xbo") else None

    def _unused(self) -> list[Note]:
        """A note for each value that the root does not depend on and that feeds nothing else.

        A statement that gives its value no name is noted, too, unless it is the last: nothing further down can use it.
        """
        root, origins = self.root, self.origins
        if root is None:
            return []
        used = set(topological_order(root))
        feeding = {source for value in origins for source in value.inputs}
        unused = [
            Note(f"{value.label} is not part of the result {root.label}".rstrip(), origin.line, origin.column)
            for value, origin in origins.items()
            if value in self.bound_names and value not in used and value not in feeding
        ]
        unused += [
            Note("this value is not part of the result: give it a name to use it", *self.source.place(bound.start))
            for value, bound in self.unnamed
            if value not in used and value not in self.bound_names
        ]
        return sorted(unused, key=lambda note: (note.line, note.column))


def _number_at(text: str) -> float | None:
    try:
        number = number_of(ast.parse(text, mode="eval").body)
        return None if number is None else float(number)
    except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
        return None


def _written(bound: Bound, thing: Any) -> list[tuple[str, ast.expr, Any]]:
    """For `x1, x2 = 2.0, 0.5` each name, the expression written for it and what it was given last."""
    if bound.value is not None or not isinstance(thing, tuple):
        return []
    given = dict(zip(dict.fromkeys(bound.names), thing, strict=False))
    parts = {target.id: part for target, part in assigned_parts(bound.node) if isinstance(target, ast.Name)}
    return [(name, part, given[name]) for name, part in parts.items() if name in given]


def _with_column(leaf: Leaf) -> Leaf:
    return replace(leaf, title=f"{leaf.name} (line {leaf.line}, column {leaf.column})")


def hidden_notes(source: Source) -> Iterable[Note]:
    """A note for each line whose comments or quoted text hold what cannot be seen."""
    notes: dict[int, Note] = {}
    for at in hidden_places(source.text):
        letter, (line, column) = source.text[at], source.place(at)
        effect = ", which shows this line in another order than it has" if turns_direction(letter) else ""
        message = f"invisible character U+{ord(letter):04X}{hidden_name(letter)}{effect}"
        notes.setdefault(line, Note(message, line, column))
    return list(notes.values())
