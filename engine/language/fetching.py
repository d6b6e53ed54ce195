"""From the sandbox's records to Values of ours: graphs, variables, plots, moments, with the numbers the program made.

What comes from the sandbox is plain data, and a program may have changed any object behind it: everything is looked at
before it is used. What cannot be true (data that are not numbers, a value that is its own input) is left out and noted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from engine.autograd.ops import OPS, Op, along_axis, at_index
from engine.autograd.value import Constant, Value, node
from engine.language.limits import Limits
from engine.language.own_engine.values import own_operation
from engine.language.reading import Reading
from engine.language.results import LoopSeries, Moment, Plot, Series, StatementStep
from engine.language.rewriting.step_recording import StepPlace
from engine.language.sandbox_session import SandboxSession
from engine.language.words import OWN
from engine.messages import visible
from engine.quick_dataclass import dataclass

PIECE = 20_000
CONSTANT, TRACKED = 1, 2
_MOST_LABEL = 64


class TooManyValues(Exception):
    """The graph that is to be shown reaches more values than are allowed."""


@dataclass
class Fetched:
    """What was found in the sandbox after a run.

    Attributes:
        values: every value that something reaches, inputs before what they feed.
        bound: for the number of each statement that was run what it bound last, as `Told` says.
        variables: for each name what stands behind it.
        tracked: for names of numbers that are drawn like Values, the value.
        plots: what was plotted.
        moments: the graphs after calls of `backward()`.
        changed: leaves whose data were changed after the last of them, with the data of now; the values have the data
            that they had then, which the rest was computed from.
        series: what variables were in the iterations of loops.
        statements: the walk line by line, where it was recorded.
        n_statements: how many statements were run, where that was recorded.
        remarks: what was left out because it cannot be true.
    """

    values: list[Value] = field(default_factory=list)
    bound: dict[int, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    tracked: dict[str, Value] = field(default_factory=dict)
    plots: tuple[Plot, ...] = ()
    moments: tuple[Moment, ...] = ()
    changed: dict[Value, float] = field(default_factory=dict)
    series: tuple[LoopSeries, ...] = ()
    statements: tuple[StatementStep, ...] = ()
    n_statements: int = 0
    remarks: list[str] = field(default_factory=list)


class OtherObject:
    """An object of the program that is neither a number nor a collection of them.

    Attributes:
        kind: the name of its class.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def fetch(session: SandboxSession, reading: Reading, limits: Limits) -> Fetched:
    """Everything there is to show of a program that was run.

    Raises:
        TooManyValues: when the values that are bound reach more than are allowed.
        What `SandboxSession.run` raises.
    """
    most = limits.values
    statements = tuple(bound.number for bound in reversed(reading.bound))
    told = session.run(
        f"({OWN}bound({statements!r}, {most}), {OWN}variables({OWN}python_locals(), {tuple(reading.names)!r}, {most}), "
        f"{OWN}series(), {OWN}plots(), {OWN}moments(), {OWN}steps(), {OWN}changed_since(), {OWN}py_len({OWN}NODES))"
    )
    bound, variables, series, plots, moments, steps, changed, count = told
    found = Fetched()
    found.values = _fetched_values(session, _whole(count), dict(zip(*changed, strict=True)), found)
    for number, thing in bound:
        found.bound[number] = _decoded(thing, found.values)
    for name, thing in variables:
        found.variables[str(name)] = _decoded(thing, found.values)
        if thing[0] == "tracked" and 0 <= thing[1] < len(found.values):
            found.tracked[str(name)] = found.values[thing[1]]
    kept, found.n_statements = steps[0], _whole(steps[1])
    found.statements = tuple(_steps(kept, found, reading.steps))
    found.series = _loop_series(series, reading)
    found.plots = tuple(_plot(plot) for plot in plots)
    found.moments = _moments(session, moments, reading, found.values)
    return found


def object_keys(session: SandboxSession, count: int) -> list[int]:
    """What tells the objects apart that `fetch` found, in the order of their values."""
    keys: list[int] = []
    for start in range(0, count, PIECE):
        keys += session.run(f"[{OWN}py_id(value) for value in {OWN}NODES[{start}:{start + PIECE}]]")
    return keys


def _whole(number: Any) -> int:
    return number if isinstance(number, int) and number >= 0 else 0


# Values


