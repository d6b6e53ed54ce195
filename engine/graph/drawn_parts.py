"""Parts of every drawing of a picture, on the canvas as in a page: parallel edges, arrow heads, printable texts."""

from __future__ import annotations

import math
from itertools import pairwise

from engine.graph.moved import PARALLEL_GAP
from engine.graph.picture import Curve, Edge, Point

SYMBOLS = {"*": "×", "-": "−", "@": "@"}
"""Signs of operations that are drawn as another character."""
ARROW_LENGTH, ARROW_WIDTH = 7.0, 6.0
"""Size of an arrow head, scene pixels."""


def printable(text: str) -> str:
    """The text in one line and without characters that no XML file may hold."""
    return "".join(c if c.isprintable() else " " for c in text.encode("utf-8", "replace").decode("utf-8")).strip()


def lines_of(edge: Edge) -> list[tuple[Curve, ...]]:
    """The lines of an edge, a parallel one for each operand."""
    middle = (edge.multiplicity - 1) / 2
    shifts = [(index - middle) * PARALLEL_GAP for index in range(edge.multiplicity)]
    return [tuple(shifted(curve, shift) if shift else curve for curve in edge.curves) for shift in shifts]


def shifted(curve: Curve, distance: float) -> Curve:
    """Return the parallel curve: sides of its control polygon moved `distance` pixels to the right (Tiller-Hanson)."""
    normals = [_normal(a, b) for a, b in pairwise(curve)]
    before, after = [normals[0], *normals], [*normals, normals[-1]]
    moved = []
    for (x, y), (ax, ay), (bx, by) in zip(curve, before, after, strict=True):
        length = max(0.35, 1 + ax * bx + ay * by)  # a sharp bend must not shoot out
        moved.append((x + distance * (ax + bx) / length, y + distance * (ay + by) / length))
    return (moved[0], moved[1], moved[2], moved[3])


def arrow_head(curve: Curve) -> tuple[Point, Point, Point]:
    """The corners of a small head at the end of a curve, its tip first."""
    tip = curve[3]
    behind = next((point for point in (curve[2], curve[1], curve[0]) if point != tip), (tip[0] - 1, tip[1]))
    nx, ny = _normal(behind, tip)
    x, y = tip[0] - ny * ARROW_LENGTH, tip[1] + nx * ARROW_LENGTH
    half = ARROW_WIDTH / 2
    return tip, (x + nx * half, y + ny * half), (x - nx * half, y - ny * half)


def _normal(a: Point, b: Point) -> Point:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    return (-dy / length, dx / length) if length else (0.0, 1.0)
