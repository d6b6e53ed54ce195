"""Notes on a run, each given once: sentences with the line that they are about."""

from __future__ import annotations

_notes: dict[str, int] = {}


def note(text: str, line: int = 0) -> None:
    """Add a note; a second one with the same text is dropped."""
    _notes.setdefault(text, line)


def report() -> list[tuple[str, int]]:
    """Return the notes, with lines from 1; 0 for none."""
    return list(_notes.items())


def clear() -> None:
    """Remove all notes."""
    _notes.clear()
