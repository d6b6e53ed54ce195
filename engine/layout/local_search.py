"""Local search for an order of the layers with few crossings.

Three moves: a vertex is put where it saves most in its layer (insertion, in one order or in many at once), a run of
vertices where it saves most in all its layers (re-insertion), and the order is perturbed and improved again, kept when
it did not get worse (iterated local search: Lourenço, Martin and Stützle, Handbook of Metaheuristics, 2003). After a
perturbation only the layers it touched, and those that change with them, are looked at again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from engine.layout.crossings import (
    Adjacency,
    Indices,
    Matrix,
    Ordering,
    Orders,
    Vector,
    dense,
)
from engine.layout.layering import Layered
from engine.layout.result import CancelCheck, raise_if_cancelled

_REPEATS = 30
MAX_CELLS = 20_000_000
MAX_CELLS_PER_BLOCK = 2_000_000
_INSERTION_SWEEPS = 12
_ROUNDS_FOR_NEW = 2


class OrderSet:
    """Several orders of the same layers, improved together.

    Attributes:
        local_orders: for every layer an array (n_orders, n_vertices) of local numbers, top to bottom.
    """

    def __init__(self, adjacency: Adjacency, starts: Sequence[Orders]):
        self._matrices = adjacency.matrices
        self._sides = adjacency.sides
        self._members = adjacency.layered.members
        self.local_orders: list[Indices] = [
            np.array([[adjacency.local[vertex] for vertex in start[row]] for start in starts])
            for row in range(len(self._members))
        ]

    def orders(self, which: int) -> Orders:
        """One of the orders, as vertices."""
        return [
            [members[local] for local in local_orders[which].tolist()]
            for members, local_orders in zip(self._members, self.local_orders, strict=True)
        ]

    def crossings(self) -> list[int]:
        """Number of pairs of segments that cross in each of the orders."""
        total = np.zeros(len(self.local_orders[0]))
        for matrix, upper, lower in zip(self._matrices, self.local_orders, self.local_orders[1:], strict=False):
            placed = matrix[upper[:, :, None], lower[:, None, :]]
            later = placed.sum(axis=1, keepdims=True) - placed.cumsum(axis=1)
            total += ((later.cumsum(axis=2) - later) * placed).sum(axis=(1, 2))
        return [round(crossings) for crossings in total.tolist()]

    def improve(self, rounds: int, rows: Iterable[int] | None = None, cancelled: CancelCheck | None = None) -> set[int]:
        """Sweep over the layers, forth and back, until nothing changes.

        Args:
            rounds: maximum number of sweeps.
            rows: the layers to begin with; all when None. Others follow when a neighbour of theirs changed.
            cancelled: polled on the way.

        Returns:
            the layers that changed.
        """
        size = len(self.local_orders)
        return _sweep(self._improve_row, size, range(size) if rows is None else rows, rounds, cancelled)

    def _improve_row(self, row: int) -> bool:
        size = self.local_orders[row].shape[1]
        if size < 2:
            return False
        cost = self._cost(row)
        saving = cost - cost.transpose(0, 2, 1)
        changed = False
        for _ in range(_REPEATS):
            moving = self._movable(saving, self.local_orders[row])
            if not moving:
                break
            changed = True
            for vertex in moving:
                self._move(row, saving, vertex)
        return changed

    def _cost(self, row: int) -> Matrix:
        """``C`` of a layer for every order, shape (n_orders, n_vertices, n_vertices).

        Few segments in a large layer are looked up one by one.
        """
        orders, size = self.local_orders[row].shape
        cost = np.zeros((orders, size, size), dtype=np.float32)
        for beside, side in self._sides[row]:
            local_orders = self.local_orders[beside]
            placed = side.dense[local_orders]
            earlier = placed.cumsum(axis=1)
            earlier -= placed
            if dense(*placed.shape[1:]):
                cost += placed.transpose(0, 2, 1) @ earlier
                continue
            which = np.arange(len(local_orders))[:, None]
            position = np.empty_like(local_orders)
            position[which, local_orders] = np.arange(local_orders.shape[1])
            crossed = earlier[which, position[:, side.others]]
            if len(side.owners) < len(side.others):
                crossed = np.add.reduceat(crossed, side.first, axis=1)
            cost[:, side.owners] += crossed
        return cost

    @staticmethod
    def _movable(saving: Matrix, local_orders: Indices) -> list[int]:
        """The vertices that gain by a move in at least one order."""
        orders, size = local_orders.shape
        rows = np.arange(orders)[:, None]
        ahead = saving[rows[:, :, None], local_orders[:, :, None], local_orders[:, None, :]]
        sums = ahead.cumsum(axis=2)
        now = sums.reshape(orders, -1)[:, :: size + 1]
        which, position = ((sums.max(axis=2) > now) | (now < 0)).nonzero()
        return sorted(set(local_orders[which, position].tolist()))

    def _move(self, row: int, saving: Matrix, vertex: int) -> None:
        """Put one vertex at its best position, in every order in which that saves crossings."""
        local_orders = self.local_orders[row]
        which = np.arange(len(local_orders))
        sums = saving[which[:, None], vertex, local_orders].cumsum(axis=1)
        here = (local_orders == vertex).argmax(axis=1)
        top = sums.max(axis=1)
        for order in (np.maximum(top, 0) > sums[which, here]).nonzero()[0].tolist():
            best = int(sums[order].argmax()) if top[order] >= 0 else -1
            line = local_orders[order].tolist()
            line.remove(vertex)
            line.insert(best + (best < here[order]), vertex)
            local_orders[order] = line


def insert(ordering: Ordering, rows: Iterable[int], rounds: int, cancelled: CancelCheck | None = None) -> set[int]:
    """Improve a single order as `OrderSet.improve` does, beginning with some layers.

    Returns:
        the layers that changed.
    """
    return _sweep(lambda row: _insert_row(ordering, row), len(ordering.orders), rows, rounds, cancelled)


def _sweep(
    improve_row: Callable[[int], bool], size: int, rows: Iterable[int], rounds: int, cancelled: CancelCheck | None
) -> set[int]:
    """Improve layer after layer, forth and back; the neighbours of one that changed are looked at again."""
    stale, changed = set(rows), set[int]()
    for sweep in range(rounds):
        for row in sorted(stale, reverse=sweep % 2 == 1):
            raise_if_cancelled(cancelled)
            stale.discard(row)
            if improve_row(row):
                changed.add(row)
                stale.update(beside for beside in (row - 1, row + 1) if 0 <= beside < size)
        if not stale:
            break
    return changed


def _insert_row(ordering: Ordering, row: int) -> bool:
    if len(ordering.orders[row]) < 2:
        return False
    saving = _saving(ordering, row)
    local = ordering.local[row]
    order = list(range(len(local)))
    ahead = saving
    changed = False
    for _ in range(_REPEATS):
        sums = ahead.cumsum(axis=1)
        now = sums.ravel()[:: len(order) + 1]
        gaining = ((sums.max(axis=1) > now) | (now < 0)).nonzero()[0].tolist()
        if not gaining:
            break
        changed = True
        for vertex in sorted([order[index] for index in gaining], key=local.__getitem__):
            _move(order, saving[vertex].tolist(), vertex)
        ahead = saving.take(order, 0).take(order, 1)
    if changed:
        ordering.put(row, [ordering.orders[row][vertex] for vertex in order])
    return changed


def _saving(ordering: Ordering, row: int) -> Matrix:
    """Crossings saved, position by position, by placing one vertex after the other instead of before it.

    Few segments in a large layer are looked up one by one.
    """
    size = len(ordering.orders[row])
    cost = np.zeros((size, size), dtype=np.float32)
    for beside, side in ordering.adjacency.sides[row]:
        if beside < row:
            adjacency, sums = ordering.between(beside).adjacency, ordering.between(beside).down
        else:
            adjacency = ordering.between(row).adjacency.T
            sums = adjacency.cumsum(axis=0)
        if dense(*adjacency.shape):
            cost += adjacency.T @ sums
        else:
            own, other = ordering.positions_of(row), ordering.positions_of(beside)
            cost[own[side.owners]] += np.add.reduceat(sums[other[side.others]], side.first, axis=0)
    return cost - cost.T


def _move(order: list[int], saving: list[float], vertex: int) -> None:
    """Put one vertex at its best position, if that saves anything."""
    sums = list(accumulate(map(saving.__getitem__, order)))
    here, top = order.index(vertex), max(sums)
    best = sums.index(top)
    if top < 0:
        top, best = 0.0, -1
    if top > sums[here]:
        order.pop(here)
        order.insert(best + (best < here), vertex)


def dummy_chains(layered: Layered) -> list[list[int]]:
    """The dummy vertices of every edge that has any."""
    return [chain[1:-1] for chain in layered.chains.values() if len(chain) > 2]


def runs(layered: Layered) -> list[list[int]]:
    """Runs of vertices with one consumer each, every vertex in the longest run through it."""
    length = [1] * len(layered)
    comes_from: list[int | None] = [None] * len(layered)
    for members in layered.members:
        for vertex in members:
            singles = [other for other in layered.predecessors[vertex] if len(layered.successors[other]) == 1]
            if singles:
                comes_from[vertex] = max(singles, key=length.__getitem__)
                length[vertex] += max(length[other] for other in singles)
    found = []
    taken = set(comes_from)
    for end in range(len(layered)):
        if end not in taken and length[end] > 1:
            run: list[int] = []
            here: int | None = end
            while here is not None:
                run.append(here)
                here = comes_from[here]
            found.append(run[::-1])
    return found


class Reinsertion:
    """Exact re-insertion: paths are taken out of an order and put back at their cheapest positions.

    Costs are counted twice and up to a constant for every path: only their differences matter. What a path's own
    segments cross does not count; ``sign`` vectors, +1 beyond a position and -1 before it, take that off.

    The work is limited by the cells of the matrices that are looked at, far above what computations need: in a dense
    graph, where nearly everything crosses, every path goes through wide layers again and again.
    """

    def __init__(self, ordering: Ordering):
        self._ordering = ordering
        self._layered = ordering.adjacency.layered
        self._widest = max((len(order) for order in ordering.orders), default=0)
        self._step_up = np.where(np.arange(2 * self._widest + 1) < self._widest, np.float32(-1), np.float32(1))
        self._cells_left = MAX_CELLS + MAX_CELLS_PER_BLOCK * len(self._layered.graph)

    def improve(self, paths: Iterable[Sequence[int]], cancelled: CancelCheck | None = None) -> set[int]:
        """Re-insert every path once.

        Returns:
            the layers that changed.
        """
        changed: set[int] = set()
        for count, path in enumerate(paths):
            if count % 64 == 0:
                raise_if_cancelled(cancelled)
            if self._cells_left > 0 and self._is_crossed(path) and self._reinsert(path):
                changed.update(self._layered.layer[vertex] for vertex in path)
        return changed

    def _is_crossed(self, path: Sequence[int]) -> bool:
        """True when another segment crosses a segment into or out of the path."""
        position, row = self._ordering.position, self._layered.layer[path[0]]
        for vertex in path:
            at = position[vertex]
            for other in self._layered.predecessors[vertex]:
                if self._ordering.between(row - 1).crossed[position[other], at]:
                    return True
            row += 1
        return any(
            self._ordering.between(row - 1).crossed[position[path[-1]], position[other]]
            for other in self._layered.successors[path[-1]]
        )

    def _reinsert(self, path: Sequence[int]) -> bool:
        """Put one path at its cheapest positions; return True when that saved crossings."""
        layered, position = self._layered, self._ordering.position
        cost, now, choices = self._along(path)
        last = path[-1]
        for other in layered.successors[last]:
            leaving = self._ordering.between(layered.layer[last]).gaps().to_position[:, position[other]]
            cost = cost + leaving
            now += leaving.item(position[last])
        gap = int(cost.argmin())
        if cost.item(gap) >= now:
            return False
        ordering, gaps = self._ordering, [gap]
        for choice in reversed(choices):
            gap = int(choice[gap])
            gaps.append(gap)
        for vertex, target in zip(path, reversed(gaps), strict=True):
            row, here = self._layered.layer[vertex], ordering.position[vertex]
            if target not in (here, here + 1):
                order = list(ordering.orders[row])
                order.pop(here)
                order.insert(target - (target > here), vertex)
                ordering.put(row, order)
        return True

    def _along(self, path: Sequence[int]) -> tuple[Vector, float, list[Indices]]:
        """The dynamic programme over the layers of a path.

        Returns:
            for every gap of the last layer the least cost up to there, the cost of the path as it is, and for every
            layer but the first the best gap of the layer before.
        """
        position = self._ordering.position
        cost, now = self._into(path[0], None)
        choices = []
        for here, there in pairwise(path):
            segment = self._segment(here, there)
            self._cells_left -= segment.size
            now += segment.item(position[here], position[there])
            segment += cost[:, None]
            choices.append(segment.argmin(axis=0))
            cost = segment.min(axis=0)
            if len(self._layered.predecessors[there]) > 1:
                extra, more = self._into(there, here)
                now += more
                cost += extra
        return cost, now, choices

    def _into(self, vertex: int, path: int | None) -> tuple[Vector, float]:
        """Cost of the segments into a path vertex at every gap of its layer, and at present.

        Args:
            vertex: the vertex.
            path: the vertex before it in the path, whose segment is not counted; None for the first.
        """
        layered, position = self._layered, self._ordering.position
        total = np.zeros(len(self._ordering.orders[layered.layer[vertex]]) + 1, dtype=np.float32)
        turned = 0
        for other in layered.predecessors[vertex]:
            if other == path:
                continue
            total += self._ordering.between(layered.layer[other]).gaps().from_position[position[other]]
            if path is not None:
                turned += 1 if position[other] > position[path] else -1
        if turned:
            total += turned * self._signs(vertex)
        return total, total.item(position[vertex])

    def _segment(self, here: int, there: int) -> Matrix:
        """Return the crossings of the segment between two path vertices for each pair of gaps that they can stand in.

        Crossings with other segments into the second vertex are left out.
        """
        sign = self._signs(here)
        for other in self._layered.predecessors[there]:
            if other != here:
                sign = sign + self._signs(other)
        segment: Matrix = sign[:, None] * self._signs(there)
        segment += self._ordering.between(self._layered.layer[here]).gaps().cost
        return segment

    def _signs(self, vertex: int) -> Vector:
        """-1 at the gaps before a vertex, +1 at those behind: a piece of one array, whatever the layer."""
        first = self._widest - 1 - self._ordering.position[vertex]
        return self._step_up[first : first + len(self._ordering.orders[self._layered.layer[vertex]]) + 1]


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
        for path in runs(layered):
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
        """Improve everything until nothing changes.

        Args:
            rounds: maximum number of rounds of insertions and re-insertions.
            cancelled: polled on the way.
        """
        if self.crossings == 0:
            return
        rows = set(range(len(self.orders)))
        insert(self._ordering, rows, _INSERTION_SWEEPS, cancelled)
        self._alternate(rows, rounds, cancelled)

    def perturb(self, rng: random.Random, trials: int, cancelled: CancelCheck | None = None) -> None:
        """Disturb the order somewhere and improve it again, `trials` times; worse orders are taken back."""
        best = self.crossings
        for trial in range(trials):
            if best == 0:
                return
            raise_if_cancelled(cancelled)
            saved = self._ordering.save()
            if trial % 4 or not self._moves.heads:
                disturbed = self._move_vertices(rng)
            else:
                disturbed = self._move_cone(rng, mirrored=trial % 8 == 0)
            insert(self._ordering, self._around(disturbed), _INSERTION_SWEEPS, cancelled)
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
        changed = self._paths.improve(self._touching(rows), cancelled)
        for _ in range(1, rounds):
            if not changed:
                break
            rows = insert(self._ordering, self._around(changed), _INSERTION_SWEEPS, cancelled)
            changed = self._paths.improve(self._touching(rows), cancelled)

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
