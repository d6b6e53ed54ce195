import math


class Var:
    """Each variable knows its parents with the local derivatives, and passes what arrives straight on."""

    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents

    def __add__(self, other):
        return Var(self.value + other.value, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        return Var(self.value * other.value, [(self, other.value), (other, self.value)])

    def sin(self):
        return Var(math.sin(self.value), [(self, math.cos(self.value))])

    def backward(self, grad=1.0):
        self.grad += grad
        for parent, local in self.parents:
            parent.backward(grad * local)
