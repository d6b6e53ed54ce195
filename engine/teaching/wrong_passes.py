"""Backward passes with the classic mistakes; the correct one is `Value.backward`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from engine.autograd import Value, topological_order
from engine.autograd.contributions import edges_of

Gradients = Mapping[int, float]


def without_topological_order(root: Value) -> Gradients:
    """Pass each gradient on as soon as a contribution arrives, with all earlier contributions again.

    For small graphs: the work grows with the number of paths through the graph.
    """
    grads = _seeded(root)
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if value.op is None:
            continue
        edges = list(edges_of(value, grads[id(value)]))
        for source, _, amount in edges:
            grads[id(source)] += amount
        waiting += [source for source, _, _ in reversed(edges)]
    return grads


def not_reversed(root: Value) -> Gradients:
    """Visit inputs before their consumers: no gradient has arrived when a value is visited."""
    return _passed_on(topological_order(root), _seeded(root))


def piled_up(root: Value, passes: int) -> Gradients:
    """Run several passes as micrograd does: gradients of intermediate values are not reset."""
    order, grads = topological_order(root)[::-1], _seeded(root)
    for _ in range(passes):
        grads[id(root)] = 1.0
        _passed_on(order, grads)
    return grads


def overwritten(root: Value) -> Gradients:
    """Use the right order, but `=` for `+=`: of several contributions only the last one remains."""
    return _passed_on(topological_order(root)[::-1], _seeded(root), adds=False)


def not_zeroed(root: Value, passes: int) -> Gradients:
    """Run several correct passes without zero_grad between them: gradients of leaves accumulate."""
    order = topological_order(root)[::-1]
    leaves = {id(value) for value in order if value.op is None}
    grads: dict[int, float] = defaultdict(float)
    for _ in range(passes):
        fresh = _passed_on(order, _seeded(root))
        grads = defaultdict(float, {key: grads[key] * (key in leaves) + grad for key, grad in fresh.items()})
    return grads


def _seeded(root: Value) -> dict[int, float]:
    return defaultdict(float, {id(root): 1.0})


def _passed_on(order: Iterable[Value], grads: dict[int, float], adds: bool = True) -> dict[int, float]:
    """Return the gradients after the values, in this order, have passed on their gradients."""
    for value in order:
        if value.op is not None:
            for source, _, amount in edges_of(value, grads[id(value)]):
                grads[id(source)] = grads[id(source)] + amount if adds else amount
    return grads


WRONG_ORDERS: Mapping[str, Callable[[Value], Gradients]] = {
    "recursion without topological order": without_topological_order,
    "post-order that is not reversed": not_reversed,
}
"""Mistakes in the order of the values, by their names in the published examples."""
