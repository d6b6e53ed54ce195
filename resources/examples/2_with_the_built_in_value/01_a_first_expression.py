# A first expression: three operations and the gradient of every number in them

a = Value(2.0)
b = Value(-3.0)
c = Value(10.0)
f = Value(-2.0)
e = a * b
d = e + c
L = d * f
L.backward()
print(L, a.grad, b.grad, c.grad, f.grad)
