"""Methods of tensors that are no operation of Gradstep's table: logsumexp, erf, whole numbers and their bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._kinds import bool_, int64
from ._tensor import RANK, Tensor, as_array, as_tensor, compute, dims_of, made, operation


def logsumexp(tensor: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(x))) along an axis, without overflow."""

    def forward(x: Any) -> Any:
        largest = np.max(x, axis=dim, keepdims=True)
        with np.errstate(divide="ignore"):
            result = (
                np.where(np.isinf(largest), largest, 0.0)
                + np.log(np.sum(np.exp(np.where(x == largest, 0.0, x - largest)), axis=dim, keepdims=True))
                + np.where(np.isinf(largest), 0.0, largest)
            )
        return result if keepdim else np.squeeze(result, axis=dim)

    def backward(x: Any, y: Any, g: Any) -> Any:
        y, g = (y, g) if keepdim else (np.expand_dims(y, dim), np.expand_dims(g, dim))
        return g * np.exp(x - y)

    return compute(operation("logsumexp", forward, backward), as_array(tensor))


def _erf(x: Any, *_rest: Any) -> Any:
    """Return the error function, element by element; NumPy has none."""
    if x.__class__ is float:
        return math.erf(x)
    return np.array(list(map(math.erf, x.ravel().tolist()))).reshape(x.shape)


def erf(tensor: Any) -> Tensor:
    """Return the error function of the elements."""
    op = operation("erf", _erf, lambda x, y, g: g * (2 / math.sqrt(math.pi)) * np.exp(-x * x))
    result: Tensor = compute(op, as_tensor(tensor))
    return result


def floor_divided(left: Tensor, right: Tensor) -> Tensor:
    """Return the quotients, rounded down: whole numbers where both are."""
    kind = max(left.dtype, right.dtype, key=lambda each: RANK[each])
    if not kind.is_floating_point and np.any(right._data == 0.0):
        raise RuntimeError("ZeroDivisionError")
    with np.errstate(all="ignore"):
        data = np.floor_divide(left._data, right._data)
    return _of(data, kind, left, right)


def remainder(left: Tensor, right: Tensor) -> Tensor:
    """Return what a division leaves, with the sign of the divisor."""
    whole = not (left.dtype.is_floating_point or right.dtype.is_floating_point)
    if whole and np.any(right._data == 0.0):
        raise RuntimeError("ZeroDivisionError")

    def forward(x: Any, y: Any) -> Any:
        with np.errstate(all="ignore"):
            found = np.remainder(x, y)
        return found if np.ndim(found) else float(found)

    op = operation("remainder", forward, lambda _x, _y, _r, g: g, lambda x, y, _r, g: -g * np.floor_divide(x, y))
    result: Tensor = compute(op, left, right)
    result.dtype = int64 if whole else result.dtype
    return result


def bitwise(function: Any, *tensors: Tensor) -> Tensor:
    """Return what NumPy's function gives for the bits of whole numbers, or for True and False."""
    if any(each.dtype.is_floating_point for each in tensors):
        raise NotImplementedError(f"\"{function.__name__}_cpu\" not implemented for 'Float'")
    kind = bool_ if all(each.dtype is bool_ for each in tensors) else int64
    numbers = [np.asarray(each._data).astype(bool if kind is bool_ else int) for each in tensors]
    return _of(function(*numbers) * 1.0, kind, *tensors)


def _of(data: Any, kind: Any, *tensors: Tensor) -> Tensor:
    result: Tensor = made(data if np.ndim(data) else float(data), dims_of(*tensors), kind)
    return result
