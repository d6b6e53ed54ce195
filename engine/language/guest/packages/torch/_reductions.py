"""Methods of tensors that put elements together, along axes or over all, and `clamp`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.autograd.ops import LARGEST, MAXIMUM, MEAN, MINIMUM, SMALLEST, SUM, Op

from ._kinds import bool_, int64
from ._tensor import Tensor, as_tensor, compute, operation


class Largest(NamedTuple):
    """The largest elements along an axis, and their places."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        name = "min" if isinstance(self, Smallest) else "max"
        return f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class Smallest(Largest):
    """The smallest elements along an axis, and their places."""


def total(self: Tensor, dim: Any = None, keepdim: bool = False, **names: Any) -> Tensor:
    """Return the sum of all elements, or along axes."""
    return self._along(SUM, dim, keepdim, **names)


def mean(self: Tensor, dim: Any = None, keepdim: bool = False, **names: Any) -> Tensor:
    """Return the mean of all elements, or along axes."""
    if not self.dtype.is_floating_point:
        kind = "Bool" if self.dtype is bool_ else "Long"
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )
    return self._along(MEAN, dim, keepdim, **names)


def var(self: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """Return the variance; `unbiased`: divided by one less than the number of elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if not self.dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    squares = (self - self.mean(dim, dim is not None)) ** 2
    total = squares.sum(dim, keepdim)
    return total / (squares.numel() // max(total.numel(), 1) - (1 if unbiased else 0))


def largest(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the largest element; along an axis with its index."""
    return _extreme(self, LARGEST, MAXIMUM, dim, keepdim)


def smallest(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest element; along an axis with its index."""
    return _extreme(self, SMALLEST, MINIMUM, dim, keepdim)


def argmax(self: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the index of the largest element, or along an axis."""
    self._axes(dim)
    return as_tensor(np.argmax(self._array(), axis=dim, keepdims=keepdim), int64)


def _extreme(self: Tensor, along: Op, pair: Op, dim: Any, keepdim: Any) -> Any:
    if isinstance(dim, Tensor):
        return compute(pair, self, dim)
    if dim is None:
        return self._along(along, None, False)
    indices = self.argmax(dim, keepdim) if along is LARGEST else self.argmin(dim, keepdim)
    values = self._along(along, dim, keepdim)
    if self._data.__class__ is not float and values.requires_grad:
        places = self.argmax(dim, True) if along is LARGEST else self.argmin(dim, True)
        ties = (self._data == np.reshape(values._data, places.shape)).sum() > values.numel()
        if ties:  # the gradient goes to the one at the index, not to all of them
            index = list(np.ogrid[tuple(map(slice, self.shape))])
            index[dim] = places.numpy()
            picked = self[tuple(index)]
            values = picked if keepdim else picked.squeeze(dim)
    return Largest(values, indices) if along is LARGEST else Smallest(values, indices)


def clamp(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return the elements, moved into a range."""
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        result = self if min is None else compute(MAXIMUM, self, min)
        return result if max is None else compute(MINIMUM, result, max)
    low, high = (-math.inf if min is None else min), (math.inf if max is None else max)

    def clipped(x: Any) -> Any:
        return float(np.clip(x, low, high)) if x.__class__ is float else np.clip(x, low, high)

    return compute(operation("clamp", clipped, lambda x, _y, g: g * ((x >= low) & (x <= high))), self)
