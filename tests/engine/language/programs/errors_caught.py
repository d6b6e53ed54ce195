"""try, except, finally, raise, assert."""


def safe(function, *args):
    try:
        result = function(*args)
    except ZeroDivisionError as error:
        return f"division: {error}"
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    except KeyError as error:
        return f"no key {error}"
    else:
        return result
    finally:
        done.append(args)


done = []
print(safe(lambda a, b: a / b, 1, 0))
print(safe(int, "x"))
print(safe(lambda d: d["k"], {}))
print(safe(lambda a: a + 1, 2))
print(len(done))


def descend(n):
    if n == 0:
        raise ValueError("bottom")
    try:
        descend(n - 1)
    finally:
        done.append(n)


try:
    descend(3)
except ValueError as error:
    print("caught", error, done[-3:])

try:
    assert 1 + 1 == 3, "arithmetic"
except AssertionError as error:
    print("assertion:", error)

try:
    [1, 2][5]
except IndexError as error:
    print(error)

try:
    {}.missing
except AttributeError as error:
    print(error)

for value in ("3", "x", "4.5"):
    try:
        print(float(value))
    except ValueError:
        print("not a number:", value)
