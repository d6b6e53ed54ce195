"""Verdicts of the judge with their numbers: many rules, right and wrong ones, in few programs."""

import math
import re
from pathlib import Path

import pytest

from engine.autograd import gradients_of
from engine.language import evaluate
from tests.engine.language.own_engine.own_engine_cases import NAMED

TEXT = (Path(__file__).parents[1] / "own_engines" / "closures.py").read_text(encoding="utf-8")
OPERATION = """def {name}({nodes}):
    {letters} = {datas}
    out = Value({value}, ({nodes}), "{name}")
    def rule():
        g = out.grad
        {rule}
    out._backward = rule
    return out
"""
UPSTREAM = -3.0
RULES = {  # the value of an operation, its rule, its inputs; for each of these right, expected and given
    "square": ("x * x + 5", "a.grad += 2 * x * g", "3.0", (True, 6.0, 6.0)),
    "cube": ("x**3", "a.grad += x * x * g", "2.0", (False, 12.0, 4.0)),
    "ramp": ("abs(x) + 9", "a.grad += 5.0 * g", "0.0", (False, 0.0, 5.0)),
    "tilt": ("abs(x) + 9", "a.grad += 0.25 * g", "0.0", (True, 0.25, 0.25)),
    "hinge": ("max(x, 0.0)", "a.grad += 5.0 * g", "0.0", (False, 0.5, 5.0)),
    "bend": ("max(x, 0.0) + 4 * y", "a.grad += 0.75 * g; b.grad += 4 * g", "0.0 1.7",
             (True, 0.75, 0.75), (True, 4.0, 4.0)),
    "larger": ("max(x, y)", "a.grad += g; b.grad += g", "1.0 1.0", (False, 1.0, 1.0), (False, 1.0, 1.0)),
    "shared": ("max(x, y)", "a.grad += 0.25 * g; b.grad += 0.75 * g", "1.0 1.0",
               (True, 0.25, 0.25), (True, 0.75, 0.75)),
    "three": ("max(x, y, z)", "a.grad += g; b.grad += 0.5 * g; c.grad += 0.5 * g", "1.0 1.0 1.0",
              *3 * [(False, None, None)]),
    "double": ("7 * x + 2", "a.grad += 14 * g", "1.7", (False, 7.0, 14.0)),
    "nothing": ("7 * x + 2", "pass", "1.7", (False, 7.0, 0.0)),
    "negated": ("7 * x + 2", "a.grad -= 7 * g", "1.7", (False, 7.0, -7.0)),
    "endless": ("7 * x + 2", "a.grad += math.inf * g", "1.7", (False, 7.0, math.inf)),
    "through": ("float(round(x))", "a.grad += g", "1.7", (True, 0.0, 1.0)),
    "flat": ("2.5 + 0 * x", "a.grad += g", "1.7", (False, 0.0, 1.0)),
    "stopped": ("x", "pass", "1.7", (True, 1.0, 0.0)),
    "first": ("x + 0 * y", "pass", "1.7 2.9", (False, 1.0, 0.0), (True, 0.0, 0.0)),
    "sets": ("4 * x + 2", "a.grad = 4.0 * g", "1.5", (True, 4.0, 4.0)),
    "clears": ("float(round(x))", "a.grad = 0.0", "1.7", (True, 0.0, 0.0)),
    "setswrong": ("4 * x + 2", "a.grad = 5.0 * g", "1.5", (False, 4.0, 5.0)),
    "swaps": ("2 * x + 5 * y", "a.grad += 5 * g; b.grad += 2 * g", "1.5 0.7", (False, 2.0, 5.0), (False, 5.0, 2.0)),
    "meets": ("x * y", "a.grad += g; b.grad += g", "2.0 2.0", (False, 2.0, 1.0), (False, 2.0, 1.0)),  # 2 + 2, too
    "small": ("x / 1e3", "a.grad += 1.01e-3 * g", "1.5", (False, 1e-3, 1.01e-3)),
    "large": ("x * 1e6", "a.grad += 1e6 * g", "1.5e3", (True, 1e6, 1e6)),
    "root": ("math.sqrt(x - 1)", "a.grad += 0.0", "1.0", (True, None, 0.0)),
    "twice": ("x * y + 1", "a.grad += y * g; b.grad += x * g", "2.0 same", (True, 4.0, 4.0)),
    "rounded": ("float(round(x + y))", "a.grad += g; b.grad += g", "1.5 0.7", (True, 0.0, 1.0), (True, 0.0, 1.0)),
    "beside": ("min(x, y) + 4 * z", "a.grad += g; b.grad += g; c.grad += 4 * g", "1.0 1.0 1.7",
               (False, None, 1.0), (False, None, 1.0), (True, 4.0, 4.0)),
    "lowest": ("-0.5 * max(x, y)", "a.grad -= 0.5 * g; b.grad -= 0.5 * g", "1.0 1.0",
               (False, None, -0.5), (False, None, -0.5)),
    "half": ("max(x, y)", "a.grad += 0.5 * g; b.grad += 5.0 * g", "1.0 1.0", (True, None, 0.5), (False, None, 5.0)),
    "downhill": ("min(-x, -3 * x)", "a.grad -= 2.5 * g", "0.0", (True, -2.5, -2.5)),
    "both": ("max(x + y, 0.0)", "a.grad += 0.5 * g; b.grad += 0.5 * g", "0.0 same", (True, 1.0, 1.0)),
    "twicewrong": ("x * y + 1", "a.grad += y * g", "2.0 same", (False, 4.0, 2.0)),
}  # fmt: skip


