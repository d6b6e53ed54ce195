"""Calls made again with copies of their inputs, so that nothing of the program is touched.

Copies are leaves: their data can be moved, and the rule of the result can be called for their gradients.
"""

from __future__ import annotations

import inspect
import math
import random
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.language.guest.calls import Call
from engine.language.guest.engines import ClassWatch, Shape, attributes, copied, is_number
from engine.language.guest.recording import as_float

_SEEDS = 12
"""Seeds that are tried for a call that takes random numbers."""
FAR = (-11.3, -4.7, -1.9, -0.6, 0.6, 1.9, 4.7, 11.3)
"""Steps at which an operation is looked at far from the data of its input."""


class CannotJudgeError(Exception):
    """A call cannot be repeated, or its rule cannot be called alone; the message has the reason."""


@dataclass(eq=False)
class Case:
    """One application of an operation.

    Attributes:
        call: that made it, or one of the same kind.
        out: the node.
        inputs: for nodes among the arguments of `call`, by id, the nodes that stand for them.
        repeats: the call, made again, gives the same number; None where it was not tried.
        seed: of random numbers, with which it does.
    """

    call: Call
    out: Any
    inputs: dict[int, Any] = field(default_factory=dict)
    repeats: bool | None = None
    seed: int = 0


@dataclass(eq=False)
class Run:
    """A call that was repeated: the result, the copies of its inputs, and records that it added to tapes."""

    out: Any
    copies: list[Any]
    records: list[Any]


