"""Explanations of one graph of values: why a number is what it is, the walk through the passes, experiments, texts.

Everything here needs values and the table of operations alone; it knows no document and no network.
"""

from engine.teaching.explain import Explainer
from engine.teaching.explanation import Explanation, ExplanationLine, TextRun
from engine.teaching.nudging import Nudge, Nudger
from engine.teaching.substep import Descent, ParameterUpdate, SubStep, UpdateRule
from engine.teaching.walk import Walk, WalkState, count_sub_steps

__all__ = [
    "Descent",
    "Explainer",
    "Explanation",
    "ExplanationLine",
    "Nudge",
    "Nudger",
    "ParameterUpdate",
    "SubStep",
    "TextRun",
    "UpdateRule",
    "Walk",
    "WalkState",
    "count_sub_steps",
]
