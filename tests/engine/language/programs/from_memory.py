"""What one types from memory: properties that are set, names of functions, whole numbers, modules."""
class Circle:
    def __init__(self, r):
        self._r = r
    @property
    def area(self):
        return 3.0 * self._r ** 2
    @property
    def r(self):
        return self._r
    @r.setter
    def r(self, value):
        if value < 0:
            raise ValueError("negative")
        self._r = value
c = Circle(2.0)
print(c.area)
c.r = 3.0
print(c.r, c.area)
print(f"area is {c.area:.2f}")


class Small(Circle):
    pass


small = Small(1.0)
small.r = 4.0
print(small.r, small.area)
try:
    small.r = -1.0
except ValueError as error:
    print("refused:", error)


def twice(f):
    def g(*args):
        return f(f(*args))

    return g


@twice
def inc(x):
    return x + 1


print(inc(3), twice.__name__, Circle.__name__, (lambda: 0).__name__)
import operator
import string
from functools import reduce

print(reduce(operator.mul, [1, 2, 3, 4]), string.ascii_lowercase[:5], string.digits)
print(sorted([("b", 2), ("a", 3)], key=operator.itemgetter(1)))
