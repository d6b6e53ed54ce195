from typing import NamedTuple, Callable, List
import math
class Dependency(NamedTuple):
    tensor: 'Tensor'
    grad_fn: Callable
class Tensor:
    def __init__(self, data, depends_on=None):
        self.data = data
        self.depends_on = depends_on or []
        self.grad = 0.0
    def __mul__(self, other):
        return Tensor(self.data * other.data, [Dependency(self, lambda g: g * other.data), Dependency(other, lambda g: g * self.data)])
    def tanh(self):
        t = math.tanh(self.data)
        return Tensor(t, [Dependency(self, lambda g: g * (1 - t * t))])
    def backward(self, grad=1.0):
        self.grad += grad
        for d in self.depends_on:
            d.tensor.backward(d.grad_fn(grad))
a = Tensor(0.5); b = Tensor(2.0)
c = (a * b).tanh()
c.backward()
