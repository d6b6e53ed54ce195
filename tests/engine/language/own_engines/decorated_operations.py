import functools, math
def op(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        args = [a if isinstance(a, V) else V(a) for a in args]
        value, locals_ = fn(*[a.val for a in args])
        return V(value, args, locals_)
    return wrapper
class V:
    def __init__(self, val, args=(), locals_=()):
        self.val, self.args, self.locals_, self.adj = val, args, locals_, 0.0
    def __add__(self, o): return add(self, o)
    def __mul__(self, o): return mul(self, o)
@op
def add(a, b): return a + b, (1.0, 1.0)
@op
def mul(a, b): return a * b, (b, a)
@op
def tanh(a):
    t = math.tanh(a)
    return t, (1 - t * t,)
def backprop(root):
    root.adj = 1.0
    stack, counts = [root], {}
    def count(v):
        for a in v.args:
            counts[id(a)] = counts.get(id(a), 0) + 1
            if counts[id(a)] == 1: count(a)
    count(root)
    while stack:
        v = stack.pop()
        for a, l in zip(v.args, v.locals_):
            a.adj += l * v.adj
            counts[id(a)] -= 1
            if not counts[id(a)]: stack.append(a)
x, y = V(0.5), V(2.0)
z = tanh(x * y) + x * 3.0
backprop(z)
print(x.adj, y.adj)