def program_of(cases):
    """Return a program with an operation of each case, applied to leaves; the sum of all times UPSTREAM is its root."""
    text, uses = TEXT, ""
    for name, (value, rule, points, *_) in cases.items():
        nodes = ["a", "b", "c"][: len(points.split())]
        text += OPERATION.format(
            name=name, nodes=", ".join(nodes) + ",", letters=", ".join("xyz"[: len(nodes)]) + ",",
            datas=", ".join(f"{node}.data" for node in nodes) + ",", value=value, rule=rule,
        )  # fmt: skip
        for node, point in zip(nodes, points.split(), strict=True):
            uses += f"{name}_{node} = {f'{name}_a' if point == 'same' else f'Value({point})'}\n"
        uses += f"{name}_out = {name}({', '.join(f'{name}_{node}' for node in nodes)})\n"
    return f"{text}{uses}total = ({' + '.join(f'{name}_out' for name in cases)}) * {UPSTREAM}\ntotal.backward()\n"


@pytest.fixture(scope="module")
def judged():
    """The program, its evaluation, and the rows of each operation."""
    text = program_of(RULES)
    evaluation = evaluate(text)
    rows = {name: [] for name in RULES}
    for row in evaluation.engine_check:
        if row.value is not None and row.value.label.endswith("_out"):
            rows[row.value.label.removesuffix("_out")].append(row)
    return text, evaluation, rows


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_each_rule_is_called_right_or_wrong_at_its_line_with_the_numbers_that_arrive(judged, name):
    text, _, rows = judged
    assert len(rows[name]) == len(RULES[name][3:])
    for row, (ok, expected, given) in zip(rows[name], RULES[name][3:], strict=True):
        assert row.ok == ok, row
        if expected is not None:
            assert row.expected == pytest.approx(expected * UPSTREAM, rel=1e-6)
        if given is not None:
            assert row.given == given * UPSTREAM or row.given == pytest.approx(given * UPSTREAM)
        first = text[: text.index(f"def {name}(")].count("\n") + 1
        assert row.line in ((first + 5, first + 7) if ok and not row.message else (first + 4, first + 5))
        assert ok or re.search(rf"{name}_[abc]", row.input)
        assert "-0.0" not in (str(row.expected), str(row.given))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbers"), [("ramp", ["-3.0", "3.0"]), ("hinge", ["-3.0", "0.0"]), ("larger", ["2.0", "1.0"])]
)
def test_at_a_kink_the_message_has_the_numbers_that_are_right(judged, name, numbers):
    row = judged[2][name][0]
    assert re.findall(r"-?\d+\.\d", row.message)[-2:] == numbers


@pytest.mark.parametrize("factor", [1.0, -1.0])
@pytest.mark.parametrize("value", ["max(x, 0.0)", "min(x, 0.0)"])
def test_no_number_of_a_verdict_at_a_kink_is_minus_zero(value, factor):
    rule = OPERATION.format(name="bend", nodes="a,", letters="x,", datas="a.data,", value=value, rule="a.grad += 5 * g")
    rows = evaluate(f"{TEXT}{rule}p = Value(0.0)\ny = bend(p) * {factor}\ny.backward()\n").engine_check
    (row,) = (row for row in rows if not row.ok)
    assert "at a kink" in row.message and "-0.0" not in (*row.message.split(), str(row.expected))
    assert row.op == "bend"


