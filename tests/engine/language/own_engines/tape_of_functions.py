tape = []
class V:
    def __init__(self, v): self.v, self.d = v, 0.0
    def __add__(self, o):
        out = V(self.v + o.v)
        def back():
            self.d += out.d
            o.d += out.d
        tape.append(back)
        return out
    def __mul__(self, o):
        out = V(self.v * o.v)
        def back():
            self.d += o.v * out.d
            o.d += self.v * out.d
        tape.append(back)
        return out
    def cube(self):
        out = V(self.v**3)
        def back(): self.d += 3 * self.v**2 * out.d
        tape.append(back)
        return out
def grad(out):
    out.d = 1.0
    for f in reversed(tape): f()
x, y = V(2.0), V(-1.0)
z = (x * y).cube() + x
grad(z)
print(x.d, y.d)
