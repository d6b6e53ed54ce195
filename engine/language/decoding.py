"""Decoder of the report of the sandbox: Values, variables, moments, plots, statements.

A program may have changed any object behind the report, so everything is checked before it is used. What cannot be
true, such as a value among its own inputs, is left out.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from engine.autograd.ops import OPS, Op, along_axis, at_index
from engine.autograd.value import Constant, Value, node
from engine.language.array_operations import ARRAY_OPERATIONS
from engine.language.known_operations import fitting_operations, linearised, own_operation, unlisted_operation
from engine.language.pass_check import local_derivatives
from engine.language.results import BackwardCall, KnownNames, LoopSeries, Plot, Series, StatementStep
from engine.messages import visible

LEAF, CONSTANT, COMPUTED, OWN = range(4)
"""Kinds of nodes in a report, as in `guest/graphs.py`."""
LONGEST_LABEL = 64


class UnreadableReport(ValueError):
    """A report that no run of ours writes: the program has changed what writes it."""


_ERROR_NUMBERS = ("line", "column", "end_line", "end_column")
_PARTS = ("places", "variables", "bindings", "moments", "plots", "series", "statements", "notes", "local_variables")


def checked(loaded: Any) -> dict[str, Any]:
    """Return a report whose parts have the right types; missing parts are empty.

    Raises:
        UnreadableReport: when it is no report.
    """
    try:
        report: dict[str, Any] = dict(loaded)
        if report.get("error") is None and "graph" not in report:
            raise ValueError("a report without an error has a graph")
        report["error"] = _checked_error(report.get("error"))
        if "graph" not in report:
            return {"error": report["error"], "notes": _checked_notes(report.get("notes", ()))}
        report |= {name: list(report.get(name, ())) for name in _PARTS}
        report["notes"] = _checked_notes(report["notes"])
        report["variables"] = [(_text(name), thing) for name, thing in report["variables"]]
        report["bindings"] = [_checked_binding(binding) for binding in report["bindings"]]
        report["places"] = [None if place is None else _place(place, 4) for place in report["places"]]
        shown = report.get("displayed")
        report["displayed"] = None if shown is None else (_whole(shown[0]), _text(shown[1]))
        last = report.get("last_node")
        report["last_node"] = None if last is None else _whole(last)
        report["n_statements"] = _whole(report.get("n_statements", 0))
        report["known_names"] = _checked_names(report.get("known_names", {}))
        return report
    except UNREADABLE as error:
        raise UnreadableReport(str(error)) from error


UNREADABLE = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    RecursionError,
    MemoryError,
    AssertionError,
)
"""Exceptions that decoding raises for a report that the program has changed."""


def _checked_error(error: Any) -> dict[str, Any] | None:
    if error is None:
        return None
    encoded: dict[str, Any] = {name: _line_or_none(error.get(name, 0)) for name in _ERROR_NUMBERS}
    encoded |= {name: _text(error.get(name, ""))[:5_000] for name in ("kind", "message")}
    calls = [(_text(name)[:200], _whole(line)) for name, line in error.get("calls", ())]
    return {**error, **encoded, "calls": calls}


def _line_or_none(number: Any) -> int:
    """Return a line or column; 0 for an invalid one."""
    return number if type(number) is int and 0 < number < 1 << 31 else 0


def _checked_notes(notes: Any) -> list[tuple[str, int]]:
    return [(_text(text), _whole(line)) for text, line in [*notes][:100]]


def _checked_names(encoded: Mapping[str, Any]) -> KnownNames:
    lists = [_texts(names) for names in encoded.get("lists", ())]
    attributes = {_text(name): _texts(names) for name, names in encoded.get("modules", {}).items()}
    attributes |= {_text(path): lists[_whole(place)] for path, place in encoded.get("paths", {}).items()}
    return KnownNames(attributes, _texts(encoded.get("importable", ())))


def _texts(texts: Any) -> tuple[str, ...]:
    return tuple(map(_text, texts))


def _checked_binding(binding: Any) -> dict[str, Any]:
    number = binding["number"]
    return {
        **binding,
        "name": _text(binding["name"]),
        "value": _place(binding["value"], 4),
        "statement": _place(binding["statement"], 4),
        "number": None if number is None else _place(number, 4),
        "written": float(binding["written"]) if number is not None else binding["written"],
        "in_loop": bool(binding["in_loop"]),
    }


def _place(numbers: Any, count: int) -> tuple[int, ...]:
    if len(numbers) != count:
        raise ValueError("a place has four numbers")
    return tuple(map(_whole, numbers))


def _whole(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 1 << 31:
        raise ValueError("not a whole number from 0")
    return number


def _text(text: Any) -> str:
    if type(text) is not str:
        raise ValueError("not a text")
    return text


class OtherObject:
    """An object of the program that is neither a number nor a collection of them.

    Attributes:
        kind: name of its class.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def decode_graph(
    columns: Mapping[str, Any],
    slopes: Mapping[int, Sequence[float]] | None = None,
    then: Mapping[int, float] | None = None,
) -> list[Value]:
    """Return the values of a reported graph, inputs before their consumers, with gradients and labels.

    Args:
        columns: the graph of the report.
        slopes: derivatives of numbers of a learner's own class by their inputs, as they were measured.
        then: data that leaves had when the rest was computed from them; operations are recognised by these.

    Raises:
        ValueError: when the columns do not fit together.
    """
    try:
        kinds = base64.b64decode(columns["kinds"])
        known = base64.b64decode(columns["has_grad"])
        ops, counts, sources = (_numbers(columns[name], np.int32) for name in ("ops", "input_counts", "inputs"))
        data, grads = (_numbers(columns[name], np.float64) for name in ("data", "grads"))
        names = [str(name) for name in columns["op_names"]]
        arrays, array_grads = (
            {int(index): _array(array) for index, array in columns[name].items()} for name in ("arrays", "array_grads")
        )
        labels = {int(index): visible(str(label), LONGEST_LABEL) for index, label in columns["labels"].items()}
    except (KeyError, TypeError, binascii.Error) as error:
        raise ValueError(f"a graph that cannot be read: {error}") from error
    if not len(kinds) == len(known) == len(ops) == len(counts) == len(data) == len(grads):
        raise ValueError("the columns of a graph have different lengths")
    now = {index: data[index] for index in then or () if index < len(data) and index not in arrays}
    for index in now:
        data[index] = (then or {})[index]
    values: list[Value] = []
    begin = 0
    for index, (kind, op, count) in enumerate(zip(kinds, ops, counts, strict=True)):
        inputs = [values[source] for source in sources[begin : begin + count] if 0 <= source < index]
        begin += count
        value = _value(kind, names[op], inputs, arrays.get(index, data[index]))
        if slopes and kind == OWN and index in slopes and len(slopes[index]) == count == len(inputs):
            value = _with_slopes(value, names[op], inputs, slopes[index])
        if known[index]:
            value.grad = _gradient(array_grads.get(index, grads[index]), value)
        value.label = labels.get(index, "")
        values.append(value)
    for index, number in now.items():
        values[index].data = number
    return values


