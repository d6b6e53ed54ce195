"""Calls made again: copies of nodes and arguments, and small questions about numbers and functions of a program."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.language.guest.calls import Call
from engine.language.guest.engines import attributes, copied, is_number


@dataclass(eq=False)
class Case:
    """One application of an operation.

    Attributes:
        call: that made it, or one of the same kind.
        out: the node.
        inputs: for nodes among the arguments of `call`, by id, the nodes that stand for them.
        repeats: whether the call, made again, gives the same number; None where it was not tried.
    """

    call: Call
    out: Any
    inputs: dict[int, Any] = field(default_factory=dict)
    repeats: bool | None = None


@dataclass(eq=False)
class Run:
    """A call that was repeated: the result, the copies of its inputs, and records that it added to tapes."""

    out: Any
    copies: list[Any]
    records: list[Any]


def things(names: dict[str, Any], wanted: Callable[[Any], bool], depth: int = 3) -> Iterator[tuple[Any, str]]:
    """Yield the nodes in variables, collections and objects of operations, and the names of the variables."""
    for name, thing in names.items():
        for each in inside(thing, wanted, depth):
            yield each, name


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
    """Return what a leaf has in place of an attribute: a collection without the nodes in it."""
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
    return data * (1.0 + step) + step


def same(a: Any, b: Any) -> bool:
    """Return True for numbers or arrays that are equal but for rounding."""
    if a is b:
        return True
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-12 * max(abs(a), abs(b))
    if a is None or b is None or not (hasattr(a, "tolist") and hasattr(b, "tolist")):
        return False
    return bool(a.tolist() == b.tolist())


def dot(a: Any, b: Any) -> float:
    """Return the sum of the products of elements."""
    found = a * b
    return float(found) if isinstance(found, (int, float)) else float(found.sum())


def n_elements(shape: tuple[int, ...]) -> int:
    """Return how many elements an array of a shape has."""
    return math.prod(shape)


def size_of(thing: Any) -> int:
    """Return how many elements a number or an array has."""
    return math.prod(getattr(thing, "shape", ())) if not isinstance(thing, (int, float)) else 1


def array_of(flat: list[float], shape: tuple[int, ...]) -> Any:
    """Return an array of numbers; NumPy is imported when it is needed first."""
    import numpy

    return numpy.array(flat).reshape(shape)


def projected(given: Any) -> float | None:
    """Return a number as a float, and None for anything else."""
    return float(given) if isinstance(given, (int, float)) else None


def shapes_of(given: Any, data: Any) -> list[list[int]] | None:
    """Return the shapes of a gradient and its data where they differ."""
    return (
        None
        if isinstance(given, (int, float))
        else [list(getattr(given, "shape", ())), list(getattr(data, "shape", ()))]
    )


def close(a: float | None, b: float) -> bool:
    """Return True for numbers that are equal but for the error of a difference quotient."""
    return a is not None and (abs(a - b) <= 1e-7 * max(1.0, abs(a), abs(b)) or (a != a and b != b))


def fits(row: dict[str, Any]) -> bool:
    """Return True where the gradient of an input lies in the range that is right."""
    return row["given"] is not None and (
        row["low"] <= row["given"] <= row["high"] or row["expected"] != row["expected"]
    )


def plain_number(number: Any) -> float | None:
    """Return a number as a float, and None for anything else."""
    return float(number) if isinstance(number, (int, float)) else None


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
    """Return what the attributes of an object of the program hold."""
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
