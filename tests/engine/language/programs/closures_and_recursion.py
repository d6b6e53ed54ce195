"""Functions in functions, nonlocal, recursion, defaults, unpacking."""


def counter(start=0, *, step=1):
    count = start

    def bump(times=1):
        nonlocal count
        for _ in range(times):
            count += step
        return count

    def reset():
        nonlocal count
        count = start

    return bump, reset


bump, reset = counter(10, step=5)
print(bump(), bump(2))
reset()
print(bump())


def fib(n, memo={}):
    if n < 2:
        return n
    if n not in memo:
        memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]


print([fib(i) for i in range(12)], fib(80))


def hanoi(n, a="A", b="B", c="C"):
    return [] if n == 0 else hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)


moves = hanoi(3)
print(len(moves), moves[0], moves[-1])


def compose(*functions):
    def composed(x):
        for function in reversed(functions):
            x = function(x)
        return x

    return composed


print(compose(lambda x: x + 1, lambda x: x * 2)(5))
first, *middle, last = range(6)
print(first, middle, last)
(a, b), c = (1, 2), 3
a, b = b, a
print(a, b, c)


def described(*args, sep=", ", **named):
    return sep.join([str(arg) for arg in args] + [f"{name}={value!r}" for name, value in sorted(named.items())])


print(described(1, "two", three=3, four="4"))
print(described(*[1, 2], **{"x": None}, sep=" | "))
