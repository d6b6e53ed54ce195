"""Judgements that are not plain: seeds that were asked for, operators, deliberate rules, shared places."""

import re
from pathlib import Path

import pytest

from engine.autograd import gradients_of
from engine.language import ProgramError, after_statements, evaluate

TEXT = (Path(__file__).parents[1] / "own_engines" / "closures.py").read_text(encoding="utf-8")
TWO = "\np = Value(2.0, label='p')\nq = Value(5.0, label='q')\n"
SEEDED = TEXT.replace("def backward(self):", "def backward(self, seed=1.0):")


def rows_of(text):
    return evaluate(text).engine_check


def wrong(text):
    return [row for row in rows_of(text) if not row.ok]


@pytest.mark.parametrize("call", ["2.5", "seed=2.5"])
def test_a_seed_that_is_given_and_not_used_is_a_fault_of_the_pass(call):
    (row,) = wrong(SEEDED + TWO + f"s = p * q + p\ns.backward({call})\n")
    assert row.of_pass and (row.expected, row.given) == (2.5, 1.0)


def test_a_seed_that_is_used_and_a_number_that_is_no_seed_are_right():
    used = SEEDED.replace("self.grad = 1.0\n        for", "self.grad = seed\n        for")
    assert used != SEEDED
    assert wrong(used + TWO + "s = p * q + p\ns.backward(2.5)\n") == []
    assert (
        wrong(
            TEXT.replace("def backward(self):", "def backward(self, verbose=0):") + TWO + "s = p * q\ns.backward(2)\n"
        )
        == []
    )


SUBTRACTION = re.compile(r"    def __sub__\(self.*?(?=\n    def )", re.DOTALL)


@pytest.mark.parametrize(("body", "given"), [("self + other", [7.0]), ("self + (-other)", [])])
def test_an_operator_that_computes_another_operation_is_named(body, given):
    text = SUBTRACTION.sub(f"    def __sub__(self, other):\n        return {body}\n", TEXT)
    found = [(row.op, row.expected, row.given) for row in wrong(text + TWO + "s = p - q\ns.backward()\n")]
    assert found == [("sub", -3.0, each) for each in given]


def test_an_operator_whose_rule_agrees_with_the_wrong_number_is_named():
    text = TEXT.replace("Value(self.data * other.data", "Value(self.data + other.data")
    text = text.replace("other.data * out.grad", "out.grad").replace("self.data * out.grad", "out.grad")
    assert [(row.op, row.expected, row.given) for row in wrong(text + TWO + "s = p * q\n")][:1] == [("mul", 10.0, 7.0)]


OWN = """
def own(self):
    out = Value({value}, (self,), "own")
    def _backward():
        self.grad += {rule}
    out._backward = _backward
    return out
Value.own = own
"""
USE = TWO + "s = (p * q * 0.13).own() * p\ns.backward()\n"


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("1.0 if self.data > 0 else -1.0", "out.grad"),
        ("round(self.data)", "out.grad"),
        ("1.0 if self.data > 0 else 0.0", "(abs(self.data) < 2) * out.grad"),
        ("self.data", "0.0 * out.grad"),
        ("self.data", "-out.grad"),
    ],
)
def test_a_rule_that_replaces_a_derivative_on_purpose_is_said_and_not_called_wrong(value, rule):
    rows = rows_of(TEXT + OWN.format(value=value, rule=rule) + USE)
    assert all(row.ok for row in rows)
    (row,) = (row for row in rows if row.message)
    assert "own" in row.message and row.given != row.expected


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("1.0 if self.data > 0 else -1.0", "1.0"),
        ("max(self.data, 3.0)", "out.grad"),
        ("2.0", "out.grad"),
        ("2 * self.data", "out.grad"),
    ],
)
def test_a_rule_without_such_a_reason_is_wrong(value, rule):
    assert [row.message.startswith("own") for row in wrong(TEXT + OWN.format(value=value, rule=rule) + USE)] == [True]


