"""Values and reverse-mode differentiation: the node of the computation graph and its backward pass.

A Value is plain data in slots: no closure, no reference cycle, so that any code can read it (explanations, pictures,
checks) and memory is freed by reference counting alone. One class holds float scalars and float64 arrays. Operators and
methods (`+`, `.tanh()`) are generated from the table in `ops.py`. Public interface: micrograd's; semantics of
`backward()`: PyTorch's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from types import MethodType
from typing import Any

import numpy as np

from engine.autograd import copies, kernels, ops
from engine.autograd.backward import pull_back, run_backward, topological_order
from engine.autograd.data import WHOLE, ShapeError, ValueDataError, as_data, checked_axes, frozen_index
from engine.autograd.operators import Operators
from engine.autograd.ops import OPS, Op, along_axis, at_index


def _set_data(value: Value, data: Any) -> None:
    if data.__class__ is float:
        value._data = data
    elif data is not value._data:  # `a.data -= step` of an array has changed it in place
        value._data = _data_of(data)


class Value(Operators):
    """A node of the computation graph: a number (or float64 array) and the operation that computed it.

    Values copy (`copy.copy`: the same inputs, its own numbers; `copy.deepcopy`: the whole graph) and pickle at any
    depth. A Value is true whatever its number: compare its `data`.

    Attributes:
        data: float, or numpy float64 array of any shape. Setting it accepts the constructor's types, and copies.
        grad: gradient of the root with respect to this value, shaped like `data`; 0 before `backward()`, as in
            micrograd. Setting it to None makes it "not computed" again.
        grad_computed: True when `grad` was computed or set.
        op: the table's entry that computed it; None for a leaf.
        label: a name to show, may be empty.
    """

    __slots__ = ("__weakref__", "_a", "_b", "_data", "_grad", "_place", "label", "op")
    __array_ufunc__ = None  # numpy arrays leave `array * value` to Value

    _place: Any
    op: Op | None
    label: str
    _a: Any
    _b: Any
    _data: Any
    _grad: Any

    data = property(attrgetter("_data"), _set_data, doc="A float, or a numpy float64 array of any shape.")

    def __init__(self, data: Any, _children: Any = (), _op: str = "", label: str = "") -> None:
        """Make a leaf, or, with `_children`, the result of a custom operation, as in micrograd.

        Args:
            data: a real number, or an array-like of real numbers, which is copied to float64.
            _children: the inputs of a custom operation; its rule is then assigned to `_backward`. A string here is the
                label.
            _op: name of that operation.
            label: the name to show.

        Raises:
            ValueDataError: when data is not made of real numbers.
        """
        self._data = data if data.__class__ is float else _data_of(data)
        self.label = label
        self._grad = self.op = self._a = self._b = None
        if _children:
            if _children.__class__ is str:
                self.label = _children
            else:
                inputs = tuple(_children)
                self.op = ops.custom_operation(_op, len(inputs))
                self._a, self._b = (*inputs, None)[:2] if len(inputs) < 3 else (inputs, None)

    @property
    def grad(self) -> Any:
        """Gradient of the root with respect to this value; 0 where it has not been computed."""
        if self._grad is None:
            return 0.0 if self._data.__class__ is float else np.zeros(self._data.shape)
        return self._grad

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self._grad = gradient

    @property
    def grad_computed(self) -> bool:
        """True when the gradient was computed or set."""
        return self._grad is not None

    @property
    def known_grad(self) -> Any:
        """The gradient, or None where it has not been computed."""
        return self._grad

    @property
    def _prev(self) -> set[Value]:
        """The inputs as a set, under micrograd's name."""
        return set(self.inputs)

    @property
    def _op(self) -> str:
        """The operation as micrograd writes it, such as `+` or `ReLU`; "" for a leaf."""
        return "" if self.op is None else self.op.infix or self.op.title or self.op.name

    @property
    def _backward(self) -> Callable[[], None]:
        """The rule that passes this value's gradient on to its inputs; assign a custom one to replace it."""
        return partial(pull_back, self)

    @_backward.setter
    def _backward(self, rule: Callable[[], None]) -> None:
        if self.op is not None:
            self.op = ops.with_rule(self.op, rule)

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The values this one was computed from, in the order of the formula; empty for a leaf."""
        a, b = self._a, self._b
        if b is None:
            return () if a is None else a if a.__class__ is tuple else (a,)
        if a.__class__ is tuple:
            interleaved = [a[-1]] * (2 * len(b) + 1)
            interleaved[0:-1:2], interleaved[1::2] = a[:-1], b
            return tuple(interleaved)
        return (a, b)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of `data`; () for a number."""
        return () if self._data.__class__ is float else self._data.shape

    @property
    def T(self) -> Value:
        """The transposed array."""
        return apply(ops.TRANSPOSE, self)

    def item(self) -> float:
        """The number of a value that holds a single one, as a float.

        Raises:
            ValueDataError: when it holds more than one, or none.
        """
        if np.size(self._data) != 1:
            raise ValueDataError(f"item() gives a single number; this value has the shape {self.shape}")
        return float(np.reshape(self._data, ()))

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Value:
        """Sum of all elements, or along one or several axes (counted from the end when negative).

        Args:
            axis: one or several axes; None: all.
            keepdims: keep these axes, with the length 1.

        Raises:
            ShapeError: for an axis that the shape does not have.
        """
        return self._reduced(ops.SUM, axis, keepdims)

    def mean(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Value:
        """Mean of all elements, or along axes as in `sum`; nan if there are no elements."""
        return self._reduced(ops.MEAN, axis, keepdims)

    def max(self, other: Any = None, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Value:
        """The largest element, of all or along axes as in `sum`; with `other` the larger of two, element by element.

        Several elements that are largest share the gradient in equal parts, as in PyTorch's `amax` (its `max` along a
        dimension picks one of them); of two that are equal each gets half.

        Raises:
            ShapeError: when there are no elements along the axis, and as `sum` does.
        """
        return self._reduced(ops.LARGEST, axis, keepdims) if other is None else _compared(ops.MAXIMUM, self, other)

    def min(self, other: Any = None, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Value:
        """The smallest element, or the smaller of two; everything as in `max`."""
        return self._reduced(ops.SMALLEST, axis, keepdims) if other is None else _compared(ops.MINIMUM, self, other)

    def _reduced(self, op: Op, axis: Any, keepdims: bool) -> Value:
        axes = None if axis is None else checked_axes(op.name, axis, self.shape)
        lengths = self.shape if axes is None else [self.shape[i] for i in np.atleast_1d(axes)]
        if op.needs_elements and 0 in lengths:
            raise ShapeError(f"{op.text}: there is no {op.text} of no elements; the shape is {self.shape}")
        return apply(along_axis(op, axes, bool(keepdims)), self)

    def __getitem__(self, index: Any) -> Value:
        """The elements at an index as numpy takes it: numbers, slices, lists of numbers, masks, `...`, `None`.

        Their gradient goes back to the places they were taken from; a place taken twice gets both gradients.
        """
        if self._data.__class__ is float:
            raise IndexError("a single number has no elements to take by an index")
        op = at_index(frozen_index(index))
        try:
            return node(kernels.array_result(op, self._data), op, self)
        except ShapeError as error:
            reason = str(error.__cause__)
            raise IndexError(f"the index {index!r} does not fit the shape {self.shape}: {reason}") from error

    def __iter__(self) -> Iterator[Value]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single number has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def zero_grad(self) -> None:
        """Set the gradient of this value, and of everything it was computed from, to 0."""
        for value in topological_order(self):
            value._grad = np.zeros(value.shape) if value.shape else 0.0

    def backward(self) -> None:
        """Compute the gradient of this value with respect to everything it was computed from.

        As in PyTorch, gradients of leaves accumulate over calls (set `grad` to None or 0 to reset them) and those of
        intermediate values start fresh. Iterative: a graph may have any depth.

        Raises:
            ValueDataError: when this value is an array: only a number has a gradient with respect to its inputs.
            ShapeError: when the shape of a leaf's data has changed since it was used.
        """
        if self._data.__class__ is not float:
            raise ValueDataError(f"backward() starts at a single number; this value has the shape {self.shape}")
        running = gc.isenabled()
        gc.disable()  # as collector_paused() does, without the cost of a context
        try:
            run_backward(self)
        finally:
            if running:
                gc.enable()

    def __repr__(self) -> str:
        if self._data.__class__ is float and np.ndim(self.grad) == 0:
            return f"Value(data={self._data:.4f}, grad={float(self.grad):.4f})"
        return f"Value(data={self._data!r}, grad={self.grad!r})"

    def __copy__(self) -> Value:
        twin: Value = copies.shallow_copy(self)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Value:
        twin: Value = copies.deep_copy(topological_order(self, known=lambda value: id(value) in memo), memo)
        return twin

    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return copies.reduce(topological_order(self, known=copies.is_recorded) or [self])


class Constant(Value):
    """A number written in a formula, such as the 2 of `2 * x`: a leaf that is never trained."""

    __slots__ = ()


def _data_of(data: Any) -> Any:
    if isinstance(data, Value):
        raise ValueDataError("a Value holds numbers, not another Value: use its .data")
    return as_data(data)


def _wrap(number: Any) -> Value | None:
    """A number in an expression as a Constant; None for anything else."""
    kind = number.__class__
    if kind is float or (kind is int and -WHOLE < number < WHOLE):
        out: Value = object.__new__(Constant)
        out._data = number if kind is float else float(number)
        out.op = out._a = out._b = out._grad = None
        out.label = ""
        return out
    try:
        return Constant(number)
    except ValueDataError:
        return None


def _compared(op: Op, value: Value, other: Any) -> Value:
    second = other if isinstance(other, Value) else _wrap(other)
    if second is None:
        raise TypeError(f"{op.name}: the second is not a number or an array of numbers, but a {type(other).__name__}")
    return apply(op, value, second)


def apply(op: Op, *inputs: Any) -> Value:
    """Return the value of `op` for these inputs, as a new node.

    Args:
        op: an entry of the table, or a custom operation.
        *inputs: Values or numbers; for a weighted sum weight, input, weight, input, ..., bias.

    Raises:
        ShapeError: when arrays do not fit together.
        ValueDataError: for an input that is not made of numbers, or an array where only single numbers are allowed.
        TypeError: for a wrong number of inputs.
    """
    values = [value if isinstance(value, Value) else Constant(value) for value in inputs]
    if op.variadic:
        return _many(op, values)
    if len(values) != op.arity:
        raise TypeError(f"{op.name} takes {op.arity} input{'s' if op.arity != 1 else ''}, not {len(values)}")
    datas = [value._data for value in values]
    if op.elementwise and all(data.__class__ is float for data in datas):
        data = op.scalar(*datas)
        return node(data if data.__class__ is float else as_data(data), op, *values)
    return node(kernels.array_result(op, *datas), op, *values)


def node(data: Any, op: Op, first: Any, second: Any = None) -> Value:
    """A computed Value made without checks: `data` must be the result of `op` for the inputs."""
    out = object.__new__(Value)
    out._data, out.op, out._a, out._b, out._grad, out.label = data, op, first, second, None, ""
    return out


def _many(op: Op, values: Sequence[Value]) -> Value:
    """The node of an operation over any number of single numbers."""
    datas = [value._data for value in values]
    if not values or (op.paired and len(values) % 2 == 0):
        wanted = "pairs of a weight and an input, and a bias" if op.paired else "one value or more"
        raise TypeError(f"{op.name} takes {wanted}; it was given {len(values)} values")
    for place, data in enumerate(datas, start=1):
        if data.__class__ is not float:
            raise ValueDataError(f"{op.name} takes single numbers; input {place} has the shape {data.shape}")
    data = as_data(kernels.scalar_result(op, datas))
    if op.paired:
        return node(data, op, (*values[0:-1:2], values[-1]), tuple(values[1:-1:2]))
    return node(data, op, tuple(values))


def logsumexp(values: Iterable[Any]) -> Value:
    """log(exp(v1) + exp(v2) + ...) of scalar Values, one or more, without overflow, as one node."""
    return apply(ops.LOGSUMEXP, *values)


def weighted_sum(weights: Sequence[Any], inputs: Sequence[Any], bias: Any) -> Value:
    """w1*x1 + w2*x2 + ... + b of scalar Values as one composite node (a neuron's sum).

    Args:
        weights: n Values or numbers.
        inputs: n Values or numbers.
        bias: one Value or number.

    Raises:
        ShapeError: when the numbers of weights and inputs differ.
        ValueDataError: when one is an array.
    """
    if len(weights) != len(inputs):
        raise ShapeError(f"weighted_sum: {len(weights)} weights and {len(inputs)} inputs do not make pairs")
    pairs = zip(weights, inputs, strict=True)
    return apply(ops.WEIGHTED_SUM, *(value for pair in pairs for value in pair), bias)


def neuron_sum(parameters: tuple[Value, ...], inputs: tuple[Value, ...], numbers: Sequence[float]) -> Value:
    """`weighted_sum` for a neuron that is called repeatedly: all nodes it makes share its tuples.

    Args:
        parameters: n weights and the bias.
        inputs: n Values; neurons with the same inputs should pass the same tuple.
        numbers: the data of `inputs`, as `numbers_of` returns them.
    """
    return _NEURON(parameters, inputs, numbers)


def numbers_of(values: Iterable[Value]) -> list[float]:
    """The data of scalar Values; raises ValueDataError if one is an array."""
    numbers = [value._data for value in values]
    for place, number in enumerate(numbers, start=1):
        if number.__class__ is not float:
            raise ValueDataError(f"a neuron takes single numbers; input {place} has the shape {number.shape}")
    return numbers


def add_operation(op: Op) -> None:
    """Add a custom operation to the table; an operation on numbers then is a method of every Value.

    Raises:
        ValueError: when the table or Value already uses that name.
    """
    if op.name in OPS or hasattr(Value, op.name) or not op.name.isidentifier():
        raise ValueError(f"an operation cannot be called {op.name!r}: the name is taken or not valid")
    OPS[op.name] = op
    _install_methods(op)


class _Method:
    """A method of Value that is generated, and replaces this descriptor, on first access."""

    def __init__(self, op: Op, name: str, reflected: bool) -> None:
        self._made_of = op, {"Value": Value, "wrap": _wrap}, name, reflected

    def __get__(self, value: Value | None, owner: type[Value]) -> Any:
        _, _, name, _ = self._made_of
        method = kernels.builder(*self._made_of)
        setattr(Value, name, method)
        return method if value is None else MethodType(method, value)


def _install_methods(op: Op) -> None:
    """Give Value the operators or the method of an operation."""
    for name, reflected in kernels.methods_of(op):
        setattr(Value, name, _Method(op, name, reflected))


for _op in OPS.values():
    _install_methods(_op)
_NEURON: Callable[..., Value] = kernels.neuron_builder(ops.WEIGHTED_SUM, Value)
