# Gradients by hand, and the proof: every gradient of a small expression typed in, then measured by moving each number


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._op = _op
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data})"

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")


def program(h_a=0.0, h_b=0.0, h_c=0.0, h_f=0.0):
    a = Value(2.0 + h_a, label="a")
    b = Value(-3.0 + h_b, label="b")
    c = Value(10.0 + h_c, label="c")
    f = Value(-2.0 + h_f, label="f")
    e = a * b
    e.label = "e"
    d = e + c
    d.label = "d"
    L = d * f
    L.label = "L"
    return a, b, c, f, e, d, L


a, b, c, f, e, d, L = program()
L.grad = 1.0  # L with respect to itself
d.grad = f.data * L.grad  # a product: the other factor
f.grad = d.data * L.grad
c.grad = d.grad  # a sum passes it on
e.grad = d.grad
a.grad = b.data * e.grad
b.grad = a.data * e.grad
for value in (a, b, c, f, e, d, L):
    print(f"{value.label}: data {value.data:7.3f}, grad {value.grad:7.3f}")

# The same by moving each number a little:
h = 1e-4
before = L.data
for name, moved in (("a", program(h_a=h)), ("b", program(h_b=h)), ("c", program(h_c=h)), ("f", program(h_f=h))):
    print(f"dL/d{name} = {(moved[-1].data - before) / h:.4f}")
L
