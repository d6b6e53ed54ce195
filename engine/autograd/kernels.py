"""The inner loops of the engine, generated from the table of operations.

A scalar graph spends its time on building nodes and pulling their gradients back. For each fixed-arity operation this
module writes two Python functions with the table's formulas inlined and compiles them once:

* `builder(op)`: a method of Value that computes the output and makes its node; * `puller(op)`: adds upstream gradient x
partial to the gradients of a node's inputs, all floats.

`pull_arrays` does the same for nodes that hold or consume arrays. This module states no derivative itself.

The functions read and write the slot behind `Value.data`, which always holds a float or a float64 array.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engine.autograd import formula
from engine.autograd.data import ShapeError, as_data
from engine.autograd.ops import ABSOLUTE, MAXIMUM, MINIMUM, Op

Node = Any
"""A Value. The Value class itself is built with functions of this module."""

NOTES_PLACES = False
"""True inside the sandbox: operators record the program location of each value in its slot `_place`."""

_OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow", "@": "matmul"}
"""Names of Python's operator methods, without underscores."""


def methods_of(op: Op) -> list[tuple[str, bool]]:
    """The methods of Value that apply an operation, each with True when `self` is the second operand.

    For an operation with operators, these; otherwise a method of its own name, if it works element by element.
    """
    if op.infix and op.arity == 2:
        name = _OPERATORS[op.infix]
        return [(f"__{name}__", False), (f"__r{name}__", True)]
    if op.infix:
        return [("__neg__", False)]
    if not op.elementwise or op in WRITTEN_BY_HAND:
        return []
    return [(op.name, False), ("__abs__", False)] if op is ABSOLUTE else [(op.name, False)]


WRITTEN_BY_HAND = frozenset({MAXIMUM, MINIMUM})
"""Operations whose method of Value does more than apply them."""

_UNARY = """
def built(self):
    x = self._data
    out = new(Value)
    out.op = op
    out._a = self
    out._b = out._grad = None
    out.label = ""
    if x.__class__ is float:
        {compute}
    else:
        out._data = array_result(op, x)
    {note}
    return out
"""

_BINARY = """
def built(self, other):
    if other.__class__ is not Value and not isinstance(other, Value):
        other = wrap(other)
        if other is None:
            return NotImplemented
    {operands}
    a = left._data
    b = right._data
    out = new(Value)
    out.op = op
    out._a = left
    out._b = right
    out._grad = None
    out.label = ""
    if a.__class__ is float and b.__class__ is float:
        {compute}
    else:
        out._data = array_result(op, a, b)
    {note}
    return out
"""


RAISED = (ZeroDivisionError, OverflowError)
"""Raised by Python floats where IEEE 754 has an inf or nan."""


def builder(op: Op, names: dict[str, Any], method: str, reflected: bool = False) -> Callable[..., Any]:
    """Return a method of Value that applies `op`; `reflected` puts the other operand on the left (`2 * x`)."""
    source = formula.scalar_source(op.value)
    compute = f"out._data = {source}"
    if op.vjps:
        compute = f"out._data = array_result(op, {', '.join(op.arguments)})"
    elif _may_raise(source):
        careful = ", ".join(op.arguments)
        compute = f"try: {compute}\n        except RAISED: out._data = op.scalar({careful})"
    operands = "left = other; right = self" if reflected else "left = self; right = other"
    template = _UNARY if op.arity == 1 else _BINARY
    note = "frame = getframe(1); out._place = frame.f_code, frame.f_lasti" if NOTES_PLACES else ""
    text = template.format(compute=compute, operands=operands, note=note)
    own = {"getframe": sys._getframe, "op": op, "new": object.__new__, "array_result": array_result, "RAISED": RAISED}
    function = formula.define(text, {**formula.scalar_names(op.value), **names, **own}, "built")
    function.__name__, function.__qualname__, function.__module__ = method, f"Value.{method}", "engine.autograd.value"
    function.__doc__ = description(op, method, reflected)
    return function


def neuron_builder(op: Op, kind: type) -> Callable[..., Node]:
    """Return a function that makes the node of a paired operation from tuples that many nodes share.

    Its arguments are the weights followed by the bias, the inputs, and the data of the inputs.
    """
    lines = [
        "def built(parameters, inputs, x):",
        "    w = [parameter._data for parameter in parameters]",
        "    b = w.pop()",
        "    out = new(Value)",
        f"    out._data = {formula.scalar_source(op.value)}",
        "    out.op, out._a, out._b, out._grad, out.label = op, parameters, inputs, None, ''",
        "    return out",
    ]
    names = {**formula.scalar_names(op.value), "op": op, "new": object.__new__, "Value": kind}
    return formula.define("\n".join(lines) + "\n", names, "built")


