"""Objects of a class that says which of two is less."""
class Card:
    def __init__(self, rank): self.rank = rank
    def __lt__(self, other): return self.rank < other.rank
    def __repr__(self): return f"Card({self.rank})"
cards = [Card(5), Card(2), Card(9), Card(2)]
print(sorted(cards))
print(sorted(cards, reverse=True))
print(min(cards), max(cards))
cards.sort()
print(cards)
cards.sort(reverse=True)
print(cards)
print(sorted(cards, key=lambda c: c.rank))
print(sorted([(2, Card(1)), (1, Card(3))], key=lambda t: t[1]))
cards.sort(key=lambda c: -c.rank)
print(cards, max(Card(1), Card(7)), min(cards, key=lambda c: c))
class V:
    def __init__(self, x): self.x = x
    def __repr__(self): return f"V({self.x})"
    def __add__(self, o): return V(self.x + (o.x if isinstance(o, V) else o))
    def __radd__(self, o): return self + o
    def __mul__(self, o): return V(self.x * (o.x if isinstance(o, V) else o))
    __rmul__ = __mul__
    def __neg__(self): return self * -1
    def __sub__(self, o): return self + (-o)
    def __rsub__(self, o): return (-self) + o
    def __eq__(self, o): return self.x == o.x
    def __hash__(self): return hash(self.x)
    def __lt__(self, o): return self.x < o.x
    def __len__(self): return 3
    def __getitem__(self, i): return self.x + i
    def __call__(self, y): return self.x * y
    def __iter__(self): return iter([self.x, self.x])
    def __contains__(self, y): return y == self.x
    def __abs__(self): return abs(self.x)
    def __float__(self): return float(self.x)
    def __str__(self): return "str"
a, b = V(2), V(3)
print([a + 1, 1 + a, a * b, 2 * a, a - b, 5 - a, -a])
print(a == V(2), a < b, len(a), a[3], a(4), list(a), 2 in a, abs(V(-2)), float(a), str(a), f"{a}", f"{a!r}")
print(sum([a, b]), sorted([b, a]), max(a, b), min([a, b]), [a, b][0], {a: 1}[V(2)], a in [V(2)])
print(a > b, a != b)
print(sorted([(1, b), (1, a)]), sorted([b, a, V(1)], key=lambda v: (v, 1)), sorted([3, 1]), max(3, 1), min([], default=0))
