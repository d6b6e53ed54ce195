"""`torch.nn.init`: random and constant numbers for parameters, in place."""

from __future__ import annotations

import math
from typing import Any

from .. import _random


def _take(tensor: Any, numbers: list[float]) -> Any:
    tensor.data = _random.shaped(numbers, tuple(tensor.shape))
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
    bound = gain * math.sqrt(6.0 / sum(tensor.shape))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Any, gain: float = 1.0) -> Any:
    """Draw by Glorot's rule, normally distributed."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(tensor.shape)))


def kaiming_uniform_(tensor: Any, a: float = 0.0, **_: Any) -> Any:
    """Draw by He's rule."""
    bound = math.sqrt(3.0) * math.sqrt(2.0 / (1 + a * a)) / math.sqrt(tensor.shape[1])
    return uniform_(tensor, -bound, bound)


def kaiming_normal_(tensor: Any, a: float = 0.0, **_: Any) -> Any:
    """Draw by He's rule, normally distributed."""
    return normal_(tensor, 0.0, math.sqrt(2.0 / (1 + a * a)) / math.sqrt(tensor.shape[1]))
