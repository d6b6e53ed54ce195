"""Ways around boxes for straight edges: where a line would run under a box that is none of its ends, it bends.

The shortest way over the corners of the boxes in between is looked for (a visibility graph, Lozano-Pérez & Wesley
1979). Only boxes that a way was seen to cross are taken into it: an edge costs what the few in its way cost. Where
boxes stand in columns, ways go through the gaps of these instead: there are always some, however many boxes there are.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from engine.layout.result import Cubic, Point
from engine.layout.routes import straight

CLEARANCE = 8.0
"""Distance of a route from the boxes it avoids, scene pixels; less than half of the space between two boxes."""
ROUNDING = 10.0
"""A corner is rounded from so far away at most: the curve stays outside of the box."""
MOST_ROUNDS = 10
MOST_BOXES = 14
"""In the way of one edge: with more of them it stays straight."""
LOOKED_AHEAD = 8
"""So many points of a way through columns are left out at most where a straight line is free."""
MOST_COMPARISONS = 40_000_000
"""Of lines with boxes, for all edges of a drawing: about a second. What is left over stays straight."""
_STEEP = 1e18


class Boxes:
    """The rectangles that edges go around.

    Attributes:
        compared: how many lines were compared with rectangles so far.
    """

    def __init__(self, rects: np.ndarray, columns: Sequence[tuple[float, float]] = ()) -> None:
        """Takes rectangles (n, 4): left, top, right, bottom; and the left and right ends of columns they stand in."""
        self._rects = np.asarray(rects, dtype=float).reshape(-1, 4)
        self._from_left = np.argsort(self._rects[:, 0])
        self._lefts = self._rects[self._from_left, 0]
        self._widest = float((self._rects[:, 2] - self._rects[:, 0]).max()) if len(self._rects) else 0.0
        self._columns = [(left, right, _covered(self._rects, left, right)) for left, right in columns]
        self.compared = 0

    def crossed(self, starts: np.ndarray, ends: np.ndarray, rows: Sequence[int] | None = None) -> np.ndarray:
        """Mask (n, m) of the n lines that enter each of the m rectangles.

        Args:
            starts, ends: of the lines, (n, 2).
            rows: of the rectangles that are looked at; all when None.
        """
        rects = self._rects if rows is None else self._rects[list(rows)]
        self.compared += len(starts) * len(rects)
        low, high = rects[None, :, :2], rects[None, :, 2:]
        way = ends - starts
        with np.errstate(divide="ignore"):
            share = np.where(way == 0, _STEEP, 1 / way)[:, None, :]
        one, two = (low - starts[:, None, :]) * share, (high - starts[:, None, :]) * share
        enters, leaves = np.minimum(one, two).max(axis=2), np.maximum(one, two).min(axis=2)
        return np.asarray(np.maximum(enters, 0.0) + 1e-9 < np.minimum(leaves, 1.0))

    def way(self, start: Point, end: Point, own: Sequence[int]) -> list[Point]:
        """The corners of a way between two points, both included; the straight line where it is free.

        Args:
            start, end: inside of the two boxes at its ends.
            own: their rows; they are not in the way.
        """
        if self._columns:
            return self._shortened(self._through_columns(start, end), own)
        line, known = [start, end], set[int]()
        for _ in range(MOST_ROUNDS if self.compared < MOST_COMPARISONS else 0):
            met = set(np.flatnonzero(self.crossed(np.array(line[:-1]), np.array(line[1:])).any(axis=0)).tolist())
            if not met - set(own):
                return line
            known |= met - set(own)
            found = None if len(known) > MOST_BOXES else self._shortest(start, end, sorted(known))
            if found is None:
                break
            line = found
        return [start, end]

    def _through_columns(self, start: Point, end: Point) -> list[Point]:
        """Level through the gap of each column that is nearest to the straight line; straight without columns."""
        line = [start]
        for left, right, covered in self._columns:
            if left <= start[0] <= right:
                line.append((right + CLEARANCE, start[1]))
            elif left <= end[0] <= right:
                line.append((left - CLEARANCE, end[1]))
            elif start[0] < left and right < end[0]:
                share = ((left + right) / 2 - start[0]) / (end[0] - start[0])
                level = _nearest_gap(covered, start[1] + share * (end[1] - start[1]))
                line += [(left - CLEARANCE, level), (right + CLEARANCE, level)]
        return [*line, end]

    def _shortened(self, line: list[Point], own: Sequence[int]) -> list[Point]:
        """Without the points that a free straight line makes needless."""
        kept, at = [line[0]], 0
        while at < len(line) - 1:
            ahead = line[at + 1 : at + 1 + LOOKED_AHEAD]
            near = [row for row in self._between(line[at : at + 1 + LOOKED_AHEAD]) if row not in own]
            crossed = self.crossed(np.array([line[at]] * len(ahead)), np.array(ahead), near)
            free = np.flatnonzero(~crossed.any(axis=1))
            at += 1 + (int(free[-1]) if free.size else 0)
            kept.append(line[at])
        return kept

    def _between(self, points: Sequence[Point]) -> list[int]:
        """The rows of the boxes that stand in the rectangle around some points."""
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        first, last = np.searchsorted(self._lefts, (low[0] - self._widest, high[0]))
        rows = self._from_left[first:last]
        rects = self._rects[rows]
        inside = (rects[:, 2] > low[0]) & (rects[:, 1] < high[1]) & (rects[:, 3] > low[1])
        found: list[int] = rows[inside].tolist()
        return found

    def _shortest(self, start: Point, end: Point, rows: Sequence[int]) -> list[Point] | None:
        """Around some of the boxes, as if there were no others."""
        grown = self._rects[list(rows)] + np.array([-CLEARANCE, -CLEARANCE, CLEARANCE, CLEARANCE])
        corners = grown[:, [0, 1, 2, 1, 0, 3, 2, 3]].reshape(-1, 2)
        points = np.vstack([corners, [start, end]])
        first, second = np.triu_indices(len(points), 1)
        free = ~self.crossed(points[first], points[second], rows).any(axis=1)
        lengths = np.hypot(*(points[first] - points[second]).T)
        ways: list[list[tuple[int, float]]] = [[] for _ in points]
        for a, b, length in zip(first[free].tolist(), second[free].tolist(), lengths[free].tolist(), strict=True):
            ways[a].append((b, length))
            ways[b].append((a, length))
        found = _dijkstra(ways, len(points) - 2, len(points) - 1)
        return None if found is None else [(float(points[number, 0]), float(points[number, 1])) for number in found]


def _covered(rects: np.ndarray, left: float, right: float) -> np.ndarray:
    """From where to where a column is covered by boxes, with the clearance around them: (n, 2), in order."""
    inside = rects[(rects[:, 0] < right) & (rects[:, 2] > left)]
    spans: list[list[float]] = []
    for top, bottom in sorted((inside[:, [1, 3]] + np.array([-CLEARANCE, CLEARANCE])).tolist()):
        if spans and top <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], bottom)
        else:
            spans.append([top, bottom])
    return np.array(spans).reshape(-1, 2)


def _nearest_gap(covered: np.ndarray, level: float) -> float:
    """The level that no box covers which is nearest to another one."""
    over = covered[(covered[:, 0] < level) & (level < covered[:, 1])]
    if not len(over):
        return level
    top, bottom = map(float, over[0])
    return top if level - top < bottom - level else bottom


def _dijkstra(ways: Sequence[Sequence[tuple[int, float]]], start: int, end: int) -> list[int] | None:
    best, before = {start: 0.0}, {start: start}
    waiting = [(0.0, start)]
    while waiting:
        length, number = heapq.heappop(waiting)
        if number == end:
            found = [end]
            while found[-1] != start:
                found.append(before[found[-1]])
            return found[::-1]
        if length > best[number]:
            continue
        for other, way in ways[number]:
            if length + way < best.get(other, np.inf):
                best[other], before[other] = length + way, number
                heapq.heappush(waiting, (length + way, other))
    return None


def rounded(line: Sequence[Point]) -> list[Cubic]:
    """Lines with round corners, as pieces that follow one another."""
    pieces: list[Cubic] = []
    at = line[0]
    for corner, (before, after) in zip(line[1:-1], zip(line[:-2], line[2:], strict=True), strict=True):
        begins, ends = _towards(corner, before), _towards(corner, after)
        pieces += [straight(at, begins), (begins, _between(begins, corner), _between(ends, corner), ends)]
        at = ends
    return [*pieces, straight(at, line[-1])]


def _towards(corner: Point, other: Point) -> Point:
    """Start of a corner's rounding on the line to another corner."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = (dx * dx + dy * dy) ** 0.5
    share = min(ROUNDING / length, 0.45) if length else 0.0
    return corner[0] + share * dx, corner[1] + share * dy


def _between(end: Point, corner: Point) -> Point:
    return end[0] + (corner[0] - end[0]) * 2 / 3, end[1] + (corner[1] - end[1]) * 2 / 3
