"""The order of the vertices within their layers: as few crossings as can be found."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

from engine.graph.layout.layers import Layered

Orders = list[list[int]]


def count_crossings(layered: Layered, orders: Sequence[Sequence[int]]) -> int:
    """How many pairs of steps cross, each pair counted once however many parallel edges it stands for."""
    total = 0
    for upper, lower in zip(orders, orders[1:], strict=False):
        place = {vertex: index for index, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            ends = sorted(place[other] for other in layered.after[vertex])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def order_layers(layered: Layered) -> Orders:
    """Depth first from the results, then barycentre sweeps; the best of them."""
    best = orders = depth_first(layered)
    fewest = count_crossings(layered, best)
    for sweep in range(12):
        orders = _sweep(layered, orders, forwards=sweep % 2 == 0)
        crossings = count_crossings(layered, orders)
        if crossings < fewest:
            best, fewest = orders, crossings
    return best


def depth_first(layered: Layered) -> Orders:
    """Every layer in the order in which a walk from the results to their operands meets its vertices."""
    orders: Orders = [[] for _ in layered.members]
    seen = [False] * len(layered)
    for root in reversed(range(len(layered.graph))):
        waiting = [root] if not layered.after[root] else []
        while waiting:
            vertex = waiting.pop()
            if not seen[vertex]:
                seen[vertex] = True
                orders[layered.layer[vertex]].append(vertex)
                waiting.extend(reversed(layered.before[vertex]))
    return orders


def _sweep(layered: Layered, orders: Orders, forwards: bool) -> Orders:
    swept = [list(order) for order in orders]
    rows = range(1, len(orders)) if forwards else range(len(orders) - 2, -1, -1)
    for row in rows:
        fixed = swept[row - 1] if forwards else swept[row + 1]
        place = {vertex: index for index, vertex in enumerate(fixed)}
        beside = layered.before if forwards else layered.after
        keys = {}
        for index, vertex in enumerate(swept[row]):
            ends = [place[other] for other in beside[vertex]]
            keys[vertex] = sum(ends) / len(ends) if ends else float(index)
        swept[row].sort(key=keys.__getitem__)
    return swept
