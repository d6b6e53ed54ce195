"""What is to be said once about a run, beside its result: sentences with the line that they are about."""

from __future__ import annotations

_notes: dict[str, int] = {}


def note(text: str, line: int = 0) -> None:
    """Say something about the run, once."""
    _notes.setdefault(text, line)


def report() -> list[tuple[str, int]]:
    """Return what is to be said, with lines from 1; 0 where there is none."""
    return list(_notes.items())


def clear() -> None:
    """Forget it all."""
    _notes.clear()