class Replayer:
    """Makes calls of one program again.

    Attributes:
        watch: knows which attributes of its objects hold what.
        space: its namespace.
        initial: gradient of a fresh object, by class.
        rule_methods: name of the method that passes the gradient on, by class, where it is one.
        switched: nodes, by id, whose copies have attributes that are True or False the other way round.
        directions: arrays along which inputs are moved, and outputs weighed, by shape and whether it is an output's.
    """

    def __init__(self, watch: ClassWatch, space: dict[str, Any], nodes: list[Any]) -> None:
        """Take the namespace of a program, and nodes among which there are leaves."""
        self.watch, self.space = watch, space
        self.initial: dict[type, Any] = {}
        self.rule_methods: dict[type, str] = {}
        self.directions: dict[tuple[tuple[int, ...], bool], Any] = {}
        self.switched: set[int] = set()
        self._templates: dict[type, Any] = {}
        for node in nodes:
            if type(node) not in self._templates and self.is_node(node) and not watch.inputs_of(node):
                self._templates[type(node)] = node
        self._leaf = next(iter(self._templates.values()), None)
        self._lists = self._tapes()
        self._is_random = any(map(_makes_random_numbers, list(space.values())))
        self._parts: dict[int, tuple[type, Shape, list[tuple[str, Any]]]] = {}
        self._found_nodes: dict[int, list[tuple[Any, str]]] = {}

    # Nodes

    def is_node(self, thing: Any) -> bool:
        """Return True for a node of a graph."""
        return self.watch.is_node(thing)

    def is_operation(self, thing: Any) -> bool:
        """Return True for an object or class of the program that is no node, such as a context or a function object."""
        if isinstance(thing, type):
            return thing.__module__ == "__main__" and thing not in self.watch.linked
        return type(thing).__module__ == "__main__" and not self.is_node(thing)

    def data_of(self, node: Any) -> Any:
        """Return the number or array of a node."""
        shape = self.watch.shape(node)
        if shape is None:
            raise CannotJudgeError("its result is no node")
        return getattr(node, shape.data)

    def grad_of(self, node: Any) -> Any:
        """Return the gradient of a node; None where it has none."""
        shape = self.watch.shape(node)
        found = getattr(node, shape.grad, None) if shape is not None and shape.grad else None
        return self.data_of(found) if self.is_node(found) else found

    def set_grad(self, node: Any, grad: Any) -> None:
        """Set the gradient of a copy; nothing of the program is called."""
        shape = self.watch.shape(node)
        if shape is not None and shape.grad:
            object.__setattr__(node, shape.grad, grad)

    def hold_grad(self, node: Any, grad: Any) -> None:
        """Give a copy a gradient that no assignment changes, such as that with which a pass begins."""
        kind, shape = type(node), self.watch.shape(node)
        held = property(lambda _: copied(grad), lambda _node, _grad: None)
        object.__setattr__(node, "__class__", type(kind.__name__, (kind,), {"__slots__": (), shape.grad: held}))  # type: ignore[union-attr]

    def direction(self, data: Any, of_output: bool = False) -> Any:
        """Return 1 for a number, else an array of its shape with random elements: others for outputs than for inputs.

        With the same ones a rule that multiplies by the transpose of the right matrix would seem right.
        """
        if isinstance(data, (int, float)):
            return 1.0
        shape = tuple(data.shape)
        if (shape, of_output) not in self.directions:
            numbers = random.Random(len(shape) + sum(shape) + 1_000 * of_output)
            flat = [numbers.uniform(-1.0, 1.0) for _ in range(math.prod(shape))]
            self.directions[shape, of_output] = array_of(flat, shape)
        return self.directions[shape, of_output]

    def along_ones(self, data: Any, number: float) -> float:
        """Return the part of an offset in every element along the direction of an array."""
        return number if isinstance(data, (int, float)) else number * float(self.direction(data).sum())

    # Calls

    def nodes_of(self, call: Call) -> list[tuple[Any, str]]:
        """Return the nodes among the arguments of a call, each once, with the name of the parameter."""
        known = self._found_nodes.get(id(call))
        if known is None:
            found: dict[int, tuple[Any, str]] = {}
            for each, name in things(arguments_of(call), self.is_node):
                if each is not call.out:
                    found.setdefault(id(each), (each, name))
            known = self._found_nodes[id(call)] = list(found.values())
        return known

    def nodes_in(self, case: Case) -> list[Any]:
        """Return the nodes of a case in the order of the call's arguments."""
        return [case.inputs.get(id(each), each) for each, _ in self.nodes_of(case.call)]

    def start(self, case: Case, node: Any) -> Any:
        """Return the data that a node had when the call was made; the program may have changed them since."""
        data = case.call.data.get(id(node)) if case.out is case.call.out else None
        return self.data_of(node) if data is None else data

    def repeats(self, case: Case) -> bool:
        """Return True where the call, made again, gives the same number; where it is random, with a seed that does."""
        if case.repeats is None:
            case.repeats = False
            for case.seed in range(_SEEDS if self._is_random else 1):
                try:
                    case.repeats = same(self.data_of(self.run(case).out), self.data_of(case.out))
                except Exception:
                    return False
                if case.repeats:
                    break
        return case.repeats

    def depends(self, case: Case, only: int | None = None) -> bool:
        """Return True where other data of the inputs, or of one, give another result; raises what the call raises."""
        starts = [self.start(case, node) for node in self.nodes_in(case)]
        far = FAR if all(isinstance(start, (int, float)) for start in starts) else ()
        for step in (0.03125, *far):  # the result may be flat near the data
            data = [moved(start, step) if only in (None, at) else None for at, start in enumerate(starts)]
            if not same(self.data_of(self.run(case, data).out), self.data_of(case.out)):
                return True
        return False

    def run(self, case: Case, data: list[Any] | None = None, grad: Any = 0.0) -> Run:
        """Make the call again with copies of its inputs, whose data and gradients are given."""
        call = case.call
        if self._is_random:
            random.seed(case.seed)
        copies: dict[int, Any] = {}
        standing: dict[int, Any] = {}
        for position, (each, _) in enumerate(self.nodes_of(call)):
            node = case.inputs.get(id(each), each)
            if id(node) not in standing:
                moved = None if data is None else data[position]
                wanted = grad[position] if isinstance(grad, list) else grad
                standing[id(node)] = self._copy(node, self.start(case, node) if moved is None else moved, wanted)
            copies[id(each)] = standing[id(node)]
        lists = self._lists
        lengths = [len(each) for each in lists]
        arguments = {name: with_copies(thing, copies) for name, thing in arguments_of(call).items()}
        if call.code.co_name == "__init__":
            out = called(type(call.out), call.code, arguments, skip=1)
        elif call.code.co_name == "__post_init__":
            out = raw(type(call.out), [(name, with_copies(part, copies)) for name, part in attributes(call.out)])
            out.__post_init__()
        else:
            out = called(function_of(call, copies), call.code, arguments)
            out = out if call.part is None else out[call.part]
        records = []
        for each, length in zip(lists, lengths, strict=True):
            records += each[length:]
            del each[length:]
        return Run(out, list(copies.values()), records)

    def _tapes(self) -> list[list[Any]]:
        """Return the lists to which operations may add records: of the program, of its classes, of its objects."""
        found: dict[int, list[Any]] = {}
        for thing in list(self.space.values()):
            parts = [thing]
            if isinstance(thing, type) and thing.__module__ == "__main__":
                parts += list(vars(thing).values())
            elif type(thing).__module__ == "__main__" and not self.is_node(thing):
                parts += [part for _, part in attributes(thing)]
            found |= {id(part): part for part in parts if type(part) is list}
        return list(found.values())

    def _copy(self, node: Any, data: Any, grad: Any) -> Any:
        """Return a leaf with a number and a gradient, and the other plain attributes of a node."""
        kind, shape, parts = self._parts.get(id(node)) or self._parts_of(node)
        made: Any = object.__new__(kind)
        for name, part in parts:
            if name == shape.data:
                part = copied(data)
            elif name == shape.grad:
                part = filled(self.initial.get(type(node), 0.0), grad, self.data_of(node))
            elif type(part) in (list, dict, set):
                part = part.copy()
            elif isinstance(part, bool) and id(node) in self.switched:
                part = not part
            object.__setattr__(made, name, part)
        return made

    def _parts_of(self, node: Any) -> tuple[type, Shape, list[tuple[str, Any]]]:
        """Return class, shape and attributes of the copies of a node: a leaf's, with its own plain ones."""
        template = self._templates.get(type(node), self._leaf)
        if template is None:
            raise CannotJudgeError("the program makes no leaf")
        own, plain = dict(attributes(node)), (bool, int, float, str)
        parts = []
        for name, part in attributes(template):
            mine = own.get(name)
            keeps = isinstance(mine, plain) and isinstance(part, plain)
            parts.append((name, mine if keeps else emptied(part, self.is_node)))
        shape = self.watch.shape(template)
        assert shape is not None
        found = self._parts[id(node)] = type(template), shape, parts
        return found


