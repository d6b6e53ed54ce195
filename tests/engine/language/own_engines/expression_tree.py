import math
class Expr:
    def __add__(self, o): return Add(self, o)
    def __mul__(self, o): return Mul(self, o)
    def tanh(self): return Tanh(self)
class Leaf(Expr):
    def __init__(self, value): self.value, self.grad = value, 0.0
    def backprop(self, g): self.grad += g
class Add(Expr):
    def __init__(self, a, b): self.a, self.b, self.value, self.grad = a, b, a.value + b.value, 0.0
    def backprop(self, g): self.grad += g; self.a.backprop(g); self.b.backprop(g)
class Mul(Expr):
    def __init__(self, a, b): self.a, self.b, self.value, self.grad = a, b, a.value * b.value, 0.0
    def backprop(self, g): self.grad += g; self.a.backprop(g * self.b.value); self.b.backprop(g * self.a.value)
class Tanh(Expr):
    def __init__(self, a): self.a, self.value, self.grad = a, math.tanh(a.value), 0.0
    def backprop(self, g): self.grad += g; self.a.backprop(g * (1 - self.value ** 2))
x, w = Leaf(0.4), Leaf(-1.1)
y = (x * w + x).tanh() * w
y.backprop(1.0)
