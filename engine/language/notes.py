"""Notes on programs: remarks that are not errors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is not an error, such as an ignored line or an unused name.

    Attributes:
        message: one sentence.
        line: from 1.
        column: from 1.
    """

    message: str
    line: int
    column: int
