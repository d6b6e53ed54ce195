"""Engines of one's own: the inputs that results keep, faulty operators, and the operations that are drawn."""

import re

import pytest

from engine.language import evaluate
from tests.engine.language.own_engine.own_engine_cases import NAMED, engine

TEXT = engine("closures")
DROPPED = {  # an operator or method, how it is used, and the input that is named
    "neg": ("__neg__(self):\n        return Value(-self.data)", "(-(p * q) + p)", "self"),
    "sub": ("__sub__(self, other):\n        return Value(self.data - other.data)", "(p * q - p) * q", "self"),
    "abs": ("__abs__(self):\n        return Value(abs(self.data))", "abs(p * q) * q", "self"),
    "the result": ("__neg__(self):\n        return Value(-self.data)", "-(p * q)", "self"),
    "none": ("__neg__(self):\n        return self * -1", "-(p * q) + p", ""),
    "a constant": ("__pow__(self, n):\n        return Value(1.0)", "p**0 + q", ""),
    "asked for": ("detach(self):\n        return Value(self.data)", "(p * q).detach() * q", ""),
}
NAMES = "p, q = Value(2.0), Value(5.0)\n"
PRODUCT = "    def __mul__(self, other):\n        other = other if isinstance(other, Value) else Value(other)\n"
SUM = PRODUCT.replace("__mul__", "__add__")


def wrong(text):
    """Return operation and input of the rows that are not right."""
    return [(row.op, row.input) for row in evaluate(text).engine_check or () if not row.ok]


@pytest.mark.parametrize("key", DROPPED)
def test_an_operator_that_does_not_keep_its_inputs_is_named(key):
    method, use, name = DROPPED[key]
    text = f"{TEXT}\nclass Value(Value):\n    def {method}\n{NAMES}s = {use}\ns.backward()\n"
    assert [each for _, each in wrong(text)] == [name] * bool(name)


def test_only_the_innermost_operator_is_blamed_for_a_result_that_keeps_no_inputs():
    branch = "        if isinstance(other, int):\n            return Value(self.data * other)\n"
    text = TEXT.replace(PRODUCT, PRODUCT.partition("\n")[0] + "\n" + branch + PRODUCT.partition("\n")[2])
    assert text != TEXT
    assert wrong(f"{text}\n{NAMES}s = p * q * 3 + -q\ns.backward()\n") == [("mul", "self")]
    text = TEXT.replace(SUM, SUM + "        return Value(self.data + other.data)\n")
    assert text != TEXT
    assert wrong(f"{text}\n{NAMES}s = p * q + 1\nt = 1 + p * q\nu = s * t\nu.backward()\n") == [("add", "self")]


@pytest.mark.parametrize("switch", ["requires_grad=True", "requires_grad=False"])
def test_an_input_that_asks_for_no_gradient_need_not_be_kept(switch):
    text = TEXT.replace('_op="", label="")', '_op="", label="", requires_grad=True)')
    text = text.replace("        self.data = data\n", "        self.data, self.requires_grad = data, requires_grad\n")
    body = "return self * -1 if self.requires_grad else Value(-self.data, requires_grad=False)"
    text += f"\nclass Value(Value):\n    def __neg__(self):\n        {body}\n"
    assert wrong(f"{text}{NAMES}x = Value(3.0, {switch})\ns = p * -x + q\ns.backward()\n") == []
    text = text.replace(body, "return Value(-self.data)")
    assert wrong(f"{text}{NAMES}s = p * -(p * q) + q\ns.backward()\n") == [("neg", "self")]


def test_constants_of_a_class_of_their_own_keep_no_inputs():
    folding = """
class Constant(Value):
    def __mul__(self, other):
        if isinstance(other, Constant):
            return Constant(self.data * other.data)
        return super().__mul__(other)
"""
    assert wrong(f"{TEXT}{folding}{NAMES}k = Constant(3.0) * Constant(4.0)\ny = p * k + q\ny.backward()\n") == []


@pytest.mark.parametrize("ending", ["", "ENABLED = False\nz = p * q\n"])
def test_results_of_a_program_that_switches_gradients_off_are_no_fault(ending):
    text = TEXT.replace(
        PRODUCT, PRODUCT + "        if not ENABLED:\n            return Value(self.data * other.data)\n"
    )
    text = text.replace("class Value", "ENABLED = True\n\n\nclass Value", 1)
    off = "ENABLED = False\n"
    text += f"\n{NAMES}{off}p = p * 0.5\nENABLED = True\ny = p * p + q * p\ny.backward()\n{ending}"
    for each in (text, text.replace(f"{off}p =", "p =")):
        rows = evaluate(each).engine_check
        assert rows and all(row.ok for row in rows)


