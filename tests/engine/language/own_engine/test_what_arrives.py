"""Rules and passes that leave out, replace or bend what has arrived; rules that cannot be asked."""

import pytest

from tests.engine.language.own_engine.test_judge_limits import OWN, TEXT, TWO, rows_of, wrong


@pytest.mark.parametrize("then", ["", " * 2.0", " + p"])
def test_a_rule_that_sets_a_gradient_and_leaves_out_what_has_arrived_is_wrong(then):
    text = TEXT + OWN.format(value="3.0 * self.data", rule="3.0").replace("self.grad +=", "self.grad =")
    rows = wrong(text + TWO + f"s = p.own(){then}\ns.backward()\n")
    assert [(row.message.partition(",")[0], row.given, row.of_pass) for row in rows] == [("own", 3.0, False)]


def test_a_large_derivative_of_a_smooth_operation_is_no_kink():
    (row,) = wrong(TEXT + OWN.format(value="1000.0 * self.data ** 3", rule="7.0 * out.grad") + TWO + "s = p.own()\n")
    assert (row.expected, row.given) == (pytest.approx(12000.0), 7.0) and "kink" not in row.message


RETURNED = """
class V:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, rule
    def __mul__(self, other):
        return V(self.data * other.data, (self, other), lambda g: ({}, self.data * g))
x = V(3.0)
y = x * V(5.0)
"""


def test_a_rule_that_cannot_compute_with_an_upstream_gradient_is_not_compared_and_says_why():
    (row,) = rows_of(RETURNED.format("1 / 0"))
    assert row.ok and row.given is None and "ZeroDivisionError" in row.message


def test_a_gradient_of_zero_has_no_sign():
    (row,) = wrong(RETURNED.format("-0.0 * g"))
    assert (row.expected, str(row.given)) == (5.0, "0.0")


UNDER_WAY = """class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev, self.rule = data, 0.0, prev, None
    def __add__(self, other):
        out = V(self.data + other.data, (self, other))
        def rule():
            self.grad += out.grad
            other.grad += out.grad
        out.rule = rule
        return out
    def __mul__(self, other):
        return V(self.data * other.data, (self, other))
x = V(2.0)
y = (x + V(3.0)) * x
"""


def test_an_operation_without_a_rule_is_not_spoken_of_before_there_is_a_backward_pass():
    assert [(row.op, row.ok) for row in rows_of(UNDER_WAY)] == [("add", True), ("add", True)]


ONCE = """factors = [3.0]
class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev = data, 0.0, prev
    def __mul__(self, other):
        return self
    def scaled(self):
        factor = factors.pop()
        out = V(factor * self.data, (self,))
        def rule():
            self.grad += 5.0 * out.grad
        out.rule = rule
        return out
x = V(2.0)
y = x.scaled()
"""


def test_a_call_that_cannot_be_made_again_is_not_compared():
    assert [(row.ok, row.expected, "gives another number" in row.message) for row in rows_of(ONCE)] == [
        (True, None, True)
    ]


@pytest.mark.parametrize("kept", ["local_sizes = [1.0, 2.0, 3.0]", "hooks = [abs, lambda g: g, lambda g: -g]"])
def test_a_list_that_is_longer_than_the_inputs_has_no_derivatives(kept):
    text = f"""class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev = data, 0.0, prev
        self.{kept}
    def __mul__(self, other):
        return V(self.data * other.data, (self, other))
def backward(root):
    root.grad = 1.0
    a, b = root.prev
    a.grad += b.data * root.grad
    b.grad += a.data * root.grad
x = V(3.0)
y = x * V(5.0)
backward(y)
"""
    assert [(row.expected, row.given) for row in rows_of(text)] == [(5.0, 5.0), (3.0, 3.0)]


REPLACED = """class V:
    def __init__(self, data, prev=()):
        self.data, self.grad, self.prev = data, 0.0, prev
    def __mul__(self, other):
        return V(self.data * other.data, ((self, other.data), (other, self.data)))
    def backward(self):
        order = []
        def visit(v):
            if v not in order:
                for each, _ in v.prev:
                    visit(each)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for each, factor in v.prev:
                each.grad = factor * v.grad
"""


@pytest.mark.parametrize(("lines", "called"), [
    ("x = V(3.0)\ny = x * V(5.0) * x\ny.backward()\n", "x"),
    ("def of(x):\n    return x * x * V(2.0) * V(2.0)\nof(V(3.0)).backward()\n", ""),
])  # fmt: skip
def test_a_pass_that_replaces_a_contribution_names_the_value(lines, called):
    (row,) = wrong(REPLACED + lines)
    assert row.of_pass and row.input == called and "keeps only one contribution" in row.message
    assert ("a value" in row.message) == (not called)


@pytest.mark.parametrize(("lines", "words"), [
    ("y = x * x * x\n", ("keeps only", "visited")), ("z = x * V(5.0)\ny = z * x * V(2.0)\n", ("keeps only one",)),
])  # fmt: skip
def test_where_two_mistakes_of_a_pass_have_the_same_gradients_both_are_named(lines, words):
    (row,) = wrong(f"{REPLACED}x = V(3.0)\n{lines}y.backward()\n")
    assert row.of_pass and row.input == "x" and all(each in row.message for each in words)


@pytest.mark.parametrize("factor", ["out.grad ** 2", "abs(out.grad)", "max(out.grad, 0.0)", "(out.grad + 1.0) / 2"])
def test_a_rule_whose_gradient_is_no_multiple_of_what_arrives_is_wrong(factor):
    text = TEXT + OWN.format(value="3.0 * self.data", rule=f"3.0 * {factor}")
    for then in ("", " * 0.5"):
        (row,) = wrong(text + TWO + f"s = p.own(){then}\ns.backward()\n")
        assert not row.of_pass and row.input == "p" and (row.expected, row.given) == (3.0, 3.0)


def test_a_product_with_itself_whose_second_contribution_leaves_out_what_arrives_is_wrong():
    text = TEXT.replace("other.grad += self.data * out.grad", "other.grad += self.data")
    (row,) = wrong(text + TWO + "s = p * p\ns.backward()\n")
    assert row.op == "mul" and (row.expected, row.given) == (4.0, 4.0)


MANY_ALIKE = """
h = V(0.5)
xs = [V({number}) for k in range(30)]
s = xs[0]
for x in xs[1:]:
    s = s + x * h + x
s.backward()
"""


@pytest.mark.parametrize("number", ["0.01 * k + 1.0", "2.0"])
def test_many_results_that_do_not_say_which_operation_made_them_are_told_apart_by_their_numbers(number):
    text = REPLACED.replace(
        "    def backward",
        "    def __add__(self, other):\n        return V(self.data + other.data, "
        "((self, 1.0), (other, 1.0)))\n    def backward",
    ) + MANY_ALIKE.format(number=number)
    (row,) = wrong(text)
    assert row.of_pass and "keeps only one" in row.message and row.expected == 1.5
    assert wrong(text.replace("each.grad = ", "each.grad += ")) == []
    rows = wrong(text.replace("each.grad = ", "each.grad += ").replace("(other, self.data)", "(other, 7.0)"))
    assert rows and {row.op for row in rows} == {"mul"}
