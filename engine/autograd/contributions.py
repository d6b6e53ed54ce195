"""The backward pass edge by edge: what `backward()` does, as records that can be shown.

Stepping through a backward pass, explaining a gradient and colouring edges by the gradient that flows read these
records; `Value.backward()` runs the same rule in the same order without making them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.autograd.kernels import array_amounts
from engine.autograd.value import Constant, Value, ValueDataError, topological_order


@dataclass(frozen=True, slots=True)
class Contribution:
    """One edge of the backward pass: `input.grad += upstream * partial`.

    Attributes:
        node: the value whose operation is undone.
        index: position of `input` among the node's inputs.
        input: the value that receives.
        upstream: gradient of the root with respect to `node`.
        partial: local derivative of node with respect to this input; None for operations that mix array elements.
        amount: what is added to `input.grad`, in its shape.
    """

    node: Value
    index: int
    input: Value
    upstream: Any
    partial: Any
    amount: Any


def contributions(root: Value) -> Iterator[Contribution]:
    """The backward pass edge by edge, in the order of `backward()`, without touching any `grad`.

    Yields:
        One record per edge. An edge into a Constant whose derivative is undefined (the exponent of `(-2)**3`) is left
        out: nobody asks for it.

    Raises:
        ValueDataError: when the root is an array.
    """
    if root.data.__class__ is not float:
        raise ValueDataError(f"contributions() start at a single number; this value has the shape {root.shape}")
    grads: dict[int, Any] = {id(root): 1.0}
    for value in reversed(topological_order(root)):
        if value.op is None:
            continue
        upstream = grads.get(id(value), 0.0)
        for index, (source, partial, amount) in enumerate(edges_of(value, upstream)):
            if amount.__class__ is float and amount != amount and isinstance(source, Constant):
                continue
            grads[id(source)] = grads.get(id(source), 0.0) + amount
            yield Contribution(value, index, source, upstream, partial, amount)


def edges_of(value: Value, upstream: Any) -> Iterator[tuple[Value, Any, Any]]:
    """Input, partial and amount for each input of one node."""
    assert value.op is not None
    if any(source.data.__class__ is not float for source in value.inputs):
        amounts = array_amounts(value, upstream)
        yield from ((source, None, amount) for source, amount in zip(value.inputs, amounts, strict=True))
        return
    for source, partial in zip(value.inputs, local_derivatives(value), strict=True):
        yield source, partial, upstream * partial


def local_derivative(value: Value, index: int) -> float:
    """The partial derivative of a computed scalar node with respect to one of its inputs, at their data."""
    op = value.op
    assert op is not None
    if op.name == "weighted_sum":
        last = len(value.inputs) - 1
        return 1.0 if index == last else float(value.inputs[index + 1 if index % 2 == 0 else index - 1].data)
    if op.variadic:
        return float(op.scalar_partials[0](value.inputs[index].data, value.data))
    return float(op.scalar_partials[index](*[source.data for source in value.inputs], value.data))


def local_derivatives(value: Value) -> list[float]:
    """The partial derivative of a scalar node with respect to each of its inputs, at their data; [] for a leaf."""
    op = value.op
    if op is None:
        return []
    datas = [source.data for source in value.inputs]
    if op.name == "weighted_sum":
        swapped = [1.0] * len(datas)
        swapped[0:-1:2], swapped[1:-1:2] = datas[1:-1:2], datas[0:-1:2]
        return swapped
    if op.variadic:
        return [float(op.scalar_partials[0](x, value.data)) for x in datas]
    return [float(partial(*datas, value.data)) for partial in op.scalar_partials]
