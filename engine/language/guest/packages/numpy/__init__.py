"""NumPy inside the sandbox: real NumPy outside does the work, and this package has its names.

An array here holds a number that stands for an array of NumPy outside; every operation is a request (`_door`), about
30 µs long. So results, views, texts, errors, warnings and random numbers are NumPy's own. `_scalars` has dtypes and
scalars, `_arrays` arrays of numbers, `_objects` those of objects, such as Values, and of texts.

Not here, and why:
- files (`save`, `load`, `loadtxt`, `fromfile`, `memmap`): programs have no files.
- dates, records (structured arrays), `longdouble`: only numbers pass through the door. Arrays of texts and of other
  objects are kept inside (`_objects`): indexing, joining, `+ - * / **`, comparisons, sums and matrix products of
  objects, and comparing, sorting, `unique`, `where` of texts work, the rest says so.
- `fft`, `ma`, `char`, `polynomial`, `lib`, `ctypeslib`, `nditer`, subclasses of `ndarray`, `view(dtype)`,
  `as_strided`, `tensordot`, `partition`, `histogram2d`, `nanmedian`: rare in tutorials.
- `where=` of a universal function without `out=`, and the contents of `empty`, show memory of the window: `empty` gives
  zeros, `where=` asks for `out=`.
- a `formatter` of `set_printoptions`, `seterrcall`, and other functions of a program that NumPy would call outside.
"""

from __future__ import annotations

import builtins
import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from engine.language.guest.numpy_names import FUNCTIONS, UFUNC_METHODS, UFUNCS, words

from . import _door, _scalars, linalg, random, testing, typing
from ._arrays import apply, functions, ndarray
from ._door import AxisError, ComplexWarning, NotNumbers, call
from ._objects import UFUNC_OPERATORS, ObjectArray, as_objects, with_texts
from ._scalars import (
    False_,
    True_,
    bool_,
    complexfloating,
    dtype,
    floating,
    generic,
    inexact,
    integer,
    number,
    overridden,
    signedinteger,
    str_,
    unsignedinteger,
)

__version__ = "2.4.0"
pi, e, euler_gamma = 3.141592653589793, 2.718281828459045, 0.5772156649015329
inf, nan, newaxis = float("inf"), float("nan"), None
bool = bool_
for _name, _type in _scalars.TYPES.items():
    globals()[_name] = _type
float64, int64 = _scalars.float64, _scalars.int64
int_, intp, uint, double, single, half, cdouble = (
    _scalars.TYPES[_name] for _name in words("int64 int64 uint64 float64 float32 float16 complex128")
)
object_ = object


class ufunc:
    """A function that works element by element."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Apply the function to arrays that are broadcast together."""
        result = overridden(self, "__call__", args, named)
        return apply(self.__name__, args, named) if result is NotImplemented else result

    def __getattr__(self, name: str) -> Any:
        if name not in UFUNC_METHODS:
            raise AttributeError(f"'numpy.ufunc' object has no attribute '{name}'")

        def method(*args: Any, **named: Any) -> Any:
            if (result := overridden(self, name, args, named)) is not NotImplemented:
                return result
            if name == "reduce" and "axis" not in named and len(args) < 2:
                named["axis"] = 0
            return apply(f"{self.__name__}.{name}", args, named)

        return method


globals().update(functions([*FUNCTIONS, "result_type", "can_cast"]))
for _name in (*UFUNCS, "matmul"):
    globals()[_name] = _scalars.ufunc_of[_name] = ufunc(_name)
    if _name in UFUNC_OPERATORS:
        _scalars.ufunc_of[UFUNC_OPERATORS[_name]] = globals()[_name]
abs, true_divide, mod, conj, bitwise_not = (
    globals()[_name] for _name in ("absolute", "divide", "remainder", "conjugate", "invert")
)
asin, acos, atan, atan2, pow = (globals()[_name] for _name in words("arcsin arccos arctan arctan2 power"))
LinAlgError = linalg.LinAlgError


def array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: Any = None, subok: Any = False, ndmin: int = 0
) -> Any:
    """Return an array of the elements of nested lists, or a copy of an array."""
    named = {"dtype": _scalars.dtype(dtype)} if dtype is not None else {}
    if copy is not True:
        return asarray(object, dtype)
    if object is None or isinstance(object, str):
        objects = as_objects(object)
        return apply("astype", (objects, dtype), {}) if named else with_texts(objects)
    try:
        return call("array", (object,), {**named, "ndmin": ndmin} if ndmin else named)
    except NotNumbers:
        if named and named["dtype"] is not _scalars.OBJECT:
            return apply("astype", (as_objects(object), dtype), {})
        objects = as_objects(object)
        if objects._items and not builtins.any(isinstance(each, list | tuple | ndarray) for each in objects._items):
            return objects.copy() if isinstance(object, ObjectArray) else objects if named else with_texts(objects)
        if dtype is not None or not objects._items:
            return objects
        shape = objects.shape
        raise ValueError(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
            f"{len(shape)} dimensions. The detected shape was {shape} + inhomogeneous part."
        ) from None


