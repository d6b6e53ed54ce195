import math
class Graph:
    nodes = []
class S:
    def __init__(self, data, op=None, ins=()):
        self.data, self.grad, self.op, self.ins = float(data), 0.0, op, ins
        Graph.nodes.append(self)
    def __mul__(self, o): return S(self.data * o.data, "mul", (self, o))
    def __add__(self, o): return S(self.data + o.data, "add", (self, o))
    def relu(self): return S(max(0.0, self.data), "relu", (self,))
    def sigmoid(self): return S(1 / (1 + math.exp(-self.data)), "sigmoid", (self,))
    def _push(self):
        g = self.grad
        if self.op == "mul":
            a, b = self.ins
            a.grad += g * b.data
            b.grad += g * a.data
        elif self.op == "add":
            for i in self.ins: i.grad += g
        elif self.op == "relu":
            self.ins[0].grad += g * (self.data > 0)
        elif self.op == "sigmoid":
            self.ins[0].grad += g * self.data * (1 - self.data)
def backward(node):
    node.grad = 1.0
    for n in reversed(Graph.nodes): n._push()
a, b, c = S(1.0), S(-2.0), S(0.5)
out = ((a * b).relu() + c).sigmoid() * (a + b * c).relu() + (c * c).relu()
backward(out)
