"""NumPy for programs in the sandbox: requests of the guest module `numpy`, answered by real NumPy.

The guest (`guest/packages/numpy`) holds numbers, called handles, that stand for arrays of its run. A request is JSON:
`[operation, arguments, keyword arguments, handles that are no longer used]`. Whatever it contains may come from an
enemy. So operations, keyword arguments, words and dtypes are closed lists; arrays hold bool, int, uint, float or
complex numbers and nothing else; nothing that reads or writes files is listed. Before an operation is done its result
is bounded (`numpy_sizes`) and compared with what is left of the run's memory.

Needs NumPy 2.1: error handling and print options are context variables there, so that runs in several threads do not
share them, and the guest's scalars print as those of NumPy 2.

Arguments in a request (`_Reader`) and answers (`_write`) are JSON numbers, texts, true, false and null, or:

| request | answer | |
|---|---|---|
| `{"h": 5}` | `["a", 5, "float64", [2, 3], view]` | array: handle, dtype, shape, whether it is a view |
| `{"g": 7}` | `["g", 7]` | random generator |
| `{"n": ["float32", 0.5]}` | `["s", "float32", 0.5]` | NumPy scalar |
| `{"c": [1.0, 2.0]}` | `["c", 1.0, 2.0]` | complex number |
| `{"t": [...]}` | `["t", [...]]` | tuple; a list in an answer is `["l", [...]]`, one of numbers only `["p", [...]]` |
| `{"s": [0, 5, null]}`, `{"e": 1}`, `{"d": "int64"}` | `["d", "int64"]` | slice, Ellipsis, dtype |
| | `["o"]` | the array given as `out`, or the one changed in place |
| | `["e", class, message]`, `["m", message]` | exception; no memory is left (the guest may free some and try again) |
| | `["w", [[category, message], ...], answer]` | answer with warnings |
"""

from __future__ import annotations

import contextvars
import json
import operator
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from engine.language.guest import numpy_names as names
from engine.language.guest.numpy_names import words
from engine.language.numpy_sizes import count, elements, grid, indexed, outer, spread, total

UNSEEDED = 1
"""Seed of random generators that a program gives none."""
MOST_ARRAYS = 100_000
"""Arrays and generators that a run may hold at once."""
MOST_GENERATORS = 10_000
"""Generators among them."""
MOST_PRINTED = 200_000
"""Elements that one text may show."""
OVERHEAD_BYTES = 200_000
"""Results below this size are not bounded exactly when there is room."""


