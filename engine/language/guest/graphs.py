"""Graphs of a program as columns of plain data, to be sent to the window."""

from __future__ import annotations

import base64
import contextlib
import json
import types
from array import array
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from engine.autograd.value import Constant, Value
from engine.language.guest import recording
from engine.language.guest.engines import ClassWatch, Shape, attributes, copied
from engine.language.guest.recording import as_float

LEAF, CONSTANT, COMPUTED, OWN = range(4)
"""Kinds of nodes; OWN: an object of a class of the learner's own."""


_NUMBERS = {float, int}


class TooManyValues(Exception):
    """The graph of a program has more values than it may."""


class Nodes:
    """The nodes of a program's graphs: numbers with a history, Values, objects of an engine of the learner's own."""

    def __init__(self, watch: ClassWatch, most: int = 200_000) -> None:
        """Take the classes of the program, and how many nodes its graph may have."""
        self.watch = watch
        self.most = most

    def is_node(self, thing: Any) -> bool:
        """Return True for an object that is drawn as a node."""
        return isinstance(thing, Value) or recording.is_recorded(thing) or self.watch.is_node(thing)

    def inputs(self, node: Any) -> tuple[Any, ...]:
        """Return the inputs of a node, plain numbers included."""
        if type(node) not in self.watch.settled and (isinstance(node, Value) or recording.is_recorded(node)):
            return _inputs(node)
        return self.watch.inputs_of(node)

    def data(self, node: Any) -> Any:
        """Return the number or array of a node."""
        if isinstance(node, Value):
            return node._data
        if recording.is_recorded(node):
            return recording.plain(node)
        return getattr(node, self.watch.shape(node).data, None)  # type: ignore[union-attr]

    def grad(self, node: Any) -> Any:
        """Return the gradient of a node; None where it has none."""
        if isinstance(node, Value):
            return node.known_grad
        if recording.is_recorded(node):
            return None
        name = self.watch.shape(node).grad  # type: ignore[union-attr]
        found = getattr(node, name, None) if name else None
        return self.data(found) if self.is_node(found) else found

    def op(self, node: Any) -> str:
        """Return the name of the operation that computed a node; "" for a leaf."""
        if isinstance(node, Value):
            return op_name(node)
        if recording.is_recorded(node):
            return str(node._gradstep_op)
        name = self.watch.shape(node).op  # type: ignore[union-attr]
        found = getattr(node, name, "") if name else ""
        return found if isinstance(found, str) and found else self.watch.op_of(node)

    def label(self, node: Any) -> str:
        """Return the name that a node has of itself."""
        if isinstance(node, Value):
            return str(node.label)
        if recording.is_recorded(node):
            return str(node._gradstep_label)
        name = self.watch.shape(node).label  # type: ignore[union-attr]
        found = getattr(node, name, "") if name else ""
        return found if isinstance(found, str) else ""

    def shape_of_all(self, order: list[Any]) -> Shape | None:
        """Return the attributes of nodes that are objects of one class whose attributes are known."""
        kinds = set(map(type, order))
        return self.watch.settled.get(kinds.pop()) if len(kinds) == 1 else None

    def ops(self, order: list[Any], inputs: list[Any]) -> list[str]:
        """Return the names of operations: the texts that nodes have, else the methods that made them; "" for leaves."""
        shape = self.shape_of_all(order)
        texts: list[Any] = []
        if shape is not None and shape.op:
            with contextlib.suppress(AttributeError):
                texts = list(map(attrgetter(shape.op), order))
        if set(map(type, texts)) != {str}:
            texts = [""] * len(order)
        computed = zip(order, inputs, texts, strict=True)
        return [text or (self.op(node) if places else "") for node, places, text in computed]

    def labels(self, order: list[Any]) -> dict[int, str]:
        """Return the names that nodes have of themselves, by their places."""
        shape = self.shape_of_all(order)
        if shape is not None and not shape.label:
            return {}
        labels: list[Any] = []
        if shape is not None:
            with contextlib.suppress(AttributeError):
                labels = list(map(attrgetter(shape.label), order))
        labels = labels or list(map(self.label, order))
        return {place: label for place, label in enumerate(labels) if label and isinstance(label, str)}

    def numbers(self, order: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return the data and the gradients of nodes; arrays are copied."""
        shape = self.shape_of_all(order)
        if shape is not None and shape.grad:
            with contextlib.suppress(AttributeError):  # of an object whose `__init__` has failed
                data, grads = (list(map(attrgetter(name), order)) for name in (shape.data, shape.grad))
                if set(map(type, grads)) <= _NUMBERS and set(map(type, data)) <= _NUMBERS:
                    return data, grads
        return [copied(self.data(node)) for node in order], [copied(self.grad(node)) for node in order]

    def reached(self, root: Any) -> list[Any]:
        """Return a node and every one that it was computed from, in no order."""
        kind = type(root)
        shape = self.watch.settled.get(kind)
        if shape is None or len(shape.inputs) != 1:
            return _order_of(root, self)
        inputs_of = attrgetter(shape.inputs[0])
        found, seen = [root], {id(root)}
        for node in found:
            part = inputs_of(node)
            if type(part) not in _COLLECTIONS:
                return _order_of(root, self)
            for each in part:
                if id(each) not in seen:
                    if type(each) is not kind:
                        return _order_of(root, self)
                    seen.add(id(each))
                    found.append(each)
        return found


def _inputs(node: Any) -> tuple[Any, ...]:
    """Return the inputs of a Value or of a recorded number."""
    return node.inputs if isinstance(node, Value) else node._gradstep_inputs


def _order_of(root: Any, nodes: Nodes) -> list[Any]:
    graph = Graph(nodes)
    graph.number_of(root)
    return graph.order


def op_name(value: Value) -> str:
    """Return the operation of a Value with its settings, such as `sum:0` or `getitem:[1,2]`."""
    op = value.op
    if op is None:
        return ""
    settings = dict(op.settings)
    if not settings:
        return op.name
    if "index" in settings:
        return f"{op.name}:{json.dumps(_index(settings['index']), separators=(',', ':'))}"
    numbers = settings.get("axis")
    numbers = numbers if isinstance(numbers, tuple) else () if numbers is None else (numbers,)
    text = ",".join(map(str, numbers)) + ("k" if settings.get("keepdims") else "")
    return f"{op.name}:{text}" if text else op.name


def _index(index: Any) -> Any:
    """Return an index as JSON has it: tuples as lists, everything but whole numbers and None with a word for its kind.

    `decoding.py` reads it.
    """
    if isinstance(index, tuple):
        return list(map(_index, index))
    if isinstance(index, slice):
        return {"slice": [_index(part) for part in (index.start, index.stop, index.step)]}
    if index is ...:
        return {"all": True}
    if hasattr(index, "tolist"):
        return {"array": index.tolist()} if index.size <= MOST_OF_AN_INDEX else {"unknown": True}
    return index if isinstance(index, (int, type(None))) else {"unknown": True}


MOST_OF_AN_INDEX = 10_000
"""Elements of an index that are reported."""


class Graph:
    """Nodes in topological order, with numbers by which variables and other nodes refer to them.

    Attributes:
        order: the nodes, inputs before their consumers.
        numbers: of the nodes, by their ids.
        cycles: nodes that are reached from their own inputs.
        inputs: for each node the numbers of those that it was computed from.
        described: objects whose attributes `encode` has looked at, by their ids.
    """

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.order: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.cycles: list[Any] = []
        self.inputs: list[list[int]] = []
        self.described: dict[int, Any] = {}

    def number_of(self, thing: Any) -> int:
        """Return the number of a node; adds it with all its inputs."""
        numbers, nodes, settled = self.numbers, self.nodes, self.nodes.watch.settled
        inputs_of = nodes.watch.inputs_of
        held: dict[int, tuple[Any, ...]] = {}
        stack = [thing] if id(thing) not in numbers else []
        while stack:
            node = stack[-1]
            key = id(node)
            if key in numbers:
                stack.pop()
                continue
            inputs = held.get(key)
            if inputs is None:
                inputs = held[key] = inputs_of(node) if type(node) in settled else nodes.inputs(node)
                waiting = [each for each in inputs if id(each) not in numbers and id(each) not in held]
                if waiting:
                    waiting = [each for each in waiting if type(each) in settled or nodes.is_node(each)]
                    stack += waiting[::-1]
                    continue
            stack.pop()
            self._append(node, [numbers[id(each)] if id(each) in numbers else self._number(each) for each in inputs])
        return numbers[id(thing)]

    def _number(self, thing: Any) -> int:
        if self.nodes.is_node(thing):
            if id(thing) not in self.numbers:
                self.cycles.append(thing)
                return -1
            return self.numbers[id(thing)]
        self._append(Constant(as_float(thing)), [])
        return len(self.order) - 1

    def _append(self, node: Any, inputs: list[int]) -> None:
        self.numbers[id(node)] = len(self.order)
        self.order.append(node)
        if len(self.order) > self.nodes.most:
            raise TooManyValues
        self.inputs.append(inputs)

    def leaves(self) -> list[Any]:
        """Return the nodes without inputs."""
        return [node for node, inputs in zip(self.order, self.inputs, strict=True) if not inputs]

    def columns(self, numbers: tuple[list[Any], list[Any]] | None = None) -> dict[str, Any]:
        """Return the graph as columns: numbers as base64 of float64 and int32, everything rare as a mapping by node.

        Args:
            numbers: data and gradients of the nodes, where they differ from the present ones.
        """
        nodes, names = self.nodes, dict[str, int]()
        arrays, array_grads = dict[int, Any](), dict[int, Any]()
        odd: dict[int, str] = {}
        is_own = nodes.shape_of_all(self.order) is not None
        data, grads = numbers or nodes.numbers(self.order)
        return {
            "count": len(self.order),
            "kinds": _text(bytes([OWN]) * len(self.order) if is_own else bytes(map(_kind, self.order))),
            "ops": _text(array("i", [names.setdefault(op, len(names)) for op in nodes.ops(self.order, self.inputs)])),
            "op_names": list(names),
            "input_counts": _text(array("i", map(len, self.inputs))),
            "inputs": _text(array("i", chain.from_iterable(self.inputs))),
            "data": _text(_column(data, arrays, odd)),
            "whole": _text(bytes(type(number) is int for number in data)) if int in map(type, data) else "",
            "grads": _text(_column([0.0 if grad is None else grad for grad in grads], array_grads, {})),
            "has_grad": _text(bytes([grad is not None for grad in grads])),
            "labels": nodes.labels(self.order),
            "arrays": arrays,
            "array_grads": array_grads,
            "odd": odd,
        }


def _kind(node: Any) -> int:
    if isinstance(node, Constant):
        return CONSTANT
    if isinstance(node, Value) or recording.is_recorded(node):
        return COMPUTED if _inputs(node) else LEAF
    return OWN


def _column(numbers: list[Any], arrays: dict[int, Any], odd: dict[int, str]) -> array[float]:
    """Return numbers as a column; the elements of arrays, and the types of what is no number, by their places."""
    if set(map(type, numbers)) <= _NUMBERS:
        with contextlib.suppress(OverflowError):
            return array("d", numbers)
    return array("d", [_number(index, number, arrays, odd) for index, number in enumerate(numbers)])


def _number(index: int, number: Any, arrays: dict[int, Any], odd: dict[int, str]) -> float:
    if isinstance(number, (float, int)):
        return as_float(number)
    if hasattr(number, "shape") and hasattr(number, "tolist"):
        arrays[index] = list(number.shape), number.ravel().tolist() if number.shape else [number.tolist()]
    else:
        odd[index] = type(number).__name__
    return float("nan")


def _text(numbers: array[Any] | bytes) -> str:
    return base64.b64encode(numbers if isinstance(numbers, bytes) else numbers.tobytes()).decode("ascii")


def encode(thing: Any, graph: Graph, depth: int = 8, with_attributes: bool = True) -> Any:
    """Return an object of the program as plain data: nodes by number, numbers, texts, collections of them.

    Args:
        thing: the object.
        graph: receives the nodes that are reached.
        depth: collections and objects inside each other that are looked into.
        with_attributes: look into other objects, each once a graph; only what leads to nodes is returned of them.
    """
    if graph.nodes.is_node(thing):
        number = graph.number_of(thing)
        return ["number", _plain(thing), number] if recording.is_recorded(thing) else ["node", number]
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return ["plain", _plain(thing)]
    if type(thing).__module__ == "numpy" and not getattr(thing, "shape", True):  # a scalar
        thing = thing.item()
        return ["plain", _plain(thing)] if isinstance(thing, (bool, int, float)) else ["object", type(thing).__name__]
    if type(thing).__name__ == "ndarray" and hasattr(thing, "tolist"):
        if thing.size > MOST_NUMBERS:
            return ["object", f"ndarray of shape {'×'.join(map(str, thing.shape))}"]
        if thing.dtype.kind not in "biuf":
            return encode(thing.tolist(), graph, depth, with_attributes)
        return ["array", list(thing.shape), thing.ravel().tolist()]
    if depth and isinstance(thing, (list, tuple, set, frozenset)):
        items = [encode(each, graph, depth - 1, with_attributes) for each in islice(thing, MOST_ITEMS)]
        return [next(kind for kind in _COLLECTIONS if isinstance(thing, kind)).__name__, items]
    if depth and isinstance(thing, dict):
        pairs = list(islice(thing.items(), MOST_ITEMS))
        return ["dict", [(str(key), encode(each, graph, depth - 1, with_attributes)) for key, each in pairs]]
    if type(thing).__module__.partition(".")[0] == "numpy" and hasattr(thing, "item"):
        return encode(thing.item(), graph, 0)
    if depth and with_attributes and id(thing) not in graph.described:
        graph.described[id(thing)] = thing
        pairs = [(name, encode(each, graph, depth - 1)) for name, each in _held(thing)]
        if leading := [pair for pair in pairs if _leads_to_node(pair[1])]:
            return ["attributes", type(thing).__name__, leading]
    return ["object", type(thing).__name__]


_COLLECTIONS = (list, tuple, set, frozenset)


def _held(thing: Any) -> list[tuple[str, Any]]:
    """Return the attributes of an object that may lead to nodes."""
    is_code = isinstance(thing, (type, types.ModuleType, types.FunctionType, types.MethodType))
    return [] if is_code else attributes(thing)[:MOST_ITEMS]


def _leads_to_node(encoded: Any) -> bool:
    kind, *parts = encoded
    if kind in ("node", "number", "attributes"):
        return True
    if kind == "dict":
        return any(_leads_to_node(each) for _, each in parts[0])
    return kind in ("list", "tuple", "set", "frozenset") and any(map(_leads_to_node, parts[0]))


MOST_ITEMS, MOST_NUMBERS = 10_000, 200_000
"""Elements of one collection that are looked at, and numbers of an array that is reported."""


def _plain(thing: Any) -> Any:
    """Return a number or text as JSON has it; whole numbers beyond 4,000 digits as their type's name."""
    if isinstance(thing, int) and not isinstance(thing, bool) and thing.bit_length() > 13_000:
        return "a whole number of many digits"
    return thing[:100_000] if isinstance(thing, str) else thing
