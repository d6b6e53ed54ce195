class Op:
    def __init__(self, name, fwd, bwd): self.name, self.fwd, self.bwd = name, fwd, bwd
    def __call__(self, *xs): return Var(self.fwd(*[x.v for x in xs]), self, xs)
ADD = Op("add", lambda a, b: a + b, lambda g, a, b: (g, g))
MUL = Op("mul", lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
class Var:
    def __init__(self, v, op=None, xs=()): self.v, self.op, self.xs, self.grad = v, op, xs, 0.0
    def __add__(self, o): return ADD(self, o)
    def __mul__(self, o): return MUL(self, o)
def backward(out):
    out.grad = 1.0
    order, seen = [], set()
    def go(v):
        if v in seen: return
        seen.add(v)
        for x in v.xs: go(x)
        order.append(v)
    go(out)
    for v in reversed(order):
        if v.op:
            for x, g in zip(v.xs, v.op.bwd(v.grad, *[x.v for x in v.xs])): x.grad += g
p, q = Var(2.0), Var(5.0)
r = p * q + p
backward(r)
