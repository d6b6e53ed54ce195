"""The measured derivative of a call, and how the judge compares numbers with it."""

import math

import numpy as np
import pytest

from engine.language.guest import replay
from engine.language.guest.slopes import slope


@pytest.mark.parametrize("given", ["none", "right", "wrong"])
@pytest.mark.parametrize(("function", "right"), [
    (lambda h: (3.0 + h) ** 2, 6.0), (lambda h: math.tanh(0.4 + h), 1 - math.tanh(0.4) ** 2), (lambda h: 7.0, 0.0),
    (lambda h: 1e6 + 1e-3 * h, 1e-3), (lambda h: math.exp(8.0 + h), math.exp(8.0)), (lambda h: -2.0 * h, -2.0),
    (lambda h: math.sin(40.0 * h) / 40.0, 1.0), (lambda h: h * abs(h), 0.0), (lambda h: math.cbrt(0.001 + h), 100 / 3),
])  # fmt: skip
def test_the_slope_of_a_smooth_function_lies_in_a_narrow_range(function, right, given):
    given = {"none": None, "right": right, "wrong": right + 0.5}[given]
    best, low, high = slope(function, function(0.0), 1.0, given)
    error = 1e-7 * max(1.0, abs(right)) if given is None else 0.0  # a range is needed where a rule is judged
    assert low - error <= right <= high + error and low <= best <= high
    assert best == pytest.approx(right, rel=1e-4, abs=1e-6)
    assert high - low < 1e-3 * max(1.0, abs(right))


@pytest.mark.parametrize("function", [lambda h: (3.0 + h) ** 2, lambda h: math.tanh(0.4 + h), lambda h: -2.0 * h])
def test_the_slope_of_a_smooth_function_is_a_point_where_nothing_is_given(function):
    best, low, high = slope(function, function(0.0), 1.0, None)
    assert low == best == high


@pytest.mark.parametrize("given", [None, 7.0])
@pytest.mark.parametrize(("function", "size", "right"), [
    (lambda h: 1e4 * h * h, 0.0, 0.0), (lambda h: 1 / (1e-3 + h), 1e-3, -1e6),
    (lambda h: math.log(1e-4 + h), 1e-4, 1e4),
    (lambda h: (1e6 + h) ** 2 / 1e6, 1e6, 2.0), (lambda h: -1e4 * h * h - 5.0 * h, 0.0, -5.0),
])  # fmt: skip
def test_a_bend_is_no_kink_and_small_and_large_numbers_are_moved_by_a_part_of_them(function, size, right, given):
    def value(step):
        return function(step) if step > -size or size == 0.0 else math.nan

    best, low, high = slope(value, value(0.0), size, given)
    assert best == pytest.approx(right, rel=1e-4, abs=1e-6) and high - low < 1e-3 * max(1.0, abs(right))


@pytest.mark.parametrize(("function", "left", "right"), [
    (abs, -1.0, 1.0), (lambda h: max(0.0, h), 0.0, 1.0), (lambda h: h if h > 0 else 3.0 * h, 1.0, 3.0),
])  # fmt: skip
def test_at_a_kink_the_range_goes_from_one_side_to_the_other(function, left, right):
    best, low, high = slope(function, function(0.0), 1.0, None)
    assert left - 0.01 < low <= left < best < right <= high < right + 0.01


def test_at_the_end_of_a_domain_the_side_that_is_there_counts_and_a_slope_without_end_is_none():
    def inside(h):
        return 2.0 * h if h >= 0 else math.nan

    best, low, high = slope(inside, 0.0, 1.0, None)
    assert low <= 2.0 <= high and best == pytest.approx(2.0, rel=1e-3) and high - low < 0.01
    assert math.isnan(slope(lambda h: math.sqrt(h) if h >= 0 else math.nan, 0.0, 1.0, None)[0])


@pytest.mark.parametrize(("width", "is_known"), [(2e-6, True), (2e-7, True), (2e-8, False)])
def test_in_a_domain_of_a_few_steps_the_range_has_the_slope_and_of_one_step_nothing_is_known(width, is_known):
    _, low, high = slope(lambda h: math.asin(h / width) if abs(h) < width else math.nan, 0.0, 1.0, None)
    assert (low <= 1 / width <= high) == is_known and math.isnan(low) != is_known


def test_a_number_that_can_be_moved_only_by_a_part_of_itself_has_a_slope():
    def value(step):
        return math.asin(0.5 + 1e9 * step) if abs(0.5 + 1e9 * step) <= 1.0 else math.nan

    best, low, high = slope(value, value(0.0), 0.5e-9, None)
    assert best == pytest.approx(1e9 / math.sqrt(0.75), rel=1e-6) and low <= best <= high


def test_numbers_are_close_up_to_the_error_of_a_difference_quotient():
    assert replay.close(1.0, 1.0 + 5e-8) and replay.close(1e6, 1e6 + 0.05) and replay.close(math.nan, math.nan)
    assert not replay.close(1.0, 1.001) and not replay.close(None, 0.0) and not replay.close(math.nan, 1.0)
    row = {"given": 2.0, "low": 1.9, "high": 2.1, "expected": 2.0}
    assert replay.fits(row) and not replay.fits(row | {"given": 2.2}) and not replay.fits(row | {"given": None})
    assert replay.fits(row | {"given": 1.9}) and replay.fits(row | {"given": 9.0, "expected": math.nan})


def test_a_gradient_of_a_copy_has_the_shape_of_its_data():
    data = np.array([1.0, 2.0])
    assert replay.filled(0.0, 3.0, 1.5) == 3.0
    assert replay.filled(0.0, 3.0, data).tolist() == [3.0, 3.0]
    assert replay.filled(0.0, None, data) == 0.0 and replay.filled(None, None, data) is None
    assert replay.filled(np.ones(2), None, data).tolist() == [0.0, 0.0]
