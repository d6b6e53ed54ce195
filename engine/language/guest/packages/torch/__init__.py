# ruff: noqa: F811
"""A small torch for learning, on Gradstep's own values: tensors, autograd, `nn` and `optim` with PyTorch's interface.

It computes in 64-bit floats on values that are drawn, one by one; PyTorch itself is not here.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from engine.autograd.ops import MAXIMUM, MINIMUM, OPS

from . import _random
from ._functions import logsumexp
from ._kinds import (
    Mode,
    Size,
    bool_,
    check_options,
    dtype,
    enable_grad,
    float32,
    float64,
    int64,
    is_grad_enabled,
    missing,
    no_grad,
)
from ._methods import install
from ._printing import OPTIONS
from ._random import Generator, lengths, manual_seed, rand, randint, randn, randperm, seed
from ._tensor import Tensor, as_array, as_tensor, compute, matmul, operation

install()

__version__ = "2.13.0 (Gradstep)"
float, double, long = float32, float64, int64
int, bool = int64, bool_
pi, inf, nan = math.pi, math.inf, math.nan
inference_mode = no_grad
FloatTensor = DoubleTensor = Tensor
mm = matmul


def tensor(data: Any, dtype: Any = None, requires_grad: Any = False, **options: Any) -> Tensor:
    """Return a tensor of numbers, which are copied."""
    check_options("tensor", options)
    if isinstance(data, Tensor):
        data = data.detach().clone()
        made = data if dtype is None else data.to(dtype)
        return made.requires_grad_(requires_grad)
    return as_tensor(data, dtype, requires_grad)


def from_numpy(array: Any) -> Tensor:
    """Return a tensor of the numbers of a NumPy array."""
    return as_tensor(array)


def full(shape: Any, number: Any, dtype: Any = None, requires_grad: Any = False) -> Tensor:
    """Return a tensor of one number."""
    kind = dtype or {builtins.bool: bool_, builtins.int: int64}.get(type(number), float32)
    return as_tensor(np.full(tuple(shape), number), kind, requires_grad)


def _filled(number: Any) -> Any:
    def filled(*shape: Any, dtype: Any = None, requires_grad: Any = False, size: Any = (), **options: Any) -> Tensor:
        """Return a tensor of one number in a shape."""
        check_options("zeros" if number == 0.0 else "ones", options)
        return full(lengths(shape or size), number, dtype or float32, requires_grad)

    return filled


def _like(make: Any) -> Any:
    def like(other: Tensor, dtype: Any = None, **names: Any) -> Tensor:
        """Return such a tensor in the shape of another one."""
        made: Tensor = make(*other.shape, dtype=dtype or other.dtype, **names)
        return made

    return like


zeros, ones = _filled(0.0), _filled(1.0)
zeros_like, ones_like, randn_like, rand_like = map(_like, (zeros, ones, randn, rand))


def eye(count: Any, columns: Any = None, dtype: Any = None, requires_grad: Any = False, **options: Any) -> Tensor:
    """Return the identity matrix."""
    check_options("eye", options)
    return as_tensor(np.eye(count, columns), dtype or float32, requires_grad)


def arange(*ends: Any, dtype: Any = None, requires_grad: Any = False, **options: Any) -> Tensor:
    """Return evenly spaced numbers, the end excluded."""
    check_options("arange", options)
    whole = {type(end) for end in ends} == {builtins.int}
    return as_tensor(np.arange(*ends), dtype or (int64 if whole else float32), requires_grad)


def linspace(start: Any, end: Any, steps: Any, dtype: Any = None, requires_grad: Any = False) -> Tensor:
    """Return so many numbers from start to end."""
    return as_tensor(np.linspace(start, end, steps), dtype or float32, requires_grad)


def is_tensor(thing: Any) -> Any:
    """Return True for a tensor."""
    return isinstance(thing, Tensor)


def allclose(first: Any, second: Any, rtol: Any = 1e-5, atol: Any = 1e-8) -> Any:
    """Return True where two tensors are equal but for rounding."""
    first, second = as_tensor(first), as_tensor(second)
    return builtins.bool(np.allclose(first._data, second._data, rtol=rtol, atol=atol))


def equal(first: Any, second: Any) -> Any:
    """Return True where two tensors have the same shape and numbers."""
    return builtins.bool(first.shape == second.shape and (first == second).all())


def maximum(first: Any, second: Any) -> Tensor:
    """Return the larger of two, element by element."""
    return compute(MAXIMUM, first, second)


def minimum(first: Any, second: Any) -> Tensor:
    """Return the smaller of two, element by element."""
    return compute(MINIMUM, first, second)


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Return tensors one behind the other along an axis."""
    result, *others = [as_array(as_tensor(each)) for each in tensors]
    if not others:
        return result.clone()
    for other in others:
        cut = result.shape[dim]

        def backward_left(a: Any, _b: Any, _y: Any, g: Any, cut: int = cut) -> Any:
            return np.split(g, [cut], axis=dim)[0]

        def backward_right(_a: Any, b: Any, _y: Any, g: Any, cut: int = cut) -> Any:
            return np.split(g, [cut], axis=dim)[1]

        op = operation("cat", lambda a, b: np.concatenate([a, b], axis=dim), backward_left, backward_right)
        result = compute(op, result, other)
    return result


