"""Check of a command's outputs before any work: an output is never an input, nor the same as another output."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from engine.file_access import check_writable, reason_of


class OutputProblem(ValueError):
    """An output that cannot or must not be written; the message is one sentence."""


def same_file(one: Path, other: Path) -> bool:
    """Return True when two names lead to one regular file, now or once it is written, also through links."""
    if _resolved(one) == _resolved(other):
        return not (one.exists() and not one.is_file())  # two outputs may go to one device
    try:
        return one.is_file() and one.samefile(other)
    except OSError:
        return False


def _resolved(path: Path) -> str:
    name = os.path.realpath(path)
    return name.casefold() if sys.platform in ("darwin", "win32") else name  # file names ignore case there


def check_outputs(outputs: Mapping[str, Path], inputs: Mapping[str, Path]) -> None:
    """Check everything that will be written.

    Args:
        outputs: paths by the option that names them (`--log`).
        inputs: paths that are read, by description ("the session").

    Raises:
        OutputProblem: for the first that is an input, another output, a folder, or cannot be written; nothing has
            changed.
    """
    for name, path in outputs.items():
        for thing, source in inputs.items():
            if same_file(path, source):
                raise OutputProblem(f"{name} {path} is {thing} that is read, and would be lost: choose another name")
    for (name, path), (other_name, other) in combinations(outputs.items(), 2):
        if same_file(path, other):
            raise OutputProblem(f"{name} {path} and {other_name} {other} are the same file: choose two names")
    for name, path in outputs.items():
        try:
            check_writable(path)
        except OSError as error:
            raise OutputProblem(f"{name} {path} cannot be written: {reason_of(error)}") from None