def whole_places(columns: Mapping[str, Any]) -> frozenset[int]:
    """Return the places in a reported graph whose numbers are whole numbers (`int`) in the program."""
    try:
        return frozenset(place for place, is_whole in enumerate(base64.b64decode(columns["whole"])) if is_whole)
    except UNREADABLE:
        return frozenset()


def data_of_leaves(moment: Mapping[str, Any]) -> dict[int, float]:
    """Return the data that leaves had at a reported moment, by their numbers in the graph at the end."""
    counts, data = (_numbers(moment["graph"][name], kind) for name, kind in _LEAF_COLUMNS.items())
    known = ((int(place), int(number)) for place, number in moment["known"].items())
    return {number: data[place] for place, number in known if counts[place] == 0 and math.isfinite(data[place])}


_LEAF_COLUMNS: Mapping[str, type] = {"input_counts": np.int32, "data": np.float64}


def _numbers(text: str, kind: type) -> list[Any]:
    numbers: list[Any] = np.frombuffer(base64.b64decode(text), dtype=kind).tolist()
    return numbers


def _array(encoded: Sequence[Any]) -> Any:
    array = np.array(encoded[1], dtype=np.float64).reshape(encoded[0])
    return array if array.ndim else float(array)


def _gradient(gradient: Any, value: Value) -> Any:
    if value.data.__class__ is float:
        return gradient if gradient.__class__ is float else None
    return np.broadcast_to(gradient, value.shape).copy() if np.shape(gradient) in ((), value.shape) else None


