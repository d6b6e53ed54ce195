"""Values and reverse-mode differentiation: what a node of the computation graph is, and how gradients flow back.

A Value is plain data in slots: no closure, no reference cycle, so that anything can look at it (explanations, pictures,
checks) and memory is freed by counting alone. One class holds float scalars and float64 arrays. Operators and methods
(`+`, `.tanh()`) are made from the table in `ops.py`. Public face: micrograd's; semantics of `backward()`: PyTorch's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd import kernels
from engine.autograd.ops import OPS, Op, along_axis

WHOLE = 2**53
"""Whole numbers below it are floats exactly."""


class ValueDataError(ValueError):
    """Something that cannot be the data of a Value."""


class Value:
    """A node of the computation graph: a number (or float64 array) and how it was computed.

    Attributes:
        data: float, or numpy float64 array of any shape.
        grad: gradient of the root with respect to this value after `backward()`, shaped like `data`; None: not
            computed.
        op: the table's entry that computed it; None for a leaf.
        label: a name to show, may be empty.
    """

    __slots__ = ("_a", "_b", "data", "grad", "label", "op")
    __array_ufunc__ = None  # numpy arrays leave `array * value` to Value

    data: Any
    grad: Any
    op: Op | None
    label: str
    _a: Any
    _b: Any

    def __init__(self, data: Any, label: str = "") -> None:
        """Makes a leaf.

        Args:
            data: a real number, or an array-like of them, which is copied to float64.
            label: the name to show.

        Raises:
            ValueDataError: when data is not made of real numbers.
        """
        self.data = data if data.__class__ is float else _as_data(data)
        self.label = label
        self.grad = self.op = self._a = self._b = None

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The values this one was computed from, in the order of the formula; empty for a leaf."""
        a, b = self._a, self._b
        if b is None:
            return () if a is None else a if a.__class__ is tuple else (a,)
        if a.__class__ is tuple:
            return (*(value for pair in zip(a, b, strict=False) for value in pair), a[-1])
        return (a, b)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of `data`; () for a number."""
        return () if self.data.__class__ is float else self.data.shape

    @property
    def T(self) -> Value:
        """The transposed array."""
        return apply(OPS["transpose"], self)

    def sum(self, axis: int | None = None) -> Value:
        """Sum of all elements, or along one axis."""
        return apply(OPS["sum"] if axis is None else along_axis("sum", axis), self)

    def mean(self, axis: int | None = None) -> Value:
        """Mean of all elements, or along one axis."""
        return apply(OPS["mean"] if axis is None else along_axis("mean", axis), self)

    def backward(self) -> None:
        """Computes the gradient of this value with respect to everything it was computed from.

        As in PyTorch, gradients of leaves add up over calls (set `grad` to None or 0 to start afresh) and those of
        intermediate values start fresh. Iterative: a graph may be of any depth.

        Raises:
            ValueDataError: when this value is an array: only a number has a gradient with respect to its inputs.
        """
        if self.data.__class__ is not float:
            raise ValueDataError(f"backward() starts at a single number; this value has the shape {self.shape}")
        running = gc.isenabled()
        gc.disable()  # as collector_paused() does, without the cost of a context
        try:
            _run_backward(self)
        finally:
            if running:
                gc.enable()

    def __repr__(self) -> str:
        if self.data.__class__ is float and (self.grad is None or self.grad.__class__ is float):
            grad = "None" if self.grad is None else f"{self.grad:.4f}"
            return f"Value(data={self.data:.4f}, grad={grad})"
        return f"Value(data={self.data!r}, grad={self.grad!r})"

    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Value: ...
        def __radd__(self, other: Any) -> Value: ...
        def __sub__(self, other: Any) -> Value: ...
        def __rsub__(self, other: Any) -> Value: ...
        def __mul__(self, other: Any) -> Value: ...
        def __rmul__(self, other: Any) -> Value: ...
        def __truediv__(self, other: Any) -> Value: ...
        def __rtruediv__(self, other: Any) -> Value: ...
        def __pow__(self, other: Any) -> Value: ...
        def __rpow__(self, other: Any) -> Value: ...
        def __matmul__(self, other: Any) -> Value: ...
        def __rmatmul__(self, other: Any) -> Value: ...
        def __neg__(self) -> Value: ...
        def __abs__(self) -> Value: ...
        def __getattr__(self, name: str) -> Callable[..., Value]: ...


class Constant(Value):
    """A number written in a formula, such as the 2 of `2 * x`: a leaf that nobody trains."""

    __slots__ = ()


def _as_data(data: Any) -> Any:
    if data.__class__ is int and -WHOLE < data < WHOLE:
        return float(data)
    if isinstance(data, Value):
        raise ValueDataError("a Value holds numbers, not another Value")
    if isinstance(data, (str, bytes, bool, complex)) or data is None:
        raise ValueDataError(f"a Value holds real numbers, not {data!r}")
    try:
        array = np.array(data, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueDataError(f"a Value holds real numbers, not {data!r}") from error
    return array if array.ndim else float(array)


def _wrap(number: Any) -> Value | None:
    """A number met in an expression as a Constant; None for what is no number."""
    kind = number.__class__
    if kind is float or (kind is int and -WHOLE < number < WHOLE):
        out: Value = object.__new__(Constant)
        out.data = number if kind is float else float(number)
        out.op = out._a = out._b = out.grad = None
        out.label = ""
        return out
    try:
        return Constant(number)
    except ValueDataError:
        return None


def apply(op: Op, *inputs: Value) -> Value:
    """The value of `op` for these inputs, as a new node.

    Raises:
        kernels.ShapeError: when arrays do not fit together.
    """
    datas = [value.data for value in inputs]
    if op.variadic:
        return (
            weighted_sum(inputs[0:-1:2], inputs[1:-1:2], inputs[-1]) if op.name == "weighted_sum" else _many(op, inputs)
        )
    if op.elementwise and all(data.__class__ is float for data in datas):
        return node(op.scalar(*datas), op, *inputs)
    return node(kernels.array_result(op, *datas), op, *inputs)


def node(data: Any, op: Op, first: Any, second: Any = None) -> Value:
    """A computed Value made without checks: `data` must be what `op` gives for the inputs."""
    out = object.__new__(Value)
    out.data, out.op, out._a, out._b, out.grad, out.label = data, op, first, second, None, ""
    return out


def _many(op: Op, inputs: Sequence[Value]) -> Value:
    return node(op.scalar([value.data for value in inputs]), op, tuple(inputs))


def logsumexp(values: Iterable[Value]) -> Value:
    """log(exp(v1) + exp(v2) + ...) of scalar Values, without overflow, as one node."""
    return _many(OPS["logsumexp"], tuple(values))


def weighted_sum(weights: Sequence[Value], inputs: Sequence[Value], bias: Value) -> Value:
    """w1*x1 + w2*x2 + ... + b of scalar Values as one composite node (a neuron's sum).

    Args:
        weights: n Values.
        inputs: n Values.
        bias: one Value.
    """
    return neuron_sum((*weights, bias), tuple(inputs), [x.data for x in inputs])


def neuron_sum(parameters: tuple[Value, ...], inputs: tuple[Value, ...], numbers: Sequence[float]) -> Value:
    """`weighted_sum` for a neuron that is called again and again: its tuples are shared by all the nodes it makes.

    Args:
        parameters: n weights and the bias.
        inputs: n Values; neurons that see the same inputs should hand over the same tuple.
        numbers: the data of `inputs`.
    """
    data = sum(map(mul, [p.data for p in parameters], numbers)) + parameters[-1].data
    out = object.__new__(Value)
    out.data, out.op, out._a, out._b, out.grad, out.label = data, WEIGHTED_SUM, parameters, inputs, None, ""
    return out


def topological_order(*roots: Value) -> list[Value]:
    """Every value the roots were computed from, inputs before what they feed; each once.

    The order is the one of a depth-first search over `inputs` from left to right, found without recursion, root after
    root: a single root stands last.
    """
    order: list[Value] = []
    seen: set[int] = set()
    stack: list[Value | None] = [*reversed(roots)]
    while stack:
        value = stack.pop()
        if value is None:
            order.append(stack.pop())  # type: ignore[arg-type]  # a None always lies on its value
        elif id(value) not in seen:
            seen.add(id(value))
            stack += (value, None)
            stack.extend(reversed(value.inputs))
    return order


def _run_backward(root: Value) -> None:
    if root.op is None:
        root.grad = (root.grad or 0.0) + 1.0
        return
    arrays: list[Value] = []
    order = _prepared_order(root, arrays)
    root.grad = 1.0
    pullers = PULLERS
    pull_arrays = kernels.pull_arrays
    if arrays:
        array_nodes = {id(value) for value in arrays}
        for value in reversed(order):
            (pull_arrays if id(value) in array_nodes else pullers[value.op])(value)
        _fill_untouched(order)
    else:
        for value in reversed(order):
            pullers[value.op](value)


def _prepared_order(root: Value, arrays: list[Value]) -> list[Value]:
    """Computed values in topological order, their gradients and those of fresh leaves set to zero.

    The zero put into `grad` is one float object of this call: finding it there marks a value as visited, which saves a
    set of a million entries. Values with an array on either side are added to `arrays`.
    """
    zero = float("0.0")
    seen: set[int] = set()
    order: list[Value] = []
    stack: list[Any] = [root]
    pop, push = stack.pop, stack.append
    while stack:
        value = pop()
        if value is None:
            order.append(pop())
            continue
        if value.grad is zero:
            continue
        value.grad = zero
        push(value)
        push(None)
        a, b = value._a, value._b
        if a.__class__ is tuple:
            _push_many(value, stack, seen, zero)
        else:
            if b is not None:
                if b._a is None:
                    if b.grad is None:
                        b.grad = zero
                elif b.grad is not zero:
                    push(b)
                if b.data.__class__ is not float:
                    arrays.append(value)
            if a._a is None:
                if a.grad is None:
                    a.grad = zero
            elif a.grad is not zero:
                push(a)
            if a.data.__class__ is not float:
                arrays.append(value)
    return order


def _push_many(value: Value, stack: list[Any], seen: set[int], zero: float) -> None:
    """Puts the inputs of a variadic node on the stack; tuples that nodes share (`neuron_sum`) only once."""
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


def _push_fresh(values: tuple[Value, ...], stack: list[Any], zero: float) -> None:
    """Puts computed values not visited yet on the stack, and a zero into leaves without a gradient."""
    for value in reversed(values):
        if value._a is not None:
            if value.grad is not zero:
                stack.append(value)
        elif value.grad is None:
            value.grad = zero


def _fill_untouched(order: Iterable[Value]) -> None:
    """Gives arrays that received no or a broadcast gradient one of their own shape."""
    for value in order:
        for held in (value, *value.inputs):
            if np.shape(held.grad) != held.shape:
                held.grad = np.broadcast_to(held.grad, held.shape).copy()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the cyclic garbage collector: Values form no cycles, and it would look at every one of them."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


_METHODS = {
    "add": "__add__",
    "sub": "__sub__",
    "mul": "__mul__",
    "div": "__truediv__",
    "pow": "__pow__",
    "neg": "__neg__",
}
_REFLECTED = {"add": "__radd__", "sub": "__rsub__", "mul": "__rmul__", "div": "__rtruediv__", "pow": "__rpow__"}


def _install_methods() -> None:
    """Gives Value an operator or a method for each entry of the table that has a fixed number of inputs."""
    names = {"Value": Value, "wrap": _wrap}
    for op in OPS.values():
        if op.elementwise:
            method = _METHODS.get(op.name, op.name)
            setattr(Value, method, kernels.builder(op, names, method))
        if op.name in _REFLECTED:
            method = _REFLECTED[op.name]
            setattr(Value, method, kernels.builder(op, names, method, reflected=True))
    setattr(Value, "__abs__", getattr(Value, "abs"))  # noqa: B009, B010
    Value.__matmul__ = lambda self, other: _matmul(self, other)  # type: ignore[method-assign]
    Value.__rmatmul__ = lambda self, other: _matmul(other, self)  # type: ignore[method-assign]


def _matmul(left: Any, right: Any) -> Value:
    first, second = (side if isinstance(side, Value) else _wrap(side) for side in (left, right))
    if first is None or second is None:
        raise ValueDataError("@ multiplies arrays")
    return apply(OPS["matmul"], first, second)


_install_methods()

WEIGHTED_SUM = OPS["weighted_sum"]
PULLERS: dict[Op | None, Callable[[Value], None]] = {op: kernels.puller(op) for op in OPS.values()}
"""For each operation the function that pulls a float node's gradient back to its inputs."""
