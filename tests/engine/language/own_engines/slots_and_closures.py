import math
class Num:
    __slots__ = ("data", "grad", "prev", "rule")
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, lambda: None
    def __add__(self, o):
        o = o if isinstance(o, Num) else Num(o)
        out = Num(self.data + o.data, (self, o))
        def rule():
            self.grad += out.grad
            o.grad += out.grad
        out.rule = rule
        return out
    def __mul__(self, o):
        o = o if isinstance(o, Num) else Num(o)
        out = Num(self.data * o.data, (self, o))
        def rule():
            self.grad += o.data * out.grad
            o.grad += self.data * out.grad
        out.rule = rule
        return out
    def softplus(self):
        out = Num(math.log1p(math.exp(self.data)), (self,))
        def rule(): self.grad += out.grad / (1 + math.exp(-self.data))
        out.rule = rule
        return out
    def detach(self):
        return Num(self.data)

    def backward(self):
        order, seen = [], set()
        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for c in v.prev: visit(c)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order): v.rule()

x, y = Num(1.5), Num(-0.5)
z = (x * y + 2.0).softplus() * x.detach() + y * y
z.backward()
