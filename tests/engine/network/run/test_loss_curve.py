import numpy as np
import pytest

from engine.network.run.curves import LossCurve, thinned


def test_a_short_run_is_kept_as_it_was():
    curve = LossCurve()
    curve.extend([3.0, 2.0])
    curve.extend([1.0])
    steps, losses = curve.points()
    assert steps.tolist() == [0, 1, 2]
    assert losses.tolist() == [3.0, 2.0, 1.0]


MOST_POINTS = 4_000
LONG = 993_023
K = np.arange(LONG)
WIDTH = 1 / 64
"""Largest distance between the points around a step, as a share of the step."""
SHAPES = {
    "falls at once": 1.0 + 9.0 * np.exp(-K / 20.0),
    "falls slowly": 0.1 + 5.0 / np.sqrt(K + 1.0),
    "a cliff": np.where(K < 600_000, 2.0, 1.0),
    "a spike": np.where(K == 654_321, 50.0, 1.0),
    "batches": 1.0 + np.random.RandomState(1).uniform(-0.2, 0.2, LONG),
}


def around(losses, extreme):
    """The smallest or largest loss of the steps near each of a few hundred steps."""
    at = np.unique(np.geomspace(1, LONG - 1, 400).astype(int))
    spans = [losses[int(k * (1 - WIDTH)) : int(k * (1 + WIDTH)) + 1] for k in at]
    return at, np.array([extreme(span) for span in spans])


def drawn_at(points, steps):
    return np.interp(steps, *points)


@pytest.mark.parametrize("name", SHAPES)
def test_at_every_step_of_a_long_run_the_drawn_curve_is_within_the_losses_near_that_step(name):
    losses = SHAPES[name]
    curve = LossCurve()
    for part in np.array_split(losses, 97):
        curve.extend(part)
    points = curve.points()
    assert len(points[0]) <= MOST_POINTS
    assert points[1].max() == losses.max() and points[1].min() == losses.min()
    assert drawn_at(points, K[:1_024]).tolist() == losses[:1_024].tolist()
    for extreme, sign in ((np.min, -1.0), (np.max, 1.0)):
        at, limit = around(losses, extreme)
        assert (sign * (drawn_at(points, at) - limit) <= 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "error"), [("falls at once", 1e-12), ("falls slowly", 1e-3)])
def test_a_smooth_curve_of_a_long_run_is_drawn_where_it_is_at_every_step(name, error):
    curve = LossCurve()
    curve.extend(SHAPES[name])
    assert np.abs(drawn_at(curve.points(), K) - SHAPES[name]).max() <= error


@pytest.mark.parametrize(("most", "error"), [(5_000, 1e-12), (600, 0.05), (100, 0.5)])
def test_a_curve_that_is_thinned_for_a_file_is_drawn_as_it_was(most, error):
    curve = LossCurve()
    curve.extend(SHAPES["falls at once"])
    steps, losses = thinned(*curve.points(), most)
    assert len(steps) <= most and steps[0] == 0.0 and steps[-1] == LONG - 1
    assert np.abs(drawn_at((steps, losses), K) - SHAPES["falls at once"]).max() <= error * 9.0


def test_the_newest_loss_is_always_there():
    curve = LossCurve()
    for length in (3_000, 3, 1, 1):
        losses = np.random.RandomState(length).uniform(size=length)
        curve.extend(losses)
        assert curve.points()[0][-1] == curve.length - 1 and curve.points()[1][-1] == losses[-1]


@pytest.mark.slow
def test_a_long_run_stays_bounded_and_covers_everything():
    curve = LossCurve()
    for start in range(0, 1_000_000, 12_345):
        curve.extend(np.arange(start, start + 12_345, dtype=float))
    steps, losses = curve.points()
    assert len(steps) <= MOST_POINTS
    assert steps[0] == 0
    assert steps[-1] > 0.995 * curve.length
    assert np.all(np.diff(steps) > 0)
    assert steps.tolist() == losses.tolist()


@pytest.mark.slow
def test_losses_at_any_steps_stay_bounded_too():
    curve, rng = LossCurve(), np.random.RandomState(1)
    steps = np.cumsum(rng.randint(1, 2_000, 30_000))
    for part in np.array_split(steps, 700):
        curve.add(part, np.sqrt(part))
    points, losses = curve.points()
    assert len(points) <= MOST_POINTS
    assert set(points.tolist()) <= set(steps.tolist())
    assert (points[0], points[-1]) == (steps[0], steps[-1])
    assert losses.tolist() == np.sqrt(points).tolist()


def test_a_spike_of_one_step_stays_visible():
    losses = np.ones(100_000)
    losses[54_321] = 9.0
    curve = LossCurve()
    curve.extend(losses)
    steps, kept = curve.points()
    assert steps[kept.argmax()] == 54_321
    assert kept.max() == 9.0


@pytest.mark.slow
@pytest.mark.parametrize("parts", [1, 7, 999, 1000, 1001])
def test_how_the_losses_arrive_makes_no_difference(parts):
    losses = np.sin(np.arange(5_000.0))
    whole, pieces = LossCurve(), LossCurve()
    whole.extend(losses)
    for part in np.array_split(losses, parts):
        pieces.extend(part)
    assert whole.points()[0].tolist() == pieces.points()[0].tolist()


@pytest.mark.parametrize("step", [0, 1, 999, 1000, 2_501, 4_999, 5_000, 9_000])
def test_going_back_forgets_what_came_later_and_goes_on_from_there(step):
    curve = LossCurve()
    curve.extend(np.ones(5_000))
    curve.forget_from(step)
    assert curve.length == min(step, 5_000)
    assert np.all(curve.points()[0] < step)
    curve.extend(np.full(3_000, 2.0))
    steps, losses = curve.points()
    assert np.all(np.diff(steps) > 0)
    assert np.all((losses == 2.0) == (steps >= min(step, 5_000)))
    assert len(steps) <= MOST_POINTS


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 7, 999, 1000, 1001, 5_003, 40_000])
def test_a_curve_that_was_saved_goes_on_as_if_it_had_not_been(length):
    losses = np.sin(np.arange(60_000.0)) + np.arange(60_000.0) % 7
    whole = LossCurve()
    whole.extend(losses[:length])
    again = LossCurve(length, *whole.points())
    assert [points.tolist() for points in again.points()] == [points.tolist() for points in whole.points()]
    for curve in (whole, again):
        curve.extend(losses[length:])
    assert [points.tolist() for points in again.points()] == [points.tolist() for points in whole.points()]


def test_a_saved_curve_that_begins_late_or_has_gaps_stays_bounded_and_keeps_its_points():
    late = LossCurve(1_000_003, np.arange(1_000_000, 1_000_003), [3.0, 2.0, 1.0])
    assert late.points()[0].tolist() == [1_000_000, 1_000_001, 1_000_002]
    gaps = LossCurve(5_000, [0, 4_000, 4_999, 6_000], [1.0, 2.0, 3.0, 4.0])
    gaps.extend(np.ones(3_000))
    steps, losses = gaps.points()
    assert {0, 4_000, 4_999} <= set(steps.tolist())
    assert losses.max() == 3.0
    assert len(steps) <= MOST_POINTS


def test_a_run_may_begin_later_than_at_step_0():
    curve = LossCurve(first_step=500)
    curve.extend([1.0, 2.0])
    assert curve.points()[0].tolist() == [500, 501]
