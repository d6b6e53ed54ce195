"""A second opinion: the gradient computed by PyTorch for the same graph, if PyTorch is installed.

The graph is computed once more with PyTorch's own functions, from the formulas of the table of operations, and
differentiated by PyTorch's own backward. Tutorials that write `torch.Tensor([2.0]).double()` round their leaves to
float32 and then compute in float64, so their published digits match neither precision: that combination is a third one.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any

from engine.autograd import formula
from engine.autograd.backward import topological_order
from engine.autograd.check import agreeing_digits
from engine.autograd.value import Value

MOST_VALUES = 3_000
"""Maximum size of a graph handed to PyTorch: each value is a tensor of one number."""
PRECISIONS: Mapping[str, tuple[str, str]] = MappingProxyType({
    "float64": ("float64", "float64"),
    "float32": ("float32", "float32"),
    "float64 from float32 leaves": ("float32", "float64"),
})  # fmt: skip
"""Precision of the leaves, and precision of the computation."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """PyTorch's result for one gradient.

    Attributes:
        precision: a name of PRECISIONS.
        gradient: PyTorch's gradient.
        digits: digits in which ours agrees with it, 0 to 16.
    """

    precision: str
    gradient: float
    digits: int


def is_available() -> bool:
    """True when PyTorch is installed; does not import it."""
    return importlib.util.find_spec("torch") is not None


def opinions(root: Value, value: Value, gradient: float, torch: Any = None) -> tuple[Opinion, ...]:
    """Return PyTorch's gradient in each precision; () for arrays and for very large graphs.

    Args:
        root: a scalar value.
        value: of its graph.
        gradient: ours.
        torch: the module; imported when None, which takes a second the first time.
    """
    order = topological_order(root)
    scalar = all(held.data.__class__ is float and (held.op is None or not held.op.vjps) for held in order)
    if not scalar or len(order) > MOST_VALUES:
        return ()
    module = importlib.import_module("torch") if torch is None else torch
    found = []
    for precision, (leaf_dtype, dtype) in PRECISIONS.items():
        theirs = _gradient(module, root, value, getattr(module, leaf_dtype), getattr(module, dtype))
        found.append(Opinion(precision, theirs, agreeing_digits(gradient, theirs)))
    return tuple(found)


def _gradient(torch: Any, root: Value, value: Value, leaf_dtype: Any, dtype: Any) -> float:
    """Compute the gradient with PyTorch, with one precision for the leaves and another for the computation."""
    names, tensors = _names(torch, dtype), dict[Value, Any]()
    for node in topological_order(root):
        if node.op is None:
            tensors[node] = torch.tensor(node.data, dtype=leaf_dtype).to(dtype).requires_grad_(True)
            continue
        compute = formula.library_function(node.op.value, ", ".join(node.op.arguments), names)
        tensors[node] = result = compute(*_arguments(node, [tensors[source] for source in node.inputs]))
        result.retain_grad()
    tensors[root].backward()
    grad = tensors[value].grad
    return 0.0 if grad is None else float(grad)


def _arguments(node: Value, inputs: list[Any]) -> list[Any]:
    """The tensors in the form that the operation's formula takes."""
    assert node.op is not None
    if node.op.paired:
        return [inputs[0:-1:2], inputs[1:-1:2], inputs[-1]]
    return [inputs] if node.op.variadic else inputs


def _names(torch: Any, dtype: Any) -> dict[str, Any]:
    """The functions of the table's formulas as PyTorch has them; plain numbers become tensors."""

    def lifted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *values: function(*(_tensor(torch, value, dtype) for value in values))

    plain = ("exp", "log", "log1p", "sqrt", "sin", "cos", "tanh", "abs", "sigmoid", "where")
    names: dict[str, Any] = {name: lifted(getattr(torch, name)) for name in plain}
    names |= {"max": lifted(torch.maximum), "min": lifted(torch.minimum), "power": lifted(torch.pow), "pi": math.pi}
    names["dot"] = lambda w, x: reduce(add, [a * b for a, b in zip(w, x, strict=True)], 0.0)
    names["logsumexp"] = lambda values: torch.logsumexp(torch.stack(list(values)), 0)
    return names


def _tensor(torch: Any, value: Any, dtype: Any) -> Any:
    return torch.tensor(value, dtype=dtype) if value.__class__ in (int, float) else value
