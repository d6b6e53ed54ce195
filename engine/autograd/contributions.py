"""The backward pass edge by edge: the work of `backward()` as records for display.

Stepping through a backward pass, explaining a gradient, checking it, and colouring edges by the gradient flowing
through them all read these records, for a whole graph or a part of it; `Value.backward()` runs the same rule in the
same order without creating records.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from engine.autograd.backward import topological_order
from engine.autograd.data import ValueDataError
from engine.autograd.kernels import array_amounts, partials_of
from engine.autograd.value import Constant, Value


@dataclass(slots=True, eq=False)
class Contribution:
    """One edge of the backward pass: `input.grad += upstream * partial`. Not frozen: that would triple its cost.

    Attributes:
        node: the value whose operation is differentiated.
        index: position of `input` among the node's inputs.
        input: the value that receives the contribution.
        upstream: gradient of the root with respect to `node`.
        partial: local derivative of node with respect to this input; None for operations that mix array elements.
        amount: the addend to `input.grad`, in the shape of `input`.
        before: gradient of `input` before; None when there was none yet.
        total: gradient of `input` after it.
    """

    node: Value
    index: int
    input: Value
    upstream: Any
    partial: Any
    amount: Any
    before: Any
    total: Any


def contributions(
    root: Value, order: Sequence[Value] | None = None, initial: Mapping[Value, Any] | None = None
) -> Iterator[Contribution]:
    """Yield the backward pass edge by edge, in the order of `backward()`, without changing any `grad`.

    Args:
        root: a single number.
        order: its topological order, if known.
        initial: gradients of leaves before the pass, which adds to them.

    Yields:
        One record per edge. Skips an edge into a Constant whose derivative is undefined (the exponent of `(-2)**3`).

    Raises:
        ValueDataError: when the root is an array.
    """
    if root.data.__class__ is not float:
        raise ValueDataError(f"contributions() start at a single number; this value has the shape {root.shape}")
    return contributions_within(topological_order(root) if order is None else order, initial=initial)


def contributions_within(
    order: Sequence[Value], wanted: Container[Value] | None = None, initial: Mapping[Value, Any] | None = None
) -> Iterator[Contribution]:
    """Yield the contributions of some values' operations, when the gradient of the last of them is 1.

    Args:
        order: inputs before the values that use them.
        wanted: yield only contributions to these values; None: all.
        initial: gradients of leaves before the pass.
    """
    gradients: dict[Value, Any] = {**(initial or {}), order[-1]: 1.0}
    for value in reversed(order):
        if value.op is None:
            continue
        upstream = gradients.get(value, 0.0)
        for index, (source, partial, amount) in enumerate(edges_of(value, upstream)):
            if wanted is not None and source not in wanted:
                continue
            if amount.__class__ is float and amount != amount and isinstance(source, Constant):
                continue
            before = gradients.get(source)
            gradients[source] = total = (0.0 if before is None else before) + amount
            yield Contribution(value, index, source, upstream, partial, amount, before, total)


def gradients_of(root: Value) -> dict[Value, Any]:
    """Gradient of the root with respect to every value, by the chain rule, without changing any `grad`."""
    return {root: 1.0, **{term.input: term.total for term in contributions(root)}}


def edges_of(value: Value, upstream: Any) -> Iterator[tuple[Value, Any, Any]]:
    """Input, partial and amount for each input of one node."""
    inputs, op = value.inputs, value.op
    assert op is not None
    datas = [source.data for source in inputs]
    if op.vjps or any(data.__class__ is not float for data in datas):
        return zip(inputs, repeat(None), array_amounts(value, upstream), strict=False)
    partials = partials_of(op, datas, value.data)
    return zip(inputs, partials, [upstream * partial for partial in partials], strict=True)


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
