"""`torch.nn.init`: random and constant numbers for parameters, in place."""

from __future__ import annotations

import math
from typing import Any

from .. import _random


def _take(tensor: Any, numbers: list[float]) -> Any:
    tensor.data = _random.shaped(numbers, tuple(tensor.shape), tensor.dtype)
    return tensor


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0) -> Any:
    """Draw between two bounds."""
    return _take(tensor, _random.uniform(tensor.numel(), a, b))


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    """Draw from a normal distribution."""
    return _take(tensor, [number * std + mean for number in _random.normal(tensor.numel())])


def constant_(tensor: Any, val: float) -> Any:
    """Set every element to a number."""
    return _take(tensor, [float(val)] * tensor.numel())


def zeros_(tensor: Any) -> Any:
    """Set every element to 0."""
    return constant_(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    """Set every element to 1."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor: Any, gain: float = 1.0) -> Any:
    """Draw by Glorot's rule."""
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Any, gain: float = 1.0) -> Any:
    """Draw by Glorot's rule, normally distributed."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))))


def _deviation(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
    gain = math.sqrt(2.0 / (1 + a * a)) if nonlinearity == "leaky_relu" else gains[nonlinearity]
    return gain / math.sqrt(_fans(tensor)[0 if mode == "fan_in" else 1])


def _fans(tensor: Any) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    rest = math.prod(tensor.shape[2:])
    return tensor.shape[1] * rest, tensor.shape[0] * rest


def kaiming_uniform_(tensor: Any, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Any:
    """Draw by He's rule."""
    bound = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Any, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Any:
    """Draw by He's rule, normally distributed."""
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity))
