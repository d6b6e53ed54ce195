"""Marching squares against lines that are known."""

import numpy as np
import pytest

from engine.network.level_line import level_line


def grid_of(function, n=60, bounds=(-2.0, 2.0, -1.0, 1.0)):
    left, right, bottom, top = bounds
    x, y = np.meshgrid(np.linspace(left, right, n), np.linspace(bottom, top, n))
    return function(x, y), bounds


def lengths(x, y):
    return np.hypot(x[1::2] - x[::2], y[1::2] - y[::2])


@pytest.mark.parametrize("level", [0.0, 0.5])
def test_a_plane_has_a_straight_line_at_its_level(level):
    grid, bounds = grid_of(lambda x, y: x + 2 * y)
    x, y = level_line(grid, bounds, level)
    np.testing.assert_allclose(x + 2 * y, level, atol=1e-12)
    assert lengths(x, y).sum() == pytest.approx(np.hypot(x.max() - x.min(), y.max() - y.min()))
    assert (y.min(), y.max()) == pytest.approx((-0.75 if level else -1.0, 1.0))


def test_a_circle_is_as_long_as_a_circle():
    x, y = level_line(*grid_of(lambda x, y: np.hypot(x, y)), 0.8)
    np.testing.assert_allclose(np.hypot(x, y), 0.8, atol=2e-3)
    assert lengths(x, y).sum() == pytest.approx(2 * np.pi * 0.8, rel=1e-3)


def test_the_line_of_a_saddle_has_no_gap():
    """Around a saddle every segment's ends are ends of other segments too, but at the rim."""
    x, y = level_line(*grid_of(lambda x, y: x * y, n=8, bounds=(-1.0, 1.0, -1.0, 1.0)), 0.0)
    inside = (np.abs(x) < 1.0) & (np.abs(y) < 1.0)
    ends = np.round(np.column_stack([x, y])[inside], 9)
    _, counts = np.unique(ends, axis=0, return_counts=True)
    assert np.all(counts % 2 == 0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("lift", [-0.1, 0.1])
def test_a_cell_crossed_four_times_has_two_segments(sign, lift):
    grid = sign * np.array([[1.0, -1.0], [-1.0, 1.0]]) + lift
    x, y = level_line(grid, (0.0, 1.0, 0.0, 1.0), 0.0)
    assert len(x) == 4
    assert all({0.0, 1.0} & {across, up} for across, up in zip(x.round(9), y.round(9), strict=True))  # ends on edges
    middle_above = lift > 0
    cut_off = [(x[:2].mean(), y[:2].mean()), (x[2:].mean(), y[2:].mean())]
    for across, up in cut_off:  # each segment lies around a corner on the other side than the middle
        corner = grid[round(up), round(across)]
        assert (corner > 0) != middle_above


@pytest.mark.parametrize(
    "grid",
    [
        np.zeros((5, 5)), np.ones((5, 5)), np.full((5, 5), np.nan), np.full((2, 2), np.inf), np.eye(4) * 1e308,
        np.array([[-1e308, 1e308], [np.nan, -np.inf]]), np.array([[0.0, 0.0], [0.0, 5e-324]]),
    ],
)  # fmt: skip
def test_any_grid_gives_finite_segments(grid):
    x, y = level_line(grid, (0.0, 1.0, 0.0, 1.0), 0.0)
    assert len(x) == len(y) and len(x) % 2 == 0
    assert np.all(np.isfinite(x)) and np.all(np.isfinite(y))
