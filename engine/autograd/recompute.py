"""Running a recorded graph again: new data in the leaves, new results in the same Values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.autograd import kernels
from engine.autograd.ops import Op
from engine.autograd.value import Value


def computed_data(value: Value) -> Any:
    """What the value's operation gives for the data its inputs hold now; its own data for a leaf."""
    if value.op is None:
        return value.data
    return computed(value.op, [source.data for source in value.inputs])


def computed(op: Op, datas: Sequence[Any]) -> Any:
    """What `op` gives for inputs with these data: floats or float64 arrays."""
    if op.variadic or (op.elementwise and all(data.__class__ is float for data in datas)):
        return kernels.scalar_result(op, datas)
    return kernels.array_result(op, *datas)


def recompute(order: Iterable[Value]) -> None:
    """Computes every value anew from its inputs, in place; gradients become "not computed".

    Args:
        order: inputs before what they feed, as `topological_order` gives them.
    """
    for value in order:
        value.grad = None
        if value.op is not None:
            value.data = computed_data(value)
