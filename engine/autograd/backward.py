"""Topological order and the backward pass: visits every value once, without recursion.

Chains of a million nodes are ordinary here, so this module is written for speed: it marks visited nodes instead of
keeping a set of them, and reads slots instead of calling methods. `contributions.py` follows the same rule edge by
edge, for display.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine.autograd import kernels
from engine.autograd.data import ShapeError
from engine.autograd.ops import OPS, Op

Node = Any
"""A Value. The Value class itself is built with functions of this module."""


PULLERS: dict[Op | None, Callable[[Node], None]] = {}
"""Compiled pullers by operation; each pulls the gradient of a float node back to its inputs."""


def topological_order(*roots: Node, known: Callable[[Node], bool] | None = None) -> list[Any]:
    """Every value the roots were computed from, once each, inputs before the values that use them.

    The order is that of a depth-first search over `inputs` from left to right, without recursion, root after root: a
    single root comes last.

    Args:
        *roots: any values.
        known: predicate for values to leave out, together with values that only they lead to; None: leave out none.
    """
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[Any] = [*reversed(roots)]
    pop, push, see, append = stack.pop, stack.append, seen.add, order.append
    while stack:
        value = pop()
        if value is None:
            append(pop())  # a None always lies on top of its value
        elif id(value) not in seen:
            see(id(value))
            if known is not None and known(value):
                continue
            a, b = value._a, value._b
            if a is None:
                append(value)
                continue
            push(value)
            push(None)
            if a.__class__ is tuple:
                stack += [source for source in reversed(value.inputs) if id(source) not in seen]
            else:
                if b is not None:
                    push(b)
                push(a)
    return order


def run_backward(root: Node) -> None:
    """Add the gradient of the float `root` to every leaf; replace that of every computed value."""
    if root.op is None:
        root._grad = (root._grad or 0.0) + 1.0
        return
    arrays: list[Node] = []
    order = _prepared_order(root, arrays)
    root._grad = 1.0
    pullers: dict[Op | None, Callable[[Node], None]] = PULLERS
    if arrays:
        _check_shapes(arrays)
        array_nodes = {id(value) for value in arrays}
        for value in reversed(order):
            is_array = id(value) in array_nodes and value.op.pull is None
            (kernels.pull_arrays if is_array else _puller(value.op))(value)
        _fill_untouched(order)
        return
    for value in reversed(order):
        try:
            pull = pullers[value.op]
        except KeyError:
            pull = _puller(value.op)
        pull(value)


def pull_back(value: Node) -> None:
    """Add what one value passes back to the gradients of its inputs."""
    for node in (value, *value.inputs):
        node.grad = node.grad  # 0 where no gradient has been computed
    if value.op is not None:
        is_array = value.op.pull is None and any(node._data.__class__ is not float for node in (value, *value.inputs))
        (kernels.pull_arrays if is_array else _puller(value.op))(value)


def _puller(op: Op) -> Callable[[Node], None]:
    if op.pull is not None:
        rule = op.pull
        return lambda _node: rule()
    pull = PULLERS.get(op) or kernels.puller(op)
    if OPS.get(op.name) is op:
        PULLERS[op] = pull
    return pull


def _check_shapes(arrays: Iterable[Node]) -> None:
    """Raise ShapeError for gradients set by hand whose shape differs from their data's; a scalar fits any shape."""
    for value in {id(source): source for node in arrays for source in node.inputs}.values():
        if np.shape(value._grad) not in ((), value.shape):
            name = f"{value.label!r} has" if value.label else "a value has"
            raise ShapeError(f"{name} the shape {value.shape} and a gradient of the shape {np.shape(value._grad)}")


def _prepared_order(root: Node, arrays: list[Node]) -> list[Node]:
    """Computed values in topological order; sets their gradients and those of fresh leaves to zero.

    The zero put into `grad` is one float object of this call: finding it there marks a value as visited, which saves a
    set of a million entries. Appends nodes with an array on either side to `arrays`.
    """
    zero = float("0.0")
    seen: set[int] = set()
    order: list[Node] = []
    stack: list[Any] = [root]
    pop, push = stack.pop, stack.append
    while stack:
        value = pop()
        if value is None:
            order.append(pop())
            continue
        if value._grad is zero:
            continue
        value._grad = zero
        push(value)
        push(None)
        a, b = value._a, value._b
        if a.__class__ is tuple:
            _push_many(value, stack, seen, zero)
        else:
            if b is not None:
                if b._a is None:
                    if b._grad is None:
                        b._grad = zero
                elif b._grad is not zero:
                    push(b)
                if b._data.__class__ is not float:
                    arrays.append(value)
            if a._a is None:
                if a._grad is None:
                    a._grad = zero
            elif a._grad is not zero:
                push(a)
            if a._data.__class__ is not float:
                arrays.append(value)
    return order


def _push_many(value: Node, stack: list[Any], seen: set[int], zero: float) -> None:
    """Push the inputs of a variadic node onto the stack; tuples that nodes share (`neuron_sum`) only once."""
    parameters, inputs = (value._a, value._b) if value._b is not None else ((), value._a)
    if id(parameters) not in seen:
        if any(parameter._a is not None for parameter in parameters):
            _push_fresh(value.inputs, stack, zero)
            return
        seen.add(id(parameters))
        _push_fresh(parameters, stack, zero)
    if id(inputs) not in seen:
        seen.add(id(inputs))
        _push_fresh(inputs, stack, zero)


def _push_fresh(values: tuple[Node, ...], stack: list[Any], zero: float) -> None:
    """Push computed values not visited yet onto the stack; put a zero into leaves without a gradient."""
    for value in reversed(values):
        if value._a is not None:
            if value._grad is not zero:
                stack.append(value)
        elif value._grad is None:
            value._grad = zero


def _fill_untouched(order: Iterable[Node]) -> None:
    """Give arrays without a gradient, or with a broadcast one, a gradient of their own shape."""
    for value in order:
        for held in (value, *value.inputs):
            if np.shape(held._grad) != held.shape:
                held._grad = np.broadcast_to(held._grad, held.shape).copy()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: Values form no cycles, and the collector would visit every one of them."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
