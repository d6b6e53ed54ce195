"""The format of session files: readable JSON, made for version control; earlier versions are read, too.

Fields, lines of the program, drawn points, columns of a table and recorded runs have a line each, in a fixed order, and
nothing in the file depends on the time or the machine: one edit changes one or two lines.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.document import fields
from engine.document.document import SECTIONS, Document, Network, checked_field
from engine.document.errors import DocumentError
from engine.document.frozen_floats import FrozenFloats
from engine.document.runs_section import RunsRule
from engine.graph.forms import FIRST_FORM
from engine.messages import quoted
from engine.network import ACTIVATIONS
from engine.session_file.strict_json import parse_json

VERSION = 5
"""Version of the file format. 1: without curve, epoch and the optimizer's memory; 2: one activation for all hidden
layers, data of generators only, no curves besides the loss; 4: the program as one text. All of them can be read.
"""
_PIECE = 500


def to_json(document: Document) -> str:
    """Return the text of a session file: readable JSON, one field a line, numbers that read back bit for bit."""
    sections = [f'  "gradstep": {VERSION}', *(_section_text(name, getattr(document, name)) for name in SECTIONS)]
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _section_text(name: str, section: Any) -> str:
    lines = [
        f"    {json.dumps(item.name)}: {_field_text(getattr(section, item.name), item.metadata)}"
        for item in dataclasses.fields(section)
    ]
    return f'  "{name}": {{\n' + ",\n".join(lines) + "\n  }"


def _field_text(value: Any, metadata: Mapping[str, Any]) -> str:
    if not metadata["one_a_line"]:
        return _value_text(value, metadata["rule"])
    entries = value.split("\n") if isinstance(value, str) else value
    return "[" + ",".join(f"\n      {_value_text(entry)}" for entry in entries) + ("\n    ]" if entries else "]")


def _value_text(value: Any, rule: fields.Rule | None = None) -> str:
    if isinstance(value, FrozenFloats):
        return _floats_text(value)
    if isinstance(rule, RunsRule):
        return rule.text(value)
    if not isinstance(rule, fields.Table):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    rows = (f"      {json.dumps(key, ensure_ascii=False)}: {_value_text(entry)}" for key, entry in value)
    return "{\n" + ",\n".join(rows) + "\n    }" if value else "{}"


def _floats_text(numbers: FrozenFloats) -> str:
    """Return the numbers as JSON, formatted in pieces, so that other threads can run in between."""
    array = numbers.array
    if not np.isfinite(array).all():
        raise ValueError("a session cannot hold nan or inf")
    pieces = (array[start : start + _PIECE].tolist() for start in range(0, len(array), _PIECE))
    return "[" + ", ".join(", ".join(map(repr, piece)) for piece in pieces) + "]"


def from_json(text: str) -> Document:
    """Read a session file completely and check it.

    Raises:
        DocumentError: with the path of the first invalid field.
    """
    try:
        content = parse_json(text)
    except ValueError as error:
        raise DocumentError("", str(error)) from None
    if not isinstance(content, dict) or "gradstep" not in content:
        raise DocumentError("", "not a session of this program")
    version = content["gradstep"]
    if type(version) is not int or version < 1:
        raise DocumentError("gradstep", f"must be the number of a version, not {quoted(version)}")
    if version > VERSION:
        newer = f"is version {quoted(version)}: the file was made by a newer version of the program"
        raise DocumentError("gradstep", newer)
    if version < 4:
        content = with_data_losses(content)
    sections = {name: _section(name, content[name], version) for name in content if name != "gradstep"}
    return Document(**sections)


def _section(name: str, content: Any, version: int) -> Any:
    if name not in SECTIONS:
        raise DocumentError(name, f"is not a section; there are {', '.join(SECTIONS)}")
    if not isinstance(content, dict):
        raise DocumentError(name, f"must be a table of fields, not {quoted(content)}")
    kind = SECTIONS[name]
    content = with_upgrades(name, content, version)
    return kind(**{key: checked_field(kind, name, key, value) for key, value in content.items()})


def with_upgrades(name: str, content: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the fields of a section as this version has them, unchecked.

    Args:
        name: of the section.
        content: its fields in the file.
        version: of the file.
    """
    lines = content.get("text")
    if name == "expression" and isinstance(lines, list) and all(isinstance(line, str) for line in lines):
        content = {**content, "text": "\n".join(lines)}
    if name == "view" and (content.get("moved") or content.get("moved_in_network")):
        content = {"form": FIRST_FORM, **content}  # before this version boxes had a single form
    if version < 4 and name == "network":
        content = {"initialiser": "uniform", **content}
    if version < 3 and name == "network":
        content = _with_activations(content)
    return content


def with_data_losses(content: dict[str, Any]) -> dict[str, Any]:
    """Return a file from before version 4 without the curves whose losses contain an L1 or L2 penalty."""
    training = content.get("training")
    kept = content.get("runs", {}).get("kept") if isinstance(content.get("runs"), dict) else None
    if isinstance(kept, list):
        runs = [with_data_losses(run) if isinstance(run, dict) else run for run in kept]
        content = {**content, "runs": {**content["runs"], "kept": runs}}
    if not isinstance(training, dict) or not isinstance(content.get("trained"), dict):
        return content
    if not (training.get("l1") or training.get("l2")):
        return content
    trained = {name: field for name, field in content["trained"].items() if name not in ("curve", "test_curve")}
    return {**content, "trained": trained}


def _with_activations(network: dict[str, Any]) -> dict[str, Any]:
    """Return the network section of a file from before version 3 with its activation repeated by layer."""
    content = dict(network)
    if "activation" in content:
        try:
            one = fields.one_of(lambda: ACTIVATIONS)(content.pop("activation"))
        except ValueError as error:
            raise DocumentError("network.activation", str(error)) from None
        sizes = checked_field(Network, "network", "layer_sizes", content.get("layer_sizes", Network().layer_sizes))
        content["activations"] = [one] * (len(sizes) - 2)
    return content