def arguments_of(call: Call) -> dict[str, Any]:
    """Return the arguments of a call, by name; of `__init__` without the object."""
    names = call.arguments[1:] if call.code.co_name == "__init__" else call.arguments
    return {name: call.names[name] for name in names if name in call.names}


def things(names: dict[str, Any], wanted: Callable[[Any], bool], depth: int = 3) -> Iterator[tuple[Any, str]]:
    """Yield the nodes in variables, collections and objects of operations, and the names of the variables."""
    for name, thing in names.items():
        for each in inside(thing, wanted, depth):
            yield each, name


def _makes_random_numbers(thing: Any) -> bool:
    """Return True for the module random and for what it has; nothing of the program's classes is asked."""
    if isinstance(thing, (types.MethodType, types.BuiltinMethodType)):  # as after `from random import gauss`
        thing = thing.__self__
    if isinstance(thing, type):
        return issubclass(thing, random.Random)
    return thing is random or isinstance(thing, random.Random)


def inside(thing: Any, wanted: Callable[[Any], bool], depth: int) -> Iterator[Any]:
    """Yield the nodes in a thing, so many collections and objects inside each other looked into."""
    if wanted(thing):
        yield thing
    elif depth and isinstance(thing, (list, tuple, set, frozenset)):
        for each in thing:
            yield from inside(each, wanted, depth - 1)
    elif depth and isinstance(thing, dict):
        for each in thing.values():
            yield from inside(each, wanted, depth - 1)
    elif depth and type(thing).__module__ == "__main__" and not isinstance(thing, type):
        for _, each in attributes(thing):
            yield from inside(each, wanted, depth - 1)


def with_copies(thing: Any, copies: dict[int, Any], depth: int = 3) -> Any:
    """Return an argument with copies in place of the nodes in it."""
    if id(thing) in copies:
        return copies[id(thing)]
    if not depth:
        return thing
    if type(thing) in (list, tuple, set, frozenset):
        return type(thing)(with_copies(each, copies, depth - 1) for each in thing)
    if type(thing) is dict:
        return {key: with_copies(each, copies, depth - 1) for key, each in thing.items()}
    if type(thing).__module__ == "__main__" and not isinstance(thing, type):
        try:
            return raw(type(thing), [(name, with_copies(part, copies, depth - 1)) for name, part in attributes(thing)])
        except TypeError:
            return thing
    return thing


