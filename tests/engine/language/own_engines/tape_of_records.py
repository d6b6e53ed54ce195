class Tape:
    records = []
class Record:
    def __init__(self, out, inputs, locals_):
        self.out, self.inputs, self.locals_ = out, inputs, locals_
class Var:
    def __init__(self, value):
        self.value = value
        self.grad = 0.0
    def __mul__(self, o):
        out = Var(self.value * o.value)
        Tape.records.append(Record(out, [self, o], [o.value, self.value]))
        return out
    def square(self):
        out = Var(self.value ** 2)
        Tape.records.append(Record(out, [self], [2 * self.value]))
        return out
    def backward(self):
        self.grad = 1.0
        for r in reversed(Tape.records):
            for x, l in zip(r.inputs, r.locals_):
                x.grad += l * r.out.grad
a = Var(2.0)
b = Var(3.0)
c = (a * b).square()
c.backward()
print(a.grad, b.grad)
