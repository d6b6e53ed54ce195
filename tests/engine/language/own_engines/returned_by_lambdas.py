from math import exp, tanh


class Scalar:
    def __init__(self, data, prev=(), grad_fn=None, op=""):
        self.data = float(data)
        self.grad = 0.0
        self.prev = prev
        self.grad_fn = grad_fn
        self.op = op

    def __add__(self, other):
        return Scalar(self.data + other.data, (self, other), lambda g: (g, g), "+")

    def __mul__(self, other):
        return Scalar(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data), "*")

    def __sub__(self, other):
        return Scalar(self.data - other.data, (self, other), lambda g: (g, -g), "-")

    def tanh(self):
        t = tanh(self.data)
        return Scalar(t, (self,), lambda g: (g * (1 - t * t),), "tanh")

    def sigmoid(self):
        s = 1 / (1 + exp(-self.data))
        return Scalar(s, (self,), lambda g: (g * s * (1 - s),), "σ")

    def backward(self):
        order, seen, stack = [], [], [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.append(node)
                stack.append((node, True))
                for child in node.prev:
                    stack.append((child, False))
        self.grad = 1.0
        for node in order[::-1]:
            if node.grad_fn:
                for child, g in zip(node.prev, node.grad_fn(node.grad)):
                    child.grad += g
