"""Engines of learners, right ones in several styles and wrong ones with one change each, and what is said of them."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "own_engines"

USES = {
    "closures": """
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
c = Value(0.7, label="c")
d = a * b + a
e = (d / c - b).tanh() + (c**3).log() * a.sigmoid()
f = (e.exp() + 2 * a - 1).relu() + e * e + -b / 3
L = f + 1 / a
L.backward()
""",
    "one_rule_for_all": """
a = Node(2.0, name="a")
b = Node(-3.0, name="b")
c = a * b + a
d = (c / b - a).sin() + a.log() * b.exp()
e = -d * d
e.backward()
""",
    "function_objects": """
x = Tensor(1.5)
w = Tensor(-0.5)
b = Tensor(0.25)
n = x * w + b
o = n.tanh() + n.exp() * (x + w).relu() + (w * x).relu()
o.backward()
""",
    "local_gradients": """
a = Value(2.0)
b = Value(-0.5)
c = a * b + a**2
d = (c / a).exp() + (a - b).log() * c.relu() - 3 * b
d.backward()
""",
    "recursive_pairs": """
x = Var(0.5)
y = Var(4.2)
z = x * y + x.sin()
z = z * z
z.backward()
""",
    "class_per_operation": """
x = Leaf(0.5, "x")
y = Leaf(-1.2, "y")
z = Tanh(Plus(Times(x, y), x))
z = Times(z, z)
z.backward()
""",
    "variables_and_functions": """
x = Variable(0.5)
y = Variable(0.25)
a = add(square(x), exp(y))
b = exp(square(a))
z = square(b)
z.backward()
""",
    "creators": """
a = Tensor(2.0)
b = Tensor(-3.0)
c = a * b - a
d = c + a * a
d.backward()
""",
    "returned_by_lambdas": """
x = Scalar(0.5)
y = Scalar(-1.25)
z = (x * y - x).tanh() + (x * x).sigmoid()
z.backward()
""",
}
"""For every style a program that uses all of its operations."""


def engine(style: str) -> str:
    return (FOLDER / f"{style}.py").read_text(encoding="utf-8")


def right_program(style: str) -> str:
    return engine(style) + USES[style]


@dataclass(frozen=True)
class Wrong:
    """An engine with one mistake.

    Attributes:
        name: the mistake.
        style: the engine.
        change: what of its text becomes what.
        use: the program behind it.
        line: a piece of the line that the first row names; empty: not looked at.
        words: what the message holds, piece by piece.
        expected: of the first row that is not ok.
        given: of the same.
        method: the method that the message names.
    """

    name: str
    style: str
    change: tuple[tuple[str, str], ...]
    use: str
    words: tuple[str, ...]
    line: str = ""
    expected: float | None = None
    given: float | None = None
    method: str = ""

    @property
    def program(self) -> str:
        text = engine(self.style)
        for old, new in self.change:
            assert old in text, (self.name, old)
            text = text.replace(old, new)
        return text + self.use


NAMED = """
def {name}(self):
    out = Value(self.data + 1.0, (self,), "{name}")
    def _backward():
        self.grad += {rule} * out.grad
    out._backward = _backward
    return out