def _fetched_values(session: SandboxSession, count: int, changed: Mapping[int, float], found: Fetched) -> list[Value]:
    """All values, those that were changed with the data from before: from these it is told what made the others."""
    values: list[Value] = []
    for start in range(0, count, PIECE):
        kinds, ops, sources, data, grads, labels = session.run(f"{OWN}nodes({start}, {start + PIECE})")
        then = [changed.get(place, now) for place, now in enumerate(data, start)]
        _build(values, (kinds, ops, sources, then, grads, labels), found.remarks)
        for place in changed.keys() & range(start, start + len(data)):
            found.changed[values[place]] = _data(data[place - start], found.remarks)
    return values


def _build(values: list[Value], piece: Sequence[Sequence[Any]], remarks: list[str]) -> None:
    """Adds the values of a piece to those that were built before it."""
    for kind, op, sources, data, grad, label in zip(*piece, strict=True):
        value = _value(kind, op, sources, data, values, remarks)
        if grad is not None:
            value.grad = _gradient(grad, value)
        if label:
            value.label = visible(label, _MOST_LABEL)
        values.append(value)


def _value(
    kind: Any, name: str, sources: Sequence[int], data: Any, values: Sequence[Value], remarks: list[str]
) -> Value:
    data = data if data.__class__ is float else _data(data, remarks)
    if not sources:
        return Constant(data) if kind == CONSTANT else Value(data)
    known = len(values)
    inputs = [values[source] for source in sources if 0 <= source < known]
    if len(inputs) < len(sources):
        _remark(remarks, "a value is among its own inputs: that edge is left out")
        if not inputs:
            return Value(data)
    if isinstance(kind, str):
        return own_operation(name, inputs, data)
    return _computed(name, inputs, data, remarks)


def _computed(name: str, inputs: list[Value], data: Any, remarks: list[str]) -> Value:
    op = OPS.get(name)
    if op is not None and op.arity == len(inputs):
        return node(data, op, *inputs)
    if op is not None and op.paired and len(inputs) % 2 == 1 and len(inputs) >= 3:
        n = len(inputs) // 2
        return node(data, op, (*inputs[:n], inputs[-1]), tuple(inputs[n:-1]))
    if op is not None and op.variadic and not op.paired:
        return node(data, op, tuple(inputs))
    settled = _with_settings(name)
    if settled is not None and len(inputs) == 1:
        return node(data, settled, inputs[0])
    _remark(remarks, f"a value was changed to be of the operation {visible(repr(name), 30)}: it is shown as a leaf")
    return Value(data)


def _with_settings(name: str) -> Op | None:
    """The operation of a name such as `sum:0`, `mean:1k` with `keepdims`, or `getitem:1,2`."""
    base, _, setting = name.partition(":")
    op = OPS.get(base)
    if op is None or not op.settings:
        return None
    try:
        numbers = tuple(int(part) for part in setting.removesuffix("k").split(",") if part)
    except ValueError:
        return None
    if "index" in dict(op.settings):
        return at_index(numbers[0] if len(numbers) == 1 else numbers)
    return along_axis(op, numbers[0] if numbers else None, keepdims=setting.endswith("k"))


def _data(data: Any, remarks: list[str]) -> Any:
    """A float or an array; nan, and a remark, for what cannot be data."""
    if isinstance(data, float):
        return data
    if isinstance(data, tuple) and data and data[0] == "array":
        array = _array(data)
        if array is not None:
            return array
    kind = data[1] if isinstance(data, tuple) and len(data) > 1 and isinstance(data[1], str) else "nothing"
    _remark(remarks, f"the data of a value is not a number, but of the type {visible(kind, 30)}: it is shown as nan")
    return math.nan


def _array(told: Sequence[Any]) -> Any:
    try:
        shape = tuple(int(n) for n in told[1])
        array = np.array(told[2], dtype=np.float64).reshape(shape)
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.ndim else float(array)


def _gradient(grad: Any, value: Value) -> Any:
    if isinstance(grad, float):
        return grad if value.data.__class__ is float else np.full(value.shape, grad)
    if isinstance(grad, tuple) and grad and grad[0] == "array":
        array = _array(grad)
        return array if np.shape(array) == value.shape else None
    return None


def _remark(remarks: list[str], text: str) -> None:
    if text not in remarks:
        remarks.append(text)


# Everything else


def _decoded(told: Any, values: Sequence[Value]) -> Any:
    """An object of the program as one of ours: numbers, texts, collections, Values."""
    kind, *parts = told
    if kind == "plain":
        return parts[0]
    if kind == "tracked":
        return parts[1]
    if kind == "value":
        if parts[0] < 0 or parts[0] >= len(values):
            raise TooManyValues
        return values[parts[0]]
    if kind == "array":
        return _array(told)
    if kind == "dict":
        return {key: _decoded(each, values) for key, each in parts[0]}
    if kind in ("list", "tuple", "set", "frozenset"):
        items = [_decoded(each, values) for each in parts[0]]
        return tuple(items) if kind == "tuple" else items
    return OtherObject(visible(str(parts[0]).removeprefix(OWN), 40))


