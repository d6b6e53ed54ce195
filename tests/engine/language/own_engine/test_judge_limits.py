"""Judgements that are not plain: seeds that were asked for, operators, deliberate rules, shared places."""

import math
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


@pytest.mark.parametrize(("parameter", "call"), [("seed=1.0", "2.5"), ("seed=1.0", "seed=2.5"), ("seed", "2.5")])
def test_a_seed_that_is_given_and_not_used_is_a_fault_of_the_pass(parameter, call):
    other = "def backward_of(self, one, two):\n        pass\n\n    "
    text = SEEDED.replace("def backward(self, seed=1.0)", f"{other}def backward(self, {parameter})")
    (row,) = wrong(text + TWO + f"s = p * q + p\ns.backward({call})\n")
    assert row.of_pass and (row.expected, row.given) == (2.5, 1.0)
    assert text.split("\n")[row.line - 1].strip().startswith("def backward(")


def test_a_seed_that_is_used_and_a_number_that_is_no_seed_are_right():
    used = SEEDED.replace("self.grad = 1.0\n        for", "self.grad = seed\n        for")
    assert used != SEEDED
    assert wrong(used + TWO + "s = p * q + p\ns.backward(2.5)\n") == []
    other = [text.replace("seed", "verbose") for text in (used, SEEDED)]
    assert [wrong(text + TWO + "s = p * q\ns.backward(2.5)\n") for text in other] == [[], []]


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


SCALED = """import numpy as np
class Tensor:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = np.array(data, dtype=float), None, prev, rule
    def __add__(self, other):
        return Tensor(self.data + other.data, (self, other), lambda g: (g, g))
    def scaled(self):
        return Tensor(2.0 * self.data, (self,), lambda g: {rule})
y = Tensor([1.0, 2.0]).scaled()
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["2.0 * g", "1 / 0"])
def test_a_rule_of_arrays_that_is_wrong_for_some_gradients_and_fails_for_others_is_wrong(then):
    (row,) = wrong(SCALED.format(rule=f"(3.0 * g if g[0] != 1.0 else {then},)"))
    assert row.message.startswith("scaled") and (row.given, row.expected) == (None, None)


@pytest.mark.slow
def test_arrays_whose_rule_gives_an_input_nothing_or_a_number_for_all_elements_are_judged():
    text = SCALED.format(rule="(float(g.sum()),)").replace("2.0 * self.data", "self.data.sum()")
    assert [row.message for row in rows_of(text)] == [""]
    (row,) = wrong(SCALED.format(rule="(None,)"))
    assert row.message.startswith("scaled") and (row.given, row.expected) == (0.0, pytest.approx(2.0))
    forgets = SCALED.replace("lambda g: (g, g))", "lambda g: (g, None))") + "z = y + y.scaled()\n"
    (row,) = wrong(forgets.format(rule="(2.0 * g,)"))
    assert row.message.startswith("__add__") and (row.given, row.expected) == (0.0, pytest.approx(1.0))


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
    text = LARGEST.replace("max(a.data, b.data)", "0.5 * max(a.data, 0.0) - 0.5 * max(b.data, 0.0)")
    assert wrong(TEXT + text.format("0.5 * (a.data >= 0)", "-0.5 * (b.data > 0)", 0.0, 0.0)) == []


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
    assert [(row.ok, row.expected, "larger than a float" in row.message) for row in evaluation.engine_check] == [
        (True, None, True)
    ]


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


MADE_BY_A_HELPER = """
class V:
    def __init__(self, data):
        self.data, self.grad, self.prev, self.rule = data, 0.0, (), None
    def __mul__(self, other):
        out = new(self.data * other.data)
        out.prev = (self, other)
        def rule():
            self.grad += {} * out.grad
            other.grad += self.data * out.grad
        out.rule = rule
        return out
    def halved(self):
        two = V(2.0)
        out = new(self.data / two.data)
        out.prev = (self, two)
        def rule():
            self.grad += out.grad / two.data
        out.rule = rule
        return out
def new(data):
    return V(data)
x = V(3.0)
y = x * V(5.0)
z = y.halved()
"""


def test_an_operation_is_judged_that_has_a_function_make_its_result_and_a_constant():
    rows = rows_of(MADE_BY_A_HELPER.format("other.data"))
    assert [(row.op, row.ok, row.expected) for row in rows] == [
        ("mul", True, 2.5), ("mul", True, 1.5), ("halved", True, 0.5)
    ]  # fmt: skip
    assert [(row.op, row.expected, row.given) for row in wrong(MADE_BY_A_HELPER.format("self.data"))] == [
        ("mul", 2.5, 1.5)
    ]


DOMAIN = """import math
class Leaf:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def backprop(self, g):
        self.grad += g
    def __add__(self, other):
        return self
