"""The walk line by line: a program as it stood after so many of its statements.

Everything is put together from what each statement said when it was run (`StatementStep`), always from the start: so
the state after a statement does not depend on which way one came to it.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.autograd.backward import topological_order
from engine.autograd.value import Value
from engine.language.decoding import OtherObject, values_in
from engine.language.results import Evaluation, Printed, StatementStep

_NOT_SHOWN = ("function", "<deleted>")
"""Kinds of objects that are not among the variables: functions, and what stands for a name without a value."""
_NAME = re.compile(r"[\w.]+")
"""Labels that are names, not formulas."""


@dataclass
class _State:
    """State of a program after some statements.

    Attributes:
        names: what each name stands for, outside of functions.
        local: the same in the call that the last statement belongs to.
        function: of that call; "" outside.
        numbers: data and gradient of every value that was made.
        whole_numbers: those of them whose data were whole numbers (`int`) in the program.
        made_by: for each value its key as the statement that made it gives it, and that statement.
        root: the value with a name that was made last.
    """

    names: dict[str, Any] = field(default_factory=dict)
    local: dict[str, Any] = field(default_factory=dict)
    function: str = ""
    numbers: dict[Value, tuple[Any, Any]] = field(default_factory=dict)
    whole_numbers: set[Value] = field(default_factory=set)
    made_by: dict[Value, tuple[str, StatementStep]] = field(default_factory=dict)
    root: Value | None = None


def after_statements(evaluation: Evaluation, position: int) -> Evaluation:
    """Return the program as it stood then: its variables, its graph, with values of its own, and its output.

    Args:
        evaluation: of a run that was recorded.
        position: how many of its statements are done, from 0 to all that are kept.
    """
    state = _state(evaluation.statements[:position])
    shown = {**state.names, **{f"{name} (in {state.function})": thing for name, thing in state.local.items()}}
    roots = [*([state.root] if state.root is not None else []), *values_in(list(shown.values()))]
    order = topological_order(*roots)
    twins = _twins(order, state)
    variables = {name: with_twins(thing, twins) for name, thing in shown.items() if not _is_left_out(thing)}
    keys = _keys(order, state)
    known_roles = {origin.key: evaluation.roles[value] for value, origin in evaluation.origins.items()
                   if value in evaluation.roles}  # fmt: skip
    for name, thing in {**state.names, **state.local}.items():
        if isinstance(thing, Value) and not _NAME.fullmatch(twins[thing].label):
            twins[thing].label = name
    return Evaluation(
        names={name: thing for name, thing in variables.items() if isinstance(thing, Value)},
        root=twins[state.root] if state.root is not None else None,
        problems=[replace(each, value=twins[each.value]) for each in evaluation.problems if each.value in twins],
        origins={twins[value]: evaluation.origins[value]._replace(key=key) for value, key in keys.items()},
        roles={twins[value]: known_roles[key] for value, key in keys.items() if key in known_roles},
        not_computed=frozenset(twins[value] for value in evaluation.not_computed if value in twins),
        whole_numbers=frozenset(twins[value] for value in state.whole_numbers if value in twins),
        output=tuple(_printed(evaluation.output, position, evaluation.statements)),
        variables=variables,
        engine_check=_rules_used(evaluation, twins),
        own_gradients=True,
        in_progress=True,
    )


def _rules_used(evaluation: Evaluation, twins: Mapping[Value, Value]) -> tuple[Any, ...] | None:
    """Return the judgements of rules whose values have had a gradient to pass on by then."""
    if evaluation.engine_check is None:
        return None
    rows = [replace(row, value=twins[row.value]) for row in evaluation.engine_check if row.value in twins]
    return tuple(row for row in rows if row.value.known_grad is not None and np.any(row.value.known_grad))


def _state(steps: tuple[StatementStep, ...]) -> _State:
    state, frames = _State(), dict[int, dict[str, Any]]()
    keys: dict[str, list[int]] = {}
    for step in steps:
        frame = frames.setdefault(step.call, {})
        frame.update(step.changed)
        for call, name, thing in step.elsewhere:
            frames.setdefault(call, {})[name] = thing
        state.numbers.update(step.values)
        state.whole_numbers.difference_update(step.values)
        state.whole_numbers.update(step.whole_numbers)
        for name, thing in step.changed.items():
            key = _key(name, step, keys)
            for value in values_in(thing):
                state.root = value if value is thing and value not in state.made_by else state.root
                _claim(value, value is thing, key, step, state)
    if steps:
        state.function = steps[-1].function
        state.local = frames[steps[-1].call] if steps[-1].call else {}
    state.names = frames.get(0, {})
    return state


def _key(name: str, step: StatementStep, keys: dict[str, list[int]]) -> str:
    """Return the key of a value that a statement gives this name: the same in each run of the statement."""
    called = f"{name}@{step.function}" if step.function else name
    places = keys.setdefault(called, [])
    if step.start not in places:
        places.append(step.start)
    number = places.index(step.start) + 1
    return called if number == 1 else f"{called}#{number}"


def _claim(root: Value, is_whole: bool, key: str, step: StatementStep, state: _State) -> None:
    """Assign the values that no earlier statement has to a statement."""
    fresh = topological_order(root, known=state.made_by.__contains__)
    for index, value in enumerate(fresh):
        own = key if is_whole and value is root else f"{key}.{index}"
        state.made_by[value] = own, step


def _keys(order: list[Value], state: _State) -> dict[Value, str]:
    """Return a key for each value: that of its statement, numbered where one run of it made several."""
    keys: dict[Value, str] = {}
    taken: Counter[str] = Counter()
    place = {value: number for number, value in enumerate(state.made_by)}
    for value in sorted((each for each in order if each in state.made_by), key=place.__getitem__):
        key = state.made_by[value][0]
        taken[key] += 1
        keys[value] = key if taken[key] == 1 else f"{key}@{taken[key]}"
    return keys


# Values of their own


def _twins(order: list[Value], state: _State) -> dict[Value, Value]:
    """Copies of the values with the numbers that they had then."""
    memo: dict[int, Any] = {}
    twins = dict(zip(order, copy.deepcopy(order, memo), strict=True))
    for value, twin in twins.items():
        twin.data, twin.grad = state.numbers.get(value, (value.data, value.known_grad))
    return twins


def with_twins(thing: Any, twins: Mapping[Value, Value]) -> Any:
    """Return an object of the program with Values replaced by their twins."""
    if isinstance(thing, Value):
        return twins.get(thing, thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(with_twins(each, twins) for each in thing)
    return {key: with_twins(each, twins) for key, each in thing.items()} if isinstance(thing, dict) else thing


def _is_left_out(thing: Any) -> bool:
    return isinstance(thing, OtherObject) and thing.kind in _NOT_SHOWN


def _printed(output: tuple[Printed, ...], position: int, steps: tuple[StatementStep, ...]) -> Iterator[Printed]:
    """Yield the output of the first statements."""
    left = steps[position - 1].printed if position else 0
    for piece in output:
        if left <= 0:
            return
        yield piece._replace(text=piece.text[:left])
        left -= len(piece.text)
