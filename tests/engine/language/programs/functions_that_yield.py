"""Functions that yield, as far as their lists can be made first."""
def batches(xs, size):
    """Pieces of a list."""
    for i in range(0, len(xs), size):
        yield xs[i:i + size]
for b in batches([1, 2, 3, 4, 5], 2):
    print(b, sum(b))
def walk(node):
    yield node[0]
    for child in node[1]:
        yield from walk(child)
print(list(walk((1, [(2, []), (3, [(4, [])])]))))
def first(n):
    i = 0
    while i < n:
        if i == 3:
            return
        yield i, i * i
        i += 1
g = first(9)
print(next(g), next(g), next(g), next(g, "end"))
def one(): yield (1 + 2) * 3
print(list(one()), [x for x in one()], sum(one()))
class Data:
    def __init__(self, xs):
        self.xs = xs
    def pairs(self):
        for a, b in zip(self.xs, self.xs[1:]):
            yield a, b
    def __iter__(self):
        for x in self.xs:
            yield x
d = Data([1, 2, 3])
print(list(d.pairs()))
for x in d:
    print(x, end=" ")
print()
def squares(n):
    for i in range(n):
        yield i * i
print(list(squares(4)))
