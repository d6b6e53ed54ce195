"""Arrays of Python objects, such as Values, and of texts: what real NumPy outside cannot hold is done here."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from engine.language.guest.numpy_names import ARITHMETIC, COMPARISONS, words

from . import _door
from ._arrays import OPERATORS, ndarray
from ._door import NotNumbers, UFuncTypeError, call
from ._scalars import DTYPES, OBJECT, bool_, dtype, generic, str_, text_dtype


class ObjectArray(ndarray):
    """An array of Python objects, such as Values.

    Real NumPy holds the places of the objects in a list, so that indexing and reshaping are NumPy's own; views share
    the list.
    """

    __slots__ = ("_items", "_places")
    _items: list[Any]
    _places: Any

    def __new__(cls, items: list[Any], places: Any, kind: dtype = OBJECT) -> ObjectArray:
        """Return an array with the objects of a list at the places that an array of int64 names."""
        made = object.__new__(cls)
        made._h, made._base, made._dtype = 0, None, kind
        made._items, made._places, made._shape = items, places, places.shape
        return made

    def objects(self) -> list[Any]:
        """Return the objects in order, as a flat list."""
        return [self._items[place] for place in self._places.ravel().tolist()]

    def tolist(self) -> Any:
        """Return nested lists of the objects."""

        def nested(places: Any) -> Any:
            if isinstance(places, list):
                return list(map(nested, places))
            return str(self._items[places]) if self._dtype is not OBJECT else self._items[places]

        return nested(self._places.tolist())

    def _at(self, places: Any) -> Any:
        if isinstance(places, ndarray):
            return ObjectArray(self._items, places, self._dtype)
        return self._items[int(places)]

    def __getitem__(self, key: Any) -> Any:
        return self._at(self._places[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        places = call("array", (self._places[key],))
        values = as_objects(value)
        values = (
            values if values.shape == places.shape else values._at(call("broadcast_to", (values._places, places.shape)))
        )
        items = values.objects() if self._dtype is OBJECT else _texts(values.objects(), self.itemsize // 4)
        for place, each in zip(places.ravel().tolist(), items, strict=True):
            self._items[place] = each

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return value in self.objects()

    def copy(self) -> ObjectArray:
        """Return an array of the same objects with a list of its own."""
        return array_of(self.objects(), self._shape, self._dtype)

    def __reduce__(self) -> Any:
        return _restored, (self.objects(), str(self._dtype), self._shape)

    flatten = property(lambda self: lambda: self.copy().reshape(-1))
    T = property(lambda self: self._at(self._places.T))

    def __str__(self) -> str:
        return _text(self.tolist(), " ", 0, str if self._shape == () else repr)

    def __repr__(self) -> str:
        body = _text(self.tolist(), ", ", 6, repr)
        return f"array({body}, dtype={repr(str(self._dtype)) if self._dtype is not OBJECT else 'object'})"


def _restored(items: list[Any], kind: str, shape: tuple[int, ...]) -> ObjectArray:
    return array_of(items, shape, dtype(kind))


def array_of(items: list[Any], shape: tuple[int, ...], kind: dtype = OBJECT) -> ObjectArray:
    """Return an array of objects; they stand in a flat list."""
    return ObjectArray(items, call("arange", (len(items),)).reshape(shape), kind)


def as_texts(array: ObjectArray, length: int = 0) -> ObjectArray:
    """Return an array of the texts of objects, each of at most so many letters; 0: as many as there are."""
    items = array.objects()
    length = length or max([1, *map(_letters, items)])
    return array_of(_texts(items, length), array.shape, text_dtype(length))


def _texts(items: list[Any], length: int) -> list[Any]:
    return [str_(str(each)[:length]) for each in items]


def _letters(item: Any) -> int:
    """Return for how many letters NumPy makes room where something becomes a text."""
    if isinstance(item, str):
        return len(item)
    kind = type(item.item()) if isinstance(item, generic) else type(item)
    return {bool: 5, int: 21, float: 32, complex: 64}.get(kind) or len(str(item))


def with_texts(array: ObjectArray) -> ObjectArray:
    """Return an array of texts for one of texts and numbers, as NumPy makes it; any other array as it is."""
    items = array.objects()
    if array._dtype is not OBJECT or not any(isinstance(each, str) for each in items):
        return array
    return as_texts(array) if all(isinstance(each, str | int | float | complex | generic) for each in items) else array


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
    start = " " * (indent + depth)
    lines, line = [], start
    for number, piece in enumerate(pieces):
        first, *others = (piece + separator if number < len(pieces) - 1 else piece).split("\n")
        width = max(map(len, (first.rstrip(), *others)))
        margin = start
        if len(line) + width > 75 - (1 if number < len(pieces) - 1 else 0) and line != start:
            lines.append(line.rstrip())
            line = start
        elif others:
            margin = " " * len(line)
        line += first
        for other in others:
            lines.append(line.rstrip())
            line = margin + other
    return "[" + "\n".join([*lines, line])[len(start) :] + "]"


MOVES = frozenset(
    words(
        "reshape ravel transpose swapaxes squeeze repeat take broadcast_to expand_dims moveaxis flip fliplr flipud "
        "roll rot90 atleast_1d atleast_2d tile resize diagonal"
    )
)
"""Operations that only say where the objects go."""
WITH_ZEROS = frozenset({"diag", "tril", "triu"})
"""Operations that put zeros in the place of some objects."""
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
    if name in NOT_OF_TEXTS:
        _refuse_texts(name, args)
    if name == "append":
        return _appended(args, named)
    if name == "array_equal":
        first, second = map(as_objects, args)
        return first.shape == second.shape and first.objects() == second.objects()
    if name in JOINS:
        return _joined(name, args, named)
    if name in OPERATORS or name in ("maximum", "minimum"):
        if name == "matmul":
            return _product(*map(as_objects, args))
        function = {"maximum": FOLDS["max"], "minimum": FOLDS["min"]}.get(name) or getattr(operator, name)
        return _combined(function, as_objects(args[0]), as_objects(args[1]), name)
    if name == "where" and len(args) == 3:
        return _where(*args)
    values = as_objects(args[0]) if args else array_of([], (0,))
    if name in ORDERINGS and with_texts(values)._dtype is not OBJECT:
        return _ordered(operation, args, named)
    if name in MOVES:
        values = with_texts(values) if isinstance(args[0], list | tuple | str) else values
        return values._at(call(operation, (values._places, *args[1:]), named))
    if name in WITH_ZEROS:
        values = with_texts(values) if isinstance(args[0], list | tuple | str) else values
        places = call(operation, (values._places + 1, *args[1:]), named)
        zero = 0 if values._dtype is OBJECT else str_("")
        return ObjectArray([zero, *values._items], places, values._dtype)
    if name in ("any", "all"):
        truths = call("array", ([bool(each) for each in values.objects()],)).reshape(values.shape)
        return call(name, (truths, *args[1:]), named)
    if name in FOLDS or name == "mean":
        return _folded(name, values, *args[1:], **named)
    if name in ("neg", "abs", "pos", "invert"):
        return _finished([getattr(operator, name)(each) for each in values.objects()], values.shape)
    if name in ("dot", "inner") and len(args) > 1:
        other = as_objects(args[1])
        return _product(values, other.T if name == "inner" and values.shape else other)
    if name in OWN_METHODS:
        return _own_method(name, args[0], values)
    if name == "astype":
        kind = dtype(args[1] if len(args) > 1 else named.get("dtype"))
        if kind is OBJECT:
            return ObjectArray([*_as_python(values)], values._places)
        if kind.kind == "U":
            return as_texts(values, kind.itemsize // 4)
        python = {"f": float, "i": int, "u": int, "c": complex}.get(kind.kind, bool)
        return call("array", ([python(each) for each in values.objects()],), {"dtype": kind}).reshape(values.shape)
    if name == "item":
        found = values._items[values._places.item(*args[1:])]
        return found.item() if isinstance(found, str_) else found
    if name in CONVERT:
        call(operation, (values._places,))  # says which arrays are a number
        return CONVERT[name](values.objects()[0])
    raise TypeError(f"np.{name} works with numbers here: {error}. Use a list and a loop for objects.") from None


def _joined(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> ObjectArray:
    """Return arrays joined as NumPy joins their places."""
    parts = [array_of(part.objects(), part.shape, part._dtype) for part in map(as_objects, args[0])]
    starts = itertools.accumulate((len(part._items) for part in parts), initial=0)
    places = [part._places + start for part, start in zip(parts, starts, strict=False)]
    of_objects = _of_objects(args[0])
    items = [each for part in parts for each in (_as_python(part) if of_objects else part._items)]
    joined = ObjectArray(items, call(name, (places, *args[1:]), named))
    return joined if of_objects else with_texts(joined)


def _appended(args: tuple[Any, ...], named: dict[str, Any]) -> ObjectArray:
    flat = "axis" not in named and len(args) < 3
    parts = [each.reshape(-1) if flat else each for each in map(as_objects, args[:2])]
    joined = _joined("concatenate", (parts, *args[2:]), named)
    return joined if _of_objects(args[:2]) else with_texts(joined)


def _as_python(array: ObjectArray) -> list[Any]:
    """Return the items of an array that becomes one of objects: those of an array of texts are Python's own texts."""
    return array._items if array._dtype is OBJECT else list(map(str, array._items))


