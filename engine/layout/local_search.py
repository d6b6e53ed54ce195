"""Iterated local search for an order with few crossings: insertion, re-insertion of paths, and small perturbations that
are kept when they do not hurt (Lourenço, Martin and Stützle, Handbook of Metaheuristics, 2003).

All work is local: after a perturbation only the layers it touched, and those that change with them, are looked at
again.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from engine.layout.insertion import insert
from engine.layout.layering import Layered
from engine.layout.ordering import Adjacency, Ordering, Orders
from engine.layout.reinsertion import Reinsertion, dummy_chains, runs
from engine.layout.result import CancelCheck, raise_if_cancelled

_SWEEPS = 12
_ROUNDS_FOR_NEW = 2


class Moves:
    """Sets of vertices that can move as a whole in any order of a layered graph.

    Attributes:
        adjacency: the graph.
        through: for every layer the paths through it.
        heads: the vertices that alone use others, but not everything; `cone` gives one with all that it alone uses.
    """

    def __init__(self, adjacency: Adjacency):
        self.adjacency = adjacency
        layered = adjacency.layered
        self.through: list[list[list[int]]] = [[] for _ in layered.members]
        for path in (*dummy_chains(layered), *runs(layered)):
            for vertex in path:
                self.through[layered.layer[vertex]].append(path)
        self.heads = _heads(layered)

    def cone(self, head: int) -> set[int]:
        """A vertex and all that is used by it alone; found when asked for, since all cones together may be huge."""
        layered = self.adjacency.layered
        found = [head]
        for vertex in found:
            found += [other for other in layered.predecessors[vertex] if len(layered.successors[other]) == 1]
        return set(found)


class LocalSearch:
    """An order and the means to improve it.

    Attributes:
        layered: the graph.
    """

    def __init__(self, moves: Moves, orders: Orders):
        self._moves = moves
        self.layered = moves.adjacency.layered
        self._ordering = Ordering(moves.adjacency, orders)
        self._paths = Reinsertion(self._ordering)

    @property
    def orders(self) -> Orders:
        """The order as it is now."""
        return self._ordering.orders

    @property
    def crossings(self) -> int:
        """Current number of pairs of segments that cross."""
        return self._ordering.crossings()

    def place_paths(self, paths: Sequence[Sequence[int]], cancelled: CancelCheck | None = None) -> None:
        """Improve the positions of a few paths and of all dummy vertices, but leave the other blocks in their order."""
        movable = [*paths, *dummy_chains(self.layered)]
        for _ in range(_ROUNDS_FOR_NEW):
            if not self._paths.improve(movable, cancelled):
                return

    def improve(self, rounds: int, cancelled: CancelCheck | None = None) -> None:
        """Improve everything until nothing changes, or for so many rounds.

        Args:
            rounds: how many rounds of insertions and re-insertions to make at most.
            cancelled: polled on the way.
        """
        if self.crossings == 0:
            return
        rows = set(range(len(self.orders)))
        insert(self._ordering, rows, _SWEEPS, cancelled)
        self._alternate(rows, rounds, cancelled)

    def perturb(self, rng: random.Random, trials: int, cancelled: CancelCheck | None = None) -> None:
        """Disturb the order somewhere and improve it again, so many times; worse orders are taken back."""
        best = self.crossings
        for trial in range(trials):
            if best == 0:
                return
            raise_if_cancelled(cancelled)
            saved = self._ordering.save()
            insert(self._ordering, self._around(self._disturb(rng, trial)), _SWEEPS, cancelled)
            changed = self._ordering.changed(saved)
            if changed and self.crossings <= best * 1.1 + 3:
                self._alternate(self._around(changed), 2, cancelled)
            crossings = self.crossings
            if crossings <= best:
                best = crossings
            else:
                self._ordering.restore(saved)

    def _alternate(self, rows: set[int], rounds: int, cancelled: CancelCheck | None) -> None:
        """Re-insert the paths through some layers, then insert around what that changed, and so on."""
        for count in range(rounds):
            changed = self._paths.improve(self._touching(rows), cancelled)
            if not changed or count + 1 == rounds:
                return
            rows = insert(self._ordering, self._around(changed), _SWEEPS, cancelled)

    def _around(self, rows: Iterable[int]) -> set[int]:
        """Some layers and their neighbours."""
        size = len(self.orders)
        return {near for row in rows for near in (row - 1, row, row + 1) if 0 <= near < size}

    def _touching(self, rows: Iterable[int]) -> Iterable[list[int]]:
        seen = set()
        for row in sorted(rows):
            for path in self._moves.through[row]:
                if id(path) not in seen:
                    seen.add(id(path))
                    yield path

    def _disturb(self, rng: random.Random, trial: int) -> set[int]:
        """Move a few vertices or a cone; return the layers concerned."""
        if trial % 4 or not self._moves.heads:
            return self._move_vertices(rng)
        return self._move_cone(rng, mirrored=trial % 8 == 0)

    def _move_vertices(self, rng: random.Random) -> set[int]:
        """Put one vertex somewhere else in each of a few layers, the first of them one with many crossings."""
        weights = [0] * len(self.orders)
        for row in range(len(weights) - 1):
            for beside in (row, row + 1):
                weights[beside] += self._ordering.between(row).crossings if len(self.orders[beside]) > 1 else 0
        first = rng.choices(range(len(weights)), weights)[0]
        rows = range(first, min(len(weights), first + rng.randrange(1, 4)))
        for row in rows:
            order = list(self.orders[row])
            vertex = order.pop(rng.randrange(len(order)))
            order.insert(rng.randrange(len(order) + 1), vertex)
            self._ordering.put(row, order)
        return set(rows)

    def _move_cone(self, rng: random.Random, mirrored: bool) -> set[int]:
        cone = self._moves.cone(self._moves.heads[rng.randrange(len(self._moves.heads))])
        share = rng.random()
        rows = {self.layered.layer[vertex] for vertex in cone}
        for row in rows:
            order = self.orders[row]
            inside = [vertex for vertex in order if vertex in cone]
            if mirrored:
                back = iter(inside[::-1])
                self._ordering.put(row, [next(back) if vertex in cone else vertex for vertex in order])
            else:
                rest = [vertex for vertex in order if vertex not in cone]
                gap = round(share * len(rest))
                self._ordering.put(row, [*rest[:gap], *inside, *rest[gap:]])
        return rows


def _heads(layered: Layered) -> list[int]:
    """The vertices whose cones are more than themselves and less than everything."""
    size = [1] * len(layered)
    for members in layered.members:
        for vertex in members:
            size[vertex] += sum(
                size[other] for other in layered.predecessors[vertex] if len(layered.successors[other]) == 1
            )
    return [vertex for vertex in range(len(layered)) if 1 < size[vertex] < len(layered)]
