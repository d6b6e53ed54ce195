"""Names, places, roles and problems of the values of a run."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.autograd.backward import topological_order
from engine.autograd.naming import is_whole, name_of
from engine.autograd.printer import numbered
from engine.autograd.problems import OVERFLOW, scalar_problem
from engine.autograd.value import Constant, Value
from engine.language.decoding import nodes_in, whole_places
from engine.language.results import Leaf, Origin, Problem

LONGEST_NAME = 12
"""Characters of a name that is made of a formula; longer ones are made where they are shown."""
MOST_NAMED = 5_000
_INPUT_NAME = re.compile(r"x|(input|feature|t|target|y)_?[0-9]*$", re.IGNORECASE)
_PART_NAME = re.compile(r"[^\W\d]\w*(\[[^][]*\])*(\.\w+(\[[^][]*\])*)+$")
"""Name of a part of an object, such as `n.w[0]`; a sentence as a label, or one cut with `...`, is none."""


class Description:
    """Facts about the values of a run that depend on its text.

    Attributes:
        names: last binding of every name that is bound to a Value.
        root: value of the last assignment or expression that gives one.
        origins: the place of every value in the text, inputs before their consumers.
        roles: `input` or `parameter` for every leaf that is not a constant.
        leaves: names bound to a written number.
        problems: mathematical problems.
        not_computed: values that depend on a problem without a finite result.
    """

    def __init__(self, text: str, report: Mapping[str, Any], values: Sequence[Value]) -> None:
        self.values = values
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._length = len(text)
        self._text = text
        self._bindings: list[dict[str, Any]] = report["bindings"]
        self._places = [None if place is None else tuple(place) for place in report["places"]]
        self._variables: dict[str, Any] = dict(report["variables"])
        self._whole_places = whole_places(report["graph"])
        self.names = {
            name: values[encoded[-1]] for name, encoded in self._variables.items() if encoded[0] in ("node", "number")
        }
        self._bound: dict[int, Value] = self._find_bound()
        self.root = self._find_root(report)
        self._label()
        self.origins = self._find_origins()
        self.leaves = self._find_leaves()
        self.roles = self._find_roles()
        self.problems, self.not_computed = self._find_problems()

    # Names

    def _find_bound(self) -> dict[int, Value]:
        """Return the value that each binding gave its name last, by the number of the binding."""
        by_place: dict[Any, int] = {}
        for number, place in enumerate(self._places):
            if place is not None:
                by_place[place] = number
        last = {binding["name"]: number for number, binding in enumerate(self._bindings)}
        found = {}
        for number, binding in enumerate(self._bindings):
            node = by_place.get(tuple(binding["value"]))
            if node is not None:
                found[number] = self.values[node]
            elif last[binding["name"]] == number and binding["name"] in self.names:
                found[number] = self.names[binding["name"]]
        return found

    def _find_root(self, report: Mapping[str, Any]) -> Value | None:
        if report["last_node"] is not None:
            return self.values[int(report["last_node"])]
        computed = [value for value in self._bound.values() if value.op is not None]
        bound = computed or list(self._bound.values())
        if bound:
            return bound[-1]
        reached = [number for encoded in self._variables.values() for number in nodes_in(encoded)]
        return self.values[max(reached)] if reached else None

    def _label(self) -> None:
        """Give values the names that the program binds them to, else names of where they live or of their formula."""
        times: Counter[str] = Counter()
        in_all = Counter(binding["name"] for binding in self._bindings)
        for number, binding in enumerate(self._bindings):
            name = binding["name"]
            times[name] += 1
            value = self._bound.get(number)
            if value is not None and value.label in ("", name):
                value.label = numbered(name, times[name]) if in_all[name] > 1 else name
        for name, encoded in self._variables.items():
            self._label_parts(name, encoded)
        if len(self.values) <= MOST_NAMED:
            for value in self.values:
                if value.op is not None and not value.label:
                    name = name_of(value)
                    value.label = name if len(name) <= LONGEST_NAME and is_whole(name) else ""

    def _label_parts(self, path: str, encoded: Any) -> None:
        kind, *parts = encoded
        if kind in ("node", "number"):
            value = self.values[parts[-1]]
            if not value.label and not isinstance(value, Constant):
                value.label = path
        elif kind == "dict":
            for key, each in parts[0]:
                self._label_parts(f"{path}[{key!r}]", each)
        elif kind == "attributes":
            for name, each in parts[1]:
                self._label_parts(f"{path}.{name}", each)
        elif kind in ("list", "tuple"):
            for index, each in enumerate(parts[0]):
                self._label_parts(f"{path}[{index}]", each)

    # Places

    def offset(self, line: int, column: int) -> int:
        """Return the offset in the text of a line and a column, both from 1."""
        line = min(max(line, 1), len(self._starts))
        return min(self._starts[line - 1] + column - 1, self._length)

    def _find_origins(self) -> dict[Value, Origin]:
        origins: dict[Value, Origin] = {}
        parts: Counter[str] = Counter()
        place_of = dict(zip(self.values, self._places, strict=True))

        def claim(root: Value, key: str, statement: Sequence[int], whole: bool) -> None:
            for value in topological_order(root, known=origins.__contains__):
                if value is root and whole:
                    own = key
                else:
                    own = f"{key}.{parts[key]}"
                    parts[key] += 1
                line, column, end_line, end_column = place_of.get(value) or statement
                start, end = self.offset(line, column), self.offset(end_line, end_column)
                inside = statement[0] <= line <= statement[2]
                origins[value] = Origin(own, *((statement[0], statement[1]) if inside else (line, column)), start, end)

        times: Counter[str] = Counter()
        for number, binding in enumerate(self._bindings):
            times[binding["name"]] += 1
            count = times[binding["name"]]
            value = self._bound.get(number)
            if value is not None:
                key = binding["name"] if count == 1 else f"{binding['name']}#{count}"
                claim(value, key, binding["statement"], True)
        for value in [*([self.root] if self.root is not None else []), *self.values]:
            if value not in origins:
                key = "=" if value is self.root else value.label or "="
                times[key] += 1
                claim(
                    value, key if times[key] == 1 else f"{key}#{times[key]}", place_of.get(value) or (1, 1, 1, 1), True
                )
        return origins

    def _find_leaves(self) -> list[Leaf]:
        leaves: list[Leaf] = []
        times: Counter[str] = Counter()
        in_all = Counter(binding["name"] for binding in self._bindings)
        in_loops = {binding["name"] for binding in self._bindings if binding["in_loop"]}
        for number, binding in enumerate(self._bindings):
            name = binding["name"]
            times[name] += 1
            if binding["in_loop"] or binding["number"] is None or not math.isfinite(binding["written"]):
                continue
            value = self._bound.get(number)
            encoded = self._variables.get(name, ("",))
            if value is None and not (encoded[0] == "plain" and isinstance(encoded[1], float)):
                continue  # whole numbers may be counts, which no slider changes
            if value is not None and value.op is not None:
                continue
            if any((leaf.line, leaf.column) == binding["number"][:2] for leaf in leaves):
                continue  # `a = b = 2.0`: one number, one slider
            line, column, end_line, end_column = binding["number"]
            start, end = self.offset(line, column), self.offset(end_line, end_column)
            if name in in_loops and self._text[start:end].lstrip("+- ").isdecimal():
                continue  # a count
            key = name if times[name] == 1 else f"{name}#{times[name]}"
            title = f"{name} (line {line})" if in_all[name] > 1 else name
            leaf = Value(binding["written"], name) if value is None else value
            is_whole = binding["value"] == binding["number"] and self._text[start:end].lstrip("+- ").isdecimal()
            leaves.append(Leaf(name, key, title, leaf, binding["written"], line, column, start, end, is_whole))
        titles = Counter(leaf.title for leaf in leaves)
        return [
            replace(leaf, title=f"{leaf.name} (line {leaf.line}, column {leaf.column})")
            if titles[leaf.title] > 1
            else leaf
            for leaf in leaves
        ]

    # Roles, problems

    def _find_roles(self) -> dict[Value, str]:
        """Return the role of each leaf by its name; names such as `x1` or `target` are inputs."""
        leaves = [value for value in self.origins if value.op is None and value.__class__ is Value]
        inputs = [leaf for leaf in leaves if _INPUT_NAME.match(leaf.label)]
        if not any(leaf.label[:1] in ("x", "X") for leaf in inputs):
            own = {leaf: "parameter" for leaf in leaves if not leaf.label or _PART_NAME.match(leaf.label)}
            return dict.fromkeys(leaves, "input") | own
        return dict.fromkeys(leaves, "parameter") | dict.fromkeys(inputs, "input")

    def _find_problems(self) -> tuple[list[Problem], frozenset[Value]]:
        problems: list[Problem] = []
        undefined: set[Value] = set()
        whole = {self.values[place] for place in self._whole_places if place < len(self.values)}
        for value, origin in self.origins.items():
            message = BEYOND_FLOATS if value in whole and math.isinf(value.data) else _problem_of(value)
            if message is None:
                if undefined and not undefined.isdisjoint(value.inputs):
                    undefined.add(value)
                continue
            if not math.isfinite(value.data):
                undefined.add(value)
            line = bisect_right(self._starts, origin.start)
            problems.append(Problem(message, line, origin.start - self._starts[line - 1] + 1, value))
        causes = {problem.value for problem in problems}
        return sorted(problems, key=lambda problem: problem.line), frozenset(undefined - causes)


BEYOND_FLOATS = "a whole number larger than a float can be (1.8e308): the graph shows it as ∞"


def _problem_of(value: Value) -> str | None:
    data, op = value.data, value.op
    if data.__class__ is not float:
        return None
    if op is None:
        return OVERFLOW if math.isinf(data) else None
    if data != 0.0 and not op.domain.condition and math.isfinite(data):
        return None
    numbers = [source.data for source in value.inputs]
    if any(number.__class__ is not float for number in numbers):
        return None
    return scalar_problem(op, numbers, data)
