import math
class Context:
    def save_for_backward(self, *xs):
        self.saved = xs
class Function:
    @classmethod
    def apply(cls, *inputs):
        ctx = Context()
        out = Tensor(cls.forward(ctx, *[i.data for i in inputs]))
        out._ctx = ctx
        out._fn = cls
        out._parents = inputs
        return out
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved
        return b * grad, a * grad
class Exp(Function):
    @staticmethod
    def forward(ctx, a):
        y = math.exp(a)
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved
        return y * grad
class Tensor:
    def __init__(self, data):
        self.data = data
        self.grad = None
        self._fn = None
        self._ctx = None
        self._parents = ()
    def __mul__(self, other):
        return Mul.apply(self, other)
    def exp(self):
        return Exp.apply(self)
    def backward(self):
        order, seen = [], set()
        def visit(t):
            if id(t) not in seen:
                seen.add(id(t))
                for p in t._parents:
                    visit(p)
                order.append(t)
        visit(self)
        self.grad = 1.0
        for t in reversed(order):
            if t._fn:
                gs = t._fn.backward(t._ctx, t.grad)
                gs = gs if isinstance(gs, tuple) else (gs,)
                for p, g in zip(t._parents, gs):
                    p.grad = g if p.grad is None else p.grad + g
a = Tensor(0.5)
b = Tensor(1.5)
c = (a * b).exp() * a
c.backward()
print(a.grad)