def test_a_transposed_matrix_of_derivatives_is_wrong():
    text = """import numpy as np
class Tensor:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = np.array(data, dtype=float), None, prev, rule
    def __add__(self, other):
        return Tensor(self.data + other.data, (self, other), lambda g: (g, g))
    def running(self):
        return Tensor(np.cumsum(self.data), (self,), lambda g: (np.cumsum(g[::-1])[::-1],))
t = Tensor([1.0, -2.0, 0.5]).running()
"""
    assert wrong(text) == []
    (row,) = wrong(text.replace("np.cumsum(g[::-1])[::-1]", "np.cumsum(g)"))
    assert row.message.startswith("running")


MANY = "".join(
    f"class Op{k}(Function):\n    def forward(self, x):\n        return {k + 1} * x\n"
    f"    def backward(self, g):\n        return {k + 1 if k != 7 else 5} * g\n"
    for k in range(9)
)
CALLED = """class Node:
    def __init__(self, data):
        self.data, self.grad, self.creator = data, None, None
    def __add__(self, other):
        return self
class Function:
    def __call__(self, x):
        out = Node(self.forward(x.data))
        out.creator, self.inputs = self, [x]
        return out
"""
APPLIED = """class Node:
    def __init__(self, data, context=None, parents=()):
        self.data, self.grad, self.context, self.parents = data, None, context, parents
    def __add__(self, other):
        return self
class Context:
    def __init__(self, operation):
        self.operation = operation
class Function:
    @classmethod
    def apply(cls, x):
        return Node(cls.forward(Context(cls), x.data), Context(cls), (x,))
"""


@pytest.mark.parametrize(("text", "make"), [(CALLED, "Op{}()"), (APPLIED, "Op{}.apply")])
def test_every_operation_that_one_place_makes_is_judged(text, make):
    many = MANY if text is CALLED else MANY.replace("    def", "    @staticmethod\n    def")
    uses = "".join(f"r{k}_{n} = {make.format(k)}(Node({n}.5))\n" for k in range(9) for n in range(4))
    rows = rows_of(text + many + uses)
    assert len(rows) == 9
    assert [row.message.startswith("Op7.backward") for row in rows if not row.ok] == [True]


def test_a_rule_that_gives_nothing_is_asked_by_the_name_of_its_siblings():
    text = """class Leaf:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def backprop(self, g):
        self.grad += g
    def __add__(self, other):
        return self
"""
    for name, factor in (("Triple", 0.0), ("Double", 2.0)):
        value = 3 if name == "Triple" else 2
        text += f"""class {name}(Leaf):
    def __init__(self, a):
        super().__init__({value} * a.data)
        self.a = a
    def backprop(self, g):
        self.grad += g
        self.a.backprop({factor} * g)
"""
    (row,) = wrong(text + "y = Triple(Leaf(1.0))\nz = Double(Leaf(1.0))\n")
    assert row.message.startswith("Triple.backprop") and (row.expected, row.given) == (3.0, 0.0)