DTYPES = {name: np.dtype(name) for name in names.DTYPES}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
WORDS = frozenset(
    words(
        "C F A K ij xy full same valid left right constant edge reflect symmetric wrap mean maximum minimum median "
        "linear_ramp linear lower higher midpoint nearest inverted_cdf hazen weibull fro nuc reduced complete r "
        "quicksort mergesort heapsort stable clip raise L U"
    )
)
"""Texts that an argument may be."""
TAKES_WORD = {
    "pad": 2,
    **dict.fromkeys(words("ravel .ravel copy .copy .flatten linalg.norm linalg.qr linalg.eigh linalg.eigvalsh"), 1),
    **dict.fromkeys(words("array reshape .reshape sort .sort argsort .argsort linalg.cond zeros ones convolve"), 2),
}
"""Places of arguments that may be one of `WORDS`; in any other a text would become an array."""
WORD_KEYWORDS = frozenset(words("mode order kind side method indexing ord UPLO"))
TAKES_SLICE = frozenset({"delete", "insert"})
TAKES_INDEX = frozenset(words("getitem setitem flat trick"))
"""Operations whose tuples may hold slices and None; as a dtype, a tuple with None means an array of arrays."""
KEYWORDS = frozenset(
    words(
        "axis keepdims dtype initial where out ddof correction decimals order ndmin copy k n num endpoint retstep "
        "base size loc scale low high lam shape N M start stop step replace p bins range density minlength weights "
        "axes offset axis1 axis2 indexing sparse return_index return_inverse return_counts equal_nan assume_unique "
        "invert rtol atol shift repeats reps mode constant_values pad_width kind side sorter left right period ord "
        "UPLO full_matrices compute_uv hermitian rcond tol deg nan posinf neginf prepend append fill_value indices "
        "obj values indices_or_sections q method dx x y rowvar bias a_min a_max min max increasing decimal "
        "include_initial default shuffle cov pvals alpha probability new_shape returned decimal stable equal_inf"
    )
)
UFUNCS: dict[str, Any] = {name: getattr(np, name) for name in names.UFUNCS}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in names.FUNCTIONS},
    **{f"linalg.{name}": getattr(np.linalg, name) for name in names.LINALG},
    **{f"testing.{name}": getattr(np.testing, name) for name in names.TESTING},
    "empty": np.zeros,  # what lay in the memory before is not for programs
    "empty_like": np.zeros_like,
}
OPERATORS = {name: getattr(operator, name) for name in (*names.ARITHMETIC, *names.COMPARISONS)}
IN_PLACE = {f"i{name}": getattr(operator, f"i{name}") for name in (each.rstrip("_") for each in names.ARITHMETIC)}
UNARY: dict[str, Callable[..., Any]] = {
    "bool": bool, "float": float, "int": int, "complex": complex, "divmod": divmod,
    **{name: getattr(operator, name) for name in ("neg", "pos", "abs", "invert", "index")},
}  # fmt: skip
ATTRIBUTES = frozenset(words("T mT real imag strides"))
RANDOM = frozenset({*names.RANDOM_OF_BOTH, *names.RANDOM_OF_STATE, "integers"})
SIZE_PLACES = {
    **dict.fromkeys(words("random random_sample standard_normal standard_exponential"), 0),
    **dict.fromkeys(words("choice exponential poisson chisquare standard_t rayleigh weibull pareto dirichlet"), 1),
    **dict.fromkeys(words("standard_gamma power"), 1),
    "triangular": 3,
}
"""Index of the shape argument in functions of a random generator; 2 for all others."""
ERRORS = ("divide", "over", "under", "invalid")
MODES: dict[str, Any] = {"ignore": "ignore", "raise": "raise", "warn": "log", "print": "log"}
_PYTHON_WARNINGS = threading.Lock()
"""Lock while warnings of NumPy's Python code are caught, which Python can do for the whole process only."""
_PLAIN = {int, float, bool}
_encode = json.JSONEncoder(separators=(",", ":")).encode


NUMPY_ERRORS = frozenset(
    words(
        "LinAlgError AxisError UFuncTypeError _UFuncNoLoopError _UFuncBinaryResolutionError _UFuncInputCastingError "
        "_UFuncOutputCastingError"
    )
)


class OutOfMemoryError(MemoryError):
    """The operation would need more than is left to the run."""


