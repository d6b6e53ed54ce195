"""The one optimiser behind layers and coordinates: network simplex on convex, piecewise linear arcs.

Every vertex has a coordinate ``y``; every arc (u, v) has a cost that depends on ``d = y[v] - y[u]`` alone and has one
breakpoint: its slope is ``low`` where ``d`` is under ``length`` and ``high`` above. With ``low = -inf`` the arc is a
constraint ``d >= length``. The sum of all costs is minimised. Three uses:

* ranks: ``length 1, low -inf, high weight`` (Gansner, Koutsofios, North and Vo, IEEE TSE 19(3), 1993, section 2.3);
* straight edges: ``length 0, low -weight, high weight``, the cost ``weight * |d|``;
* distances: ``length separation, low -inf, high 0``.

The state is a spanning tree of arcs at their breakpoints. An arc whose cut value says that its subtree should move
leaves the tree, the subtree moves past breakpoints as long as that pays (the "long step" rule of piecewise linear
programming), and the arc it stops at enters the tree. Every state on the way is feasible, so that stopping early is
safe. Arcs are scanned in a fixed order: the result depends on the input alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from engine.layout.result import CancelCheck, raise_if_cancelled

Arc = tuple[int, int, float, float, float]
"""``(u, v, length, low, high)``."""

_EPS = 1e-7
_CANDIDATES = 4
MAX_BREAKPOINTS = 2_000_000
"""Breakpoints that one problem looks at before it stops where it is: seconds in a dense graph; others need 50,000."""


class NetworkSimplex:
    """A problem with its current solution.

    Attributes:
        y: the coordinate of every vertex; feasible at any time.
        optimal: True when `solve` came to the end.
    """

    def __init__(self, arcs: Sequence[Arc], start: Sequence[float]):
        """Take over a feasible start.

        Args:
            arcs: the arcs; their vertices are indices into `start`.
            start: a coordinate for every vertex that satisfies every constraint.
        """
        self.arcs = arcs
        self.y = list(start)
        self.optimal = False
        self._breakpoints_left = MAX_BREAKPOINTS
        self._root = len(start)
        # for every vertex its arcs: number, other end, and True when the arc comes in
        self._at: list[list[tuple[int, int, bool]]] = [[] for _ in start]
        for number, (u, v, *_) in enumerate(arcs):
            self._at[u].append((number, v, False))
            self._at[v].append((number, u, True))
        self._high = [self.y[v] - self.y[u] >= length - _EPS for u, v, length, _, _ in arcs]
        self._parent = [self._root] * len(start)
        self._parent_arc = [-1] * len(start)
        self._children: list[list[int]] = [[] for _ in range(len(start) + 1)]
        self._cut_value = [0.0] * (len(start) + 1)
        self._build_tree()

    def solve(self, pivots: int, cancelled: CancelCheck | None = None) -> None:
        """Improve until nothing does, at most `pivots` times, or until `MAX_BREAKPOINTS` have been looked at."""
        scan = 0
        for count in range(pivots):
            if count % 64 == 0:
                raise_if_cancelled(cancelled)
            if self._breakpoints_left <= 0:
                return
            scan, vertex, sign = self._leaving(scan)
            if not sign:
                self.optimal = True
                return
            self._pivot(vertex, sign)

    def _build_tree(self) -> None:
        """Make a forest of arcs at their breakpoints, join its trees at the root, and add up all cut values."""
        seen = [False] * len(self.y)
        order: list[int] = []
        for start in range(len(self.y)):
            if seen[start]:
                continue
            seen[start] = True
            self._children[self._root].append(start)
            tree = [start]
            for here in tree:
                for number, there, _ in self._at[here]:
                    u, v, length, _, _ = self.arcs[number]
                    if not seen[there] and abs(self.y[v] - self.y[u] - length) <= _EPS:
                        seen[there] = True
                        self._parent[there] = here
                        self._parent_arc[there] = number
                        self._children[here].append(there)
                        tree.append(there)
            order += tree
        in_tree = set(self._parent_arc)
        for number, (u, v, _, low, high) in enumerate(self.arcs):
            if number not in in_tree:
                slope = high if self._high[number] else low
                self._cut_value[v] += slope
                self._cut_value[u] -= slope
        for vertex in reversed(order):
            self._cut_value[self._parent[vertex]] += self._cut_value[vertex]

    def _gain(self, vertex: int) -> float:
        """Rate of cost decrease when the subtree moves away from its parent: > 0 upwards (+y), < 0 downwards."""
        value = self._cut_value[vertex]
        number = self._parent_arc[vertex]
        if number < 0:
            return -value if abs(value) > _EPS else 0.0
        _, v, _, low, high = self.arcs[number]
        up, down = (value + high, value + low) if v == vertex else (value - low, value - high)
        if up < -_EPS:
            return -up
        return -down if down > _EPS else 0.0

    def _leaving(self, scan: int) -> tuple[int, int, int]:
        """The best of the next few subtrees that want to move, and its direction (0 when none does)."""
        size = len(self.y)
        best, chosen, found = 0.0, -1, 0
        for step in range(size):
            vertex = (scan + step) % size
            gain = self._gain(vertex)
            if gain:
                found += 1
                if abs(gain) > abs(best) + _EPS:
                    best, chosen = gain, vertex
                if found >= _CANDIDATES:
                    break
        return (scan + step + 1) % size if size else 0, chosen, (best > 0) - (best < 0)

    def _pivot(self, vertex: int, sign: int) -> None:
        """Move a subtree in a direction, as far as that pays, and hang it by the arc that it stops at."""
        moved = [vertex]
        for member in moved:
            moved.extend(self._children[member])
        slope = -abs(self._gain(vertex))
        passed, entering, distance = self._passed_breakpoints(vertex, moved, sign, slope)
        for member in moved:
            self.y[member] += sign * distance
        self._release(vertex, sign)
        for number in passed:  # these arcs are now on the other side of their breakpoint
            u, v, _, low, high = self.arcs[number]
            change = low - high if self._high[number] else high - low
            self._high[number] = not self._high[number]
            self._add_cut_value(v, change)
            self._add_cut_value(u, -change)
        self._attach(vertex, set(moved), entering)

    def _passed_breakpoints(
        self, vertex: int, moved: list[int], sign: int, slope: float
    ) -> tuple[list[int], int, float]:
        """Walk over the breakpoints of the arcs around a moving subtree until it no longer pays."""
        inside, own, up, y = set(moved), self._parent_arc[vertex], sign > 0, self.y
        breakpoints: list[tuple[float, int]] = []
        for member in moved:
            for number, other, comes_in in self._at[member]:
                if other not in inside and number != own and (comes_in == up) != self._high[number]:
                    stretch = y[member] - y[other] if comes_in else y[other] - y[member]
                    breakpoints.append((abs(self.arcs[number][2] - stretch), number))
        breakpoints.sort()
        self._breakpoints_left -= len(breakpoints)
        count = 0
        while slope < -_EPS:  # which ends, since no cost falls for ever
            distance, number = breakpoints[count]
            slope += self.arcs[number][4] - self.arcs[number][3]
            count += 1
        return [passed for _, passed in breakpoints[: count - 1]], number, distance

    def _release(self, vertex: int, sign: int) -> None:
        """Let the parent arc of a subtree that has moved be an ordinary one, on the side it was moved to."""
        number = self._parent_arc[vertex]
        if number < 0:
            return
        _, v, _, low, high = self.arcs[number]
        self._high[number] = (v == vertex) == (sign > 0)
        slope = high if self._high[number] else low
        self._cut_value[vertex] += slope if v == vertex else -slope

    def _add_cut_value(self, vertex: int, amount: float) -> None:
        cut_value, parent, root = self._cut_value, self._parent, self._root
        while vertex != root:
            cut_value[vertex] += amount
            vertex = parent[vertex]

    def _attach(self, vertex: int, inside: set[int], entering: int) -> None:
        """Move a subtree to the other end of the entering arc, turned over so that it hangs by that arc."""
        u, v, _, low, high = self.arcs[entering]
        slope = high if self._high[entering] else low
        self._add_cut_value(v, -slope if slope != -inf else 0.0)
        self._add_cut_value(u, slope if slope != -inf else 0.0)
        own, other = (u, v) if u in inside else (v, u)
        self._cut(vertex)
        total = self._cut_value[vertex]
        below, hanging_from, arc = own, other, entering
        carried = 0.0
        while True:
            above, above_arc, old = self._parent[below], self._parent_arc[below], self._cut_value[below]
            self._cut_value[below] = total - carried
            carried = old
            if below != vertex:
                self._children[above].remove(below)
            self._hang(below, hanging_from, arc)
            if below == vertex:
                break
            below, hanging_from, arc = above, below, above_arc
        self._add_cut_value(other, total)

    def _cut(self, vertex: int) -> None:
        parent = self._parent[vertex]
        self._children[parent].remove(vertex)
        if parent != self._root:
            self._add_cut_value(parent, -self._cut_value[vertex])

    def _hang(self, vertex: int, parent: int, arc: int) -> None:
        self._parent[vertex] = parent
        self._parent_arc[vertex] = arc
        self._children[parent].append(vertex)
