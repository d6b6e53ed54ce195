"""Programs as the tutorials write them, run in a sandbox: values to be drawn, printed lines, plots, moments.

`evaluate` (`evaluation`) reads a text (`reader`), writes in another way what the sandbox lacks (`rewriting/`), runs it
in a worker process that reaches nothing outside (`sandbox`), behind a prelude that is made from the table of operations
(`prelude`, `sandboxed/`), fetches what it left (`fetching`) and finds names, places and problems of the values
(`describing`). A class of the program's own that computes gradients is compared with the table (`own_engine/`). What is
said of an error stands in `failures/`, of a program that runs and yet does something else than it seems to in
`advice/`. What the editor needs to colour and complete a text stands in `syntax`; formulas of data are read by
`grammar/`.
"""

from engine.language.errors import Call, ExpressionError, Fix, ProgramCancelled, ProgramError, RuntimeUnavailableError
from engine.language.evaluation import evaluate
from engine.language.indentation import restore_indentation
from engine.language.limits import Limits
from engine.language.line_walk import after_statements
from engine.language.notes import Note
from engine.language.pasted_text import Cell, cells, keep_only_code, straighten_typography
from engine.language.results import (
    Evaluation,
    KnownNames,
    Leaf,
    LoopSeries,
    Moment,
    Origin,
    Plot,
    Printed,
    Problem,
    Series,
    StatementStep,
    replace_number,
)
from engine.language.syntax import Completion, Span, completions, highlight, highlight_line

__all__ = [
    "Call",
    "Cell",
    "Completion",
    "Evaluation",
    "ExpressionError",
    "Fix",
    "KnownNames",
    "Leaf",
    "Limits",
    "LoopSeries",
    "Moment",
    "Note",
    "Origin",
    "Plot",
    "Printed",
    "Problem",
    "ProgramCancelled",
    "ProgramError",
    "RuntimeUnavailableError",
    "Series",
    "Span",
    "StatementStep",
    "after_statements",
    "cells",
    "completions",
    "evaluate",
    "highlight",
    "highlight_line",
    "keep_only_code",
    "replace_number",
    "restore_indentation",
    "straighten_typography",
]
