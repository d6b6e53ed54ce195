"""dtypes and scalars. Arithmetic of float64 and int64 is done here, as long as its result is an ordinary number."""

from __future__ import annotations

import functools
import json
import numbers
import operator
from collections.abc import Callable
from typing import Any

from engine.language.guest.numpy_names import ARITHMETIC, COMPARISONS, METHODS, words
from engine.language.guest.numpy_names import DTYPES as NAMES
from engine.language.guest.recording import RecordedFloat, plain

from . import _door
from ._door import NotNumbers, call

_SIZE = {"float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16, "bool": 1}
_SIZE |= {f"{sign}int{8 * size}": size for sign in ("", "u") for size in (1, 2, 4, 8)}
_SHORT = dict(zip("?efdFDbhilqBHILQ", words(
    "bool float16 float32 float64 complex64 complex128 int8 int16 int32 int64 int64 uint8 uint16 uint32 uint64 uint64"
), strict=True)) | {
    "int": "int64", "float": "float64", "complex": "complex128", "bool_": "bool", "b1": "bool", "uint": "uint64",
    "intp": "int64", "single": "float32", "double": "float64", "half": "float16", "long": "int64",
    **{f"{name[0]}{size}": name for name, size in _SIZE.items() if name != "bool"},
}  # fmt: skip
"""Other names of dtypes."""


class dtype:
    """Kind of the elements of an array."""

    def __new__(cls, kind: Any = None) -> dtype:
        """Return the dtype that a type, a name or a dtype means."""
        if isinstance(kind, dtype):
            return kind
        if isinstance(kind, type):
            kind = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}.get(kind) or kind.__name__
        if kind is None:
            kind = "float64"
        name = kind.lstrip("<=|") if isinstance(kind, str) else ""
        name = _SHORT.get(name, name)
        if name in DTYPES:
            return DTYPES[name]
        if name in ("object", "O", "object_"):
            return OBJECT
        if name in ("str", "str_") or (name[:1] == "U" and (name[1:] or "0").isdecimal()):
            return text_dtype(int(name[1:] or 0) if name[:1] == "U" else 0)
        raise TypeError(f"data type {kind!r} not understood")

    name: str
    kind: str
    itemsize: int
    type: Any

    def __repr__(self) -> str:
        return f"dtype('{'O' if self is OBJECT else self}')"

    def __str__(self) -> str:
        return self.str if self.kind == "U" else self.name

    def __eq__(self, other: object) -> bool:
        try:
            return self is dtype(other)
        except (TypeError, AttributeError):
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return dtype, (str(self),)

    @property
    def char(self) -> str:
        """One letter for the dtype."""
        return next((short for short, name in _SHORT.items() if name == self.name and len(short) == 1), "O")

    @property
    def str(self) -> str:
        """Byte order, kind and size."""
        size = self.itemsize // 4 if self.kind == "U" else self.itemsize
        return f"{'|' if self.itemsize == 1 else '<'}{self.kind}{size}"


def _new_dtype(name: str, kind: str, size: int) -> dtype:
    made = object.__new__(dtype)
    made.name, made.kind, made.itemsize = name, kind, size
    return made


DTYPES = {name: _new_dtype(name, name[0], _SIZE[name]) for name in NAMES}
OBJECT = _new_dtype("object", "O", 8)
OBJECT.type = object


@functools.cache
def text_dtype(length: int) -> dtype:
    """Return the dtype of texts of at most so many letters."""
    made = _new_dtype(f"str{32 * length}" if length else "str", "U", 4 * length)
    made.type = str_
    return made


class generic:
    """A NumPy scalar. `_v` is the Python number that it holds."""

    __slots__ = ()
    __array_priority__ = -1000000.0
    _v: Any
    shape: tuple[int, ...] = ()
    ndim, size = 0, 1
    dtype: Any

    def __new__(cls, value: Any = 0) -> Any:
        """Convert a number; an array gives an array."""
        convert = complex if issubclass(cls, complexfloating) else int if issubclass(cls, integer) else float
        if isinstance(value, str):
            value = convert(value)
        try:
            return call("array", (value,), {"dtype": cls.dtype})[()]
        except NotNumbers:  # such as a Fraction
            return call("array", (convert(value),), {"dtype": cls.dtype})[()]

    def __repr__(self) -> str:
        return f"np.{self.dtype.name}({self!s})"

    def __str__(self) -> str:
        return str(self._v)

    def __format__(self, spec: str) -> str:
        return format(self._v, spec)

    def __bool__(self) -> bool:
        return bool(self._v)

    def __int__(self) -> int:
        return int(self._v)

    def __float__(self) -> float:
        return float(self._v)

    def __complex__(self) -> complex:
        return complex(self._v)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._v) if digits is None else call(".round", (self, digits))

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        return lambda *args, **named: call(f".{name}", (self, *args), named)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and not key:
            return self
        if key is None or key is ... or isinstance(key, generic | tuple):
            return call("array", (self,))[key]
        raise IndexError("invalid index to scalar variable.")

    __iter__ = None

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return type(self), (self._v,)

    def item(self) -> Any:
        """Return the number as Python's."""
        return self._v

    tolist = item
    T = property(lambda self: self)
    real = property(lambda self: call("real", (self,)))
    imag = property(lambda self: call("imag", (self,)))

    @property
    def itemsize(self) -> int:
        """Bytes of the number."""
        return int(self.dtype.itemsize)

    nbytes = itemsize