def test_a_function_that_computes_another_of_its_name_has_a_remark():
    text = TEXT + NAMED.format(name="relu", rule="1.0", x=-3.0)
    (row,) = (row for row in evaluate(text).engine_check if row.message)
    assert row.ok and "-2" in row.message and "relu(-3" in row.message
    text = TEXT + NAMED.format(name="log", rule="1.0", x=3.0).replace("log(self)", "log(self, base=10.0)")
    assert [row for row in evaluate(text).engine_check if row.message] == []  # a function with a choice
    usual = NAMED.format(name="relu", rule="0.0", x=-3.0).replace("self.data + 1.0", "max(self.data, 0.0)")
    assert [row for row in evaluate(TEXT + usual).engine_check if row.message] == []


@pytest.mark.parametrize("kept", ["_children", "set(_children)"])
def test_an_engine_that_names_no_operation_is_drawn_by_its_methods(kept):
    nameless = TEXT.replace("self._prev = _children", f"self._prev = {kept}")
    nameless = re.sub(r', f?"[-+*/a-z{}]+"\)', ")", nameless)
    assert '"*"' in TEXT and '"*"' not in nameless
    result = evaluate(nameless + "\na = Value(2.0)\nb = a * a\nc = b + a\nd = c.relu()\nd.backward()\n")
    assert [result.names[name].op.name for name in "bcd"] == ["mul", "add", "relu"]  # 2 * 2 is 2 + 2, too
    assert all(row.ok for row in result.engine_check)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [("step", "float(x > 0)", "0.0"), ("sign", "1.0 if x > 0 else -1.0", "0.0"), ("keep", "x", "1.0")],
)
def test_an_operation_that_only_its_name_tells_from_others_is_drawn_by_its_name(name, value, rule):
    text = TEXT.replace("self._prev = _children", "self._prev = set(_children)")
    value = value.replace("x", "self.data")
    text += NAMED.format(name=name, rule=rule, x=3.0).replace("self.data + 1.0", value)
    result = evaluate(text)
    (drawn,) = [each for each in result.names["y"].inputs if each.inputs]
    assert drawn.op.name == name  # and not x / x, nor relu
    assert all(row.ok for row in result.engine_check)


FACTORY = """class T:
    def __init__(self, data):
        self.data, self.grad, self.parents, self.fn = data, 0.0, [], None
    @staticmethod
    def make(data, parents, fn):
        out = T(data)
        out.parents, out.fn = parents, fn
        return out
    def __mul__(self, o):
        return T.make(self.data * o.data, [self, o], lambda g: (g * {mul}, g * self.data))
    def __add__(self, o):
        return T.make(self.data + o.data, [self, o], lambda g: (g, {add}))
    def backward(self, g=1.0):
        self.grad += g
        if self.fn:
            for p, gg in zip(self.parents, self.fn(g)):
                p.backward(gg)
a, b = T(2.0), T(3.0)
c = a * b * a + b
c.backward()
"""


def test_the_rules_of_results_that_one_function_makes_are_those_of_its_callers():
    rows = evaluate(FACTORY.format(mul="o.data", add="g")).engine_check
    assert [row.op for row in rows] == ["mul", "mul", "add", "add"] and all(row.ok for row in rows)
    rows = evaluate(FACTORY.format(mul="self.data", add="-g")).engine_check
    assert {(row.op, row.line) for row in rows if not row.ok} == {("mul", 10), ("add", 12)}


def test_records_that_one_function_writes_are_judged():
    text = """
tape = []
class Num:
    def __init__(self, x): self.x, self.dx = x, 0.0
    def __add__(self, o): return record("add", self.x + o.x, self, o)
    def __mul__(self, o): return record("mul", self.x * o.x, self, o)
def record(op, value, *ins):
    out = Num(value)
    tape.append((op, ins, out))
    return out
def run_backward(out):
    out.dx = 1.0
    for op, (l, r), o in reversed(tape):
        l.dx += o.dx if op == "add" else r.x * o.dx
        r.dx += o.dx if op == "add" else l.x * o.dx
a, b = Num(3.0), Num(4.0)
c = a * b + a
run_backward(c)
"""
    assert wrong(text) == []
    assert wrong(text.replace("l.x * o.dx", "r.x * o.dx")) != []


