"""Passes that do more than pass gradients on, leaves that ask for none, and rules that are asked in further ways."""

from pathlib import Path

import pytest

from engine.language import evaluate
from tests.engine.language.own_engine.engine_styles import PASS

FOLDER = Path(__file__).parents[1] / "own_engines"
TEXT = (FOLDER / "closures.py").read_text(encoding="utf-8")
USE = "\np = Value(2.0, label='p')\nq = Value(5.0, label='q')\nr = p * q + p\ns = r * 0.5 * q\ns.backward()\n"
LOOP = "        for v in reversed(topo):\n            v._backward()\n"


def wrong(text):
    return [row for row in evaluate(text).engine_check if not row.ok]


def with_loop(text):
    assert LOOP in TEXT
    return TEXT.replace(LOOP, text) + USE


@pytest.mark.parametrize("given_up", ["0.0", "None"])
def test_a_pass_that_gives_up_gradients_which_it_needs_no_longer_is_right(given_up):
    loop = LOOP + f"            if v._prev:\n                v.grad = {given_up}\n"
    assert wrong(with_loop(loop)) == []


def test_a_pass_that_updates_the_leaves_is_compared_with_the_data_before():
    update = "        for v in topo:\n            if not v._prev:\n                v.data -= 0.1 * v.grad\n"
    assert wrong(with_loop(LOOP + update)) == []
    assert [row.of_pass for row in wrong(with_loop(LOOP.replace("reversed(topo)", "topo") + update))] == [True]


@pytest.mark.parametrize("after", ["v.grad = max(-1.0, min(1.0, v.grad))", "v.grad = -v.grad", "v._backward()"])
def test_the_order_is_blamed_only_where_it_can_give_such_gradients(after):
    (row,) = wrong(with_loop(LOOP + f"        for v in topo:\n            {after}\n"))
    assert row.of_pass and "order" not in row.message


def test_where_too_many_orders_are_possible_the_order_may_be_at_fault():
    uses = "\np = Value(2.0, label='p')\ns = sum(p * float(k + 1) ** 0.5 for k in range(30))\nt = s * 2\nt.backward()\n"
    (row,) = wrong(TEXT.replace(LOOP, LOOP + "        self._backward()\n") + uses)
    assert row.of_pass and "order" in row.message


def test_a_leaf_with_a_name_that_gets_nothing_is_no_constant():
    (row,) = wrong(TEXT.replace(LOOP, "        self._backward()\n") + "\na = Value(2.0)\nb = Value(5.0)\n"
                   "c = a * a + b\nc.backward()\n")  # fmt: skip
    assert row.of_pass and (row.expected, row.given) == (4.0, 0.0)


def test_a_pass_that_overwrites_the_output_does_not_make_the_operator_wrong():
    text = TEXT.replace("self.grad = 1.0\n        for", "self.data = 1.0\n        for")
    assert text != TEXT
    assert [row.of_pass for row in wrong(text + USE)] == [True]


def test_a_rule_that_rounds_what_arrives_is_wrong():
    text = TEXT.replace("self.grad += other.data * out.grad", "self.grad += other.data * int(out.grad)")
    (row,) = wrong(text + USE)
    assert row.op == "mul" and not row.of_pass
    assert wrong(text.replace("int(out.grad)", "round(out.grad / 4, 6) * 4") + USE) == []


SWITCHED = (
    """class V:
    def __init__(self, data, prev=(), requires_grad=True):
        self.data, self.grad, self.prev, self.requires_grad = data, 0.0, prev, requires_grad
        self.rule = lambda: None
    def __mul__(self, other):
        out = V(self.data * other.data, (self, other), self.requires_grad or other.requires_grad)
        def rule():
            if self.requires_grad:
                self.grad += {} * out.grad
            if {}other.requires_grad:
                other.grad += self.data * out.grad
        out.rule = rule
        return out
"""
    + PASS.format(inputs="v.prev", grad="grad", step="v.rule()")
    + """x = V(2.0, requires_grad=False)
w = V(3.0)
y = x * x * w * {}
y.backward()
"""
)


def test_an_input_that_asks_for_no_gradient_needs_none():
    assert wrong(SWITCHED.format("other.data", "", "V(4.0)")) == []
    (row,) = wrong(SWITCHED.format("1.5", "", "w"))
    assert row.op == "mul" and not row.of_pass


def test_an_input_that_asks_for_no_gradient_has_a_row_with_none():
    rows = evaluate(SWITCHED.format("other.data", "", "V(4.0)")).engine_check
    assert [(row.expected, row.given) for row in rows if "asks for none" in row.message] == [(0.0, 0.0)]


