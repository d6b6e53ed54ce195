# What a derivative is: how fast a function grows at one place, measured with smaller and smaller steps

# f is any function of one number. How fast does it grow at x?


def f(x):
    return 3 * x**2 - 4 * x + 5


x = 3.0
for h in (0.1, 0.01, 0.001, 0.0001):
    slope = (f(x + h) - f(x)) / h
    print(f"h = {h}: f({x} + h) = {f(x + h):.6f}, slope = {slope:.6f}")

print("by the rules: 6x - 4 =", 6 * x - 4)

# Where the slope is 0 the function is flat:
x = 2 / 3
print((f(x + 1e-6) - f(x)) / 1e-6)
