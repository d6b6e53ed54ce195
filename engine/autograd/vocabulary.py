"""Functions of formulas, in three arithmetics: floats, numpy arrays, and complex numbers for the complex step.

SCALAR, ARRAY and COMPLEX hold the functions that need care: all follow IEEE 754, so nothing raises and nothing becomes
complex where it should not. Every other function of `math` and numpy is found by its bare name and follows the same
rules: on floats it gives a float, inf or nan where `math` raises; a function of `math` only is applied to arrays
element by element.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import mul
from typing import Any

import numpy as np

from engine.messages import did_you_mean

Function = Callable[..., Any]


class FormulaError(ValueError):
    """Raised for a formula of an operation that cannot be run."""


# Floats


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan


def _log1p(x: float) -> float:
    return math.log1p(x) if x > -1.0 else _log(1.0 + x)


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else math.nan


def _sin(x: float) -> float:
    return math.sin(x) if math.isfinite(x) else math.nan


def _cos(x: float) -> float:
    return math.cos(x) if math.isfinite(x) else math.nan


def _power(a: float, b: float) -> float:
    try:
        y = a**b
    except (ZeroDivisionError, OverflowError):
        with np.errstate(all="ignore"):
            return float(np.float64(a) ** np.float64(b))
    return math.nan if isinstance(y, complex) else float(y)


def _maximum(a: float, b: float) -> float:
    return a if a > b or a != a else b


def _minimum(a: float, b: float) -> float:
    return a if a < b or a != a else b


def _where(condition: bool, a: float, b: float) -> float:
    return a if condition else b


def _dot(w: Iterable[Any], x: Iterable[Any]) -> Any:
    return sum(map(mul, w, x))


def _logsumexp(xs: Sequence[float]) -> float:
    largest = max(xs)
    if not math.isfinite(largest):
        return largest if largest == math.inf else math.nan
    return largest + math.log(sum(math.exp(x - largest) for x in xs))


SCALAR: dict[str, Any] = {
    "exp": _exp,
    "log": _log,
    "log1p": _log1p,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "tanh": math.tanh,
    "power": _power,
    "max": _maximum,
    "min": _minimum,
    "where": _where,
    "abs": abs,
    "dot": _dot,
    "_sum": sum,
    "_map": map,
    "_mul": mul,  # inlined form of `dot`
    "logsumexp": _logsumexp,
    "pi": math.pi,
}


# Arrays


def _array_logsumexp(x: np.ndarray) -> np.ndarray:
    largest = np.max(x, axis=-1, keepdims=True)
    return np.asarray(np.log(np.sum(np.exp(x - largest), axis=-1)) + largest[..., 0])


def _spread(g: np.ndarray, x: Any, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """Broadcast the result of a reduction, or its gradient, back to the shape of the reduced elements."""
    return np.broadcast_to(g if axis is None or keepdims else np.expand_dims(g, axis), np.shape(x))


def _count(x: Any, axis: Any = None) -> int:
    shape = np.shape(x)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(shape[i] for i in axes)


def _share(g: np.ndarray, x: Any, y: np.ndarray, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """Share the gradient of a largest (or smallest) element equally among all elements equal to it, or nan like it."""
    largest = _spread(y, x, axis, keepdims)
    chosen = np.asarray((x == largest) | (np.isnan(x) & np.isnan(largest)), dtype=np.float64)
    shares = chosen / np.sum(chosen, axis=axis, keepdims=True)
    return np.asarray(_spread(g, x, axis, keepdims) * shares)


def _take(x: Any, index: Any) -> np.ndarray:
    return np.array(np.asarray(x)[index])


def _scatter(g: np.ndarray, x: Any, index: Any) -> np.ndarray:
    """Gradient of indexed elements, added up for elements taken more than once."""
    out = np.zeros(np.shape(x))
    np.add.at(out, index, g)
    return out


def _swapped(x: np.ndarray) -> np.ndarray:
    return x.T if x.ndim == 2 else np.swapaxes(x, -1, -2)


def _matmul_left(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """g @ bᵀ for every mix of vectors, matrices and stacks of matrices; shape of a before broadcasting is undone."""
    if b.ndim == 1:
        return np.asarray(g * b if a.ndim == 1 else g[..., None] * b)
    return np.asarray((b @ g[..., None])[..., 0] if a.ndim == 1 else g @ _swapped(b))


def _matmul_right(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """aᵀ @ g for every mix of vectors, matrices and stacks of matrices; shape of b before broadcasting is undone."""
    if a.ndim == 1:
        return np.asarray(g * a if b.ndim == 1 else a[:, None] * g[..., None, :])
    return np.asarray((_swapped(a) @ g[..., None])[..., 0] if b.ndim == 1 else _swapped(a) @ g)


ARRAY: dict[str, Any] = {
    "exp": np.exp,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "power": lambda a, b: np.power(a, np.asarray(b, dtype=np.float64)),
    "max": np.maximum,
    "min": np.minimum,
    "where": np.where,
    "abs": np.abs,
    "sum": lambda x, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    "amax": lambda x, axis, keepdims: np.amax(x, axis=axis, keepdims=keepdims),
    "amin": lambda x, axis, keepdims: np.amin(x, axis=axis, keepdims=keepdims),
    "transpose": lambda x: np.array(np.transpose(x)),  # its own memory, as the result of every operation
    "dot": _dot,
    "logsumexp": _array_logsumexp,
    "spread": _spread,
    "share": _share,
    "count": _count,
    "take": _take,
    "scatter": _scatter,
    "column": lambda v: np.asarray(v)[..., None],
    "matmul_left": _matmul_left,
    "matmul_right": _matmul_right,
    "pi": math.pi,
}


# Complex numbers


def _complex_power(a: complex, b: complex) -> complex:
    """a**b on the branch that is real for real a: an integer exponent may have a negative base."""
    if b.imag == 0.0 and b.real.is_integer() and abs(b.real) < 1e6:
        return complex(a) ** int(b.real)
    return complex(a) ** b


def _complex_exp(x: complex) -> complex:
    """exp with an infinite result on overflow, as in `_exp`: 1 / (1 + exp(-x)) is 0 then."""
    try:
        return cmath.exp(x)
    except OverflowError:
        return complex(math.inf, 0.0)


def _complex_tanh(x: complex) -> complex:
    return cmath.tanh(x) if abs(x.real) < 300 else complex(math.copysign(1.0, x.real), 0.0)


def _complex_logsumexp(xs: Sequence[complex]) -> complex:
    largest = max(xs, key=lambda x: x.real)  # with its imaginary part: the phase of exp(1e132i) is arbitrary
    return largest + cmath.log(sum(cmath.exp(x - largest) for x in xs))


# Kinks are decided by the real part, so that a step along the imaginary axis stays on one side of them. At a tie max,
# min and abs all follow their first input: formulas whose kinks cancel (softplus, elu) are then right at 0 as well.
COMPLEX: dict[str, Any] = {
    "exp": _complex_exp,
    "log": cmath.log,
    "log1p": lambda x: cmath.log(1 + x),
    "sqrt": cmath.sqrt,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tanh": _complex_tanh,
    "power": _complex_power,
    "max": lambda a, b: a if complex(a).real >= complex(b).real else b,
    "min": lambda a, b: a if complex(a).real <= complex(b).real else b,
    "where": _where,
    "abs": lambda x: x if x.real >= 0 else -x,
    "dot": _dot,
    "logsumexp": _complex_logsumexp,
    "pi": math.pi,
}


# Every other function of math and numpy

ANALYTIC = frozenset(
    {
        *("acos", "arccos", "asin", "arcsin", "atan", "arctan", "tan", "sinh", "cosh", "exp2", "expm1", "log2"),
        *("log10", "acosh", "arccosh", "asinh", "arcsinh", "atanh", "arctanh", "square", "reciprocal"),
    }
)
"""Functions of numpy that are analytic, so that a complex step is valid: `sign` and others accept complex numbers
too.
"""


@cache
def scalar_named(name: str) -> Function:
    """The function of this name for floats.

    Raises:
        FormulaError: when neither math nor numpy has it.
    """
    plain, array = _of_math(name), _of_numpy(name)
    if plain is None and array is None:
        raise _unknown(name)
    careful = array or _nowhere

    def on_floats(*values: float) -> float:
        try:
            if plain is not None:
                return float(plain(*values))
        except (ValueError, OverflowError, ZeroDivisionError):
            pass
        with np.errstate(all="ignore"):
            return float(careful(*map(np.float64, values)))

    return on_floats


@cache
def array_named(name: str) -> Function:
    """The function of this name for arrays, element by element."""
    array = _of_numpy(name)
    return array if array is not None else np.vectorize(scalar_named(name), otypes=[np.float64])


def complex_named(name: str) -> Function:
    """The function of this name for complex numbers; it raises ValueError if there is no analytic one."""
    array = _of_numpy(name) if name in ANALYTIC else None
    if array is not None:
        return array

    def not_analytic(*_: complex) -> complex:
        raise ValueError(f"{name} is not computed for complex numbers")

    return not_analytic


def is_ufunc(name: str, n_inputs: int) -> bool:
    """True when numpy has a universal function of this name from so many float64 to one."""
    function = getattr(np, name, None)
    return isinstance(function, np.ufunc) and f"{'d' * n_inputs}->d" in function.types


def _of_math(name: str) -> Function | None:
    function = getattr(math, name, None)
    return function if callable(function) else None


def _of_numpy(name: str) -> Function | None:
    function = getattr(np, name, None)
    return function if callable(function) and not isinstance(function, type) else None


def _nowhere(*_: float) -> float:
    return math.nan


def _unknown(name: str) -> FormulaError:
    hint = did_you_mean(name, [*dir(math), *dir(np)], str)
    return FormulaError(f"a formula calls {name}, which neither math nor numpy has{hint}")
