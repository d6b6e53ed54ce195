"""Several drawings in one: the components of a graph side by side."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from engine.layout.routes import ComponentLayout

Bounds = tuple[float, float, float, float]

_PART_GAP = 54.0
_LEAST_GAP = 24.0
_EPS = 1e-6
_ASPECT = 1.6


def pack(parts: Sequence[ComponentLayout]) -> ComponentLayout:
    """Put drawings on shelves of about the same length, the broadest first; none overlaps another."""
    whole = ComponentLayout()
    x = y = shelf = 0.0
    limit = _shelf_length(parts)
    for part in sorted(parts, key=lambda part: part.bounds[1] - part.bounds[3]):
        x0, y0, x1, y1 = part.bounds
        if x > 0 and x + x1 - x0 > limit:
            x, y, shelf = 0.0, y + shelf + _PART_GAP, 0.0
        _add(whole, part.moved(x - x0, y - y0))
        x += x1 - x0 + _PART_GAP
        shelf = max(shelf, y1 - y0)
    return whole


def pack_around(parts: Sequence[ComponentLayout], stay: Sequence[bool]) -> ComponentLayout:
    """Leave drawings where they are as far as they do not overlap, and put the others under them.

    Args:
        parts: the drawings.
        stay: which of them were in the previous drawing.
    """
    placed: list[ComponentLayout] = []
    for part, stays in zip(parts, stay, strict=True):
        if stays:
            placed.append(_clear_of(part, placed))
    whole = ComponentLayout()
    for part in placed:
        _add(whole, part)
    added = pack([part for part, stays in zip(parts, stay, strict=True) if not stays])
    if added.positions:
        x0, _, _, y1 = whole.bounds
        _add(whole, added.moved(x0 - added.bounds[0], y1 + _PART_GAP - added.bounds[1]))
    return whole


def _clear_of(part: ComponentLayout, others: Sequence[ComponentLayout]) -> ComponentLayout:
    """Move a drawing to the right or down, whichever is less, until it overlaps none of the others."""
    while other := next((other for other in others if _overlap(part.bounds, other.bounds)), None):
        right = other.bounds[2] + _LEAST_GAP - part.bounds[0]
        down = other.bounds[3] + _LEAST_GAP - part.bounds[1]
        part = part.moved(right, 0.0) if right < down else part.moved(0.0, down)
    return part


def _overlap(a: Bounds, b: Bounds) -> bool:
    """True when two rectangles are closer than parts may be."""
    across = a[0] + _EPS < b[2] + _LEAST_GAP and b[0] + _EPS < a[2] + _LEAST_GAP
    return across and a[1] + _EPS < b[3] + _LEAST_GAP and b[1] + _EPS < a[3] + _LEAST_GAP


def _shelf_length(parts: Sequence[ComponentLayout]) -> float:
    sizes = [(part.bounds[2] - part.bounds[0], part.bounds[3] - part.bounds[1]) for part in parts]
    area = sum((length + _PART_GAP) * (breadth + _PART_GAP) for length, breadth in sizes)
    return max([sqrt(area * _ASPECT), *(length for length, _ in sizes)], default=0.0)


def _add(whole: ComponentLayout, part: ComponentLayout) -> None:
    first = not whole.positions
    whole.positions.update(part.positions)
    whole.curves.update(part.curves)
    whole.crossings += part.crossings
    a, b = whole.bounds, part.bounds
    whole.bounds = b if first else (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
