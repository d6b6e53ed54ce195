"""`Tensor`: the engine's `Value` with PyTorch's interface, for numbers and arrays of any shape.

A tensor of one element holds a float and is drawn as a number; its `shape` is kept beside it. Everything is computed in
64-bit floats; only the numbers that a program writes are rounded to 32 bits, as PyTorch's are.
"""

from __future__ import annotations

import math
import struct
import sys
from typing import Any

import numpy as np

from engine.autograd.backward import topological_order
from engine.autograd.data import ShapeError, frozen_index
from engine.autograd.ops import LARGEST, MEAN, OPS, SMALLEST, SUM, TRANSPOSE, Op, along_axis, at_index
from engine.autograd.value import Constant, Value, apply, node

from ._kinds import (
    IN_PLACE_OF_LEAF,
    IN_PLACE_WITH_HISTORY,
    Mode,
    Size,
    bool_,
    check_options,
    dtype,
    float32,
    float64,
    int64,
    missing,
)
from ._printing import gradient_name, tensor_text

_FLOAT32 = struct.Struct("f")
_LARGEST_FLOAT32 = 3.4028235e38
RANK = {bool_: 0, int64: 1, float32: 2, float64: 3}
TYPE_NAMES = {bool_: "Bool", int64: "Long", float32: "Float", float64: "Double"}