def test_a_wrong_rule_is_known_in_the_walk_line_by_line():
    text = TEXT.replace("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
    ran = evaluate(text + TWO + "s = p * q\ns.backward()\nz = 3\n", record=True)
    shown = after_statements(ran, len(ran.statements) - 1)
    (row,) = (row for row in shown.engine_check if not row.ok)
    assert row.value in shown.origins and row.value.known_grad == 1.0


LARGEST = """
def largest(a, b):
    out = Value(max(a.data, b.data), (a, b), "largest")
    def _backward():
        a.grad += ({}) * out.grad
        b.grad += ({}) * out.grad
    out._backward = _backward
    return out
y = largest(Value({}), Value({}))
"""


@pytest.mark.parametrize("number", [0.0, 2.0])
@pytest.mark.parametrize(
    ("first", "second", "is_right"),
    [
        ("a.data >= b.data", "b.data > a.data", True),
        ("0.5", "0.5", True),
        ("0.25", "0.75", True),
        ("a.data >= b.data", "b.data >= a.data", False),
        ("a.data > b.data", "b.data > a.data", False),
    ],
)
def test_inputs_that_share_a_kink_share_the_gradient(first, second, is_right, number):
    assert (wrong(TEXT + LARGEST.format(first, second, number, number)) == []) == is_right


def test_inputs_with_a_kink_each_are_judged_each():
    text = LARGEST.replace("max(a.data, b.data)", "max(a.data, 0.0) - max(b.data, 0.0)")
    assert wrong(TEXT + text.format("a.data >= 0", "-(b.data > 0)", 0.0, 0.0)) == []


def test_a_slope_without_end_is_not_compared_with_a_number():
    text = LARGEST.replace("max(a.data, b.data)", "math.sqrt(a.data) + b.data")
    assert wrong(TEXT + text.format("0.0 if a.data == 0 else 0.5 / out.data", "1", 0.0, 1.0)) == []


@pytest.mark.parametrize(("slope", "is_right"), [("(i == j) - outs[j].data", True), ("float(i == j)", False)])
def test_functions_that_return_several_values_are_judged(slope, is_right):
    softmax = f"""
def softmax(xs):
    total = sum(math.exp(x.data) for x in xs)
    outs = [Value(math.exp(x.data) / total, tuple(xs)) for x in xs]
    for i, out in enumerate(outs):
        def _backward(i=i, out=out):
            for j, x in enumerate(xs):
                x.grad += out.data * ({slope}) * out.grad
        out._backward = _backward
    return outs
ys = softmax([Value(0.3), Value(-0.8), Value(1.1)])
y = ys[0] + ys[1]
y.backward()
"""
    rows = rows_of(TEXT + softmax)
    assert any(row.op == "softmax" or "softmax" in row.message for row in rows)
    assert all(row.ok for row in rows) == is_right


HUGE = """\
class Number:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._backward = lambda: None
    def __mul__(self, other):
        out = Number(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
a = Number(10**400)
b = Number(2)
c = a * b
print(c.data % 7)
"""


def test_rules_of_whole_numbers_beyond_floats_are_not_compared_and_not_accused():
    evaluation = evaluate(HUGE)
    assert evaluation.output[0].text == f"{2 * 10**400 % 7}\n"
    assert all(row.ok and row.expected is None for row in evaluation.engine_check)


def test_an_error_of_a_rule_of_such_numbers_is_the_programs_own():
    with pytest.raises(ProgramError, match="OverflowError"):
        evaluate(HUGE + "c.grad = 1.0\nc._backward()\n")


def test_whole_numbers_beyond_floats_are_inputs_of_recorded_numbers():
    assert evaluate("a = 3\nb = a + 10**400\nprint(b % 7)\n").output[0].text == f"{(3 + 10**400) % 7}\n"


@pytest.mark.parametrize(("rule", "n_wrong"), [("out.grad", 0), ("1.001 * out.grad", 1)])
def test_a_rule_that_is_wrong_by_a_thousandth_is_found_where_the_result_is_large(rule, n_wrong):
    text = TEXT + OWN.format(value="self.data + 1e6", rule=rule) + TWO + "s = p.own()\n"
    assert len(wrong(text)) == n_wrong


def test_many_applications_of_an_operation_that_nobody_knows_have_the_derivatives_of_their_rule():
    text = TEXT + OWN.format(value="self.data ** 3 + 1.0", rule="3 * self.data ** 2 * out.grad")
    result = evaluate(
        text + "\np = Value(2.0, label='p')\ns = p\n" + "for k in range(1, 25):\n    s = s + (p * k).own()\n"
    )
    assert all(row.ok for row in result.engine_check)
    assert gradients_of(result.root)[result.names["p"]] == pytest.approx(1 + sum(12.0 * k**3 for k in range(1, 25)))
