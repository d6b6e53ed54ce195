"""A model of the learner's own: found among the variables of a program, and asked for its outputs.

A model is something callable with a usual name, or with parameters. Data are rows of numbers and as many targets, under
usual names. How the model is called is tried: with a list of numbers, Values, two numbers, an array, a tensor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from engine.language.guest import deadline, packages_for_programs
from engine.language.guest.graphs import Nodes
from engine.language.guest.recording import Recorder, as_float

MODELS = ("model", "mlp", "net", "network", "nn", "n", "classifier", "predict", "forward")
INPUTS = ("X", "xs", "Xs", "inputs", "X_train", "x_train", "data", "points", "x")
TARGETS = ("y", "ys", "Y", "Ys", "targets", "labels", "y_train", "Y_train")
SEQUENCES = ("list", "tuple", "ndarray", "Tensor")
MOST_ROWS, MOST_COLUMNS = 500, 1_000
COARSE, FINE = 20, 40
"""Places across and up at which a model of two numbers is evaluated."""
MARGIN = 0.15
"""Room around the data, as a share of their range."""


def find(namespace: dict[str, Any], nodes: Nodes) -> dict[str, str] | None:
    """Return the names of model, inputs and targets of a program; None where one of them is missing."""
    models = [name for name in MODELS if _is_model(namespace.get(name))]
    models += [name for name, thing in namespace.items() if hasattr(type(thing), "parameters") and _is_model(thing)]
    for x in INPUTS:
        rows = _rows(namespace.get(x), nodes, 20)
        for y in TARGETS if rows and models else ():
            if len(_numbers(namespace.get(y), nodes, 20)) == len(rows) and _length(namespace[x]) == _length(
                namespace[y]
            ):
                return {"model": models[0], "x": x, "y": y}
    return None


def report(namespace: dict[str, Any], nodes: Nodes, seconds: float) -> dict[str, Any] | None:
    """Return data, targets, predictions and, of a model of two numbers, its outputs over a grid around the data."""
    names = find(namespace, nodes)
    if names is None:
        return None
    Recorder.left = 0  # these computations are no part of the program's graph
    until = time.monotonic() + seconds
    rows = _rows(namespace[names["x"]], nodes, MOST_ROWS)
    told: dict[str, Any] = {**names, "rows": rows, "targets": _numbers(namespace[names["y"]], nodes, MOST_ROWS)}
    deadline.begin(seconds)
    try:
        ask = next(_ways(namespace, namespace[names["model"]], rows, nodes), None)
        if ask is None:
            return None
        told["predictions"] = [_chosen(each) for each in ask(rows)]
        if len(rows[0]) > 2:
            return told
        ends = [_around([row[column] for row in rows]) for column in range(len(rows[0]))]
        for count in (COARSE, FINE):
            began = time.monotonic()
            x = _places(*ends[0], count * (1 if len(ends) == 2 else 5))
            if len(ends) == 1:
                told["grid"] = {"x": x, "z": [_chosen(each) for each in ask([[a] for a in x])]}
                break
            y = _places(*ends[1], count)
            outputs = [_chosen(each) for each in ask([[a, b] for b in y for a in x])]
            told["grid"] = {
                "x": x,
                "y": y,
                "z": [outputs[begin : begin + count] for begin in range(0, count**2, count)],
            }
            if time.monotonic() + 5 * (time.monotonic() - began) > until:
                break
    except (deadline.LimitReached, Exception):
        pass  # the outputs computed so far are reported
    finally:
        deadline.end()
    return told if "predictions" in told else None


def _is_model(thing: Any) -> bool:
    return callable(thing) and not isinstance(thing, type)


def _length(thing: Any) -> int:
    return len(thing) if type(thing).__name__ in SEQUENCES else -1


def _first(thing: Any, count: int) -> Any:
    """Return the first elements of a list, an array or a tensor as plain lists."""
    if _length(thing) < 2:
        return []
    part = thing[:count]
    return part.tolist() if hasattr(part, "tolist") else part


def _numbers(thing: Any, nodes: Nodes, count: int) -> list[float]:
    """Return a list of numbers, Values or one-element lists as numbers; empty for anything else."""
    try:
        found = [
            _number(each[0] if isinstance(each, list) and len(each) == 1 else each, nodes)
            for each in _first(thing, count)
        ]
    except (TypeError, ValueError, IndexError, KeyError):
        return []
    return found if all(map(math.isfinite, found)) else []


def _rows(thing: Any, nodes: Nodes, count: int) -> list[list[float]]:
    """Return rows of equally many numbers; empty for anything else."""
    try:
        part = [each.tolist() if hasattr(each, "tolist") else each for each in _first(thing, count)]
        rows = [[_number(each, nodes) for each in (row if isinstance(row, (list, tuple)) else [row])] for row in part]
    except (TypeError, ValueError, IndexError, KeyError):
        return []
    is_table = len({len(row) for row in rows}) == 1 and 0 < len(rows[0]) <= MOST_COLUMNS
    return rows if is_table and all(math.isfinite(each) for row in rows for each in row) else []


def _number(thing: Any, nodes: Nodes) -> float:
    if nodes.is_node(thing):
        thing = nodes.data(thing)
    if hasattr(thing, "item"):
        thing = thing.item()
    if isinstance(thing, (int, float)):
        return as_float(thing)
    raise TypeError("not a number")


def _outputs(thing: Any, nodes: Nodes) -> list[float]:
    """Return a model's output for one sample as numbers."""
    if not nodes.is_node(thing) and hasattr(thing, "tolist"):
        thing = thing.tolist()
    things = thing if isinstance(thing, (list, tuple)) else [thing]
    if len(things) == 1 and isinstance(things[0], (list, tuple)):
        things = things[0]
    return [_number(each, nodes) for each in things]