def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    """Return an array as it is, or make one."""
    if isinstance(a, ndarray) and (dtype is None or a.dtype == dtype) and not copy:
        return a
    return array(a, dtype)


asanyarray = asarray


def shape(a: Any) -> tuple[int, ...]:
    """Return the shape of an array, a list or a number."""
    if isinstance(a, ndarray | generic):
        return a.shape
    return tuple(array(a).shape) if isinstance(a, list | tuple | range) or hasattr(type(a), "__array__") else ()


def ndim(a: Any) -> int:
    """Return the number of axes."""
    return len(shape(a))


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the length of an axis."""
    return int(asarray(a).size) if axis is None else shape(a)[axis]


def isscalar(element: Any) -> Any:
    """Return whether something is a single number or text."""
    return isinstance(element, generic | int | float | complex | str)


def issubdtype(first: Any, second: Any) -> Any:
    """Return whether a dtype belongs to another, or to a kind such as `np.floating`."""
    kinds = [
        kind if isinstance(kind, type) and issubclass(kind, generic) else dtype(kind).type for kind in (first, second)
    ]
    return issubclass(kinds[0], kinds[1])


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes have together."""
    return tuple(call("broadcast_arrays", [call("zeros", (each,), {"dtype": bool_}) for each in shapes])[0].shape)


class vectorize:
    """A Python function that is called for each element, with Python's numbers."""

    def __init__(self, pyfunc: Callable[..., Any], otypes: Any = None, doc: str | None = None, *,
                 cache: Any = False) -> None:  # fmt: skip
        self.pyfunc, self.cache = pyfunc, cache
        self.otypes = None if otypes is None else [dtype(kind) for kind in otypes]
        self.__name__, self.__doc__ = getattr(pyfunc, "__name__", "vectorized"), doc or pyfunc.__doc__

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the function for the elements of arrays that are broadcast together.

        As in NumPy the function is called once more, for the first elements, to see what kinds it returns.
        """
        names = list(named)
        arrays = [array(value) for value in (*args, *named.values())]

        def function(*values: Any) -> Any:
            return self.pyfunc(*values[: len(args)], **dict(zip(names, values[len(args) :], strict=True)))

        kinds, several, results = self.otypes, len(self.otypes or ()) > 1, []
        if kinds is None:
            if not builtins.all(each.size for each in arrays):
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            first = function(*[each.ravel()[0] for each in arrays])
            several = isinstance(first, tuple)
            kinds = [array(each).dtype for each in (first if several else (first,))]
            kinds = [dtype(str) if kind.kind == "U" else kind for kind in kinds]  # as long as the longest text
            results = [first] if self.cache else []
        places, lists = _spread(arrays)
        results += [function(*values) for values in list(zip(*lists, strict=True))[len(results) :]]
        columns = list(zip(*results, strict=True)) if several else [results]
        made = [array(list(each), kind).reshape(places.shape) for each, kind in zip(columns, kinds, strict=True)]
        return tuple(made) if several else made[0]


def _spread(arrays: list[Any]) -> tuple[Any, list[list[Any]]]:
    """Return broadcast arrays: one for the shape, and the elements of each as a list of Python's objects."""
    places = [each._places if isinstance(each, ObjectArray) else each for each in arrays]
    spread = call("broadcast_arrays", places)
    lists = [
        [source._items[place] for place in each.ravel().tolist()]
        if isinstance(source, ObjectArray)
        else each.ravel().tolist()
        for each, source in zip(spread, arrays, strict=True)
    ]
    return spread[0], lists


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, **named: Any) -> Any:
    """Return what a function gives for the arrays of all indices."""
    return function(*indices(shape, dtype), **named)


