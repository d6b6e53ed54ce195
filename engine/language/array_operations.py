"""Operations on arrays that the program's own torch has and the table does not: `view`, `cat`, `logsumexp`, `erf`.

A report names them, and holds inputs and result; the axis and the shape are found again from these. What is not found
keeps the data that the program computed, and passes no gradient on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from engine.autograd.ops import Op

ARRAY_OPERATIONS = frozenset({"reshape", "cat", "erf"})
"""Operations that the table lacks altogether; `logsumexp` is there for single numbers."""

Form = tuple[Callable[..., Any], tuple[Callable[..., Any], ...]]
"""The result as a function of the inputs; the gradients as functions of the inputs, the result and its gradient."""


def array_operation(shown: str, name: str, datas: Sequence[Any], data: Any, unknown: str) -> Op:
    """Return an operation that gives `data` for inputs with these data.

    Args:
        shown: its name in the picture.
        name: that the report has.
        datas: of the inputs, arrays and numbers.
        data: the result.
        unknown: the rule of an operation that is not known.
    """
    form = next((form for form in _forms(name, datas, data) if gives(form[0], datas, data)), None)
    rule = "The gradient goes back to the elements that the result was made of." if form is not None else unknown
    arguments = "x" if len(datas) == 1 else "0 * a + 0 * b"
    op = Op(shown, arguments, vjps=("g",) * len(datas), rule=rule, variadic=len(datas) > 2)
    forward, vjps = form if form is not None else _constant(len(datas), data)
    vars(op).update(array=forward, scalar=lambda *_: data, array_vjps=vjps)
    return op


def gives(compute: Callable[..., Any], datas: Sequence[Any], data: Any) -> bool:
    """Return True for a function of arrays that gives these data."""
    try:
        with np.errstate(all="ignore"):
            found = compute(*datas)
        return np.shape(found) == np.shape(data) and bool(np.allclose(found, data, equal_nan=True))
    except (ArithmeticError, ValueError, TypeError, IndexError):
        return False


def _constant(count: int, data: Any) -> Form:
    def nothing(position: int) -> Callable[..., Any]:
        return lambda *arguments: np.zeros(np.shape(arguments[position]))

    return lambda *_: data, tuple(map(nothing, range(count)))


def _forms(name: str, datas: Sequence[Any], data: Any) -> Iterator[Form]:
    """Yield what an operation of this name may have done."""
    axes = range(np.ndim(datas[0]))
    if name == "reshape" and len(datas) == 1:
        yield lambda x: np.reshape(x, np.shape(data)), (lambda x, y, g: np.reshape(g, np.shape(x)),)
    elif name == "cat" and len(datas) == 2:
        yield from map(_joined, axes)
    elif name.startswith("logsumexp") and len(datas) == 1:
        yield from (_logsumexp(axis, keepdims) for axis in axes for keepdims in (False, True))
    elif name == "erf" and len(datas) == 1:
        yield np.vectorize(math.erf, otypes=[float]), (lambda x, y, g: g * 2 / math.sqrt(math.pi) * np.exp(-x * x),)


def _joined(axis: int) -> Form:
    def first(a: Any, _b: Any, _y: Any, g: Any) -> Any:
        return np.split(g, [np.shape(a)[axis]], axis)[0]

    def second(a: Any, _b: Any, _y: Any, g: Any) -> Any:
        return np.split(g, [np.shape(a)[axis]], axis)[1]

    return lambda a, b: np.concatenate([a, b], axis), (first, second)


def _logsumexp(axis: int, keepdims: bool) -> Form:
    def forward(x: Any) -> Any:
        largest = np.max(x, axis=axis, keepdims=True)
        found = largest + np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True))
        return found if keepdims else np.squeeze(found, axis=axis)

    def backward(x: Any, y: Any, g: Any) -> Any:
        y, g = (y, g) if keepdims else (np.expand_dims(y, axis), np.expand_dims(g, axis))
        return g * np.exp(x - y)

    return forward, (backward,)