class NumpyDoor:
    """NumPy for one run: its arrays, random generators, error handling and print options.

    Calls must not overlap; several doors may be used in several threads at once.

    Attributes:
        used_bytes: of all arrays that the guest holds; memory that several views share counts once.
    """

    def __init__(self, memory_bytes: int) -> None:
        """Args: memory_bytes: most that all arrays together may take; > 0."""
        self.used_bytes = 0
        self._limit = memory_bytes
        self._arrays: dict[int, np.ndarray] = {}
        self._owners: dict[int, list[int]] = {}
        self._generators: dict[int, Any] = {0: np.random.RandomState(UNSEEDED)}
        self._last = 0
        self._print_options: dict[str, Any] = {}
        self._warnings: list[tuple[str, str]] = []
        self._context = contextvars.Context()  # NumPy keeps error handling in context variables
        self._context.run(np.seterrcall, _Log(self._warnings))
        self._context.run(self._set_errors, "warn", "warn", "ignore", "warn")

    def __call__(self, request: str) -> str:
        """Answer a request; errors, of whatever kind, are answers too."""
        self._warnings.clear()
        try:
            try:
                answer = self._answer(request)
            except OutOfMemoryError as error:
                answer = ["m", str(error)[:2000]]
            except Exception as error:
                answer = ["e", _name_of(error), str(error)[:2000]]
            return _encode(["w", self._warnings, answer] if self._warnings else answer)
        except Exception:  # pragma: no cover - an answer for which this process has no memory
            return '["e","MemoryError","the answer is too long"]'

    def _answer(self, request: str) -> Any:
        if len(request) > OVERHEAD_BYTES:
            self._reserve(len(request) + 34 * request.count(",") + 200 * (request.count("[") + request.count("{")))
        name, coded, coded_names, *freed = json.loads(request)
        for handle in freed[0] if freed else ():
            if type(handle) is int and handle:
                self._free(handle)
        if type(name) is not str or type(coded) is not list or type(coded_names) is not dict:
            raise TypeError("not a request")
        texts = name in self._SPECIAL or name == "einsum"
        inner = name not in TAKES_INDEX
        if inner and name not in TAKES_SLICE and not name.endswith(".at"):
            kinds = [next(iter(value), None) for value in (*coded, *coded_names.values()) if type(value) is dict]
            if "s" in kinds or "e" in kinds:
                raise TypeError(f"{name}() takes no slice")
        for place, value in (*enumerate(coded), *coded_names.items()):
            if type(value) is str and not texts and place != TAKES_WORD.get(name) and place not in WORD_KEYWORDS:
                raise TypeError(f"{name}() takes numbers here, not the text {value[:40]!r}")
        index = 1 if name.endswith(".at") else -1  # place of the one argument that is an index, as in TAKES_INDEX
        args = [
            value if texts and type(value) is str else self._read(value, tuples=inner and place != index)
            for place, value in enumerate(coded)
        ]
        named = {
            key: value if texts and type(value) is str else self._read(value, tuples=inner)
            for key, value in coded_names.items()
        }
        for value in (*args, *named.values()):
            if isinstance(value, list | tuple) and not _is_plain(value):
                self._reserve(32 * total(value))
        for key in named:
            if key not in KEYWORDS and name != "printoptions":
                raise TypeError(f"{name.rpartition('.')[2]}() got an unexpected keyword argument {key!r}")
        result = self._context.run(self._apply, name, args, named)
        changed = named.get("out") if "out" in named else args[0] if name[3:] in IN_PLACE else None
        if changed is not None and result is changed:
            return ["o"]
        return self._write(result)

    def _apply(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Do one operation, after its memory has been reserved."""
        if name == "getitem":
            array, key = args
            self._reserve(indexed(_array(array), key) * array.itemsize)
            return array[key]
        if name.startswith("op."):
            return self._operate(name[3:], args)
        if name in UFUNCS or (name.partition(".")[0] in UFUNCS and name.count(".") == 1):
            return self._universal(name, args, named)
        if name in FUNCTIONS:
            return self._call(name, FUNCTIONS[name], args, named)
        if name.startswith("."):
            if name[1:] not in names.METHODS or not isinstance(args[0], np.ndarray | np.generic):
                raise AttributeError(f"'numpy.ndarray' object has no attribute {name[1:]!r} here")
            if name == ".view" and len(args) + len(named) > 1:
                raise TypeError("view() takes no dtype here; use astype()")
            method = getattr(args[0], name[1:])
            return self._call(name[1:], lambda _array, *others, **named: method(*others, **named), args, named)
        special = self._SPECIAL.get(name)
        if special is not None:
            return special(self, *args, **named)
        if name.startswith("random."):
            return self._random(name[7:], args, named)
        raise AttributeError(f"numpy has no {name!r} here")

    def _call(self, name: str, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
        self._check_out(named)
        self._reserve(elements(name, args, named) * _width(args, named))
        if name == "tolist" and total(args) > MOST_PRINTED * 10:
            raise OutOfMemoryError("a list of so many numbers does not fit; work with the array")
        with self._python_warnings(name.rpartition(".")[2], args, named):
            return function(*args, **named)

    def _operate(self, name: str, args: list[Any]) -> Any:
        if not any(isinstance(value, np.ndarray | np.generic) for value in args[:2]) or len(args) > 2:
            raise TypeError("an operator takes an array here")
        args = [np.asarray(value) if isinstance(value, list | tuple) else value for value in args]
        if name in UNARY:
            self._reserve(2 * spread(*args) * _width(args, {}))
            return UNARY[name](*args)
        first, second = args
        if name in ("matmul", "imatmul"):
            self._reserve(elements("matmul", args, {}) * _width(args, {}))
        elif (width := 16 * np.size(first) * np.size(second)) > OVERHEAD_BYTES:
            self._reserve(spread(*args) * _width(args, {}))
        else:
            self._reserve(width)
        return IN_PLACE[name](_array(first), second) if name in IN_PLACE else OPERATORS[name](first, second)

    def _universal(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        function, _, method = name.partition(".")
        if method not in ("", *names.UFUNC_METHODS):
            raise AttributeError(f"'numpy.ufunc' object has no attribute {method!r}")
        self._check_out(named)
        if named.get("where") is not None and "out" not in named and not method:
            raise TypeError(f"{function}(..., where=...) needs out= here, such as out=np.zeros_like(x)")
        made: float = spread(*args, *named.values()) if method in ("", "reduce") else outer(*args)
        if method in ("accumulate", "at"):
            made = 4 * total(args) + (indexed(_array(args[0]), args[1]) if method == "at" else 0)
        results = 1 if method else UFUNCS[function].nout
        self._reserve((made * results + total(args) * bool(method)) * _width(args, named))
        call = getattr(UFUNCS[function], method) if method else UFUNCS[function]
        with self._python_warnings(function, args, named):
            return call(*args, **named)

    def _random(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        generator, *args = args
        if name not in RANDOM or not isinstance(generator, np.random.RandomState | np.random.Generator):
            raise AttributeError(f"numpy.random has no {name!r} here")
        if name == "set_state":  # what a program calls a state is a generator here
            return generator.set_state(args[0].get_state())  # type: ignore[union-attr]
        if name == "get_state":
            self._new_generator()
            copy = np.random.RandomState()
            copy.set_state(generator.get_state())  # type: ignore[union-attr]
            return copy
        place = SIZE_PLACES.get(name, 2)
        size = named.get("size") if place >= len(args) else args[place]
        made: float = count(args) if name in ("rand", "randn") else count(1 if size is None else size)
        parameters = [value for value in (*args, *named.values()) if value is not size and value is not None]
        if name in ("multivariate_normal", "multinomial", "dirichlet"):
            made *= max(1, total(parameters))
            elements("linalg.inv", parameters[1:2] or [0], {})  # for the work
        elif name in ("permutation", "choice") and args and isinstance(args[0], int | np.integer):
            draws_again = name == "choice" and (args[2] if len(args) > 2 else named.get("replace", True))
            made += 0 if draws_again else 2 * abs(int(args[0]))
        self._reserve((made + spread(*parameters) + 2 * total(parameters)) * 16)
        return getattr(generator, name)(*args, **named)

    def _set_item(self, array: Any, key: Any, value: Any) -> None:
        self._reserve((indexed(_array(array), key) + total(value)) * array.itemsize)
        with self._python_warnings("setitem", [array, value], {}):
            array[key] = value

    def _set_shape(self, array: Any, shape: Any) -> list[int]:
        array.shape = shape
        return list(_array(array).shape)

    def _attribute(self, array: Any, name: str) -> Any:
        if name not in ATTRIBUTES:
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        self._reserve(total(array) * 8 if name in ("imag", "real") else 0)
        return getattr(array, name)

    def _flat(self, array: Any, key: Any, value: Any = None) -> Any:
        """Read or set elements of `array.flat`."""
        self._reserve((indexed(_array(array).reshape(-1)[:0], key) + total(array)) * array.itemsize)
        if value is None:
            return array.flat[key]
        array.flat[key] = value
        return None

    def _contains(self, array: Any, value: Any) -> bool:
        self._reserve(16 * spread(array, value))
        return bool(_array(array).__contains__(value))

    def _text(self, array: Any, kind: str, *settings: Any) -> str:
        """Return `str`, `repr` or `array2string` of an array under the print options of the run."""
        options = {**self._print_options, **self._options(settings[0] if settings else {})}
        if not isinstance(array, np.ndarray | np.generic):
            raise TypeError("not an array")
        edge = 2 * options.get("edgeitems", 3) + 1
        shown = array.size
        if shown > options.get("threshold", 1000):
            shown = reduce(operator.mul, (min(length, edge) for length in array.shape), 1)
        if shown > MOST_PRINTED or options.get("linewidth", 75) > 100_000:
            raise OutOfMemoryError(f"a text of {shown} numbers is more than a program may print")
        with np.printoptions(**options):
            if kind == "array2string" and settings[1:]:
                return np.array2string(np.asarray(array), separator=settings[1])
            return repr(array) if kind == "repr" else str(array)

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        kinds: dict[str, Any] = {
            "precision": lambda v: v is None or (type(v) is int and 0 <= v <= 100),
            "threshold": lambda v: v >= 0,
            "edgeitems": lambda v: type(v) is int and 0 <= v <= 1000,
            "linewidth": lambda v: v > 0,
            "suppress": lambda v: type(v) is bool,
            "floatmode": lambda v: v in ("fixed", "unique", "maxprec", "maxprec_equal"),
            "sign": lambda v: v in ("-", "+", " "),
        }
        for key, value in options.items():
            if key not in kinds:
                raise TypeError(f"set_printoptions() got an unexpected keyword argument {key!r}")
            if not kinds[key](value):
                raise ValueError(f"{key} cannot be {value!r} here")
        return options

    def _set_print_options(self, **options: Any) -> None:
        self._print_options = self._options(options)

    def _set_errors(self, *modes: str) -> None:
        np.seterr(**{kind: MODES[mode] for kind, mode in zip(ERRORS, modes, strict=True)})

    def _scalars(self, array: Any) -> Any:
        """Return dtype and elements of an array as nested lists, for loops and copies."""
        self._reserve(total(_array(array)) * 100)
        return (array.dtype.name, array.tolist())

    def _new_generator(self, seed: Any = None, legacy: bool = False) -> Any:
        if len(self._generators) > MOST_GENERATORS:
            raise OutOfMemoryError("too many random generators")
        if seed is None:  # the same numbers in every run, others than those of the generators before
            seed = [UNSEEDED, len(self._generators)]
        return np.random.RandomState(seed) if legacy else np.random.default_rng(seed)

    def _index_trick(self, kind: str, key: Any) -> Any:
        self._reserve(grid(key) * 16)
        tricks: dict[str, Any] = {"r_": np.r_, "c_": np.c_, "mgrid": np.mgrid, "ogrid": np.ogrid}
        return tricks[kind][key]

    def _information(self, name: str, kind: Any) -> Any:
        """Return the limits of a dtype."""
        limits: Any = {"finfo": np.finfo, "iinfo": np.iinfo}[name](kind)
        keys = ("eps", "max", "min", "tiny", "resolution") if name == "finfo" else ("max", "min")
        return [str(limits), *(getattr(limits, key) for key in (*keys, "bits"))]

    _SPECIAL: ClassVar[dict[str, Callable[..., Any]]] = {
        "setitem": _set_item,
        "shape_set": _set_shape,
        "attribute": _attribute,
        "flat": _flat,
        "text": _text,
        "printoptions": _set_print_options,
        "errors": _set_errors,
        "scalars": _scalars,
        "contains": _contains,
        "generator": _new_generator,
        "trick": _index_trick,
        "limits": _information,
        "result_type": lambda self, *values: np.result_type(*values),
        "can_cast": lambda self, a, b: np.can_cast(a, b),
    }

    # Memory

    def _reserve(self, size: float) -> None:
        """Make sure that so many bytes are left."""
        if not self.used_bytes + size <= self._limit:
            raise OutOfMemoryError(
                f"arrays with their temporary memory would take {(self.used_bytes + size) / 1e6:,.0f} MB; "
                f"a program has {self._limit / 1e6:,.0f} MB of memory for arrays"
            )
        if len(self._arrays) > MOST_ARRAYS:
            raise OutOfMemoryError(f"a program may hold {MOST_ARRAYS:,} arrays")

    def _keep(self, array: np.ndarray) -> tuple[int, bool]:
        """Give an array a handle; return it, and whether its memory is that of an array with a handle."""
        owner = _owner(array)
        entry = self._owners.get(id(owner))
        is_view = entry is not None
        if entry is None:
            self._reserve(owner.nbytes)
            entry = self._owners[id(owner)] = [0, owner.nbytes]
            self.used_bytes += owner.nbytes
        entry[0] += 1
        self._last += 1
        self._arrays[self._last] = array
        return self._last, is_view

    def _free(self, handle: int) -> None:
        array = self._arrays.pop(handle, None)
        if array is None:
            self._generators.pop(handle, None)
            return
        key = id(_owner(array))
        entry = self._owners[key]
        entry[0] -= 1
        if not entry[0]:
            self.used_bytes -= entry[1]
            del self._owners[key]

    def _check_out(self, named: dict[str, Any]) -> None:
        if not isinstance(named.get("out"), np.ndarray | None):
            raise TypeError("return arrays must be of ArrayType")

    # Requests and answers

    def _read(self, value: Any, *, tuples: bool, inside: bool = False) -> Any:
        """Return the meaning of a value in a request.

        Args:
            value: JSON, decoded.
            tuples: tuples may hold numbers and arrays only.
            inside: value stands in a list (or such a tuple), which may hold numbers and arrays only.
        """
        kind = type(value)
        if kind is float or kind is bool:
            return value
        if kind is int:
            return _checked(value)
        if kind is dict and len(value) == 1:
            ((tag, content),) = value.items()
            if tag == "h":
                if type(content) is not int or content not in self._arrays:
                    raise TypeError("no such array")
                return self._arrays[content]
            if tag == "t":
                return tuple([self._read(each, tuples=tuples, inside=inside or tuples) for each in content])
            return self._read_tagged(tag, content, inside)
        if kind is list:
            kinds = set(map(type, value))
            if kinds <= _PLAIN:
                if int in kinds:
                    whole = value if kinds == {int} else [each for each in value if type(each) is int]
                    _checked(max(whole)), _checked(min(whole))
                return value
            return [self._read(each, tuples=True, inside=True) for each in value]
        if not inside and (value is None or (kind is str and value in WORDS)):
            return value
        raise TypeError(f"a text or object such as {str(value)[:40]!r} cannot stand here")

    def _read_tagged(self, tag: str, content: Any, inside: bool) -> Any:
        if tag == "n":
            name, number = content
            return DTYPES[name].type(complex(*map(_number, number)) if type(number) is list else _number(number))
        if tag == "c":
            return complex(*map(_number, content))
        if inside:
            raise TypeError("an array here holds numbers only")
        if tag == "d":
            return DTYPES[content]
        if tag == "g":
            return self._generators[content]
        if tag == "s":
            return slice(*(self._read(part, tuples=True) for part in content))
        if tag == "e":
            return ...
        if tag == "m":  # settings of a text
            return {key: part if type(part) is str else self._read(part, tuples=True) for key, part in content.items()}
        raise TypeError("not a value of a request")

    def _write(self, value: Any) -> Any:
        """Return a result as it stands in an answer."""
        if isinstance(value, np.ndarray):
            if (name := NAMES.get(value.dtype)) is None:
                raise TypeError(f"arrays here hold numbers, not {value.dtype}")
            handle, is_view = self._keep(value)
            return ["a", handle, name, value.shape, int(is_view)]
        if isinstance(value, np.generic):
            number = value.item()
            return ["s", NAMES[value.dtype], [number.real, number.imag] if isinstance(number, complex) else number]
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, complex):
            return ["c", value.real, value.imag]
        if isinstance(value, np.dtype) and value in NAMES:
            return ["d", value.name]
        if isinstance(value, tuple):
            fields = [type(value).__name__, *value._fields] if hasattr(value, "_fields") else []
            return ["t", [self._write(each) for each in value], *fields]
        if isinstance(value, list):
            return ["p", value] if _is_plain(value) else ["l", [self._write(each) for each in value]]
        if isinstance(value, np.random.RandomState | np.random.Generator):
            self._last += 1
            self._generators[self._last] = value
            return ["g", self._last]
        raise TypeError(f"a result of the kind {type(value).__name__} is not available here")

    def _python_warnings(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        """Catch warnings that do not come from floating-point arithmetic, where there can be some."""
        arrays = [value for value in args if isinstance(value, np.ndarray | np.generic)]
        odd = any(type(value) is list and not value for value in args)
        odd = odd or any(array.size == 0 or array.dtype.kind == "c" for array in arrays)
        if odd or name in ("polyfit", "cov", "corrcoef", "cross") or name.startswith("nan") or "ddof" in named:
            return _CaughtWarnings(self._warnings)
        return nullcontext()


class _Log:
    """Receiver of NumPy's messages about floating-point errors (see `numpy.seterrcall`).

    The door itself would be part of a reference cycle, which keeps arrays after the run.
    """

    def __init__(self, found: list[tuple[str, str]]) -> None:
        self._found = found

    def write(self, message: str) -> None:
        self._found.append(("RuntimeWarning", message.removeprefix("Warning: ").strip()))


class _CaughtWarnings:
    """Context that collects warnings of Python code."""

    def __init__(self, found: list[tuple[str, str]]) -> None:
        self._found = found
        self._catcher = warnings.catch_warnings(record=True)

    def __enter__(self) -> None:
        _PYTHON_WARNINGS.acquire()
        self._caught: Any = self._catcher.__enter__()
        warnings.simplefilter("always")

    def __exit__(self, *error: Any) -> None:
        self._catcher.__exit__(*error)
        _PYTHON_WARNINGS.release()
        self._found[:0] = [(warning.category.__name__, str(warning.message)) for warning in self._caught]


def _array(value: Any) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        raise TypeError("not an array")
    return value


def _owner(array: np.ndarray) -> np.ndarray:
    """Return the array whose memory this one shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _width(args: list[Any], named: dict[str, Any]) -> int:
    """Return the bytes that an element of a result takes at most, as far as it depends on these arguments."""
    width = 8
    for value in (*args, *named.values()):
        if isinstance(value, np.ndarray | np.generic | np.dtype):
            width = max(width, value.itemsize)
        elif isinstance(value, complex):
            width = 16
        elif isinstance(value, list | tuple) and not _is_plain(value):
            width = max(width, _width(list(value), {}))
    return width


def _is_plain(values: Any) -> bool:
    """Return True when nested lists hold nothing but Python's real numbers and truth values."""
    kinds = set(map(type, values))
    return kinds <= _PLAIN or (kinds == {list} and all(map(_is_plain, values)))


def _checked(number: int) -> int:
    if not -(2**63) <= number < 2**64:
        raise OverflowError("Python int too large to convert to C long")
    return number


def _number(value: Any) -> Any:
    if type(value) not in _PLAIN:
        raise TypeError("not a number")
    return _checked(value) if type(value) is int else value


def _name_of(error: Exception) -> str:
    """Return the class of an error, or the nearest of its bases, that a program knows."""
    known = (kind for kind in type(error).__mro__ if kind.__module__ == "builtins" or kind.__name__ in NUMPY_ERRORS)
    return next(known).__name__
