"""Several drawings on one sheet: the components of a graph side by side."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from engine.layout.routes import Drawing

Bounds = tuple[float, float, float, float]

_PART_GAP = 54.0
_LEAST_GAP = 24.0
_EPS = 1e-6
_ASPECT = 1.6


def pack(parts: Sequence[Drawing]) -> Drawing:
    """Put drawings on shelves of about the same length, the broadest first; none overlaps another."""
    sheet = Drawing()
    x = y = shelf = 0.0
    limit = _shelf_length(parts)
    for part in sorted(parts, key=lambda part: part.bounds[1] - part.bounds[3]):
        x0, y0, x1, y1 = part.bounds
        if x > 0 and x + x1 - x0 > limit:
            x, y, shelf = 0.0, y + shelf + _PART_GAP, 0.0
        _add(sheet, part.moved(x - x0, y - y0))
        x += x1 - x0 + _PART_GAP
        shelf = max(shelf, y1 - y0)
    return sheet


def pack_around(parts: Sequence[Drawing], at_home: Sequence[bool]) -> Drawing:
    """Leave drawings where they are as far as they do not overlap, and put the others under them.

    Args:
        parts: the drawings.
        at_home: which of them have a place of their own.
    """
    settled: list[Drawing] = []
    for part, home in zip(parts, at_home, strict=True):
        if home:
            settled.append(_clear_of(part, settled))
    sheet = Drawing()
    for part in settled:
        _add(sheet, part)
    strangers = pack([part for part, home in zip(parts, at_home, strict=True) if not home])
    if strangers.positions:
        x0, _, _, y1 = sheet.bounds
        _add(sheet, strangers.moved(x0 - strangers.bounds[0], y1 + _PART_GAP - strangers.bounds[1]))
    return sheet


def _clear_of(part: Drawing, others: Sequence[Drawing]) -> Drawing:
    """Move a drawing to the right or down, whichever is less, until it overlaps none of the others."""
    while other := next((other for other in others if _overlap(part.bounds, other.bounds)), None):
        right = other.bounds[2] + _LEAST_GAP - part.bounds[0]
        down = other.bounds[3] + _LEAST_GAP - part.bounds[1]
        part = part.moved(right, 0.0) if right < down else part.moved(0.0, down)
    return part


def _overlap(a: Bounds, b: Bounds) -> bool:
    """Whether two rectangles are closer than parts may be."""
    across = a[0] + _EPS < b[2] + _LEAST_GAP and b[0] + _EPS < a[2] + _LEAST_GAP
    return across and a[1] + _EPS < b[3] + _LEAST_GAP and b[1] + _EPS < a[3] + _LEAST_GAP


def _shelf_length(parts: Sequence[Drawing]) -> float:
    sizes = [(part.bounds[2] - part.bounds[0], part.bounds[3] - part.bounds[1]) for part in parts]
    area = sum((length + _PART_GAP) * (breadth + _PART_GAP) for length, breadth in sizes)
    return max([sqrt(area * _ASPECT), *(length for length, _ in sizes)], default=0.0)


def _add(sheet: Drawing, part: Drawing) -> None:
    first = not sheet.positions
    sheet.positions.update(part.positions)
    sheet.curves.update(part.curves)
    sheet.crossings += part.crossings
    a, b = sheet.bounds, part.bounds
    sheet.bounds = b if first else (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
