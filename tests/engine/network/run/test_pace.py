"""At most so many steps a second, by a clock that the test turns."""

import pytest

from engine.network import SettingError
from engine.network.run.pace import Pace


class Clock:
    """A clock that stands until it is turned; the paces of a run are made on it."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def begun(clock, speed):
    pace = Pace(clock)
    pace.set_speed(speed)
    pace.begin()
    return pace


def made_in(pace, clock, seconds, tick=0.004):
    """Steps made while the clock is turned, by somebody who makes all that are due at every tick."""
    made, end = 0, clock.now + seconds
    while clock.now < end:
        due = pace.due(1000)
        pace.made(due)
        made += due
        clock.now += tick
    return made


def test_without_a_speed_everything_is_due_at_once(clock):
    pace = begun(clock, None)
    assert (pace.due(50), pace.seconds_to_next) == (50, 0.0)
    pace.made(50)
    assert (pace.due(50), pace.seconds_to_next) == (50, 0.0)


@pytest.mark.parametrize("speed", [1.0, 3.0, 60.0, 100.0, 5_000.0])
def test_so_many_steps_are_made_in_a_second(clock, speed):
    assert made_in(begun(clock, speed), clock, 10.0) == pytest.approx(10 * speed, abs=2 + 0.01 * speed)


def test_the_first_step_is_due_at_once_and_the_next_one_later(clock):
    pace = begun(clock, 2.0)
    assert pace.due(9) == 1
    pace.made(1)
    assert pace.due(9) == 0 and pace.seconds_to_next == pytest.approx(0.5)


def test_a_machine_that_slept_makes_up_for_a_tenth_of_a_second_only(clock):
    pace = begun(clock, 100.0)
    pace.made(pace.due(9))
    clock.now += 8 * 3600.0
    assert made_in(pace, clock, 1.0) == pytest.approx(100 + 10, abs=2)


def test_another_speed_takes_effect_at_once(clock):
    pace = begun(clock, 0.1)
    pace.made(pace.due(9))
    pace.set_speed(1000.0)
    assert pace.seconds_to_next <= 0.0011
    assert made_in(pace, clock, 1.0) == pytest.approx(1000, abs=10)
    pace.set_speed(0.5)
    assert made_in(pace, clock, 1.9) <= 1


def test_from_no_limit_to_one_no_steps_are_made_up_for(clock):
    pace = begun(clock, None)
    clock.now += 50.0
    pace.made(1_000_000)
    pace.set_speed(10.0)
    assert made_in(pace, clock, 1.0) == pytest.approx(10, abs=1)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf"), 1e9])
def test_a_speed_out_of_range_is_refused(clock, speed):
    with pytest.raises(SettingError, match="speed"):
        Pace(clock).set_speed(speed)
