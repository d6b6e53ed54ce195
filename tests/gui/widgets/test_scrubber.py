"""A press on a slider goes there at once, and a press that means something else leaves its value."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QStyle, QStyleOptionSlider

from gui.widgets.scrubber import Scrubber


@pytest.fixture
def slider(qtbot):
    slider = Scrubber()
    qtbot.addWidget(slider)
    slider.setRange(0, 1000)
    slider.resize(400, 24)
    slider.show()
    qtbot.waitExposed(slider)
    return slider


def handle_of(slider):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)


def press(slider, qtbot, place, button=Qt.MouseButton.LeftButton):
    qtbot.mouseClick(slider, button, pos=QPoint(place, slider.height() // 2))


def test_a_press_beside_the_handle_takes_it_there(slider, qtbot):
    press(slider, qtbot, 300)
    assert abs(handle_of(slider).center().x() - 300) <= 1
    press(slider, qtbot, 399)
    assert slider.value() == 1000
    press(slider, qtbot, 0)
    assert slider.value() == 0


def test_a_press_on_the_handle_leaves_the_value(slider, qtbot):
    slider.setValue(500)
    press(slider, qtbot, handle_of(slider).right() - 1)
    assert slider.value() == 500


def test_another_button_leaves_the_value(slider, qtbot):
    slider.setValue(500)
    press(slider, qtbot, 20, Qt.MouseButton.RightButton)
    assert slider.value() == 500