class number(generic):
    __slots__ = ()


class integer(number):
    __slots__ = ()

    numerator = property(lambda self: self)
    denominator = property(lambda self: 1)

    def __index__(self) -> int:
        return int(self._v)

    def is_integer(self) -> bool:
        """Return True."""
        return True

    def bit_count(self) -> int:
        """Return how many bits of the size of the number are set."""
        return int(self._v).bit_count()


class signedinteger(integer):
    __slots__ = ()


class unsignedinteger(integer):
    __slots__ = ()


class inexact(number):
    __slots__ = ()


class floating(inexact):
    """A real number."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(call("text", (self, "str")))

    def is_integer(self) -> bool:
        """Return whether the number is whole."""
        return float(self).is_integer()

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return the number as a fraction."""
        return float(self).as_integer_ratio()


class complexfloating(inexact):
    """A complex number."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(call("text", (self, "repr")))

    def __str__(self) -> str:
        return str(call("text", (self, "str")))


class float64(floating, RecordedFloat):  # type: ignore[misc]
    """A float with the methods of a NumPy scalar.

    It derives from `RecordedFloat`, so that Python asks it first, as it does beside a plain float, when a number that a
    program names is the left operand: `total = 0.0; total += loss` makes a NumPy scalar.
    """

    __slots__ = ()
    __class__ = object.__dict__["__class__"]
    __pos__ = float.__pos__

    def __new__(cls, value: Any = 0.0) -> Any:
        """Convert a number or a text; an array gives an array."""
        if isinstance(value, int | float | str) or (hasattr(value, "__float__") and not hasattr(value, "shape")):
            return float.__new__(cls, value)
        return generic.__new__(cls, value)

    _v = property(float.__float__)
    __str__ = float.__repr__
    __hash__ = float.__hash__
    __bool__ = float.__bool__
    __int__ = float.__int__
    __float__ = float.__float__
    is_integer = float.is_integer
    real = property(lambda self: self)
    imag = property(lambda self: float64(0.0))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    def conjugate(self) -> Any:
        """Return the number itself."""
        return self

    conj = conjugate


class int64(signedinteger):
    """A whole number of 64 bits."""

    __slots__ = ("_v",)


class bool_(generic):
    """A truth value that NumPy computed."""

    __slots__ = ("_v",)

    def __new__(cls, value: Any = False) -> Any:
        """Convert a value; an array gives an array."""
        if isinstance(value, list | tuple) or (hasattr(value, "shape") and value.shape):
            return call("array", (value,), {"dtype": cls.dtype})
        return True_ if value else False_

    def __repr__(self) -> str:
        return f"np.{self._v}_"


bool_.__name__ = bool_.__qualname__ = "bool"


class str_(str, generic):
    """A text of an array."""

    __slots__ = ()
    _v = property(lambda self: str(self))
    dtype = property(lambda self: text_dtype(len(self)))
    __str__ = str.__str__
    __format__ = str.__format__

    def __repr__(self) -> str:
        return f"np.str_({str.__repr__(self)})"


str_.__module__ = "numpy"


def scalar(name: str, value: Any) -> Any:
    """Return the NumPy scalar of a dtype; a complex number is a list of two."""
    if name == "float64":
        return float.__new__(float64, value)
    if name == "bool":
        return True_ if value else False_
    made = object.__new__(TYPES[name])
    made._v = complex(*value) if type(value) is list else value
    return made


TYPES: dict[str, Any] = {"float64": float64, "int64": int64, "bool": bool_}
for _name in NAMES:
    if _name not in TYPES:
        _base = {"i": signedinteger, "u": unsignedinteger, "f": floating, "c": complexfloating}[_name[0]]
        TYPES[_name] = type(_name, (_base,), {"__slots__": ("_v",)})
    TYPES[_name].__module__ = "numpy"
    TYPES[_name].dtype, DTYPES[_name].type = DTYPES[_name], TYPES[_name]
for _type in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating, dtype):
    _type.__module__ = "numpy"
True_, False_ = object.__new__(bool_), object.__new__(bool_)
True_._v, False_._v = True, False
numbers.Integral.register(integer)
numbers.Real.register(floating)
numbers.Complex.register(complexfloating)

_LIMIT = 2**63
_EXACT = 2**53
_OF_FLOATS: dict[str, Callable[[float, float], Any]] = {
    name: getattr(float, f"__{name}__")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne")
}


def compute(name: str, a: Any, b: Any) -> Any:
    """Return the result of an operator on two numbers, one of which is a NumPy scalar."""
    x, y = plain(a), plain(b)
    if type(a) is int64 or type(a) is float64:
        x = a._v
    if type(b) is int64 or type(b) is float64:
        y = b._v
    kinds = {type(x), type(y)}
    if kinds <= {float, int}:
        if name in COMPARISONS:
            return True_ if getattr(operator, name)(x, y) else False_
        if kinds == {int} and -_EXACT < x < _EXACT and -_EXACT < y < _EXACT:
            if name in ("add", "sub", "mul") or (y and name in ("floordiv", "mod")):
                result = getattr(operator, name)(x, y)
                if -_LIMIT <= result < _LIMIT:
                    return scalar("int64", result)
            elif name == "truediv" and y:
                return scalar("float64", x / y)
        elif kinds != {int} and name in _OF_FLOATS and (y or name in ("add", "sub", "mul")):
            result = _OF_FLOATS[name](float(x), float(y))
            if result - result == 0:
                return float.__new__(float64, result)
    if not isinstance(b, _COMPUTED) or not isinstance(a, _COMPUTED):
        return overridden(ufunc_of[name], "__call__", (a, b), {})
    if name == "mul" and (isinstance(a, list | tuple) or isinstance(b, list | tuple)):
        return NotImplemented  # Python repeats lists
    try:
        return call(f"op.{name}", (a, b))
    except NotNumbers:
        if type(a) is int or type(b) is int:
            return call(f"op.{name}", fitted(name, a, b))
        return ufunc_of[name](a, b)  # for arrays of objects


def fitted(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    """Return operands of which one is a whole number that does not fit into 64 bits, as NumPy converts it."""
    numbers = [value for value in (a, b) if hasattr(value, "dtype")]
    if name not in COMPARISONS and name != "truediv" and all(value.dtype.kind in "biu" for value in numbers):
        raise OverflowError("Python int too large to convert to C long")
    first, second = (float(value) if type(value) is int else value for value in (a, b))
    return first, second


_COMPUTED = (int, float, complex, generic, list, tuple)

ufunc_of: dict[str, Any] = {}
"""The universal functions by their names and by those of operators, such as `np.multiply` for "multiply" and "mul"."""


def overridden(ufunc: Any, method: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Have operands whose class has an `__array_ufunc__` compute a universal function; NotImplemented without any."""
    own = [
        value
        for value in args
        if type(value) not in _door.writers and callable(getattr(type(value), "__array_ufunc__", None))
    ]
    for value in own:
        result = value.__array_ufunc__(ufunc, method, *args, **named)
        if result is not NotImplemented:
            return result
    if own:
        call_text = ", ".join(map(repr, (ufunc, method, *args)))
        kinds = ", ".join(repr(type(value).__name__) for value in args)
        raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({call_text}): {kinds}")
    return NotImplemented