def raw(kind: type, parts: list[tuple[str, Any]]) -> Any:
    """Return an object with these attributes, made without calling anything of its class."""
    made: Any = object.__new__(kind)
    for name, part in parts:
        object.__setattr__(made, name, part)
    return made


def function_of(call: Call, copies: dict[int, Any]) -> Callable[..., Any]:
    """Return the function of a call, with copies in place of the nodes that it takes from around it."""
    around = tuple(types.CellType(with_copies(call.names[name], copies)) if name in call.names else types.CellType()
                   for name in call.code.co_freevars)  # fmt: skip
    return types.FunctionType(call.code, call.space, call.code.co_name, None, around)


def called(function: Callable[..., Any], code: types.CodeType, arguments: dict[str, Any], skip: int = 0) -> Any:
    """Call a function with arguments by name."""
    names = code.co_varnames
    positional = [arguments[name] for name in names[skip : code.co_argcount] if name in arguments]
    end = code.co_argcount + code.co_kwonlyargcount
    keywords = {name: arguments[name] for name in names[code.co_argcount : end] if name in arguments}
    if code.co_flags & 4:
        positional += list(arguments.get(names[end], ()))
        end += 1
    if code.co_flags & 8:
        keywords |= arguments.get(names[end], {})
    return function(*positional, **keywords)


def emptied(part: Any, is_node: Callable[[Any], bool]) -> Any:
    """Return the replacement of an attribute in a leaf: a collection without the nodes in it."""
    if isinstance(part, (list, tuple, set, frozenset, dict)):
        return type(part)() if any(True for _ in inside(part, is_node, 2)) or not isinstance(part, tuple) else part
    return None if is_node(part) else copied(part)


def filled(initial: Any, grad: Any, data: Any) -> Any:
    """Return a gradient for a copy: as a fresh object has it for None, else a number, in an array's shape."""
    if grad is None:
        return copied(initial) if not is_number(initial) or isinstance(initial, (int, float)) else data * 0.0
    return grad if isinstance(data, (int, float)) else data * 0.0 + grad


def moved(data: Any, step: float) -> Any:
    """Return data moved by more than rounding."""
    return data * 2 if is_beyond_float(data) else data * (1.0 + step) + step


def is_beyond_float(data: Any) -> bool:
    """Return True for a whole number that is larger than a float can be."""
    return isinstance(data, int) and math.isinf(as_float(data))


def same(a: Any, b: Any) -> bool:
    """Return True for numbers or arrays that are equal but for rounding."""
    if a is b:
        return True
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if a == b or (a != a and b != b):
            return True
        one, other = as_float(a), as_float(b)
        return abs(one - other) <= 1e-12 * min(abs(one), abs(other))  # False where one is infinite
    if a is None or b is None or not (hasattr(a, "tolist") and hasattr(b, "tolist")):
        return False
    return bool(a.tolist() == b.tolist())


def dot(a: Any, b: Any) -> float:
    """Return the sum of the products of elements; one of both may be a number for all elements."""
    both = all(isinstance(each, (int, float)) for each in (a, b))
    return as_float(a) * as_float(b) if both else float((a * b).sum())


def any_of(data: Any) -> bool:
    """Return True for a number that is not 0, or an array with such an element."""
    return bool(data if isinstance(data, (int, float)) else (data != 0).any())


def size_of(thing: Any) -> int:
    """Return how many elements a number or an array has."""
    return math.prod(getattr(thing, "shape", ())) if not isinstance(thing, (int, float)) else 1


def array_of(flat: list[float], shape: tuple[int, ...]) -> Any:
    """Return an array of numbers; NumPy is imported when it is needed first."""
    import numpy

    return numpy.array(flat).reshape(shape)


def shapes_of(given: Any, data: Any) -> list[list[int]] | None:
    """Return the shapes of a gradient and its data where they differ."""
    return (
        None
        if isinstance(given, (int, float))
        else [list(getattr(given, "shape", ())), list(getattr(data, "shape", ()))]
    )


def switches(node: Any) -> tuple[tuple[str, bool], ...]:
    """Return the attributes of a node that are True or False, such as `requires_grad`."""
    return tuple((name, part) for name, part in attributes(node) if isinstance(part, bool))


