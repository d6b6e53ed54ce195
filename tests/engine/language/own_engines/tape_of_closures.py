tape = []
class Var:
    def __init__(self, v):
        self.v = v
        self.g = 0.0
    def __mul__(self, o):
        out = Var(self.v * o.v)
        def back():
            self.g += o.v * out.g
            o.g += self.v * out.g
        tape.append(back)
        return out
    def __add__(self, o):
        out = Var(self.v + o.v)
        def back():
            self.g += out.g
            o.g += out.g
        tape.append(back)
        return out
def backward(loss):
    loss.g = 1.0
    for back in reversed(tape):
        back()
a = Var(2.0)
b = Var(3.0)
c = a * b + a
backward(c)
print(a.g, b.g)
