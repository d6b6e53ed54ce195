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

FURTHER = (
    Wrong(
        "inputs that are not kept",
        "closures",
        (("self._prev = _children", "self._prev = ()"),),
        LEAVES + "b = 2 * a\nc = b + a\nc.backward()\n",
        ("every rule is right", "does not find the inputs", "a.grad is 1.0 and should be 3.0"),
    ),
    Wrong(
        "inputs that one operation does not keep",
        "closures",
        (('Value(self.data * other.data, (self, other), "*")', "Value(self.data * other.data)"),),
        LEAVES + "b = 2 + a\nc = b * a\nd = c + 1\nd.backward()\n",
        ("does not keep self among its inputs",),
        method="__mul__",
    ),
    Wrong(
        "rules that are named and not called",
        "closures",
        (("v._backward()", "v._backward"),),
        LEAVES + "b = 2 * a\nb.backward()\n",
        ("every rule is right", "no rule is called"),
    ),
    Wrong(
        "only the first rule is called",
        "closures",
        (("v._backward()", "v._backward()\n            return"),),
        LEAVES + "b = 2 * a\nc = 3 * b\nc.backward()\n",
        ("every rule is right", "only the output", "calls no other rule"),
    ),
    Wrong(
        "a rule that is not kept",
        "closures",
        (("other.grad += self.data * out.grad\n\n        out._backward = _backward\n", "other.grad += 1\n\n"),),
        LEAVES + "b = 2 * a\nb.backward()\n",
        ("gives a the gradient 0.0", "nothing arrives"),
        "return out",
        2.0,
        0.0,
        "__mul__",
    ),
    Wrong(
        "recursion without topological order",
        "closures",
        (
            (
                "        for v in reversed(topo):\n            v._backward()",
                "        def hand_on(v):\n            v._backward()\n            for child in v._prev:\n"
                "                hand_on(child)\n\n        hand_on(self)",
            ),
        ),
        LEAVES + "b = 2 * a\nc = 3 * b\nd = 4 * b\ne = c + d\ne.backward()\n",
        ("every rule is right, the order is not", "a.grad is 20.0 and should be 14.0"),
        "def backward",
        14.0,
        20.0,
    ),
    Wrong(
        "the seed is the data",
        "closures",
        (("self.grad = 1.0\n        for", "self.grad = self.data\n        for"),),
        TWO + "s = p * q\ns.backward()\n",
        ("gives the output the gradient 10.0",),
        "def backward",
        1.0,
        10.0,
    ),
    Wrong(
        "the minus of a difference is forgotten",
        "closures",
        (("other.grad += -out.grad", "other.grad += out.grad"),),
        TWO + "s = p - q\ns.backward()\n",
        ("gives q the gradient 1.0; it should be -out.grad = -1.0", "sign"),
        "other.grad += out.grad",
        -1.0,
        1.0,
        "__sub__",
    ),
    Wrong(
        "the minus of a quotient is forgotten",
        "closures",
        (("-self.data / other.data**2", "self.data / other.data**2"),),
        TWO + "s = p / q\ns.backward()\n",
        ("gives q the gradient 0.08", "-0.08", "sign"),
        "self.data / other.data**2",
        -0.08,
        0.08,
        "__truediv__",
    ),
    Wrong(
        "a quotient differentiated as a product",
        "closures",
        (("out.grad / other.data", "other.data * out.grad"),),
        TWO + "s = p / q\ns.backward()\n",
        ("gives p the gradient 5.0; it should be 1 / q.data * out.grad = 0.2",),
        "other.data * out.grad",
        0.2,
        5.0,
        "__truediv__",
    ),
    Wrong(
        "a product passes on like a sum",
        "closures",
        (("self.grad += other.data * out.grad", "self.grad += out.grad"),),
        TWO + "s = p * q\ns.backward()\n",
        ("gives p the gradient 1.0", "without the local derivative"),
        "self.grad += out.grad",
        5.0,
        1.0,
        "__mul__",
    ),
    Wrong(
        "the second factor is left out",
        "closures",
        (("            other.grad += self.data * out.grad\n", ""),),
        TWO + "s = p * q\ns.backward()\n",
        ("gives q the gradient 0.0", "= 2.0", "nothing arrives"),
        "return out",
        2.0,
        0.0,
        "__mul__",
    ),
    Wrong(
        "the exponent does not come down",
        "closures",
        (("n * self.data ** (n - 1)", "self.data ** (n - 1)"),),
        "\nx = Value(3.0, label='x')\ny = x**3\ny.backward()\n",
        ("gives x the gradient 9.0", "= 27.0", "comes down"),
        "self.data ** (n - 1)",
        27.0,
        9.0,
        "__pow__",
    ),
    Wrong(
        "exp from its input",
        "closures",
        (("out.data * out.grad", "self.data * out.grad"),),
        "\nx = Value(2.0, label='x')\ny = x.exp()\ny.backward()\n",
        ("gives x the gradient 2.0", "= 7.38906", "uses its input where its output belongs"),
        "self.data * out.grad",
        7.389056,
        2.0,
        "exp",
    ),
    Wrong(
        "log from its output",
        "closures",
        (("1 / self.data * out.grad", "1 / out.data * out.grad"),),
        "\nx = Value(4.0, label='x')\ny = x.log()\ny.backward()\n",
        ("= 0.25", "uses its output where its input belongs: 1 / x.data"),
        "1 / out.data",
        0.25,
        0.721348,
        "log",
    ),
    Wrong(
        "sigmoid from its input",
        "closures",
        (("s * (1 - s) * out.grad", "self.data * (1 - self.data) * out.grad"),),
        "\nx = Value(0.25, label='x')\ny = x.sigmoid()\ny.backward()\n",
        ("uses its input where its output belongs: out.data * (1 - out.data)",),
        "self.data * (1",
        0.246134,
        0.1875,
        "sigmoid",
    ),
    Wrong(
        "sigmoid's own value",
        "closures",
        (("s * (1 - s) * out.grad", "s * out.grad"),),
        "\nx = Value(0.25, label='x')\ny = x.sigmoid()\ny.backward()\n",
        ("the output itself",),
        "s * out.grad",
        0.246134,
        0.562177,
        "sigmoid",
    ),
    Wrong(
        "ReLU lets everything through",
        "closures",
        (("(out.data > 0) * out.grad", "out.grad"),),
        "\nx = Value(-2.0, label='x')\ny = x.relu() + 1\ny.backward()\n",
        ("gives x the gradient 1.0", "= 0.0", "as it has arrived"),
        "self.grad += out.grad",
        0.0,
        1.0,
        "relu",
    ),
    Wrong(
        "ReLU passes its data on",
        "closures",
        (("(out.data > 0) * out.grad", "out.data * out.grad"),),
        "\nx = Value(3.0, label='x')\ny = x.relu()\ny.backward()\n",
        ("the output itself",),
        "out.data * out.grad",
        1.0,
        3.0,
        "relu",
    ),
    Wrong(
        "tanh without the square",
        "closures",
        (("(1 - t**2)", "(1 - t)"),),
        "\nx = Value(0.5, label='x')\ny = x.tanh()\ny.backward()\n",
        ("should be (1 - out.data**2) * out.grad = 0.786448",),
        "(1 - t)",
        0.786448,
        0.537883,
        "tanh",
    ),
    Wrong(
        "the gradient of the input instead of that of the output",
        "closures",
        (("self.grad += other.data * out.grad", "self.grad += other.data * self.grad"),),
        TWO + "s = p * q\ns.backward()\n",
        ("gives p the gradient 0.0",),
        "* self.grad",
        5.0,
        0.0,
        "__mul__",
    ),
    Wrong(
        "the product adds",
        "closures",
        (("self.data * other.data, (self", "self.data + other.data, (self"),),
        TWO + "s = p * q\ns.backward()\n",
        ("computes 7.0; p.data * q.data is 10.0",),
        "def __mul__",
        10.0,
        7.0,
        "__mul__",
    ),
    Wrong(
        "a sum gives its first input both",
        "closures",
        ((SUMS, SUMS.replace("other.grad +=", "self.grad +=")),),
        TWO + "s = p + q\ns.backward()\n",
        ("gives p the gradient 2.0",),
        "self.grad += out.grad",
        1.0,
        2.0,
        "__add__",
    ),
    Wrong(
        "a rule that raises",
        "closures",
        (("self.grad += out.grad / other.data", "self.grad += out.gard / other.data"),),
        TWO + "s = p / q\nt = s + p\n",
        ("cannot run its rule", "gard"),
        "",
        None,
        None,
        "__truediv__",
    ),
    Wrong(
        "a constant that is not wrapped",
        "closures",
        (
            (
                WRAPPED + "        out = Value(self.data * other.data",
                "        out = Value(self.data * (other.data if isinstance(other, Value) else other)",
            ),
        ),
        TWO + "s = p * 3\nt = s + q\n",
        ("cannot run its rule", "wrap numbers first"),
        "",
        None,
        None,
        "__mul__",
    ),
    Wrong(
        "a sum that subtracts",
        "one_rule_for_all",
        (
            (
                'if self.op == "add":\n            self.parents[0].gradient += g',
                'if self.op == "add":\n            self.parents[0].gradient -= g',
            ),
        ),
        "\np = Node(2.0, name='p')\nq = Node(5.0, name='q')\ns = p + q\ns.backward()\n",
        ("gives p the gradient -1.0; it should be out.gradient = 1.0", "sign"),
        "gradient -= g",
        1.0,
        -1.0,
        "_backward",
    ),
    Wrong(
        "the wrong factor in one rule of all",
        "one_rule_for_all",
        (("x.gradient += y.value * g", "x.gradient += x.value * g"),),
        "\np = Node(2.0, name='p')\nq = Node(5.0, name='q')\ns = p * q\ns.backward()\n",
        ("gives p the gradient 2.0; it should be q.value * out.gradient = 5.0", "its own data"),
        "x.value * g",
        5.0,
        2.0,
        "_backward",
    ),
    Wrong(
        "cosine of the output",
        "one_rule_for_all",
        (("g * math.cos(self.parents[0].value)", "g * math.cos(self.value)"),),
        "\nx = Node(2.0, name='x')\ny = x.sin()\ny.backward()\n",
        ("uses its output where its input belongs: cos(x.value)",),
        "math.cos(self.value)",
        -0.416147,
        0.614300,
        "_backward",
    ),
    Wrong(
        "the wrong factor in a function object",
        "function_objects",
        (("return b.data * grad, a.data * grad", "return a.data * grad, b.data * grad"),),
        "\np = Tensor(2.0)\nq = Tensor(5.0)\ns = p * q\ns.backward()\n",
        ("Mul.backward", "gives p the gradient 2.0; it should be q.data * out.grad = 5.0"),
        "return a.data",
        5.0,
        2.0,
        "Mul.backward",
    ),
    Wrong(
        "a function object without the chain rule",
        "function_objects",
        (("((1 - self.result**2) * grad,)", "(1 - self.result**2,)"),),
        "\nx = Tensor(0.5)\ny = x.tanh()\nz = y * y\nz.backward()\n",
        ("Tanh.backward", "leaves out out.grad"),
        "self.result**2,)",
        None,
        None,
        "Tanh.backward",
    ),
    Wrong(
        "function objects that replace",
        "function_objects",
        (("grad if one.grad is None else one.grad + grad", "grad"),),
        "\nx = Tensor(3.0)\ny = x + x\ny.backward()\n",
        ("every rule is right", "x.grad is 1.0 and should be 2.0"),
        "",
        2.0,
        1.0,
    ),
    Wrong(
        "a wrong local gradient",
        "local_gradients",
        (("(other.data, self.data))", "(self.data, other.data))"),),
        "\np = Value(2.0)\nq = Value(5.0)\ns = p * q\ns.backward()\n",
        ("__mul__", "gives p the gradient 2.0; it should be q.data * out.grad = 5.0"),
        "(self.data, other.data))",
        5.0,
        2.0,
        "__mul__",
    ),
    Wrong(
        "a local gradient of a power",
        "local_gradients",
        (("other * self.data ** (other - 1)", "other * self.data**other"),),
        "\nx = Value(3.0)\ny = x**2\ny.backward()\n",
        ("__pow__", "n - 1"),
        "other * self.data**other",
        6.0,
        18.0,
        "__pow__",
    ),
    Wrong(
        "local gradients, no accumulation",
        "local_gradients",
        (("child.grad += local_grad", "child.grad = local_grad"),),
        "\nx = Value(3.0)\ny = x * x\ny.backward()\n",
        ("x.grad is 3.0 and should be 6.0",),
        "",
        6.0,
        3.0,
    ),
    Wrong(
        "a wrong slope in a pair",
        "recursive_pairs",
        (("(self, other.value), (other, self.value)", "(self, self.value), (other, other.value)"),),
        "\nx = Var(2.0)\ny = Var(5.0)\nz = x * y\nz.backward()\n",
        ("gives x the gradient 2.0; it should be y.value * out.grad = 5.0",),
        "(self, self.value)",
        5.0,
        2.0,
        "__mul__",
    ),
    Wrong(
        "a recursive rule without the local derivative",
        "class_per_operation",
        (("self.left.backward(grad * self.right.data)", "self.left.backward(grad)"),),
        "\nx = Leaf(2.0, 'x')\ny = Leaf(5.0, 'y')\nz = Times(x, y)\nz.backward()\n",
        ("Times.backward", "gives x the gradient 1.0", "= 5.0"),
        "",
        5.0,
        1.0,
        "Times.backward",
    ),
    Wrong(
        "a recursive rule that uses its input",
        "class_per_operation",
        (("1 - self.data**2", "1 - self.left.data**2"),),
        "\nx = Leaf(0.5, 'x')\nz = Tanh(x)\nz.backward()\n",
        ("Tanh.backward", "uses its input where its output belongs"),
        "",
        0.786448,
        0.75,
        "Tanh.backward",
    ),
    Wrong(
        "a lambda with the wrong sign",
        "returned_by_lambdas",
        (("lambda g: (g, -g)", "lambda g: (-g, g)"),),
        "\nx = Scalar(2.0)\ny = Scalar(5.0)\nz = x - y\nz.backward()\n",
        ("__sub__", "gives x the gradient -1.0"),
        "(-g, g)",
        1.0,
        -1.0,
        "__sub__",
    ),
    Wrong(
        "a lambda without the chain rule",
        "returned_by_lambdas",
        (("(g * s * (1 - s),)", "(s * (1 - s),)"),),
        "\nx = Scalar(2.0)\ny = x.sigmoid()\nz = y * y\nz.backward()\n",
        ("sigmoid", "leaves out out.grad"),
        "(s * (1 - s),)",
        None,
        None,
        "sigmoid",
    ),
    Wrong(
        "a factor of a square is forgotten",
        "variables_and_functions",
        (("return 2 * x * gy", "return x * gy"),),
        "\nx = Variable(3.0)\ny = square(x)\ny.backward()\n",
        ("Square.backward", "gives x the gradient 3.0; it should be the slope of square * out.grad = 6.0"),
        "return x * gy",
        6.0,
        3.0,
    ),
    Wrong(
        "a creator with the wrong sign",
        "creators",
        (("backward(-grad)", "backward(grad)"),),
        "\np = Tensor(2.0)\nq = Tensor(5.0)\ns = p - q\ns.backward()\n",
        ("gives q the gradient 1.0; it should be -out.grad = -1.0", "sign"),
        "",
        -1.0,
        1.0,
        "backward",
    ),
)
