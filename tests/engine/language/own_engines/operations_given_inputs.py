class Op:
    pass
class Mul(Op):
    def forward(self, a, b): return a * b
    def backward(self, g, a, b): return g * b, g * a
class Add(Op):
    def forward(self, a, b): return a + b
    def backward(self, g, a, b): return g, g
class V:
    def __init__(self, data, op=None, inputs=()):
        self.data, self.grad, self.op, self.inputs = data, 0.0, op, inputs
    def _apply(self, op, o): return V(op.forward(self.data, o.data), op, (self, o))
    def __mul__(self, o): return self._apply(Mul(), o)
    def __add__(self, o): return self._apply(Add(), o)
    def backward(self):
        order, seen = [], set()
        def visit(v):
            if v in seen:
                return
            seen.add(v)
            for i in v.inputs: visit(i)
            order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            if v.op:
                for i, g in zip(v.inputs, v.op.backward(v.grad, *[i.data for i in v.inputs])): i.grad += g
x, y = V(2.0), V(-1.0)
z = x * y + x
z.backward()
