"""Drawing on the real plot: what the mouse and the keys do, and that the axes stay where they are."""

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from gui.panels.planes import point_editing
from gui.panels.planes.boundary import BoundaryPanel

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton


class Hand:
    """A user's hand on the plot of a boundary panel."""

    def __init__(self, panel, qtbot):
        self.panel, self.qtbot = panel, qtbot
        self.viewport = panel.plot.viewport()

    def pixel(self, x, y):
        """Where a place of the plane is on the widget."""
        scene = self.panel.plot.box.mapViewToScene(QPointF(x, y))
        return self.panel.plot.mapFromScene(scene)

    def click(self, x, y, button=LEFT):
        self.qtbot.mouseClick(self.viewport, button, pos=self.pixel(x, y))

    def drag(self, start, end, button=LEFT, steps=5):
        begin, target = self.pixel(*start), self.pixel(*end)
        self.qtbot.mousePress(self.viewport, button, pos=begin)
        for step in range(1, steps + 1):
            at = begin + (target - begin) * step / steps
            QTest.mouseMove(self.viewport, at)
        self.qtbot.mouseRelease(self.viewport, button, pos=target)


@pytest.fixture
def hand(session, shown, qtbot, monkeypatch):
    monkeypatch.setattr(point_editing, "DRAG_MILLISECONDS", 1)
    monkeypatch.setitem(pg.CONFIG_OPTIONS, "mouseRateLimit", 0)  # a test's hand is faster than a user's
    panel = shown(BoundaryPanel, 420, 460)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.drawing.button.click()
    return Hand(panel, qtbot)


def points(session):
    return session.document.data.points


@pytest.mark.slow
def test_clicks_put_points_where_they_are_and_the_axes_stay(session, hand):
    panel = hand.panel
    before, there = panel.bounds, panel.drawing.editing.points
    hand.click(0.0, -1.0)
    hand.qtbot.keyClick(panel.plot, Qt.Key.Key_1)
    hand.click(2.0, 1.0)
    *old, first, second = points(session)
    assert tuple(old) == there
    assert first[:2] == pytest.approx((0.0, -1.0), abs=0.01) and first[2] == 0
    assert second[:2] == pytest.approx((2.0, 1.0), abs=0.01) and second[2] == 1
    assert panel.bounds == before
    assert len(panel.data_points.train.data) == 102


@pytest.mark.slow
def test_a_point_is_dragged_and_deleted_with_the_right_button(session, hand):
    hand.click(0.0, -1.0)
    hand.drag((0.0, -1.0), (0.5, -1.25))
    assert points(session)[-1][:2] == pytest.approx((0.5, -1.25), abs=0.01)
    assert session.undo_stack.index == 2
    hand.click(0.5, -1.25, RIGHT)
    assert len(points(session)) == 100


@pytest.mark.slow
def test_two_quick_clicks_are_two_points_and_the_view_stays(session, hand):
    bounds = hand.panel.bounds
    hand.qtbot.mouseDClick(hand.viewport, LEFT, pos=hand.pixel(0.0, -1.0))
    assert len(points(session)) == 101
    assert hand.panel.bounds == bounds


@pytest.mark.slow
def test_the_middle_button_and_outside_of_drawing_the_left_one_still_move_the_view(session, hand):
    panel = hand.panel
    bounds = panel.bounds
    assert panel.drawing.bar.isVisible() and not panel.reading.isVisible()
    hand.drag((0.0, -1.0), (0.5, -1.0), MIDDLE)
    assert panel.bounds[0] < bounds[0]
    hand.qtbot.keyClick(panel.plot, Qt.Key.Key_Escape)
    assert not panel.drawing.on and not panel.drawing.bar.isVisible() and panel.reading.isVisible()
    bounds = panel.bounds
    hand.drag((0.0, -1.0), (0.5, -1.0))
    assert panel.bounds[0] < bounds[0]
    assert session.document.data.source == "generator"


@pytest.mark.slow
def test_from_nothing_the_plot_is_empty_and_says_what_would_fill_it(session, hand):
    panel = hand.panel
    bounds = panel.bounds
    panel.drawing.bar.classes[2].click()
    assert panel.drawing.editing.kind == 2
    panel.drawing.bar.clear_button.click()
    assert [button.isChecked() for button in panel.drawing.bar.classes[:3]] == [True, False, False]
    assert len(panel.data_points.train.data) == 0
    assert panel.drawing.bar.hint.text().startswith("No points yet")
    hand.click(1.0, 0.0)
    assert len(panel.data_points.train.data) == 1
    assert panel.bounds == bounds
    assert panel.drawing.bar.hint.text().startswith("Click: a point of class 0.")
    panel.drawing.actions["end drawing"].trigger()
    assert session.dataset.n_samples == 1