def description(op: Op, method: str, reflected: bool = False) -> str:
    """Docstring of the method of Value that applies `op`, one or two sentences."""
    if op.arity == 1:
        call = f"{op.infix}x" if op.infix else "abs(x)" if op is ABSOLUTE else f"x.{op.name}()"
        return f"{call}{_equal_to(call, op.value)}. {op.rule}"
    call = f"a {op.infix} b" if op.infix else f"a.{method}(b)"
    return f"{call}{_equal_to(call, op.value)}, `self` being {'b' if reflected else 'a'}. {op.rule}"


def _equal_to(call: str, value: str) -> str:
    return "" if call.replace(" ", "") == value.replace(" ", "") else f" = {value}"


def array_result(op: Op, *datas: Any) -> Any:
    """Return the op's value for arrays; 0-d results become floats.

    Raises:
        ShapeError: when the shapes do not fit together, or an axis or index does not fit the shape.
    """
    compute = op.array  # a formula that cannot be compiled is an error of the table, not of the shapes
    try:
        data = compute(*datas)
    except (ValueError, IndexError, TypeError) as error:
        raise ShapeError(_misfit(op, [np.shape(data) for data in datas], error)) from error
    if data.__class__ is np.ndarray and data.ndim and data.dtype == np.float64:
        return data
    return as_data(data)


def _misfit(op: Op, shapes: Sequence[tuple[int, ...]], error: Exception) -> str:
    """Error message for an operation without a value for arrays of these shapes."""
    both = " and ".join(map(str, shapes))
    if len(shapes) == 1:
        return f"{op.name}: not possible for the shape {both}: {error}"
    return f"{op.name}: the shapes {both} do not fit together{f' ({op.shapes})' if op.shapes else ''}"


def puller(op: Op) -> Callable[[Node], None]:
    """Return a function that adds `node._grad` x partial to each input's grad, for a node of floats."""
    if op.vjps:
        return pull_arrays
    if op.paired:
        return _paired_puller(op.partials)
    if op.variadic:
        return lambda node: pull_variadic(op, node)
    return _fixed_puller(op.arguments, op.partials)


@lru_cache(formula.KEPT_FORMULAS)
def _fixed_puller(arguments: tuple[str, ...], partials: tuple[str, ...]) -> Callable[[Node], None]:
    """Puller of an operation with one or two inputs; operations with the same partials share it."""
    lines = ["def pull(node):", "    g = node._grad", "    A = node._a"]
    if len(arguments) == 2:
        lines.append("    B = node._b")
    used = formula.letters(*partials)
    for argument, holder in zip(arguments, "AB", strict=False):
        if argument in used:
            lines.append(f"    {argument} = {holder}._data")
    if "y" in used:
        lines.append("    y = node._data")
    lines += _accumulations(arguments, partials)
    careful = [formula.scalar_function(text, ", ".join((*arguments, "y"))) for text in partials]
    space = {f"partial{i}": function for i, function in enumerate(careful)}
    names = {**formula.scalar_names(*partials), **space, "RAISED": RAISED}
    return formula.define("\n".join(lines) + "\n", names, "pull")


def _accumulations(names: tuple[str, ...], partials: tuple[str, ...]) -> list[str]:
    """Lines that add to each input's gradient; a safe function replaces an inlined formula that may raise."""
    used = formula.letters(*partials)
    held = zip(names, "AB", strict=False)
    arguments = ", ".join(name if name in used else f"{holder}._data" for name, holder in held)
    y = "y" if "y" in used else "0"
    lines = []
    for index, (text, holder) in enumerate(zip(partials, "AB", strict=False)):
        source = formula.scalar_source(text)
        if text in ("1", "-1"):
            lines.append(f"    {holder}._grad {'+' if text == '1' else '-'}= g")
        elif _may_raise(source):
            lines.append(f"    try:\n        {holder}._grad += g * ({source})")
            lines.append(f"    except RAISED:\n        {holder}._grad += g * partial{index}({arguments}, {y})")
        else:
            lines.append(f"    {holder}._grad += g * ({source})")
    return lines


def _may_raise(source: str) -> bool:
    """True when Python floats may raise where IEEE 754 has an inf or nan."""
    return "/" in source or "**" in source


