"""What can be wrong with a program text, and how it is said: place, words, the nearest match, a way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that repairs an error, offered to the user.

    Attributes:
        title: what the button says, such as `write 3.14`.
        start: offset in the text where the edit begins.
        end: offset where it ends; equal to `start` for an insertion.
        replacement: what then stands there.
    """

    title: str
    start: int
    end: int
    replacement: str

    def apply(self, text: str) -> str:
        """The text with the edit made."""
        return text[: self.start] + self.replacement + text[self.end :]


class ProgramError(ValueError):
    """A program text that cannot become a graph.

    Attributes:
        message: one short sentence for a beginner.
        line: from 1.
        column: from 1, counted in characters.
        end_column: one past the last column to underline, on the same line.
        fixes: edits that repair it, the likeliest first; may be empty.
    """

    def __init__(
        self, message: str, line: int, column: int, end_column: int = 0, fixes: Iterable[Fix | None] = ()
    ) -> None:
        """Takes what there is to say; a None among `fixes` is left out."""
        super().__init__(f"line {line}, column {column}: {message}")
        self.message = message
        self.line = line
        self.column = column
        self.end_column = max(end_column, column + 1)
        self.fixes = tuple(fix for fix in fixes if fix is not None)

    @property
    def fix(self) -> Fix | None:
        """The likeliest of the fixes, or None."""
        return self.fixes[0] if self.fixes else None


ExpressionError = ProgramError
"""Its name in the first version."""