def test_results_of_what_asks_for_no_gradient_keep_no_inputs_on_purpose():
    text = """class T:
    def __init__(self, d, asks=False, ps=(), fn=None):
        self.d, self.g = d, 0.0
        self.asks = asks or any(p.asks for p in ps)
        self.ps, self.fn = (ps, fn) if self.asks else ((), None)
    def __add__(self, o): return T(self.d + o.d, False, (self, o), lambda g: (g, g))
    def __mul__(self, o): return T(self.d * o.d, False, (self, o), lambda g: (g * o.d, g * self.d))
    def __sub__(self, o): return self + o * T(-1.0)
    def backward(self, g=1.0):
        self.g += g
        if self.fn:
            for p, x in zip(self.ps, self.fn(g)):
                p.backward(x)
w = T(2.0, True)
x = T(3.0) + T(1.5)
y = w * x - w
y.backward()
"""
    assert wrong(text) == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("return Value(other) - self", "return self - other", [("sub", None)]),
        ("def __rsub__(self, other):\n        return Value(other) - self", "__rsub__ = __sub__", [("sub", None)]),
        ("other.grad += -out.grad", "other.grad += -out.grad", []),
    ],
)
def test_a_reflected_operator_that_is_the_plain_one_is_named(old, new, found):
    assert old in TEXT
    text = f"{TEXT.replace(old, new)}\n{NAMES}s = (10 - p) * q - p\ns.backward()\n"
    assert [(row.op, row.input or None) for row in evaluate(text).engine_check if not row.ok] == found


def test_operators_that_one_factory_makes_are_not_compared_with_each_other():
    text = """class S:
    def __init__(self, data, deps=()): self.data, self.deps, self.grad = data, deps, 0.0
    def backward(self, g=1.0):
        self.grad += g
        for d, w in self.deps:
            d.backward(g * w)
def binary(f, dfa, dfb):
    def op(a, b):
        return S(f(a.data, b.data), [(a, dfa(a.data, b.data)), (b, dfb(a.data, b.data))])
    return op
S.__add__ = binary(lambda a, b: a + b, lambda a, b: 1.0, lambda a, b: 1.0)
S.__mul__ = binary(lambda a, b: a * b, lambda a, b: b, lambda a, b: a)
a, b = S(3.0), S(4.0)
c = a + a * b
c.backward()
"""
    assert wrong(text) == []


@pytest.mark.parametrize(
    ("method", "use", "found"),
    [
        ("__truediv__(self, other):\n        return self * (1.0 / other.data)", "(p / q) * q", [("div", "other")]),
        ("__sub__(self, other):\n        return self + Value(-other.data)", "(p - q) * q", [("sub", "other")]),
        ("relu(self):\n        return Value(max(0.0, self.data))", "(p * q).relu() * q", [("relu", "self")]),
        ("__pow__(self, other):\n        return super().__pow__(other.data)", "p ** Value(2.0) + q", []),
    ],
)
def test_an_operand_whose_number_alone_is_used_gets_no_gradient(method, use, found):
    assert wrong(f"{TEXT}\nclass Value(Value):\n    def {method}\n{NAMES}s = {use}\ns.backward()\n") == found


def test_an_average_of_equal_numbers_is_no_maximum():
    text = """
def average(a, b):
    out = Value((a.data + b.data) / 2, (a, b))
    def _backward():
        a.grad += 0.5 * out.grad
        b.grad += 0.5 * out.grad
    out._backward = _backward
    return out
p, q = Value(2.0), Value(2.0)
y = average(p, q)
y.backward()
"""
    result = evaluate(TEXT + text)
    assert result.names["y"].op.name == "average" and all(row.ok for row in result.engine_check)


def test_a_result_of_the_flat_part_of_a_function_need_not_keep_its_input():
    method = "relu(self):\n        return super().relu() if self.data > 0 else Value(0.0)"
    assert (
        wrong(
            f"{TEXT}\nclass Value(Value):\n    def {method}\n{NAMES}s = (p * -q).relu() * q + q.relu()\ns.backward()\n"
        )
        == []
    )


