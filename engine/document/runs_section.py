"""The runs of training that a session file keeps beside the present one; `saved_runs` says what stands in each."""

from __future__ import annotations

import json
from typing import Any

from engine.document import fields
from engine.messages import quoted
from engine.quick_dataclass import dataclass

MOST_RUNS = 20
"""Runs that are kept, in a session and in its file."""
MOST_LETTERS = 4_000_000
"""Of all runs together, as they are written."""


class RunText(str):
    """The JSON text of a run's table, on one line."""

    __slots__ = ()


class RunsRule:
    """A list of tables, each kept as its JSON text on one line: a run is read when somebody wants to see it."""

    def __call__(self, value: Any) -> tuple[str, ...]:
        """The texts, of tables as a file has them, or of texts as a document holds them."""
        if not isinstance(value, (list, tuple)) or len(value) > MOST_RUNS:
            raise ValueError(f"must be a list of at most {MOST_RUNS} runs, not {quoted(value)}")
        texts = tuple(self._checked(number, entry) for number, entry in enumerate(value, start=1))
        if sum(map(len, texts)) > MOST_LETTERS:
            raise ValueError(f"must take at most {MOST_LETTERS:,} letters together")
        return texts

    @staticmethod
    def _checked(number: int, entry: Any) -> RunText:
        if isinstance(entry, RunText):
            return entry
        if not isinstance(entry, dict):
            raise ValueError(f"entry {number} must be a table of fields, not {quoted(entry)}")
        return RunText(json.dumps(entry, ensure_ascii=False, allow_nan=False))

    @staticmethod
    def text(value: tuple[str, ...]) -> str:
        """What a file has of them, a run on a line."""
        return "[" + ",".join(f"\n      {text}" for text in value) + ("\n    ]" if value else "]")


@dataclass(frozen=True)
class Runs:
    """The runs there have been.

    Attributes:
        kept: each as JSON, the oldest first; see `engine.document.saved_runs`.
    """

    kept: tuple[str, ...] = fields.held((), RunsRule())
