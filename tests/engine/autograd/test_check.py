"""The checker: right gradients pass, wrong ones do not, whatever the graph is made of."""

import dataclasses
import math

import numpy as np
import pytest

from engine.autograd import (
    OPS,
    Replay,
    Value,
    apply,
    check_gradients,
    check_value,
    logsumexp,
    weighted_sum,
)
from engine.autograd.check import MUCH_WORK, agreeing_digits, summary
from engine.autograd.data import ValueDataError
from engine.language import evaluate


def rows(text):
    return {row.label: row for row in check_gradients(evaluate(text).root)}


def test_every_node_has_a_row_intermediates_and_constants_too():
    checked = rows("x = 2.0\nw = -3.0\nn = x*w + 1\no = tanh(n)")
    assert list(checked) == ["x", "w", "xw", "1", "n", "o"]
    assert all(row.ok for row in checked.values())
    assert checked["1"].note == "constant"
    assert checked["o"].backward == checked["o"].central_difference == 1.0


def test_checking_leaves_the_graph_as_it_was():
    result = evaluate("x = 2.0\ny = x*x + exp(x)")
    before = [(value.data, value.grad) for value in result.origins]
    check_gradients(result.root)
    assert [(value.data, value.grad) for value in result.origins] == before
    result.root.backward()
    grads = [value.grad for value in result.origins]
    check_gradients(result.root)
    assert [value.grad for value in result.origins] == grads


@pytest.mark.parametrize("name", ["tanh", "exp", "mul", "pow", "relu", "logsumexp", "weighted_sum"])
def test_a_derivative_wrong_by_a_twentieth_of_a_percent_fails(name):
    op = OPS[name]
    wrong = dataclasses.replace(op, partials=tuple(f"1.0005 * ({text})" for text in op.partials))
    inputs = [Value(0.7, "x"), Value(1.3, "w"), Value(0.4, "b")][: op.arity or len(op.arguments) + (not op.paired)]
    root = apply(OPS["sin"], apply(wrong, *inputs))
    verdict = {row.label: row.ok for row in check_gradients(root)}
    assert not any(verdict[value.label] for value in inputs)
    assert all(row.ok for row in check_gradients(apply(OPS["sin"], apply(op, *inputs))))


def test_a_wrong_derivative_is_found_without_a_complex_step_too():
    op = OPS["tanh"]
    wrong = dataclasses.replace(op, partials=("1.0005 * (1 - y**2)",))
    x = Value(np.array([0.3, -0.6]), "x")
    assert all(row.ok for row in check_gradients(apply(op, x).sum()))
    bad = [row.label for row in check_gradients(apply(wrong, x).sum()) if not row.ok]
    assert bad == ["x[0]", "x[1]"]


def test_the_complex_step_agrees_to_thirteen_digits():
    for row in rows("x = 0.7; w = -1.3\ny = tanh(x*w)**2 / (1 + exp(-x)) + softplus(w)*gelu(x)").values():
        if row.note != "constant":
            assert row.complex_step == pytest.approx(row.backward, rel=1e-13)


def test_neurons_and_logits_are_checked_as_one_node():
    weights, inputs, bias = [Value(0.5), Value(-0.3)], [Value(1.0), Value(2.0)], Value(0.1)
    neurons = [weighted_sum(weights, inputs, bias).tanh(), weighted_sum(inputs, weights, bias)]
    checked = check_gradients(logsumexp(neurons))
    assert len(checked) == 9
    assert all(row.ok and row.complex_step is not None for row in checked)


def test_arrays_are_checked_at_a_few_elements():
    chance = np.random.default_rng(0)
    w, x = Value(chance.normal(size=(3, 4)), "w"), Value(chance.normal(size=(4, 2)), "x")
    checked = check_gradients((w @ x).tanh().mean())
    assert all(row.ok and row.complex_step is None for row in checked if row.value.shape)
    assert [row.label for row in checked if row.value is w] == ["w[0, 0]", "w[1, 2]", "w[2, 3]"]


def test_a_gradient_that_large_contributions_cancel_to_is_right_to_their_rounding():
    """Binary cross-entropy of a sure logit: sigmoid(36) - 1, of a loss as small as its gradient."""
    result = evaluate("z = 35.95\nloss = softplus(z) - z")
    row = next(row for row in check_gradients(result.root) if row.value is result.names["z"])
    assert row.complex_step is not None and row.backward != row.complex_step
    assert row.ok


def test_one_value_can_be_checked_alone():
    result = evaluate("x = 2.0\ny = x*x\nz = y + x")
    x = result.names["x"]
    assert check_value(result.root, x) == next(row for row in check_gradients(result.root) if row.value is x)


@pytest.mark.slow
def test_six_hundred_nodes_are_checked():
    text = "a0 = 0.5\n" + "\n".join(f"a{i} = sin(a{i - 1} + a{max(0, i - 7)})" for i in range(1, 300))
    checked = check_gradients(evaluate(text).root)
    assert len(checked) == 599
    assert all(row.ok for row in checked)


