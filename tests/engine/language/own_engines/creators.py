class Tensor:
    """A tensor of one number that knows its creators."""

    def __init__(self, data, creators=None, creation_op=None):
        self.data = data
        self.creators = creators
        self.creation_op = creation_op
        self.grad = None

    def backward(self, grad=1.0):
        if self.grad is None:
            self.grad = grad
        else:
            self.grad += grad
        if self.creators is not None:
            if self.creation_op == "add":
                self.creators[0].backward(grad)
                self.creators[1].backward(grad)
            if self.creation_op == "sub":
                self.creators[0].backward(grad)
                self.creators[1].backward(-grad)
            if self.creation_op == "mul":
                self.creators[0].backward(grad * self.creators[1].data)
                self.creators[1].backward(grad * self.creators[0].data)

    def __add__(self, other):
        return Tensor(self.data + other.data, creators=[self, other], creation_op="add")

    def __sub__(self, other):
        return Tensor(self.data - other.data, creators=[self, other], creation_op="sub")

    def __mul__(self, other):
        return Tensor(self.data * other.data, creators=[self, other], creation_op="mul")