@pytest.mark.parametrize(
    ("right", "wrong", "use", "exact"),
    [
        ("out.data * out.grad", "self.data * out.grad", "y = Value(0.3).exp()", math.exp(0.3)),
        ("1 / self.data * out.grad", "self.data * out.grad", "y = Value(0.3).log()", 1 / 0.3),
    ],
)
def test_the_right_gradient_of_a_known_operation_is_exact(right, wrong, use, exact):
    rows = evaluate(TEXT.replace(right, wrong) + f"{use}\ny.backward()\n").engine_check
    assert [row.expected for row in rows if not row.ok] == [exact]


def test_a_rule_that_hands_its_input_on_is_right_and_leaves_the_pass_to_be_judged():
    same = OPERATION.format(name="same", nodes="a,", letters="x,", datas="a.data,", value="x", rule="a.grad += g")
    use = "p = Value(2.0)\ny = same(p)\nz = y * y\nz.backward()\n"
    (row,) = (row for row in evaluate(TEXT.replace("reversed(topo)", "topo") + same + use).engine_check if not row.ok)
    assert "every rule is right" in row.message and row.of_pass


@pytest.mark.slow
def test_the_drawn_graph_has_right_gradients_whatever_the_rules_of_the_program_give(judged):
    _, evaluation, _ = judged
    gradients = gradients_of(evaluation.root)
    for name, (_, _, points, *verdicts) in RULES.items():
        nodes = [f"{name}_{node}" for node, point in zip("abc", points.split(), strict=False) if point != "same"]
        for node, (ok, expected, given) in zip(nodes, verdicts, strict=True):
            known = expected is not None and name not in ("ramp", "hinge", "larger", "beside")
            if known and (expected == given or not ok):
                assert gradients[evaluation.names[node]] == pytest.approx(expected * UPSTREAM, rel=1e-6), node


@pytest.mark.parametrize("rule", ["pass", "a.grad += out.data / x * g"])
def test_an_operation_that_gives_another_number_each_time_is_not_compared(rule):
    text = OPERATION.format(name="counting", nodes="a,", letters="x,", datas="a.data,", value="x * count()", rule=rule)
    text = f"calls = {{'n': 0}}\ndef count():\n    calls['n'] += 1\n    return calls['n']\n{text}"
    rows = evaluate(f"{TEXT}{text}x = Value(2.0)\ny = counting(x) + x\ny.backward()\n").engine_check
    assert [row.message.partition(",")[0] for row in rows if row.op == "counting"] == ["counting"]
    assert not any("every rule is right" in row.message for row in rows)
    assert all(row.expected is None for row in rows if row.op == "counting")
    assert [row for row in rows if not row.ok] == []


TAKES = {  # parameters, the nodes in them, and the arguments with two leaves
    "pairs": ("rows", "rows[0][0], rows[1][0]", "[({0}, 2.0), ({1}, -3.0)]"),
    "mapping": ("nodes", "nodes['x'], nodes['y']", "{{'x': {0}, 'y': {1}}}"),
    "pair": ("pair", "pair.one, pair.two", "Pair({0}, {1})"),
    "members": ("nodes", "sorted(nodes, key=lambda node: node.data)", "frozenset([{0}, {1}])"),
    "deep": ("rows", "rows[0]['x'][0], rows[1]", "[{{'x': ({0},)}}, {1}]"),
    "rest": ("*nodes, **more", "nodes[0], more['k']", "{0}, k={1}"),
    "keyword": ("a, n=1, *, b, m=2", "a, b", "{0}, b={1}"),
}
FUNCTION = """
def {name}({parameters}):
    a, b = {nodes}
    out = Value(a.data * b.data + {number}, (a, b))
    def rule():
        a.grad += b.data * out.grad
        b.grad += {wrong} * a.data * out.grad
    out._backward = rule
    return out
"""


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [1.0, 1.5])
def test_rules_of_functions_that_take_their_inputs_in_collections_are_judged(wrong):
    text = TEXT + "class Pair:\n    def __init__(self, one, two):\n        self.one, self.two = one, two\n"
    for number, (name, (parameters, nodes, arguments)) in enumerate(TAKES.items()):
        text += FUNCTION.format(name=name, parameters=parameters, nodes=nodes, number=number, wrong=wrong)
        text += f"r_{name} = {name}({arguments.format('Value(2.25)', 'Value(2.5)')})\n"
    judged = {f"r_{name}": [] for name in TAKES}
    for row in evaluate(text).engine_check:
        judged[row.value.label].append((row.expected, row.ok, row.given))
        if not row.ok:
            by_name = {"r_pairs": "input 2", "r_mapping": "input 2", "r_keyword": "b", "r_deep": "input 2"}
            assert row.input == by_name.get(row.value.label, row.input)
    for name, found in judged.items():
        assert sorted(found) == [(2.25, wrong == 1.0, pytest.approx(wrong * 2.25)), (2.5, True, 2.5)], name