def _chosen(outputs: Sequence[float]) -> float:
    """Return the output, or of several which is the largest."""
    return outputs[0] if len(outputs) == 1 else float(max(range(len(outputs)), key=outputs.__getitem__))


Ask = Callable[[list[list[float]]], list[list[float]]]


def _ways(namespace: dict[str, Any], model: Any, rows: list[list[float]], nodes: Nodes) -> Iterator[Ask]:
    """Yield the ways in which a model can be called, each tried with the first rows."""
    numpy, torch = packages_for_programs.module("numpy"), packages_for_programs.module("torch")
    value = namespace.get("Value")
    one_by_one: list[Callable[[list[float]], Any]] = [model]
    if isinstance(value, type):
        one_by_one.append(lambda row: model([value(each) for each in row]))
    one_by_one.append(lambda row: model(*row))
    if numpy is not None:
        one_by_one.append(lambda row: model(numpy.array(row)))
    ways: list[Ask] = [partial(_each_alone, call, nodes) for call in one_by_one]
    batches: list[Ask] = []
    if torch is not None:
        batches.append(lambda some: _per_row(model(torch.tensor(some)), len(some), nodes))
    if numpy is not None:
        batches.append(lambda some: _per_row(model(numpy.array(some)), len(some), nodes))
    is_torch = torch is not None and isinstance(model, torch.nn.Module)
    for way in (*batches, *ways) if is_torch else (*ways, *batches):
        try:
            some = way(rows[:2])
        except Exception:
            continue
        if len(some) == len(rows[:2]) and all(outputs and all(map(math.isfinite, outputs)) for outputs in some):
            yield way


def _each_alone(call: Callable[[list[float]], Any], nodes: Nodes, rows: list[list[float]]) -> list[list[float]]:
    return [_outputs(call(row), nodes) for row in rows]


def _per_row(thing: Any, count: int, nodes: Nodes) -> list[list[float]]:
    """Return a model's outputs for all samples, sample by sample."""
    things = thing.tolist() if hasattr(thing, "tolist") else thing
    if len(things) != count:
        raise ValueError("a row of outputs for each sample is wanted")
    return [_outputs(each, nodes) for each in things]


def _around(numbers: Sequence[float]) -> tuple[float, float]:
    low, high = min(numbers), max(numbers)
    room = MARGIN * (high - low) or 1.0
    return low - room, high + room


def _places(low: float, high: float, count: int) -> list[float]:
    return [low + (high - low) * index / (count - 1) for index in range(count)]
