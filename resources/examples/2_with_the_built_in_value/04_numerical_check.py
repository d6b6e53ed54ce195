# Is the gradient right? Two proofs: a central difference agrees with backward()


def program(x, y):
    return (x * y + y.exp()).tanh() / (x**2 + 1)


x, y = Value(0.5), Value(-1.2)
z = program(x, y)
z.backward()

for name, leaf in (("x", x), ("y", y)):
    h, before = 1e-6, leaf.data
    leaf.data = before + h
    above = program(x, y).data
    leaf.data = before - h
    below = program(x, y).data
    leaf.data = before
    print(f"dz/d{name}: {leaf.grad:.9f} by backward(), {(above - below) / (2 * h):.9f} by a difference")
z