class Tensor(Value):
    """A number or an array with its history; as `torch.Tensor`."""

    __slots__ = ("_dims", "_keeps_grad", "_owner", "_used", "dtype", "requires_grad")

    def __new__(cls, data: Any = (), *others: Any, **_keywords: Any) -> Any:
        if type(data) is int:  # Tensor(2, 3) has that shape, and numbers that nobody has set
            data = np.zeros((data, *others))
        elif isinstance(data, (bool, float)):
            raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
        held, dims = _held(data)
        kind = data.dtype if isinstance(data, Tensor) else float32
        return made(_rounded(held, kind), dims, kind, cls=cls)

    def __init__(self, *_arguments: Any, **_keywords: Any) -> None:
        pass

    # What it is

    @property
    def shape(self) -> Size:  # type: ignore[override]
        """The lengths of the axes."""
        return Size(self._dims if self._data.__class__ is float else self._data.shape)

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the length of one axis."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        """Return the number of axes."""
        return len(self.shape)

    ndim = property(dim)

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    nelement = numel

    @property
    def is_leaf(self) -> bool:
        """True where no operation computed it."""
        return self.op is None

    @property
    def grad_fn(self) -> Any:
        """Name of the operation that computed it; None for a leaf."""
        return None if self.op is None else f"<{gradient_name(self.op.name)}>"

    @property
    def data(self) -> Tensor:  # type: ignore[override]
        """A tensor of the same numbers without a history; changing it in place changes this tensor.

        Later changes of this tensor reach it only if it holds an array that is changed in place.
        """
        return self._sharing(self._data, self._dims, self._take)

    @data.setter
    def data(self, data: Any) -> None:
        self._data, self._dims = _held(data)
        self.dtype = data.dtype if isinstance(data, Tensor) else self.dtype

    @property
    def grad(self) -> Tensor | None:  # type: ignore[override]
        """The gradient; None before `backward()`, and of what is no leaf that requires it."""
        if self._grad is None or not (self._keeps_grad or (self.requires_grad and self.op is None)):
            return None
        return self._sharing(_copied(self._grad), self._dims, lambda data: setattr(self, "_grad", data))

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self._grad = None if gradient is None else _held(gradient)[0]

    def _sharing(self, data: Any, dims: Any, write: Any) -> Tensor:
        """Return a leaf that holds `data`; after a change in place it calls `write` with its new data."""
        out: Tensor = made(data, dims, self.dtype)
        out._owner = write
        return out

    def _take(self, data: Any) -> None:
        """Hold changed data, and write them back to the tensor that this is a view of."""
        self._data = data
        if self._owner is not None:
            self._owner(data)

    def _array(self) -> Any:
        """Return the numbers as an array of the tensor's shape."""
        return np.full(self._dims, self._data) if self._data.__class__ is float else self._data

    @property
    def _has_history(self) -> bool:
        """True where what is computed from it is recorded."""
        return Mode.grad and self.requires_grad

    def __getattr__(self, name: str) -> Any:
        raise missing("'Tensor' object", name, dir(Tensor))

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Say whether its gradient is wanted, and return it."""
        self.requires_grad = requires_grad
        return self

    def retain_grad(self) -> None:
        """Have `.grad` after `backward()` although an operation computed it."""
        self._keeps_grad = True

    def item(self) -> Any:
        """Return the number of a tensor of one element."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        number = self._data if self._data.__class__ is float else float(self._data.reshape(()))
        return number if self.dtype.is_floating_point else bool(number) if self.dtype is bool_ else int(number)

    def tolist(self) -> Any:
        """Return the numbers as lists inside each other."""
        return self.detach().numpy().tolist()

    def numpy(self) -> Any:
        """Return a NumPy array of the numbers."""
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        array = self._array()
        return array if self.dtype.is_floating_point else array.astype(bool if self.dtype is bool_ else int)

    def detach(self) -> Tensor:
        """Return a tensor of the same numbers without a history; as `data`."""
        return self._sharing(self._data, self._dims, self._take)

    def clone(self) -> Tensor:
        """Return a copy, through which gradients pass."""
        return self + 0.0 if Mode.grad and self.requires_grad else made(_copied(self._data), self._dims, self.dtype)

    def to(self, *wanted: Any, **options: Any) -> Tensor:
        """Return it as another `dtype`; there is one device only."""
        wanted = (*wanted, options.pop("dtype", None))
        check_options("to", options)
        kinds = [each.dtype if isinstance(each, Tensor) else each for each in wanted]
        kinds = [each for each in kinds if isinstance(each, dtype)]
        return self._as(kinds[0]) if kinds else self

    def type(self, kind: Any = None) -> Any:
        """Return it as another `dtype`, or the name of its own type."""
        if kind is None:
            return f"torch.{TYPE_NAMES[self.dtype]}Tensor"
        if not isinstance(kind, dtype):
            raise NotImplementedError("type() takes a dtype here, such as torch.float64")
        return self._as(kind)

    def bool(self) -> Tensor:
        """Return for every element whether it is not 0."""
        return self != 0

    def _as(self, kind: dtype) -> Tensor:
        if kind is self.dtype:
            return self
        if not kind.is_floating_point or (self.op is None and not self.requires_grad):
            data = _whole(self._data) if kind is int64 else _copied(self._data)
            return made(data, self._dims, kind)
        twin = self.clone()  # recorded, so that gradients reach this one
        twin.dtype = kind
        return twin

    # Operators

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(as_tensor(other), self)

    def _in_place(self, result: Any) -> Any:
        """Take the numbers of a result; a recorded result stands in the place of this tensor instead."""
        self._check_kind(result)
        if not (Mode.grad and result.requires_grad):
            return self._assign(result)
        if self.op is None and self.requires_grad:
            raise RuntimeError(IN_PLACE_OF_LEAF)
        return result

    def _assign(self, data: Any) -> Tensor:
        """Set all elements, in the array itself, which other tensors may look at, too."""
        shape, dims, data = self.shape, _held(data)[1], self._of_kind(data)
        dims = dims if data.__class__ is float else data.shape
        if _broadcast(shape, dims) != shape:
            raise RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(dims)}")
        if self._data.__class__ is float:
            self._take(data)
        else:
            self._data[...] = data
            self._take(self._data)
        return self

    def _check_in_place(self, data: Any = None) -> None:
        if Mode.grad and self.requires_grad and self.op is None:
            raise RuntimeError(IN_PLACE_OF_LEAF)
        if Mode.grad and (self.requires_grad or (isinstance(data, Tensor) and data.requires_grad)):
            raise NotImplementedError(IN_PLACE_WITH_HISTORY)

    def _check_kind(self, result: Tensor) -> None:
        if result.dtype.is_floating_point and not self.dtype.is_floating_point:
            raise RuntimeError("result type Float can't be cast to the desired output type Long")

    def fill_(self, number: Any) -> Tensor:
        """Set every element to a number."""
        self._check_in_place()
        return self._assign(number)

    def copy_(self, other: Any) -> Tensor:
        """Take the numbers of another tensor."""
        self._check_in_place(other)
        return self._assign(other)

    def __setitem__(self, index: Any, data: Any) -> None:
        self._check_in_place(data)
        self._write(_index(index), self._of_kind(data))

    def _of_kind(self, data: Any) -> Any:
        """Return numbers as a tensor of this dtype holds them; those of another tensor are not rounded to 32 bits."""
        held = _held(data)[0]
        if self.dtype is bool_:
            return (held != 0.0) * 1.0
        if self.dtype.is_floating_point:
            return held if isinstance(data, Tensor) else _rounded(held, self.dtype)
        return _whole(held)

    def _write(self, index: Any, data: Any) -> None:
        self._check_index(index)
        array = self._array()
        try:
            array[index] = data
        except ValueError as error:
            raise RuntimeError(f"shape mismatch: {error}") from None
        self._take(array.item() if self._data.__class__ is float else array)

    def _check_index(self, index: Any) -> None:
        """Raise the IndexError of PyTorch for an element that there is not: loops over data sets end by it."""
        parts = index if isinstance(index, tuple) else (index,)
        taken = [each for each in parts if each is not None and each is not Ellipsis]
        if len(taken) > self.dim() and not any(hasattr(each, "ndim") for each in taken):
            raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
        if any(each is Ellipsis for each in parts):
            return
        for axis, (each, length) in enumerate(zip(taken, self.shape, strict=False)):
            if type(each) is int and not -length <= each < length:
                raise IndexError(f"index {each} is out of bounds for dimension {axis} with size {length}")

    # Comparisons

    def _compared(self, other: Any, name: str) -> Any:
        exact = isinstance(other, float) and self.dtype is float64
        other = as_tensor(other, float64) if exact else as_tensor(other)
        shape = _broadcast(self.shape, other.shape)
        found = np.asarray(getattr(np, name)(self._data, other._data), dtype=float).reshape(shape)
        return made(found if found.size != 1 else found.item(), shape, bool_)

    __hash__ = Value.__hash__

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return self.item() != 0

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.dtype.is_floating_point:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __format__(self, how: str) -> str:
        return format(self.item(), how) if self.shape == () else object.__format__(self, how)

    def __round__(self, digits: int = 0) -> Tensor:
        return made(np.round(self._data, digits), self._dims, self.dtype)

    # Shapes and elements

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        index = _index(index)
        self._check_index(index)
        parts = index if isinstance(index, tuple) else (index,)
        is_view = all(each is None or each is Ellipsis or type(each) in (int, slice) for each in parts)
        if is_view and not self._has_history:
            found = np.asarray(self._array()[index])
            data = found if found.size != 1 else found.item()
            return self._sharing(data, found.shape, lambda data: self._write(index, data))
        if self._data.__class__ is not float:
            return compute(at_index(frozen_index(index)), self)
        found = self._array()[index]
        if np.size(found) == 1:
            return reshape(self.clone(), np.shape(found))
        return compute(at_index(frozen_index(index)), as_array(self))

    def view(self, *shape: Any) -> Tensor:
        """Return the elements in another shape; one length may be -1."""
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        known = math.prod(length for length in shape if length != -1)
        if (-1 in shape and (not known or self.numel() % known)) or (-1 not in shape and known != self.numel()):
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {self.numel()}")
        return reshape(self, tuple(self.numel() // known if length == -1 else int(length) for length in shape))

    reshape = view

    def squeeze(self, dim: int | None = None) -> Tensor:
        """Return it without axes of the length 1."""
        at = None if dim is None else dim % self.dim()
        return reshape(self, tuple(n for i, n in enumerate(self.shape) if n != 1 or (at is not None and i != at)))

    def unsqueeze(self, dim: int) -> Tensor:
        """Return it with one axis of the length 1 more."""
        shape = list(self.shape)
        shape.insert(dim % (len(shape) + 1), 1)
        return reshape(self, tuple(shape))

    @property
    def T(self) -> Tensor:
        """The transposed tensor."""
        if self.dim() < 2:
            return self
        if not self._has_history and self._data.__class__ is not float:
            return self._sharing(self._data.T, (), lambda data: self._take(data.T))
        return compute(TRANSPOSE, self)

    def transpose(self, first: int, second: int) -> Tensor:
        """Return it with two axes exchanged."""
        if self.dim() != 2 or first % 2 == second % 2:
            raise NotImplementedError("transpose() exchanges the two axes of a matrix here")
        return self.T

    # Reductions

    def _axes(self, dim: Any) -> list[int]:
        """Return the numbers of axes, all for None."""
        if dim is None or dim == ():
            return list(range(self.dim()))
        count = max(self.dim(), 1)
        for each in np.atleast_1d(dim).tolist():
            if not -count <= each < count:
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {each})"
                )
        return [each % count for each in np.atleast_1d(dim).tolist()]

    def _along(
        self, op: Op, dim: Any, keepdim: bool, axis: Any = None, keepdims: bool = False, **options: Any
    ) -> Tensor:
        check_options(op.name, options)
        dim, keepdim = axis if dim is None else dim, keepdim or keepdims
        gone = self._axes(dim)
        dim = None if dim == () or not self.shape else dim
        dim = tuple(dim) if isinstance(dim, list) else dim
        if self._data.__class__ is not float:
            return compute(along_axis(op, dim, keepdim), self)
        result = compute(along_axis(op, None, False), self)
        result._dims = self._dims if keepdim else tuple(n for i, n in enumerate(self._dims) if i not in gone)
        return result

    # Gradients

    def backward(self, gradient: Any = None, retain_graph: bool = False, **options: Any) -> None:  # type: ignore[override]
        """Compute the gradients of everything this was computed from; those of leaves add up."""
        if options.pop("create_graph", False) or options.pop("inputs", None) is not None:
            raise NotImplementedError("backward() has no create_graph and no inputs here")
        check_options("backward", options)
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if gradient is None and self.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if gradient is not None and as_tensor(gradient).shape != self.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {as_tensor(gradient).shape} and output[0] has a "
                f"shape of {self.shape}."
            )
        tensors = [each for each in topological_order(self) if isinstance(each, Tensor)]
        saving = [each for each in tensors if each.op is not None and each.op.name not in _SAVE_NOTHING]
        if any(each._used for each in saving):
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they "
                "have already been freed). Specify retain_graph=True if you need to backward through it a second time."
            )
        root = self if gradient is None else self * as_tensor(gradient)
        for tensor in tensors:
            if not tensor.requires_grad:
                tensor._grad = None  # data have none that a program could see, or set to 0
        Value.backward(root if root._data.__class__ is float else root.sum())
        for tensor in saving:
            tensor._used = tensor._used or not retain_graph

    def reset_gradient(self, set_to_none: bool) -> None:
        """Set the gradient to None, or to zeros."""
        self._grad = None if set_to_none or self._grad is None else self._grad * 0.0

    def __repr__(self) -> str:
        return tensor_text(self)

    def __copy__(self) -> Tensor:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        if self.op is not None and self.requires_grad:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"
            )
        twin = made(_copied(self._data), self._dims, self.dtype, cls=type(self))
        twin.requires_grad, twin._grad = self.requires_grad, None if self._grad is None else _copied(self._grad)
        memo[id(self)] = twin
        return twin

    def __reduce_ex__(self, _protocol: Any) -> Any:
        return as_tensor, (self.tolist(),)


