"""Axes and indices as a user gives them, checked and made one's own."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from engine.autograd.data import ShapeError

FEW = 4
"""Numbers of an index that are written out."""


def checked_axes(name: str, axis: Any, shape: tuple[int, ...]) -> int | tuple[int, ...]:
    """Axes counted from 0; ShapeError for those that the shape does not have."""
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


def own_index(index: Any) -> Any:
    """An index that nobody else can change; lists and arrays in it become arrays of its own."""
    if isinstance(index, tuple):
        return tuple(map(own_index, index))
    if hasattr(index, "backward"):
        raise IndexError("an index is made of whole numbers, not of a Value: use int(value.data)")
    if isinstance(index, list) and not index:
        return np.zeros(0, dtype=np.intp)
    return np.array(index) if isinstance(index, (list, np.ndarray)) else index


def index_text(index: Any) -> str:
    """An index as it is written between brackets: `0`, `1:3, ::2`; dots for a mask and for many numbers."""
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
