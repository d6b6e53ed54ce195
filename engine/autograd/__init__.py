"""Values and their gradients. The package knows no program text: that is `engine.language`."""

import importlib
from typing import TYPE_CHECKING, Any

from engine.autograd.backward import collector_paused, topological_order
from engine.autograd.check import (
    GradientCheck,
    check_gradients,
    check_value,
    iterate_checks,
)
from engine.autograd.contributions import Contribution, contributions, gradients_of, local_derivatives
from engine.autograd.data import ShapeError, ValueDataError
from engine.autograd.expand import Expansion, can_expand, composites, expand
from engine.autograd.naming import give_names, name_of
from engine.autograd.notation import short
from engine.autograd.ops import OPS, Op
from engine.autograd.problems import problem_of
from engine.autograd.replay import Replay, recompute, what_if
from engine.autograd.value import (
    Constant,
    Value,
    add_operation,
    apply,
    logsumexp,
    neuron_sum,
    numbers_of,
    weighted_sum,
)
from engine.autograd.vocabulary import FormulaError

__all__ = [
    "OPS",
    "Constant",
    "Contribution",
    "Expansion",
    "FormulaError",
    "GradientCheck",
    "Op",
    "Replay",
    "ShapeError",
    "Value",
    "ValueDataError",
    "add_operation",
    "apply",
    "can_expand",
    "check_gradients",
    "check_value",
    "collector_paused",
    "composites",
    "contributions",
    "expand",
    "give_names",
    "gradients_of",
    "iterate_checks",
    "local_derivatives",
    "logsumexp",
    "name_of",
    "neuron_sum",
    "numbers_of",
    "problem_of",
    "recompute",
    "short",
    "topological_order",
    "weighted_sum",
    "what_if",
]

OF_THE_LANGUAGE = frozenset({"ExpressionError", "evaluate"})
"""Names that used to live here and are still importable; they belong to `engine.language`."""


if not TYPE_CHECKING:  # a type checker would accept any misspelt name as one of these

    def __getattr__(name: str) -> Any:
        """Import a name that moved to `engine.language`, on first access."""
        if name in OF_THE_LANGUAGE:
            return getattr(importlib.import_module("engine.language"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
