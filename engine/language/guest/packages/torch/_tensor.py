"""`Tensor`: the engine's `Value` with PyTorch's interface, for numbers and arrays of any shape.

A tensor of one element holds a float and is drawn as a number; its `shape` is kept beside it. Everything is computed in
64-bit floats; only the numbers that a program writes are rounded
to 32 bits, as PyTorch's are.
"""

from __future__ import annotations

import math
import struct
import sys
from typing import Any, NamedTuple

import numpy as np

from engine.autograd.backward import topological_order
from engine.autograd.data import frozen_index
from engine.autograd.ops import LARGEST, MAXIMUM, MEAN, MINIMUM, OPS, SMALLEST, SUM, TRANSPOSE, Op, along_axis, at_index
from engine.autograd.value import Constant, Value, apply, node

from ._kinds import IN_PLACE_OF_LEAF, IN_PLACE_WITH_HISTORY, Mode, Size, bool_, dtype, float32, float64, int64, missing
from ._printing import gradient_name, tensor_text

_FLOAT32 = struct.Struct("f")
_LARGEST_FLOAT32 = 3.4028235e38
RANK = {bool_: 0, int64: 1, float32: 2, float64: 3}


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
        """The same numbers without a history; changing them in place changes these."""
        return made(self._data, self._dims, self.dtype, owner=(self, "_data"))

    @data.setter
    def data(self, data: Any) -> None:
        self._data, self._dims = _held(data)

    @property
    def grad(self) -> Tensor | None:  # type: ignore[override]
        """The gradient; None before `backward()`, and of what is no leaf that requires it."""
        if self._grad is None or not (self._keeps_grad or (self.requires_grad and self.op is None)):
            return None
        return made(self._grad, self._dims, self.dtype, owner=(self, "_grad"))

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self._grad = None if gradient is None else _held(gradient)[0]

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
        array = np.full(self._dims, self._data) if self._data.__class__ is float else self._data
        return array if self.dtype.is_floating_point else array.astype(bool if self.dtype is bool_ else int)

    def detach(self) -> Tensor:
        """Return the same numbers without a history."""
        return made(self._data, self._dims, self.dtype)

    def clone(self) -> Tensor:
        """Return a copy, through which gradients pass."""
        return self + 0.0 if Mode.grad and self.requires_grad else made(_copied(self._data), self._dims, self.dtype)

    def to(self, *wanted: Any, **_: Any) -> Tensor:
        """Return it as another `dtype`; there is one device only."""
        kinds = [each for each in wanted if isinstance(each, dtype)]
        return self._as(kinds[0]) if kinds else self

    def bool(self) -> Tensor:
        """Return for every element whether it is not 0."""
        return self != 0

    type = to

    def _as(self, kind: dtype) -> Tensor:
        if kind is self.dtype:
            return self
        if self.op is None and not self.requires_grad:
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
        data, dims = _held(data)
        if data.__class__ is float and self._data.__class__ is not float:
            data = np.full(self._data.shape, data)
        if data.__class__ is not float:
            data = _copied(data)
        else:
            dims = self._dims
        self._data, self._dims = data, dims
        owner = self._owner
        while owner is not None:  # w.grad.data.zero_() reaches the gradient of w
            tensor, slot = owner
            setattr(tensor, slot, data)
            owner = tensor._owner if slot == "_data" else None
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
        array = np.full(self._dims, self._data) if self._data.__class__ is float else self._data
        array[_index(index)] = _held(data)[0]
        if self._data.__class__ is float:
            self._assign(array)

    # Comparisons

    def _compared(self, other: Any, name: str) -> Any:
        other = as_tensor(other)
        found = getattr(np, name)(self._data, other._data)
        dims = dims_of(self, other)
        return made(np.asarray(found, dtype=float) if np.ndim(found) else float(found), dims, bool_)

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
        if self._data.__class__ is not float:
            return compute(at_index(frozen_index(index)), self)
        found = np.full(self._dims, self._data)[index]
        return reshape(self, np.shape(found)) if np.size(found) else made(found, (), self.dtype)

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
        return self if self.dim() < 2 else compute(TRANSPOSE, self)

    def transpose(self, first: int, second: int) -> Tensor:
        """Return it with two axes exchanged."""
        if self.dim() != 2 or first % 2 == second % 2:
            raise NotImplementedError("transpose() exchanges the two axes of a matrix here")
        return self.T

    # Reductions

    def sum(self, dim: Any = None, keepdim: bool = False, **names: Any) -> Tensor:  # type: ignore[override]
        """Return the sum of all elements, or along axes."""
        return self._along(SUM, dim, keepdim, **names)

    def mean(self, dim: Any = None, keepdim: bool = False, **names: Any) -> Tensor:  # type: ignore[override]
        """Return the mean of all elements, or along axes."""
        if not self.dtype.is_floating_point:
            kind = "Bool" if self.dtype is bool_ else "Long"
            raise RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {kind}"
            )
        return self._along(MEAN, dim, keepdim, **names)

    def var(self, dim: Any = None, keepdim: bool = False, unbiased: bool = True) -> Tensor:
        """Return the variance; `unbiased`: divided by one less than the number of elements."""
        if not self.dtype.is_floating_point:
            raise RuntimeError("std and var only support floating point and complex dtypes")
        squares = (self - self.mean(dim, dim is not None)) ** 2
        total = squares.sum(dim, keepdim)
        return total / (squares.numel() // max(total.numel(), 1) - (1 if unbiased else 0))

    def max(self, dim: Any = None, keepdim: bool = False) -> Any:  # type: ignore[override]
        """Return the largest element; along an axis with its index."""
        return self._extreme(LARGEST, MAXIMUM, dim, keepdim)

    def min(self, dim: Any = None, keepdim: bool = False) -> Any:  # type: ignore[override]
        """Return the smallest element; along an axis with its index."""
        return self._extreme(SMALLEST, MINIMUM, dim, keepdim)

    def argmax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Return the index of the largest element, or along an axis."""
        array = np.full(self._dims, self._data) if self._data.__class__ is float else self._data
        return as_tensor(np.argmax(array, axis=dim, keepdims=keepdim), int64)

    def _extreme(self, along: Op, pair: Op, dim: Any, keepdim: Any) -> Any:
        if isinstance(dim, Tensor):
            return compute(pair, self, dim)
        if dim is None:
            return self._along(along, None, False)
        indices = self.argmax(dim, keepdim) if along is LARGEST else self.argmin(dim, keepdim)
        values = self._along(along, dim, keepdim)
        if self._data.__class__ is not float and values.requires_grad:
            places = self.argmax(dim, True) if along is LARGEST else self.argmin(dim, True)
            ties = (self._data == np.reshape(values._data, places.shape)).sum() > values.numel()
            if ties:  # the gradient goes to the one at the index, not to all of them
                index = list(np.ogrid[tuple(map(slice, self.shape))])
                index[dim] = places.numpy()
                picked = self[tuple(index)]
                values = picked if keepdim else picked.squeeze(dim)
        return Extremes(values, indices)

    def _along(self, op: Op, dim: Any, keepdim: bool, axis: Any = None, keepdims: bool = False, **_: Any) -> Tensor:
        dim, keepdim = axis if dim is None else dim, keepdim or keepdims
        dim = tuple(dim) if isinstance(dim, list) else dim
        if self._data.__class__ is not float:
            return compute(along_axis(op, dim, keepdim), self)
        gone = range(len(self._dims)) if dim is None else [at % len(self._dims) for at in np.atleast_1d(dim).tolist()]
        result = compute(along_axis(op, None, False), self)
        result._dims = self._dims if keepdim else tuple(n for i, n in enumerate(self._dims) if i not in gone)
        return result

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Return the elements, moved into a range."""
        if isinstance(min, Tensor) or isinstance(max, Tensor):
            result = self if min is None else compute(MAXIMUM, self, min)
            return result if max is None else compute(MINIMUM, result, max)
        low, high = (-math.inf if min is None else min), (math.inf if max is None else max)

        def clipped(x: Any) -> Any:
            return float(np.clip(x, low, high)) if x.__class__ is float else np.clip(x, low, high)

        return compute(operation("clamp", clipped, lambda x, _y, g: g * ((x >= low) & (x <= high))), self)

    clip = clamp

    # Gradients

    def backward(self, gradient: Any = None, retain_graph: bool = False, **_: Any) -> None:  # type: ignore[override]
        """Compute the gradients of everything this was computed from; those of leaves add up."""
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if self._used:
            raise RuntimeError(
                "Trying to backward through the graph a second time (or directly access saved tensors after they "
                "have already been freed). Specify retain_graph=True if you need to backward through it a second time."
            )
        if gradient is None and self.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        root = self if gradient is None else self * as_tensor(gradient)
        for tensor in topological_order(root):
            if isinstance(tensor, Tensor) and not tensor.requires_grad:
                tensor._grad = None  # data have none that a program could see, or set to 0
        Value.backward(root if root._data.__class__ is float else root.sum())
        self._used = not (retain_graph or self.op is None)

    def zero_grad(self) -> None:
        """Set the gradient to 0."""
        self._grad = None

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
        twin.requires_grad = self.requires_grad
        memo[id(self)] = twin
        return twin

    def __reduce_ex__(self, _protocol: Any) -> Any:
        return as_tensor, (self.tolist(),)


class Extremes(NamedTuple):
    """The largest or smallest elements along an axis, and where they stand."""

    values: Any
    indices: Any


# Making tensors


def made(data: Any, dims: Any, kind: dtype, owner: Any = None, cls: Any = Tensor) -> Any:
    """Return a leaf that holds `data` as it is; `owner`: a tensor and its slot that follow changes in place."""
    out = object.__new__(cls)
    out._data, out._dims, out.dtype, out._owner = data, dims, kind, owner
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
    values = [each if isinstance(each, Value) else Constant(_held(each)[0]) for each in inputs]
    tensors = [each for each in values if isinstance(each, Tensor)]
    result = recorded(apply(op, *values), tensors)
    if not result.dtype.is_floating_point and any(isinstance(each, float) for each in inputs):
        result.dtype = float32
    elif not result.dtype.is_floating_point and op.name == "pow" and np.any(values[1].data < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return result


def recorded(value: Value, inputs: Any, dims: Any = None) -> Tensor:
    """Return a computed value of the engine as a tensor."""
    kinds = {each.dtype for each in inputs}
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


def reshape(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the elements in another shape."""
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


METHODS: dict[str, Any] = {
    "double": lambda x: x._as(float64),
    "float": lambda x: x._as(float32),
    "long int": lambda x: x._as(int64),
    "cpu cuda contiguous": lambda x: x,
    "zero_": lambda x: x.fill_(0.0),
    "flatten": lambda x: x.view(-1),
    "t": lambda x: x.T,
    "square": lambda x: x**2,
    "dot mm mv matmul": matmul,
    "std": lambda x, dim=None, keepdim=False, unbiased=True: x.var(dim, keepdim, unbiased).sqrt(),
    "amax": lambda x, dim=None, keepdim=False: x._along(LARGEST, dim, keepdim),
    "amin": lambda x, dim=None, keepdim=False: x._along(SMALLEST, dim, keepdim),
    "argmin": lambda x, dim=None, keepdim=False: (-x.detach()).argmax(dim, keepdim),
    "all": lambda x: as_tensor(bool(np.all(x._data)), bool_),
    "any": lambda x: as_tensor(bool(np.any(x._data)), bool_),
    "log_softmax": lambda x, dim: x - x.logsumexp(dim, True),
    "softmax": lambda x, dim: x.log_softmax(dim).exp(),
}
"""Methods of one line; the names that stand together are the same method."""


def _install() -> None:
    """Give tensors the methods of one line, operators, comparisons and the methods of the table of operations."""

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


_install()
