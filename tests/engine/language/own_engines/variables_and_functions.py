import math


class Variable:
    def __init__(self, data, name=None):
        self.data = data
        self.name = name
        self.grad = None
        self.creator = None

    def set_creator(self, func):
        self.creator = func

    def backward(self):
        if self.grad is None:
            self.grad = 1.0
        funcs = [self.creator]
        while funcs:
            f = funcs.pop()
            gys = [output.grad for output in f.outputs]
            gxs = f.backward(*gys)
            if not isinstance(gxs, tuple):
                gxs = (gxs,)
            for x, gx in zip(f.inputs, gxs):
                if x.grad is None:
                    x.grad = gx
                else:
                    x.grad = x.grad + gx
                if x.creator is not None:
                    funcs.append(x.creator)


def call(f, *inputs):
    ys = f.forward(*[x.data for x in inputs])
    output = Variable(ys)
    output.set_creator(f)
    f.inputs = inputs
    f.outputs = [output]
    return output


class Square:
    def __init__(self):
        self.inputs = None

    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


class Exp:
    def __init__(self):
        self.inputs = None

    def forward(self, x):
        return math.exp(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return math.exp(x) * gy


class Add:
    def __init__(self):
        self.inputs = None

    def forward(self, a, b):
        return a + b

    def backward(self, gy):
        return gy, gy


def square(x):
    return call(Square(), x)


def exp(x):
    return call(Exp(), x)


def add(a, b):
    return call(Add(), a, b)