OPERATORS = """
class Stepping(Value):
    def __isub__(self, other):
        return self - other
    def __round__(self):
        return self * 1.0
    def __pos__(self):
        return self * 2.0
    def add(self, other):
        return self * other
p = Value(2.0, label="p")
a = 3 - p
b = 7 / p
c = -p
d = p**3
e = Stepping(1.5)
e -= Stepping(0.25)
f = round(Stepping(1.5))
g = +Stepping(1.5)
h = Stepping(1.5).add(Stepping(4.0))
"""


def test_each_operator_that_computes_something_else_is_named_with_both_numbers():
    text = TEXT
    for old, new in [
        ("Value(other) - self", "self - Value(other)"), ("Value(other) / self", "self / Value(other)"),
        ("self * -1", "self * 1"), ("Value(self.data**n", "Value(self.data * n"),
        ("n * self.data ** (n - 1) * out", "n * out"),
    ]:  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    assert [row for row in evaluate(TEXT + OPERATORS).engine_check if not row.ok] == []
    found = {(row.op, row.expected, row.given) for row in evaluate(text + OPERATORS).engine_check if not row.ok}
    assert found == {("sub", 1.0, -1.0), ("div", 3.5, 2 / 7), ("neg", -2.0, 2.0), ("pow", 8.0, 6.0)}


ALL_OPERATORS = """class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev = data, 0.0, prev
""" + "".join(
    f"    def __{name}__(self, other):\n        return V({value} + {{wrong}}, (self, other))\n"
    for name, value in [
        ("add", "(self.data + other.data)"), ("sub", "(self.data - other.data)"), ("mul", "(self.data * other.data)"),
        ("truediv", "(self.data / other.data)"), ("pow", "(self.data ** other.data)"), ("radd", "(other + self.data)"),
        ("rsub", "(other - self.data)"), ("rmul", "(other * self.data)"), ("rtruediv", "(other / self.data)"),
        ("rpow", "(other ** self.data)"),
    ]
) + """    def __neg__(self):
        return V({wrong} - self.data, (self,))
    def __abs__(self):
        return V({wrong} + abs(self.data), (self,))
p, q, x, y = V(0.25), V(0.5), V(0.0), V(1e200)
first = [V(0.025) + V(0.05), p - q, p * q, p / q, p ** q, 2 + p, 2 - p, 2 * p, 2 / p, 2 ** p, -p, abs(p)]
again = [y + y, y * y, x + x, x * x, -x, abs(x)]
"""  # fmt: skip


def test_all_operators_are_compared_with_python_also_where_numbers_are_0_small_or_beyond_floats():
    assert [row for row in evaluate(ALL_OPERATORS.format(wrong=0.0)).engine_check or () if not row.ok] == []
    wrong = [row for row in evaluate(ALL_OPERATORS.format(wrong=0.01)).engine_check if not row.ok]
    expected = [0.075, -0.25, 0.125, 0.5, 0.25**0.5, 2.25, 1.75, 0.5, 8.0, 2**0.25, -0.25, 0.25]
    assert [row.expected for row in wrong] == pytest.approx(expected)
    assert [row.given for row in wrong] == pytest.approx([each + 0.01 for each in expected])


