"""Kinks, poles and the ends of the range of floats are told apart from errors."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import (
    OPS,
    Value,
    apply,
    check_gradients,
    check_value,
)
from engine.language import ProgramError, evaluate


def rows(text):
    return {row.label: row for row in check_gradients(evaluate(text).root)}


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


def test_an_undefined_gradient_of_an_element_names_the_array_that_has_no_number_beside_it():
    x = Value([1.0, 0.0], label="x")
    s = x.sqrt()
    s.label = "s"
    found = {row.label: row for row in check_gradients(s.sum())}
    assert found["x[0]"].ok and found["s[1]"].ok
    assert (found["x[1]"].ok, found["x[1]"].defined) == (False, False)
    assert found["x[1]"].note == "undefined: a nudge gives s no finite number"


@pytest.mark.parametrize("text", ["x = -1.0\ny = log(x)", "x = 0.0\ny = log(x)", "x = 800.0\ny = log(exp(x))"])
def test_a_result_without_a_number_defines_no_gradient(text):
    for row in rows(text).values():
        assert (row.ok, row.defined, row.note) == (False, False, "undefined: the result is not a finite number")


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
    assert "complex step" in row.note and row.ok


def test_where_nothing_can_tell_nothing_is_ticked():
    x = Value([1.0, 2.0], "x")
    row = check_gradients((x + 1e300).sum())[0]
    assert (row.ok, row.defined, row.agreeing_digits) == (False, True, 0)
    assert row.note and "complex step" not in row.note


@pytest.mark.parametrize("w", ["1e26", "3e27", "-1e28"])
def test_a_slope_that_changes_within_the_complex_step_is_judged_by_a_shorter_one(w):
    """-5.359077e26, right in all digits, stood beside -5.359071e26 with a ✗."""
    row = rows(f"x = 0.0; w = {w}\ny = 1e2*sin(x*w + 1)")["x"]
    assert row.ok and row.agreeing_digits >= 12
    assert row.complex_step == pytest.approx(1e2 * math.cos(1) * float(w), rel=1e-12)


def test_a_complex_step_that_comes_round_is_made_shorter():
    """The phase of exp(1e132i) says nothing: a right 0 stood with a ✗."""
    found = rows("x = 2e94; w = 4e37\nz = x*w\ny = logsumexp([z, 0.0]) - z")
    assert all(found[name].ok and found[name].backward == 0.0 for name in "xwz") and found["z"].complex_step == 0.0


def test_a_gradient_that_the_rounding_of_a_huge_result_leaves_no_digit_of_is_undefined():
    """exp(x - y) is 1 for both inputs of 2e23, as log 2 is lost in y: 1.0 stood beside 0.5 with a ✗."""
    row = rows("x = 2e23; w = 0.0\ny = logsumexp([w, x, x + w])")["w"]
    assert (row.mark, row.complex_step) == ("–", 0.5)
    assert row.note == "undefined: y is so large that its rounding leaves no digit of the gradient"


def test_digits_that_the_rounding_of_a_large_logsumexp_takes_are_no_difference():
    """exp(x - y) is right to 1e-7 where the next float of y is 1e-7 away: -0.500000001 stood beside -0.5 with a ✗."""
    row = rows("x = 7.8e8; w = 0.0\ny = logsumexp([w, x, x + w])")["w"]
    assert row.ok and row.backward != pytest.approx(0.5, rel=1e-10)


def test_the_complex_step_follows_the_largest_input_of_logsumexp_however_far_it_turns():
    """-3.9e196, right in all digits, stood beside 1.1e-34 with a ✗."""
    row = rows("x = 1e94; w = -4e196\ny = logsumexp([x*w, -x*w, 1.0])")["x"]
    assert row.ok and row.complex_step == pytest.approx(4e196)


def test_a_complex_step_that_turns_on_its_way_and_comes_back_is_made_shorter():
    """3e148, right in all digits, stood beside 0 with a ✗: the phase of swish(1e20i) says nothing."""
    row = rows("x = 0.0; w = 1e50\nc = swish(swish(swish(x*w)*w)*w)\ny = softplus(c*0.5)")["x"]
    assert row.ok and row.backward == pytest.approx(0.25 * 0.5**3 * 1e150) == pytest.approx(row.complex_step)


def test_what_rounding_does_to_a_large_gradient_is_not_called_wrong():
    """1 - tanh(9.5)^2 has lost nine digits, and 1e26 times it has as many right ones as it: seven."""
    row = rows("x = 9.5; w = 1e26\ny = tanh(x*1.0)*w")["x"]
    assert row.ok and 1e-9 < abs(row.backward / row.complex_step - 1.0) < 1e-4


def test_where_the_slope_of_half_the_step_is_another_one_the_gradient_is_not_called_wrong():
    """cos(1e308) goes up and down many times within the smallest step; the true derivative stood with a ✗."""
    text = "import torch\nx = torch.tensor([1e308], dtype=torch.float64, requires_grad=True)\ny = x.cos().sum()"
    row = rows(text)["x"]
    assert row.backward == pytest.approx(-math.sin(1e308))
    assert (row.mark, row.agreeing_digits, row.note) == (
        "–", 0, "undefined: half the step gives another slope, so no difference can judge the gradient"
    )  # fmt: skip


@pytest.mark.parametrize("text", ["x = 1e308\ny = cos(x)", "a = 1e308\nx = -a\ny = cos(a + x + 1e16)",
                                  "a = 1e308\nx = a * 1\ny = elu(x - a)"])  # fmt: skip
def test_a_complex_step_that_is_too_long_for_a_periodic_function_is_made_shorter(text):
    row = rows(text)["x"]
    assert row.ok and row.complex_step == pytest.approx(row.backward, rel=1e-12)


@pytest.mark.parametrize("text", ["x = 50.0\ny = tanh(x)", "x = 1e-290\ny = tanh(sqrt(x))", "x = 1e-310\ny = x**0.9",
                                  "x = 1e300\ny = log(x)*log(x)*x", "x = 1e160\ny = 1/x"])  # fmt: skip
def test_the_complex_step_takes_the_size_of_numbers_into_account(text):
    assert all(row.ok for row in rows(text).values())


NUMBERS = (0.0, 1e-300, 1e-10, 1e10, 1e300, -1e-300, 0.7, -1.3, 2.0, -575.0, 1e-150, 50.0, -50.0)


FORMS = ("tanh({a})", "exp({a})", "log({a})", "sqrt({a})", "{a}*{b}", "{a}/{b}", "{a}**{b}", "{a}+{b}", "{a}-{b}")


@pytest.mark.long
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
    try:
        result = evaluate("\n".join(lines))
    except ProgramError as error:  # a division by zero, or an overflow of **: what was computed before it is checked
        result = error.evaluation
    for row in check_gradients(result.root) if result is not None and result.root is not None else ():
        both = math.isfinite(row.backward) and math.isfinite(row.central_difference)
        assert row.ok <= both and row.ok <= row.defined
        assert row.agreeing_digits >= row.ok or row.note.startswith("at a kink")
        assert row.defined is not row.note.startswith("undefined: ")
        assert row.defined or not row.agreeing_digits


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


def test_what_two_saturated_operations_lose_is_no_disagreement():
    x = Value(53.4, "x")
    row = check_value((x.sigmoid() * 20.0).tanh() - 1.0, x)
    assert row.backward == 0.0 < row.complex_step < 1e-30 and row.ok


def test_a_gradient_too_small_for_differences_is_neither_right_nor_wrong():
    rows = {row.label: row for row in check_gradients(evaluate("x = 0.0\nv = x*1e24\ny = 1e-316*tanh(v)").root)}
    assert not rows["x"].defined and "too few digits" in rows["x"].note and rows["y"].ok


def test_a_steep_slope_at_a_tiny_number_shows_over_a_step_between_the_usual_one_and_the_number():
    row = check_gradients(evaluate("x = 5e-324\nv = x*1e16\ny = tanh(v*2)*2 + v - 1").root)[0]
    assert row.label == "x" and row.backward == pytest.approx(5e16) and row.ok and row.agreeing_digits >= 4


@pytest.mark.parametrize("x", [-6.5, -6.3, -6.093, -5.5])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_what_gelu_loses_far_below_0_is_no_disagreement(x, scale):
    value = Value(x, "x")
    row = check_value(apply(OPS["gelu"], value) * scale, value)
    assert row.backward == pytest.approx(row.complex_step, rel=1e-3) and row.ok


def test_a_gradient_of_which_rounding_takes_every_nudge_is_neither_right_nor_wrong():
    rows = {row.label: row for row in check_gradients(evaluate("v = -1e-308\ny = cos(v + 1e308)").root)}
    assert not rows["v"].defined and "so large that its rounding leaves no digit" in rows["v"].note
    assert "+1e308" in rows["v"].note.replace(" ", "")


def test_a_gradient_with_too_few_digits_to_compare_is_neither_right_nor_wrong():
    value = Value(-15.0, "x")
    row = check_value(value.tanh() * 1e6, value)
    assert (row.defined, row.note) == (False, "undefined: rounding leaves too few digits of the gradient")
    wrong = dataclasses.replace(OPS["tanh"], partials=("1.0005 * (1 - y**2)",))
    row = check_value(apply(wrong, value := Value(0.3)) * 1e6, value)
    assert row.defined and not row.ok


@pytest.mark.parametrize(("slope", "ok"), [(0.0, True), (0.3, True), (1.0, True), (-0.01, False), (1.01, False)])
def test_at_a_kink_every_slope_between_both_sides_passes_these_included(slope, ok):
    at_zero = dataclasses.replace(OPS["relu"], partials=(f"where(x > 0, 1, where(x < 0, 0, {slope}))",))
    row = check_value(root := apply(at_zero, Value(0.0)), root.inputs[0])
    assert (row.backward, row.ok) == (slope, ok)


@pytest.mark.parametrize("scale", [1.0, 1e6, -1e12, 1e-9])
def test_large_and_small_results_have_a_complex_step(scale):
    x = Value(0.7)
    root = (x.exp() * x.sin()).tanh() * scale
    row = check_value(root, x)
    assert row.ok and row.complex_step == pytest.approx(row.backward, rel=1e-12)


def test_a_row_of_a_long_graph_has_the_slope_and_the_digits_of_it_alone():
    x = Value(0.3, "x")
    y = x
    for _ in range(720):
        y = y * 0.5 + x * x
    rows = {row.label: row for row in check_gradients(y)}
    alone = check_value(y, x)
    assert rows["x"].central_difference == pytest.approx(alone.central_difference, rel=1e-7)
    assert rows["x"].central_difference == pytest.approx(1.2, rel=1e-7)
    assert rows["x"].agreeing_digits >= 7 and rows["x"].ok and rows["x"].complex_step is None