@lru_cache(formula.KEPT_FORMULAS)
def _paired_puller(partials: tuple[str, ...]) -> Callable[[Node], None]:
    """Puller of an operation over pairs of a weight and an input, and a bias.

    Nothing flows back through an inactive ReLU: 0 times finite numbers (their sum is finite) changes no gradient.
    """
    of_weight, of_input, of_bias = map(formula.scalar_source, partials)
    used = formula.letters(*partials[:2])
    lines = [
        "def pull(node):",
        "    g = node._grad",
        "    if g == 0.0 and node._data - node._data == 0.0: return",
        "    parameters, y = node._a, node._data",
        "    B = parameters[-1]",
        *(["    b = B._data"] if "b" in formula.letters(*partials) else []),
        "    for W, X in zip(parameters, node._b):  # stops before the bias",
        *(f"        {letter} = {letter.upper()}._data" for letter in "wx" if letter in used),
        f"        W._grad += {_times(of_weight)}",
        f"        X._grad += {_times(of_input)}",
        f"    B._grad += {_times(of_bias)}",
    ]
    return formula.define("\n".join(lines) + "\n", formula.scalar_names(*partials), "pull")


def _times(partial: str) -> str:
    return "g" if partial == "1" else f"g * ({partial})"


def pull_variadic(op: Op, node: Node) -> None:
    """Pull the gradient of an operation over any number of float inputs."""
    partial = op.scalar_partials[0]
    y = node._data
    for value, amount in zip(node._a, [node._grad * partial(value._data, y) for value in node._a], strict=True):
        value._grad += amount


def partials_of(op: Op, datas: Sequence[float], y: float) -> list[float]:
    """Local derivatives of the float result `y` of `op` with respect to each of its inputs, whose data are `datas`."""
    if op.vjps:
        return [float(vjp(*datas, y, np.float64(1.0))) for vjp in op.array_vjps]
    if op.paired:
        of_weight, of_input, of_bias = op.scalar_partials
        b = datas[-1]
        pairs = zip(datas[0:-1:2], datas[1:-1:2], strict=True)
        found = [float(partial(w, x, b, y)) for w, x in pairs for partial in (of_weight, of_input)]
        return [*found, float(of_bias(datas[0:-1:2], datas[1:-1:2], b, y))]
    if op.variadic:
        return [float(op.scalar_partials[0](x, y)) for x in datas]
    return [float(partial(*datas, y)) for partial in op.scalar_partials]


def scalar_result(op: Op, datas: Sequence[Any]) -> Any:
    """The op's value for single numbers: floats."""
    if op.paired:
        return op.scalar(datas[0:-1:2], datas[1:-1:2], datas[-1])
    return op.scalar(list(datas)) if op.variadic else op.scalar(*datas)


def pull_arrays(node: Node) -> None:
    """Pull the gradient of a node that holds or consumes arrays: vjps, with broadcasting undone."""
    for value, amount in zip(node.inputs, array_amounts(node, node._grad), strict=True):
        value._grad = value._grad + amount


def array_amounts(node: Node, g: Any) -> list[Any]:
    """Return the contribution of `node` to each of its inputs when its gradient is `g`, in the shape of the input.

    Raises:
        ShapeError: when the shape of an input's data has changed since the node was computed.
    """
    op: Op = node.op
    datas = [value._data for value in node.inputs]
    g = np.broadcast_to(g, np.shape(node._data))
    try:
        amounts = [vjp(*datas, node._data, g) for vjp in op.array_vjps]
        return [unbroadcast(amount, np.shape(data)) for amount, data in zip(amounts, datas, strict=True)]
    except ValueError as error:
        shapes = " and ".join(str(np.shape(data)) for data in datas)
        raise ShapeError(
            f"{op.name} gave the shape {np.shape(node._data)}, and its inputs have the shapes {shapes} now: "
            "their data changed; compute the graph again before backward()"
        ) from error


def unbroadcast(amount: Any, shape: tuple[int, ...]) -> Any:
    """Sum `amount` over the axes along which an input of `shape` was repeated; a float for shape ().

    Raises:
        ValueError: when an input of `shape` cannot be broadcast to the shape of `amount`.
    """
    amount = np.asarray(amount, dtype=np.float64)
    if amount.ndim > len(shape):
        amount = amount.sum(axis=tuple(range(amount.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and amount.shape[axis] != 1)
    if stretched:
        amount = amount.sum(axis=stretched, keepdims=True)
    if amount.shape != shape:
        raise ValueError(f"a gradient of the shape {amount.shape} for the shape {shape}")
    return amount if shape else float(amount)


__all__ = ["ShapeError", "array_amounts", "array_result", "builder", "partials_of", "puller", "scalar_result"]
