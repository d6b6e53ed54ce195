"""What a Value may hold: a float or a float64 array. Everything else becomes one of them, or is refused in plain words.

All operations rely on it, so it is made sure wherever data comes in: when a Value is made, when a number stands beside
one in an expression, and when `data` is set.
"""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np

WHOLE = 2**53
"""Whole numbers below it are floats exactly."""

_KINDS = {"c": "complex numbers", "U": "text", "S": "bytes", "m": "durations", "M": "dates", "V": "records"}
_REFUSED = (str, bytes, bool, complex, type(None))


class ValueDataError(ValueError):
    """Something that cannot be the data of a Value."""


class ShapeError(ValueError):
    """Arrays whose shapes an operation cannot combine."""


def as_data(data: Any) -> Any:
    """A float for a number (numpy's scalars and 0-d arrays too), a new float64 array for an array-like of numbers.

    Truth values inside an array count as 0 and 1, as they do in numpy; `True` by itself is refused.

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
    """A float64 array of its own."""
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