# Making tensors


def made(data: Any, dims: Any, kind: dtype, cls: Any = Tensor) -> Any:
    """Return a leaf that holds `data` as it is."""
    out = object.__new__(cls)
    out._data, out._dims, out.dtype, out._owner = data, dims, kind, None
    out._grad = out.op = out._a = out._b = None
    out._keeps_grad = out._used = out.requires_grad = False
    out.label = ""
    out._place = _place()
    return out


def as_tensor(data: Any, kind: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of numbers; a tensor itself."""
    if isinstance(data, Tensor) and kind is None:
        return data
    held, dims = _held(data)
    if kind is None:
        found = np.asarray(_plain(data)).dtype.kind if not isinstance(data, (bool, int, float)) else ""
        whole, truth = found in ("i", "u") or type(data) is int, found == "b" or type(data) is bool
        kind = bool_ if truth else int64 if whole else float64 if hasattr(data, "dtype") else float32
    tensor: Tensor = made(_whole(held) if kind is int64 else _rounded(held, kind), dims, kind)
    if requires_grad and not kind.is_floating_point:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor.requires_grad = requires_grad
    return tensor


def _place() -> Any:
    """Return where in the program the frame stands that asked for an operation."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename == "<program>":
            return frame.f_code, frame.f_lasti
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _rounded(data: Any, kind: dtype) -> Any:
    """Return numbers that a program gives as 32-bit floats hold them; results are not rounded."""
    if kind is not float32:
        return data
    if data.__class__ is not float:
        return np.asarray(data, dtype=np.float32).astype(np.float64)
    return _FLOAT32.unpack(_FLOAT32.pack(data))[0] if abs(data) < _LARGEST_FLOAT32 else data * math.inf


def _whole(data: Any) -> Any:
    return float(math.trunc(data)) if data.__class__ is float else np.trunc(data)


def _copied(data: Any) -> Any:
    return data if data.__class__ is float else data.copy()


def _held(data: Any) -> tuple[Any, tuple[int, ...]]:
    """Return what a tensor holds for numbers, and its shape: a float for one element, else a float64 array."""
    if isinstance(data, Tensor):
        return _copied(data._data), data._dims
    if isinstance(data, Value):
        data = data._data
    if isinstance(data, (bool, int, float)):
        return data * 1.0, ()
    if isinstance(data, (list, tuple)) and len(data) == 1 and type(data[0]) in (int, float):
        return data[0] * 1.0, (1,)
    array = np.array(_plain(data), dtype=np.float64)
    if array.size == 1:
        return array.reshape(()).item(), tuple(array.shape)
    return array, tuple(array.shape)


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        return data.tolist()
    return [_plain(each) for each in data] if isinstance(data, (list, tuple)) else data


def _index(index: Any) -> Any:
    if isinstance(index, Tensor):
        if index.dtype is bool_ or index.shape:
            return index.numpy()
        return index.item()
    return tuple(map(_index, index)) if isinstance(index, tuple) else index


# Operations


def compute(op: Op, *inputs: Any) -> Any:
    """Return the tensor that an operation gives, with its history where a gradient may be asked for."""
    n_axes = max((np.ndim(each._data) for each in inputs if isinstance(each, Tensor)), default=0)
    values = [
        Constant(_held(each)[0]) if not isinstance(each, Value)
        else as_array(each) if isinstance(each, Tensor) and 0 < n_axes < len(each._dims) and np.ndim(each._data) == 0
        else each
        for each in inputs
    ]  # fmt: skip
    tensors = [each for each in values if isinstance(each, Tensor)]
    if op.arity == 2 and op.elementwise and len(tensors) == 2:
        _broadcast(tensors[0].shape, tensors[1].shape)
    try:
        result = recorded(apply(op, *values), tensors)
    except ShapeError as error:
        raise (IndexError if op.name == "getitem" else RuntimeError)(str(error)) from None
    if op.name in _ARITHMETIC and all(isinstance(each, Tensor) and each.dtype is bool_ for each in inputs):
        if op.name in ("sub", "neg"):
            raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. Use `~` instead.")
        return result != 0
    if not result.dtype.is_floating_point and any(isinstance(each, float) for each in inputs):
        result.dtype = float32
    elif not result.dtype.is_floating_point and op.name == "pow" and np.any(values[1].data < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return result


def recorded(value: Value, inputs: Any, dims: Any = None) -> Tensor:
    """Return a computed value of the engine as a tensor."""
    kinds = {each.dtype for each in inputs}
    # as in PyTorch, a 0-d tensor changes the dtype of an array only if it is of a higher category (bool < int < float)
    wide = {each.dtype for each in inputs if each.shape}
    if wide and any(each.is_floating_point for each in wide) | (not any(each.is_floating_point for each in kinds)):
        kinds = wide
    kind = max(kinds, key=lambda each: RANK[each], default=float32)
    if value.op is not None and value.op.name == "sum" and not kind.is_floating_point:
        kind = int64
    elif not kind.is_floating_point and not (value.op is not None and value.op.name in _WHOLE):
        kind = float32
    out: Tensor = made(value._data, dims_of(*inputs) if dims is None else dims, kind)
    if kind is bool_ and value.op is not None and value.op.name in _ARITHMETIC:
        out.dtype = int64
    if Mode.grad and any(each.requires_grad for each in inputs):
        out.requires_grad = True
        out.op, out._a, out._b = value.op, value._a, value._b
    return out


_ARITHMETIC = {"add", "sub", "mul", "pow", "neg", "abs", "max", "min"}
_WHOLE = _ARITHMETIC | {
    "getitem",
    "reshape",
    "matmul",
    "cat",
    "where",
    "clamp",
    LARGEST.name,
    SMALLEST.name,
    TRANSPOSE.name,
}
"""Operations whose results are whole numbers where their inputs are."""
_SAVE_NOTHING = {"add", "sub", "neg", SUM.name, MEAN.name, "reshape", "getitem", "cat", TRANSPOSE.name}
"""Operations that need no numbers for their backward pass, so that it may run twice."""


def dims_of(*tensors: Tensor) -> tuple[int, ...]:
    """Return the shape of a result of one element."""
    return max((each._dims for each in tensors if each._data.__class__ is float), key=len, default=())


def operation(name: str, forward: Any, *backwards: Any) -> Op:
    """Return an operation on arrays that is not in the table.

    Args:
        name: to be shown.
        forward: returns the result for the inputs.
        backwards: for each input, returns its gradient for the inputs, the result and the gradient of the result.
    """
    op = Op(name, "x", vjps=("g",) * len(backwards))
    vars(op).update(array=forward, array_vjps=backwards)
    return op


def _broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a result, element by element."""
    try:
        return np.broadcast_shapes(first, second)
    except ValueError:
        pairs = [*zip(first[::-1], second[::-1], strict=False)]
        at = next(k for k, (one, other) in enumerate(pairs) if one != other and 1 not in (one, other))
        raise RuntimeError(
            f"The size of tensor a ({pairs[at][0]}) must match the size of tensor b ({pairs[at][1]}) at non-singleton "
            f"dimension {max(len(first), len(second)) - 1 - at}"
        ) from None


def reshape(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the elements in another shape."""
    if not tensor._has_history:
        data = tensor._data if tensor._data.__class__ is float else tensor._data.reshape(shape)
        old = np.shape(tensor._data)
        if old and data.base is None:  # NumPy had to copy
            return made(data, tuple(shape), tensor.dtype)
        return tensor._sharing(data, tuple(shape), lambda data: tensor._take(np.reshape(data, old) if old else data))
    inner = () if tensor._data.__class__ is float else shape
    op = operation("reshape", lambda x: np.reshape(x, inner), lambda x, y, g: np.reshape(g, np.shape(x)))
    result: Tensor = compute(op, tensor)
    result._dims = tuple(shape)
    return result


def as_array(tensor: Tensor, shape: tuple[int, ...] | None = None) -> Tensor:
    """Return a tensor whose data are an array, also where it has one element, which may have another shape."""
    if tensor._data.__class__ is not float:
        return tensor
    dims = tensor._dims if shape is None else shape
    op = operation("reshape", lambda x: np.reshape(x, dims), lambda x, y, g: float(np.reshape(g, ())))
    value = node(np.full(dims, tensor._data), op, tensor)
    return recorded(value, [tensor])


def matmul(left: Any, right: Any) -> Tensor:
    """Return the matrix product."""
    left, right = as_tensor(left), as_tensor(right)
    if not left.shape or not right.shape:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are 0D and 1D")
    inner = right.shape[-2] if right.dim() > 1 else right.shape[0]
    if left.shape[-1] != inner:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, left.shape))} and "
            f"{'x'.join(map(str, right.shape))})"
        )
    if left._data.__class__ is float and right._data.__class__ is float:
        result = compute(OPS["mul"], left, right)
        result._dims = (1,) * (left.dim() + right.dim() - 2)
        return result
    return compute(OPS["matmul"], as_array(left), as_array(right))
