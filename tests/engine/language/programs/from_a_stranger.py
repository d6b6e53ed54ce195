"""What strangers type: methods given on as values, arrays of whole numbers, their lengths and rests."""
import operator
from functools import reduce

import numpy as np

table = {"a": 1, "b": 3, "c": 2}
print(max(table, key=table.get), sorted(table, key=table.get, reverse=True), sorted(["b", "A", "c"], key=str.lower))
kept = []
keep = kept.append
for letter in map(str.upper, "xyz"):
    keep(letter)
pop = kept.pop
print(pop(), pop(0), kept, reduce(operator.add, [1, 2, 3]), list(map(table.get, "ab")))


class Shelf:
    def __init__(self):
        self.count = 3
        self.items = {"x": 1}

    def add(self, thing):
        self.items[thing] = thing
        return len(self.items)


shelf = Shelf()
put = shelf.add
print(put("y"), shelf.count, shelf.items)

whole = np.array([1, 2, 3])
print(whole, whole * 2, whole / 2, whole // 2, whole % 2, whole.sum(), whole.mean(), whole ** 2, whole[0], len(whole))
print(repr(np.array([[1, 2], [3, 4]])), np.array([[1, 2], [3, 4]]) @ np.array([1, 1]), whole.dot(whole), whole.tolist())
for i in np.arange(3):
    print(["a", "b", "c"][i], i, end=" ")
print(np.arange(2, 5), np.arange(0, 1, 0.25), np.arange(4.0), np.full(2, 7), np.zeros(2, dtype=int), np.max([1, 5]))
mixed = np.array([1, 2.5])
whole[1] = 9
mixed += whole[:2]
print(mixed, f"{len(mixed)} numbers of {mixed.shape}", whole.astype(float), mixed.astype(int), np.maximum(mixed, 4))
print(repr(np.array([[0.5, 1], [2, 3]])), -7.5 // 2, 7.5 % -2, divmod(-7.5, 2))
print(round(2.675, 2), round(2.5), round(-0.001, 2), round(1234.5, -2), round(3, 1), round(number=2.25, ndigits=1))


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def T(self):
        return Matrix(zip(*self.rows))

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in other.T.rows] for row in self.rows])


matrix = Matrix([[1, 2, 3], [4, 5, 6]])
print((matrix @ matrix.T).rows, matrix.shape, matrix.T.shape, whole.shape, np.ones((2, 3)).T.shape)
