"""Every operation is a class of its own, with one base."""
import math


class Node:
    def __init__(self, *inputs, name=""):
        self.inputs = inputs
        self.name = name
        self.grad = 0.0
        self.data = self.forward(*[node.data for node in inputs]) if inputs else None

    def forward(self, *args):
        raise NotImplementedError

    def local(self):
        return ()

    def __add__(self, other):
        return Add(self, wrap(other))

    def __mul__(self, other):
        return Mul(self, wrap(other))

    def __repr__(self):
        return f"{type(self).__name__}({self.data:.4f})"


class Leaf(Node):
    def __init__(self, data, name=""):
        super().__init__(name=name)
        self.data = data


class Add(Node):
    def forward(self, a, b):
        return a + b

    def local(self):
        return 1.0, 1.0


class Mul(Node):
    def forward(self, a, b):
        return a * b

    def local(self):
        a, b = self.inputs
        return b.data, a.data


class Tanh(Node):
    def forward(self, a):
        return math.tanh(a)

    def local(self):
        return (1 - self.data**2,)


def wrap(x):
    return x if isinstance(x, Node) else Leaf(float(x))


def ordered(root):
    order, seen = [], []

    def visit(node):
        if node in seen:
            return
        seen.append(node)
        for one in node.inputs:
            visit(one)
        order.append(node)

    visit(root)
    return order


def backward(root):
    root.grad = 1.0
    for node in reversed(ordered(root)):
        for one, slope in zip(node.inputs, node.local()):
            one.grad += slope * node.grad


x, y = Leaf(0.5, "x"), Leaf(-1.5, "y")
z = Tanh(x * y + x + 2)
backward(z)
print(z, [f"{node.name}: {node.grad:.6f}" for node in (x, y)])
print([repr(node) for node in ordered(z)])