def values_in(thing: Any, depth: int = -1) -> Iterator[Value]:
    """The Values in an object of the program, so many collections inside each other looked into; -1: all of them."""
    if isinstance(thing, Value):
        yield thing
    elif depth and isinstance(thing, (list, tuple)):
        for each in thing:
            yield from values_in(each, depth - 1)
    elif depth and isinstance(thing, dict):
        yield from values_in(list(thing.values()), depth)


def _steps(kept: Sequence[Any], found: Fetched, places: Sequence[StepPlace]) -> Iterator[StatementStep]:
    """The statements up to the first that reaches more values than were fetched."""
    with suppress(TooManyValues):
        for told in kept:
            yield _step(told, found.values, places)


def _step(told: Sequence[Any], values: Sequence[Value], places: Sequence[StepPlace]) -> StatementStep:
    number, call, names, indices, data, grads, printed = told
    place, remarks = places[number], list[str]()
    decoded = [(where, str(name), _decoded(thing, values), size) for where, name, thing, size in names]
    numbers = {
        values[index]: (_data(new, remarks), None if grad is None else _gradient(grad, values[index]))
        for index, new, grad in zip(indices, data, grads, strict=True)
    }
    return StatementStep(
        place.line,
        {name: thing for where, name, thing, _ in decoded if where == call},
        {name: float(size) for where, name, _, size in decoded if where == call and size is not None},
        place.start,
        place.end,
        place.function,
        call,
        tuple((where, name, thing) for where, name, thing, _ in decoded if where != call),
        numbers,
        _whole(printed),
    )


def _plot(told: Sequence[Any]) -> Plot:
    title, x, y, series = told
    rows = tuple(
        Series(str(kind), tuple(map(float, xs)), tuple(map(float, ys)), visible(str(label), 64))
        for kind, xs, ys, label in series
    )
    return Plot(visible(str(title), 200), visible(str(x), 200), visible(str(y), 200), rows)


def _loop_series(told: Sequence[Any], reading: Reading) -> tuple[LoopSeries, ...]:
    made = []
    for number, rows in told:
        loop = reading.loops[number]
        for name, row in zip(loop.names, rows, strict=False):
            numbers = tuple(math.nan if y is None else float(y) for _, y in row)
            if any(y == y for y in numbers):
                made.append(LoopSeries(name, loop.line, loop.name, tuple(int(x) for x, _ in row), numbers))
    return tuple(made)


def _moments(
    session: SandboxSession, told: Sequence[Any], reading: Reading, values: Sequence[Value]
) -> tuple[Moment, ...]:
    graphs: list[Any] = []
    while len(graphs) < len(told):
        graphs += session.run(f"{OWN}moments_from({len(graphs)}, {PIECE})")
    known = _objects(session, values) if graphs else {}
    return tuple(
        Moment(
            _whole(line), _label_of(count, loops, line, reading), partial(_values_of, graph),
            {place: known[key] for place, key in enumerate(keys) if key in known},
        )
        for (count, loops, line), (*graph, keys) in zip(told, graphs, strict=True)
    )  # fmt: skip


def _objects(session: SandboxSession, values: Sequence[Value]) -> dict[int, Value]:
    """The values by what tells their objects apart; none where that would be too many."""
    return dict(zip(object_keys(session, len(values)), values, strict=False)) if len(values) <= PIECE else {}


def _values_of(graph: Sequence[Any]) -> Sequence[Value]:
    values: list[Value] = []
    _build(values, graph, [])
    return values or [Value(math.nan)]


def _label_of(count: int, loops: Sequence[Any], line: int, reading: Reading) -> str:
    """`k = 3` in a loop over k, `iteration 3` in another loop, else which call of `backward()` it is."""
    around = [
        (reading.loops[number], laps, value)
        for number, laps, value in loops
        if line == 0 or _holds(reading, reading.loops[number].start, reading.loops[number].end, line)
    ]
    if not around:
        return f"backward() {count + 1}"
    loop, laps, value = max(around, key=lambda each: each[0].start)
    if loop.name and isinstance(value, (int, float, str)):
        return f"{loop.name} = {visible(str(value), 20)}"
    return f"iteration {laps - 1}"


def _holds(reading: Reading, start: int, end: int, line: int) -> bool:
    return reading.source.place(start)[0] <= line <= reading.source.place(end)[0]
