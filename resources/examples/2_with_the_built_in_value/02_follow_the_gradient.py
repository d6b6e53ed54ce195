# Following the gradient: a small step of all inputs makes the result larger

a, b, c, f = Value(2.0), Value(-3.0), Value(10.0), Value(-2.0)
L = (a * b + c) * f
print("before:", L.data)
L.backward()

# A small step along the gradient makes L grow:
for leaf in (a, b, c, f):
    leaf.data += 0.01 * leaf.grad

L = (a * b + c) * f
print("after:", round(L.data, 6))
