"""A command of the command line as data, the exit codes of all commands, and the kinds of files that they take.

The table of the commands is in `main.py`; help (`parser.py`), completion (`completion.py`) and the contract tests
are made from its entries.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

DONE, FAILED, WRONG_USE, INTERRUPTED, UNREAD = 0, 1, 2, 130, 141
EXIT_CODES = {
    DONE: "done",
    FAILED: "done, with a bad result: a program stopped with an error, a check failed, training diverged",
    WRONG_USE: "not done: wrong use, or a file that cannot be read or written",
    INTERRUPTED: "stopped with Ctrl+C (by another signal: 128 and its number)",
    UNREAD: "nobody reads the output any more, as with `| head`",
}
"""All exit codes and their meanings."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file that people have.

    Attributes:
        name: with its article, such as "a session".
        extensions: in small letters, with their dots.
    """

    name: str
    extensions: tuple[str, ...]


SESSION = FileKind("a session", (".gradstep",))
PROGRAM = FileKind("a program", (".py", ".txt"))
TABLE = FileKind("a table", (".csv", ".tsv", ".tab", ".dat", ".data"))
LESSON = FileKind("a lesson", (".md",))
PICTURE = FileKind("a picture", (".png", ".svg", ".pdf", ".gif"))
"""Written by `export`, and read by no command."""
FILE_KINDS = (SESSION, PROGRAM, TABLE, LESSON, PICTURE)


def kind_of(path: Path) -> FileKind | None:
    """Return the kind that a file name's extension stands for; None for others."""
    return next((kind for kind in FILE_KINDS if path.suffix.lower() in kind.extensions), None)


@dataclass(frozen=True)
class Completion:
    """Kind of an argument, for shell completion and for the hint that another command takes a file.

    Attributes:
        kinds: of files that are read.
        extensions: of files that are written.
        folders: only folders.
        words: gives fixed words, such as names of lessons; called when a completion script is made.
    """

    kinds: tuple[FileKind, ...] = ()
    extensions: tuple[str, ...] = ()
    folders: bool = False
    words: Callable[[], list[str]] = list

    @property
    def suffixes(self) -> list[str]:
        """Extensions of all files that fit, with their dots."""
        return [*(suffix for kind in self.kinds for suffix in kind.extensions), *self.extensions]


def completed_by(action: argparse.Action, completion: Completion) -> None:
    """Attach what can stand for an argument."""
    action.completion = completion  # type: ignore[attr-defined]


def completion_of(action: argparse.Action) -> Completion:
    """Return what can stand for an argument; an empty Completion when nothing is attached."""
    found: Completion = getattr(action, "completion", Completion())
    return found


def no_options(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no arguments."""


@dataclass(frozen=True)
class Command:
    """A command, or a group of commands such as `lessons`.

    Attributes:
        run: does it and returns the exit code.
        summary: what it does, in a few words without a full stop.
        group: a key of GROUPS.
        add_options: adds its arguments; called only when they are needed, as libraries may have to be loaded.
        examples: what one types behind the program's name, and what that does. They are run by a test, in a folder with
            the files `neuron.py`, `moons.gradstep` and `points.csv`.
        failed: meaning of exit code 1; "" when the command never returns it.
        json: for `--json`, the keys of the object that is printed: type and meaning, see `json_output.py`.
        parts: the commands of a group, by name.
    """

    run: Callable[[argparse.Namespace], int]
    summary: str
    group: str
    add_options: Callable[[argparse.ArgumentParser], None] = no_options
    examples: tuple[tuple[str, str], ...] = ()
    failed: str = ""
    json: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Command] = field(default_factory=dict)


GROUPS = {
    "open": "Open the window",
    "program": "Run and check a program",
    "network": "Train a network",
    "take away": "Export and print",
    "learn": "Learn and teach",
    "shell": "Set up",
}
"""Headings of the overview, by what one wants to do."""


class CommandError(Exception):
    """An error that ends a command with one line.

    Attributes:
        code: exit code.
        message: without the place.
        line, column: in the program or file, from 1; None where there is no place.
        calls: how a program came there, a line of text each.
    """

    code = WRONG_USE

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, calls: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message if line is None else f"line {line}, column {column}: {message}")
        self.message, self.line, self.column, self.calls = message, line, column, calls


class WrongUse(CommandError):
    """Wrong use, or a file that cannot be read or written: the user types something else."""


class Failed(CommandError):
    """A program stopped with an error, or a result is bad."""

    code = FAILED


class WrongKind(WrongUse):
    """A file of a kind that the command does not take.

    Attributes:
        kind: of the file.
    """

    def __init__(self, message: str, kind: FileKind) -> None:
        super().__init__(message)
        self.kind = kind