def _where(condition: Any, first: Any, second: Any) -> ObjectArray:
    """Return elements of one array or of the other."""
    a, b = as_objects(first), as_objects(second)
    picked = call("where", (condition, a._places, b._places + len(a._items)))
    if _of_objects((first, second)):
        return ObjectArray(_as_python(a) + _as_python(b), picked)
    items = a._items + b._items
    made = with_texts(array_of(items, (len(items),)))
    if made._dtype is OBJECT:
        return ObjectArray(_as_python(a) + _as_python(b), picked)
    if any(type(each) in (int, float, complex) for each in (first, second)):
        raise TypeError("a text and a number have no common dtype; choose between two texts or two numbers")
    return ObjectArray(made._items, picked, made._dtype)


def _own_method(name: str, given: Any, values: ObjectArray) -> Any:
    """Return what the method of this name of each object gives."""
    for each in values.objects():
        kind = type(each).__name__
        if getattr(type(each), "__array_ufunc__", 0) is None and not isinstance(given, ndarray | list | tuple):
            raise TypeError(f"operand '{kind}' does not support ufuncs (__array_ufunc__=None)") from None
        if not callable(getattr(each, name, None)):
            raise TypeError(
                f"loop of ufunc does not support argument 0 of type {kind} which has no callable {name} method"
            ) from None
    return _finished([getattr(each, name)() for each in values.objects()], values.shape)