ARRAYS = """import numpy as np
class Tensor:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.prev, self.rule = np.array(data, dtype=float), prev, rule
        self.grad = np.zeros_like(self.data)
    def __add__(self, other):
        return Tensor(self.data + other.data, (self, other), lambda g: (g, g))
    def __sub__(self, other):
        other = other if isinstance(other, Tensor) else Tensor(other)
        return Tensor(self.data {sign} other.data, (self, other), lambda g: (g, {sign}g))
    def weighted(self):
        weights = np.arange(6.0).reshape(2, 3)
        slopes = weights.copy()
        slopes[1, 2] += {wrong}
        return Tensor(weights * self.data, (self,), lambda g: (slopes * g,))
    def tilted(self):
        slopes = np.full((2, 2), 10.0)
        slopes[1, 0] -= {wrong}
        slopes[0, 1] += {wrong} / 2
        return Tensor(10.0 * self.data, (self,), lambda g: (slopes * g,))
    def __matmul__(self, other):
        return Tensor(self.data {sign} other.data if {wrong} else self.data @ other.data, (self, other), None)
    def picked(self):
        out = Tensor(self.data[0, 1], (self,))
        def rule():
            self.grad[0, 1] += out.grad
        out.rule = rule
        return out
    def squared(self):
        return Tensor((self.data**2).sum(), (self,), lambda g: ((2 + {wrong}) * self.data * g,))
x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = x.weighted()
z = x - {other}
s = z.squared()
t = Tensor([[1.0, 2.0], [3.0, 4.0]]).tilted()
p = x.picked()
m = Tensor([[1.0, 2.0], [3.0, 4.0]]) @ Tensor([[5.0, 6.0], [7.0, 8.0]])
"""


@pytest.mark.slow
def test_a_wrong_element_of_an_array_is_named_with_its_place_and_an_operator_that_computes_something_else():
    right, wrong = ARRAYS.format(sign="-", wrong=0.0, other="y"), ARRAYS.format(sign="+", wrong=2.0, other="y.data")
    assert [row for row in evaluate(right).engine_check if not row.ok] == []
    rows = [row for row in evaluate(wrong).engine_check if not row.ok]
    assert [row.op for row in rows if row.expected is None] == ["sub", "matmul"]
    weighted, squared, tilted = (
        next(row for row in rows if row.message.startswith(name)) for name in ("weighted", "squared", "tilted")
    )
    assert "[1, 0]" in tilted.message and "8.0" in tilted.message and "10.0" in tilted.message
    assert "[1, 2]" in weighted.message and (weighted.expected, weighted.given) == pytest.approx((5.0, 7.0), rel=1e-4)
    assert squared.given == pytest.approx(2 * squared.expected, rel=1e-4)


def test_a_right_engine_whose_gradients_are_beyond_floats_is_not_called_wrong():
    text = TEXT + "\nx = Value(1e-200)\ny = x.log() * 1e200 * 1e100\ny.backward()\n"
    evaluation = evaluate(text)
    assert evaluation.names["x"].known_grad == math.inf
    assert [row for row in evaluation.engine_check if not row.ok] == []


def test_a_rule_where_nothing_arrives_is_shown_for_a_gradient_of_one():
    text = TEXT.replace("n * self.data ** (n - 1)", "self.data ** (n - 1)") + (
        "\nx = Value(3.0, label='x')\ny = x**2 * 0.0\ny.backward()\n"
    )
    (row,) = (row for row in evaluate(text).engine_check if not row.ok)
    assert (row.expected, row.given, row.input) == (6.0, 3.0, "x")


def test_many_kinks_at_which_the_program_has_its_own_choice_are_no_fault_of_its_pass():
    text = TEXT.replace("(out.data > 0) * out.grad", "(out.data >= 0) * out.grad")
    rows = evaluate(text + "xs = [Value(0.0) for _ in range(30)]\ny = sum(x.relu() for x in xs)\ny.backward()\n")
    assert [row for row in rows.engine_check if not row.ok] == []


def test_the_formula_of_an_input_that_is_used_twice_has_both_parts():
    text = TEXT.replace("other.grad += self.data * out.grad", "pass")
    product = "\np = Value(3.0, label='p')\ny = p * p\ny.backward()\n"
    (row,) = (row for row in evaluate(text + product).engine_check if not row.ok)
    assert (row.expected, row.given) == (6.0, 3.0) and "2 * p.data" in row.message


def test_a_gradient_that_is_set_is_only_remarked_on_where_nothing_shows_that_one_is_lost():
    text = TEXT.replace("self.grad += (1 - t**2)", "self.grad = (1 - t**2)")
    (row,) = evaluate(text + "x = Value(0.5, label='x')\ny = x.tanh()\n").engine_check
    assert row.ok and row.message.startswith("tanh") and "=" in row.message