def indices(dimensions: Any, dtype: Any = int) -> Any:
    """Return an array of the indices of a grid."""
    return asarray(mgrid[tuple(slice(length) for length in dimensions)], dtype)


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **named: Any) -> Any:
    """Apply a function to the one-dimensional slices along an axis."""
    moved = globals()["moveaxis"](asarray(arr), axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    results = array([func1d(row, *args, **named) for row in rows])
    results = results.reshape(moved.shape[:-1] + results.shape[1:])
    return globals()["moveaxis"](results, -1, axis) if results.ndim == moved.ndim else results


def ndindex(*shape: Any) -> Iterator[tuple[int, ...]]:
    """Iterate over the indices of a shape."""
    lengths = shape[0] if shape and isinstance(shape[0], tuple | list) else shape
    return itertools.product(*map(range, lengths))


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Iterate over indices and elements."""
    values = asarray(arr)
    return zip(ndindex(*values.shape), values.ravel(), strict=True)


class _IndexTrick:
    """`np.r_`, `np.c_`, `np.mgrid` or `np.ogrid`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        return call("trick", (self._name, key))


r_, c_, mgrid, ogrid = map(_IndexTrick, ("r_", "c_", "mgrid", "ogrid"))


class _Limits:
    """Limits of a dtype."""

    def __init__(self, dtype: Any) -> None:
        kind = dtype.dtype if isinstance(dtype, ndarray | generic) else _scalars.dtype(dtype)
        name = type(self).__name__
        text, *values, bits = call("limits", (name, kind))
        keys = ("eps", "max", "min", "tiny", "resolution") if name == "finfo" else ("max", "min")
        self.dtype, self.bits, self._text = kind, bits, text
        for key, value in zip(keys, values, strict=True):
            setattr(self, key, value)
        if name == "finfo":
            self.smallest_normal = values[3]

    def __str__(self) -> str:
        return str(self._text)


class finfo(_Limits):
    """Limits of a floating-point dtype."""

    def __repr__(self) -> str:
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"  # type: ignore[attr-defined]


class iinfo(_Limits):
    """Limits of an integer dtype."""

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"  # type: ignore[attr-defined]


# Floating-point errors and printing

_modes = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def seterr(all: str | None = None, **modes: str | None) -> dict[str, str]:
    """Set what happens at floating-point errors; return what was set before."""
    before = dict(_modes)
    wanted = {**dict.fromkeys(_modes, all), **{kind: mode for kind, mode in modes.items() if mode is not None}}
    for kind, mode in wanted.items():
        if kind not in _modes:
            raise TypeError(f"seterr() got an unexpected keyword argument '{kind}'")
        _modes[kind] = _modes[kind] if mode is None else mode
    try:
        call("errors", tuple(_modes.values()))
    except KeyError as error:
        _modes.update(before)
        raise ValueError(f"invalid error mode {error.args[0]}") from None
    return before


def geterr() -> dict[str, str]:
    """Return what happens at floating-point errors."""
    return dict(_modes)


class errstate(contextlib.ContextDecorator):
    """Context in which floating-point errors are handled in a way of its own."""

    def __init__(self, **modes: str) -> None:
        self._modes = modes

    def __enter__(self) -> None:
        self._before = seterr(**self._modes)

    def __exit__(self, *error: Any) -> None:
        seterr(**self._before)


_print_options: dict[str, Any] = {
    "edgeitems": 3, "threshold": 1000, "floatmode": "maxprec", "precision": 8, "suppress": False, "linewidth": 75,
    "nanstr": "nan", "infstr": "inf", "sign": "-", "formatter": None, "legacy": False, "override_repr": None,
}  # fmt: skip


def set_printoptions(**options: Any) -> None:
    """Set how arrays are printed: precision, threshold, edgeitems, linewidth, suppress, sign, floatmode."""
    call(
        "printoptions", (), {**_changed_options(), **{key: options[key] for key in options if options[key] is not None}}
    )
    _print_options.update(options)


def _changed_options() -> dict[str, Any]:
    kept = ("edgeitems", "threshold", "floatmode", "precision", "suppress", "linewidth", "sign")
    return {key: _print_options[key] for key in kept}


def get_printoptions() -> dict[str, Any]:
    """Return how arrays are printed."""
    return dict(_print_options)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Context in which arrays are printed in a way of its own."""
    before = _changed_options()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Settings(dict[str, Any]):
    """Settings of one text."""


_door.writers[_Settings] = lambda settings: (
    '{"m":{' + ",".join(f'"{key}":{_door.write(value)}' for key, value in settings.items()) + "}}"
)


def array2string(a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None,
                 separator: str = " ", **options: Any) -> str:  # fmt: skip
    """Return the text of an array."""
    options |= {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small}
    settings = _Settings({key: value for key, value in options.items() if value is not None})
    if isinstance(a, ObjectArray):
        return str(a)
    return str(call("text", (asarray(a), "array2string", settings, separator)))


def array_str(a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None) -> str:
    """Return `str(a)` with settings of its own."""
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(arr: Any) -> str:
    """Return `repr(arr)`."""
    return repr(arr)


class _Exceptions:
    """`np.exceptions`."""

    AxisError = AxisError
    ComplexWarning = ComplexWarning


exceptions = _Exceptions


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'numpy' has no attribute '{name}'")
    raise AttributeError(f"module 'numpy' has no attribute '{name}' in Gradstep's programs")


for _each in (ufunc, vectorize, finfo, iinfo, ObjectArray):
    _each.__module__ = "numpy"
