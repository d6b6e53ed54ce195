"""The one optimiser behind ranks and coordinates: network simplex on convex, piecewise linear arcs.

Every vertex has a height ``y``; every arc (u, v) has a cost that depends on ``d = y[v] - y[u]`` alone and has one kink:
its slope is ``low`` where ``d`` is under ``length`` and ``high`` above. With ``low = -inf`` the arc is a constraint ``d
>= length``. The sum of all costs is minimised. Three uses:

* ranks: ``length 1, low -inf, high weight`` (Gansner, Koutsofios, North and Vo, IEEE TSE 19(3), 1993, section 2.3);
* straight edges: ``length 0, low -weight, high weight``, the cost ``weight * |d|``;
* distances: ``length separation, low -inf, high 0``.

The state is a spanning tree of arcs at their kinks. A tree arc whose subtree would rather move is taken out, the
subtree moves past kinks as long as that pays (the "long step" rule), and the arc it stops at joins the tree. Every
state on the way is feasible, so that stopping early is safe. Arcs are scanned in a fixed order: the result depends on
the input alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from engine.layout.placed import Poll, check

Arc = tuple[int, int, float, float, float]
"""``(u, v, length, low, high)``."""

_EPS = 1e-7
_CANDIDATES = 4
MOST_KINKS = 2_000_000
"""Kinks that one problem looks at before it stops where it is: some seconds in a dense graph; others need 50,000."""


class Tension:
    """A problem with its current solution.

    Attributes:
        y: the height of every vertex; feasible at any time.
        optimal: whether `solve` came to the end.
    """

    def __init__(self, arcs: Sequence[Arc], start: Sequence[float]):
        """Take over a feasible start.

        Args:
            arcs: the arcs; their vertices are indices into `start`.
            start: a height for every vertex that satisfies every constraint.
        """
        self.arcs = arcs
        self.y = list(start)
        self.optimal = False
        self._kinks_left = MOST_KINKS
        self._root = len(start)
        self._at: list[list[tuple[int, int, bool]]] = [
            [] for _ in start
        ]  # number, other end, whether that arc comes in
        for number, (u, v, *_) in enumerate(arcs):
            self._at[u].append((number, v, False))
            self._at[v].append((number, u, True))
        self._high = [self.y[v] - self.y[u] >= length - _EPS for u, v, length, _, _ in arcs]
        self._parent = [self._root] * len(start)
        self._parent_arc = [-1] * len(start)
        self._children: list[list[int]] = [[] for _ in range(len(start) + 1)]
        self._pull = [0.0] * (len(start) + 1)
        self._plant()

    def solve(self, pivots: int, cancelled: Poll | None = None) -> None:
        """Improve until nothing does, for so many pivots, or until `MOST_KINKS` have been looked at."""
        scan = 0
        for count in range(pivots):
            if count % 64 == 0:
                check(cancelled)
            if self._kinks_left <= 0:
                return
            scan, vertex, sign = self._leaving(scan)
            if not sign:
                self.optimal = True
                return
            self._pivot(vertex, sign)

    def slope(self, number: int) -> float:
        """The slope at which an arc is used: between its low and its high one if it is in the tree."""
        u, v, _, low, high = self.arcs[number]
        if self._parent_arc[v] == number:
            return -self._pull[v]
        if self._parent_arc[u] == number:
            return self._pull[u]
        return high if self._high[number] else low

    def _plant(self) -> None:
        """Grow a forest of arcs at their kinks, hang its trees on the root, and sum up what pulls at every subtree."""
        seen = [False] * len(self.y)
        order: list[int] = []
        for start in range(len(self.y)):
            if not seen[start]:
                seen[start] = True
                self._children[self._root].append(start)
                self._grow(start, seen, order)
        in_tree = set(self._parent_arc)
        for number, (u, v, _, low, high) in enumerate(self.arcs):
            if number not in in_tree:
                slope = high if self._high[number] else low
                self._pull[v] += slope
                self._pull[u] -= slope
        for vertex in reversed(order):
            self._pull[self._parent[vertex]] += self._pull[vertex]

    def _grow(self, start: int, seen: list[bool], order: list[int]) -> None:
        order.append(start)
        position = len(order) - 1
        while position < len(order):
            here = order[position]
            position += 1
            for number, there, _ in self._at[here]:
                u, v, length, _, _ = self.arcs[number]
                if not seen[there] and abs(self.y[v] - self.y[u] - length) <= _EPS:
                    seen[there] = True
                    self._parent[there] = here
                    self._parent_arc[there] = number
                    self._children[here].append(there)
                    order.append(there)

    def _gain(self, vertex: int) -> float:
        """How fast the cost falls when the subtree moves away from its parent: > 0 upwards (+y), < 0 downwards."""
        pull = self._pull[vertex]
        number = self._parent_arc[vertex]
        if number < 0:
            return -pull if abs(pull) > _EPS else 0.0
        _, v, _, low, high = self.arcs[number]
        up, down = (pull + high, pull + low) if v == vertex else (pull - low, pull - high)
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
        moved = self._subtree(vertex)
        slope = -abs(self._gain(vertex))
        passed, entering, distance = self._kinks(vertex, moved, sign, slope)
        for member in moved:
            self.y[member] += sign * distance
        self._release(vertex, sign)
        for number in passed:
            self._flip(number)
        if entering >= 0:
            self._attach(vertex, set(moved), entering)
        else:  # nothing holds it: only a subtree that is free to move anywhere, at no gain
            self._cut(vertex)
            self._hang(vertex, self._root, -1)

    def _subtree(self, vertex: int) -> list[int]:
        found = [vertex]
        for member in found:
            found.extend(self._children[member])
        return found

    def _kinks(self, vertex: int, moved: list[int], sign: int, slope: float) -> tuple[list[int], int, float]:
        """Walk over the kinks of the arcs around a moving subtree until it no longer pays."""
        inside, own, up, y = set(moved), self._parent_arc[vertex], sign > 0, self.y
        kinks: list[tuple[float, int]] = []
        for member in moved:
            for number, other, comes_in in self._at[member]:
                if other not in inside and number != own and (comes_in == up) != self._high[number]:
                    stretch = y[member] - y[other] if comes_in else y[other] - y[member]
                    kinks.append((abs(self.arcs[number][2] - stretch), number))
        kinks.sort()
        self._kinks_left -= len(kinks)
        for count, (distance, number) in enumerate(kinks):
            slope += self.arcs[number][4] - self.arcs[number][3]
            if slope >= -_EPS:
                return [passed for _, passed in kinks[:count]], number, distance
        return [], -1, 0.0

    def _release(self, vertex: int, sign: int) -> None:
        """Let the parent arc of a subtree that has moved be an ordinary one, on the side it was moved to."""
        number = self._parent_arc[vertex]
        if number < 0:
            return
        _, v, _, low, high = self.arcs[number]
        self._high[number] = (v == vertex) == (sign > 0)
        slope = high if self._high[number] else low
        self._pull[vertex] += slope if v == vertex else -slope

    def _flip(self, number: int) -> None:
        u, v, _, low, high = self.arcs[number]
        change = low - high if self._high[number] else high - low
        self._high[number] = not self._high[number]
        self._add_pull(v, change)
        self._add_pull(u, -change)

    def _add_pull(self, vertex: int, amount: float) -> None:
        pull, parent, root = self._pull, self._parent, self._root
        while vertex != root:
            pull[vertex] += amount
            vertex = parent[vertex]

    def _attach(self, vertex: int, inside: set[int], entering: int) -> None:
        """Move a subtree to the other end of the entering arc, turned over so that it hangs by that arc."""
        u, v, _, low, high = self.arcs[entering]
        slope = high if self._high[entering] else low
        self._add_pull(v, -slope if slope != -inf else 0.0)
        self._add_pull(u, slope if slope != -inf else 0.0)
        own, other = (u, v) if u in inside else (v, u)
        self._cut(vertex)
        total = self._pull[vertex]
        below, hanging_from, arc = own, other, entering
        carried = 0.0
        while True:
            above, above_arc, pull = self._parent[below], self._parent_arc[below], self._pull[below]
            self._pull[below] = total - carried
            carried = pull
            if below != vertex:
                self._children[above].remove(below)
            self._hang_only(below, hanging_from, arc)
            if below == vertex:
                break
            below, hanging_from, arc = above, below, above_arc
        self._add_pull(other, total)

    def _cut(self, vertex: int) -> None:
        parent = self._parent[vertex]
        self._children[parent].remove(vertex)
        if parent != self._root:
            self._add_pull(parent, -self._pull[vertex])

    def _hang(self, vertex: int, parent: int, arc: int) -> None:
        self._hang_only(vertex, parent, arc)
        self._add_pull(parent, self._pull[vertex])

    def _hang_only(self, vertex: int, parent: int, arc: int) -> None:
        self._parent[vertex] = parent
        self._parent_arc[vertex] = arc
        self._children[parent].append(vertex)