def _finished(items: list[Any], shape: tuple[int, ...]) -> Any:
    return array_of(items, shape) if shape else items[0]


def _combined(function: Callable[[Any, Any], Any], a: ObjectArray, b: ObjectArray, name: str = "") -> Any:
    """Return the result of a function of two arguments for arrays that are broadcast together."""
    first, second = call("broadcast_arrays", (a._places, b._places))
    pairs = zip(first.ravel().tolist(), second.ravel().tolist(), strict=True)
    items = [function(a._items[i], b._items[k]) for i, k in pairs]
    if name in COMPARISONS and all(isinstance(each, bool | bool_) for each in items):
        return call("array", (list(map(bool, items)),)).reshape(first.shape) if first.shape else items[0]
    made = _finished(items, first.shape)
    return with_texts(made) if first.shape and a._dtype is not OBJECT and b._dtype is not OBJECT else made


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


ORDERINGS = {"sort": 1, "argsort": 1, "unique": 1, "argmax": 1, "argmin": 1, "isin": 2, "union1d": 2, "intersect1d": 2,
             "setdiff1d": 2}  # fmt: skip
"""Operations that know of texts only which comes before which, and how many arrays they take."""
NOT_OF_TEXTS = frozenset({*ARITHMETIC, *FOLDS, *OWN_METHODS, *words("mean maximum minimum neg abs pos dot inner")})
"""Operations that NumPy refuses for texts; Python's own would repeat or join some."""


def _refuse_texts(name: str, args: tuple[Any, ...]) -> None:
    """Say what NumPy says of arithmetic with texts; texts can only be added to texts."""
    arrays = [with_texts(as_objects(each)) if isinstance(each, str | list | tuple) else each for each in args[:2]]
    arrays = [
        None if isinstance(arg, list | tuple) and _are_numbers(each) else each  # such a list has no dtype of texts
        for each, arg in zip(arrays, args, strict=False)
    ]
    kinds = [each.dtype if isinstance(each, ndarray | generic) else None for each in arrays]
    texts = [kind is not None and kind.kind == "U" for kind in kinds]
    if not any(texts) or OBJECT in kinds or (name == "add" and len(args) > 1 and all(texts)):
        return
    ufunc = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "mean": "add"}.get(name)
    ufunc = ufunc or next((key for key, operator_name in UFUNC_OPERATORS.items() if operator_name == name), name)
    kinds = kinds[:1] * 2 if name in FOLDS or name == "mean" else kinds
    shown = ", ".join(repr(kind) for kind in kinds if kind is not None)
    raise UFuncTypeError(f"ufunc '{ufunc}' did not contain a loop with signature matching types ({shown}) -> None")


def _are_numbers(array: ObjectArray) -> bool:
    return all(
        isinstance(each, int | float | complex | generic) and not isinstance(each, str) for each in array.objects()
    )


def _of_objects(parts: Any) -> bool:
    """Return whether one of the things that are joined is an array of objects."""
    return any(isinstance(each, ObjectArray) and each.dtype is OBJECT for each in parts)


def _ordered(operation: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Do an operation on texts with the places that they have in their order."""
    name = operation.lstrip(".")
    parts = [with_texts(as_objects(each)) for each in args[: ORDERINGS[name]]]
    known = sorted({str(each) for part in parts for each in part.objects()})
    places = {text: place for place, text in enumerate(known)}
    coded = [
        call("array", ([places[str(each)] for each in part.objects()],), {"dtype": DTYPES["int64"]}).reshape(part.shape)
        for part in parts
    ]
    result = call(name, (*coded, *args[len(parts) :]), named)
    if name in ("argsort", "argmax", "argmin", "isin"):
        return result
    width = max(part.dtype.itemsize for part in parts) // 4
    texts = array_of(list(map(str_, known)), (len(known),), text_dtype(width))
    if operation == ".sort":
        args[0][...] = texts._at(result)
        return None
    return (texts._at(result[0]), *result[1:]) if isinstance(result, tuple) else texts._at(result)


def _refuse(array: ObjectArray) -> str:
    raise NotNumbers("its elements are objects")


_door.writers[ObjectArray] = _refuse
ObjectArray.__name__ = ObjectArray.__qualname__ = "ndarray"
ObjectArray.__module__ = "numpy"
_door.apply_to_objects = apply_to_objects
