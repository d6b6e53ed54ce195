"""What formulas call on arrays: numpy's functions, and those that array operations need besides."""

from __future__ import annotations

import math
from operator import mul
from typing import Any

import numpy as np


def _logsumexp(x: np.ndarray) -> np.ndarray:
    largest = np.max(x, axis=-1, keepdims=True)
    return np.asarray(np.log(np.sum(np.exp(x - largest), axis=-1)) + largest[..., 0])


def _spread(g: np.ndarray, x: Any, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """What belongs to a reduction, its result or the gradient of it, beside every element that was reduced."""
    return np.broadcast_to(g if axis is None or keepdims else np.expand_dims(g, axis), np.shape(x))


def _count(x: Any, axis: Any = None) -> int:
    shape = np.shape(x)
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(shape[i] for i in axes)


def _share(g: np.ndarray, x: Any, y: np.ndarray, axis: Any = None, keepdims: bool = False) -> np.ndarray:
    """The gradient of a largest (or smallest) element, in equal parts for all that equal it, or are nan as it is."""
    largest = _spread(y, x, axis, keepdims)
    chosen = np.asarray((x == largest) | (np.isnan(x) & np.isnan(largest)), dtype=np.float64)
    shares = chosen / np.sum(chosen, axis=axis, keepdims=True)
    return np.asarray(_spread(g, x, axis, keepdims) * shares)


def _take(x: Any, index: Any) -> np.ndarray:
    return np.array(np.asarray(x)[index])


def _scatter(g: np.ndarray, x: Any, index: Any) -> np.ndarray:
    """The gradient of elements that were taken, added up where one was taken more than once."""
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
    "transpose": np.transpose,
    "dot": lambda w, x: sum(map(mul, w, x)),
    "logsumexp": _logsumexp,
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
