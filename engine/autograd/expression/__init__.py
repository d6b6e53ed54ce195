"""The little language: a program of assignments and expressions becomes a graph of Values.

A subset of Python that micrograd's and PyTorch's tutorials are written in. The package hides a tokenizer (`source`), a
grammar (`parser`, `statements`), the words it knows (`words`), what it says about everything else (`complaints`), and
how values get names and places (`builder`, `names`). Its face is `evaluate` and what the editor needs to colour and
complete a text.
"""

from engine.autograd.expression.errors import ExpressionError, Fix
from engine.autograd.expression.evaluation import Evaluation, Leaf, Origin, Problem, evaluate, replace_number
from engine.autograd.expression.statements import Note
from engine.autograd.expression.syntax import Completion, Span, completions, highlight

__all__ = [
    "Completion",
    "Evaluation",
    "ExpressionError",
    "Fix",
    "Leaf",
    "Note",
    "Origin",
    "Problem",
    "Span",
    "completions",
    "evaluate",
    "highlight",
    "replace_number",
]
