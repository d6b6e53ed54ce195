"""The rectangle in which a layer's outputs are drawn."""

import numpy as np
import pytest

from engine.experiment.hidden_picture import bounds_around


@pytest.mark.parametrize("number", [0.0, -3.0, 1e17, -1e300])
def test_points_that_are_all_one_number_have_room_around_them(number):
    left, right, bottom, top = bounds_around(np.full((4, 2), number))
    assert left < number < right and bottom < number < top


def test_points_have_a_margin_that_is_a_share_of_their_spread():
    assert bounds_around(np.array([[0.0, 10.0], [4.0, 30.0]]), 0.25) == pytest.approx((-1.0, 5.0, 5.0, 35.0))
