"""An order without matrices: for graphs whose matrices would not fit, and to see that nothing crosses to begin with.

The search (`search.py`) looks at every pair of places of two neighbouring layers. That is quick for the computations of
a lesson and takes gigabytes for a leaf with thousands of uses. What stands here needs memory for the steps alone:
crossings are counted by insertion into a sorted list, and the layers follow the means of their neighbours, forth and
back (Sugiyama, Tagawa and Toda, IEEE Trans. SMC 11(2), 1981; Graphviz's `dot` sweeps in the same way, with medians).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

from engine.layout.layers import Layered
from engine.layout.ordering import Orders
from engine.layout.placed import Poll, check

_SWEEPS = 8


def count_crossings(layered: Layered, orders: Sequence[Sequence[int]]) -> int:
    """How many pairs of steps cross, counted as `Ordering.crossings` does, in memory for one layer's steps."""
    total = 0
    for upper, lower in pairwise(orders):
        place = {vertex: index for index, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            for target in sorted(place[other] for other in layered.after[vertex]):
                total += len(seen) - bisect_right(seen, target)
                insort(seen, target)
    return total


def swept(layered: Layered, starts: Sequence[Orders], cancelled: Poll | None = None) -> tuple[Orders, int]:
    """The best order that a few sweeps make of several starts.

    Args:
        layered: the graph in layers.
        starts: orders to begin with, one or more.
        cancelled: polled on the way.

    Returns:
        the order, and how many pairs of steps cross in it; never more than in the best of the starts.
    """
    best, fewest = starts[0], count_crossings(layered, starts[0])
    for start in starts:
        orders = [list(order) for order in start]
        for count in range(_SWEEPS):
            crossings = count_crossings(layered, orders)
            if crossings < fewest:
                best, fewest = [list(order) for order in orders], crossings
            if not fewest:
                return best, fewest
            _sweep(layered, orders, forth=count % 2 == 0, cancelled=cancelled)
    return best, fewest


def _sweep(layered: Layered, orders: Orders, forth: bool, cancelled: Poll | None) -> None:
    """Sort every layer but the first of the way by the mean places of its neighbours on the way."""
    beside = layered.before if forth else layered.after
    rows = range(1, len(orders)) if forth else range(len(orders) - 2, -1, -1)
    for row in rows:
        check(cancelled)
        place = {vertex: index for index, vertex in enumerate(orders[row - 1 if forth else row + 1])}
        mean = {
            vertex: sum(place[other] for other in beside[vertex]) / len(beside[vertex])
            for vertex in orders[row]
            if beside[vertex]
        }
        _sort_where_known(orders[row], mean)


def _sort_where_known(order: list[int], mean: dict[int, float]) -> None:
    """Sort the vertices that have neighbours; the others keep their places."""
    known = iter(sorted((vertex for vertex in order if vertex in mean), key=mean.__getitem__))
    order[:] = [next(known) if vertex in mean else vertex for vertex in order]
