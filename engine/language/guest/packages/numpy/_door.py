"""Requests to real NumPy outside the sandbox; `engine/language/numpy_door.py` describes them and their answers."""

from __future__ import annotations

import builtins
import gc
import json
import sys
import warnings
from collections.abc import Callable
from types import EllipsisType
from typing import Any

from engine.language.guest import deadline, host
from engine.language.guest.numpy_names import words

IN_PLACE: Any = object()
"""Result of an operation that changed an array of the program."""

changes = 0
"""Number of operations so far that may have changed elements of an array; after one, a loop reads its array again."""

CHANGING = frozenset(
    words("setitem flat .fill .sort .put put place putmask copyto fill_diagonal put_along_axis random.shuffle")
)
"""Operations that change an array, beside those in place and those with `out`."""

apply_to_objects: Callable[..., Any]
"""The function that does an operation on arrays of objects or texts; `_objects` sets it."""

held: list[Any] = []
"""Arrays that objects of a program were converted to for a request; they must live until it is answered."""

freed: list[int] = []
"""Handles of arrays that are no longer used; the next request reports them."""

writers: dict[type, Callable[[Any], str]] = {}
"""How a value is written in a request."""

readers: dict[str, Callable[..., Any]] = {}
"""How an answer is read, by its first element."""


class NotNumbers(TypeError):
    """A value that NumPy would hold as an object; real NumPy outside cannot have it."""


NotNumbers.__name__ = NotNumbers.__qualname__ = "TypeError"  # where a program sees it
NotNumbers.__module__ = "builtins"


class LinAlgError(ValueError):
    """Generic Python-exception-derived object raised by linalg functions."""


class AxisError(ValueError, IndexError):
    """Axis supplied was invalid."""


class UFuncTypeError(TypeError):
    """A universal function does not take such arrays."""


class ComplexWarning(RuntimeWarning):
    """A complex number lost its imaginary part."""


_ERRORS: dict[str, type[Exception]] = {each.__name__: each for each in (LinAlgError, AxisError, UFuncTypeError)}
for _name in words("_UFuncNoLoopError _UFuncBinaryResolutionError _UFuncInputCastingError _UFuncOutputCastingError"):
    _ERRORS[_name] = type(_name, (UFuncTypeError,), {"__module__": "numpy._core._exceptions"})
LinAlgError.__module__ = "numpy.linalg"
AxisError.__module__ = ComplexWarning.__module__ = "numpy.exceptions"


def call(name: str, args: tuple[Any, ...] | list[Any], named: dict[str, Any] | None = None) -> Any:
    """Have NumPy do an operation.

    Raises:
        NotNumbers: for an argument that NumPy would hold as an object.
        Exception: what NumPy raised.
    """
    before = len(held)
    try:
        return _call(name, args, named)
    finally:
        del held[before:]


def _call(name: str, args: tuple[Any, ...] | list[Any], named: dict[str, Any] | None) -> Any:
    if name in CHANGING or name.startswith("op.i") or name.endswith(".at") or (named and "out" in named):
        global changes
        changes += 1
    coded = ",".join([write(value) for value in args])
    coded_names = ",".join([f"{json.dumps(key)}:{write(value)}" for key, value in named.items()]) if named else ""
    head = f'["{name}",[{coded}],{{{coded_names}}}'
    answer = _ask(head)
    if type(answer) is not list:
        return answer
    if answer[0] == "m":  # objects in reference cycles may hold arrays
        gc.collect()
        answer = _ask(head) if freed else answer
    return read(answer)


def _ask(head: str) -> Any:
    deadline.check()
    if not freed:
        return json.loads(host.array(head + "]"))
    number = len(freed)
    request = f"{head},{json.dumps(freed[:number])}]"
    del freed[:number]
    return json.loads(host.array(request))


def write(value: Any) -> str:
    """Return a value as it stands in a request."""
    writer = writers.get(type(value)) or _writer_of(value)
    return writer(value)


