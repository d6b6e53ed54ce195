"""The little language: a program of assignments and expressions becomes a graph of Values.

A subset of Python that micrograd's and PyTorch's tutorials are written in. The package hides a tokenizer (`source`), a
grammar (`parser`, `statements`), the words it knows (`words`), what it says about everything else (`diagnostics`), and
how values get names and places (`builder`). Its face is `evaluate` and what the editor needs to colour and
complete a text.
"""

from engine.language.errors import ExpressionError, Fix, ProgramError
from engine.language.evaluation import Evaluation, Leaf, Origin, Problem, evaluate, replace_number
from engine.language.statements import Note
from engine.language.syntax import Completion, Span, completions, highlight

__all__ = [
    "Completion",
    "Evaluation",
    "ExpressionError",
    "Fix",
    "Leaf",
    "Note",
    "Origin",
    "Problem",
    "ProgramError",
    "Span",
    "completions",
    "evaluate",
    "highlight",
    "replace_number",
]
