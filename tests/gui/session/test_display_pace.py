"""Reports are shown as often as leaves the processor to the training; the clocks are the test's own."""

import pytest

from gui.session.run import LONGEST_SECONDS, SHARE_BESIDE_REST, SHARE_OF_SHOWING, DisplayPace


class Times:
    def __init__(self):
        self.now = self.used = self.shown_at = 0.0
        self.pace = DisplayPace(lambda: self.used)

    def shown(self, seconds, cost):
        """How many reports are shown in so many seconds when one comes every millisecond."""
        count = 0
        for _ in range(round(1000 * seconds)):
            if self.now >= self.shown_at + self.pace.interval:
                self.pace.begin()
                self.shown_at = self.now
                self.used += cost
                count += 1
            self.now += 0.001
        return count


@pytest.mark.parametrize("cost", [0.004, 0.012, 0.03])
def test_showing_takes_its_share_of_the_time_whatever_one_report_costs(cost):
    times = Times()
    assert times.shown(10.0, cost) * cost == pytest.approx(10.0 * SHARE_OF_SHOWING, rel=0.05)


def test_beside_a_training_that_rests_between_its_steps_showing_takes_more():
    times = Times()
    times.pace.training_rests = True
    assert times.shown(10.0, 0.03) * 0.03 == pytest.approx(10.0 * SHARE_BESIDE_REST, rel=0.05)


def test_what_is_slow_to_show_is_shown_all_the_same():
    assert Times().shown(10.0, 0.4) == pytest.approx(10.0 / LONGEST_SECONDS, abs=1)


def test_what_the_user_does_meanwhile_counts():
    times = Times()
    times.pace.begin()
    times.used = 0.018
    assert times.pace.interval == pytest.approx(0.09)
