"""The points in the plane: their marks, those that are wrong, and what the pointer reads there."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip

from engine.network import LOSSES
from gui.number_texts import reading_text
from gui.panels.planes.boundary import BoundaryPanel
from gui.panels.planes.place_reading import output_text
from gui.plots.data_points import Samples
from gui.plots.plot import class_colors
from tests.gui.panels.planes.boundary_views import has_something, layers_of, trained_on, with_data


@pytest.mark.slow
def test_classes_differ_by_marker_and_colour(shown):
    data = shown(BoundaryPanel).data_points.train.data
    looks = {(spot["symbol"], spot["brush"].color().name()) for spot in data}
    assert len(looks) == 2
    assert len({symbol for symbol, _ in looks}) == 2


@pytest.mark.slow
def test_four_points_of_three_inputs_stand_at_the_numbers_trained_on(qtbot, session, shown):
    with_data(session, "tutorial", "sum_squared_error", (3, 4, 1))
    panel = shown(BoundaryPanel)
    panel.axes_choice.across.setCurrentIndex(0)
    panel.axes_choice.across.activated.emit(0)
    qtbot.waitUntil(lambda: has_something(panel.outputs))
    x, y = panel.data_points.train.getData()
    assert (x.tolist(), y.tolist()) == ([1, 2, 3, 4], [1, -1, -1, 1])
    assert panel.level.isVisible() and panel.level.value() == 0.0


@pytest.mark.slow
def test_points_that_only_test_are_hollow_marks_in_the_same_plane(session, shown):
    panel = shown(BoundaryPanel)
    session.edit("test", data={"test_share": 0.3})
    raw, rows = session.data.raw, session.data.test_rows
    x, y = panel.data_points.test.getData()
    assert np.column_stack([x, y]).tolist() == raw.X[rows].tolist()
    assert len(panel.data_points.train.getData()[0]) == 70
    assert "Hollow marks: the test data, 30 points." in panel.note.text()
    assert panel.data_points.test.opts["brush"].color().name() == panel.colors.panel.lower()
    for pen, kind in zip(panel.data_points.test.data["pen"], raw.classes[rows], strict=True):
        assert pen.color().name() == class_colors(panel.colors)[kind].lower()
    session.edit("no test", data={"test_share": 0.0})
    assert len(panel.data_points.test.data) == 0 and "Hollow" not in panel.note.text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curve", "surface"])
def test_points_that_only_test_of_a_regression_stand_at_their_numbers(session, shown, name):
    panel = shown(BoundaryPanel)
    session.edit("data", data={"name": name, "test_share": 0.2})
    raw = session.data.raw.take(session.data.test_rows)
    x, y = panel.data_points.test.getData()
    assert x.tolist() == raw.X[:, 0].tolist()
    assert y.tolist() == (raw.y if name == "curve" else raw.X[:, 1]).tolist()


def move_to(panel, x, y):
    """Moves the pointer to a place of the plot."""
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(x, y)))
    inside = panel.plot.box.mapSceneToView(panel.plot.mapToScene(place))
    QTest.mouseMove(panel.plot.viewport(), place)
    return inside.x(), inside.y()


@pytest.mark.slow
@pytest.mark.parametrize("features", [(), ("x1", "x2^2", "sin x1")])
def test_the_pointer_reads_what_the_network_gives_there(qtbot, session, shown, features):
    trained_on(qtbot, session, "moons", (len(features) or 2, 4, 1), features=features, scaling=bool(features))
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    place = QPointF(*np.round(np.mean(panel.plot.box.viewRange(), axis=1), 3))
    panel.reading.pointer.moved.emit(place)
    X = np.array([[place.x(), place.y()]])
    if features:
        raw = session.data.raw_train.X
        columns = [np.column_stack([p[:, 0], p[:, 1] ** 2, np.sin(p[:, 0])]) for p in (raw, X)]
        X = (columns[1] - columns[0].mean(axis=0)) / columns[0].std(axis=0)
    output = layers_of(session, X)[0, 0]
    name = "1" if output > 0 else "−1"
    x, y, said = (reading_text(number) for number in (place.x(), place.y(), output))
    assert panel.reading.text() == f"x1 {x}, x2 {y}: output {said}: class {name}"
    panel.reading.pointer.left.emit()
    assert panel.reading.text() == "Point to read the output; click a sample to see its graph."


def test_a_reading_for_which_the_panel_has_no_room_is_beside_the_pointer(qtbot, session, shown, monkeypatch):
    panel = shown(BoundaryPanel, 300, 200)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert not panel.reading.isVisible()
    monkeypatch.setattr(panel.plot, "underMouse", lambda: True)
    move_to(panel, 0.4, 0.3)
    qtbot.waitUntil(lambda: QToolTip.text().startswith("x1 ") and "output" in QToolTip.text())
    panel.reading.pointer.left.emit()
    QToolTip.hideText()


@pytest.mark.slow
def test_the_pointer_over_the_plot_is_where_the_axes_say(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    with qtbot.waitSignal(panel.reading.pointer.moved) as moved:
        x, y = move_to(panel, 0.4, 0.3)
    assert (moved.args[0].x(), moved.args[0].y()) == pytest.approx((x, y), abs=1e-9)
    assert panel.reading.text().startswith(f"x1 {reading_text(x)}, x2 {reading_text(y)}: output ")


def test_what_an_output_means_is_said_for_every_kind_of_loss(qtbot, session, shown):
    trained_on(qtbot, session, "moons", loss="binary_cross_entropy")
    samples = Samples(session.data, LOSSES["binary_cross_entropy"], 1)
    said = output_text(np.array([0.25]), LOSSES["binary_cross_entropy"], samples)
    assert said == "output 0.2500, the probability of 1: class −1 (0)"
    trained_on(qtbot, session, "yin_yang", (2, 4, 3), "softmax_cross_entropy")
    samples = Samples(session.data, LOSSES["softmax_cross_entropy"], 3)
    said = output_text(np.array([0.2, 0.7, 0.1]), LOSSES["softmax_cross_entropy"], samples)
    assert said == "class yang with probability 0.7000, of 0.2000, 0.7000, 0.1000"
    trained_on(qtbot, session, "surface")
    samples = Samples(session.data, LOSSES["mean_squared_error"], 1)
    assert output_text(np.array([1.5]), LOSSES["mean_squared_error"], samples) == "output 1.5000"
    assert "not a finite number" in output_text(np.array([np.nan]), LOSSES["mean_squared_error"], samples)


@pytest.mark.slow
def test_a_click_on_a_point_puts_that_sample_on_the_canvas_and_rings_it(qtbot, session, shown):
    panel = shown(BoundaryPanel, 500, 500)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    X = session.data.raw.X
    row = int(np.argmin(X[:, 0]))  # the leftmost one has no other upon it
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(*X[row])))
    qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (session.document.view.sample, session.document.view.shows) == (row, "network")
    qtbot.waitUntil(lambda: np.array_equal(np.ravel(panel.data_points.chosen.getData()), X[row]))
    assert len(session.undo_stack.steps) == 0


@pytest.mark.slow
def test_as_many_points_are_ringed_as_the_accuracy_counts_wrong_also_before_the_first_step(qtbot, session, shown):
    trained_on(qtbot, session, "moons")
    panel = shown(BoundaryPanel)

    def ringed_as_counted():
        moment = session.shown.snapshot
        return len(panel.data_points.wrong.data) == round((1.0 - moment.accuracy) * session.data.train.n_samples)

    qtbot.waitUntil(lambda: session.shown.snapshot.step > 0 and ringed_as_counted())
    session.training.view_step(0)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 0 and ringed_as_counted())
    assert session.shown.snapshot.accuracy < 1.0


@pytest.mark.slow
def test_wrong_points_are_ringed_those_that_only_test_among_them(qtbot, session, shown):
    trained_on(qtbot, session, "moons", test_share=0.3)
    panel = shown(BoundaryPanel)
    rows = [*session.data.train_rows, *session.data.test_rows]
    X, y = session.data.raw.X[rows], session.data.raw.y[rows]
    wrong = (layers_of(session, X)[:, 0] > 0.0) != (y > 0)
    assert wrong[session.data.train.n_samples :].any()
    qtbot.waitUntil(lambda: len(panel.data_points.wrong.data) == wrong.sum())
    np.testing.assert_array_equal(np.column_stack(panel.data_points.wrong.getData()), X[wrong])


def test_in_a_low_panel_the_texts_give_their_room_to_the_plot(session, shown):
    session.edit("data", data={"test_share": 0.3})
    panel = shown(BoundaryPanel, 600, 320)
    assert panel.note.isVisible() and panel.reading.isVisible()
    panel.resize(600, 250)
    assert not panel.note.isVisible() and panel.reading.isVisible()
    panel.resize(600, 200)
    assert not panel.note.isVisible() and not panel.reading.isVisible()
    assert panel.note.text() in panel.plot.toolTip()
    panel.layout().activate()
    assert panel.plot.box.height() > 0.45 * panel.height()
    panel.resize(600, 320)
    assert panel.note.isVisible() and panel.reading.isVisible()
