"""Nodes in words: tool-tips, and descriptions for screen readers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from engine.autograd.notation import counted
from engine.graph.picture import Picture, Reading

ROLE_WORDS = {
    "input": "input", "parameter": "parameter", "output": "output", "constant": "constant",
    "intermediate": "computed value", "group": "group",
}  # fmt: skip


def tool_tip(picture: Picture, readings: Mapping[str, Reading], key: str | None) -> str:
    """Name, role, all digits and what went wrong, as HTML with everything escaped; "" for no value."""
    if key is None or key not in picture.boxes:
        return ""
    box, reading = picture.boxes[key], readings.get(key)
    count = f" of {counted(box.members, 'value')}" if box.members else ""
    title = f"<b>{escape(box.label)}</b> · " if box.label else ""
    lines = [f"{title}{ROLE_WORDS[box.role]}{count}"]
    if reading is not None:
        lines += [escape(line) for line in reading.full.splitlines()]
        lines += [f"<b>!</b> {escape(reading.problem)}"] if reading.problem else []
    lines += ["double-click opens it"] if box.members else []
    return "<br>".join(lines)


def described(picture: Picture, readings: Mapping[str, Reading], key: str | None) -> str:
    """The selected value in one line; what there is to do when nothing is selected."""
    if key is None:
        return f"{counted(len(picture.boxes), 'value')}; arrow keys walk along the edges"
    box, reading = picture.boxes[key], readings.get(key)
    name = f"{box.label or 'unnamed'}, {ROLE_WORDS[box.role]}"
    if reading is None:
        return name
    return ", ".join(filter(None, [name, f"data {reading.data}", f"grad {reading.grad}", reading.problem]))