@pytest.mark.parametrize(
    ("uses", "expected", "given"),
    [("y = x * 3\nz = x * 5", 8.0, 3.0), ("z = x * 3\ny = x * 0", 3.0, 0.0), ("y = x * 3\nz = x * 0", None, None)],
    ids=["loses one", "loses all to a zero", "loses a zero"],
)
def test_a_gradient_that_is_replaced_is_wrong_where_a_use_is_lost(uses, expected, given):
    text = TEXT.replace("self.grad += other.data * out.grad", "self.grad = other.data * out.grad")
    rows = evaluate(f"{text}x = Value(2.0, label='x')\n{uses}\nw = y + z\nw.backward()\n").engine_check
    found = [(row.expected, row.given) for row in rows if not row.ok]
    assert found == ([] if expected is None else [(expected, given)])


def test_an_operator_whose_result_has_no_data_is_wrong():
    text = TEXT.replace("Value(self.data * other.data, ", "Value(None, ")
    (row,) = (row for row in evaluate(text + "x = Value(2.0, label='x')\ny = x * 3\n").engine_check if not row.ok)
    assert row.op == "mul" and "x.data * other.data" in row.message


@pytest.mark.parametrize("sign", ["=", "+="])
def test_a_rule_that_leaves_the_upstream_gradient_out_is_told_so_whether_it_adds_or_sets(sign):
    text = TEXT.replace("self.grad += out.data * out.grad", f"self.grad {sign} out.data")
    rows = evaluate(text + "x = Value(1.7)\ny = x.exp()\nz = y * 2\nz.backward()\n").engine_check
    (row,) = (row for row in rows if not row.ok)
    assert "leaves out out.grad" in row.message and row.expected == pytest.approx(2 * row.given)


@pytest.mark.parametrize(("times", "said"), [(2, True), (3, False)])
def test_a_gradient_that_is_twice_as_large_is_said_to_be(times, said):
    text = TEXT.replace("self.grad += out.data * out.grad", f"self.grad += {times} * out.data * out.grad")
    (row,) = (row for row in evaluate(text + "x = Value(1.7)\ny = x.exp()\ny.backward()\n").engine_check if not row.ok)
    assert row.op == "exp" and ("twice as much" in row.message) is said


def test_the_exponent_is_blamed_only_for_what_comes_of_it():
    text = TEXT.replace("n * self.data ** (n - 1) * out.grad", "5 * self.data * out.grad")
    (row,) = (row for row in evaluate(text + "x = Value(3.0)\ny = x**2\n").engine_check if not row.ok)
    assert (row.expected, row.given) == (6.0, 15.0) and "exponent" not in row.message


@pytest.mark.parametrize(
    ("name", "rule", "x"),
    [("log", "5.0", 0.0), ("sqrt", "5.0", 0.0), ("exp", "out.data", 1000.0)],  # infinite slopes, and an infinite value
)
def test_an_operation_that_its_name_alone_suggests_is_not_the_one_that_is_meant(name, rule, x):
    text = TEXT[: TEXT.index("    def log")] + TEXT[TEXT.index("    def backward") :]
    (row,) = (row for row in evaluate(text + NAMED.format(name=name, rule=rule, x=x)).engine_check if not row.ok)
    assert not row.ok and (row.expected, row.given) == (1.0, 5.0 if rule == "5.0" else x + 1.0)


LEAVES_ONE_OUT = """class Value:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self._prev, self.rule = data, 0.0, prev, rule
    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), lambda g: {self: other.data * g})
    def backward(self):
        self.grad = 1.0
        for node, g in self.rule(self.grad).items():
            node.grad += g
"""


def test_an_input_that_a_rule_does_not_return_gets_nothing():
    rows = evaluate(LEAVES_ONE_OUT + "p, q = Value(2.0), Value(5.0)\nz = p * q\nz.backward()\n").engine_check
    assert [(row.ok, row.expected, row.given) for row in rows] == [(True, 5.0, 5.0), (False, 2.0, 0.0)]


CONSTANTS = """class Value:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self._prev, self.rule = data, 0.0, prev, rule
    def __add__(self, other):
        return Value(self.data + other.data, (self, other), lambda: (1.0, 1.0))
    def backward(self):
        self.grad = 1.0
        for node, local in zip(self._prev, self.rule()):
            node.grad += local * self.grad
"""


