"""The checker: right gradients pass, wrong ones do not, and kinks and poles are told apart from errors."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import (
    OPS,
    Replay,
    Value,
    apply,
    check_gradients,
    check_value,
    gradients_of,
    logsumexp,
    nudge,
    slope,
    weighted_sum,
    what_if,
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


@pytest.mark.parametrize(
    ("text", "label", "op"),
    [
        ("x = 0.0\ny = relu(x)", "x", "relu"),
        ("x = 0.0\ny = leaky_relu(x)*2", "x", "leaky_relu"),
        ("x = 0.0\ny = 3*abs(x) + x", "x", "abs"),
        ("a = 1.0; b = 1.0\nc = max(a, b)", "a", "max"),
        ("a = 2.0; b = 2.0\nc = exp(min(a, b))", "b", "min"),
        ("x = 1.0; w = 2.0\ny = relu(x*w - 2)", "w", "relu"),
    ],
)
def test_at_a_kink_the_subgradient_passes_and_the_kink_is_named(text, label, op):
    row = rows(text)[label]
    assert row.ok
    assert row.note.startswith(f"at a kink of {op}: {OPS[op].at_kink}")


def test_at_a_kink_a_slope_outside_both_sides_fails():
    wrong = dataclasses.replace(OPS["relu"], partials=("where(x >= 0, 1.5, 0.0)",))
    x = Value(0.0)
    assert not check_gradients(apply(wrong, x))[0].ok


def test_close_to_a_kink_the_gradient_is_still_right():
    row = rows("x = 1e-9\ny = relu(x)")["x"]
    assert row.ok
    assert row.backward == row.complex_step == 1.0


def test_an_undefined_exponent_gradient_is_marked():
    """C005: the value is right, the derivative with respect to the exponent does not exist."""
    checked = rows("x = -2.0; y = 3.0\nz = x ** y")
    assert checked["x"].ok and checked["x"].backward == 12.0
    assert math.isnan(checked["y"].backward)
    assert not checked["y"].ok and not checked["y"].defined
    assert checked["y"].note == f"undefined: {OPS['pow'].domain.problem}"


def test_a_result_that_is_no_number_checks_nothing():
    assert not any(row.ok for row in check_gradients(evaluate("x = -1.0\ny = log(x)").root))


def test_a_step_is_made_smaller_where_it_would_leave_the_domain():
    row = rows("x = 1e-7\ny = log(x)")["x"]
    assert row.ok
    assert row.agreeing_digits >= 8


@pytest.mark.parametrize(
    "text",
    [
        "x = 1e-200; w = 1e-120\ny = x*w*1e100",
        "x = 5e-324\ny = x*2",
        "x = 1e150\ny = x*x",
        "x = -1e-3\ny = exp(x*1e5)",
        "x = 300.0\ny = tanh(x)",
        "x = 0.0\ny = x*x*x",
        *(f"x = 0.0\ny = {name}(4e9*x - 1e3)" for name in ("sigmoid", "swish", "softplus")),
        *(f"x = {x}\ny = {name}(x)" for name in ("sigmoid", "swish", "softplus") for x in (-20, -36, -720, 1000)),
    ],
)
def test_tiny_and_huge_numbers_pass(text):
    assert all(row.ok for row in check_gradients(evaluate(text).root))


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


UNDEFINED = {
    "x = 0.0\ny = sqrt(x)": ("x", OPS["sqrt"].domain.problem),
    "x = 0.0\ny = x**0.5": ("x", OPS["pow"].domain.problem),
    "x = 0.0\ny = x**1.5": ("x", OPS["pow"].domain.problem),
    "x = 5e-324\ny = log(x)": ("x", OPS["log"].domain.problem),
    "x = 1e-160\ny = 1/x": ("x", "the gradient is too large (over 1.8e308)"),
    "x = 1e-300; w = -575.0\ny = w/abs(x)": ("x", "the gradient is too large (over 1.8e308)"),
    "w = -1e-300\nv = w + w - w\ny = v/v": ("w", "the gradient is not a number"),
    "x = 709.7827\ny = exp(x)*1e-5": ("x", "overflow: number too large (over 1.8e308)"),
}


@pytest.mark.parametrize("text", UNDEFINED)
def test_what_is_undefined_is_not_ticked_and_says_why(text):
    """W7: infinite and missing numbers were ticked, or called "0 digits"."""
    label, reason = UNDEFINED[text]
    row = rows(text)[label]
    assert (row.ok, row.defined, row.agreeing_digits) == (False, False, 0)
    assert row.note == f"undefined: {reason}"


@pytest.mark.parametrize("text", ["x = -1.0\ny = log(x)", "x = 0.0\ny = log(x)", "x = 800.0\ny = log(exp(x))"])
def test_a_result_without_a_number_defines_no_gradient(text):
    for row in rows(text).values():
        assert (row.ok, row.defined, row.note) == (False, False, "undefined: the result is not a finite number")


def test_a_constant_without_a_derivative_has_no_row():
    assert list(rows("x = -3.0\ny = x**2")) == ["x", "y"]
    assert list(rows("x = 3.0\ny = x**2")) == ["x", "2", "y"]


COARSE = [
    ("x = 10000000000.0; w = -50.0\ny = sin(x*w)", "x"),
    ("x = 1e300; w = 1.0\ny = w + x", "w"),
    ("a = 1.0; b = 1e17\ny = a + b", "a"),
    ("x = 1e-10; w = 1e10\ny = abs(x - w)", "x"),
    ("x = 0.0\ny = x*x*x", "x"),
]


@pytest.mark.parametrize("text, label", COARSE)
def test_where_a_difference_cannot_tell_the_complex_step_judges_and_that_is_said(text, label):
    """-0.575 stood ticked beside -7e-296 with 0 digits."""
    row = rows(text)[label]
    assert row.ok and row.defined
    assert row.agreeing_digits >= 12
    assert row.note == "the central difference cannot tell; the complex step agrees"


def test_where_nothing_can_tell_nothing_is_ticked():
    x = Value([1.0, 2.0], "x")
    row = check_gradients((x + 1e300).sum())[0]
    assert (row.ok, row.defined, row.agreeing_digits) == (False, True, 0)
    assert row.note == "the central difference cannot tell"


@pytest.mark.parametrize("w", ["1e26", "3e27", "-1e28"])
def test_a_slope_that_changes_within_the_complex_step_is_judged_by_a_shorter_one(w):
    """-5.359077e26, right in all digits, stood beside -5.359071e26 with a ✗."""
    row = rows(f"x = 0.0; w = {w}\ny = 1e2*sin(x*w + 1)")["x"]
    assert row.ok and row.agreeing_digits >= 12
    assert row.complex_step == pytest.approx(1e2 * math.cos(1) * float(w), rel=1e-12)


def test_what_rounding_does_to_a_large_gradient_is_not_called_wrong():
    """1 - tanh(9.5)^2 has lost nine digits, and 1e26 times it has as many right ones as it: seven."""
    row = rows("x = 9.5; w = 1e26\ny = tanh(x*1.0)*w")["x"]
    assert row.ok and 1e-9 < abs(row.backward / row.complex_step - 1.0) < 1e-4


def test_where_the_slope_of_half_the_step_is_another_one_the_gradient_is_not_called_wrong():
    """cos(1e308) goes up and down many times within the smallest step; the true derivative stood with a ✗."""
    row = rows("x = 1e308\ny = cos(x)")["x"]
    assert row.backward == pytest.approx(-math.sin(1e308))
    assert (row.mark, row.agreeing_digits, row.note) == (
        "–", 0, "undefined: half the step gives another slope, so no difference can judge the gradient"
    )  # fmt: skip


@pytest.mark.parametrize("text", ["x = 50.0\ny = tanh(x)", "x = 1e-290\ny = tanh(sqrt(x))", "x = 1e-310\ny = x**0.9",
                                  "x = 1e300\ny = log(x)*log(x)*x", "x = 1e160\ny = 1/x"])  # fmt: skip
def test_the_complex_step_takes_the_size_of_numbers_into_account(text):
    assert all(row.ok for row in rows(text).values())


NUMBERS = (0.0, 1e-300, 1e-10, 1e10, 1e300, -1e-300, 0.7, -1.3, 2.0, -575.0, 1e-150, 50.0, -50.0)
FORMS = ("tanh({a})", "exp({a})", "log({a})", "sqrt({a})", "{a}*{b}", "{a}/{b}", "{a}**{b}", "{a}+{b}", "{a}-{b}")


@given(st.randoms(use_true_random=False))
def test_no_row_is_ticked_without_finite_numbers_and_a_digit_that_agrees(chance):
    """Programs at the ends of the range of floats."""
    lines, names = [], ["x", "w"]
    for name in names:
        lines.append(f"{name} = {chance.choice(NUMBERS)!r}")
    for index in range(chance.randint(1, 4)):
        a, b = chance.choice(names), chance.choice(names)
        lines.append(f"v{index} = " + chance.choice(FORMS).format(a=a, b=b))
        names.append(f"v{index}")
    for row in check_gradients(evaluate("\n".join(lines)).root):
        both = math.isfinite(row.backward) and math.isfinite(row.central_difference)
        assert row.ok <= both and row.ok <= row.defined
        assert row.agreeing_digits >= row.ok or row.note.startswith("at a kink")
        assert row.defined is not row.note.startswith("undefined: ")
        assert row.defined or not row.agreeing_digits


def test_gradients_without_touching_grad():
    result = evaluate("x = 3.0\ny = x*x*2")
    assert gradients_of(result.root)[result.names["x"]] == 12.0
    assert result.names["x"].grad is None


def test_what_if_changes_nothing():
    result = evaluate("x = 3.0; w = 2.0\ny = x*w + w")
    x, w = result.names["x"], result.names["w"]
    assert what_if(result.root, {x: 4.0}) == 10.0
    assert what_if(result.root, {x: 4.0, w: 1.0}) == 5.0
    assert what_if(result.root, {}) == result.root.data == 8.0
    assert what_if(result.root, {result.root: 1.0}) == 1.0
    assert what_if(result.root, {Value(1.0): 5.0}) == 8.0


def test_what_if_an_intermediate_value_were_different():
    result = evaluate("x = 3.0\ny = x*x\nz = y + x")
    assert what_if(result.root, {result.names["y"]: 0.0}) == 3.0


def test_slopes_forward_and_central():
    result = evaluate("x = 3.0\ny = x**3")
    x = result.names["x"]
    assert slope(result.root, x) == pytest.approx(27.0, rel=1e-9)
    assert slope(result.root, x, 1e-3) == pytest.approx(27.000001, rel=1e-9)
    assert slope(result.root, x, 1e-3, central=False) == pytest.approx(27.009001, rel=1e-9)


def test_the_error_of_a_nudge_shows_truncation_and_round_off():
    result = evaluate("x = 3.0\ny = exp(x)")
    errors = {k: nudge(result.root, result.names["x"], 10.0**-k).error for k in range(1, 13)}
    assert errors[1] > errors[4] > errors[7]
    assert errors[12] > errors[8]


def test_a_nudge_of_nothing_is_refused():
    result = evaluate("x = 3.0\ny = x*2")
    with pytest.raises(ValueError, match="not 0"):
        nudge(result.root, result.names["x"], 0.0)
    assert nudge(result.root, result.names["x"], -0.5).actual_change == -1.0


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        (1, 0, "1 of 1 gradient agrees"),
        (0, 1, "0 of 1 gradient agrees, 1 differs"),
        (0, 2, "0 of 2 gradients agree, 2 differ"),
        (2, 1, "2 of 3 gradients agree, 1 differs"),
    ],
)
def test_the_summary_is_a_sentence_for_any_number_of_gradients(right, wrong, words):
    row = check_gradients(Value(2.0, label="a"))[0]
    rows = [row] * right + [dataclasses.replace(row, ok=False)] * wrong
    assert summary(rows) == words


def test_a_gradient_at_a_tiny_number_that_is_made_large_is_judged_by_a_step_as_small():
    rows = {row.label: row for row in check_gradients(evaluate("s = 1e16\nx = -1e-308\ny = tanh(x * s)").root)}
    assert rows["x"].ok and rows["x"].central_difference == pytest.approx(1e16) and rows["x"].agreeing_digits >= 4
    rows = {row.label: row for row in check_gradients(evaluate("x = -1e-308\ny = gelu(x / 1e-308)").root)}
    assert rows["x"].ok and rows["x"].agreeing_digits >= 4


def test_the_rounding_of_a_saturated_output_is_no_disagreement():
    x, w, target = Value(-19.7, "x"), Value(0.52, "w"), Value(1.0, "t")
    out = (x * w).tanh()
    loss = (out * 4.0).softplus() - target * out * 4.0
    rows = {row.label: row for row in check_gradients(loss)}
    assert abs(rows["w"].backward - rows["w"].complex_step) > 0.0
    assert rows["w"].ok


def test_an_array_as_the_result_is_refused_with_what_would_do():
    y = Value([1.0, 2.0]) * 2
    y.label = "y"
    with pytest.raises(ValueDataError, match=r"y is an array of the shape 2: its sum\(\) would be one"):
        check_gradients(y)
