"""Numbers and formulas as they are shown."""

import math

import numpy as np
import pytest

from engine.autograd import short
from engine.autograd.notation import counted, enough_decimals, equality, factor, ordinal, product_text, shown, sum_text
from engine.language import evaluate
from engine.teaching.wording import in_both, partial_in_words


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (2.0, "2"), (-6.0, "-6"), (0.5, "0.5"), (1 / 3, "0.3333"), (-2 / 3, "-0.6667"),
        (0.00416493127, "0.004165"), (0.00099999, "0.001"), (1e-4, "0.0001"), (1.5e-7, "1.5e-7"), (-2e-12, "-2e-12"),
        (138.83381924198252, "138.8338"), (123456.789012, "123456.789"), (1e9, "1e9"), (1.2345678e12, "1.235e12"),
        (math.inf, "∞"), (-math.inf, "-∞"), (math.nan, "undefined"), (5e-324, "4.941e-324"), (99.99999, "100"),
        (np.ones((2, 3)), "[2×3]"), (np.ones(4), "[4]"), (3, "3"), (np.float64(0.25), "0.25"),
    ],
)  # fmt: skip
def test_short_numbers(number, text):
    assert short(number) == text


@pytest.mark.parametrize("number", [1.5, -0.004165, 1e-7, 1.235e12, 0.3333, 0.0])
def test_what_is_shown_can_be_read_back(number):
    assert shown(number) == number


def test_more_decimals_on_demand():
    assert short(1 / 3, 8) == "0.33333333"


def test_negative_factors_stand_in_parentheses():
    assert (factor(-3.0), factor(3.0)) == ("(-3)", "3")


def test_an_equals_sign_needs_equality_of_what_is_shown():
    assert equality(0.5 * 3, 1.5) == "= 1.5"
    assert equality(0.6667 * 0.3333, 0.22222) == "≈ 0.2222"
    assert equality(math.nan, math.nan) == "= undefined"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a - b", "a - b = 3 - (-2) = 5"),
        ("a + b", "a + b = 3 + (-2) = 1"),
        ("b + a", "b + a = -2 + 3 = 1"),
        ("a * b", "a × b = 3 × (-2) = -6"),
        ("b * a", "b × a = -2 × 3 = -6"),
        ("a / b", "a / b = 3 / (-2) = -1.5"),
        ("b ** 2", "b^2 = (-2)^2 = 4"),
        ("-b", "-b = -(-2) = 2"),
        ("a - (b - a)", "a - (b-a) = 3 - (-5) = 8"),
        ("(a + b) * a", "(a+b) × a = 1 × 3 = 3"),
        ("max(a, b)", "max(a, b) = max(3, -2) = 3"),
        ("tanh(a)", "tanh(a) = tanh(3) ≈ 0.9951"),
        ("weighted_sum(a, b, b, b, a)", "a × b + b × b + a = 3 × (-2) + (-2) × (-2) + 3 = 1"),
    ],
)
def test_operations_with_names_then_numbers(text, line):
    result = evaluate(f"a = 3.0; b = -2.0\nr = {text}")
    assert in_both(result.root) == line


@pytest.mark.parametrize(
    ("text", "index", "names", "numbers"),
    [
        ("a * b", 0, "b", "-2"),
        ("a / b", 1, "-a / b²", "-3 / (-2)²"),
        ("tanh(a)", 0, "1 - r²", "1 - 0.9951²"),
        ("exp(a)", 0, "r", "20.0855"),
        ("relu(b)", 0, "1 if b > 0 else 0", "1 if (-2) > 0 else 0"),
        ("a ** b", 0, "b·a^(b - 1)", "(-2)·3^(-2 - 1)"),
        ("b ** 3", 0, "3·b²", "3·(-2)²"),
        ("b ** 5", 0, "5·b^4", "5·(-2)^4"),
        ("swish(b)", 0, "sigmoid(b)·(1 + b·(1 - sigmoid(b)))", "sigmoid(-2)·(1 + (-2)·(1 - sigmoid(-2)))"),
        ("(a - 3) / b", 1, "-(a-3) / b²", "0 / (-2)²"),
        ("(a + b) ** 2", 0, "2·(a+b)", "2·1"),
        ("weighted_sum(a, b, 1)", 0, "b", "-2"),
        ("weighted_sum(a, b, 1)", 1, "a", "3"),
        ("weighted_sum(a, b, 1)", 2, "1", "1"),
        ("logsumexp(a, b)", 1, "exp(b - r)", "exp(-2 - 3.0067)"),
    ],
)
def test_local_derivatives_with_names_then_numbers(text, index, names, numbers):
    result = evaluate(f"a = 3.0; b = -2.0\nr = {text}")
    assert partial_in_words(result.root, index)[:2] == (names, numbers)


def test_one_thing_is_counted_without_an_s():
    assert [counted(number, "operation") for number in (0, 1, 2, 2340)] == [
        "0 operations", "1 operation", "2 operations", "2,340 operations",
    ]  # fmt: skip
    assert [counted(number, "pass", "passes") for number in (1, 3)] == ["1 pass", "3 passes"]


def test_ordinals_have_their_endings():
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th",
    ]  # fmt: skip


def test_decimals_are_added_until_the_line_adds_up():
    terms = (0.33335, 0.33335)
    assert enough_decimals(lambda d: sum(shown(term, d) for term in terms), sum(terms)) == 5
    assert product_text((-13.76907, 1 / 3), -4.58969) == ("-13.76907 × 0.333333", "≈ -4.5897")
    assert sum_text((1 / 3, 1 / 3, 1 / 3), 1.0) == ("0.33333 + 0.33333 + 0.33333", "≈ 1")
    assert sum_text((-math.inf, math.inf), math.nan) == ("-∞ + ∞", "= undefined")
    assert sum_text((1e308, 1e308), math.inf) == ("1e308 + 1e308", "= ∞")
    assert enough_decimals(lambda d: math.nan, math.nan) == 4
