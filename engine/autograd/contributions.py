"""The backward pass edge by edge: what `backward()` does, as records that can be shown.

Stepping through a backward pass, explaining a gradient and colouring edges by the gradient that flows read these
records; `Value.backward()` runs the same rule in the same order without making them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.autograd.data import ValueDataError
from engine.autograd.kernels import array_amounts, partials_of
from engine.autograd.value import Constant, Value, topological_order


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
    if value.op.vjps or any(source.data.__class__ is not float for source in value.inputs):
        amounts = array_amounts(value, upstream)
        yield from ((source, None, amount) for source, amount in zip(value.inputs, amounts, strict=True))
        return
    for source, partial in zip(value.inputs, local_derivatives(value), strict=True):
        yield source, partial, upstream * partial


def local_derivative(value: Value, index: int) -> float:
    """The partial derivative of a computed scalar node with respect to one of its inputs, at their data."""
    op = value.op
    assert op is not None
    if op.paired and index < len(value.inputs) - 1:
        weight, x = value.inputs[index - index % 2 :][:2]
        return float(op.scalar_partials[index % 2](weight.data, x.data, value.inputs[-1].data, value.data))
    if op.variadic and not op.paired:
        return float(op.scalar_partials[0](value.inputs[index].data, value.data))
    return local_derivatives(value)[index]


def local_derivatives(value: Value) -> list[float]:
    """The partial derivative of a scalar node with respect to each of its inputs, at their data; [] for a leaf."""
    op = value.op
    if op is None:
        return []
    return partials_of(op, [source.data for source in value.inputs], value.data)