def _value(kind: int, name: str, inputs: list[Value], data: Any) -> Value:
    if not inputs:
        return Constant(data) if kind == CONSTANT else Value(data)
    return own_operation(name, inputs, data) if kind == OWN else _computed(name, inputs, data)


def _with_slopes(value: Value, name: str, inputs: list[Value], slopes: Sequence[float]) -> Value:
    """Return the value where its operation has the slopes that were measured, else one that has them."""
    if value.data.__class__ is not float or any(source.data.__class__ is not float for source in inputs):
        return value
    wanted: dict[Value, float] = {}
    for source, slope in zip(inputs, slopes, strict=True):
        wanted[source] = wanted.get(source, 0.0) + slope
    for candidate in chain([value], fitting_operations(name, inputs, value.data)):
        found = local_derivatives(candidate)
        if all(abs(found.get(source, 0.0) - slope) <= 1e-5 * max(1.0, abs(slope)) for source, slope in wanted.items()):
            return candidate
    return linearised(name, inputs, value.data, slopes)


def _computed(name: str, inputs: list[Value], data: Any) -> Value:
    op = OPS.get(name) or _with_settings(name)
    of_numbers = op is not None and op.variadic  # logsumexp: torch has it for arrays, too
    if name in ARRAY_OPERATIONS or (of_numbers and any(source.data.__class__ is not float for source in inputs)):
        return unlisted_operation(name, inputs, data)
    if op is None or (op.arity is not None and op.arity != len(inputs)):
        return own_operation(name.partition(":")[0], inputs, data)
    if op.settings and not _fits(op, inputs[0].data, data):
        return unlisted_operation(name.partition(":")[0], inputs, data)
    if op.paired:
        return node(data, op, (*inputs[:-1:2], inputs[-1]), tuple(inputs[1:-1:2]))
    return node(data, op, tuple(inputs)) if op.variadic else node(data, op, *inputs)


def _fits(op: Op, source: Any, data: Any) -> bool:
    """Return True where an index or axis fits the array, and gives the shape that the report says."""
    try:
        return bool(np.shape(op.array(source)) == np.shape(data))
    except (IndexError, TypeError, ValueError):
        return False


def _with_settings(name: str) -> Op | None:
    """Return the operation of a name such as `sum:0`, `mean:1k` with `keepdims`, or `getitem:[1,2]`."""
    base, _, setting = name.partition(":")
    op = OPS.get(base)
    if op is None or not op.settings:
        return None
    try:
        if "index" in dict(op.settings):
            return at_index(_index(json.loads(setting)))
        numbers = tuple(int(part) for part in setting.removesuffix("k").split(",") if part)
    except ValueError:
        return None
    return along_axis(op, numbers[0] if len(numbers) == 1 else numbers or None, keepdims=setting.endswith("k"))


def _index(encoded: Any) -> Any:
    """Return an index as NumPy takes it; ValueError for one that cannot be read (`guest/graphs.py` writes it)."""
    if isinstance(encoded, list):
        return tuple(map(_index, encoded))
    if encoded is None or type(encoded) in (int, bool):
        return encoded
    kind, content = next(iter(encoded.items())) if isinstance(encoded, dict) and encoded else ("", [])
    if kind == "slice" and len(content) == 3:
        return slice(*map(_index, content))
    if kind == "array":
        array = np.array(content)
        if array.dtype.kind in "ib":
            return array
    if kind == "all":
        return ...
    raise ValueError("not an index")


