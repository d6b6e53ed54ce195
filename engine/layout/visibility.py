"""Routes around boxes: the shortest way over their corners, found in a visibility graph (Lozano-Pérez & Wesley 1979).

Only boxes that a way was seen to cross are taken into the graph, so that a drawing of thousands of boxes costs what the
few in the way cost. Corners are rounded as far as they can be: a rounded corner stays inside the triangle of its
control points, and no box reaches into that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engine.layout.result import Cubic, Point, straight

Rect = tuple[float, float, float, float]
"""left, top, right, bottom"""

CLEARANCES = ((9.0, 14), (5.0, 24), (2.0, 60))
"""Distances of a route from boxes, scene pixels, to be tried in order, and the maximum number of boxes in each search:
routes closer to the boxes are found faster.
"""
PIECES = 32
"""Number of pieces of a curve that are compared with boxes."""
MOST_ROUNDS = 30
MOST_COMPARISONS, ONE_LOOK = 300_000, 3_000
"""Comparisons of lines of sight with boxes for one budget (30 ms), and the fixed cost of one look at many lines."""


class SearchBudget:
    """Remaining work for route searches; shared by the edges of one call, so that many edges, such as those of a leaf
    used everywhere, take no longer than a few.

    Attributes:
        left: lines of sight that may still be compared with boxes; below 0 when all is spent.
    """

    def __init__(self, left: int = MOST_COMPARISONS) -> None:
        self.left = left


class Obstacles:
    """Boxes that edges must not touch: rectangles (left, top, right, bottom) in scene pixels."""

    def __init__(self, rects: Sequence[Rect] | np.ndarray) -> None:
        self._rects = np.array(rects, dtype=float).reshape(-1, 4)

    def __getitem__(self, row: int) -> Rect:
        left, top, right, bottom = map(float, self._rects[row])
        return left, top, right, bottom

    def grown(self, by: float) -> Obstacles:
        """The same boxes, larger on every side."""
        return Obstacles(self._rects + np.array([-by, -by, by, by]))

    def without(self, rows: Sequence[int]) -> Obstacles:
        """All boxes but some."""
        return Obstacles(np.delete(self._rects, rows, axis=0))

    def near(self, points: Sequence[Point]) -> Obstacles:
        """The boxes that reach into the rectangle around some points."""
        (left, top), (right, bottom) = np.min(points, axis=0), np.max(points, axis=0)
        rects = self._rects
        inside = (rects[:, 0] < right) & (rects[:, 2] > left) & (rects[:, 1] < bottom) & (rects[:, 3] > top)
        return Obstacles(rects[inside])

    def entered(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Mask (n, n_boxes) of the boxes whose inside each of n segments enters; `starts` and `ends` are (n, 2)."""
        return _entered(self._rects, starts[:, None], ends[:, None])

    def crossed_by(self, line: Sequence[Point]) -> set[int]:
        """Rows of the boxes whose inside a polyline enters."""
        found: set[int] = set()
        for start, end in pairwise(np.array(line, dtype=float)):
            found.update(np.flatnonzero(_entered(self._rects, start, end)).tolist())
        return found

    def touched_by(self, curve: Cubic) -> bool:
        """True when a curve may enter a box; never falsely False."""
        return bool(self.touched(np.array([curve], dtype=float))[0])

    def touched(self, curves: np.ndarray) -> np.ndarray:
        """Mask (n,) of the curves that may enter a box, judged by the bounds of their pieces.

        Args:
            curves: control points, (n, 4, 2).
        """
        begin = np.linspace(0.0, 1.0, PIECES, endpoint=False)[:, None]
        points = np.stack([_blossom(curves, begin, begin + 1 / PIECES, n_late) for n_late in range(4)])
        low, high = points.min(axis=0)[..., None], points.max(axis=0)[..., None]
        left, top, right, bottom = self._rects.T
        across = (low[..., 0, :] < right) & (high[..., 0, :] > left)
        down = (low[..., 1, :] < bottom) & (high[..., 1, :] > top)
        return np.asarray((across & down).any(axis=(1, 2)))

    def hold(self, point: Point) -> bool:
        """True when a point is inside a box."""
        x, y = point
        rects = self._rects
        return bool(((rects[:, 0] < x) & (x < rects[:, 2]) & (rects[:, 1] < y) & (y < rects[:, 3])).any())