def read(answer: Any) -> Any:
    """Return what an answer, or a part of it, stands for."""
    if type(answer) is list:
        return readers[answer[0]](*answer[1:])
    return answer


def _writer_of(value: Any) -> Callable[[Any], str]:
    if hasattr(type(value), "__array__") and not isinstance(value, type):
        return _write_converted
    for kind in (bool, int, float, complex, str, tuple, list, *KINDS_WITH_SUBCLASSES):
        if isinstance(value, kind):
            return writers[kind]
    if (elements := elements_of(value)) is not None:
        return lambda _value: _write_list(elements)
    raise NotNumbers(f"NumPy here works with numbers, not with objects of the class {type(value).__name__}")


def elements_of(value: Any) -> list[Any] | None:
    """Return the elements of a sequence of whatever class, such as a learner's own vector; None for anything else."""
    kind = type(value)
    if not (hasattr(kind, "__len__") and hasattr(kind, "__getitem__")) or isinstance(value, dict | str | bytes | type):
        return None
    try:
        len(value)
    except Exception:  # it is one object, as an own tensor without axes is
        return None
    return list(value)


def _write_converted(value: Any) -> str:
    held.append(value.__array__())
    return write(held[-1])


KINDS_WITH_SUBCLASSES: list[type] = [type]


def _write_float(value: float) -> str:
    return float.__repr__(value) if value - value == 0 else json.dumps(float(value))


def _write_int(value: int) -> str:
    if -(2**63) <= value < 2**64:
        return int.__repr__(value)
    raise NotNumbers("Python int too large to convert to C long")


def _write_list(values: list[Any]) -> str:
    if set(map(type, values)) <= {float, bool}:
        return json.dumps(values)
    return f"[{','.join([_write_inside(value) for value in values])}]"


def _write_inside(value: Any) -> str:
    """Write an element of a list, where a text or None would make an array of objects."""
    if value is None or isinstance(value, str | slice | type | EllipsisType):
        raise NotNumbers(f"an array here holds numbers, not {value!r}")
    return write(float(value) if isinstance(value, float) else value)


def _write_tuple(values: tuple[Any, ...]) -> str:
    return f'{{"t":[{",".join(map(write, values))}]}}'


def _write_slice(value: slice) -> str:
    return f'{{"s":[{write(value.start)},{write(value.stop)},{write(value.step)}]}}'


writers.update(
    {
        bool: lambda value: "true" if value else "false",
        int: _write_int,
        float: _write_float,
        complex: lambda value: f'{{"c":[{_write_float(value.real)},{_write_float(value.imag)}]}}',
        type(None): lambda value: "null",
        str: lambda value: json.dumps(str(value)),
        tuple: _write_tuple,
        list: _write_list,
        range: lambda value: _write_list(list(value)),
        slice: _write_slice,
        EllipsisType: lambda value: '{"e":1}',
    }
)


def _read_tuple(values: list[Any], name: str = "", *fields: str) -> tuple[Any, ...]:
    parts = tuple(map(read, values))
    return parts if not fields else _named_tuple(name, fields)(*parts)


def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    from collections import namedtuple

    return namedtuple(name, fields)


def _raise(name: str, message: str) -> None:
    raise (_ERRORS.get(name) or getattr(builtins, name))(message)


def _read_with_warnings(found: list[tuple[str, str]], answer: Any) -> Any:
    for category, message in found:
        report(message, ComplexWarning if category == "ComplexWarning" else getattr(builtins, category, UserWarning))
    return read(answer)


def report(message: str, category: Any = RuntimeWarning) -> None:
    """Give a warning at the line of the program that called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


_PACKAGE = __name__.rpartition(".")[0]

readers.update(
    {
        "l": lambda values: list(map(read, values)),
        "p": lambda values: values,
        "t": _read_tuple,
        "c": complex,
        "e": _raise,
        "m": lambda message: _raise("MemoryError", message),
        "w": _read_with_warnings,
        "o": lambda: IN_PLACE,
    }
)
