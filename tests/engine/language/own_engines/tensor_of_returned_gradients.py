import numpy as np
def fit(g, shape):
    while g.ndim > len(shape): g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1 and g.shape[i] != 1: g = g.sum(axis=i, keepdims=True)
    return g
class Tensor:
    def __init__(self, data, parents=(), back=None):
        self.data = np.array(data, dtype=float); self.grad = np.zeros_like(self.data)
        self.parents, self.back = parents, back
    def __mul__(self, o):
        return Tensor(self.data * o.data, (self, o), lambda g: (fit(g * o.data, self.data.shape), fit(g * self.data, o.data.shape)))
    def __add__(self, o):
        return Tensor(self.data + o.data, (self, o), lambda g: (fit(g, self.data.shape), fit(g, o.data.shape)))
    def __matmul__(self, o):
        return Tensor(self.data @ o.data, (self, o), lambda g: (g @ o.data.T, self.data.T @ g))
    def tanh(self):
        t = np.tanh(self.data)
        return Tensor(t, (self,), lambda g: (g * (1 - t**2),))
    def sum(self):
        return Tensor(self.data.sum(), (self,), lambda g: (g * np.ones_like(self.data),))
    def backward(self):
        order, seen = [], set()
        def visit(t):
            if id(t) in seen: return
            seen.add(id(t))
            for p in t.parents: visit(p)
            order.append(t)
        visit(self)
        self.grad = np.ones_like(self.data)
        for t in reversed(order):
            if t.back is None: continue
            for p, g in zip(t.parents, t.back(t.grad)): p.grad = p.grad + g
X = Tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]]); W = Tensor([[0.3, -0.2, 0.1], [0.4, 0.5, -0.6]]); b = Tensor([0.1, 0.2, 0.3])
loss = ((X @ W + b).tanh() * (X @ W)).sum()
loss.backward()
