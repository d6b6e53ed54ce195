"""Among all drawings of the least length, the most even one.

A linear programme has many best solutions, and the simplex stops in a corner: a sum would stand level with one of its
operands by chance. The best solutions form a face, and the slopes at which the arcs are used describe it exactly
(complementary slackness): an arc used strictly between its slopes stays at its breakpoint, any other on its side of it.
Within those bounds the squares of the remaining lengths are made small, which puts a result midway between its operands
wherever that costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from engine.layout.network_simplex import NetworkSimplex

_ROUNDS = 12
_EPS = 1e-6


@dataclass(slots=True)
class _Group:
    """Vertices that keep their distances, with what pulls at them and what stops them.

    Each of the lists holds (the other group's number, the distance at which both are satisfied or stopped).
    """

    pulls: list[tuple[int, float, float]] = field(default_factory=list)
    floors: list[tuple[int, float]] = field(default_factory=list)
    ceilings: list[tuple[int, float]] = field(default_factory=list)


def balanced(problem: NetworkSimplex, size: int) -> list[float]:
    """The most even solution of a solved problem.

    Args:
        problem: solved to the end.
        size: how many of its vertices are part of the picture; the others stay where they are.

    Returns:
        a coordinate for every vertex of the problem; no cost is higher than before.
    """
    slopes = [problem.slope(number) for number in range(len(problem.arcs))]
    group = _rigid_groups(problem, slopes)
    groups = _gather(problem, slopes, group)
    fixed = {group[vertex] for vertex in range(size, len(problem.y))}
    shift = [0.0] * len(groups)
    movable = [which for which in range(len(groups)) if which not in fixed and groups[which].pulls]
    for count in range(_ROUNDS):
        for which in movable if count % 2 == 0 else movable[::-1]:
            shift[which] = _best_shift(groups[which], shift)
    return [y + shift[which] for y, which in zip(problem.y, group, strict=True)]


def _best_shift(group: _Group, shift: Sequence[float]) -> float:
    """The mean of what pulls at a group, as far as its bounds allow; in half pixels."""
    total = sum(weight for _, _, weight in group.pulls)
    wanted = sum((shift[other] + gap) * weight for other, gap, weight in group.pulls) / total
    low = max((shift[other] + gap for other, gap in group.floors), default=-inf)
    high = min((shift[other] + gap for other, gap in group.ceilings), default=inf)
    return max(low, min(high, round(wanted * 2) / 2))


def _gather(problem: NetworkSimplex, slopes: Sequence[float], group: Sequence[int]) -> list[_Group]:
    """For every group its bounds and pulls, in shifts from where the problem stands."""
    groups = [_Group() for _ in range(max(group, default=-1) + 1)]
    for (u, v, length, low, high), slope in zip(problem.arcs, slopes, strict=True):
        a, b = group[u], group[v]
        if a == b:
            continue
        spare = problem.y[v] - problem.y[u] - length
        if low == -inf or slope > low + _EPS:  # stays above its breakpoint: shift[b] - shift[a] >= -spare
            groups[b].floors.append((a, -spare))
            groups[a].ceilings.append((b, spare))
        else:
            groups[b].ceilings.append((a, -spare))
            groups[a].floors.append((b, spare))
        if low != -inf:
            groups[b].pulls.append((a, -spare, high))
            groups[a].pulls.append((b, spare, high))
    return groups


def _rigid_groups(problem: NetworkSimplex, slopes: Sequence[float]) -> list[int]:
    """The number of the group of every vertex; arcs that must stay at their breakpoint join two vertices."""
    parent = list(range(len(problem.y)))

    def root(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for (u, v, _, low, high), slope in zip(problem.arcs, slopes, strict=True):
        if low + _EPS < slope < high - _EPS:
            parent[root(u)] = root(v)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root(vertex), len(numbers)) for vertex in range(len(parent))]
