"""Conversion and checks of data for a Value, and of axes and indices into it.

A Value holds a float or a float64 array. Everything else is converted to one of them, or refused with a plain message.

All operations rely on it, so the check runs wherever data comes in: when a Value is made, when an expression combines a
number with a Value, and when `data` is set.
"""

from __future__ import annotations

import operator
import reprlib
from typing import Any

import numpy as np

WHOLE = 2**53
"""Integers below it are exact as floats."""

_KINDS = {"c": "complex numbers", "U": "text", "S": "bytes", "m": "durations", "M": "dates", "V": "records"}
_REFUSED = (str, bytes, bool, complex, type(None))


class ValueDataError(ValueError):
    """Raised for objects that cannot be the data of a Value."""


class ShapeError(ValueError):
    """Raised for arrays whose shapes an operation cannot combine."""


def as_data(data: Any) -> Any:
    """Return a float for a number (numpy's scalars and 0-d arrays too), a new float64 array for an array-like of
    numbers.

    Booleans inside an array count as 0 and 1, as they do in numpy; a bare `True` is refused.

    Raises:
        ValueDataError: for anything that is not made of real numbers.
    """
    if isinstance(data, float):
        return float(data)  # numpy's float64 is a float, too
    if data.__class__ is int and -WHOLE < data < WHOLE:
        return float(data)
    if isinstance(data, _REFUSED):
        raise ValueDataError(f"a Value holds real numbers, not {reprlib.repr(data)}")
    with np.errstate(all="ignore"):
        array = _real_array(data)
    return array if array.ndim else float(array)


def _real_array(data: Any) -> np.ndarray:
    """Return a new float64 array."""
    try:
        array = np.asarray(data)
        if array.dtype.kind in _KINDS:
            raise ValueDataError(f"a Value holds real numbers, not {_KINDS[array.dtype.kind]}: {reprlib.repr(data)}")
        if array.dtype.kind == "O" and any(isinstance(element, _REFUSED) for element in array.flat):
            raise ValueDataError(f"a Value holds real numbers, and one of these is not: {reprlib.repr(data)}")
        return array.astype(np.float64)
    except ValueDataError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueDataError(f"a Value holds real numbers, not {reprlib.repr(data)}{_reason(data, error)}") from error


def _reason(data: Any, error: Exception) -> str:
    if isinstance(error, OverflowError):
        return ": that is too large for a float (over 1.8e308)"
    if isinstance(data, (list, tuple)) and any(isinstance(row, (list, tuple)) for row in data):
        return ": the rows of an array are lists of numbers of one length"
    return ""


# Axes and indices


FEW = 4
"""Numbers of an index that are written out."""


def checked_axes(name: str, axis: Any, shape: tuple[int, ...]) -> int | tuple[int, ...]:
    """Axes counted from 0; raises ShapeError for axes that the shape does not have."""
    axes = []
    for each in axis if isinstance(axis, tuple) else (axis,):
        whole = hasattr(each, "__index__") and not isinstance(each, bool)
        if not whole or not -len(shape) <= operator.index(each) < len(shape):
            known = f"from 0 to {len(shape) - 1}" if shape else "none"
            raise ShapeError(f"{name}: there is no axis {each!r} in the shape {shape}, whose axes are {known}")
        axes.append(operator.index(each) % len(shape))
    if len(set(axes)) < len(axes):
        raise ShapeError(f"{name}: an axis is named twice in {axis!r}; the shape is {shape}")
    return tuple(axes) if isinstance(axis, tuple) else axes[0]


def frozen_index(index: Any) -> Any:
    """Immutable copy of an index; lists and arrays in it become new arrays."""
    if isinstance(index, tuple):
        return tuple(map(frozen_index, index))
    if hasattr(index, "backward"):
        raise IndexError("an index is made of whole numbers, not of a Value: use int(value.data)")
    if isinstance(index, list) and not index:
        return np.zeros(0, dtype=np.intp)
    return np.array(index) if isinstance(index, (list, np.ndarray)) else index


def index_text(index: Any) -> str:
    """An index as written between brackets: `0`, `1:3, ::2`; dots for a mask and for many numbers."""
    if isinstance(index, tuple):
        return ", ".join(map(index_text, index))
    if isinstance(index, slice):
        step = "" if index.step is None else f":{index.step}"
        return f"{_bound(index.start)}:{_bound(index.stop)}{step}"
    if isinstance(index, np.ndarray) and index.ndim:
        return "…" if index.dtype == bool or index.size > FEW else str(index.tolist())
    return "..." if index is ... else str(index)


def _bound(bound: Any) -> str:
    return "" if bound is None else str(bound)