def test_a_value_that_passed_its_gradient_on_too_early_does_not_make_the_pass_replace_gradients():
    early = "        for v in [topo[-1], *topo[-3::-1], topo[-2]]:\n            v._backward()\n"
    use = "\np = Value(2.0, label='p')\nq = p + 1\nr = q + 1\ns = r * p\ns.backward()\n"
    (row,) = wrong(TEXT.replace(LOOP, early) + use)
    assert row.of_pass and "order" in row.message and (row.expected, row.given) == (6.0, 4.0)


def test_beside_an_input_that_asks_for_no_gradient_the_other_one_is_judged():
    text = SWITCHED.format("other.data", "", "V(4.0)").replace("other.grad += self.data", "other.grad += 2 * self.data")
    assert {row.input for row in wrong(text)} >= {"w"}


def test_numbers_that_every_value_has_are_no_local_derivatives():
    text = (FOLDER / "tape_of_closures.py").read_text(encoding="utf-8")
    more = text.replace("self.g = 0.0", "self.g = 0.0\n        self.spot = (7.0, 9.0)")
    assert more != text and [row.message for row in evaluate(more).engine_check if row.message] == []


def test_a_switch_that_is_read_the_wrong_way_round_is_wrong():
    text = SWITCHED.format("other.data", "not ", "w").replace("requires_grad=False", "requires_grad=True")
    assert {row.input for row in wrong(text)} == {"x", "w"}


TAPE = """tape = []
class T:
    def __init__(self, x):
        self.x, self.g = x, 0.0
    def __mul__(self, o):
        out = T(self.x * o.x)
        tape.append((out, [(self, {}), (o, self.x)]))
        return out
def backward(y):
    y.g = 1.0
    for out, inputs in reversed(tape):
        for each, slope in inputs:
            each.g += slope * out.g
a, b = T(2.0), T(-3.0)
c = a * b
d = c * a
backward(d)
"""


@pytest.mark.parametrize(("slope", "n_wrong"), [("o.x", 0), ("self.x", 1)])
def test_a_tape_of_results_with_pairs_is_read(slope, n_wrong):
    rows = evaluate(TAPE.format(slope)).engine_check
    assert len(rows) == 2 and [row.of_pass for row in rows if not row.ok] == [False] * n_wrong


ARRAYS = """import numpy as np
class T:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.prev, self.rule = np.array(data, dtype=float), prev, rule
        self.grad = np.zeros_like(self.data)
    def __mul__(self, other):
        out = T(self.data * other.data, (self, other))
        def rule():
            self.grad {0} other.data * out.grad
            other.grad += self.data * out.grad
        out.rule = rule
        return out
    def sum(self):
        out = T(self.data.sum(), (self,))
        def rule():
            self.grad += np.ones_like(self.data) * out.grad
        out.rule = rule
        return out
    def backward(self):
        order = []
        def visit(v):
            if v not in order:
                for p in v.prev:
                    visit(p)
                order.append(v)
        visit(self)
        self.grad = np.ones_like(self.data)
        for v in reversed(order):
            if v.rule:
                v.rule()
x = T([1.0, 2.0])
y = (x * T([3.0, 4.0])).sum() {1}
y.backward()
"""


@pytest.mark.slow
def test_the_gradient_of_an_array_that_is_replaced_is_wrong_where_it_is_used_twice():
    assert wrong(ARRAYS.format("=", "")) == []
    assert wrong(ARRAYS.format("+=", "* x.sum()")) == []
    (row,) = wrong(ARRAYS.format("=", "* (x * x).sum()"))
    assert row.input == "x" and not row.of_pass


