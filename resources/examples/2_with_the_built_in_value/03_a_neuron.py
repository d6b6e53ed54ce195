# A neuron, taken apart: written with exp, one operation after the other

x1, x2 = Value(2.0), Value(0.0)
w1, w2 = Value(-3.0), Value(1.0)
b = Value(6.8813735870195432)
n = x1 * w1 + x2 * w2 + b
e = (2 * n).exp()
o = (e - 1) / (e + 1)
o.backward()
print(f"o = {o.data:.6f}")
for name, leaf in (("x1", x1), ("w1", w1), ("x2", x2), ("w2", w2)):
    print(name, round(leaf.grad, 6))
