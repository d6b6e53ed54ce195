import math
class Value:
    def __init__(self, data, prev=(), fn=None):
        self.data, self.grad, self.prev, self.fn = data, 0.0, prev, fn
    def __mul__(self, o):
        return Value(self.data * o.data, (self, o), 'mul')
    def fma(self, b, c):
        return Value(self.data * b.data + c.data, (self, b, c), 'fma')
    def gelu(self):
        return Value(0.5 * self.data * (1 + math.erf(self.data / math.sqrt(2))), (self,), 'gelu')
    def grads(self):
        if self.fn == 'mul':
            a, b = self.prev
            return [b.data, a.data]
        if self.fn == 'fma':
            a, b, c = self.prev
            return [b.data, a.data, 1.0]
        if self.fn == 'gelu':
            x = self.prev[0].data
            return [0.5 * (1 + math.erf(x / math.sqrt(2))) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)]
        return []
    def backward(self):
        order, seen = [], set()
        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v.prev: visit(p)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for p, l in zip(v.prev, v.grads()):
                p.grad += l * v.grad
a = Value(0.5); b = Value(-2.0); c = Value(0.3)
d = a.fma(b, c).gelu() * a
d.backward()
print(a.grad)
