"""Five engines that share one class: each adds its methods to it, indented, and a program that uses them."""

ADDED_TO_CLOSURES_WITH_A_SEED = {
    "fused_cross_entropy": """
    @staticmethod
    def cross_entropy(logits, target):
        m = max(l.data for l in logits)
        exps = [math.exp(l.data - m) for l in logits]
        total = sum(exps)
        out = Value(-(logits[target].data - m - math.log(total)), logits, "ce")
        def _backward():
            for i, l in enumerate(logits):
                l.grad += (exps[i] / total - (1.0 if i == target else 0.0)) * out.grad
        out._backward = _backward
        return out

xs = [Value(1.0), Value(2.0), Value(-0.5)]
loss = Value.cross_entropy([x * 2.0 for x in xs], 1)
loss.backward()
""",
    "gradients_of_a_batch": """
w = Value(0.5)
for step in range(4):
    w.grad = 0.0
    for x, y in [(1.0, 2.0), (2.0, 3.0)]:
        e = w * x - y
        (e * e).backward()
    w.data -= 0.01 * w.grad
print(w.data)
""",
    "seed_as_an_argument": """
a, b = Value(1.5), Value(-2.0)
y = a * b
y.backward(0.5)
""",
    "large_and_small_numbers": """
    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")
        def _backward(): self.grad += out.data * out.grad
        out._backward = _backward
        return out
    def log(self):
        out = Value(math.log(self.data), (self,), "log")
        def _backward(): self.grad += out.grad / self.data
        out._backward = _backward
        return out

a = Value(40.0); b = Value(1e-9); c = Value(1e12)
y = a.exp() * b + c * b + b.log() + c.log()
y.backward()
""",
    "random_and_kinked": """
    def dropout(self, p):
        keep = 0.0 if random.random() < p else 1 / (1 - p)
        out = Value(self.data * keep, (self,), "dropout")
        def _backward(): self.grad += keep * out.grad
        out._backward = _backward
        return out
    def clip(self, low, high):
        out = Value(min(max(self.data, low), high), (self,), "clip")
        def _backward(): self.grad += (low < self.data < high) * out.grad
        out._backward = _backward
        return out
    def leaky(self, slope=0.1):
        out = Value(self.data if self.data > 0 else slope * self.data, (self,), "leaky")
        def _backward(): self.grad += (1.0 if self.data > 0 else slope) * out.grad
        out._backward = _backward
        return out
    def round(self):
        out = Value(float(round(self.data)), (self,), "round")
        def _backward(): self.grad += 0.0
        out._backward = _backward
        return out

import random
random.seed(3)
ws = [Value(0.1 * k - 0.3) for k in range(6)]
for step in range(8):
    total = Value(0.0)
    for k, w in enumerate(ws):
        total = total + (w * (k - 2.5) + 0.2).leaky().dropout(0.5).clip(-1.0, 3.0)
    loss = total * total + ws[0].round()
    for w in ws: w.grad = 0.0
    loss.backward()
    for w in ws: w.data -= 0.05 * w.grad
""",
}