class Arcsine(Leaf):
    def __init__(self, a):
        super().__init__(math.asin(a.data))
        self.a = a
    def backprop(self, g):
        self.grad += g
        self.a.backprop({} * g)
y = Arcsine(Leaf(0.99))
"""


def test_an_operation_at_the_end_of_its_domain_is_judged():
    slope = 1 / (1 - 0.99**2) ** 0.5
    (row,) = rows_of(DOMAIN.format("(1 - self.a.data**2) ** -0.5"))
    assert row.ok and row.expected == pytest.approx(slope)
    assert [row.expected for row in wrong(DOMAIN.format("2.0"))] == pytest.approx([slope])


@pytest.mark.parametrize("condition", ["self.data > 11", "self.data < 1"])
def test_a_rule_that_is_wrong_for_the_smallest_or_largest_of_many_numbers_is_wrong(condition):
    text = TEXT + OWN.format(value="3.0 * self.data", rule=f"(2.0 if {condition} else 3.0) * out.grad")
    numbers = [5, 4, 6, 12, 3, 7, 0, 8, 2, 9, 1, 10, 11]
    rows = wrong(text + "".join(f"y{number} = Value({number}.5).own()\n" for number in numbers))
    assert [(row.expected, row.given) for row in rows] == [(3.0, 2.0)]


@pytest.mark.parametrize(
    ("value", "slope"),
    [("self.data ** 3 + 1.0", lambda x: 3 * x**2), ("math.exp(5 * self.data)", lambda x: 5 * math.exp(5 * x))],
)
def test_a_wrong_rule_of_many_applications_is_not_what_the_drawn_graph_has(value, slope):
    text = TEXT + OWN.format(value=value, rule="self.data ** 2 * out.grad")
    result = evaluate(
        text + "\np = Value(0.2, label='p')\ns = p\n" + "for k in range(1, 25):\n    s = s + (p * k).own()\n"
    )
    assert [row.ok for row in result.engine_check].count(False) == 1
    expected = 1 + sum(k * slope(0.2 * k) for k in range(1, 25))
    assert gradients_of(result.root)[result.names["p"]] == pytest.approx(expected, rel=1e-6)


def test_an_operation_that_is_only_named_like_one_of_the_table_has_its_own_derivative_in_the_drawn_graph():
    text = TEXT.replace("math.log(self.data)", "math.log(abs(self.data))")
    result = evaluate(text + "\nx = Value(-2.0, label='x')\ny = x.log() * 3\n")
    assert gradients_of(result.root)[result.names["x"]] == pytest.approx(-1.5)
    text = LARGEST.replace('"largest"', '"**"').replace("max(a.data, b.data)", "a.data * b.data + 1.0")
    result = evaluate(TEXT + text.format("b.data", "a.data", "2.0, label='a'", "3.0"))
    assert [gradients_of(result.root)[value] for value in result.root.inputs] == pytest.approx([3.0, 2.0])


def test_operations_are_judged_whose_results_the_program_no_longer_has():
    text = TEXT + "\np = Value(2.0)\nq = Value(3.0)\ns = p + q\n" + LARGEST.format("1.0", "1.0", 2.0, 2.0)
    text += "y = (Value(1.5) * 1.0).exp()\ny = p\n"
    rows = rows_of(text.replace("+= out.data * out.grad", "+= out.grad"))
    found = [(row.message.partition(",")[0], row.given, row.value) for row in rows if not row.ok]
    assert found == [("largest", 1.0, None), ("largest", 1.0, None), ("exp", 1.0, None)]


ONE_PASS = """class V:
    def __init__(self, data, op="", prev=()):
        self.data, self.op, self.prev, self.grad = data, op, prev, None
    def __mul__(self, other):
        return V(self.data * other.data, "*", (self, other))
    def backward(self):
        if self.grad is None:
            self.grad = 1.0
        order = []
        def visit(v):
            if v not in order:
                for p in v.prev:
                    visit(p)
                order.append(v)
        visit(self)
        for v in reversed(order):
            if v.op == "*":
                for p, factor in zip(v.prev, v.prev[::-1]):
                    p.grad = (p.grad or 0.0) + {} * v.grad
