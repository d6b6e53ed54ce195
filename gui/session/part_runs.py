"""Runs of the first lines of a program: up to which line, and where that line is after an edit."""

from __future__ import annotations

from collections.abc import Iterable

from engine.language import cells


def end_of_cell(text: str, line: int) -> int | None:
    """Return the last line of the cell that a line stands in, from 1; None where nothing stands behind it.

    Lines that begin with `# %%` begin cells; without them statements behind blank lines do.
    """
    end = next((cell.last_line for cell in cells(text, blank_lines=True) if cell.last_line >= line), None)
    lines = text.split("\n")
    return end if end is not None and any(each.strip() for each in lines[end:]) else None


def first_lines(text: str, last_line: int | None) -> str:
    """Return a text up to a line; None: all of it."""
    return text if last_line is None else "\n".join(text.split("\n")[:last_line])


def line_after_edit(last_line: int, before: str, after: str) -> int | None:
    """Return where a line is after an edit; None where the edit goes across its end, or nothing stands behind it."""
    old, new = before.split("\n"), after.split("\n")
    start = _n_same(zip(old, new, strict=False))
    end = _n_same(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    if start >= last_line:
        line = last_line
    elif len(old) - end <= last_line:
        line = last_line + len(new) - len(old)
    else:
        return None
    return line if line > 0 and any(each.strip() for each in new[line:]) else None


def _n_same(pairs: Iterable[tuple[str, str]]) -> int:
    """Return how many pairs from the first on are of two equal texts."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count
