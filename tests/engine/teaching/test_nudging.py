"""Nudges beside the published numbers, the error by h, and leaves that follow their gradients."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.autograd import Value, check_value, topological_order, what_if
from engine.examples.gallery import published_examples
from engine.language import evaluate
from engine.teaching import Explainer, Nudger
from engine.teaching.nudge_lines import DIGITS, SENTENCES, ascent_lines, cause, digits, nudge_lines, outdated_lines
from engine.teaching.nudging import Ascent

PUBLISHED = {case["id"]: case for case in published_examples()["nudges"]}
PROGRAMS = {case["id"]: case["program"] for case in published_examples()["programs"]}
PARABOLA = "x = {x}\nf = 3*x**2 - 4*x + 5"


@pytest.mark.parametrize("name, leaf", [("A6", "a"), ("A7", "b"), ("A8", "c")])
def test_the_published_nudges_come_out(name, leaf):
    result = evaluate(PROGRAMS["A5"])
    nudged = Nudger(result.root).nudge(result.names[leaf], 1e-4)
    assert [nudged.data, nudged.slope] == PUBLISHED[name]["value"]
    assert (
        nudged.predicted_change == result.names[leaf].data * 0 + Nudger(result.root).gradient(result.names[leaf]) * 1e-4
    )


def test_the_published_forward_differences_of_the_parabola_come_out():
    result = evaluate(PARABOLA.format(x=3.0))
    assert result.root.data == PUBLISHED["A1"]["value"]
    assert Nudger(result.root).nudge(result.names["x"], 1e-8).slope == pytest.approx(14.00000009255109, abs=4e-7)
    result = evaluate(PARABOLA.format(x=repr(2 / 3)))
    assert Nudger(result.root).nudge(result.names["x"], 1e-6).slope == pytest.approx(3e-6, abs=1e-9)


def test_following_the_gradient_raises_the_output_as_published():
    result = evaluate(PROGRAMS["A10"])
    leaves = [result.names[name] for name in "abcf"]
    ascent = Nudger(result.root).ascend(leaves, 0.01)
    assert ascent.before == -8.0 and ascent.after == pytest.approx(PUBLISHED["A11"]["value"], abs=1e-12)
    assert ascent.predicted_change == pytest.approx(0.01 * (36 + 16 + 4 + 16))
    text = "\n".join(line.text for line in ascent_lines(result.root, "a, b, c, f", ascent))
    assert "L: -8 → -7.286496" in text and "predicted = 0.01 × 72 = 0.72" in text
    assert [leaf.data for leaf in leaves] == [2.0, -3.0, 10.0, -2.0]


def test_a_step_of_nothing_shows_the_squares_all_the_same():
    result = evaluate(PROGRAMS["A10"])
    ascent = Nudger(result.root).ascend([result.names[name] for name in "abcf"], 0.0)
    text = "\n".join(line.text for line in ascent_lines(result.root, "a, b, c, f", ascent))
    assert "predicted = 0 × 72 = 0" in text and "squares" in SENTENCES["prediction"] and "72" in text.splitlines()[-1]


@pytest.mark.parametrize(("before", "after", "squares"), [(math.inf, math.inf, math.nan), (1.0, math.inf, math.inf)])
def test_following_the_gradient_of_infinite_numbers_is_told_in_numbers(before, after, squares):
    ascent = Ascent(before, after, 0.01, squares)
    assert "inf" in "".join(line.text for line in ascent_lines(Value(math.inf), "a", ascent))


def test_a_second_step_starts_where_the_first_has_ended():
    result = evaluate(PROGRAMS["A10"])
    leaves = [result.names[name] for name in "abcf"]
    nudger = Nudger(result.root)
    first, second = nudger.ascend(leaves, 0.01), nudger.ascend(leaves, 0.01, times=2)
    assert second.before == first.after < second.after


def test_a_small_step_along_the_gradients_does_what_they_predict():
    result = evaluate("a = 1.5\nb = -0.5\nc = tanh(a*b) + a**2")
    ascent = Nudger(result.root).ascend([result.names["a"]], 1e-6)
    assert ascent.actual_change == pytest.approx(ascent.predicted_change, rel=1e-4)


def test_the_error_falls_by_truncation_and_rises_by_round_off():
    result = evaluate("x = 0.7\ny = tanh(x)**3 + exp(x)")
    nudger = Nudger(result.root)
    curve = nudger.error_curve(result.names["x"])
    errors = [nudged.error for nudged in curve.nudges]
    assert [nudged.h for nudged in curve.nudges] == pytest.approx([10.0**-k for k in range(1, 13)])
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.3)
    assert 4 <= curve.best <= 9 and errors[-1] > 100 * errors[curve.best]
    assert cause(curve.nudges[0], curve) == "truncation" and cause(curve.nudges[-1], curve) == "round-off"


def test_along_a_straight_line_there_is_no_truncation():
    result = evaluate("x = 0.7\ny = 3*x + 1")
    nudger = Nudger(result.root)
    curve = nudger.error_curve(result.names["x"])
    assert {cause(nudged, curve) for nudged in curve.nudges} <= {"exact", "round-off"}
    result = evaluate("x = 0.5\ny = 2*x")
    assert cause(Nudger(result.root).nudge(result.names["x"], 0.5), curve) == "exact"


def test_data_that_changed_after_they_were_used_are_said_to_be_outdated():
    names = evaluate("a = 2.0\nb = a*a\nc = b*3").names
    names["a"].data = 5.0
    node = Nudger(names["c"]).outdated(names["a"])
    assert node is names["b"]
    title, said = outdated_lines(names["a"], node, 0.5)
    assert "0.5" in title.text and said.text == SENTENCES["outdated"].format(name="a", node="b")


@pytest.mark.parametrize(
    "program, h, place",
    [("x = 0.5\ny = log(x)", -1.0, "x + h"), ("x = 0.5\ny = log(x - 1)", 1.0, "x"), ("x = 1e200\ny = x*x", 1.0, "x")],
)
def test_where_the_output_has_no_number_before_or_after_the_nudge_that_is_all_that_is_said(program, h, place):
    result = evaluate(program)
    nudger, x = Nudger(result.root), result.names["x"]
    nudged = nudger.nudge(x, h)
    _title, *lines = nudge_lines(result.root, x, 2.0, nudged, nudger.error_curve(x))
    assert [line.text for line in lines] == [SENTENCES["no number"].format(place=place, root="y")]


def test_a_nudge_by_nothing_is_refused():
    result = evaluate("x = 0.5\ny = log(x)")
    with pytest.raises(ValueError, match="not 0"):
        Nudger(result.root).nudge(result.names["x"], 0.0)


@pytest.mark.slow
@given(st.floats(-3, 3), st.floats(-3, 3), st.integers(-9, -1), st.sampled_from([-1.0, 1.0]))
@settings(max_examples=40, deadline=None)
def test_every_line_of_a_nudge_is_true_to_the_digits_shown(a, b, exponent, sign):
    result = evaluate(f"a = {a!r}\nb = {b!r}\nc = tanh(a*b) - b/(a**2 + 1)")
    nudger, leaf, h = Nudger(result.root), result.names["a"], sign * 10.0**exponent
    lines = nudge_lines(result.root, leaf, nudger.gradient(leaf), nudger.nudge(leaf, h), nudger.error_curve(leaf))
    told = {line.text.split()[0]: line.text.replace(" ≈ ", " = ").split(" = ")[1:] for line in lines[1:-1]}
    predicted, actual, difference, slope = (
        float(told[name][-1]) for name in ("predicted", "actual", "difference", "slope")
    )
    gradient = Explainer(result.root).explain(leaf).gradient
    assert predicted == pytest.approx(gradient * h, rel=1e-10)
    new, old = map(number, told["actual"][0].split(" - "))
    assert new - old == pytest.approx(actual, abs=2 * 10.0 ** (1 - DIGITS) * max(abs(new), abs(old), 1e-9))
    assert difference == pytest.approx(actual - predicted, abs=1e-10 * max(abs(actual), abs(predicted)) + 1e-20)
    assert slope == pytest.approx(actual / h, rel=1e-10)


@pytest.mark.parametrize(("program", "h", "signs"), [
    ("a = 2.0\nc = a*0.5", 1.0, "===="),
    ("a = 1/3\nc = a*a", 0.1, "=≈=="),
])  # fmt: skip
def test_an_equals_sign_stands_where_the_displayed_numbers_give_the_result(program, h, signs):
    result = evaluate(program)
    nudger, leaf = Nudger(result.root), result.names["a"]
    lines = nudge_lines(result.root, leaf, nudger.gradient(leaf), nudger.nudge(leaf, h), nudger.error_curve(leaf))
    texts = {line.text.split()[0]: line.text for line in lines[1:-1]}
    found = [texts[name].rpartition(" ")[0][-1] for name in ("predicted", "actual", "difference", "slope")]
    assert "".join(found) == signs, texts


def number(text):
    return float(text.strip("()"))


def test_the_root_data_at_a_value_are_those_of_a_graph_with_that_data():
    result = evaluate("x = 0.7\ny = tanh(x)*x")
    xs = [-1.0, 0.0, 0.7, 2.0]
    assert Nudger(result.root).root_data_at(result.names["x"], xs) == [math.tanh(x) * x for x in xs]
    assert digits(1 / 3) == "0.333333333333"
    assert not any(value.grad_computed for value in topological_order(result.root))


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
    forward, backward = (Nudger(result.root).nudge(x, h).slope for h in (1e-3, -1e-3))
    assert check_value(result.root, x).central_difference == pytest.approx(27.0, rel=1e-9)
    assert (forward + backward) / 2 == pytest.approx(27.000001, rel=1e-9)
    assert forward == pytest.approx(27.009001, rel=1e-9)


def test_the_error_of_a_nudge_shows_truncation_and_round_off():
    result = evaluate("x = 3.0\ny = exp(x)")
    nudger = Nudger(result.root)
    errors = {k: nudger.nudge(result.names["x"], 10.0**-k).error for k in range(1, 13)}
    assert errors[1] > errors[4] > errors[7]
    assert errors[12] > errors[8]


def test_a_nudge_of_nothing_is_refused():
    result = evaluate("x = 3.0\ny = x*2")
    nudger = Nudger(result.root)
    with pytest.raises(ValueError, match="not 0"):
        nudger.nudge(result.names["x"], 0.0)
    assert nudger.nudge(result.names["x"], -0.5).actual_change == -1.0