def decode(encoded: Any, values: Sequence[Value]) -> Any:
    """Return an object of the program: a number, a text, a Value, or a collection of them."""
    kind, *parts = encoded
    if kind in ("plain", "number"):
        if parts[0] is not None and not isinstance(parts[0], (bool, int, float, str)):
            raise ValueError("not a number or text")
        return parts[0]
    if kind == "node":
        return values[parts[0]]
    if kind == "array":
        return _array(parts)
    if kind == "dict":
        return {key: decode(each, values) for key, each in parts[0]}
    if kind in ("list", "tuple", "set", "frozenset"):
        items = [decode(each, values) for each in parts[0]]
        return tuple(items) if kind == "tuple" else items
    return OtherObject(visible(str(parts[0]), 40))


def nodes_in(encoded: Any) -> Iterator[int]:
    """Yield the numbers of the nodes in a reported object."""
    kind, *parts = encoded
    if kind == "node":
        yield parts[0]
    elif kind == "number":
        yield parts[1]
    elif kind in ("dict", "attributes"):
        for _, each in parts[-1]:
            yield from nodes_in(each)
    elif kind in ("list", "tuple", "set", "frozenset"):
        for each in parts[0]:
            yield from nodes_in(each)


def values_in(thing: Any, depth: int = -1) -> Iterator[Value]:
    """Yield the Values in an object, so many collections inside each other looked into; -1: all of them."""
    if isinstance(thing, Value):
        yield thing
    elif depth and isinstance(thing, (list, tuple)):
        for each in thing:
            yield from values_in(each, depth - 1)
    elif depth and isinstance(thing, dict):
        yield from values_in(list(thing.values()), depth)


def decode_moments(reported: Sequence[Any], values: Sequence[Value]) -> tuple[BackwardCall, ...]:
    """Return the moments; their graphs are built on first access."""
    return tuple(
        BackwardCall(
            int(moment["line"]),
            visible(str(moment["label"]), 40),
            partial(_moment_values, moment["graph"]),
            {int(place): values[number] for place, number in moment["known"].items()},
            int(moment["number"]),
            partial(whole_places, moment["graph"]),
        )
        for moment in reported
    )


def _moment_values(columns: Mapping[str, Any]) -> Sequence[Value]:
    try:
        return decode_graph(columns) or [Value(math.nan)]
    except UNREADABLE:
        return [Value(math.nan)]


def decode_series(reported: Sequence[Any]) -> tuple[LoopSeries, ...]:
    """Return the variables of loops over their iterations."""
    return tuple(
        LoopSeries(
            str(row["name"]), int(row["line"]), str(row["counter"]), tuple(map(int, row["iterations"])),
            tuple(map(float, row["numbers"])),
        )
        for row in reported
    )  # fmt: skip


MOST_PLOTS, MOST_SERIES, MOST_POINTS, MOST_ROWS = 60, 600, 6_000, 300
"""Parts of reported plots that are decoded; no run of ours reports more."""


def decode_plots(reported: Sequence[Mapping[str, Any]]) -> tuple[Plot, ...]:
    """Return the program's plots, pair of axes by pair of axes."""
    return tuple(map(_plot, reported[:MOST_PLOTS]))


def _plot(axes: Mapping[str, Any]) -> Plot:
    texts = {field: visible(str(axes[name]), 200) for field, name in _PLOT_TEXTS.items()}
    flags = {name: bool(axes[name]) for name in ("x_log", "y_log", "legend", "equal", "bare", "upside_down")}
    parts: dict[str, Any] = {**texts, **flags}
    return Plot(
        series=tuple(filter(_fits_together, map(_series, axes["series"][:MOST_SERIES]))),
        figure=int(axes["figure"]),
        row=min(max(int(axes["row"]), 0), 9),
        column=min(max(int(axes["column"]), 0), 9),
        x_range=_ends(axes["x_range"]),
        y_range=_ends(axes["y_range"]),
        x_ticks=_ticks(axes["x_ticks"]),
        y_ticks=_ticks(axes["y_ticks"]),
        **parts,
    )


_PLOT_TEXTS = {"title": "title", "x_label": "x", "y_label": "y", "page": "page"}
"""Texts of a plot, by their names in the report."""


