import math


class Leaf:
    def __init__(self, data, name=""):
        self.data = data
        self.grad = 0.0
        self.name = name
        self.left = None
        self.right = None

    def backward(self, grad=1.0):
        self.grad += grad


class Plus:
    def __init__(self, left, right):
        self.left = left
        self.right = right
        self.data = left.data + right.data
        self.grad = 0.0

    def backward(self, grad=1.0):
        self.grad += grad
        self.left.backward(grad)
        self.right.backward(grad)


class Times:
    def __init__(self, left, right):
        self.left = left
        self.right = right
        self.data = left.data * right.data
        self.grad = 0.0

    def backward(self, grad=1.0):
        self.grad += grad
        self.left.backward(grad * self.right.data)
        self.right.backward(grad * self.left.data)


class Tanh:
    def __init__(self, left):
        self.left = left
        self.right = None
        self.data = math.tanh(left.data)
        self.grad = 0.0

    def backward(self, grad=1.0):
        self.grad += grad
        self.left.backward(grad * (1 - self.data**2))
