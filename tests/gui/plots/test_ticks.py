"""Ticks of linear and logarithmic axes."""

import numpy as np
import pytest

from gui.plots.ticks import linear_ticks, log_labels, log_ticks


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.37, 2.2), (0.0, 2000.0), (1e-9, 3e-9), (-1e150, 1e150)])
def test_linear_ticks_are_few_round_and_inside(low, high):
    numbers = linear_ticks(low, high, 5)
    assert 2 <= len(numbers) <= 6 and all(low - 1e-9 * abs(low) <= number <= high for number in numbers)
    assert linear_ticks(1.0, 1.0, 5) == linear_ticks(float("nan"), 1.0, 5) == []


@pytest.mark.parametrize("most", [1, 2, 3, 6])
@pytest.mark.parametrize(("low", "high"), [(0.0, 4352.0), (0.3, 0.95), (-2.9, -0.2), (7.0, 8.0), (0.0, 9.9)])
def test_a_linear_axis_always_has_two_ticks(low, high, most):
    numbers = linear_ticks(low, high, most)
    assert 2 <= len(numbers) <= max(most, 2) + 3 and low <= numbers[0] < numbers[-1] <= high


def test_a_logarithmic_axis_has_whole_decades_where_two_of_them_fit():
    assert log_ticks(-3.2, 0.4, 6) == [-3.0, -2.0, -1.0, 0.0]
    assert log_ticks(0.3, 1.95, 2) != [1.0]


RANDOM = np.random.RandomState(3)
RANGES = [
    *((-8.0, 1.0), (-0.2, 0.3), (-3.02, -2.98), (-3.0, -2.5), (-300.0, 5.0), (0.0, 0.5), (0.3, 1.95), (-0.16, -0.158)),
    *(
        (low, low + size)
        for low, size in zip(RANDOM.uniform(-9, 9, 60), 10 ** RANDOM.uniform(-2.5, 1.5, 60), strict=True)
    ),
]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 12])
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_a_logarithmic_axis_always_has_two_ticks_with_labels_of_their_own(low, high, most):
    ticks = log_ticks(low, high, most)
    assert 2 <= len(ticks) <= max(most, 2) + 1
    assert ticks == sorted(ticks) and all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert len(set(log_labels(ticks))) == len(ticks)


@pytest.mark.parametrize(
    ("exponents", "labels"),
    [([-1, 0, 1], ["0.1", "1", "10"]), ([0, 100, 200], ["1", "1e100", "1e200"]), ([-0.16, -0.159], ["0.692", "0.693"])],
)
def test_labels_are_the_numbers_with_as_many_digits_as_tell_them_apart(exponents, labels):
    assert log_labels(exponents) == labels
