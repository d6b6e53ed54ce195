from dataclasses import dataclass, field
import math
@dataclass(eq=False)
class Node:
    value: float
    parents: list = field(default_factory=list)
    gradient: float = 0.0
    def __add__(self, other): return Node(self.value + other.value, [(self, 1.0), (other, 1.0)])
    def __mul__(self, other): return Node(self.value * other.value, [(self, other.value), (other, self.value)])
    def __sub__(self, other): return Node(self.value - other.value, [(self, 1.0), (other, -1.0)])
    def sin(self): return Node(math.sin(self.value), [(self, math.cos(self.value))])
def run_backward(node, upstream=1.0):
    node.gradient += upstream
    for parent, local in node.parents:
        run_backward(parent, upstream * local)
a = Node(0.7); b = Node(-1.3)
c = a * b + a.sin()
d = c - b * c
run_backward(d)
