"""Arrays. An `ndarray` holds the handle of an array of real NumPy outside; `_objects` has arrays of Python objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from types import GeneratorType
from typing import Any

from engine.language.guest.numpy_names import ARITHMETIC, COMPARISONS, CONVERSIONS, METHODS

from . import _door
from ._door import IN_PLACE, NotNumbers, call
from ._scalars import DTYPES, OBJECT, dtype, fitted, generic, overridden, scalar, str_, ufunc_of


class ndarray:
    """An array of numbers; real NumPy computes with it."""

    __slots__ = ("__weakref__", "_base", "_dtype", "_h", "_shape")
    __array_priority__ = 0.0
    _base: ndarray | None
    _dtype: dtype
    _h: int
    _shape: tuple[int, ...]

    def __new__(cls, shape: Any, dtype: Any = float) -> ndarray:
        """Return an array of zeros; programs use `np.array`, `np.zeros` and others."""
        made: ndarray = call("zeros", (shape,), {"dtype": dtype})
        return made

    def __del__(self) -> None:
        if self._h:
            _door.freed.append(self._h)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes; can be set."""
        return self._shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        self._shape = tuple(call("shape_set", (self, shape)))

    dtype = property(lambda self: self._dtype, doc="Kind of the elements.")
    ndim = property(lambda self: len(self._shape), doc="Number of axes.")
    size = property(lambda self: prod(self._shape), doc="Number of elements.")
    itemsize = property(lambda self: self._dtype.itemsize, doc="Bytes of an element.")
    nbytes = property(lambda self: self.size * self._dtype.itemsize, doc="Bytes of all elements.")
    base = property(lambda self: self._base, doc="The array whose memory this one shows, or None.")
    T = property(lambda self: apply("attribute", (self, "T"), {}), doc="The transposed array.")
    mT = property(lambda self: apply("attribute", (self, "mT"), {}), doc="The array with its last axes swapped.")
    strides = property(lambda self: call("attribute", (self, "strides")), doc="Bytes from element to element.")

    real = property(
        lambda self: apply("attribute", (self, "real"), {}),
        lambda self, value: self.real.__setitem__(..., value),
        doc="Real parts; can be set.",
    )
    imag = property(
        lambda self: apply("attribute", (self, "imag"), {}),
        lambda self, value: self.imag.__setitem__(..., value),
        doc="Imaginary parts; can be set.",
    )

    @property
    def flat(self) -> _Flat:
        """The elements, as of an array with one axis; can be set."""
        return _Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        call("flat", (self, slice(None), value))

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        if len(self._shape) != 1:
            if not self._shape:
                raise TypeError("iteration over a 0-d array")
            return (self[place] for place in range(self._shape[0]))
        return self._elements()

    def _elements(self) -> Iterator[Any]:
        """Give the elements of one axis as they are when the loop comes to them; many are read at a time."""
        place, size = 0, self._shape[0]
        while place < self._shape[0]:
            seen = _door.changes
            name, values = call("scalars", (self if size >= self._shape[0] else self[place : place + size],))
            size *= 2
            for value in values:
                place += 1
                yield scalar(name, value) if self._dtype.kind != "c" else self._dtype.type(value)
                if seen != _door.changes:
                    size = 1
                    break

    def __getitem__(self, key: Any) -> Any:
        _no_text(key)
        return _shown(call("getitem", (self, key)), self)

    def __setitem__(self, key: Any, value: Any) -> None:
        _no_text(key)
        try:
            call("setitem", (self, key, value))
        except NotNumbers:
            if not hasattr(value, "__float__"):
                raise TypeError(
                    f"float() argument must be a string or a real number, not '{type(value).__name__}'"
                ) from None
            call("setitem", (self, key, float(value)))

    def __contains__(self, value: Any) -> bool:
        return bool(call("contains", (self, value)))

    def __str__(self) -> str:
        return str(call("text", (self, "str")))

    def __repr__(self) -> str:
        return str(call("text", (self, "repr")))

    def __format__(self, spec: str) -> str:
        if not self._shape:
            return format(self[()], spec)
        if spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return str(self)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        return _restored, (self.tolist(), self._dtype.name, self._shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> ndarray:
        return self if dtype is None else self.astype(dtype)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")

    def __divmod__(self, other: Any) -> Any:
        return call("op.divmod", (self, other))

    def __rdivmod__(self, other: Any) -> Any:
        return call("op.divmod", (other, self))


class _Flat:
    """`array.flat`."""

    def __init__(self, array: ndarray) -> None:
        self._array = array

    def __len__(self) -> int:
        return int(self._array.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array.ravel())

    def __getitem__(self, key: Any) -> Any:
        return call("flat", (self._array, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        call("flat", (self._array, key, value))


def _no_text(key: Any) -> None:
    if isinstance(key, str):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
            "valid indices"
        )


def _restored(values: Any, name: str, shape: tuple[int, ...]) -> Any:
    return call("array", (values,), {"dtype": dtype(name)}).reshape(shape)


def _new_array(handle: int, name: str, shape: list[int], is_view: int) -> ndarray:
    made = object.__new__(ndarray)
    made._h, made._dtype, made._shape = handle, DTYPES[name], tuple(shape)
    made._base = IN_PLACE if is_view else None
    return made


def _shown(result: Any, array: Any) -> Any:
    """Return a result, with the array whose memory it shows as its base."""
    if type(result) is ndarray and result._base is IN_PLACE:
        result._base = (array if array._base is None else array._base) if isinstance(array, ndarray) else None
    elif type(result) is list or type(result) is tuple:
        for each in result:
            _shown(each, array)
    return result


def apply(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Have NumPy do an operation; arrays of objects are worked on here."""
    try:
        if "dtype" in named:
            named["dtype"] = dtype(named["dtype"])
        if name in TAKE_TEXTS and not {str, str_, type(None)}.isdisjoint(map(type, args)):
            raise NotNumbers("a text")
        result = call(name, args, named)
    except NotNumbers as error:
        if len(args) == 2 and int in (type(args[0]), type(args[1])) and _too_large(args):
            return call(name, fitted(name.removeprefix("op."), *args))
        return _door.apply_to_objects(name, args, named, error)
    if result is IN_PLACE:
        return named.get("out", args[0])
    return _shown(result, args[0] if args else None)


def _too_large(args: Any) -> bool:
    """Return whether an operand is a whole number of more than 64 bits, beside an array of numbers."""
    arrays = [value for value in args if type(value) is not int]
    numbers = all(isinstance(value, ndarray | generic) and value.dtype is not OBJECT for value in arrays)
    return numbers and not all(abs(value) < 2**63 for value in args if type(value) is int)


def _leaves_to(other: Any) -> bool:
    """Return whether an operator leaves the computation to the other operand, as NumPy decides it."""
    kind = type(other)
    if kind in _door.writers or isinstance(other, ndarray | list | tuple):
        return False
    if getattr(kind, "__array_ufunc__", 0) is None:
        return True
    return getattr(kind, "__array_priority__", 0) > 0


def _install(name: str, method: str) -> None:
    def forward(self: Any, other: Any) -> Any:
        if type(other) is str:
            return _door.apply_to_objects(operation, (self, other), {})
        if (result := overridden(ufunc_of[name], "__call__", (self, other), {})) is not NotImplemented:
            return result
        return NotImplemented if _leaves_to(other) else apply(operation, (self, other), {})

    def reflected(self: Any, other: Any) -> Any:
        if (result := overridden(ufunc_of[name], "__call__", (other, self), {})) is not NotImplemented:
            return result
        return NotImplemented if _leaves_to(other) else apply(operation, (other, self), {})

    def in_place(self: Any, other: Any) -> Any:
        if (result := overridden(ufunc_of[name], "__call__", (self, other), {"out": (self,)})) is not NotImplemented:
            return result
        if getattr(type(other), "__array_ufunc__", 0) is None:
            raise TypeError(f"operand '{type(other).__name__}' does not support ufuncs (__array_ufunc__=None)")
        if _leaves_to(other):
            return NotImplemented
        if self._dtype is OBJECT:
            self[...] = apply(operation, (self, other), {})
        else:
            call(f"op.i{method}", (self, other))
        return self

    operation = f"op.{name}"
    setattr(ndarray, f"__{method}__", forward)
    if name not in COMPARISONS:
        setattr(ndarray, f"__r{method}__", reflected)
        setattr(ndarray, f"__i{method}__", in_place)


def functions(names: list[str], prefix: str = "") -> dict[str, Callable[..., Any]]:
    """Return a function for each name, which asks for the operation of that name after the prefix."""
    return {name: _function(name, prefix) for name in names}


def _function(name: str, prefix: str) -> Callable[..., Any]:
    def function(*args: Any, **named: Any) -> Any:
        if name in OWN_REDUCTIONS and args and type(args[0]) not in _door.writers:
            result = _reduced_by_itself(name, args, named)
            if result is not NotImplemented:
                return result
        return apply(prefix + name, args, named)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "numpy"
    return function


TAKE_TEXTS = frozenset({"where", "isin", "append", "array_equal"})
"""Functions of which an argument may be a text that is an element."""
OWN_REDUCTIONS = {
    "sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "amax": "maximum", "amin": "minimum",
    "any": "logical_or", "all": "logical_and", "mean": "", "std": "", "var": "",
}  # fmt: skip
"""Functions that call the method of the same name of an object, and the universal functions they are otherwise."""


def _reduced_by_itself(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Have an object of a class of its own do a reduction, as NumPy does it; NotImplemented when it cannot."""
    value, method = args[0], name.removeprefix("a") if name in ("amax", "amin") else name
    if isinstance(value, ndarray | generic | list | tuple | int | float):
        return NotImplemented
    if isinstance(value, GeneratorType) and name == "sum":
        raise TypeError(
            "Calling np.sum(generator) is deprecated.Use np.sum(np.fromiter(generator)) or the python sum builtin "
            "instead."
        )
    if type(value).__module__.partition(".")[0] in ("engine", "torch"):  # Gradstep's own
        if not hasattr(value, method):
            raise TypeError(f"np.{name} works with numbers here, not with a {type(value).__name__}")
        return getattr(value, method)(*args[1:], **named)
    order = ("axis", "out") if method in ("max", "min", "any", "all") else ("axis", "dtype", "out", "ddof")
    given = {"axis": None, "out": None, **dict(zip(order, args[1:], strict=False)), **named}
    if method in ("mean", "std", "var"):
        given = {"dtype": None, **({} if method == "mean" else {"ddof": 0}), **given}
    if callable(own := getattr(value, method, None)):
        return own(**given)
    ufunc = ufunc_of.get(OWN_REDUCTIONS[name])
    if ufunc is None:
        return NotImplemented
    return overridden(ufunc, "reduce", args[:1], {key: part for key, part in given.items() if key != "out" or part})


OPERATORS = [*ARITHMETIC, *COMPARISONS]
for _name in OPERATORS:
    _install(_name, _name.strip("_"))
for _name in CONVERSIONS:
    setattr(ndarray, f"__{_name}__", lambda self, _name=_name: apply(f"op.{_name}", (self,), {}))
for _name, _each in functions(METHODS, ".").items():
    setattr(ndarray, _name, _each)
ndarray.__module__ = "numpy"
_door.writers[ndarray] = lambda array: f'{{"h":{array._h}}}'
_door.readers["a"] = _new_array
_door.KINDS_WITH_SUBCLASSES += [generic]
