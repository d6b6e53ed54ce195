import random
random.seed(3)
class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, set(_children), _op, lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    __radd__ = __add__
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def dropout(self, p):
        keep = 0.0 if random.random() < p else 1 / (1 - p)
        out = Value(self.data * keep, (self,), "dropout")
        def _backward(): self.grad += keep * out.grad
        out._backward = _backward
        return out
    def clip(self, low, high):
        out = Value(min(max(self.data, low), high), (self,), "clip")
        def _backward(): self.grad += (low < self.data < high) * out.grad
        out._backward = _backward
        return out
    def leaky(self, slope=0.1):
        out = Value(self.data if self.data > 0 else slope * self.data, (self,), "leaky")
        def _backward(): self.grad += (1.0 if self.data > 0 else slope) * out.grad
        out._backward = _backward
        return out
    def round(self):
        out = Value(float(round(self.data)), (self,), "round")
        def _backward(): self.grad += 0.0
        out._backward = _backward
        return out

    def backward(self):
        order, seen = [], set()
        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for c in v._prev: visit(c)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order): v._backward()

ws = [Value(0.1 * k - 0.3) for k in range(6)]
for step in range(8):
    total = Value(0.0)
    for k, w in enumerate(ws):
        total = total + (w * (k - 2.5) + 0.2).leaky().dropout(0.5).clip(-1.0, 3.0)
    loss = total * total + ws[0].round()
    for w in ws: w.grad = 0.0
    loss.backward()
    for w in ws: w.data -= 0.05 * w.grad
