import math
class N:
    def __init__(self, val, kids=(), grads=()):
        self.val, self.kids, self.local_grads, self.g = val, kids, grads, 0.0
    def __sub__(self, o): return N(self.val - o.val, (self, o), (1.0, -1.0))
    def __mul__(self, o): return N(self.val * o.val, (self, o), (o.val, self.val))
    @staticmethod
    def logsumexp(xs):
        m = max(x.val for x in xs)
        s = sum(math.exp(x.val - m) for x in xs)
        return N(m + math.log(s), tuple(xs), tuple(math.exp(x.val - m) / s for x in xs))
    def backward(self):
        self.g = 1.0
        todo, pending = [self], {}
        def count(n, seen):
            for k in n.kids:
                pending[k] = pending.get(k, 0) + 1
                if k not in seen:
                    seen.add(k); count(k, seen)
        count(self, {self})
        while todo:
            n = todo.pop()
            for k, l in zip(n.kids, n.local_grads):
                k.g += l * n.g
                pending[k] -= 1
                if pending[k] == 0: todo.append(k)
xs = [N(0.5), N(-1.0), N(2.0)]
loss = N.logsumexp(xs) - xs[1] * xs[0]
loss.backward()
print([x.g for x in xs])