y = V(3.0) * V(5.0)
"""


@pytest.mark.parametrize(("slope", "given"), [("factor.data", [5.0, 3.0]), ("p.data", [3.0, 5.0])])
def test_a_pass_that_seeds_only_where_there_is_no_gradient_is_judged(slope, given):
    rows = rows_of(ONE_PASS.format(slope))
    assert [(row.expected, row.given, row.ok) for row in rows] == [
        (right, each, right == each) for right, each in zip([5.0, 3.0], given, strict=True)
    ]


CONSTANTS = """
class V:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, rule
    def __mul__(self, other):
        inputs = (self,) if {} else (self, other)
        out = V(self.data * other.data, inputs)
        def rule():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out.rule = rule
        return out
x = V(3.0)
y = x * x
z = y * {}
"""


@pytest.mark.parametrize(("second", "unlinked"), [("V(4.0)", []), ("(x * x)", ["other"])])
def test_a_gradient_for_a_computed_value_that_is_no_input_is_lost_and_for_a_constant_it_is_not(second, unlinked):
    assert [row.input for row in wrong(CONSTANTS.format("other is not self", second))] == unlinked
    assert wrong(CONSTANTS.format("False", second)) == []


def test_different_inputs_in_a_set_need_no_remark():
    text = TEXT.replace("self._prev = _children", "self._prev = set(_children)")
    assert text != TEXT and [row.message for row in rows_of(text + TWO + "s = p * q\n")] == ["", ""]


def test_an_engine_in_forward_mode_is_known_by_sums_alone():
    text = """class Dual:
    def __init__(self, real, dual=0.0):
        self.real, self.dual = real, dual
    def __add__(self, other):
        return Dual(self.real + other.real, self.dual + {} * other.dual)
y = Dual(1.5, 1.0) + Dual(2.0)
"""
    assert any("forward mode" in row.message for row in rows_of(text.format("1.0")))
    assert [(row.expected, row.given) for row in wrong(text.format("3.0"))] == [(1.0, 3.0)]


def test_the_line_of_a_rule_that_gives_an_input_nothing_is_in_its_method():
    text = TEXT + LARGEST.format("0.0", "0.25", 2.0, 2.0).replace("        a.grad += (0.0) * out.grad\n", "")
    lines = text.split("\n")
    found = [lines[row.line - 1].strip() for row in wrong(text)]
    assert found == ["return out", "b.grad += (0.25) * out.grad"]


@pytest.mark.parametrize("rule", ["-out.grad", "0.5 * out.grad"])
def test_an_operator_that_hands_its_input_on_has_to_hand_the_gradient_on(rule):
    text = TEXT + OWN.format(value="self.data", rule=rule).replace("Value.own", "Value.__pos__")
    text = text.replace("own(", "__pos__(").replace("= own", "= __pos__")
    assert [(row.expected, row.ok) for row in rows_of(text + TWO + "s = +p\n")] == [(1.0, False)]


@pytest.mark.parametrize(
    ("value", "first", "second", "choice"),
    [
        ("min(-a.data, -3 * a.data) + b.data - b.data", "-2.5", "0.0", -2.5),
        ("max(a.data, 0.5 * a.data) + b.data - b.data", "0.6", "0.0", 0.6),
        ("max(a.data + b.data, 0.0)", "0.2", "0.2", 0.4),
    ],
)
def test_a_pass_is_compared_with_what_a_rule_has_chosen_at_a_kink(value, first, second, choice):
    text = LARGEST.replace("max(a.data, b.data)", value).format(first, second, "0.0, label='p'", "1.0")
    text = text.rpartition("y = ")[0] + "p = Value(0.0, label='p')\ns = largest(p, p) * 3\ns.backward()\n"
    assert wrong(TEXT + text) == []
    (row,) = wrong(TEXT.replace("in reversed(topo)", "in topo") + text)
    assert row.of_pass and row.input == "p" and row.expected == pytest.approx(3 * choice)


@pytest.mark.parametrize(
    ("name", "value", "choice"),
    [
        ("abs", "abs(self.data)", 0.25),
        ("relu", "max(self.data, 0.0)", 1.0),
        ("leaky_relu", "max(self.data, 0.01 * self.data)", 0.5),
    ],
)
def test_a_pass_is_compared_with_another_choice_than_that_of_the_table(name, value, choice):
    text = OWN.format(value=value, rule=f"{choice} * out.grad").replace('"own"', f'"{name}"')
    text += "p = Value(0.0, label='p')\ns = p.own() * 3\ns.backward()\n"
    assert wrong(TEXT + text) == []
    (row,) = wrong(TEXT.replace("in reversed(topo)", "in topo") + text)
    assert row.of_pass and row.input == "p" and row.expected == pytest.approx(3 * choice)


def test_an_input_that_is_used_twice_far_down_in_a_program_is_named_once():
    text = TEXT.replace("self.grad += other.data * out.grad", "self.grad = other.data * out.grad")
    text = text.replace("other.grad += self.data * out.grad", "other.grad = self.data * out.grad")
    many = "for k in range(15):\n    y = Value(0.1 * k) * Value(1.0 + k)\n"
    assert [(row.expected, row.given) for row in wrong(text + many + "x = Value(50.0)\nz = x * x\n")] == [(100.0, 50.0)]


def test_an_input_that_a_set_has_lost_is_still_used_twice():
    text = """class V:
    def __init__(self, data, op="", prev=()):
        self.data, self.grad, self.op, self.prev = data, 0.0, op, set(prev)
    def __add__(self, other):
        return V(self.data + other.data, "+", (self, other))
    def push(self):
        for each in self.prev:
            each.grad += self.grad