def long_graph(op=OPS["tanh"], length=900):
    """A chain with everything in it that takes part in sums of many: neurons, logits, shared values, a kink."""
    w, x = Value(0.9, "w"), Value(0.4, "x")
    y = x
    for index in range(length):
        y = apply(op, y * w + x) if index % 3 else weighted_sum([y, w], [w, x], x)
    return logsumexp([y, w]) + (w - 0.9).relu()


@pytest.mark.slow
def test_in_a_long_graph_the_checks_are_the_same_without_a_complex_step():
    root = long_graph()
    replay = Replay(root)
    assert replay.estimated_work() > MUCH_WORK
    checked = check_gradients(root)
    assert all(row.ok for row in checked)
    assert [row.value for row in checked] == replay.order
    for row in checked[::97]:
        alone = check_value(root, row.value)
        assert (alone.backward, alone.ok, alone.note) == (row.backward, row.ok, row.note)
        assert alone.central_difference == pytest.approx(row.central_difference, rel=1e-6, abs=1e-8)
    assert any(row.note.startswith("at a kink of relu") for row in checked)


@pytest.mark.slow
def test_in_a_long_graph_a_wrong_derivative_is_found():
    wrong = dataclasses.replace(OPS["tanh"], partials=("1.0005 * (1 - y**2)",))
    checked = {row.label: row.ok for row in check_gradients(long_graph(wrong, 700))}
    assert not checked["x"]


def test_the_work_is_estimated_for_scalar_graphs_only():
    assert Replay(Value(np.ones(3)).sum()).estimated_work() == 0
    assert Replay(evaluate("x = 1\ny = x*x*x").root).estimated_work() == 3


@pytest.mark.slow
def test_long_graphs_with_overflow_do_not_warn():
    root = evaluate("x = 700.0\ny = x" + " + exp(x*0.99)" * 350).root
    assert len(check_gradients(root)) == len(Replay(root).order)
    assert not any(row.ok for row in check_gradients(evaluate("x = 800.0\ny = x" + " + exp(x)" * 800).root))


@pytest.mark.parametrize(
    ("a", "b", "digits"),
    [(1.0, 1.0, 16), (0.0, 0.0, 16), (1.0, 1.0 + 3e-11, 10), (2.0, -2.0, 0), (1.0, math.nan, 0), (1.0, math.inf, 0),
     (123.456, 123.4561, 6), (1e-20, 1.0000001e-20, 7)],
)  # fmt: skip
def test_agreeing_digits(a, b, digits):
    assert agreeing_digits(a, b) == agreeing_digits(b, a) == digits


def test_noise_around_zero_is_no_disagreement():
    assert agreeing_digits(0.0, 1e-12, noise=1e-11) == 11
    assert agreeing_digits(1e-20, 3e-20, noise=1e-10) == 10  # not 19: nothing below the noise can be told
    assert agreeing_digits(1.0, 0.0, noise=3e7) == 0


def test_a_constant_without_a_derivative_has_no_row():
    assert list(rows("x = -3.0\ny = x**2")) == ["x", "y"]
    assert list(rows("x = 3.0\ny = x**2")) == ["x", "2", "y"]


@pytest.mark.parametrize(
    ("right", "wrong", "undefined", "outdated", "words"),
    [
        (1, 0, 0, 0, "1 of 1 gradient agrees"),
        (0, 1, 0, 0, "0 of 1 gradient agrees, 1 differs"),
        (0, 2, 0, 0, "0 of 2 gradients agree, 2 differ"),
        (2, 1, 0, 0, "2 of 3 gradients agree, 1 differs"),
        (1, 0, 2, 0, "1 of 3 gradients agrees, 2 are undefined"),
        (2, 0, 1, 0, "2 of 3 gradients agree, 1 is undefined"),
        (
            3,
            2,
            2,
            4,
            "3 of 11 gradients agree, 2 differ, 2 are undefined, 4 cannot be compared: data were changed later",
        ),
    ],
)
def test_the_summary_is_a_sentence_for_any_number_of_gradients(right, wrong, undefined, outdated, words):
    row = check_gradients(Value(2.0, label="a"))[0]
    rows = [row] * right + [dataclasses.replace(row, ok=False)] * wrong
    rows += [dataclasses.replace(row, ok=False, defined=False, note="undefined: why")] * undefined
    rows += [dataclasses.replace(row, ok=False, defined=False, note="not compared: why")] * outdated
    assert summary(rows) == words


def test_an_array_as_the_result_is_refused_with_what_would_do():
    y = Value([1.0, 2.0]) * 2
    y.label = "y"
    with pytest.raises(ValueDataError, match=r"y is an array of the shape 2: its sum\(\) would be one"):
        check_gradients(y)


def test_after_an_update_nothing_is_called_wrong_that_no_slope_can_judge():
    found = rows("w = Value(3.0)\nx = Value(2.0)\ny = (w*x - 1)**2\ny.backward()\nw.data -= 0.1 * w.grad")
    assert [label for label, row in found.items() if not row.is_compared] == ["w", "x"]
    assert not any(row.defined or row.ok for row in found.values() if not row.is_compared)
    assert all(row.ok for row in found.values() if row.is_compared)
    assert "not compared" in found["w"].note and "wx" in found["w"].note
    assert summary([*found.values()]) == "5 of 7 gradients agree, 2 cannot be compared: data were changed later"