def _series(encoded: Mapping[str, Any]) -> Series:
    def numbers(name: str, most: int = MOST_POINTS) -> tuple[float, ...]:
        return tuple(map(float, encoded.get(name, ())[:most]))

    def texts(name: str) -> tuple[str, ...]:
        return tuple(visible(str(text), LONGEST_LABEL) for text in encoded.get(name, ())[:MOST_POINTS])

    rows = encoded.get("z", ())[:MOST_POINTS]
    if rows and isinstance(rows[0], list):
        z: tuple[Any, ...] = tuple(tuple(map(float, row[:MOST_ROWS])) for row in rows[:MOST_ROWS])
        if len({len(row) for row in z}) > 1:
            raise ValueError("a matrix whose rows have different lengths")
    else:
        z = tuple(map(float, rows))
    return Series(
        str(encoded["kind"]),
        numbers("x"),
        numbers("y"),
        visible(str(encoded.get("label", "")), LONGEST_LABEL),
        z,
        names=texts("names"),
        levels=numbers("levels", 50),
        n_levels=min(max(int(encoded.get("count", 0)), 0), 50),
        extent=numbers("extent", 4),
        colors=texts("colors"),
        sizes=numbers("sizes"),
        base=numbers("base"),
        ends=_ends(encoded.get("ends")),
        anchors=tuple((float(across), float(down)) for across, down in encoded.get("anchors", ())[:MOST_POINTS]),
        **{name: visible(str(encoded.get(name, "")), 300) for name in ("color", "marker", "style", "map")},
    )


def _fits_together(series: Series) -> bool:
    """Return False for a series whose parts have different lengths: the program has changed what reports it."""
    n_points, n_columns = len(series.x), len(series.z[0]) if series.z and isinstance(series.z[0], tuple) else 0
    if series.kind == "image":
        return n_columns > 0 and len(series.extent) == 4
    if series.kind in ("contour", "filled contour"):
        return n_points == n_columns > 1 and len(series.y) == len(series.z) > 1
    if series.kind == "text":
        return {len(series.y), len(series.names), len(series.colors), len(series.anchors)} == {n_points}
    if n_columns or len(series.z) not in (0, n_points):
        return False
    return series.kind in ("level", "upright") or len(series.y) == n_points


def _ends(encoded: Sequence[Any] | None) -> tuple[float | None, float | None]:
    low, high = encoded or (None, None)
    return (None if low is None else float(low)), (None if high is None else float(high))


def _ticks(encoded: Sequence[Any]) -> tuple[tuple[float, str], ...]:
    return tuple((float(place), visible(str(text), 40)) for place, text in encoded[:200])


def decode_statements(
    reported: Sequence[Mapping[str, Any]], values: Sequence[Value], offset: Callable[[int, int], int]
) -> tuple[StatementStep, ...]:
    """Return the walk line by line.

    Args:
        reported: the statements of the report.
        values: of its graph.
        offset: returns the offset in the text of a line and a column, both from 1.
    """
    data: dict[Value, Any] = {}
    return tuple(_statement(encoded, values, data, offset) for encoded in reported)


def _statement(
    encoded: Mapping[str, Any], values: Sequence[Value], data: dict[Value, Any], offset: Callable[[int, int], int]
) -> StatementStep:
    """Return a step; `data`: of the values then, which it brings up to date."""
    line, column, end_line, end_column = encoded["span"]
    end = offset(end_line, end_column) if end_column > 1 else offset(end_line + 1, 1) - 1
    moved = {values[index]: (_moved(number), _moved(grad)) for index, number, grad in encoded["numbers"]}
    data |= {value: number for value, (number, _grad) in moved.items()}
    changed, numbers, elsewhere = {}, {}, []
    for call, name, thing in encoded["changes"]:
        decoded = decode(thing, values)
        if call != encoded["call"]:
            elsewhere.append((call, name, decoded))
            continue
        changed[name] = decoded
        number = data.get(decoded, decoded.data) if isinstance(decoded, Value) else decoded
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            numbers[name] = float(number)
    return StatementStep(
        line,
        changed,
        numbers,
        offset(line, column),
        end,
        encoded["function"],
        encoded["call"],
        tuple(elsewhere),
        moved,
        encoded["printed"],
        frozenset(values[index] for index, number, _grad in encoded["numbers"] if type(number) is int),
    )


def _moved(number: Any) -> Any:
    return _array(number) if isinstance(number, list) else None if number is None else float(number)
