"""Numbers that remember how they were computed, and are floats and whole numbers to the program.

A number that a program names at its top level is a leaf. What is computed from leaves is recorded: the operation, its
inputs and the place in the text. Everything else about these numbers (comparison, printing, hashing, use as an index)
is Python's own, because the classes derive from `float` and `int` and add nothing but arithmetic.

Gradients are not computed here: the graph goes to the window, and the engine differentiates it there.
"""

from __future__ import annotations

import builtins
import math as _math
import sys
import types
from collections.abc import Callable
from typing import Any

from engine.language.guest import deadline

MOST_NODES = 20_000
"""Computed numbers that are recorded at most; from then on results are plain numbers."""

Place = tuple[types.CodeType, int]
"""Code object and offset of the instruction that computed a number."""


class Recorder:
    """How many numbers were recorded.

    Attributes:
        left: computed numbers that may still be recorded.
    """

    left = MOST_NODES


class _Recorded:
    """Methods of numbers with a history: copies and `+x` are the number itself, and a pickle is a plain number.

    Attributes:
        _gradstep_op: name in the table of operations; "" for a leaf. Like the others it has a name that no program
            uses, as a program finds the attributes of a plain number here.
        _gradstep_inputs: the numbers it was computed from, plain ones included.
        _gradstep_label: name that the program gave a leaf.
        _gradstep_place: where it was computed.
    """

    __slots__ = ()

    _gradstep_op: str
    _gradstep_inputs: tuple[float, ...]
    _gradstep_label: str
    _gradstep_place: Place | None

    def __reduce_ex__(self, _protocol: Any) -> tuple[Any, ...]:
        return type(plain(self)), (plain(self),)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _memo: Any) -> Any:
        return self

    def __pos__(self) -> Any:
        return self


class RecordedFloat(_Recorded, float):
    """A float with its history."""

    __slots__ = ("_gradstep_inputs", "_gradstep_label", "_gradstep_op", "_gradstep_place")
    __class__ = property(lambda _number: float)


class RecordedInt(_Recorded, int):
    """A whole number with its history, in a dictionary that a program neither sees nor writes into."""

    __class__ = property(lambda _number: int)
    __dict__ = property(lambda number: int(number).__dict__)  # raises what that of a plain number does

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(int(self), name, value)


RECORDED = (RecordedFloat, RecordedInt)
_FLOATS = (float, RecordedFloat)
"""Types of floats beside which a whole number becomes a float; NumPy's derives from float and decides by itself."""


def is_recorded(number: Any) -> bool:
    """Return True for a number with a history."""
    return builtins.type(number) in RECORDED


def plain(number: Any) -> Any:
    """Return a number without its history."""
    kind = builtins.type(number)
    return float(number) if kind is RecordedFloat else int(number) if kind is RecordedInt else number


def as_float(number: float) -> float:
    """Return a number as a float; whole numbers beyond those of floats as infinity."""
    try:
        return float(number)
    except OverflowError:
        return _math.inf if number > 0 else -_math.inf


def leaf(number: Any, label: str = "", place: Place | None = None) -> Any:
    """Return a number as a leaf of the graph; anything but a float or a whole number is returned unchanged."""
    kind = builtins.type(number)
    if kind is float:
        return _made(RecordedFloat, number, "", (), label, place)
    return _made(RecordedInt, number, "", (), label, place) if kind is int else number


def record(number: Any, op: str, *inputs: float, depth: int = 2) -> Any:
    """Return a result with its history, as long as there is room for one; `depth`: of the caller's frame."""
    kind = builtins.type(number)
    if kind is not float and kind is not int:
        return number
    if Recorder.left <= 0:
        return number
    Recorder.left -= 1
    if not Recorder.left & 1023:
        deadline.check()
    frame = sys._getframe(depth)
    place = frame.f_code, frame.f_lasti
    return _made(RecordedFloat if kind is float else RecordedInt, number, op, inputs, "", place)


def _made(kind: Any, number: Any, op: str, inputs: tuple[float, ...], label: str, place: Place | None) -> Any:
    made = kind.__new__(kind, number)
    if kind is RecordedInt:
        set_attribute = object.__setattr__  # as the class refuses it to programs
        set_attribute(made, "_gradstep_op", op)
        set_attribute(made, "_gradstep_inputs", inputs)
        set_attribute(made, "_gradstep_label", label)
        set_attribute(made, "_gradstep_place", place)
    else:
        made._gradstep_op, made._gradstep_inputs, made._gradstep_label, made._gradstep_place = op, inputs, label, place
    return made


