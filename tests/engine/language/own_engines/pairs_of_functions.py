import math
class Var:
    def __init__(self, x, deps=()): self.x, self.deps, self.bar = x, deps, 0.0
    def __mul__(self, o): return Var(self.x * o.x, [(self, lambda g: g * o.x), (o, lambda g: g * self.x)])
    def __add__(self, o): return Var(self.x + o.x, [(self, lambda g: g), (o, lambda g: g)])
    def log(self): return Var(math.log(self.x), [(self, lambda g: g / self.x)])
    def abs(self): return Var(abs(self.x), [(self, lambda g: g if self.x > 0 else -g)])
def backprop(out):
    out.bar = 1.0
    order, seen = [], set()
    def visit(v):
        if v in seen: return
        seen.add(v)
        for d, _ in v.deps: visit(d)
        order.append(v)
    visit(out)
    for v in order[::-1]:
        for d, f in v.deps: d.bar += f(v.bar)
a = Var(2.0); b = Var(-3.0)
y = (a * b).abs().log() + a * a
backprop(y)
