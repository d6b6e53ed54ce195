"""The derivative lens: curve, secant and tangent; an operation with its derivative."""

import math
from decimal import Decimal

import numpy as np
import pytest

from engine.autograd import OPS
from engine.language import evaluate
from engine.teaching import Nudger
from engine.teaching.lens import SENTENCES, curve_of, is_of_one_number, look_at_operation, look_through

PARABOLA = "x = 3.0\nf = 3*x**2 - 4*x + 5"
ONE_NUMBER = [op for op in OPS.values() if is_of_one_number(op)]


def looked_through(text, name, h):
    result = evaluate(text)
    return look_through(Nudger(result.root), result.names[name], h)


def test_the_parabola_of_the_tutorials_with_its_secant_and_tangent():
    view = looked_through(PARABOLA, "x", 1e-8)
    assert (view.x, view.y, view.gradient, view.name, view.output) == (3.0, 20.0, 14.0, "x", "f")
    assert view.ys == pytest.approx(3 * view.xs**2 - 4 * view.xs + 5)
    assert view.secant == pytest.approx(14.00000009255109, abs=4e-7)
    assert [line.text for line in view.lines][1] == "tangent: df/dx ≈ 14"


def test_the_secant_turns_into_the_tangent_as_h_shrinks():
    errors = [abs(looked_through(PARABOLA, "x", 10.0**-k).secant - 14.0) for k in range(7)]
    assert errors == sorted(errors, reverse=True) and errors[0] == pytest.approx(3.0) and errors[-1] < 1e-5


def test_an_argument_of_a_function_can_be_looked_through_as_well_as_a_leaf():
    view = looked_through("a = 2.0\nn = a*a - 3\no = tanh(n)", "n", 0.1)
    assert view.ys == pytest.approx(np.tanh(view.xs)) and view.gradient == pytest.approx(1 - math.tanh(1.0) ** 2)


def test_outside_of_a_domain_the_curve_has_a_gap_and_a_secant_there_is_said_to_be_missing():
    view = looked_through("x = 0.5\ny = log(x)", "x", -1.0)
    assert np.isnan(view.ys[view.xs <= 0]).all() and np.isfinite(view.ys[view.xs > 0.01]).all()
    assert view.lines[-1].text == SENTENCES["no number"].format(place="x + h") and math.isnan(view.secant)


def test_where_the_output_is_undefined_at_the_value_itself_that_is_said_though_it_has_a_number_beside_it():
    view = looked_through("x = 0.5\ny = log(x - 1)", "x", 1.0)
    assert view.lines[-1].text == SENTENCES["no number"].format(place="x") and math.isnan(view.secant)


def test_the_line_of_the_secant_is_true_to_the_digits_shown():
    text = looked_through("x = 0.7\ny = tanh(x)**3", "x", 0.25).lines[0].text
    above, below = map(float, text.partition("(")[2].partition(")")[0].split(" - "))
    assert (above - below) / 0.25 == pytest.approx(float(text.rpartition("≈ ")[2]), rel=1e-9)


@pytest.mark.parametrize("program, h", [(PARABOLA, 1e-8), (PARABOLA.replace("3.0", "2 / 3"), 1e-6)])
def test_the_digits_shown_of_a_tiny_difference_give_the_slope_shown(program, h):
    text = looked_through(program, "x", h).lines[0].text
    above, below = map(Decimal, text.partition("(")[2].partition(")")[0].split(" - "))
    assert float(above - below) / h == pytest.approx(float(text.rpartition("≈ ")[2]), rel=1e-4)


FAR = (1e150, 8e307, 1.7e308)


@pytest.mark.parametrize("x", [0.0, *FAR, *(-x for x in FAR)])
def test_a_range_beyond_the_largest_float_ends_before_it(x):
    for h in (0.5, -0.5, *FAR, *(-h for h in FAR)):
        view = looked_through(f"x = {x!r}\nf = 0.5*tanh(x)", "x", h)
        assert np.isfinite(view.xs).all() and np.isfinite(view.xs[-1] - view.xs[0])
        assert (np.diff(view.xs) > 0).all()
    result = evaluate(f"x = {x!r}\nf = tanh(x)")
    assert np.isfinite(look_at_operation(result.root, OPS["tanh"]).xs).all()


@pytest.mark.parametrize("op", ONE_NUMBER, ids=lambda op: op.name)
def test_the_derivative_of_every_curve_is_the_slope_of_the_curve(op):
    low, high = op.domain.samples[0]
    xs = np.linspace(low, high, 4001)[1:-1]
    ys, slopes = curve_of(op, xs)
    apart = np.array([abs(op.distance_to_kink(x)) > 0.01 for x in xs[1:-1]])
    slope = (ys[2:] - ys[:-2]) / (xs[2:] - xs[:-2])
    assert slopes[1:-1][apart] == pytest.approx(slope[apart], abs=4e-4)


def test_each_neuron_has_a_point_on_the_curve_and_on_its_derivative():
    result = evaluate("a = 0.5\nb = -2.0\nc = tanh(a)\nd = tanh(b*a)\ne = c*d + relu(a)")
    view = look_at_operation(result.root, OPS["tanh"])
    assert view.names == ("c", "d")
    assert view.at == pytest.approx(np.array([(x, math.tanh(x), 1 - math.tanh(x) ** 2) for x in (0.5, -1.0)]))
    assert [line.text for line in view.lines][1] == "c: tanh'(0.5) = 0.786448"
