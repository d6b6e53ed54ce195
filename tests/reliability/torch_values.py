"""Runs programs in PyTorch's float64, one JSON line each: for a Python that has torch, and without Gradstep.

Reads a program from each line of the standard input, and writes what it printed and its error. `Value` of a program is
a wrapper of a tensor with the interface of Gradstep's: `backward()` adds to the gradients of leaves, and replaces those
of computed values.
"""

import contextlib
import io
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)


class Value:
    """A tensor of float64 that looks like a Value of Gradstep."""

    __array_ufunc__ = None

    def __init__(self, data, inputs=(), op="", label=""):
        self.t = torch.tensor(data, dtype=torch.float64, requires_grad=True)

    @property
    def data(self):
        return self.t.item() if self.t.dim() == 0 else self.t.detach().numpy()

    @data.setter
    def data(self, data):
        self.t.data.copy_(torch.as_tensor(data, dtype=torch.float64))

    @property
    def grad(self):
        if self.t.grad is None:
            return 0.0 if self.t.dim() == 0 else torch.zeros_like(self.t).numpy()
        return self.t.grad.item() if self.t.dim() == 0 else self.t.grad.numpy()

    @grad.setter
    def grad(self, gradient):
        self.t.grad = None if gradient is None else torch.as_tensor(gradient, dtype=torch.float64).expand_as(self.t)

    def backward(self):
        seen, stack = set(), [self.t.grad_fn]
        while stack:
            function = stack.pop()
            if function is not None and function not in seen:
                seen.add(function)
                stack += [each for each, _ in function.next_functions]
        for value in computed:
            if value.t.grad_fn in seen:
                value.t.grad = None
        self.t.backward(retain_graph=True)

    def zero_grad(self):
        raise NotImplementedError

    def sum(self, axis=None, keepdims=False):
        return result(self.t.sum() if axis is None else self.t.sum(axis, keepdim=keepdims))

    def mean(self, axis=None, keepdims=False):
        return result(self.t.mean() if axis is None else self.t.mean(axis, keepdim=keepdims))

    def max(self, other=None, axis=None, keepdims=False):
        if other is not None:
            return result(torch.maximum(self.t, tensor_of(other)))
        return result(self.t.amax() if axis is None else self.t.amax(axis, keepdim=keepdims))

    def min(self, other=None, axis=None, keepdims=False):
        if other is not None:
            return result(torch.minimum(self.t, tensor_of(other)))
        return result(self.t.amin() if axis is None else self.t.amin(axis, keepdim=keepdims))

    @property
    def T(self):
        return result(self.t.T)

    def __getitem__(self, index):
        return result(self.t[index])

    def __iter__(self):
        return (self[i] for i in range(len(self.t)))

    def __len__(self):
        return len(self.t)

    def item(self):
        return self.t.item()


def tensor_of(thing):
    return thing.t if isinstance(thing, Value) else torch.as_tensor(thing, dtype=torch.float64)


computed = []


def result(tensor):
    made = object.__new__(Value)
    made.t = tensor
    if tensor.requires_grad:
        tensor.retain_grad()
        computed.append(made)
    return made


def _operator(name, function):
    def forward(self, other):
        return result(function(self.t, tensor_of(other)))

    def reflected(self, other):
        return result(function(tensor_of(other), self.t))

    setattr(Value, f"__{name}__", forward)
    setattr(Value, f"__r{name}__", reflected)


for _name in ("add", "sub", "mul", "pow", "matmul"):
    _operator(_name, getattr(torch, _name))
_operator("truediv", torch.div)
FUNCTIONS = {
    "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "relu": torch.relu, "leaky_relu": F.leaky_relu, "elu": F.elu, "softplus": F.softplus, "swish": F.silu,
    "gelu": lambda x: F.gelu(x, approximate="tanh"), "sin": torch.sin, "cos": torch.cos, "abs": torch.abs,
    "__neg__": torch.neg, "__abs__": torch.abs,
}  # fmt: skip
for _name, _function in FUNCTIONS.items():
    setattr(Value, _name, lambda self, _function=_function: result(_function(self.t)))


def _called(name):
    def function(first, *others):
        if isinstance(first, Value):
            return getattr(first, name)(*others)
        if others and isinstance(others[0], Value):
            return getattr(others[0], name)(first)
        return getattr(tensor_of(first), name)(*map(tensor_of, others)).item()

    return function


OFFERED = {name: _called(name) for name in FUNCTIONS if not name.startswith("_") and name != "abs"}


def run(program):
    computed.clear()
    out, error = io.StringIO(), None
    try:
        code = compile(program, "<program>", "exec")
        with contextlib.redirect_stdout(out):
            exec(code, {"__name__": "__main__", "Value": Value, "math": math, **OFFERED})
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    return [out.getvalue(), error]


if __name__ == "__main__":
    for _line in sys.stdin:
        print(json.dumps(run(json.loads(_line))), flush=True)