concat = concatenate = cat


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Return tensors of one shape along a new axis."""
    given = [as_tensor(each) for each in tensors]
    return cat([each.unsqueeze(dim) if each.shape else as_array(each, (1,)) for each in given], dim)


def where(condition: Any, first: Any, second: Any) -> Tensor:
    """Return the elements of the first where the condition holds, else those of the second."""
    tensors = as_tensor(condition), as_tensor(first), as_tensor(second)
    shape = np.broadcast_shapes(*(each.shape for each in tensors))
    if math.prod(shape) == 1:
        kind = (tensors[1] + tensors[2]).dtype
        return (tensors[1] if tensors[0]._data else tensors[2])._as(kind).clone().view(*shape)
    mask = np.broadcast_to(tensors[0]._data != 0.0, shape)
    wide = [each if each.shape == shape else each + np.zeros(shape) for each in tensors[1:]]
    op = operation(
        "where",
        lambda a, b: np.where(mask, a, b),
        lambda _a, _b, _y, g: np.where(mask, g, 0.0),
        lambda _a, _b, _y, g: np.where(mask, 0.0, g),
    )
    return compute(op, *map(as_array, wide))


class set_grad_enabled(no_grad):
    """Switch, or context, from which on operations are recorded or not."""

    def __init__(self, wanted: Any) -> None:
        self.wanted, self._before = builtins.bool(wanted), Mode.grad
        Mode.grad = self.wanted

    def __enter__(self) -> None:
        Mode.grad = self.wanted

    def __call__(self, function: Any) -> Any:
        """Return a function that switches only while it runs."""
        Mode.grad = self._before
        return super().__call__(function)


class device(str):
    """Where tensors are: there is the CPU only, whatever is asked for."""

    def __repr__(self) -> str:
        return f"device(type='{self}')"


class cuda:
    """Graphics cards: there are none."""

    @staticmethod
    def is_available() -> Any:
        """Return False."""
        return False


def set_printoptions(precision: Any = None, **_: Any) -> None:
    """Print numbers with so many digits; the other options are not followed."""
    OPTIONS["precision"] = OPTIONS["precision"] if precision is None else precision


def _function(name: str) -> Any:
    def function(first: Any, *others: Any, **names: Any) -> Any:
        return getattr(as_tensor(first), name)(*others, **names)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Tensor, name).__doc__
    return function


_METHODS = [
    "sum", "mean", "var", "std", "max", "min", "amax", "amin", "erf", "argmax", "argmin", "clamp", "clip",
    "dot", "add", "sub", "mul", "div", "pow", "neg", "square", "softmax", "log_softmax", "squeeze", "unsqueeze",
    "flatten", "reshape", "transpose", "t", "all", "any", "clone", "numel", "abs",
]  # fmt: skip
_ELEMENTWISE = [
    name for op in OPS.values() if op.elementwise and not op.infix and op.arity == 1 for name in (op.name, *op.synonyms)
]
for _name in (*_METHODS, *_ELEMENTWISE):
    globals()[_name] = _function(_name)

from . import nn, optim  # noqa: E402

__all__ = [name for name in globals() if not name.startswith("_")]


def __getattr__(name: str) -> Any:
    raise missing("module 'torch'", name, globals())
