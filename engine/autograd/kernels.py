"""The inner loops of the engine, written out from the table of operations.

Building a node and pulling its gradient back are what a scalar graph spends its time on. For each fixed-arity operation
this module writes two Python functions with the table's formulas in line and compiles them once:

* `builder(op)`: a method of Value that computes the output and makes its node;
* `puller(op)`: adds upstream gradient x partial to the gradients of a node's inputs, all floats.

`pull_arrays` does the same for nodes that hold or consume arrays. Nothing here states a derivative of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd import formula
from engine.autograd.ops import Op

if TYPE_CHECKING:
    from engine.autograd.value import Value

_UNARY = """
def built(self):
    x = self.data
    out = new(Value)
    out.op = op
    out._a = self
    out._b = out.grad = None
    out.label = ""
    if x.__class__ is float:
        {compute}
    else:
        out.data = op.array(x)
    return out
"""

_BINARY = """
def built(self, other):
    if other.__class__ is not Value and not isinstance(other, Value):
        other = wrap(other)
        if other is None:
            return NotImplemented
    {operands}
    a = left.data
    b = right.data
    out = new(Value)
    out.op = op
    out._a = left
    out._b = right
    out.grad = None
    out.label = ""
    if a.__class__ is float and b.__class__ is float:
        {compute}
    else:
        out.data = array_result(op, a, b)
    return out
"""


RAISED = (ZeroDivisionError, OverflowError)
"""What Python floats raise where IEEE 754 has an inf or nan."""


def builder(op: Op, names: dict[str, Any], method: str, reflected: bool = False) -> Callable[..., Any]:
    """A method of Value that applies `op`; `reflected` puts the other operand on the left (`2 * x`)."""
    source = formula.scalar_source(op.value)
    compute = f"out.data = {source}"
    if _may_raise(source):
        careful = ", ".join(op.arguments)
        compute = f"try: {compute}\n        except RAISED: out.data = op.scalar({careful})"
    operands = "left = other; right = self" if reflected else "left = self; right = other"
    template = _UNARY if op.arity == 1 else _BINARY
    text = template.format(compute=compute, operands=operands)
    space = {**formula.SCALAR, **names, "op": op, "new": object.__new__, "array_result": array_result, "RAISED": RAISED}
    function = formula.define(text, space, "built")
    function.__name__ = function.__qualname__ = method
    return function


def array_result(op: Op, *datas: Any) -> Any:
    """The op's value for arrays; 0-d results become floats, shapes that do not fit raise ShapeError."""
    try:
        data = op.array(*datas)
    except ValueError as error:
        shapes = " and ".join(str(np.shape(data)) for data in datas)
        raise ShapeError(f"{op.name}: the shapes {shapes} do not fit together") from error
    return data if data.__class__ is np.ndarray and data.ndim else float(data)


class ShapeError(ValueError):
    """Arrays whose shapes an operation cannot combine."""


def puller(op: Op) -> Callable[[Value], None]:
    """A function that adds `node.grad` x partial to each input's grad, for a node of floats."""
    if op.name == "weighted_sum":
        return pull_weighted_sum
    if op.variadic:
        return lambda node: pull_variadic(op, node)
    if not op.partials:
        return pull_arrays
    arguments = op.arguments
    lines = ["def pull(node):", "    g = node.grad", "    A = node._a"]
    if len(arguments) == 2:
        lines.append("    B = node._b")
    used = " ".join(op.partials)
    for argument, holder in zip(arguments, "AB", strict=False):
        if argument in used:
            lines.append(f"    {argument} = {holder}.data")
    if "y" in used:
        lines.append("    y = node.data")
    lines += _accumulations(op)
    partials = {f"partial{i}": function for i, function in enumerate(op.scalar_partials)}
    return formula.define("\n".join(lines) + "\n", {**formula.SCALAR, **partials, "RAISED": RAISED}, "pull")


def _accumulations(op: Op) -> list[str]:
    """Lines that add to each input's gradient; the careful function steps in where the formula in line would raise."""
    used = " ".join(op.partials)
    arguments = ", ".join(name if name in used else f"{'A' if name in 'ax' else 'B'}.data" for name in op.arguments)
    y = "y" if "y" in used else "0"
    lines = []
    for index, (text, holder) in enumerate(zip(op.partials, "AB", strict=False)):
        source = formula.scalar_source(text)
        if text in ("1", "-1"):
            lines.append(f"    {holder}.grad {'+' if text == '1' else '-'}= g")
        elif _may_raise(source):
            lines.append(f"    try:\n        {holder}.grad += g * ({source})")
            lines.append(f"    except RAISED:\n        {holder}.grad += g * partial{index}({arguments}, {y})")
        else:
            lines.append(f"    {holder}.grad += g * ({source})")
    return lines


def _may_raise(source: str) -> bool:
    """Whether Python floats may raise where IEEE 754 has an inf or nan."""
    return "/" in source or "**" in source


def pull_weighted_sum(node: Value) -> None:
    """The gradient of `dot(w, x) + b` for its weights, inputs and bias.

    Behind a ReLU that is off nothing flows: 0 times numbers that are all finite (their sum is) changes no gradient.
    """
    g = node.grad
    if g == 0.0 and node.data - node.data == 0.0:
        return
    parameters = node._a
    for weight, x in zip(parameters, node._b, strict=False):  # the bias is left over
        weight.grad += g * x.data
        x.grad += g * weight.data
    parameters[-1].grad += g


def pull_variadic(op: Op, node: Value) -> None:
    """The gradient of an operation over any number of float inputs."""
    partial = op.scalar_partials[0]
    y = node.data
    for value, amount in zip(node._a, [node.grad * partial(value.data, y) for value in node._a], strict=True):
        value.grad += amount


def pull_arrays(node: Value) -> None:
    """The gradient of a node that holds or consumes arrays: vjps, with broadcasting undone."""
    for value, amount in zip(node.inputs, array_amounts(node, node.grad), strict=True):
        value.grad = value.grad + amount


def array_amounts(node: Value, g: Any) -> list[Any]:
    """What `node` hands to each of its inputs when its gradient is `g`; each in the shape of its input."""
    op, inputs = node.op, node.inputs
    datas = [value.data for value in inputs]
    g = np.broadcast_to(g, np.shape(node.data))
    assert op is not None
    return [
        unbroadcast(vjp(*datas, node.data, g), np.shape(data)) for vjp, data in zip(op.array_vjps, datas, strict=True)
    ]


def unbroadcast(amount: Any, shape: tuple[int, ...]) -> Any:
    """Sums `amount` over the axes along which an input of `shape` was repeated; a float for shape ()."""
    amount = np.asarray(amount, dtype=np.float64)
    if amount.ndim > len(shape):
        amount = amount.sum(axis=tuple(range(amount.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and amount.shape[axis] != 1)
    if stretched:
        amount = amount.sum(axis=stretched, keepdims=True)
    if not shape:
        return float(amount)
    return amount if amount.shape == shape else np.broadcast_to(amount, shape).copy()


def dot(weights: list[float], inputs: list[float], bias: float) -> float:
    """The weighted sum of floats, left to right."""
    return sum(map(mul, weights, inputs), start=0.0) + bias


__all__ = ["ShapeError", "array_amounts", "array_result", "builder", "dot", "puller"]
