"""Values and their gradients."""

from engine.autograd.backward import collector_paused
from engine.autograd.check import (
    GradientCheck,
    Nudge,
    check_gradients,
    check_value,
    gradients_of,
    iterate_checks,
    nudge,
    slope,
)
from engine.autograd.contributions import Contribution, contributions, local_derivatives
from engine.autograd.data import ShapeError, ValueDataError
from engine.autograd.expand import COMPOSITES, Expansion, expand
from engine.autograd.explain import Explainer, explain
from engine.autograd.explanation import Explanation, ExplanationLine, TextRun
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
from engine.autograd.naming import give_names, name_of
from engine.autograd.notation import short
from engine.autograd.ops import OPS, Op
from engine.autograd.outside import FormulaError
from engine.autograd.problems import problem_of
from engine.autograd.replay import Replay, what_if
from engine.autograd.steps import Step, Steps, StepState, count_steps
from engine.autograd.value import (
    Constant,
    Value,
    add_operation,
    apply,
    logsumexp,
    neuron_sum,
    numbers_of,
    topological_order,
    weighted_sum,
)

__all__ = [
    "COMPOSITES",
    "OPS",
    "Completion",
    "Constant",
    "Contribution",
    "Evaluation",
    "Expansion",
    "Explainer",
    "Explanation",
    "ExplanationLine",
    "ExpressionError",
    "Fix",
    "FormulaError",
    "GradientCheck",
    "Leaf",
    "Note",
    "Nudge",
    "Op",
    "Origin",
    "Problem",
    "Replay",
    "ShapeError",
    "Span",
    "Step",
    "StepState",
    "Steps",
    "TextRun",
    "Value",
    "ValueDataError",
    "add_operation",
    "apply",
    "check_gradients",
    "check_value",
    "collector_paused",
    "completions",
    "contributions",
    "count_steps",
    "evaluate",
    "expand",
    "explain",
    "give_names",
    "gradients_of",
    "highlight",
    "iterate_checks",
    "local_derivatives",
    "logsumexp",
    "name_of",
    "neuron_sum",
    "nudge",
    "numbers_of",
    "problem_of",
    "replace_number",
    "short",
    "slope",
    "topological_order",
    "weighted_sum",
    "what_if",
]
