"""`evaluate(text)`: what a program text means, as Values with their names, places and roles."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from engine.autograd.backward import collector_paused, topological_order
from engine.autograd.value import Value
from engine.language.builder import Builder
from engine.language.hidden import hidden_name, hidden_places, turns_direction
from engine.language.source import Source, tokenize
from engine.language.statements import Note, StatementReader

_INPUT_NAME = re.compile(r"x|(input|feature|t|target|y)_?[0-9]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Problem:
    """A mathematical problem at the node that caused it.

    Attributes:
        message: one sentence, such as `division by zero`.
        line: from 1.
        column: from 1, where the operation stands.
        label: the node's label, may be empty.
        value: the node.
    """

    message: str
    line: int
    column: int
    label: str
    value: Value


@dataclass(frozen=True, slots=True)
class Leaf:
    """A name whose number stands in the text, so that a slider can change it.

    Attributes:
        name: the name it is bound to.
        key: the same for one leaf while other lines are edited (see `Origin`): `a`, `a#2` for the second `a`.
        title: what a slider is called: the name, with its line where the name has other values, too.
        value: the leaf.
        number: its data.
        line: from 1.
        column: from 1, where the number (with its sign) begins.
        end_column: one past its last column.
        start: offset of the number in the text.
        end: offset behind it.
    """

    name: str
    key: str
    title: str
    value: Value
    number: float
    line: int
    column: int
    end_column: int
    start: int
    end: int


class Origin(NamedTuple):
    """Where a value comes from in the text.

    Attributes:
        key: a name for the node that stays the same while other lines are edited: `n`, `n#2` for the second `n`,
            `n.0` for the first unnamed part of the statement that makes `n`.
        line: line of its statement, from 1.
        column: column of its statement, from 1.
        end_line: line where the statement ends.
        end_column: one past the statement's last column.
        start: offset of the value's own expression in the text.
        end: offset behind it.
    """

    key: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int


@dataclass(frozen=True)
class Evaluation:
    """What a program text means.

    Attributes:
        names: the value each name stands for at the end.
        root: value of the last assignment or expression; None for a text without one.
        notes: lines that were set aside, values that are not part of the result, characters that cannot be seen.
        problems: mathematical problems, in the order of the text.
        leaves: the names bound to a finite number in the text, in its order.
        origins: where every value comes from; its order is that of creation.
        roles: for every leaf that is not a constant, `input` or `parameter`.
        not_computed: values that depend on a problem without a finite result: their data mean nothing.
    """

    names: Mapping[str, Value] = field(default_factory=dict)
    root: Value | None = None
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    origins: Mapping[Value, Origin] = field(default_factory=dict)
    roles: Mapping[Value, str] = field(default_factory=dict)
    not_computed: frozenset[Value] = frozenset()


def evaluate(text: str) -> Evaluation:
    """The graph that a program of the little language describes.

    Nothing of the text is ever run by Python: a parser of our own builds Values and knows nothing else. At most 20,000
    characters, 500 lines, 5,000 values and a nesting of 100 (200 for bare parentheses).

    Raises:
        ProgramError: with line and column, when the text is not a program.
    """
    with collector_paused():
        source = Source(text)
        program = StatementReader(source, tokenize(source))
        program.run()
        return _described(source, program)


def replace_number(text: str, leaf: Leaf, number: float) -> str:
    """The text with the number of `leaf` replaced by the shortest decimal that means `number`.

    Raises:
        ValueError: when `number` is not finite, or the text has changed under the leaf.
    """
    if not math.isfinite(number):
        raise ValueError(f"a program holds finite numbers only, not {number}")
    if not re.search(r"[0-9]|pi|e", text[leaf.start : leaf.end]):
        raise ValueError(f"the text no longer has a number for {leaf.name} in line {leaf.line}")
    return text[: leaf.start] + repr(float(number)) + text[leaf.end :]


def _described(source: Source, program: StatementReader) -> Evaluation:
    builder = program.builder
    roles = _roles(builder)
    return Evaluation(
        names=dict(builder.names),
        root=program.root,
        notes=program.notes + _unused(source, program) + _hidden(source),
        problems=_problems(source, builder),
        leaves=_leaves(source, builder),
        origins=_origins(source, builder),
        roles=roles,
        not_computed=frozenset(builder.undefined.difference(builder.problems)),
    )


def _origins(source: Source, builder: Builder) -> dict[Value, Origin]:
    origins: dict[Value, Origin] = {}
    places: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for made, key, statement in builder.made:
        place = places.get(statement)
        if place is None:
            place = places[statement] = (*source.place(statement[0]), *source.place(statement[1]))
        origins[made.value] = Origin(key, *place, made.start, made.end)
    return origins


def _problems(source: Source, builder: Builder) -> list[Problem]:
    return [
        Problem(builder.problems[made.value], *source.place(made.at), made.value.label, made.value)
        for made, _, _ in builder.made
        if made.value in builder.problems
    ]


def _leaves(source: Source, builder: Builder) -> list[Leaf]:
    keys = {made.value: key for made, key, _ in builder.made}
    leaves = []
    for value, name in builder.bound.items():
        literal = builder.literals.get(value)
        if literal is not None and value.op is None and math.isfinite(value.data):
            start, end = literal
            line, column = source.place(start)
            title = f"{name} (line {line})" if builder.is_bound_again(name) else name
            leaves.append(
                Leaf(name, keys[value], title, value, value.data, line, column, column + end - start, start, end)
            )
    titles = Counter(leaf.title for leaf in leaves)
    return [leaf if titles[leaf.title] == 1 else _with_column(leaf) for leaf in leaves]


def _with_column(leaf: Leaf) -> Leaf:
    return replace(leaf, title=f"{leaf.name} (line {leaf.line}, column {leaf.column})")


def _roles(builder: Builder) -> dict[Value, str]:
    """Names such as `x1` or `target` are inputs, and beside them all other leaves are parameters."""
    leaves = [made.value for made, _, _ in builder.made if made.value.op is None and made.value.__class__ is Value]
    inputs = [leaf for leaf in leaves if _INPUT_NAME.match(builder.bound.get(leaf, leaf.label))]
    if not any(builder.bound.get(leaf, leaf.label)[:1] in ("x", "X") for leaf in inputs):
        return dict.fromkeys(leaves, "input")
    return dict.fromkeys(leaves, "parameter") | dict.fromkeys(inputs, "input")


def _unused(source: Source, program: StatementReader) -> list[Note]:
    """A note for each value that the root does not depend on and that feeds nothing else.

    A statement that gives its value no name is noted, too, unless it is the last: nothing further down can use it.
    """
    builder, root = program.builder, program.root
    if root is None:
        return []
    used = set(topological_order(root))
    feeding = {source for made, _, _ in builder.made for source in made.value.inputs}
    unused = [
        Note(f"{made.value.label} is not part of the result {root.label}".rstrip(), *source.place(statement[0]))
        for made, _, statement in builder.made
        if made.value in builder.bound and made.value not in used and made.value not in feeding
    ]
    unused += [
        Note("this value is not part of the result: give it a name to use it", *source.place(first.start))
        for value, first in program.unnamed
        if value not in used and value not in builder.bound
    ]
    return sorted(unused, key=lambda note: (note.line, note.column))


def _hidden(source: Source) -> list[Note]:
    """A note for each line whose comments or quoted text hold what cannot be seen."""
    notes: dict[int, Note] = {}
    for at in hidden_places(source.text):
        letter, (line, column) = source.text[at], source.place(at)
        effect = ", which shows this line in another order than it has" if turns_direction(letter) else ""
        message = f"invisible character U+{ord(letter):04X}{hidden_name(letter)}{effect}"
        notes.setdefault(line, Note(message, line, column))
    return list(notes.values())
