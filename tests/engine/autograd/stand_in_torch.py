"""As much of PyTorch's face as the second opinion uses, on numpy and Values, for machines without PyTorch.

Its numbers come from this engine, so it checks how the graph is handed over and what is said, not the gradients.
"""

import numpy as np

from engine.autograd import OPS, Value, apply
from engine.autograd import logsumexp as logsumexp_of_values

float32, float64 = np.float32, np.float64


class Tensor:
    """A Value behind PyTorch's methods."""

    def __init__(self, value):
        self.value, self.is_kept = value, False

    def to(self, dtype):
        self.value.data = float(dtype(self.value.data))
        return self

    def requires_grad_(self, wanted):
        self.is_kept = wanted
        return self

    def retain_grad(self):
        self.is_kept = True

    def backward(self):
        self.value.backward()

    @property
    def grad(self):
        return self.value.grad if self.is_kept else None


def value_of(thing):
    return thing.value if isinstance(thing, Tensor) else thing


def method(name):
    return lambda self, other=None: Tensor(getattr(self.value, name)(*(() if other is None else (value_of(other),))))


for operator in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg"):
    setattr(Tensor, f"__{operator}__", method(f"__{operator}__"))


def tensor(data, dtype):
    return Tensor(Value(float(dtype(data))))


def function(name):
    return lambda *values: Tensor(apply(OPS[name], *map(value_of, values)))


exp, log, sqrt, sin, cos, tanh, sigmoid = map(function, ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid"))
abs, maximum, minimum, pow = map(function, ("abs", "max", "min", "pow"))


def log1p(x):
    return log(x + 1.0)


def where(*_values):
    raise NotImplementedError("choices are left to PyTorch itself")


def stack(tensors):
    return [each.value for each in tensors]


def logsumexp(values, _axis):
    return Tensor(logsumexp_of_values(values))
