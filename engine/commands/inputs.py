"""Arguments shared by the commands: files, names for outputs, numbers; and the error for wrong use."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.document import Document
    from engine.language import Evaluation
    from engine.session_file.files import DocumentFile
    from engine.views.graph_view import GraphView

MOST_STEPS = 10**12


class WrongUse(Exception):
    """An error that the user can correct, in one line."""


def read_file(path: Path) -> DocumentFile:
    """Read a session file, checked as a whole, or a program."""
    from engine.experiment.consistency import check_consistent
    from engine.session_file.files import read_document, reason_of

    try:
        read = read_document(path)
        check_consistent(read.document)
    except (OSError, ValueError) as error:
        raise WrongUse(f"{path}: {reason_of(error)}") from None
    return read


def check_opened(path: Path) -> None:
    """Refuse a file that the window could not open; the window itself checks the contents of a table."""
    from engine.experiment.prepared import check_table_file, is_table_file

    if not is_table_file(path):
        read_file(path)
        return
    try:
        check_table_file(path)
    except ValueError as error:
        raise WrongUse(str(error)) from None


def shown(document: Document) -> GraphView:
    """Return the graph that the canvas would show for the document."""
    from engine.experiment.consistency import check_consistent
    from engine.views.graph_view import show_expression
    from engine.views.sample import make_sample_graph

    view = document.view
    if view.shows == "network":
        dataset = check_consistent(document).train
        return make_sample_graph(document, dataset.X, dataset.y).graph_view
    return show_expression(evaluated(document), view.hide_constants, view.expanded, view.collapsed)


def evaluated(document: Document) -> Evaluation:
    """Evaluate the document's program."""
    from engine.language import ProgramError, evaluate

    try:
        return evaluate(document.expression.text)
    except ProgramError as error:
        raise WrongUse(f"line {error.line}, column {error.column}: {error.message}") from None


def named_file(option: str, text: str, frames: bool = False) -> Path:
    """Return the path of an output; a folder only for frames."""
    if not text:
        raise WrongUse(f"the name after {option} is empty")
    path, is_folder = Path(text), text.endswith(("/", os.sep))
    if is_folder and not frames:
        hint = ", or ask with --frames for the frames of the backward pass" if option == "-o" else ""
        raise WrongUse(f"{text} is a folder: name a file in it{hint}")
    if frames and path.suffix and not path.is_dir() and not is_folder:
        raise WrongUse(f"--frames wants a folder, not {text}; a folder of that name is written {text}/")
    return path


def whole_number(text: str) -> int:
    """Parse a number of steps, seeds or workers, 1 or more; ArgumentTypeError for anything else."""
    steps = int(text) if re.fullmatch(r"[0-9]{1,13}", text) else 0
    if not 1 <= steps <= MOST_STEPS:
        raise argparse.ArgumentTypeError(f"it is a whole number from 1 to {MOST_STEPS:,}, not {text[:40]!r}")
    return steps