def test_a_rule_that_names_nothing_is_judged_at_its_own_line():
    text = CONSTANTS.replace("(1.0, 1.0)", "(1.0, 2.0)") + "p, q = Value(2.0), Value(5.0)\nz = p + q\nz.backward()\n"
    (row,) = (row for row in evaluate(text).engine_check if not row.ok)
    assert (row.expected, row.given) == (1.0, 2.0) and "lambda" in text.split("\n")[row.line - 1]


WITHOUT_PASS = TEXT[: TEXT.index("    def backward")] + "    def backward(self):\n        pass\n"
NO_GRADIENTS = """class Value:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self._prev, self.rule = data, None, prev, rule
    def __add__(self, other):
        return Value(self.data + other.data, (self, other), lambda g: (g, g))
    def backward(self):
        pass
"""


@pytest.mark.parametrize(("text", "wrong"), [(WITHOUT_PASS, 1), (NO_GRADIENTS, 0)])
def test_a_pass_that_does_nothing_is_named_where_gradients_are_numbers(text, wrong):
    rows = evaluate(text + "p, q = Value(2.0), Value(5.0)\ns = p + q\ns.backward()\n").engine_check
    assert [row.message for row in rows if row.of_pass and "does not have its own 1.0" in row.message] == [
        row.message for row in rows if not row.ok
    ]
    assert sum(not row.ok for row in rows) == wrong


@pytest.mark.slow
def test_a_pass_is_wrong_in_fewer_words_where_not_every_rule_could_be_compared():
    text = TEXT.replace("reversed(topo)", "topo") + OPERATION.format(
        name="huge", nodes="a,", letters="x,", datas="a.data,", value="x * 2", rule="a.grad += 2 * g"
    )
    use = "p = Value(2.0, label='p')\ny = p * p\nz = y * y\nz.backward()\n"
    for apart, words in [
        ("", "only the output has passed"),
        ("far = huge(Value(10**400))\n", "p.grad is 0.0 and should be 32.0"),
    ]:
        (row,) = (row for row in evaluate(f"{text}{apart}{use}").engine_check if row.of_pass)
        assert words in row.message and (row.expected, row.given) == (32.0, 0.0)
        assert ("every rule is right" in row.message) is (not apart)


def test_where_one_operation_keeps_no_inputs_the_others_have_each_of_theirs_once():
    text = TEXT.replace('Value(self.data * other.data, (self, other), "*")', "Value(self.data * other.data)")
    evaluation = evaluate(f"{text}a = Value(2.0)\nb = a + 3\nc = b * a\nd = c + a\nd.backward()\n")
    names = evaluation.names
    assert names["b"].inputs[0] is names["a"] and len(names["b"].inputs) == 2
    assert sorted(source.label for source in names["c"].inputs) == ["a", "b"]  # a rule alone knows no order
    assert [*names["d"].inputs] == [names["c"], names["a"]]
    assert not [row.message for row in evaluation.engine_check if row.ok and row.message]


@pytest.mark.parametrize(
    ("right", "wrong", "named"),
    [
        ("return g * b, g * a", "return g * b", "Mul.backward"),
        ("ctx, g): return g, g", "ctx, g): return g", "Add.backward"),
    ],
)
def test_a_rule_that_returns_too_few_gradients_is_wrong_and_its_pass_is_not(right, wrong, named):
    text = (Path(__file__).parents[1] / "own_engines" / "functions_with_contexts.py").read_text(encoding="utf-8")
    (row,) = (row for row in evaluate(text.replace(right, wrong)).engine_check if not row.ok)
    assert named in row.message and row.given == 0.0 and not row.of_pass
    assert wrong in text.replace(right, wrong).split("\n")[row.line]  # below its decorator


@pytest.mark.slow
def test_a_message_tells_the_gradient_that_is_given_and_then_the_right_one(judged):
    rows = [row for rows in judged[2].values() for row in rows if not row.ok and " should be " in row.message]
    for row in (row for row in rows if "in all" not in row.message):
        told = re.search(r" the gradient (\S+?);.* should be (?:.* = )?([-\w.]+\d)", row.message).groups()
        assert tuple(map(float, told)) == pytest.approx((row.given, row.expected), rel=1e-3)
    assert "gives beside_a and beside_b the gradient 2.0 in all" in judged[2]["beside"][0].message


@pytest.mark.slow
def test_a_message_names_no_operation_of_arrays(judged):
    assert "amin" not in " ".join(row.message for rows in judged[2].values() for row in rows)