def shortest_way(
    start: Point,
    end: Point,
    obstacles: Obstacles,
    budget: SearchBudget,
    most_boxes: int,
    walls: Sequence[Rect] = (),
) -> list[Point] | None:
    """The corners of the shortest way between two points that enters no box, both points included.

    Args:
        start, end: the points.
        obstacles: the boxes; a way may touch them.
        budget: remaining work.
        most_boxes: maximum number of boxes that the search takes into account.
        walls: boxes that are in the way from the beginning.

    Returns:
        None when there is no way, or when none was found within the budget.
    """
    visibility = VisibilityGraph(start, end, budget)
    new, rows = list(walls), set[int]()
    for _ in range(MOST_ROUNDS):
        if budget.left < 0:
            return None
        visibility.add(new)
        line = visibility.shortest()
        if line is None:
            return None
        crossed = obstacles.crossed_by(line) - rows
        if not crossed:
            return line
        rows |= crossed
        if len(rows) > most_boxes:
            return None
        new = [obstacles[row] for row in sorted(crossed)]
    return None


class VisibilityGraph:
    """Visibility between two ends and the corners of boxes, and the shortest path between the ends.

    Boxes are added bit by bit: what was found out about those before stays true.
    """

    def __init__(self, start: Point, end: Point, budget: SearchBudget) -> None:
        self._budget = budget
        self._points = np.array([start, end], dtype=float)
        self._outward = np.zeros((2, 2))
        self._rects = np.empty((0, 4))
        self._seen = ~np.eye(2, dtype=bool)

    def add(self, rects: Sequence[Rect]) -> None:
        """Add boxes that block the sight and whose corners a way may turn around."""
        new = np.array(rects, dtype=float).reshape(-1, 4)
        old = len(self._points)
        self._look(np.argwhere(self._seen), new)
        self._rects = np.concatenate([self._rects, new])
        corners = new[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
        outward = np.tile(np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]), (len(new), 1))
        self._points = np.concatenate([self._points, corners])
        self._outward = np.concatenate([self._outward, outward])
        grown = np.zeros((len(self._points), len(self._points)), dtype=bool)
        grown[:old, :old] = self._seen
        grown[old:, :] = True
        self._seen = grown & ~np.eye(len(grown), dtype=bool)
        # a shortest way turns around a corner, never away from it: other lines need not be looked at
        ways = self._points[None, :, :] - self._points[old:, None, :]
        here, there = self._outward[old:, None, :], self._outward[None, :, :]
        self._seen[old:] &= ~((ways * here > 0).all(axis=-1) | (-ways * there > 0).all(axis=-1))
        self._look(np.argwhere(self._seen[old:]) + np.array([old, 0]), self._rects)
        self._seen[:old, old:] = self._seen[old:, :old].T
        self._seen[old:, old:] &= self._seen[old:, old:].T

    def _look(self, pairs: np.ndarray, rects: np.ndarray) -> None:
        """End the sight between pairs of points that a box stands between."""
        self._budget.left -= (ONE_LOOK + len(pairs)) * len(rects)
        starts, ends = self._points[pairs[:, 0]], self._points[pairs[:, 1]]
        blocked = np.zeros(len(pairs), dtype=bool)
        for rect in rects:
            left = np.flatnonzero(~blocked)
            blocked[left] = _entered(rect, starts[left], ends[left])
        hidden = pairs[blocked]
        self._seen[hidden[:, 0], hidden[:, 1]] = False

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


def rounded(line: Sequence[Point], obstacles: Sequence[Obstacles], rounding: float) -> Iterator[Cubic]:
    """The pieces of a polyline with its corners rounded.

    Args:
        line: the corners, ends included.
        obstacles: boxes that rounded corners must not touch.
        rounding: greatest distance from a corner at which its rounding begins, scene pixels.
    """
    line = [point for index, point in enumerate(line) if index == 0 or math.dist(point, line[index - 1]) > 1e-9]
    here = line[0]
    for before, corner, after in zip(line, line[1:], line[2:], strict=False):
        room = min(rounding, math.dist(before, corner) / 2, math.dist(corner, after) / 2)
        while room > 0.5:
            entry = between(corner, before, room / math.dist(corner, before))
            leave = between(corner, after, room / math.dist(corner, after))
            curve = (entry, between(entry, corner, 2 / 3), between(leave, corner, 2 / 3), leave)
            if not any(boxes.touched_by(curve) for boxes in obstacles):
                if math.dist(here, entry) > 1e-9:
                    yield straight(here, entry)
                yield curve
                here = leave
                break
            room *= 0.7
        else:
            yield straight(here, corner)
            here = corner
    yield straight(here, line[-1])


def between(a: Point, b: Point, share: float) -> Point:
    """The point at a share of the way from one point to another."""
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _entered(rects: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Mask of segments that pass through the inside of rectangles (slabs: Kay & Kajiya 1986); touching a side is
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


def _blossom(curves: np.ndarray, begin: np.ndarray, end: np.ndarray, n_late: int) -> np.ndarray:
    """Control point number `n_late` of the pieces between two parameters, by de Casteljau's steps."""
    row = [curves[:, index, None, :] for index in range(4)]
    for step in range(3):
        t = end if step < n_late else begin
        row = [(1 - t) * a + t * b for a, b in pairwise(row)]
    result: np.ndarray = row[0]
    return result
