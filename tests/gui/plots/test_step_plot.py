"""The plot over steps: the values under the pointer and the texts at changes of settings."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from gui.plots.step_plot import ChangeMark, StepPlot, finite_curve
from gui.theme import LIGHT, set_text_size


@pytest.fixture
def plot(qtbot):
    plot = StepPlot("loss against steps", "loss")
    qtbot.addWidget(plot)
    plot.set_colors(LIGHT)
    plot.resize(600, 300)
    plot.show()
    plot.show_range((0.0, 300.0), (0.0, 1.0))
    return plot


def curve(name, steps):
    return finite_curve(name, np.array(steps, float), np.full(len(steps), 0.5), "#000000")


def point_at(plot, step):
    plot.pointer.moved.emit(QPointF(step, 0.5))


def labels(plot):
    return [line.label for line in plot.changes if line.isVisible() and line.label.isVisible()]


def test_the_values_under_the_pointer_are_none_of_later_steps(plot):
    plot.show_curves([curve("train", range(300)), curve("test", range(0, 300, 50)), curve("penalty", range(201, 300))])
    point_at(plot, 133)
    values = [(each.name, step) for each, step, _ in plot.pointed_values()]
    assert values == [("train", 133.0), ("test", 100.0)]
    point_at(plot, 250)
    assert [step for _, step, _ in plot.pointed_values()] == [250.0] * 3


def test_a_mouse_over_the_plot_reads_the_nearest_step(plot, qtbot):
    plot.show_curves([curve("train", range(300))])

    def reads_the_step_under_it():  # the plot makes room for its axes after it is shown
        QTest.mouseMove(plot.viewport(), plot.mapFromScene(plot.box.mapViewToScene(QPointF(100.0, 0.5))))
        return plot.readout.isVisible() and abs(plot.pointed_values()[0][1] - 100.0) <= 1.0

    qtbot.waitUntil(reads_the_step_under_it)
    QTest.mouseMove(plot.viewport(), plot.mapFromScene(plot.axes["left"].sceneBoundingRect().center()))
    qtbot.waitUntil(lambda: not plot.readout.isVisible())


@pytest.mark.parametrize("height", [100, 400])
def test_changes_of_settings_are_named_in_low_and_in_high_plots(plot, height):
    plot.resize(600, height)
    plot.show_changes([ChangeMark(100, "optimizer SGD → Momentum"), ChangeMark(200, "L2 0 → 0.02")])
    assert len(labels(plot)) == 2
    area = plot.box.sceneBoundingRect()
    for label in labels(plot):
        assert area.adjusted(-2, -2, 2, 2).contains(label.textItem.sceneBoundingRect())
    first, second = (label.textItem.sceneBoundingRect() for label in labels(plot))
    assert not first.intersects(second)


def test_the_names_of_changes_follow_the_size_of_text(plot):
    plot.show_changes([ChangeMark(100, "L2 0 → 0.02"), ChangeMark(200, "L1 0 → 0.02")])
    before = [label.textItem.font().pixelSize() for label in labels(plot)]
    try:
        set_text_size(150)
        plot.set_colors(LIGHT)
        sizes = [label.textItem.font().pixelSize() for label in labels(plot)]
        assert len(sizes) == 2 and sizes == [round(1.5 * size) for size in before]
    finally:
        set_text_size(100)


@pytest.mark.parametrize("step", [130, 150, 170])
def test_a_change_shows_its_new_value_wherever_its_step_is(plot, step):
    plot.resize(300, 110)
    plot.show_range((0.0, 300.0), (0.0, 1.0))
    plot.show_changes([ChangeMark(step, "layers 2-1 → 2-16-16-16-16-1", "layers 2-8-8-1")])
    (label,) = labels(plot)
    assert label.textItem.toPlainText() == "layers 2-8-8-1"
    area = plot.box.sceneBoundingRect()
    assert area.adjusted(-2, -2, 2, 2).contains(label.textItem.sceneBoundingRect())


def test_a_curve_that_the_present_one_goes_on_from_is_seen_beside_it(plot):
    plot.show_curves([curve("train", range(300))])
    other = finite_curve("run 2", np.arange(100.0), np.full(100, 0.7), "#ff0000")
    plot.show_earlier([finite_curve("run 1", np.arange(100.0), np.full(100, 0.5), "#ff0000"), other])
    covered, beside = (item.opts["pen"].width() for item in plot.box.addedItems if item.zValue() == -10)
    assert covered > 1 and beside == 1
