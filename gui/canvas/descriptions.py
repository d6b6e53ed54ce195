"""Nodes in words: tool-tips, and descriptions for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from engine.autograd.notation import counted
from engine.graph.picture import BoxNumbers, Picture

Notes = Callable[[str], Sequence[str]]

ROLE_WORDS = {
    "input": "input", "parameter": "parameter", "output": "output", "constant": "constant",
    "intermediate": "computed value", "group": "group",
}  # fmt: skip


def no_notes(_key: str) -> Sequence[str]:
    """Return no sentences: the numbers of a value stand alone."""
    return ()


def tool_tip(
    picture: Picture,
    readings: Mapping[str, BoxNumbers],
    key: str | None,
    notes: Notes = no_notes,
) -> str:
    """Name, role, all digits, what went wrong and the notes, as HTML with everything escaped; "" for no value."""
    if key is None or key not in picture.boxes:
        return ""
    box, reading = picture.boxes[key], readings.get(key)
    count = f" of {counted(box.members, 'value')}" if box.members else ""
    title = f"<b>{escape(box.label)}</b> · " if box.label else ""
    lines = [f"{title}{ROLE_WORDS[box.role]}{count}"]
    if reading is not None:
        lines += map(_line, reading.full.splitlines())
        lines += [f"<b>!</b> {escape(reading.problem)}"] if reading.problem else []
    lines += map(escape, notes(key))
    lines += ["double-click opens it"] if box.members else []
    return "<br>".join(lines)


def _line(text: str) -> str:
    """Return a line as HTML; a line of a table keeps its columns."""
    return f"<code>{escape(text).replace(' ', '&nbsp;')}</code>" if "  " in text else escape(text)


def describe(picture: Picture, readings: Mapping[str, BoxNumbers], key: str | None) -> str:
    """Return the selected value in one line; a hint when nothing is selected."""
    if key is None:
        return f"{counted(len(picture.boxes), 'value')}; arrow keys walk along the edges"
    box, reading = picture.boxes[key], readings.get(key)
    name = f"{box.label or 'unnamed'}, {ROLE_WORDS[box.role]}"
    if reading is None:
        return name
    return ", ".join(filter(None, [name, f"data {reading.data}", f"grad {reading.grad}", reading.problem]))