Value.{name} = {name}
x = Value({x}, label='x')
y = x.{name}() + 1.0
y.backward()
"""
"""A further operation of the engine `closures`, and a program that uses it."""
PLUS = 'out = Value(self.data + other.data, (self, other), "+")\n\n        def _backward():\n'
SUMS = PLUS + "            self.grad += out.grad\n            other.grad += out.grad"
TWO = '\np = Value(2.0, label="p")\nq = Value(5.0, label="q")\n'
LEAVES = "\na = Value(1.0, label='a')\n"
WRAPPED = "        other = other if isinstance(other, Value) else Value(other)\n"
SETS = (("self._prev = _children", "self._prev = set(_children)"),)

# Those of the published list, in its order: see `test_every_published_mistake_is_named`.
PUBLISHED = (
    Wrong(
        "= for += in a sum",
        "closures",
        ((SUMS, SUMS.replace("+= out", "= out")),),
        "\na = Value(3.0, label='a')\nb = a + a\nb.backward()\n",
        ("replaces the gradient of a", "more than once", "+= keeps every contribution"),
        "self.grad = out.grad",
        2.0,
        1.0,
        "__add__",
    ),
    Wrong(
        "= for += in a product",
        "closures",
        (
            ("self.grad += other.data * out.grad", "self.grad = other.data * out.grad"),
            ("other.grad += self.data * out.grad", "other.grad = self.data * out.grad"),
        ),
        "\na = Value(3.0, label='a')\nb = a * a\nb.backward()\n",
        ("replaces the gradient of a", "a.grad is 3.0 and should be 6.0"),
        "self.grad = other.data",
        6.0,
        3.0,
        "__mul__",
    ),
    Wrong(
        "the product rule hands each factor its own value",
        "closures",
        (
            ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
            ("other.grad += self.data * out.grad", "other.grad += other.data * out.grad"),
        ),
        TWO + "s = p * q\ns.backward()\n",
        ("gives p the gradient 2.0; it should be q.data * out.grad = 5.0", "its own data"),
        "self.grad += self.data",
        5.0,
        2.0,
        "__mul__",
    ),
    Wrong(
        "the upstream gradient is forgotten",
        "closures",
        (("self.grad += other.data * out.grad", "self.grad += other.data"),),
        TWO + "s = p * q\nt = s * s\nt.backward()\n",
        ("leaves out out.grad", "should be q.data * out.grad = 100.0"),
        "self.grad += other.data",
        100.0,
        5.0,
        "__mul__",
    ),
    Wrong(
        "tanh's derivative from the input",
        "closures",
        (("(1 - t**2) * out.grad", "(1 - self.data**2) * out.grad"),),
        "\no = Value(0.5, label='n').tanh()\no.backward()\n",
        ("gives n the gradient 0.75", "= 0.786448", "uses its input where its output belongs", "1 - out.data**2"),
        "1 - self.data**2",
        0.786448,
        0.75,
        "tanh",
    ),
    Wrong(
        "exponent not lowered",
        "closures",
        (("n * self.data ** (n - 1)", "n * self.data ** n"),),
        "\nx = Value(3.0, label='x')\ny = x**2\ny.backward()\n",
        ("gives x the gradient 18.0", "= 6.0", "the exponent of the derivative is n - 1"),
        "n * self.data ** n",
        6.0,
        18.0,
        "__pow__",
    ),
    Wrong(
        "order not reversed",
        "closures",
        (("in reversed(topo)", "in topo"),),
        "\nx = Value(2.0, label='x')\ny = Value(3.0, label='y')\nz = x * y + x\nz.backward()\n",
        ("every rule is right, but only the output", "reversed"),
        "def backward",
    ),
    Wrong(
        "inputs first come, without the test whether all consumers are done",
        "closures",
        (
            (
                "        for v in reversed(topo):\n            v._backward()",
                "        waiting, seen = [self], set()\n        while waiting:\n            v = waiting.pop(0)\n"
                "            if v not in seen:\n                seen.add(v)\n                v._backward()\n"
                "                waiting += list(v._prev)",
            ),
        ),
        "\na = Value(-2.0, label='a')\nb = Value(3.0, label='b')\nd = a * b\ne = d + a\nf = d * e\nf.backward()\n",
        ("every rule is right, the order is not",),
        "def backward",
    ),
    Wrong(
        "no seed",
        "closures",
        (("        self.grad = 1.0\n        for", "        for"),),
        TWO + "s = p * q\ns.backward()\n",
        ("the output does not have its own 1.0",),
        "def backward",
        1.0,
        0.0,
    ),
    Wrong(
        "gradients not zeroed between steps",
        "closures",
        (),
        "\nw = Value(0.5, label='w')\nfor k in range(3):\n    loss = (w * 2.0 - 3.0)**2\n    loss.backward()\n"
        "    w.data -= 0.01 * w.grad\n",
        ("the gradients of step 1 are still there in step 2", "w.grad was -8.0"),
        "def backward",
        0.0,
        -8.0,
    ),
)
