import math


class Node:
    """One method knows the rules of all operations."""

    def __init__(self, value, parents=(), op=None, name=""):
        self.value = value
        self.gradient = 0.0
        self.parents = list(parents)
        self.op = op
        self.name = name

    def __add__(self, other):
        return Node(self.value + other.value, [self, other], "add")

    def __sub__(self, other):
        return Node(self.value - other.value, [self, other], "sub")

    def __mul__(self, other):
        return Node(self.value * other.value, [self, other], "mul")

    def __truediv__(self, other):
        return Node(self.value / other.value, [self, other], "div")

    def __neg__(self):
        return Node(-self.value, [self], "neg")

    def exp(self):
        return Node(math.exp(self.value), [self], "exp")

    def log(self):
        return Node(math.log(self.value), [self], "log")

    def sin(self):
        return Node(math.sin(self.value), [self], "sin")

    def _backward(self):
        g = self.gradient
        if self.op == "add":
            self.parents[0].gradient += g
            self.parents[1].gradient += g
        elif self.op == "sub":
            self.parents[0].gradient += g
            self.parents[1].gradient -= g
        elif self.op == "mul":
            x, y = self.parents
            x.gradient += y.value * g
            y.gradient += x.value * g
        elif self.op == "div":
            x, y = self.parents
            x.gradient += g / y.value
            y.gradient -= g * x.value / y.value**2
        elif self.op == "neg":
            self.parents[0].gradient -= g
        elif self.op == "exp":
            self.parents[0].gradient += g * self.value
        elif self.op == "log":
            self.parents[0].gradient += g / self.parents[0].value
        elif self.op == "sin":
            self.parents[0].gradient += g * math.cos(self.parents[0].value)

    def backward(self):
        order = []
        seen = []

        def visit(node):
            if id(node) in seen:
                return
            seen.append(id(node))
            for parent in node.parents:
                visit(parent)
            order.append(node)

        visit(self)
        self.gradient = 1.0
        while order:
            order.pop()._backward()
