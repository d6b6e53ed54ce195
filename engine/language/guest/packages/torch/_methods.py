"""Methods of tensors by name, among them operators, comparisons and the functions of the table of operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.ops import LARGEST, OPS, SMALLEST, Op

from ._functions import bitwise, erf, floor_divided, logsumexp, remainder
from ._kinds import bool_, float32, float64, int64
from ._reductions import argmax, clamp, largest, mean, smallest, total, var
from ._tensor import Tensor, as_tensor, compute, matmul, operation

_ROOT = operation("sqrt", np.sqrt, lambda _x, y, g: g * np.where(y == 0.0, 0.0, 0.5 / np.where(y == 0.0, 1.0, y)))
"""Square root whose derivative counts as 0 where all numbers are equal."""
METHODS: dict[str, Any] = {
    "sum": total,
    "mean": mean,
    "var": var,
    "max": largest,
    "min": smallest,
    "argmax": argmax,
    "clamp clip": clamp,
    "double": lambda x: x._as(float64),
    "float": lambda x: x._as(float32),
    "long int": lambda x: x._as(int64),
    "cpu cuda contiguous": lambda x: x,
    "zero_": lambda x: x.fill_(0.0),
    "flatten": lambda x: x.view(-1),
    "t": lambda x: x.T,
    "square": lambda x: x**2,
    "dot mm mv matmul": matmul,
    "std": lambda x, *given, **named: compute(_ROOT, x.var(*given, **named)),
    "__pos__": lambda x: x,
    "amax": lambda x, dim=None, keepdim=False: x._along(LARGEST, dim, keepdim),
    "amin": lambda x, dim=None, keepdim=False: x._along(SMALLEST, dim, keepdim),
    "argmin": lambda x, dim=None, keepdim=False: (-x.detach()).argmax(dim, keepdim),
    "all": lambda x: as_tensor(bool(np.all(x._data)), bool_),
    "any": lambda x: as_tensor(bool(np.any(x._data)), bool_),
    "log_softmax": lambda x, dim: x - x.logsumexp(dim, True),
    "softmax": lambda x, dim: x.log_softmax(dim).exp(),
    "logsumexp": logsumexp,
    "erf": erf,
    "__mod__ remainder": lambda x, other: remainder(x, as_tensor(other)),
    "__rmod__": lambda x, other: remainder(as_tensor(other), x),
    "__floordiv__ floor_divide": lambda x, other: floor_divided(x, as_tensor(other)),
    "__rfloordiv__": lambda x, other: floor_divided(as_tensor(other), x),
    "__invert__": lambda x: bitwise(np.invert, x),
    "__and__ __rand__": lambda x, other: bitwise(np.bitwise_and, x, as_tensor(other)),
    "__or__ __ror__": lambda x, other: bitwise(np.bitwise_or, x, as_tensor(other)),
    "__xor__ __rxor__": lambda x, other: bitwise(np.bitwise_xor, x, as_tensor(other)),
}
"""Methods by name; names that stand together are spellings of the same method."""


def install() -> None:
    """Give tensors `METHODS`, operators, comparisons, and the functions of the table of operations."""

    def elementwise(op: Op) -> Any:
        return lambda self: compute(op, self)

    def operator(op: Op) -> tuple[Any, ...]:
        def forward(self: Any, other: Any) -> Any:
            return compute(op, self, other)

        def reflected(self: Any, other: Any) -> Any:
            return compute(op, other, self)

        def replaced(self: Any, other: Any) -> Any:
            return self._in_place(compute(op, self, other))

        def in_place(self: Any, other: Any, *, alpha: Any = 1) -> Any:
            self._check_in_place(other)
            result = compute(op, self, other if alpha == 1 else alpha * other)
            self._check_kind(result)
            return self._assign(result)

        return forward, reflected, replaced, in_place

    def comparison(name: str) -> Any:
        def compare(self: Any, other: Any) -> Any:
            return NotImplemented if other is None or isinstance(other, str) else self._compared(other, name)

        return compare

    for spellings, method in METHODS.items():
        for name in spellings.split():
            setattr(Tensor, name, method)
    for name in ("add", "sub", "mul", "div", "pow"):
        python = "truediv" if name == "div" else name
        names = (f"__{python}__", name), (f"__r{python}__",), (f"__i{python}__",), (f"{name}_",)
        for attributes, method in zip(names, operator(OPS[name]), strict=True):
            for attribute in attributes:
                setattr(Tensor, attribute, method)
    for attribute, name in (("eq", "equal"), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"),
                            ("gt", "greater"), ("ge", "greater_equal")):  # fmt: skip
        setattr(Tensor, f"__{attribute}__", comparison(name))
    for op in OPS.values():
        if op.elementwise and op.arity == 1:
            for name in (op.name, *op.synonyms, *([f"__{op.name}__"] if op.name in ("neg", "abs") else ())):
                setattr(Tensor, name, elementwise(op))
