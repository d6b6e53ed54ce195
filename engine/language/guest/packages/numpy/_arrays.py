"""Arrays. An `ndarray` holds the handle of an array of real NumPy outside; an `ObjectArray` holds Python objects."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from math import prod
from types import GeneratorType
from typing import Any

from engine.language.guest.numpy_names import ARITHMETIC, COMPARISONS, CONVERSIONS, METHODS, words

from . import _door
from ._door import IN_PLACE, NotNumbers, UFuncTypeError, call
from ._scalars import DTYPES, OBJECT, bool_, dtype, fitted, generic, overridden, scalar, ufunc_of


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
        name, values = call("scalars", (self,))
        return (
            iter([scalar(name, value) for value in values])
            if self._dtype.kind != "c"
            else map(self._dtype.type, values)
        )

    def __getitem__(self, key: Any) -> Any:
        return _shown(call("getitem", (self, key)), self)

    def __setitem__(self, key: Any, value: Any) -> None:
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
        result = call(name, args, named)
    except NotNumbers as error:
        if len(args) == 2 and int in (type(args[0]), type(args[1])) and _too_large(args):
            return call(name, fitted(name.removeprefix("op."), *args))
        return apply_to_objects(name, args, named, error)
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
            return apply_to_objects(operation, (self, other), {})
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


# Arrays of objects


class ObjectArray(ndarray):
    """An array of Python objects, such as Values.

    Real NumPy holds the places of the objects in a list, so that indexing and reshaping are NumPy's own; views share
    the list.
    """

    __slots__ = ("_items", "_places")
    _items: list[Any]
    _places: Any

    def __new__(cls, items: list[Any], places: Any) -> ObjectArray:
        """Return an array with the objects of a list at the places that an array of int64 names."""
        made = object.__new__(cls)
        made._h, made._base, made._dtype = 0, None, OBJECT
        made._items, made._places, made._shape = items, places, places.shape
        return made

    def objects(self) -> list[Any]:
        """Return the objects in order, as a flat list."""
        return [self._items[place] for place in self._places.ravel().tolist()]

    def tolist(self) -> Any:
        """Return nested lists of the objects."""

        def nested(places: Any) -> Any:
            return list(map(nested, places)) if isinstance(places, list) else self._items[places]

        return nested(self._places.tolist())

    def _at(self, places: Any) -> Any:
        return ObjectArray(self._items, places) if isinstance(places, ndarray) else self._items[int(places)]

    def __getitem__(self, key: Any) -> Any:
        return self._at(self._places[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        places = call("array", (self._places[key],))
        values = as_objects(value)
        values = (
            values if values.shape == places.shape else values._at(call("broadcast_to", (values._places, places.shape)))
        )
        for place, each in zip(places.ravel().tolist(), values.objects(), strict=True):
            self._items[place] = each

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return value in self.objects()

    def copy(self) -> ObjectArray:
        """Return an array of the same objects with a list of its own."""
        return array_of(self.objects(), self._shape)

    flatten = property(lambda self: lambda: self.copy().reshape(-1))
    T = property(lambda self: self._at(self._places.T))

    def __str__(self) -> str:
        return _text(self.tolist(), " ", 0, str if self._shape == () else repr)

    def __repr__(self) -> str:
        texts = all(isinstance(each, str) for each in self._items)
        kind = f"<U{max(map(len, self._items), default=1)}" if texts else "object"
        body = _text(self.tolist(), ", ", 6, repr)
        return f"array({body}, dtype={kind!r})" if texts else f"array({body}, dtype={kind})"


def array_of(items: list[Any], shape: tuple[int, ...]) -> ObjectArray:
    """Return an array of objects; they stand in a flat list."""
    return ObjectArray(items, call("arange", (len(items),)).reshape(shape))


def as_objects(values: Any) -> ObjectArray:
    """Return nested lists, an array or one object as an array of objects."""
    if isinstance(values, ObjectArray):
        return values
    if isinstance(values, ndarray):
        return array_of(values.ravel().tolist(), values.shape)
    if isinstance(values, generic):
        return array_of([values.item()], ())
    shape, level = [], [values]
    while level and all(
        isinstance(each, list | tuple | ndarray) and getattr(each, "shape", None) != () for each in level
    ):
        if len({len(each) for each in level}) > 1:
            break
        shape.append(len(level[0]))
        level = list(itertools.chain.from_iterable(level))
    return array_of(level, tuple(shape))


def _text(values: Any, separator: str, indent: int, write: Callable[[Any], str], depth: int = 1) -> str:
    """Return the text of nested lists, broken into lines as NumPy does it."""
    if not isinstance(values, list):
        return write(values)
    pieces = [_text(each, separator, indent, write, depth + 1) for each in values]
    if values and isinstance(values[0], list):
        deeper = 1
        while isinstance(values[0], list):
            values, deeper = values[0], deeper + 1
        return "[" + (separator.rstrip() + "\n" * (deeper - 1) + " " * (indent + depth)).join(pieces) + "]"
    lines, line = [], ""
    for number, piece in enumerate(pieces):
        piece += separator if number < len(pieces) - 1 else ""
        if line and indent + depth + len(line) + len(piece.rstrip()) > 75 - (1 if piece.endswith(" ") else 0):
            lines.append(line.rstrip())
            line = ""
        line += piece
    return "[" + ("\n" + " " * (indent + depth)).join([*lines, line]) + "]"


MOVES = frozenset(
    words(
        "reshape ravel transpose swapaxes squeeze repeat take broadcast_to expand_dims moveaxis flip fliplr flipud "
        "roll rot90 atleast_1d atleast_2d tile resize diag diagonal tril"
    )
)
"""Operations that only say where the objects go."""
JOINS = frozenset({"concatenate", "stack", "vstack", "hstack", "column_stack"})
FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "prod": operator.mul,
    "max": lambda a, b: a if a >= b else b,
    "min": lambda a, b: a if a <= b else b,
}
"""Operations on two objects that give one result for all of them."""
UFUNC_OPERATORS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "power": "pow", "floor_divide": "floordiv",
    "remainder": "mod", "matmul": "matmul", "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor",
    "left_shift": "lshift", "right_shift": "rshift", "equal": "eq", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge", "negative": "neg", "absolute": "abs", "positive": "pos",
    "divmod": "divmod",
}  # fmt: skip
CONVERT: dict[str, Callable[[Any], Any]] = {"bool": bool, "float": float, "int": int, "complex": complex}
OWN_METHODS = frozenset(
    words(
        "exp log log2 log10 log1p expm1 sqrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
        "square conjugate floor ceil"
    )
)
"""Universal functions that call the method of the same name of each object."""


def apply_to_objects(name: str, args: tuple[Any, ...], named: dict[str, Any], error: Any = "") -> Any:
    """Do an operation on objects that NumPy does with Python's own operators and methods; others raise `error`."""
    operation, name = name, name.removeprefix("op.").lstrip(".")
    name = UFUNC_OPERATORS.get(name, name)
    if len(args) == 2 and any(isinstance(each, str) for each in args) and name in ("add", "sub", "mul", "truediv"):
        kinds = [repr(each.dtype if isinstance(each, ndarray) else _text_dtype(each)) for each in args]
        ufunc = next(key for key, operator_name in UFUNC_OPERATORS.items() if operator_name == name)
        raise UFuncTypeError(
            f"ufunc '{ufunc}' did not contain a loop with signature matching types ({', '.join(kinds)}) -> None"
        ) from None
    if name in JOINS:
        parts = list(map(as_objects, args[0]))
        starts = itertools.accumulate((len(part._items) for part in parts), initial=0)
        places = [part._places + start for part, start in zip(parts, starts, strict=False)]
        items = list(itertools.chain.from_iterable(part._items for part in parts))
        return ObjectArray(items, call(name, (places, *args[1:]), named))
    if name in OPERATORS or name in ("maximum", "minimum"):
        if name == "matmul":
            return _product(*map(as_objects, args))
        function = {"maximum": FOLDS["max"], "minimum": FOLDS["min"]}.get(name) or getattr(operator, name)
        return _combined(function, as_objects(args[0]), as_objects(args[1]), name)
    values = as_objects(args[0]) if args else array_of([], (0,))
    if name in MOVES:
        return values._at(call(operation, (values._places, *args[1:]), named))
    if name in ("any", "all"):
        truths = call("array", ([bool(each) for each in values.objects()],)).reshape(values.shape)
        return call(name, (truths, *args[1:]), named)
    if name in FOLDS or name == "mean":
        return _folded(name, values, *args[1:], **named)
    if name in ("neg", "abs", "pos", "invert"):
        return _finished([getattr(operator, name)(each) for each in values.objects()], values.shape)
    if name in ("dot", "inner") and len(args) > 1:
        return _product(values, as_objects(args[1]))
    if name in OWN_METHODS:
        for each in values.objects():
            if getattr(type(each), "__array_ufunc__", 0) is None and not isinstance(args[0], ndarray | list | tuple):
                message = f"operand '{type(each).__name__}' does not support ufuncs (__array_ufunc__=None)"
                raise TypeError(message) from None
            if not callable(getattr(each, name, None)):
                raise TypeError(
                    f"loop of ufunc does not support argument 0 of type {type(each).__name__} "
                    f"which has no callable {name} method"
                ) from None
        return _finished([getattr(each, name)() for each in values.objects()], values.shape)
    if name == "astype":
        kind = dtype(args[1] if len(args) > 1 else named.get("dtype"))
        python = {"f": float, "i": int, "c": complex}.get(kind.kind, bool)
        return call("array", ([python(each) for each in values.objects()],), {"dtype": kind}).reshape(values.shape)
    if name == "item":
        return values._items[values._places.item(*args[1:])]
    if name in CONVERT:
        call(operation, (values._places,))  # says which arrays are a number
        return CONVERT[name](values.objects()[0])
    raise TypeError(f"np.{name} works with numbers here: {error}. Use a list and a loop for objects.") from None


