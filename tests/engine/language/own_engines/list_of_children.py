class Value:
    def __init__(self, data, children=(), op=""):
        self.data, self.grad, self.children, self.op, self._backward = data, 0.0, list(children), op, lambda: None
    def __add__(self, other):
        out = Value(self.data + other.data, [self, other], "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        out = Value(self.data * other.data, [self, other], "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def __sub__(self, other): return self + other * Value(-1.0)

    def backward(self):
        order, seen = [], set()
        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for c in v.children: visit(c)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order): v._backward()

a, b = Value(2.0), Value(3.0)
c = a + b
d = a * b
e = c * d - a
e.backward()
print(a.grad, b.grad)
