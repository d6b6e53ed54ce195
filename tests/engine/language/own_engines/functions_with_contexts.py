import math
class Ctx: 
    def save(self, *xs): self.saved = xs
class Fn:
    @classmethod
    def apply(cls, *inputs):
        ctx = Ctx()
        out = T(cls.forward(ctx, *[i.data for i in inputs]))
        out.ctx, out.fn, out.inputs = ctx, cls, inputs
        return out
class Mul(Fn):
    @staticmethod
    def forward(ctx, a, b): ctx.save(a, b); return a * b
    @staticmethod
    def backward(ctx, g): a, b = ctx.saved; return g * b, g * a
class Add(Fn):
    @staticmethod
    def forward(ctx, a, b): return a + b
    @staticmethod
    def backward(ctx, g): return g, g
class Exp(Fn):
    @staticmethod
    def forward(ctx, a): r = math.exp(a); ctx.save(r); return r
    @staticmethod
    def backward(ctx, g): return g * ctx.saved[0]
class Max(Fn):
    @staticmethod
    def forward(ctx, a, b): ctx.save(a, b); return max(a, b)
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved
        return (g, 0.0) if a > b else (0.0, g)
class T:
    def __init__(self, data):
        self.data, self.grad, self.inputs, self.fn, self.ctx = data, 0.0, (), None, None
    def __add__(self, o): return Add.apply(self, o)
    def __mul__(self, o): return Mul.apply(self, o)
    def exp(self): return Exp.apply(self)
    def maximum(self, o): return Max.apply(self, o)
    def backward(self):
        self.grad = 1.0
        order = []
        def walk(t):
            if t not in order:
                for i in t.inputs: walk(i)
                order.append(t)
        walk(self)
        for t in reversed(order):
            if t.fn is None: continue
            gs = t.fn.backward(t.ctx, t.grad)
            if not isinstance(gs, tuple): gs = (gs,)
            for i, g in zip(t.inputs, gs): i.grad += g
a, b = T(0.3), T(-0.8)
c = (a * b).exp() + a.maximum(b) * b
c.backward()
