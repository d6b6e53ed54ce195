"""Errors of programs: place, message, edits that repair them, calls on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from engine.language.results import Evaluation, Printed


class ProgramCancelled(Exception):
    """A run was cancelled: the text has changed, or Stop was pressed."""


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that repairs an error, offered to the user.

    Attributes:
        title: text of the button, such as `write 3.14`.
        start: offset in the text where the edit begins.
        end: offset where it ends; equal to `start` for an insertion.
        replacement: what then stands there.
        preview: show the result before it is taken: the whole text changes.
    """

    title: str
    start: int
    end: int
    replacement: str
    preview: bool = False

    def apply(self, text: str) -> str:
        """Return the text with the edit made."""
        return text[: self.start] + self.replacement + text[self.end :]


class Call(NamedTuple):
    """One call on the way to an error.

    Attributes:
        name: of the function in which the line stands; "" outside of functions.
        line: from 1.
    """

    name: str
    line: int


class ProgramError(ValueError):
    """A program without a graph, or with an error while it ran.

    Attributes:
        message: one short sentence for a beginner.
        line: from 1.
        column: from 1, counted in characters.
        end_column: one past the last column to underline, on the same line.
        fixes: edits that repair it, the likeliest first; may be empty.
        output: printed before the error.
        calls: how it came there, the outermost first; empty for an error found before the program ran.
        evaluation: computed before the error; None where nothing was, or it is lost.
        local_variables: of the innermost function of the program in which the error came up.
        at_limit: the program reached one of its limits: with higher ones it would continue.
    """

    def __init__(
        self,
        message: str,
        line: int,
        column: int,
        end_column: int = 0,
        fixes: Iterable[Fix | None] = (),
        calls: tuple[Call, ...] = (),
        output: tuple[Printed, ...] = (),
    ) -> None:
        """Make an error; a None among `fixes` is left out."""
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column
        self.end_column = max(end_column, column + 1)
        self.fixes = tuple(fix for fix in fixes if fix is not None)
        self.calls = calls
        self.output = output
        self.evaluation: Evaluation | None = None
        self.local_variables: Mapping[str, Any] = {}
        self.at_limit = False

    @property
    def fix(self) -> Fix | None:
        """Likeliest of the fixes, or None."""
        return self.fixes[0] if self.fixes else None

    @property
    def variables(self) -> Mapping[str, Any]:
        """Variables of the program at the error, with those of the function in which it was raised."""
        return {**(self.evaluation.variables if self.evaluation is not None else {}), **self.local_variables}

    def with_run(
        self, output: tuple[Printed, ...], evaluation: Evaluation | None, local: Mapping[str, Any] | None = None
    ) -> ProgramError:
        """Return this error, with the results of the run up to it."""
        self.output, self.evaluation, self.local_variables = output, evaluation, local or {}
        return self


class RuntimeUnavailableError(ProgramError):
    """Programs cannot be run on this machine; the message has the reason and a remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 1, 1)


ExpressionError = ProgramError
"""Its name in the first version."""
