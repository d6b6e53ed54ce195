from dataclasses import dataclass, field
import math
@dataclass(eq=False, slots=True)
class V:
    z: float
    dz: float = 0.0
    src: list = field(default_factory=list)
    back: object = None
    def __mul__(self, o):
        out = V(self.z * o.z, src=[self, o])
        def back():
            self.dz += o.z * out.dz
            o.dz += self.z * out.dz
        out.back = back
        return out
    def leaky(self):
        out = V(self.z if self.z > 0 else 0.1 * self.z, src=[self])
        def back():
            self.dz += (1.0 if self.z > 0 else 0.1) * out.dz
        out.back = back
        return out
    def cube(self):
        out = V(self.z ** 3, src=[self])
        def back():
            self.dz += 3 * self.z ** 2 * out.dz
        out.back = back
        return out
    def detach(self):
        return V(self.z)
def run(v):
    order, seen = [], []
    def visit(n):
        if not any(n is s for s in seen):
            seen.append(n)
            for m in n.src:
                visit(m)
            order.append(n)
    visit(v)
    v.dz = 1.0
    for n in reversed(order):
        if n.back:
            n.back()
x = V(-2.0)
y = V(3.0)
w = (x * y).leaky().cube() * x.detach()
run(w)
print(x.dz, y.dz)
