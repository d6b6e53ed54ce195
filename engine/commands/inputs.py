"""Arguments shared by the commands: files, names for outputs, numbers."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.command import (
    PROGRAM,
    SESSION,
    CommandError,
    Completion,
    Failed,
    FileKind,
    WrongKind,
    WrongUse,
    completed_by,
    kind_of,
)
from engine.terminal import Progress

if TYPE_CHECKING:
    from engine.document import Document
    from engine.language import Evaluation, ProgramError
    from engine.session_file.files import DocumentFile
    from engine.session_file.salvage import Salvage
    from engine.views.graph_view import GraphView

MOST_STEPS = 10**12
MOST_CALLS = 20
"""Calls on the way to an error that are printed."""


def add_file(parser: argparse.ArgumentParser, *kinds: FileKind, optional: bool = False) -> None:
    """Add the argument FILE, which is of one of these kinds."""
    words = ", or ".join(f"{kind.name} ({', '.join(kind.extensions[:2])})" for kind in kinds)
    metavar = "SESSION" if kinds == (SESSION,) else "FILE"
    action = parser.add_argument("file", nargs="?" if optional else None, type=Path, metavar=metavar, help=words)
    completed_by(action, Completion(kinds))


def read_file(path: Path, *kinds: FileKind) -> DocumentFile:
    """Read a session file, checked as a whole, or a program.

    Args:
        path: of the file.
        kinds: that the command takes; none for both.

    Raises:
        WrongKind: for a table or a lesson, and for a session or a program that the command does not take.
        WrongUse: for a file that cannot be read.
    """
    from engine.experiment.consistency import check_consistent
    from engine.file_access import reason_of
    from engine.session_file.files import read_document

    try:
        read = read_document(path)
        check_consistent(read.document)
    except OSError as error:
        raise WrongUse(f"{path}: {reason_of(error)}") from None
    except ValueError as error:
        kind = kind_of(path)
        if kind not in (None, SESSION, PROGRAM) and path.is_file():
            raise WrongKind(f"{path} is {kind.name}", kind) from None
        found = _salvaged(path)
        readable = f" (what can be read: {found.readable}; the window opens that)" if found else ""
        raise WrongUse(f"{path}: {reason_of(error)}{readable}") from None
    kind = PROGRAM if read.is_program else SESSION
    if kinds and kind not in kinds:
        source = ", as File > Save in the window writes it" if kinds[0] is SESSION else ""
        raise WrongKind(f"{path} is {kind.name}, and this command takes {kinds[0].name}{source}", kind)
    return read


def _salvaged(path: Path) -> Salvage | None:
    """Return what can be read of a damaged session; None where that is nothing."""
    from engine.session_file.salvage import salvage_file

    try:
        found = salvage_file(path)
    except (OSError, ValueError):
        return None
    return None if found.document is None else found


def check_opened(path: Path) -> None:
    """Refuse a file that the window could not open; the window itself checks the contents of a table.

    A damaged session of which something can be read is not refused: the window shows what that is.
    """
    from engine.experiment.prepared import check_table_file, is_table_file

    if not is_table_file(path):
        try:
            read_file(path)
        except WrongUse:
            if _salvaged(path) is None:
                raise
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
        with preparing_shown():
            return evaluate(document.expression.text)
    except ProgramError as error:
        raise failure_of(error) from None


@contextmanager
def preparing_shown() -> Iterator[Progress]:
    """Context that shows when Python is being prepared for programs, which takes a while once on a computer."""
    from engine.language.machine_code import is_preparing

    progress = Progress("Preparing Python for programs, once on this computer")
    with progress, progress.watching(lambda: (None, "") if is_preparing() else None):
        yield progress


def failure_of(error: ProgramError) -> CommandError:
    """Return a program's error as that of a command."""
    from engine.language import RuntimeUnavailableError

    if isinstance(error, RuntimeUnavailableError):
        return WrongUse(error.message)
    calls = tuple(
        f"called from line {c.line}{f' in {c.name}' if c.name else ''}" for c in error.calls[:-1][:MOST_CALLS]
    )
    return Failed(error.message, error.line, error.column, calls)


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
