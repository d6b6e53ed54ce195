"""A smooth way for one edge around boxes, wherever they stand: for nodes that a person has dragged out of the columns.

The simple curve is kept where it is free. Otherwise the shortest way over the corners of the boxes in between is looked
for (a visibility graph, Lozano-Pérez & Wesley 1979); only boxes that a way was seen to cross are taken into it, so
that a graph of thousands of boxes costs what the few in the way cost. Its corners are rounded as far as they can be:
a rounded corner stays inside the triangle of its control points, and no box reaches into that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.graph.picture import Curve, Point

Rect = tuple[float, float, float, float]
"""left, top, right, bottom"""

CLEARANCES = ((9.0, 14), (5.0, 24), (2.0, 60))
"""Distances of a route from boxes, scene pixels, tried in order, and the maximum number of boxes in each search: routes
closer to the boxes are found faster. With more boxes than the last, the simple curve crosses them.
"""
LEAST_CLEARANCE = 2.0
STUB = 5.0
"""So much further than the clearance a way that goes around boxes leaves and arrives level."""
REACH = 30.0
"""Least length of the level start and end of a simple curve."""
PIECES = 32
"""So many pieces of a curve are compared with the boxes."""
ROUNDING = 60.0
"""A corner is rounded from so far away at most."""
MOST_ROUNDS = 30
MOST_COMPARISONS, ONE_LOOK = 300_000, 3_000
"""Of lines of sight with rectangles, for edges that are led together: 30 ms. One look at many lines takes as long as so
many comparisons, besides those."""


class SearchBudget:
    """Remaining work for route searches; shared by the edges of one call, so that many edges, such as those of a leaf
    used everywhere, take no longer than a few.

    Attributes:
        left: lines of sight that may still be compared with rectangles; below 0 when all is spent.
    """

    def __init__(self, left: int = MOST_COMPARISONS) -> None:
        self.left = left


class Obstacles:
    """The rectangles that edges shall not touch."""

    def __init__(self, rects: Sequence[Rect] | np.ndarray) -> None:
        """Takes rectangles of any number, (left, top, right, bottom) in scene pixels."""
        self._rects = np.array(rects, dtype=float).reshape(-1, 4)

    def grown(self, by: float) -> Obstacles:
        """The same, larger on every side."""
        return Obstacles(self._rects + np.array([-by, -by, by, by]))

    def __getitem__(self, row: int) -> Rect:
        left, top, right, bottom = map(float, self._rects[row])
        return left, top, right, bottom

    def crossed_by(self, line: Sequence[Point]) -> set[int]:
        """Rows of those whose inside a polyline enters."""
        found: set[int] = set()
        for start, end in pairwise(np.array(line, dtype=float)):
            found.update(np.flatnonzero(_entered(self._rects, start, end)).tolist())
        return found

    def touched_by(self, curve: Curve) -> bool:
        """Whether a curve might enter one: judged by the boxes around its pieces, so never falsely denied."""
        return bool(self.touched(np.array([curve], dtype=float))[0])

    def touched(self, curves: np.ndarray) -> np.ndarray:
        """The same for many curves: their control points (n, 4, 2) give (n,) truth values."""
        boxes = _boxes_around(curves)[..., None]
        left, top, right, bottom = self._rects.T
        across = (boxes[..., 0, :] < right) & (boxes[..., 2, :] > left)
        down = (boxes[..., 1, :] < bottom) & (boxes[..., 3, :] > top)
        return np.asarray((across & down).any(axis=(1, 2)))

    def without(self, rows: Sequence[int]) -> Obstacles:
        """All but some rows."""
        return Obstacles(np.delete(self._rects, rows, axis=0))

    def hold(self, point: Point) -> bool:
        """True when a point is inside one of the rectangles."""
        x, y = point
        rects = self._rects
        return bool(((rects[:, 0] < x) & (x < rects[:, 2]) & (rects[:, 1] < y) & (y < rects[:, 3])).any())


@dataclass(frozen=True)
class Ends:
    """Start and end of an edge, and their boxes.

    Attributes:
        start, end: on the right side of one box and the left side of the other; top-down: below and above.
        downwards: whether edges leave boxes below rather than at the right.
        spread: how far the outermost of parallel lines is from their middle, scene pixels.
    """

    start: Point
    end: Point
    downwards: bool = False
    spread: float = 0.0


def simple_curve(ends: Ends) -> Curve:
    """One curve with level ends, whatever stands in between."""
    (x0, y0), (x1, y1) = ends.start, ends.end
    if ends.downwards:
        reach = _reach(y1 - y0)
        return ends.start, (x0, y0 + reach), (x1, y1 - reach), ends.end
    reach = _reach(x1 - x0)
    return ends.start, (x0 + reach, y0), (x1 - reach, y1), ends.end


def _reach(gap: float) -> float:
    return gap / 2 if 0 <= gap < 2 * REACH else max(REACH, abs(gap) / 2)


def route(ends: Ends, own: Sequence[Rect], others: Obstacles, budget: SearchBudget | None = None) -> tuple[Curve, ...]:
    """A smooth way from start to end that enters no box.

    Args:
        own: the boxes of the two ends, which it only leaves and enters at its ends.
        others: all other boxes.
        budget: what may be spent on it; as much as one edge may take when None.

    Returns:
        the pieces of the way; the simple curve where it is free, where there is no way at all (an end inside another
        box, or walled in), and where none was found before the budget was spent.
    """
    budget = budget or SearchBudget()
    if budget.left < 0:
        return (simple_curve(ends),)
    simple = simple_curve(ends)
    near = Obstacles([_shrunk(rect) for rect in own])
    is_free = not (others.grown(ends.spread + LEAST_CLEARANCE).touched_by(simple) or near.touched_by(simple))
    if is_free:
        return (simple,)
    for clearance, most_boxes in CLEARANCES:
        line = _line_around(ends, own, others, clearance + ends.spread, most_boxes, budget)
        if line is not None:
            rounded = _rounded(line, [near, others.grown(ends.spread + min(1.0, clearance / 2))])
            return tuple(rounded)
    return (simple,)


def _shrunk(rect: Rect) -> Rect:
    """A box that the ends of its edges do not touch."""
    left, top, right, bottom = rect
    margin = 0.01
    return left + margin, top + margin, right - margin, bottom - margin


def _line_around(
    ends: Ends, own: Sequence[Rect], others: Obstacles, clearance: float, most_boxes: int, budget: SearchBudget
) -> list[Point] | None:
    """The corners of a way that stays clear of all boxes, level ends included; None when there is none."""
    start, end = _stubs(ends, clearance + STUB)
    grown, stubs = others.grown(clearance), ([ends.start, start], [end, ends.end])
    boxes, walls = Obstacles(own), Obstacles(own).grown(clearance)
    if grown.hold(start) or grown.hold(end) or any(grown.crossed_by(one) or boxes.crossed_by(one) for one in stubs):
        return None
    visibility = VisibilityGraph(start, end, budget)
    new = [walls[0], walls[1]]
    rows: set[int] = set()
    for _ in range(MOST_ROUNDS):
        if budget.left < 0:
            return None
        visibility.add(new)
        line = visibility.shortest()
        if line is None:
            return None
        crossed = grown.crossed_by(line) - rows
        if not crossed:
            return [ends.start, *line, ends.end]
        rows |= crossed
        if len(rows) > most_boxes:
            break
        new = [grown[row] for row in sorted(crossed)]
    return None


def _stubs(ends: Ends, length: float) -> tuple[Point, Point]:
    """The ends of the level start and end."""
    (x0, y0), (x1, y1) = ends.start, ends.end
    if ends.downwards:
        return (x0, y0 + length), (x1, y1 - length)
    return (x0 + length, y0), (x1 - length, y1)


class VisibilityGraph:
    """Visibility between two ends and the corners of rectangles, and the shortest path between the ends.

    Rectangles are added bit by bit: what was found out about those before stays true.
    """

    def __init__(self, start: Point, end: Point, budget: SearchBudget) -> None:
        self._budget = budget
        self._points = np.array([start, end], dtype=float)
        self._outward = np.zeros((2, 2))
        self._rects = np.empty((0, 4))
        self._seen = ~np.eye(2, dtype=bool)

    def add(self, rects: Sequence[Rect]) -> None:
        """Takes rectangles that block the sight and whose corners a way may turn around."""
        new = np.array(rects, dtype=float).reshape(-1, 4)
        old = len(self._points)
        self._look(np.argwhere(self._seen), new)
        self._rects = np.concatenate([self._rects, new])
        corners = [(corner, side) for rect in new for corner, side in _corners(rect)]
        self._points = np.concatenate([self._points, [corner for corner, _ in corners]])
        self._outward = np.concatenate([self._outward, [side for _, side in corners]])
        grown = np.zeros((len(self._points), len(self._points)), dtype=bool)
        grown[:old, :old] = self._seen
        grown[old:, :] = True
        self._seen = grown & ~np.eye(len(grown), dtype=bool)
        self._keep_tangents(old)
        self._look(np.argwhere(self._seen[old:]) + np.array([old, 0]), self._rects)
        self._seen[:old, old:] = self._seen[old:, :old].T
        self._seen[old:, old:] &= self._seen[old:, old:].T

    def _look(self, pairs: np.ndarray, rects: np.ndarray) -> None:
        """Ends the sight between those pairs of points that one of the rectangles stands between."""
        self._budget.left -= (ONE_LOOK + len(pairs)) * len(rects)
        starts, ends = self._points[pairs[:, 0]], self._points[pairs[:, 1]]
        blocked = np.zeros(len(pairs), dtype=bool)
        for rect in rects:
            left = np.flatnonzero(~blocked)
            blocked[left] = _entered(rect, starts[left], ends[left])
        hidden = pairs[blocked]
        self._seen[hidden[:, 0], hidden[:, 1]] = False

    def _keep_tangents(self, first: int) -> None:
        """A shortest way turns around a corner, never away from it: other lines need not be looked at."""
        ways = self._points[None, :, :] - self._points[first:, None, :]
        here, there = self._outward[first:, None, :], self._outward[None, :, :]
        self._seen[first:] &= ~((ways * here > 0).all(axis=-1) | (-ways * there > 0).all(axis=-1))

    def shortest(self) -> list[Point] | None:
        """The corners of the shortest way, ends included; None when there is none (Dijkstra's algorithm)."""
        count = len(self._points)
        best, before = np.full(count, np.inf), np.zeros(count, dtype=int)
        best[0] = 0.0
        waiting = best.copy()
        while (here := int(waiting.argmin())) != 1:
            if not math.isfinite(waiting[here]):
                return None
            waiting[here] = np.inf
            way = np.hypot(*(self._points - self._points[here]).T) + best[here]
            shorter = self._seen[here] & (way < best - 1e-9)
            best[shorter], waiting[shorter], before[shorter] = way[shorter], way[shorter], here
        rows = [1]
        while rows[-1]:
            rows.append(int(before[rows[-1]]))
        return [(float(x), float(y)) for x, y in self._points[rows[::-1]]]


def _corners(rect: np.ndarray) -> Iterator[tuple[Point, Point]]:
    """The corners of a rectangle, each with the direction in which it points."""
    left, top, right, bottom = map(float, rect)
    yield from (((left, top), (-1, -1)), ((right, top), (1, -1)), ((right, bottom), (1, 1)), ((left, bottom), (-1, 1)))


def _entered(rects: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """True for segments that pass through the inside of rectangles (slabs: Kay & Kajiya 1986); touching a side is
    allowed.

    Args:
        rects: (..., 4).
        start, end: (..., 2), with as many dimensions in front.
    """
    margin = 1e-7
    way = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (rects[..., :2] + margin - start) / way
        last = (rects[..., 2:] - margin - start) / way
    enter, leave = np.fmin(first, last), np.fmax(first, last)
    level = way == 0
    inside = (start > rects[..., :2] + margin) & (start < rects[..., 2:] - margin)
    enter = np.where(level, np.where(inside, -np.inf, np.inf), enter)
    leave = np.where(level, np.where(inside, np.inf, -np.inf), leave)
    entered: np.ndarray = np.maximum(enter.max(axis=-1), 0.0) < np.minimum(leave.min(axis=-1), 1.0)
    return entered


def _boxes_around(curves: np.ndarray) -> np.ndarray:
    """Rectangles (n, PIECES, 4) that together hold each curve (n, 4, 2): around the control points of its pieces."""
    begin = np.linspace(0.0, 1.0, PIECES, endpoint=False)[:, None]
    pieces = np.stack([_blossom(curves, begin, begin + 1 / PIECES, n_late) for n_late in range(4)])
    return np.concatenate([pieces.min(axis=0), pieces.max(axis=0)], axis=-1)


def _blossom(curves: np.ndarray, begin: np.ndarray, end: np.ndarray, n_late: int) -> np.ndarray:
    """Control point number `n_late` of the pieces between two parameters, by de Casteljau's steps."""
    row = [curves[:, index, None, :] for index in range(4)]
    for step in range(3):
        t = end if step < n_late else begin
        row = [(1 - t) * a + t * b for a, b in pairwise(row)]
    result: np.ndarray = row[0]
    return result


def _rounded(line: Sequence[Point], obstacles: Sequence[Obstacles]) -> Iterator[Curve]:
    """The pieces of a polyline with its corners rounded."""
    line = [point for index, point in enumerate(line) if index == 0 or math.dist(point, line[index - 1]) > 1e-9]
    here = line[0]
    for before, corner, after in zip(line, line[1:], line[2:], strict=False):
        room = min(ROUNDING, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        entry, leave = _fitting(before, corner, after, room, obstacles)
        if math.dist(here, entry) > 1e-9:
            yield _straight(here, entry)
        if math.dist(entry, leave) > 1e-9:
            yield entry, _between(entry, corner, 2 / 3), _between(leave, corner, 2 / 3), leave
        here = leave
    yield _straight(here, line[-1])


def _fitting(
    before: Point, corner: Point, after: Point, room: float, obstacles: Sequence[Obstacles]
) -> tuple[Point, Point]:
    """Start and end of a rounded corner: as far from it as no box reaches into the triangle."""
    while room > 0.5:
        entry, leave = _towards(corner, before, room), _towards(corner, after, room)
        curve = (entry, _between(entry, corner, 2 / 3), _between(leave, corner, 2 / 3), leave)
        if not any(one.touched_by(curve) for one in obstacles):
            return entry, leave
        room *= 0.7
    return corner, corner


def _towards(start: Point, end: Point, length: float) -> Point:
    return _between(start, end, length / math.dist(start, end))


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _straight(start: Point, end: Point) -> Curve:
    return start, _between(start, end, 1 / 3), _between(start, end, 2 / 3), end
