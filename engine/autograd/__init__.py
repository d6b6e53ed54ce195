"""Values and their gradients."""

from engine.autograd.contributions import Contribution, contributions, local_derivatives
from engine.autograd.kernels import ShapeError
from engine.autograd.ops import OPS, Op
from engine.autograd.value import (
    Constant,
    Value,
    ValueDataError,
    apply,
    collector_paused,
    logsumexp,
    topological_order,
    weighted_sum,
)

__all__ = [
    "OPS",
    "Constant",
    "Contribution",
    "Op",
    "ShapeError",
    "Value",
    "ValueDataError",
    "apply",
    "collector_paused",
    "contributions",
    "local_derivatives",
    "logsumexp",
    "topological_order",
    "weighted_sum",
]
