"""Values and their gradients."""

from engine.autograd.contributions import Contribution, contributions, local_derivatives
from engine.autograd.expression import (
    Completion,
    Evaluation,
    ExpressionError,
    Fix,
    Leaf,
    Note,
    Origin,
    Problem,
    Span,
    completions,
    evaluate,
    highlight,
    replace_number,
)
from engine.autograd.kernels import ShapeError
from engine.autograd.ops import OPS, Op
from engine.autograd.problems import problem_of
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
    "Completion",
    "Constant",
    "Contribution",
    "Evaluation",
    "ExpressionError",
    "Fix",
    "Leaf",
    "Note",
    "Op",
    "Origin",
    "Problem",
    "ShapeError",
    "Span",
    "Value",
    "ValueDataError",
    "apply",
    "collector_paused",
    "completions",
    "contributions",
    "evaluate",
    "highlight",
    "local_derivatives",
    "logsumexp",
    "problem_of",
    "replace_number",
    "topological_order",
    "weighted_sum",
]
