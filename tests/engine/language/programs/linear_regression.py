"""A line fitted with an engine of two operations."""
import random


class Num:
    count = 0

    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents
        Num.count += 1

    def __add__(self, other):
        other = Num.of(other)
        return Num(self.value + other.value, [(self, 1.0), (other, 1.0)])

    def __mul__(self, other):
        other = Num.of(other)
        return Num(self.value * other.value, [(self, other.value), (other, self.value)])

    @classmethod
    def of(cls, x):
        return x if isinstance(x, cls) else cls(x)

    @property
    def is_leaf(self):
        return not self.parents

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) in seen:
                return
            seen.add(id(node))
            for parent, _ in node.parents:
                visit(parent)
            order.append(node)

        visit(self)
        self.grad = 1.0
        for node in order[::-1]:
            for parent, slope in node.parents:
                parent.grad += slope * node.grad


random.seed(3)
points = [(x / 4, 2.0 * x / 4 - 1.0 + random.gauss(0, 0.1)) for x in range(-8, 9)]
w, b = Num(0.0), Num(0.0)
print(w.is_leaf)
for epoch in range(40):
    total = Num(0.0)
    for x, y in points:
        error = w * x + b + (-y)
        total = total + error * error
    loss = total * (1 / len(points))
    w.grad = b.grad = 0.0
    loss.backward()
    w.value -= 0.1 * w.grad
    b.value -= 0.1 * b.grad
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1}: loss {loss.value:.6f}, w {w.value:.4f}, b {b.value:.4f}")
print(loss.is_leaf, Num.count)
