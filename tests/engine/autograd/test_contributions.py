"""The backward pass edge by edge is the backward pass."""

import numpy as np
import pytest

from engine.autograd import Value, ValueDataError, contributions, gradients_of, local_derivatives
from engine.language import evaluate

PROGRAM = "a = -4.0\nb = 2.0\nc = a + b\nd = a*b + b**3\nc += 1 + c + (-a)\nd += tanh(c) + relu(b - a)*c\nL = d*c/b"


def test_one_record_for_every_edge():
    x = Value(3.0)
    y = x * x
    records = list(contributions(y))
    assert [(r.node, r.input, r.index, r.upstream, r.partial, r.amount) for r in records] == [
        (y, x, 0, 1.0, 3.0, 3.0),
        (y, x, 1, 1.0, 3.0, 3.0),
    ]


def test_the_amounts_sum_to_the_gradients():
    result = evaluate(PROGRAM)
    totals = {}
    for record in contributions(result.root):
        totals[record.input] = totals.get(record.input, 0.0) + record.amount
        assert record.amount == record.upstream * record.partial
    assert all(not value.grad_computed for value in totals)
    result.root.backward()
    for value, total in totals.items():
        assert total == value.grad


def test_a_node_hands_on_only_when_its_gradient_is_complete():
    result = evaluate(PROGRAM)
    records = list(contributions(result.root))
    handed_on = set()
    for record in records:
        assert record.input not in handed_on
        handed_on.add(record.node)
    result.root.backward()
    assert all(record.upstream == record.node.grad for record in records)


def test_local_derivatives_are_the_partials_of_the_records():
    result = evaluate(PROGRAM)
    for record in contributions(result.root):
        assert local_derivatives(record.node)[record.index] == record.partial


def test_a_leaf_has_no_contributions():
    assert list(contributions(Value(1.0))) == []
    assert local_derivatives(Value(1.0)) == []


def test_the_undefined_derivative_of_a_constant_exponent_is_left_out():
    x = Value(-2.0)
    assert [record.input for record in contributions(x**3)] == [x]


def test_arrays_give_one_record_for_every_edge_too():
    w, x = Value(np.ones((2, 3))), Value(np.arange(3.0))
    root = (w @ x).tanh().sum()
    totals = {record.input: record.amount for record in contributions(root)}
    root.backward()
    assert np.array_equal(totals[w], w.grad)
    assert np.array_equal(totals[x], x.grad)


def test_an_array_has_no_contributions_as_root():
    with pytest.raises(ValueDataError):
        list(contributions(Value(np.ones(2)) * 2))


def test_gradients_without_touching_grad():
    result = evaluate("x = 3.0\ny = x*x*2")
    assert gradients_of(result.root)[result.names["x"]] == 12.0
    assert not result.names["x"].grad_computed
