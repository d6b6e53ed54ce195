"""Classes with a base of the same program do in the sandbox what they do in CPython."""

import pytest

from engine.language import ProgramError, evaluate
from tests.engine.language.make_outputs import printed_by_python

BASES = """
class Node:
    kind = "node"
    made = 0

    def __init__(self, data, name="?"):
        self.data = data
        self.name = name
        Node.made += 1

    def __repr__(self):
        return f"{type(self).__name__}({self.data}, {self.name})"

    def __add__(self, other):
        return Sum(self.data + other.data)

    def told(self):
        return "node " + self.name

    @staticmethod
    def zero():
        return Leaf(0.0)

    @classmethod
    def of(cls, data):
        return cls(data)


class Leaf(Node):
    kind = "leaf"

    def __init__(self, data):
        super().__init__(data, name="leaf")

    def told(self):
        return "leaf, " + super().told()


class Sum(Node):
    pass


class Named(Leaf):
    def __init__(self, data, name):
        super(Named, self).__init__(data)
        self.name = name

    def told(self):
        return super().told() + "!"


a, b = Leaf(1.0), Named(2.0, "b")
"""


def printed(text):
    return "".join(piece.text for piece in evaluate(text).output)


@pytest.mark.parametrize(
    "use",
    [
        "print(a, b, a + b, Node(3.0))",
        "print(a.told(), '|', b.told(), '|', (a + b).told())",
        "print(a.kind, b.kind, (a + b).kind, Node.kind, Sum.kind)",
        "print(isinstance(a, Node), isinstance(b, (int, Leaf)), isinstance(a, Named), isinstance(3, Node))",
        "print(Node.zero(), Leaf.zero(), Node.of(5.0), a.of(6.0) if False else Node.of(6.0))",
        "print([isinstance(n, Leaf) for n in (a, b, a + b, None)], Node.made)",
        "print(f'{isinstance(a, int)} {a!r}', Node.told(a))",
    ],
)
def test_what_is_inherited_is_what_cpython_inherits(use):
    assert printed(f"{BASES}{use}\n") == printed_by_python(f"{BASES}{use}\n")


def test_the_classes_of_micrograd_stand_on_one_base():
    program = "class Module:\n    def zero_grad(self):\n        for p in self.parameters():\n            p.grad = 0\n"
    program += "class Neuron(Module):\n    def __init__(self):\n        self.w = [Value(1.0)]\n"
    program += "    def parameters(self):\n        return self.w\n\nn = Neuron()\nn.w[0].grad = 5.0\n"
    program += "n.zero_grad()\nprint(n.w[0].grad)\n"
    assert printed(program) == "0\n"


def test_a_class_of_python_can_be_a_base():
    assert (
        printed("class A(list):\n    pass\nclass E(ValueError):\n    pass\nprint(A([1]), repr(E('x')))")
        == "[1] E('x')\n"
    )


def test_a_base_that_there_is_not_is_refused_at_its_place():
    with pytest.raises(ProgramError, match="name 'Missing' is not defined") as caught:
        evaluate("x = 1\nclass A(Missing):\n    pass\n")
    assert (caught.value.line, caught.value.column) == (2, 9)
