"""Composite operations in primitives: the same numbers, the original untouched."""

import random
from dataclasses import replace

import numpy as np
import pytest

from engine.autograd import OPS, Value, apply, composites, expand, logsumexp, name_of, topological_order, weighted_sum
from engine.language import evaluate

WITH_PROGRAM = [op for op in OPS.values() if op.expansion]


def grads(root, values):
    for value in topological_order(root):
        value.grad = None
    root.backward()
    return [value.grad for value in values]


@pytest.mark.parametrize("op", WITH_PROGRAM, ids=lambda op: op.name)
def test_expansion_has_the_data_and_gradient_of_the_operation(op):
    chance = random.Random(op.name)
    for _ in range(30):
        x = Value(chance.uniform(-4, 4), "x")
        root = apply(op, x) * 3 + x
        expansion = expand(root)
        copy = expansion.mapping[x]
        assert expansion.root.data == pytest.approx(root.data, rel=1e-12, abs=1e-12)
        assert grads(expansion.root, [copy]) == pytest.approx(grads(root, [x]), rel=1e-12, abs=1e-12)
        assert op.name not in {value.op.name for value in topological_order(expansion.root) if value.op}


def test_tanh_becomes_exponentials_with_readable_labels():
    result = evaluate("n = 0.5\no = tanh(n)")
    expansion = expand(result.root)
    assert [name_of(value) for value in topological_order(expansion.root)] == [
        "2", "n", "2n", "exp(2n)", "1", "exp(2n)-1", "1", "exp(2n)+1", "o",
    ]  # fmt: skip
    assert expansion.parts[result.root][-1] is expansion.root


def test_a_neuron_becomes_products_and_sums():
    w, x, b = [Value(0.5, "w1"), Value(-2.0, "w2")], [Value(3.0, "x1"), Value(4.0, "x2")], Value(1.0, "b")
    n = weighted_sum(w, x, b)
    n.label = "n"
    expansion = expand(n)
    made = [value for value in topological_order(expansion.root) if value.op]
    assert [(name_of(value), value.op.name) for value in made] == [
        ("w1x1", "mul"), ("w2x2", "mul"), ("w1x1+w2x2", "add"), ("n", "add"),
    ]  # fmt: skip
    leaves = [*w, *x, b]
    assert expansion.root.data == n.data
    assert grads(expansion.root, [expansion.mapping[leaf] for leaf in leaves]) == grads(n, leaves)


def test_long_partial_sums_are_called_by_the_number_of_their_terms():
    weights, inputs = ([Value(0.5, f"L2N1.{letter}{i}") for i in range(1, 5)] for letter in "wx")
    n = weighted_sum(weights, inputs, Value(1.0, "L2N1.b"))
    for label, base in (("L2N1.sum", "L2N1.sum"), ("L2N1", "L2N1.sum")):
        n.label = label
        sums = [name_of(value) for value in expand(n).parts[n] if value.op.name == "add"]
        assert sums == [f"{base}₂", f"{base}₃", f"{base}₄", label]


def test_names_that_a_formula_has_for_its_parts_are_used_where_the_parts_are_long():
    result = evaluate("speed = 0.5\ng = gelu(speed)")
    names = [name_of(value) for value in expand(result.root).parts[result.root]]
    assert "g.t" in names
    assert "1+g.t" in names
    assert "speed³" in names


def test_what_is_opened_keeps_its_name_when_nobody_named_it():
    result = evaluate("a = 0.5; b = 1.5\ny = logsumexp(a, b, a*b) * 2")
    (opened,) = expand(result.root, {"logsumexp"}).parts.values()
    assert name_of(opened[-1]) == name_of(result.root.inputs[0]) == "logsumexp(a,b,ab)"
    assert [name_of(part) for part in opened[:-1]] == ["exp(a)", "exp(b)", "exp(ab)", "exp(a)+exp(b)", "…+exp(ab)"]


def test_logsumexp_becomes_exponentials_and_a_logarithm():
    values = [Value(0.3), Value(-1.2), Value(2.0)]
    root = logsumexp(values)
    expansion = expand(root)
    assert expansion.root.data == pytest.approx(root.data, rel=1e-14)
    copies = [expansion.mapping[value] for value in values]
    assert grads(expansion.root, copies) == pytest.approx(grads(root, values), rel=1e-12)


def test_only_the_named_operations_are_taken_apart():
    root = evaluate("x = 0.5\ny = tanh(sigmoid(x))").root
    names = {value.op.name for value in topological_order(expand(root, {"tanh"}).root) if value.op}
    assert "sigmoid" in names and "tanh" not in names


def test_unknown_operations_are_refused():
    with pytest.raises(ValueError, match="'exp' is not a composite"):
        expand(Value(1.0).exp(), {"exp"})


def test_the_original_is_left_untouched():
    result = evaluate("x = 0.5; w = 2.0\ny = tanh(x*w) + relu(x)")
    before = [(value.data, value.grad, value.op, value.inputs, value.label) for value in result.origins]
    expand(result.root).root.backward()
    assert [(value.data, value.grad, value.op, value.inputs, value.label) for value in result.origins] == before


def test_shared_values_stay_shared_and_constants_constant():
    result = evaluate("x = 0.5\nt = tanh(x)\ny = t*t + 3")
    expansion = expand(result.root)
    square = expansion.root.inputs[0]
    assert square.inputs[0] is square.inputs[1] is expansion.mapping[result.names["t"]]
    assert [type(expansion.mapping[value]) for value in result.origins] == [type(value) for value in result.origins]


def test_a_graph_without_composites_is_copied():
    result = evaluate("a = 2.0\nb = a*a + 1")
    expansion = expand(result.root)
    assert not expansion.parts
    assert set(expansion.mapping) == set(result.origins)
    assert expansion.root is not result.root
    assert expansion.root.data == result.root.data


def test_arrays_are_kept_as_they_are():
    x = Value(np.array([0.1, 0.2]))
    root = x.tanh().sum()
    expansion = expand(root)
    assert expansion.root.data == root.data
    assert not expansion.parts


def test_every_composite_of_the_table_is_known():
    assert {"tanh", "sigmoid", "softplus", "weighted_sum", "logsumexp"} <= composites()
    assert {op.name for op in WITH_PROGRAM} <= composites()


def test_data_that_were_changed_by_hand_stay_in_what_is_not_taken_apart():
    x = Value(0.5)
    y = x * 2
    y.data = 5.0
    copied = expand(y + 1.0).root
    assert copied.inputs[0].data == 5.0


def test_a_sum_of_no_terms_becomes_the_bias_alone():
    bias = Value(0.75)
    expanded = expand(weighted_sum([], [], bias)).root
    assert expanded.data == 0.75


def test_an_expansion_that_is_no_arithmetic_says_which_formula():
    op = replace(OPS["relu"], expansion="y = x if x > 0 else 0")
    with pytest.raises(ValueError, match="x if x > 0 else 0"):
        expand(apply(op, Value(1.0)))
