"""Something worth telling about a program that is not an error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth telling that is not an error: a line that was set aside, a name that is not used.

    Attributes:
        message: one sentence.
        line: from 1.
        column: from 1.
    """

    message: str
    line: int
    column: int