@pytest.mark.slow
def test_on_a_curve_one_draws_on_an_empty_plane(session, shown, qtbot):
    panel = shown(BoundaryPanel, 420, 460)
    session.edit("data", data={"name": "curve"})
    panel.drawing.button.click()
    hand = Hand(panel, qtbot)
    assert panel.plot.axes["left"].labelText == "x2"
    hand.click(0.5, 0.5)
    assert session.dataset.n_features == 2
    qtbot.waitUntil(lambda: panel.image.image is not None)
    session.undo_stack.undo_edit()
    assert session.dataset.n_features == 1


@pytest.mark.slow
def test_training_goes_on_with_every_point_that_is_drawn(session, hand):
    session.run()
    hand.qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    for x in (0.0, 0.25, 0.5):
        hand.click(x, -1.0)
        assert session.run_state == "running"
        hand.qtbot.waitUntil(lambda: session.newest is not None and session.newest.steps_per_second > 0)
    assert session.newest.outputs.shape[0] == 103
    assert session.newest.snapshot.step > 0
    assert len(session.runs.all) == 2  # of the data set, and of what was drawn on it


@pytest.mark.slow
def test_keys_draw_without_a_mouse_and_keep_their_meaning_outside(session, hand):
    plot, keys = hand.panel.plot, hand.qtbot.keyClick
    keys(plot, Qt.Key.Key_Delete, Qt.KeyboardModifier.ControlModifier)
    keys(plot, Qt.Key.Key_Space)
    keys(plot, Qt.Key.Key_Right)
    keys(plot, Qt.Key.Key_1)
    keys(plot, Qt.Key.Key_Space)
    assert [kind for _x, _y, kind in points(session)] == [0, 1]
    assert points(session)[0][0] < points(session)[1][0]
    keys(plot, Qt.Key.Key_Delete)
    assert len(points(session)) == 1
    keys(plot, Qt.Key.Key_Escape)
    bounds = hand.panel.bounds
    keys(plot, Qt.Key.Key_Right)
    assert hand.panel.bounds[0] > bounds[0]
    keys(plot, Qt.Key.Key_0)
    assert not plot.zoomed


@pytest.mark.slow
def test_other_data_chosen_while_drawing_are_drawn_on_after_another_click_on_draw(session, hand):
    session.edit("data", data={"source": "generator", "name": "circles"})
    assert not hand.panel.drawing.on
    hand.panel.drawing.button.click()
    there = hand.panel.drawing.editing.points
    hand.click(0.0, 0.0)
    assert points(session)[:-1] == there


@pytest.mark.slow
def test_hidden_while_drawing_and_seen_again_it_goes_on(session, hand):
    hand.panel.hide()
    hand.panel.show()
    hand.click(0.0, -1.0)
    assert len(points(session)) == 101


@pytest.mark.slow
def test_a_stroke_of_the_brush_draws_many_points_and_is_one_undo_step(session, hand):
    panel, before = hand.panel, session.document.data
    panel.drawing.bar.brush.setValue(2)
    brush = panel.drawing.editing.brush
    hand.drag((0.0, -1.5), (1.5, -1.5))
    drawn = points(session)[100:]
    assert len(drawn) > 5 and {kind for _x, _y, kind in drawn} == {0}
    radius = brush / 2 * panel.drawing.editing.pixel
    assert all(-radius <= x <= 1.5 + radius and abs(y + 1.5) <= 1.01 * radius for x, y, _kind in drawn)
    hand.drag((0.0, -1.5), (1.5, -1.5), RIGHT)
    assert len(points(session)) < 100 + len(drawn)
    session.undo_stack.undo_edit()
    assert points(session)[100:] == drawn
    session.undo_stack.undo_edit()
    assert session.document.data == before


@pytest.mark.slow
def test_without_a_brush_a_drag_from_an_empty_place_draws_a_row_of_points(session, hand):
    hand.drag((0.0, -1.5), (1.5, -1.5))
    drawn = points(session)[100:]
    assert len(drawn) > 3 and all(y == pytest.approx(-1.5, abs=0.02) for _x, y, _kind in drawn)
    assert session.undo_stack.index == 1
