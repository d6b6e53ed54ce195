"""Derivatives at random points; a wrong one is found."""

from dataclasses import replace

import pytest

from tests.reliability.derivatives import compare, scalar_operations


@pytest.mark.parametrize("op", scalar_operations(), ids=lambda op: op.name)
def test_each_derivative_is_the_slope_at_random_points(op):
    assert compare(op, 60, seed=1).ok


@pytest.mark.long
def test_each_derivative_is_the_slope_at_ten_thousand_points():
    assert [found for found in (compare(op, 10_000) for op in scalar_operations()) if not found.ok] == []


def test_a_derivative_that_is_wrong_by_a_millionth_is_found():
    op = next(op for op in scalar_operations() if op.name == "tanh")
    assert not compare(replace(op, partials=(f"({op.partials[0]}) * 1.000001",)), 60).ok
