"""Plots answer to wheel, drag and keys, and bear any number."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from gui.number_texts import tick_text
from gui.plots.plot import (
    LABEL_HEIGHT,
    LABEL_WIDTH,
    Axis,
    Plot,
    digits_between,
    range_around,
    steady_range,
)
from gui.theme import DARK


@pytest.fixture
def plot(qtbot):
    plot = Plot("a plot")
    qtbot.addWidget(plot)
    plot.resize(320, 240)
    plot.show()
    qtbot.waitExposed(plot)
    plot.show_range((0.0, 10.0), (0.0, 1.0))
    return plot


def view(plot):
    return plot.box.viewRange()


def middle(plot):
    return plot.mapFromScene(plot.box.sceneBoundingRect().center())


def turn_wheel(plot, notches, at=None):
    """Turn the wheel over a place of the plot."""
    place = QPointF(middle(plot) if at is None else at)
    turn, no = QPoint(0, 120 * notches), Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        place, plot.mapToGlobal(place), QPoint(), turn, Qt.MouseButton.NoButton, no, Qt.ScrollPhase.NoScrollPhase, False
    )
    plot.wheelEvent(event)
    return event


def test_the_wheel_zooms_about_the_pointer(plot):
    at = middle(plot) + QPoint(60, 20)
    before = plot.box.mapSceneToView(plot.mapToScene(at))
    turn_wheel(plot, 3, at)
    (left, right), (bottom, top) = view(plot)
    assert right - left < 5.0 and top - bottom < 0.5
    after = plot.box.mapSceneToView(plot.mapToScene(at))
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()), abs=0.05)
    assert plot.zoomed


def test_the_wheel_over_an_axis_zooms_that_axis(plot):
    turn_wheel(plot, 2, plot.mapFromScene(plot.axes["bottom"].sceneBoundingRect().center()))
    (left, right), vertical = view(plot)
    assert right - left < 9.0
    assert vertical == pytest.approx([0.0, 1.0])


def send_mouse(plot, kind, place):
    """Sends an event of the left button held down at a place of the viewport."""
    viewport, left = plot.viewport(), Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else left
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else left
    no = Qt.KeyboardModifier.NoModifier
    local = QPointF(place)
    QApplication.sendEvent(viewport, QMouseEvent(kind, local, viewport.mapToGlobal(local), button, held, no))


def test_dragging_moves_the_view(plot):
    plot.plotItem.scene().minDragTime = 0
    start = middle(plot)
    send_mouse(plot, QEvent.Type.MouseButtonPress, start)
    for pixels in (30, 60):
        send_mouse(plot, QEvent.Type.MouseMove, start + QPoint(pixels, 0))
    send_mouse(plot, QEvent.Type.MouseButtonRelease, start + QPoint(60, 0))
    (left, right), vertical = view(plot)
    assert left < -1.0
    assert right - left == pytest.approx(10.0)
    assert vertical == pytest.approx([0.0, 1.0])
    assert plot.zoomed


def test_a_double_click_shows_everything_again(plot, qtbot):
    turn_wheel(plot, 3)
    qtbot.mouseDClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=middle(plot))
    assert not plot.zoomed
    assert view(plot) == [pytest.approx([0.0, 10.0]), pytest.approx([0.0, 1.0])]


def test_another_range_is_painted_once(plot, qtbot):
    class Paintings(QObject):
        count = 0

        def eventFilter(self, _watched, event):
            self.count += event.type() == QEvent.Type.Paint
            return False

    plot.addItem(pg.PlotCurveItem([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]))
    QApplication.processEvents()
    paintings = Paintings(plot)
    plot.viewport().installEventFilter(paintings)
    plot.show_range((0.0, 8.0), (0.0, 2.0))
    qtbot.waitUntil(lambda: paintings.count > 0)
    for _ in range(5):
        QApplication.processEvents()
    assert paintings.count == 1


def test_the_button_is_there_while_zoomed_and_shows_everything_again(plot, qtbot):
    assert plot.fit_button.isHidden()
    turn_wheel(plot, 1)
    assert not plot.fit_button.isHidden()
    plot.fit_button.click()
    assert plot.fit_button.isHidden()
    assert view(plot)[0] == pytest.approx([0.0, 10.0])


@pytest.mark.parametrize(
    ("key", "left", "right"),
    [
        (Qt.Key.Key_Plus, 1.0, 9.0), (Qt.Key.Key_Minus, -1.25, 11.25), (Qt.Key.Key_Right, 1.0, 11.0),
        (Qt.Key.Key_Left, -1.0, 9.0), (Qt.Key.Key_Up, 0.0, 10.0),
    ],
)  # fmt: skip
def test_keys_zoom_and_move(plot, qtbot, key, left, right):
    plot.setFocus()
    qtbot.keyClick(plot, key)
    assert view(plot)[0] == pytest.approx([left, right])
    assert plot.zoomed
    qtbot.keyClick(plot, Qt.Key.Key_0)
    assert not plot.zoomed
    assert view(plot)[0] == pytest.approx([0.0, 10.0])


def test_tab_reaches_a_plot_and_its_frame_shows_it(plot, qtbot):
    assert plot.focusPolicy() & Qt.FocusPolicy.TabFocus
    plot.set_colors(DARK)
    plot.activateWindow()
    plot.setFocus()
    qtbot.waitUntil(plot.hasFocus)
    assert plot.box.border.color().name().upper() == DARK.accent
    plot.clearFocus()
    assert plot.box.border.style() == Qt.PenStyle.NoPen


def test_a_zoomed_view_stays_while_the_data_grow(plot):
    turn_wheel(plot, 3)
    before = view(plot)
    plot.show_range((0.0, 1000.0), (0.0, 50.0))
    assert view(plot) == before
    plot.fit()
    assert view(plot)[0] == pytest.approx([0.0, 1000.0])


@pytest.mark.parametrize("notches", [40, -40])
def test_zooming_ends_where_numbers_would(plot, notches):
    for _ in range(20):
        turn_wheel(plot, notches)
    (left, right), (bottom, top) = view(plot)
    assert 1e-4 < right - left < 100.0
    assert 1e-5 < top - bottom < 10.0
    assert not plot.grab().isNull()


@pytest.mark.parametrize("numbers", [[], [3.0], [0.0], [2.0, 2.0], [5e-324, 0.0], [-1e150, 1e150], [1.0, 1.0 + 1e-15]])
def test_every_numbers_have_a_range_around_them(numbers):
    low, high = range_around(np.array(numbers))
    assert np.isfinite(high - low) and high > low
    assert all(low <= number <= high for number in numbers)


def test_a_single_number_stands_in_the_middle():
    assert range_around(np.array([2.0])) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (0.05, "0.05"), (250.0, "250"), (2500.0, "2.5k"), (20_000.0, "20k"), (1.5e6, "1.5M"),
        (1e-5, "1e−5"), (2.5e141, "2.5e141"), (2.5e-4, "0.00025"), (-3e9, "−3G"), (1e12, "1e12"),
        (1.5e14, "1.5e14"), (1e24, "1e24"),
    ],
)  # fmt: skip
def test_ticks_are_short(number, text):
    assert tick_text(number) == text


@pytest.mark.parametrize(
    ("numbers", "spacing", "texts"),
    [
        ([100.0, 200.0], 100.0, ["100", "200"]),
        ([0.2501, 0.2502], 1e-4, ["0.2501", "0.2502"]),
        ([2e-4, 2.5e-4], 5e-5, ["0.0002", "0.00025"]),
        ([100_000.0, 100_020.0], 20.0, ["100k", "100.02k"]),
        ([-0.1, 0.0, 0.1], 0.1, ["−0.1", "0", "0.1"]),
        ([1e-14, 2e-14], 1e-14, ["1e−14", "2e−14"]),
    ],
)
def test_neighbouring_ticks_differ_in_their_text(qapp, numbers, spacing, texts):
    assert Axis("left").tickStrings(numbers, 1.0, spacing) == texts


def test_digits_of_odd_spacings_are_a_few():
    assert [digits_between([1.0], 0.0), digits_between([], 1.0), digits_between([1.0], 1e-30)] == [6, 6, 15]


@pytest.mark.parametrize(("low", "high"), [(-0.5, 4.5), (3.2, 3.7), (3.2, 4.7), (0.0, 1000.0)])
def test_an_axis_of_steps_has_ticks_at_whole_numbers(qapp, low, high):
    axis = Axis("bottom")
    axis.whole_numbers = True
    ticks = [tick for _, ticks in axis.tickValues(low, high, 200) for tick in ticks]
    assert all(tick == round(tick) for tick in ticks)


def test_powers_of_ten_are_all_written_in_one_way():
    axis = Axis("left")
    axis.set_logarithmic(True)
    assert axis.tickStrings([0.0, 6.0, 12.0, 24.0, 60.0], 1.0, 1.0) == ["1", "1e6", "1e12", "1e24", "1e60"]


def test_a_range_that_follows_a_growing_curve_changes_seldom_and_holds_all_of_it():
    shown, changes = (0.0, 4.0), 0
    for steps in range(100, 100_000, 100):
        changes += (after := steady_range((0.0, steps), shown, (0.0, 1.0))) != shown
        shown = after
        assert shown[0] == 0.0 and steps <= shown[1] < 1.3 * steps
    assert changes < 100


def test_a_range_of_which_little_is_filled_is_fitted_anew():
    assert steady_range((0.4, 0.6), (0.0, 1.0)) == pytest.approx((0.38, 0.62))
    assert steady_range((0.1, 0.95), (0.0, 1.0)) == (0.0, 1.0)


@pytest.mark.parametrize(("side", "pixels"), [("bottom", LABEL_WIDTH), ("left", LABEL_HEIGHT)])
def test_labels_of_a_logarithmic_axis_have_room(qapp, side, pixels):
    axis = Axis(side)
    axis.set_logarithmic(True)
    for size in (60, 150, 300, 900):
        [(_spacing, ticks)] = axis.tickValues(-12.0, -1.0, size)
        assert 2 <= len(ticks) <= max(size / pixels, 2) + 1