def test_a_long_tape_of_operators_is_judged_in_time():
    text = """
tape = []
class Var:
    def __init__(self, data): self.data, self.grad = data, 0.0
    def __add__(self, o):
        out = Var(self.data + o.data)
        def rule():
            self.grad += out.grad
            o.grad += out.grad
        tape.append(rule)
        return out
a, s = Var(0.5), Var(0.0)
for _ in range(1500):
    s = s + a
s.grad = 1.0
for rule in reversed(tape):
    rule()
"""
    rows = evaluate(text).engine_check
    assert [row.op for row in rows] == ["add", "add"] and all(row.ok for row in rows)


LOCAL = """class N:
    def __init__(self, v, src=()): self.v, self.src, self.g = v, src, 0.0
    def __add__(self, o): return N(self.v + o.v, ((self, 1), (o, 1)))
    def __mul__(self, o): return N(self.v * o.v, ((self, o.v), (o, self.v)))
    def __neg__(self): return self * N(-1.0)
    def __sub__(self, o): return self + -o
    def __pow__(self, n):
        r = N(1.0)
        for _ in range(n):
            r = r * self
        return r
    def sigmoid(self):
        s = 1 / (1 + 2.718281828459045 ** -self.v)
        return N(s, ((self, s * (1 - s)),)) if self.v < 50 else N(s)
    def back(self, g=1.0):
        self.g += g
        for q, d in self.src:
            q.back(d * g)
"""


@pytest.mark.parametrize(
    "use",
    [
        "x, z = N(0.5), N(0.0)\nfor i in range(20):\n    z = z + (x * N(2.0) - N(3.0))\n",
        "x = N(1.1)\nz = x**14 + x**2\n",
        "x = N(0.5)\nz = x.sigmoid() * x + (x * N(200.0)).sigmoid() * x\n",
    ],
)
def test_operators_that_others_use_are_drawn_however_often_they_are_called(use):
    result = evaluate(f"{LOCAL}{use}z.back()\n")
    drawn, found = [result.names["z"]], set()
    for each in drawn:
        drawn += [other for other in each.inputs if other not in drawn]
        found |= {each.op.name} if each.op is not None else set()
    assert found <= {"add", "mul", "sigmoid"} and wrong(f"{LOCAL}{use}z.back()\n") == []


def test_a_rule_that_returns_what_its_calls_return_is_judged():
    text = """class V:
    def __init__(self, x, back=None): self.x, self.g, self.back = x, 0.0, back
    def backward(self, d=1.0):
        self.g += d
        if self.back:
            self.back(d)
    def __add__(self, o): return V(self.x + o.x, lambda d: (self.backward(d), o.backward(d)))
    def __mul__(self, o): return V(self.x * o.x, lambda d: (self.backward(d * o.x), o.backward(d * {})))
a, b = V(0.3), V(2.0)
c = a * b + a
c.backward()
"""
    assert wrong(text.format("self.x")) == [] and wrong(text.format("o.x")) != []


def test_an_engine_whose_nodes_hold_their_results_drops_no_inputs():
    text = """import math
class Var:
    def __init__(self, value): self.value, self.children, self.grad_value = value, [], None
    def grad(self):
        if self.grad_value is None:
            self.grad_value = sum(weight * var.grad() for weight, var in self.children)
        return self.grad_value
    def __add__(self, other):
        z = Var(self.value + other.value)
        self.children.append((1.0, z))
        other.children.append((1.0, z))
        return z
    def __mul__(self, other):
        z = Var(self.value * other.value)
        self.children.append((other.value, z))
        other.children.append((self.value, z))
        return z
def sin(x):
    z = Var(math.sin(x.value))
    x.children.append((math.cos(x.value), z))
    return z
x, y = Var(0.5), Var(4.2)
z = x * y + sin(x)
z.grad_value = 1.0
print(x.grad(), y.grad())
"""
    assert wrong(text) == []


def test_gradients_of_a_result_without_inputs_belong_to_the_operands_in_their_order():
    text = """class Var:
    def __init__(self, data, asks=True, parents=(), rule=None):
        self.data, self.asks, self.grad, self.rule = data, asks, 0.0, rule
        self.parents = parents if asks else ()
    def __mul__(self, o):
        return Var(self.data * o.data, self.asks or o.asks, (self, o), lambda g: (g * o.data, g * self.data))
    def backward(self, g=1.0):
        self.grad += g
        if self.parents:
            for p, part in zip(self.parents, self.rule(g)):
                p.backward(part)
k = Var(2.0, False) * Var(3.0, False)
w = Var(0.3)
y = w * k
y.backward()
"""
    assert wrong(text) == []