def _install(name: str, method: str) -> None:
    def forward(self: Any, other: Any) -> Any:
        return compute(name, self, other)

    def reflected(self: Any, other: Any) -> Any:
        return compute(name, other, self)

    setters = [(f"__{method}__", forward)] + ([] if name in COMPARISONS else [(f"__r{method}__", reflected)])
    for owner in (generic, float64):
        for attribute, function in setters:
            setattr(owner, attribute, function)


for _name in {*ARITHMETIC, *COMPARISONS, "divmod"} - {"matmul"}:
    _install(_name, _name.strip("_"))
for _name in ("neg", "pos", "abs", "invert"):
    for _owner in (generic, float64):
        setattr(_owner, f"__{_name}__", lambda self, _name=_name: call(f"op.{_name}", (self,)))
generic.__hash__ = lambda self: hash(self._v)  # type: ignore[method-assign]  # a class that is compared has none


def _write_scalar(value: Any) -> str:
    number = [value._v.real, value._v.imag] if value.dtype.kind == "c" else value._v
    return f'{{"n":["{value.dtype.name}",{_door.write(number)}]}}'


def _write_kind(value: Any) -> str:
    kind = dtype(value)
    if kind.kind in "OU":
        raise NotNumbers("arrays of objects are lists here")
    return f'{{"d":"{kind.name}"}}'


def _write_text(value: str) -> str:
    """Write a text; one that names a dtype stands for it."""
    name = _SHORT.get(value, value) if len(value) > 1 else value
    return _write_kind(name) if name in DTYPES else json.dumps(value)


_door.writers[str] = _write_text
for _type in TYPES.values():
    _door.writers[_type] = _write_scalar
_door.writers[dtype] = _door.writers[type] = _write_kind
_door.readers["s"] = scalar
_door.readers["d"] = dtype
