"""The gallery: published worked examples with the numbers their authors gave and those Gradstep obtains."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.autograd import evaluate

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "examples" / "worked_examples.json"


@dataclass(frozen=True)
class GalleryRow:
    """One published number.

    Attributes:
        example, title: which example it belongs to.
        quantity: such as `d` or `a.grad`.
        expected, obtained: the two numbers, all digits.
        ok: whether they agree within the example's tolerance.
    """

    example: str
    title: str
    quantity: str
    expected: str
    obtained: str
    ok: bool


def published_programs() -> list[dict[str, Any]]:
    """The worked examples: id, title, program, data, grad, tol."""
    programs: list[dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))["programs"]
    return programs


def run_gallery() -> list[GalleryRow]:
    """Runs every published example."""
    return [row for program in published_programs() for row in _program_rows(program)]


def _program_rows(program: dict[str, Any]) -> Iterator[GalleryRow]:
    result = evaluate(program["program"])
    assert result.root is not None
    result.root.backward()
    for attribute, suffix in (("data", ""), ("grad", ".grad")):
        for name, expected in program[attribute].items():
            obtained = getattr(result.names[name], attribute)
            ok = obtained is not None and abs(obtained - expected) <= program["tol"]
            yield GalleryRow(program["id"], program["title"], name + suffix, repr(expected), repr(obtained), ok)