def is_result(right: Any, data: Any, numbers: list[Any]) -> bool:
    """Return True where an operator has given the right result, but for rounding."""
    if data is None:
        return False
    if all(isinstance(each, (int, float)) for each in (*numbers, right, data)) and math.isfinite(right):
        return bool(abs(right - data) <= 1e-3 * max(map(abs, (*numbers, right))))
    return bool((abs(right - data) <= 1e-3 * (1.0 + abs(right))).all())


def close(a: float | None, b: float) -> bool:
    """Return True for numbers that are equal but for the error of a difference quotient."""
    return a is not None and (abs(a - b) <= 1e-7 * max(1.0, min(abs(a), abs(b))) or (a != a and b != b))


def bent(cases: list[dict[str, Any]]) -> list[int]:
    """Return the nodes whose rules clip on purpose what arrives: no derivative says what they give."""
    return [
        judgement["node"]
        for judgement in cases
        for row in judgement["inputs"]
        if judgement["node"] >= 0 and row["choice"] == "same" and row["given"] is not None
        and not close(row["later"], row["offset"] + row["upstream"] * row["given"])
    ]  # fmt: skip


def fits(row: dict[str, Any]) -> bool:
    """Return True where the gradient of an input lies in the range that is right."""
    return row["given"] is not None and (
        row["low"] <= row["given"] <= row["high"] or row["expected"] != row["expected"]
    )


def plain_number(number: Any) -> float | None:
    """Return a number as a float, and None for anything else."""
    return as_float(number) if isinstance(number, (int, float)) else None


def plain_function(function: Any) -> Any:
    """Return the program's own function behind one that is watched."""
    bound = function.__self__ if isinstance(function, types.MethodType) else None
    inner = inspect.unwrap(function.__func__ if bound is not None else function)
    return types.MethodType(inner, bound) if bound is not None else inner


def needed(function: Any) -> int:
    """Return how many arguments a function has to be given."""
    if type(function).__name__ == "partial":
        return max(0, needed(function.func) - len(function.args))
    code = getattr(function, "__code__", None)
    if code is None:
        return 0
    bound = isinstance(function, types.MethodType)
    return int(code.co_argcount - bound - len(function.__defaults__ or ()))


def accepted(function: Any) -> int:
    """Return how many arguments a function can be given."""
    code = getattr(function, "__code__", None)
    return int(code.co_argcount - isinstance(function, types.MethodType)) if code is not None else 0


def line_of(function: Any) -> int:
    """Return the line of a function's definition; 0 where it has none."""
    code = getattr(function, "__code__", None)
    return int(code.co_firstlineno) if code is not None else 0


def methods(kind: type) -> list[str]:
    """Return the names of the program's own methods of a class, special ones left out."""
    found: dict[str, None] = {}
    for base in kind.__mro__:
        if base.__module__ == "__main__":
            for name, part in vars(base).items():
                if isinstance(part, (types.FunctionType, staticmethod, classmethod)) and not name.endswith("__"):
                    found[name] = None
    return list(found)


def values_of(record: Any) -> list[Any]:
    """Return the values of the attributes of an object of the program."""
    return [part for _, part in attributes(record)] if type(record).__module__ == "__main__" else []


def pair(each: Any, copies: list[Any]) -> tuple[Any, Any] | None:
    """Return an input and its local derivative, or the function that gives it, from a pair of them."""
    parts = list(each) if isinstance(each, (tuple, list)) else values_of(each)
    if len(parts) != 2:
        return None
    for node, local in (parts, parts[::-1]):
        if any(node is copy for copy in copies) and (is_number(local) or isinstance(local, (bool, types.FunctionType))):
            return node, local
    return None


def times(local: Any, upstream: Any) -> Any:
    """Return a local derivative times the upstream gradient; it may be a function of it."""
    return local(upstream) if isinstance(local, types.FunctionType) else local * upstream


def kind_of(node: Any) -> Any:
    """Return what nodes have in common that ask for a gradient, or do not: class and switches."""
    return type(node), switches(node)


def given_by_right_rules(cases: list[dict[str, Any]]) -> dict[int, dict[int, float]]:
    """Return what rules that were judged right give each input, by the numbers of nodes."""
    return {
        judgement["node"]: {row["node"]: row["given"] for row in judgement["inputs"] if row["node"] >= 0}
        for judgement in cases
        if judgement["node"] >= 0
        and all(row["given"] is not None and (fits(row) or row["choice"]) for row in judgement["inputs"])
    }
