"""Programs as the tutorials write them, run in CPython in WebAssembly: values to be drawn, output, plots, moments.

`evaluate` (`evaluation`) has a text run in a fresh interpreter with limits (`limited_runs`, `runtime`, `machine_code`)
by the modules of `guest/`; NumPy answers from outside (`numpy_door`). The report becomes Values (`decoding`) with
names, places and roles (`describing`). A class of the program's own that computes gradients is judged in the guest, and
`engine_check` puts the judgement into words. `program_errors` and `slips` extend Python's messages of errors;
`program_notes` and `advice` note what is odd about a program that runs; `line_walk` shows it after each statement. What
the editor needs to colour and complete a text stands in `syntax`; `pasted_text` and `indentation` put pasted texts
right, and `formula` reads formulas of data.
"""

from engine.language.errors import Call, ExpressionError, Fix, ProgramCancelled, ProgramError, RuntimeUnavailableError
from engine.language.evaluation import evaluate
from engine.language.indentation import restore_indentation
from engine.language.limits import Limits
from engine.language.line_walk import after_statements
from engine.language.notes import Note
from engine.language.pasted_text import Cell, cells, keep_only_code, straighten_typography
from engine.language.results import (
    BackwardCall,
    Evaluation,
    KnownNames,
    Leaf,
    LoopSeries,
    Origin,
    Plot,
    Printed,
    Problem,
    Series,
    StatementStep,
    as_in_program,
    replace_number,
)
from engine.language.syntax import Completion, Span, completions, highlight, highlight_line

__all__ = [
    "BackwardCall",
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
    "as_in_program",
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
