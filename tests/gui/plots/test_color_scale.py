"""The line of colours below a map: the numbers on it are whole, or not there."""

import numpy as np
import pytest

from gui.plots.color_scale import ColorScale, Entry, Scale
from gui.theme import LIGHT

BAR = np.full((16, 3), 200, dtype=np.uint8)


def picture(qtbot, width, name, level):
    scale = ColorScale()
    qtbot.addWidget(scale)
    scale.show_scale(Scale((Entry(name), Entry(name)), BAR, level), LIGHT)
    scale.resize(width, scale.height())
    return scale.grab().toImage()


@pytest.mark.parametrize(("width", "name", "is_written"), [(400, "a", True), (200, "a class with a long name", False)])
def test_the_level_between_two_classes_is_written_whole_or_not_at_all(qtbot, width, name, is_written):
    """Beside long names of classes 0.5 was cut to 0."""
    assert (picture(qtbot, width, name, "0.5") != picture(qtbot, width, name, "9.5")) == is_written
