"""Names of values that nobody named: readable, short, and cheap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import OPS, Value, apply, expand, give_names, logsumexp, name_of, topological_order, weighted_sum
from engine.autograd.naming import LONGEST, derivative, grouped_name
from engine.language import evaluate


def named(*names):
    return [Value(0.5 + index, name) for index, name in enumerate(names)]


def test_a_label_comes_first_and_a_leaf_without_one_is_its_number():
    assert name_of(Value(1.0, "w")) == "w"
    assert name_of(Value(2.5)) == "2.5"
    assert name_of(Value(2.5).tanh()) == "tanh(2.5)"
    assert name_of(Value(np.ones((2, 3)))) == "[2×3]"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda o, t: o - t, "out-target"),
        (lambda o, t: (o - t) ** 2, "(out-target)²"),
        (lambda o, t: (1.0 - t * o).relu(), "relu(1-target·out)"),
        (lambda o, t: o.softplus() - t * o, "…-target·out"),
        (lambda o, t: -o / (t + 1), "(-out)/(target+1)"),
        (lambda o, t: abs(o - t).min(1.0), "min(…,1)"),
    ],
)
def test_a_computed_value_is_called_by_its_formula(make, name):
    assert name_of(make(*named("out", "target"))) == name


def test_sums_of_products():
    w, x = named("w1", "w2", "w3"), named("x1", "x2", "x3")
    assert name_of(weighted_sum(w[:2], x[:2], Value(1.0, "b"))) == "w1x1+w2x2+b"
    assert name_of(weighted_sum(w, x, Value(1.0, "bias"))) == "w1x1+w2x2+w3x3+bias"
    assert name_of(weighted_sum(w, x, Value(1.0, "the bias"))) == "…+(the bias)"
    many = named(*(f"w{i}" for i in range(40)))
    assert name_of(weighted_sum(many, many, Value(1.0, "b"))) == "…+w39·w39+b"


def test_of_a_long_sum_the_end_is_shown_so_that_partial_sums_differ():
    total, names = Value(0.0, "start"), []
    for i in range(1, 30):
        total = total + Value(0.1, f"L2N1.w{i}") * Value(1.0, f"L1N{i}")
        names.append(name_of(total))
    assert len(set(names)) == len(names)
    assert names[-1] == "…+L2N1.w29·L1N29"


def test_the_longest_operand_becomes_dots_and_two_names_without_room_become_the_operation():
    a, b = named("a", "a_very_long_name_for_a_number")
    assert name_of(a * b) == "a·…"
    assert name_of(b + b) == "…+…"
    assert name_of(logsumexp([a, b])) == "logsumexp(a,…)"
    assert name_of(logsumexp([b, a])) == "logsumexp(…)"


def test_labels_that_are_formulas_get_parentheses_where_they_need_them():
    a, b = named("a", "b")
    total, product = a + b, a * b
    total.label, product.label = "a+b", "ab"
    assert name_of(total * a) == "(a+b)·a"
    assert name_of(product**2) == "(ab)²"
    d = a * b
    d.label = "d"
    assert name_of(d**2) == "d²"


def test_a_name_in_a_longer_one_is_grouped():
    names = ("a+b", "ab", "exp(-x)", "…+w3x3", "w@x", "L2N1.sum₂", "exp(2n)-1")
    assert [grouped_name(Value(1.0, name)) for name in names] == [
        "(a+b)", "ab", "exp(-x)", "(…+w3x3)", "(w@x)", "L2N1.sum₂", "(exp(2n)-1)",
    ]  # fmt: skip
    o, t = named("o", "t")
    assert derivative((o - t).relu(), o - t) == "∂relu(o-t)/∂(o-t)"


@pytest.mark.parametrize("op", list(OPS.values()), ids=lambda op: op.name)
def test_every_operation_has_a_name_for_its_result(op):
    arity = op.arity or 3
    data = np.ones((2, 2)) if op.vjps else 0.5
    for letters in ("xyz", ["a_long_name_of_a_number"] * 3):
        name = name_of(apply(op, *(Value(data, letter) for letter in letters[:arity])))
        assert 0 < len(name) <= max(LONGEST, len(op.text) + 3, len(op.name) + 3)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["+", "-", "*", "/", "**2", "tanh", "neg"]), st.integers(1, 6)), max_size=25))
def test_every_value_of_every_program_has_a_short_name(operations):
    values = named("x", "alpha", "w12")
    for symbol, back in operations:
        a, b = values[-1], values[-min(back, len(values))]
        made = {
            "+": lambda a=a, b=b: a + b, "-": lambda a=a, b=b: a - b, "*": lambda a=a, b=b: a * b,
            "/": lambda a=a, b=b: a / (b * b + 1), "**2": lambda a=a: a**2, "tanh": lambda a=a: a.tanh(),
            "neg": lambda a=a: -a,
        }[symbol]()  # fmt: skip
        values.append(made)
    for value in topological_order(values[-1]):
        name = name_of(value)
        assert 0 < len(name) <= LONGEST
        assert name.count("(") == name.count(")")


def test_names_can_be_given_for_good():
    a, b = named("a", "b")
    total = (a * b + a) ** 2
    order = topological_order(total)
    give_names(order)
    assert [value.label for value in order if value.op] == ["ab", "ab+a", "(ab+a)²"]


def test_parts_of_a_value_that_is_called_by_its_formula_are_called_by_theirs():
    total = Value(0.5, "speed") * Value(2.0, "time")
    value = total.gelu()
    give_names(topological_order(value))
    names = [name_of(part) for part in expand(value).parts[value]]
    assert not any("(speed·time)." in name or ").t" in name for name in names)
    assert names[-1] == "gelu(speed·time)"


def test_names_of_a_deep_graph_cost_little():
    total = Value(1.0, "x")
    for _ in range(3_000):
        total = total + total * 0.5
    assert name_of(total)


def test_expression_labels_stay_and_longer_formulas_get_a_name():
    result = evaluate("a = 2; b = 3\nd = a*b + relu(a - b) + tanh(a*b - b)")
    assert [name_of(value) for value in topological_order(result.root) if value.op] == [
        "ab", "a-b", "relu(a-b)", "ab+relu(a-b)", "ab", "ab-b", "tanh(ab-b)", "d",
    ]  # fmt: skip


PRODUCTS = [("2*e1", "2·e1"), ("2*e", "2·e"), ("3*j", "3·j"), ("0*x1", "0·x1"), ("2*f1", "2f1"), ("x1*e1", "x1e1")]


@pytest.mark.parametrize(("text", "label"), PRODUCTS)
def test_a_product_is_not_written_like_a_number(text, label):
    y = evaluate(f"e1 = 1.0; e = 2.0; j = 3.0; x1 = 4.0; f1 = 5.0\nz = {text} + 1").root.inputs[0]
    assert y.label == label