WAYS = """import math
class V:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, rule
    def __mul__(self, o):
        o = o if isinstance(o, V) else V(o)
        return V(self.data * o.data, (self, o), {product})
    __rmul__ = __mul__
    def __add__(self, o):
        o = o if isinstance(o, V) else V(o)
        return V(self.data + o.data, (self, o), {sum})
    __radd__ = __add__
    def __rsub__(self, o):
        return V(o) + self * -1.0
    def tanh(self):
        return V(math.tanh(self.data), (self,), {tanh})
    def backward(self):
        order = []
        def visit(v):
            if v not in order:
                for p in v.prev:
                    visit(p)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for p, g in zip(v.prev, v.rule({call}) if v.rule else ()):
                p.grad += g{then}
x, y = V(0.5), V(-1.25)
z = (x * y + x).tanh() * y
z.backward()
"""
CALLS = {
    "upstream and data": ("v.grad, *[p.data for p in v.prev]", "", "g, a, b", "g, a", "a", "b", "g", "math.tanh(a)"),
    "data and upstream": ("*[p.data for p in v.prev], v.grad", "", "a, b, d", "a, d", "a", "b", "d", "math.tanh(a)"),
    "inputs and upstream": ("*v.prev, v.grad", "", "a, b, g", "a, g", "a.data", "b.data", "g", "math.tanh(a.data)"),
    "upstream and result": ("v.grad, v", "", "g, y", "g, y", "self.data", "o.data", "g", "y.data"),
    "upstream and number": ("v.grad, v.data", "", "g, y", "g, y", "self.data", "o.data", "g", "y"),
    "data": ("*[p.data for p in v.prev]", " * v.grad", "a, b", "a", "a", "b", "1.0", "math.tanh(a)"),
    "nothing": ("", " * v.grad", "", "", "self.data", "o.data", "1.0", "math.tanh(self.data)"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_rule_is_called_as_the_pass_of_its_engine_calls_it(call):
    given, then, two, one, a, b, g, t = CALLS[call]
    found = []
    for mistake in ("", " * 0.5", " + 0.1"):
        text = WAYS.format(
            call=given, then=then, product=f"lambda {two}: ({g} * {b}, {g} * {a}{mistake})",
            sum=f"lambda {two}: ({g}, {g})", tanh=f"lambda {one}: ({g} * (1 - {t} * {t}),)",
        )  # fmt: skip
        rows = evaluate(text).engine_check
        assert all(row.given is not None for row in rows)
        found.append([(row.op, row.of_pass) for row in rows if not row.ok])
    assert found == [[], [("mul", False)], [("mul", False)]]


def test_where_no_gradient_is_anything_but_zero_the_pass_is_right():
    assert wrong(TEXT + "x = Value(0.0)\nz = x * Value(0.0) * x\nz.backward()\n") == []


HANDED_ON = """
def handed_on(self, k=1.0):
    out = Value({value}, (self,), "")
    def rule():
        self.grad += {rule}
    out._backward = rule
    return out
Value.handed_on = handed_on
y = handed_on(Value(2.0) * Value(3.0), {k}) * 5.0
y.backward()
"""


@pytest.mark.parametrize(("value", "rule", "k", "n_wrong"), [
    ("self.data", "-k * out.grad", 1.0, 0), ("self.data", "-k * out.grad", 0.5, 0),
    ("self.data", "max(-k, min(k, out.grad))", 1.0, 0), ("self.data", "max(-k, min(k, out.grad))", 0.25, 0),
    ("self.data ** k", "2 * k * out.grad", 1.0, 1), ("self.data", "k", 1.0, 1),
])  # fmt: skip
def test_a_method_that_hands_its_input_on_may_have_options(value, rule, k, n_wrong):
    rows = wrong(TEXT + HANDED_ON.format(value=value, rule=rule, k=k))
    assert [row.of_pass for row in rows] == [False] * n_wrong


OPERATIONS = (
    """import math
class Operation:
    def apply(self, *inputs):
        self.inputs = inputs
        out = Tensor(self.forward(*[each.data for each in inputs]))
        out.op = self
        return out
class Mul(Operation):
    def forward(self, a, b):
        return a * b
    def backward(self, {two}):
        return {product}
class Sin(Operation):
    def forward(self, a):
        return math.sin(a)
    def backward(self, {one}):
        return ({sine},)
class Tensor:
    def __init__(self, data):
        self.data, self.grad, self.op = data, 0.0, None
    def __mul__(self, other):
        return Mul().apply(self, other)
    def sin(self):
        return Sin().apply(self)
"""
    + PASS.format(
        inputs="(v.op.inputs if v.op else ())",
        grad="grad",
        step="""if v.op:
                for p, g in zip(v.op.inputs, v.op.backward({call})):
                    p.grad += g{then}""",
    )
    + """x, y = Tensor(0.75), Tensor(-1.5)
z = (x * y).sin() * x
z.backward()
"""
)


@pytest.mark.parametrize(("two", "one", "call", "then", "factor"), [
    ("a, b", "a", "*[p.data for p in v.op.inputs]", " * v.grad", ""),
    ("out", "out", "v", "", "out.grad * "),
    ("a, b, g", "a, g", "*[p.data for p in v.op.inputs], v.grad", "", "g * "),
])  # fmt: skip
def test_an_operation_is_asked_as_the_pass_of_its_engine_asks_it(two, one, call, then, factor):
    a, b = ("self.inputs[0].data", "self.inputs[1].data") if two == "out" else ("a", "b")
    found = []
    for mistake in ("", " * 0.5"):
        text = OPERATIONS.format(
            two=two, one=one, call=call, then=then, product=f"({factor}{b}, {factor}{a})",
            sine=f"{factor}math.cos({a}){mistake}",
        )  # fmt: skip
        found.append([(row.op, row.of_pass) for row in wrong(text)])
    assert found == [[], [("sin", False)]]
