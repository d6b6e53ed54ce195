"""`torch.nn.functional`: activations and losses as functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.autograd.ops import OPS

from .._functions import erf
from .._kinds import missing
from .._tensor import TYPE_NAMES, Tensor, as_tensor, compute, made, operation


def _elementwise(name: str) -> Any:
    def function(x: Any, inplace: bool = False) -> Any:
        return getattr(as_tensor(x), name)()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(Tensor, name).__doc__
    return function


for _op in OPS.values():
    if _op.activation:
        for _name in (_op.name, *_op.synonyms):
            globals()[_name] = _elementwise(_name)


def gelu(x: Any, approximate: str = "none") -> Any:
    """Return x times the share of the normal distribution below x, exactly or by tanh."""
    x = as_tensor(x)
    return x.gelu() if approximate == "tanh" else 0.5 * x * (1.0 + erf(x * math.sqrt(0.5)))


def leaky_relu(x: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """Return x where it is above 0, else a part of it."""
    x = as_tensor(x)
    return x.leaky_relu() if negative_slope == 0.01 else negative_slope * x + (1.0 - negative_slope) * x.relu()


def elu(x: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """Return x where it is above 0, else alpha * (exp(x) - 1)."""
    x = as_tensor(x)
    return x.elu() if alpha == 1.0 else alpha * x.elu() + (1.0 - alpha) * x.relu()


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return log(1 + exp(beta * x)) / beta."""
    x = as_tensor(x)
    if threshold != 20.0:
        raise NotImplementedError("softplus() has the threshold 20 here")
    return x.softplus() if beta == 1.0 else (beta * x).softplus() / beta


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """Return x @ weight.T + bias."""
    if x.dtype is not weight.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {TYPE_NAMES[x.dtype]} and {TYPE_NAMES[weight.dtype]}"
        )
    result = x @ weight.T
    return result if bias is None else result + bias


def softmax(x: Any, dim: int | None = None) -> Any:
    """Return the shares of exp(x) along an axis."""
    return x.softmax(_usual_axis(x) if dim is None else dim)


def log_softmax(x: Any, dim: int | None = None) -> Any:
    """Return the logarithms of `softmax`."""
    return x.log_softmax(_usual_axis(x) if dim is None else dim)


def _usual_axis(x: Any) -> int:
    return 0 if x.dim() in (0, 1, 3) else 1


def one_hot(classes: Any, num_classes: int = -1) -> Any:
    """Return rows with a 1 at the place of each class."""
    count = int(classes.max().item()) + 1 if num_classes == -1 else num_classes
    found = np.eye(count)[classes.numpy()]
    return as_tensor(found, classes.dtype)


def _reduced(losses: Any, reduction: str) -> Any:
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def mse_loss(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the mean of the squared differences."""
    return _reduced((output - target) ** 2, reduction)


def l1_loss(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the mean of the absolute differences."""
    return _reduced(abs(output - target), reduction)


def binary_cross_entropy(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the cross-entropy of probabilities and targets of 0 or 1."""
    _check_shapes(output, target)
    if ((output.detach() - 0.5).abs() > 0.5).any():
        raise RuntimeError("all elements of input should be between 0 and 1")
    return _reduced(compute(_BINARY_CROSS_ENTROPY, output, target), reduction)


def _logarithms(output: Any) -> tuple[Any, Any]:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(output), -100.0), np.maximum(np.log1p(-np.asarray(output)), -100.0)


def _losses(output: Any, target: Any) -> Any:
    right, wrong = _logarithms(output)
    losses = -(target * right + (1.0 - target) * wrong)
    return losses if np.ndim(losses) else float(losses)


def _by_output(output: Any, target: Any, _y: Any, g: Any) -> Any:
    return g * (output - target) / np.maximum(output * (1.0 - output), 1e-12)


def _by_target(output: Any, _target: Any, _y: Any, g: Any) -> Any:
    right, wrong = _logarithms(output)
    return g * (wrong - right)


_BINARY_CROSS_ENTROPY = operation("binary_cross_entropy", _losses, _by_output, _by_target)
"""PyTorch's: logarithms are -100 at least, and the derivative is finite at 0 and 1."""


def binary_cross_entropy_with_logits(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the cross-entropy of the sigmoid of outputs and targets of 0 or 1."""
    _check_shapes(output, target)
    return _reduced(output.softplus() - output * target, reduction)


def cross_entropy(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the cross-entropy of the softmax of outputs and class numbers, or shares of the classes."""
    if target.dtype.is_floating_point:
        if target.shape != output.shape:
            raise RuntimeError("expected target dtype to be Long or Byte, but got Float")
        return _reduced(-(target * output.log_softmax(-1)).sum(-1), reduction)
    return nll_loss(output.log_softmax(-1), target, reduction)


def nll_loss(output: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the negative log likelihood of class numbers."""
    if output.dim() == 2 and target.shape != output.shape[:1]:
        count = target.shape[0] if target.shape else 0
        raise ValueError(f"Expected input batch_size ({len(output)}) to match target batch_size ({count}).")
    if (target == -100).any():
        raise NotImplementedError("targets of -100, which PyTorch ignores, cannot be given here")
    wrong = next((each for each in target.view(-1).tolist() if not 0 <= each < output.shape[-1]), None)
    if wrong is not None:
        raise IndexError(f"Target {wrong} is out of bounds.")
    if output.dim() == 1:
        return -output[int(target.item())]
    rows = made(_counted(target), target._dims, target.dtype)
    return _reduced(-output[rows, target], reduction)


def _check_shapes(output: Any, target: Any) -> None:
    if target.shape != output.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({output.shape})")


def _counted(target: Any) -> Any:
    return np.arange(target.numel(), dtype=float) if target.numel() != 1 else 0.0


def __getattr__(name: str) -> Any:
    raise missing("module 'torch.nn.functional'", name, globals())
