import math


class Add:
    def __init__(self, a, b):
        self.inputs = (a, b)

    def forward(self):
        a, b = self.inputs
        return a.data + b.data

    def backward(self, grad):
        return grad, grad


class Mul:
    def __init__(self, a, b):
        self.inputs = (a, b)

    def forward(self):
        a, b = self.inputs
        return a.data * b.data

    def backward(self, grad):
        a, b = self.inputs
        return b.data * grad, a.data * grad


class Exp:
    def __init__(self, a):
        self.inputs = (a,)

    def forward(self):
        self.result = math.exp(self.inputs[0].data)
        return self.result

    def backward(self, grad):
        return (self.result * grad,)


class Tanh:
    def __init__(self, a):
        self.inputs = (a,)

    def forward(self):
        self.result = math.tanh(self.inputs[0].data)
        return self.result

    def backward(self, grad):
        return ((1 - self.result**2) * grad,)


class ReLU:
    def __init__(self, a):
        self.inputs = (a,)

    def forward(self):
        return max(self.inputs[0].data, 0)

    def backward(self, grad):
        return grad if self.inputs[0].data > 0 else 0.0


def applied(function):
    return Tensor(function.forward(), function)


class Tensor:
    def __init__(self, data, creator=None):
        self.data = data
        self.grad = None
        self.creator = creator

    def __add__(self, other):
        return applied(Add(self, other))

    def __mul__(self, other):
        return applied(Mul(self, other))

    def exp(self):
        return applied(Exp(self))

    def tanh(self):
        return applied(Tanh(self))

    def relu(self):
        return applied(ReLU(self))

    def backward(self):
        order = []
        seen = set()

        def visit(tensor):
            if tensor in seen:
                return
            seen.add(tensor)
            if tensor.creator:
                for one in tensor.creator.inputs:
                    visit(one)
            order.append(tensor)

        visit(self)
        self.grad = 1.0
        for tensor in reversed(order):
            if tensor.creator is None:
                continue
            grads = tensor.creator.backward(tensor.grad)
            if not isinstance(grads, tuple):
                grads = (grads,)
            for one, grad in zip(tensor.creator.inputs, grads):
                one.grad = grad if one.grad is None else one.grad + grad
