"""A row of the gallery: one published number and the one that Gradstep obtains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GalleryRow:
    """One published number.

    Attributes:
        example, title: of its example.
        quantity: such as `d` or `a.grad`.
        expected, obtained: the two numbers, all digits.
        ok: they agree within the example's tolerance.
    """

    example: str
    title: str
    quantity: str
    expected: str
    obtained: str
    ok: bool

    @property
    def difference(self) -> str:
        """Distance of the two numbers, such as "3.1e-17"; "" where one of them is no number."""
        try:
            distance = abs(float(self.obtained) - float(self.expected))
        except ValueError:
            return ""
        return f"{distance:.2g}"


def row(
    case: Mapping[str, Any], quantity: str, expected: float, obtained: float | None, tol: float = 0.0
) -> GalleryRow:
    """Return a number of an example, compared within the example's tolerance, or `tol` where it has none."""
    ok = obtained is not None and abs(obtained - expected) <= case.get("tol", tol)
    return GalleryRow(case["id"], case["title"], quantity, repr(expected), repr(obtained), ok)


def limit_row(case: Mapping[str, Any], quantity: str, limit: float, obtained: float) -> GalleryRow:
    """Return a number of an example that must not exceed a limit; nan does."""
    return GalleryRow(case["id"], case["title"], quantity, f"at most {limit:g}", f"{obtained:.6g}", obtained <= limit)