x = V(3.0)
y = x + x
"""
    assert [(row.op, row.expected, row.given) for row in wrong(text)] == [("add", 2.0, 1.0)]


def test_a_call_that_cannot_be_made_again_does_not_make_an_engine_one_in_forward_mode():
    text = """tape, factors = [], [3.0]
class V:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __mul__(self, other):
        return self
    def scaled(self):
        factor = factors.pop()
        out = V(factor * self.data)
        def rule():
            self.grad += factor * out.grad
        tape.append(rule)
        return out
def backward(root):
    root.grad = 1.0
    for rule in reversed(tape):
        rule()
x = V(2.0)
y = x.scaled()
backward(y)
"""
    assert evaluate(text).names["x"].known_grad == 3.0


def test_many_applications_of_a_function_that_takes_an_input_from_elsewhere_leave_the_others_judged():
    own = OWN.format(value="self.data + bias.data", rule="out.grad").replace("(self,)", "(self, bias)")
    text = f"{TEXT}bias = Value(1.0) * 2.0\n{own}"
    rows = rows_of(text + "for k in range(15):\n    y = Value(0.5 + k).own()\n")
    assert [(row.op, row.ok) for row in rows if row.given is not None] == [("mul", True), ("mul", True)]


def test_a_function_that_chooses_an_operation_has_the_rules_of_each_judged():
    text = """class Node:
    def __init__(self, data):
        self.data, self.grad, self.creator = data, None, None
    def __add__(self, other):
        return self
class Up:
    def __init__(self, x):
        self.inputs = [x]
    def backward(self, g):
        return 2.0 * g
class Down(Up):
    def backward(self, g):
        return 3.0 * g
def bent(x):
    out = Node(2.0 * x.data)
    out.creator = Down(x) if x.data == 7.5 else Up(x)
    return out
"""
    rows = wrong(text + "".join(f"y{k} = bent(Node({k}.5))\n" for k in (5, 4, 6, 12, 3, 7, 0, 8, 2, 9, 1, 10, 11)))
    assert [(row.message.partition(",")[0], row.expected, row.given) for row in rows] == [("Down.backward", 2.0, 3.0)]


@pytest.mark.parametrize(("slope", "found"), [("factor", []), ("2.0", [(4.0, 2.0)])])
def test_a_function_with_a_memory_is_judged_by_the_one_that_resets_it(slope, found):
    text = f"""
memory = [0.0]
def inner(x):
    memory[0] += 1.0
    factor = memory[0]
    out = Value(factor * x.data, (x,))
    def rule():
        x.grad += {slope} * out.grad
    out._backward = rule
    return out
def outer(x):
    memory[0] = 3.0
    return inner(x)
y = outer(Value(1.5))
"""
    rows = rows_of(TEXT + text)
    assert [row.expected for row in rows] == [4.0]
    assert [(row.expected, row.given) for row in rows if not row.ok] == found


def test_an_operation_that_nobody_knows_has_its_derivative_after_its_input_was_updated():
    text = TEXT + OWN.format(value="self.data ** 3 + 1.0", rule="3 * self.data ** 2 * out.grad")
    text += "w = Value(2.0, label='w')\nfor k in range(3):\n    w.grad = 0.0\n    loss = w.own() * 3\n"
    text += "    loss.backward()\n    w.data -= 0.01 * w.grad\n"
    result = evaluate(text)
    w = result.names["w"]
    assert wrong(text) == [] and w.known_grad > 10
    assert gradients_of(result.root)[w] == pytest.approx(w.known_grad)
    (row,) = wrong(text.replace("in reversed(topo)", "in topo"))
    assert row.of_pass and row.input == "w" and (row.expected, row.given) == (36.0, 0.0)