def _finished(items: list[Any], shape: tuple[int, ...]) -> Any:
    return array_of(items, shape) if shape else items[0]


def _combined(function: Callable[[Any, Any], Any], a: ObjectArray, b: ObjectArray, name: str = "") -> Any:
    """Return the result of a function of two arguments for arrays that are broadcast together."""
    first, second = call("broadcast_arrays", (a._places, b._places))
    pairs = zip(first.ravel().tolist(), second.ravel().tolist(), strict=True)
    items = [function(a._items[i], b._items[k]) for i, k in pairs]
    if name in COMPARISONS and all(isinstance(each, bool | bool_) for each in items):
        return call("array", (list(map(bool, items)),)).reshape(first.shape) if first.shape else items[0]
    return _finished(items, first.shape)


def _folded(name: str, values: ObjectArray, axis: Any = None, keepdims: bool = False, **named: Any) -> Any:
    """Return a sum, product, maximum, minimum or mean along an axis."""
    if named:
        raise TypeError(f"{name}() of objects takes axis and keepdims only")
    if name == "mean":
        total = _folded("sum", values, axis, keepdims)
        return total / (len(values.objects()) // max(1, total.size if isinstance(total, ndarray) else 1))
    if not values._places.size:
        return call(name, (values._places, axis), {"keepdims": keepdims})
    if axis is None:
        rows = [values.objects()]
    else:
        rows = [
            values._at(row).objects()
            for row in call("moveaxis", (values._places, axis, -1)).reshape(-1, values.shape[axis])
        ]
    folded = [functools.reduce(FOLDS[name], row) for row in rows]
    shape = [1 if axis is None else length for length in values.shape]
    if axis is not None:
        shape[axis] = 1
    if not keepdims:
        shape = (
            [] if axis is None else [length for place, length in enumerate(values.shape) if place != axis % len(shape)]
        )
    return _finished(folded, tuple(shape))


def _product(a: ObjectArray, b: ObjectArray) -> Any:
    """Return the matrix product of two arrays with at most two axes each."""
    if a.ndim > 2 or b.ndim > 2:
        raise TypeError("products of objects are there for vectors and matrices")
    if not a.shape or not b.shape:
        return _combined(operator.mul, a, b)
    rows = a.reshape(-1, a.shape[-1]).tolist()
    columns = (b.T if b.ndim == 2 else b.reshape(1, -1)).tolist()
    if len(rows[0]) != len(columns[0]):
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {len(columns[0])} is different from {len(rows[0])})"
        )
    items = [functools.reduce(operator.add, map(operator.mul, row, column)) for row in rows for column in columns]
    return _finished(items, (*a.shape[:-1], *b.shape[1:]))


class _text_dtype:
    """The dtype of a text."""

    def __init__(self, text: str) -> None:
        self._length = len(text)

    def __repr__(self) -> str:
        return f"dtype('<U{self._length}')"


def _refuse(array: ObjectArray) -> str:
    raise NotNumbers("its elements are objects")


_door.writers[ObjectArray] = _refuse
ObjectArray.__name__ = ObjectArray.__qualname__ = "ndarray"
ObjectArray.__module__ = "numpy"