# Arithmetic

_OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow"}
"""Python's names of the operators that are recorded, and the names of their operations in the table."""


def _forward(name: str, op: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the methods of `RecordedFloat` and `RecordedInt` for `self <operator> other`.

    A power modulo a number is none of the operations of the table: its result is a plain number.
    """
    of_float, of_int = getattr(float, f"__{name}__"), getattr(int, f"__{name}__")
    reflected = getattr(float, f"__r{name}__")

    def float_method(self: Any, other: Any, *modulus: Any) -> Any:
        result = of_float(self, other, *modulus)
        return result if result is NotImplemented or modulus else record(result, op, self, other)

    def int_method(self: Any, other: Any, *modulus: Any) -> Any:
        result = of_int(self, other, *modulus)
        if result is NotImplemented and builtins.type(other) in _FLOATS:
            result = reflected(other, self)
        return result if result is NotImplemented or modulus else record(result, op, self, other)

    return float_method, int_method


def _reflected(name: str, op: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the methods for `other <operator> self`."""
    of_float, of_int = getattr(float, f"__r{name}__"), getattr(int, f"__r{name}__")
    forward = getattr(float, f"__{name}__")

    def float_method(self: Any, other: Any, *modulus: Any) -> Any:
        result = of_float(self, other, *modulus)
        return result if result is NotImplemented or modulus else record(result, op, other, self)

    def int_method(self: Any, other: Any, *modulus: Any) -> Any:
        result = of_int(self, other, *modulus)
        if result is NotImplemented and builtins.type(other) in _FLOATS and not modulus:
            result = forward(other, self)
        return result if result is NotImplemented or modulus else record(result, op, other, self)

    return float_method, int_method


for _name, _op in _OPERATORS.items():
    for _prefix, _make in (("__", _forward), ("__r", _reflected)):
        for _kind, _method in zip(RECORDED, _make(_name, _op), strict=True):
            _method.__name__ = f"{_prefix}{_name}__"
            setattr(_kind, _method.__name__, _method)
for _recorded, _plain in ((RecordedFloat, float), (RecordedInt, int)):
    for _op in ("neg", "abs"):
        _method = getattr(_plain, f"__{_op}__")
        setattr(_recorded, f"__{_op}__", lambda self, _method=_method, _op=_op: record(_method(self), _op, self))


# The module math and the function type of programs

_FUNCTIONS = {name: name for name in ("exp", "log", "sqrt", "tanh", "sin", "cos")} | {"fabs": "abs", "pow": "pow"}
"""Functions of `math` that are recorded, and the names of their operations in the table."""


def _recording(function: Callable[..., Any], op: str) -> Callable[..., Any]:
    def recorded(*arguments: Any) -> Any:
        result = function(*arguments)
        n_inputs = 2 if op == "pow" else 1
        if len(arguments) == n_inputs and any(map(is_recorded, arguments)):
            return record(result, op, *arguments)
        return result

    recorded.__name__ = recorded.__qualname__ = function.__name__
    recorded.__doc__ = function.__doc__
    return recorded


for _kind in (RecordedFloat, RecordedInt):  # the names that Python's messages show
    _kind.__name__ = _kind.__qualname__ = _kind.__base__.__name__  # type: ignore[union-attr]

math = types.ModuleType("math", _math.__doc__)
"""The module that a program gets for `import math`: functions of recorded numbers are recorded."""
math.__dict__.update({name: thing for name, thing in vars(_math).items() if name not in ("__name__", "__spec__")})
math.__dict__.update({name: _recording(getattr(_math, name), op) for name, op in _FUNCTIONS.items()})


class _TypeOfType(builtins.type):
    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is Type and len(arguments) == 1 and not keywords:
            kind = builtins.type(arguments[0])
            return {RecordedFloat: float, RecordedInt: int, builtins.type: Type}.get(kind, kind)
        if cls is Type:
            return builtins.type(*arguments, **keywords)
        return super().__call__(*arguments, **keywords)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, builtins.type) if cls is Type else super().__instancecheck__(thing)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, builtins.type) if cls is Type else super().__subclasscheck__(kind)

    def __repr__(cls) -> str:
        return "<class 'type'>" if cls is Type else super().__repr__()


class Type(builtins.type, metaclass=_TypeOfType):
    """The `type` of a program's builtins: the type of a recorded number is `float` or `int`."""


Type.__name__, Type.__qualname__, Type.__module__ = "type", "type", "builtins"
