"""Graphs of a program as plain lists, to be sent to the window."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

from engine.autograd.value import Constant, Value
from engine.language.guest import recording
from engine.language.guest.program import PROGRAM


class GraphCollector:
    """Nodes of one program, numbered in topological order: inputs before what they feed.

    Numbers with a history and Values become nodes; a plain number among the inputs becomes a constant.

    Attributes:
        nodes: a mapping with `op` ("" for a leaf), `inputs` (numbers of nodes), `data`, `grad`, `label`, `place` (line,
            column, end line, end column; from 1, or None) and `kind` ("leaf", "constant" or "computed") for each.
    """

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def number_of(self, thing: Any) -> int:
        """Return the number of the node of a Value or a recorded number, adding what it was computed from."""
        stack = [(thing, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in self._numbers:
                continue
            inputs = inputs_of(node)
            if ready or not inputs:
                self._add(node, inputs)
                continue
            stack.append((node, True))
            stack.extend((each, False) for each in reversed(inputs) if is_node(each))
        return self._numbers[id(thing)]

    def _add(self, node: Any, inputs: tuple[Any, ...]) -> None:
        numbers = [self._numbers[id(each)] if is_node(each) else self._add_constant(each) for each in inputs]
        is_value = isinstance(node, Value)
        op = (node.op.name if node.op is not None else "") if is_value else node.op
        kind = "constant" if isinstance(node, Constant) else "computed" if inputs else "leaf"
        data = node.data if is_value else float(node)
        self._append(kind, op, numbers, data, node.grad if is_value else None, node.label, place_of(node))
        self._numbers[id(node)] = len(self.nodes) - 1
        self._kept.append(node)

    def _add_constant(self, number: float) -> int:
        self._append("constant", "", [], float(number), None, "", None)
        return len(self.nodes) - 1

    def _append(self, kind: str, op: str, inputs: list[int], data: Any, grad: Any, label: str, place: Any) -> None:
        self.nodes.append(
            {"kind": kind, "op": op, "inputs": inputs, "data": data, "grad": grad, "label": label, "place": place}
        )


def is_node(thing: Any) -> bool:
    """Return True for what is drawn: a Value or a number with a history."""
    return isinstance(thing, Value) or recording.is_recorded(thing)


def inputs_of(node: Any) -> tuple[Any, ...]:
    """Return what a node was computed from."""
    return node.inputs


def place_of(node: Any) -> tuple[int, ...] | None:
    """Return where in the program a node was computed: line, column, end line, end column, from 1."""
    place = getattr(node, "place", None)
    if place is None:
        return None
    if len(place) == 4:
        line, column, end_line, end_column = place
    else:
        code, instruction = place
        if code.co_filename != PROGRAM:
            return None
        line, end_line, column, end_column = _position(code, instruction)
    return line, column + 1, end_line, end_column + 1


def _position(code: types.CodeType, instruction: int) -> tuple[int, int, int, int]:
    for index, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if index == instruction // 2:
            return line or 0, end_line or 0, column or 0, end_column or 0
    return 0, 0, 0, 0


def encode(thing: Any, collector: GraphCollector, depth: int = 4) -> Any:
    """Return an object of the program as plain data: `["node", number]`, numbers, texts and collections of them."""
    if is_node(thing):
        number = collector.number_of(thing)
        return ["node", number] if isinstance(thing, Value) else ["number", thing, number]
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return ["plain", thing]
    if depth and isinstance(thing, (list, tuple, set, frozenset)):
        return [type(thing).__name__, _encoded(thing, collector, depth - 1)]
    if depth and isinstance(thing, dict):
        keys = [str(key) for key in thing]
        return ["dict", [*zip(keys, _encoded(thing.values(), collector, depth - 1), strict=True)]]
    return ["object", type(thing).__name__]


def _encoded(things: Iterable[Any], collector: GraphCollector, depth: int) -> list[Any]:
    return [encode(thing, collector, depth) for thing in things]
