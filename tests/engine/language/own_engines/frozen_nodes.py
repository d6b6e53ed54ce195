from dataclasses import dataclass
import math
grads = {}
@dataclass(frozen=True, eq=False)
class Node:
    value: float
    parents: tuple = ()
    vjps: tuple = ()
    def __add__(self, o): return Node(self.value + o.value, (self, o), (lambda g: g, lambda g: g))
    def __mul__(self, o): return Node(self.value * o.value, (self, o), (lambda g: g * o.value, lambda g: g * self.value))
    def sqrt(self): return Node(math.sqrt(self.value), (self,), (lambda g: g / (2 * math.sqrt(self.value)),))
def backward(root):
    grads.clear(); grads[root] = 1.0
    order, seen = [], set()
    def visit(n):
        if n in seen: return
        seen.add(n)
        for p in n.parents: visit(p)
        order.append(n)
    visit(root)
    for n in reversed(order):
        for p, f in zip(n.parents, n.vjps):
            grads[p] = grads.get(p, 0.0) + f(grads[n])
a, b = Node(4.0), Node(2.0)
y = (a * b + a).sqrt()
backward(y)
print(grads[a], grads[b])
