"""Recorded runs in a session file besides the present one; `saved_runs` defines their contents."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.document import fields
from engine.messages import quoted

MOST_RUNS = 20
"""Limit of runs in a session and in its file."""
MOST_LETTERS = 4_000_000
"""Limit of characters of all runs together."""


class RunsRule:
    """Rule for a list of tables, each stored as its JSON text on one line: a run is decoded when it is displayed."""

    def __call__(self, value: Any) -> tuple[str, ...]:
        """Return the texts of the tables in a file."""
        if not isinstance(value, (list, tuple)) or len(value) > MOST_RUNS:
            raise ValueError(f"must be a list of at most {MOST_RUNS} runs, not {quoted(value)}")
        texts = tuple(self._checked(number, entry) for number, entry in enumerate(value, start=1))
        if sum(map(len, texts)) > MOST_LETTERS:
            raise ValueError(f"must take at most {MOST_LETTERS:,} letters together")
        return texts

    @staticmethod
    def _checked(number: int, entry: Any) -> str:
        if not isinstance(entry, dict):
            raise ValueError(f"entry {number} must be a table of fields, not {quoted(entry)}")
        return json.dumps(entry, ensure_ascii=False, allow_nan=False)

    @staticmethod
    def text(value: tuple[str, ...]) -> str:
        """Return the text for a file, a run on a line."""
        return "[" + ",".join(f"\n      {text}" for text in value) + ("\n    ]" if value else "]")


@dataclass(frozen=True)
class Runs:
    """Recorded runs.

    Attributes:
        kept: each as JSON, the oldest first; see `engine.session_file.saved_runs`.
    """

    kept: tuple[str, ...] = fields.held((), RunsRule())
