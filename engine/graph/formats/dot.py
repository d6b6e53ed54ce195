"""Graphs for Graphviz, in the DOT language (graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.graph.formats.numbered import Numbered, unique_names, without_controls
from engine.graph.forms import FORMS, BoxForm
from engine.graph.picture import BoxNumbers

SHAPES: Mapping[str, str] = {
    "input": "shape=box, style=rounded", "parameter": "shape=octagon", "output": "shape=box, peripheries=2",
    "constant": "shape=plaintext", "intermediate": "shape=box", "group": "shape=box3d",
}  # fmt: skip
RANK_DIRECTIONS = {"right": "LR", "down": "TB"}
BESIDE = " | "


def dot(numbered: Numbered) -> str:
    """One box for each value, with its numbers as on the canvas; one arrow for each operand."""
    (form, direction), names = numbered.choice, unique_names(numbered.graph)
    lines = ["digraph gradstep {", f"  rankdir={RANK_DIRECTIONS[direction]};", "  node [fontname=monospace];"]
    for key, about in numbered.described():
        lines.append(f"  {_quoted(names[key])} [{_attributes(about, numbered.readings.get(key), FORMS[form])}];")
    for source, target, n in numbered.graph.edges(data="multiplicity", default=1):
        lines += [f"  {_quoted(names[source])} -> {_quoted(names[target])};"] * n
    return "\n".join([*lines, "}", ""])


def _attributes(about: Mapping[str, Any], reading: BoxNumbers | None, form: BoxForm) -> str:
    if reading is None:
        return f"label={_quoted(about['label'])}, shape=circle, kind=op, op={_quoted(about['op'])}"
    numbers = "".join(
        f", {name}={_quoted(json.dumps(about[name]))}" for name in ("data", "grad") if about[name] is not None
    )
    problem = f", tooltip={_quoted(about['problem'])}" if "problem" in about else ""
    name = _quoted(_shown(about, reading, form))
    return f"label={name}, {SHAPES[about['role']]}, kind=value, role={about['role']}{numbers}{problem}"


def _shown(about: Mapping[str, Any], reading: BoxNumbers, form: BoxForm) -> str:
    if about["role"] == "constant":
        return reading.data
    numbers = ("\n" if form.stacked else BESIDE).join([f"data {reading.data}", f"grad {reading.grad}"])
    return ("\n" if form.name_above else BESIDE).join(filter(None, [about["label"], numbers]))


def _quoted(text: str) -> str:
    """A DOT string that shows exactly the text: backslashes would start escapes such as \\N, & HTML entities."""
    clean = without_controls(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + clean.replace("\n", "\\n") + '"'
