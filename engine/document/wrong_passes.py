"""Backward passes with the classic mistakes, to show what comes of them; the right one is `Value.backward`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from engine.autograd import Value, topological_order
from engine.autograd.contributions import edges_of

Gradients = Mapping[int, float]


def without_topological_order(root: Value) -> Gradients:
    """Each value hands its gradient on as soon as something has arrived, with what had arrived before once more.

    For small graphs: the work grows with the number of ways through the graph.
    """
    grads: dict[int, float] = defaultdict(float, {id(root): 1.0})
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
    """The values with inputs before what they feed: nothing has arrived yet when a value's turn comes."""
    grads: dict[int, float] = defaultdict(float, {id(root): 1.0})
    for value in topological_order(root):
        if value.op is not None:
            for source, _, amount in edges_of(value, grads[id(value)]):
                grads[id(source)] += amount
    return grads


def piled_up(root: Value, passes: int) -> Gradients:
    """Several passes as micrograd makes them: the gradients of intermediate values are never started afresh."""
    grads: dict[int, float] = defaultdict(float)
    for _ in range(passes):
        grads[id(root)] = 1.0
        for value in reversed(topological_order(root)):
            if value.op is not None:
                for source, _, amount in edges_of(value, grads[id(value)]):
                    grads[id(source)] += amount
    return grads


def overwritten(root: Value) -> Gradients:
    """The right order, but `=` for `+=`: of several contributions only the last one is left."""
    grads: dict[int, float] = defaultdict(float, {id(root): 1.0})
    for value in reversed(topological_order(root)):
        if value.op is not None:
            for source, _, amount in edges_of(value, grads[id(value)]):
                grads[id(source)] = amount
    return grads


def not_zeroed(root: Value, passes: int) -> Gradients:
    """Several right passes without zero_grad between them: what the leaves hold is added to."""
    grads: dict[int, float] = defaultdict(float)
    for _ in range(passes):
        fresh = defaultdict(float, {id(root): 1.0})
        for value in reversed(topological_order(root)):
            if value.op is not None:
                for source, _, amount in edges_of(value, fresh[id(value)]):
                    fresh[id(source)] += amount
        leaves = {id(value) for value in topological_order(root) if value.op is None}
        grads = defaultdict(float, {key: grads[key] * (key in leaves) + grad for key, grad in fresh.items()})
    return grads


WRONG_ORDERS: Mapping[str, Callable[[Value], Gradients]] = {
    "recursion without topological order": without_topological_order,
    "post-order that is not reversed": not_reversed,
}
"""The mistakes in the order of the values, as the published examples call them."""
