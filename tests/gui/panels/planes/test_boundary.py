"""The picture of the plane: where it lies, when it is drawn, and its caption."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from datasets import DATASETS, Dataset
from engine.document import Document
from engine.experiment.assemble import make_model
from engine.experiment.prepared import table_fields
from engine.network import LOSSES, encode
from engine.network.run.progress import RunState
from engine.session_file.format import to_json
from gui.panels.planes.boundary import BoundaryPanel
from gui.plots.plane import are_alike, fitted_bounds
from gui.session import Change
from gui.theme import DARK, LIGHT
from tests.gui.panels.planes.boundary_views import has_something, layers_of, trained_on
from tests.gui.training import train


@pytest.mark.slow
def test_the_untrained_boundary_is_shown_before_any_step(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert session.newest.snapshot.step == 0
    assert panel.caption.startswith("accuracy")


@pytest.mark.slow
def test_training_changes_the_picture(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    before = panel.image.image.copy()
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1 and not np.array_equal(panel.image.image, before))


@pytest.mark.slow
def test_the_image_covers_what_is_seen_and_more_than_the_points(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    rect = panel.image.mapRectToParent(panel.image.boundingRect())
    X = session.dataset.X
    assert rect.left() < X[:, 0].min() and rect.right() > X[:, 0].max()
    assert rect.top() < X[:, 1].min() and rect.bottom() > X[:, 1].max()
    (left, right), (bottom, top) = panel.plot.getPlotItem().getViewBox().viewRange()
    qtbot.waitUntil(lambda: session.newest.grid_bounds == panel.bounds)
    assert rect.left() <= left + 1e-6 and rect.right() >= right - 1e-6
    assert rect.top() <= bottom + 1e-6 and rect.bottom() >= top - 1e-6


@pytest.mark.parametrize("aspect", [0.5, 1.0, 3.0])
def test_bounds_have_the_asked_shape_and_a_margin(aspect):
    left, right, bottom, top = fitted_bounds(np.array([0.0, 0.0]), np.array([1.0, 1.0]), aspect)
    assert (right - left) / (top - bottom) == pytest.approx(aspect)
    assert left <= -0.15 and right >= 1.15 and bottom <= -0.15 and top >= 1.15


def test_bounds_of_a_single_point_have_a_size():
    left, right, bottom, top = fitted_bounds(np.array([3.0, 4.0]), np.array([3.0, 4.0]), 1.0)
    assert left < 3.0 < right and bottom < 4.0 < top


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DATASETS))
def test_every_data_set_has_a_picture(qtbot, session, shown, name):
    panel = shown(BoundaryPanel)
    entry = DATASETS[name]
    session.edit("data", data={"name": name, "n_samples": entry.n_samples, "noise": entry.noise})
    session.train("step")
    item = panel.curve if entry.n_features == 1 else panel.image
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    qtbot.waitUntil(lambda: has_something(item))
    assert not panel.grab().isNull()
    assert panel.note.isVisible() == (entry.n_features > 2)
    panel.set_colors(DARK)
    panel.set_colors(LIGHT)


@pytest.mark.slow
@pytest.mark.parametrize("keep_weights", [False, True])
def test_other_data_start_again_at_step_0_with_the_old_weights_only_where_that_is_chosen(
    qtbot, session, shown, keep_weights
):
    panel = shown(BoundaryPanel)
    session.edit("keep the weights", data={"keep_weights": keep_weights})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    session.pause()
    qtbot.waitUntil(lambda: session.newest.state == "paused")
    old, before = session.newest.run, session.newest.snapshot
    session.edit("data", data={"name": "circles"})
    assert session.newest is None
    assert panel.caption == ""
    qtbot.waitUntil(lambda: session.newest is not None)
    assert session.newest.run == old + 1
    assert session.newest.snapshot.step == 0 and len(session.newest.curve_steps) == 0
    assert np.array_equal(session.newest.snapshot.parameters, before.parameters) == keep_weights
    session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: session.newest is not None)
    assert session.newest.snapshot.step == before.step and len(session.newest.curve_steps) > 0
    assert np.array_equal(session.newest.snapshot.parameters, before.parameters)


@pytest.mark.slow
def test_a_new_data_set_while_it_trains_is_a_new_run_that_goes_on(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 10)
    old = session.newest.run
    session.edit("data", data={"name": "circles"})
    assert session.newest is None
    assert panel.caption == ""
    assert session.run_state is RunState.RUNNING
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    assert session.newest.run == old + 1
    session.pause()


@pytest.mark.slow
def test_hidden_it_wants_no_grid(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.hide()
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1)
    assert session.newest.grid is None


@pytest.mark.slow
def test_numbers_that_are_none_do_not_disturb_the_picture(qtbot, session, shown):
    shown(BoundaryPanel)
    session.edit("rate", training={"learning_rate": 1e9, "optimizer": "momentum"}, network={"layer_sizes": (2, 1)})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "failed")
    assert session.run_state == "failed"


@pytest.mark.slow
def test_closing_while_it_trains_ends_the_thread(qtbot, session, shown):
    shown(BoundaryPanel)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    session.close()


@pytest.mark.slow
def test_a_zoomed_map_is_computed_where_one_looks_and_keeps_its_shape(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.plot.zoom(0.3)
    qtbot.waitUntil(lambda: session.newest.grid_bounds == panel.bounds)
    left, right, bottom, top = panel.bounds
    box = panel.plot.box
    assert (right - left) / (top - bottom) == pytest.approx(box.width() / box.height(), rel=0.02)
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1)
    assert panel.bounds == (left, right, bottom, top)
    session.reset()
    assert panel.bounds == (left, right, bottom, top)
    session.edit("data", data={"name": "circles"})
    assert not panel.plot.zoomed


@pytest.mark.slow
def test_a_resized_panel_keeps_the_shape_of_the_map(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    for size in ((500, 300), (240, 420)):
        panel.resize(*size)
        qtbot.waitUntil(lambda: session.newest is not None and session.newest.grid_bounds == panel.bounds)
        left, right, bottom, top = panel.bounds
        box = panel.plot.box
        assert (right - left) / (top - bottom) == pytest.approx(box.width() / box.height(), rel=0.02)


@pytest.mark.slow
def test_a_hidden_panel_draws_nothing_and_catches_up(qtbot, session, shown, monkeypatch, report):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.hide()
    drawn, captions = [], []
    monkeypatch.setattr(panel.image, "setImage", lambda *grid, **settings: drawn.append(grid))
    panel.caption_changed.connect(captions.append)
    for accuracy in (0.1, 0.2, 0.3):
        report(snapshot=replace(session.newest.snapshot, accuracy=accuracy))
    assert (drawn, captions) == ([], [])
    panel.show()
    assert len(drawn) == 1
    assert panel.caption == "accuracy 30 %"


@pytest.mark.slow
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e38, 0.0, 1e-45])
def test_any_outputs_are_drawn_without_a_warning(qtbot, session, shown, report, number):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    grid = np.full(session.newest.grid.shape, number, dtype=np.float32)
    report(grid=grid, snapshot=replace(session.newest.snapshot, accuracy=None))
    assert not panel.grab().isNull()
    grid[::2] = -1.0
    session.changed.emit(Change({"moment"}))
    panel.plot.zoom(1e-9)
    assert not panel.grab().isNull()


@pytest.mark.slow
def test_the_caption_counts_the_samples_that_are_decided_right(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: session.newest is not None and panel.caption != "")
    outputs = make_model(session.document)(session.dataset.X).data
    targets = encode(LOSSES["mean_squared_error"], session.dataset.y, 1)
    right = int(np.sum((outputs[:, 0] > 0.0) == (targets.values[:, 0] > 0.0)))
    assert panel.caption == f"accuracy {right:.4g} %"
    assert panel.caption_tip.startswith(f"{right} of 100 samples ")


@pytest.mark.slow
def test_the_plot_is_reached_and_moved_by_keyboard(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    before = panel.bounds
    qtbot.keyClick(panel.plot, Qt.Key.Key_Right)
    assert panel.bounds[0] > before[0]
    qtbot.keyClick(panel.plot, Qt.Key.Key_0)
    assert panel.bounds == pytest.approx(before)


@pytest.mark.slow
def test_a_run_that_diverged_says_why_the_map_is_empty(qtbot, session, shown, report):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert panel.note.isHidden()
    report(outputs=np.full((100, 1), np.nan))
    assert panel.note.text() == "The network's outputs are not finite numbers: there is nothing to draw."
    assert panel.caption == "outputs are not all numbers"  # and no accuracy of them


@pytest.mark.slow
def test_the_caption_has_the_accuracy_of_both_parts_of_the_data(session, shown, qtbot):
    panel = shown(BoundaryPanel)
    session.edit("test", data={"test_share": 0.25})
    train(session, qtbot, "step")
    data, model = session.data, make_model(session.current_document())
    right = [100 * float(np.mean((model(part.X).data[:, 0] > 0) == (part.y == 1))) for part in (data.train, data.test)]
    qtbot.waitUntil(lambda: panel.caption == f"train {right[0]:.4g} % · test {right[1]:.4g} %")
    assert " of 25 samples " in panel.caption_tip


@pytest.mark.slow
def test_the_map_is_that_of_the_plane_when_the_network_sees_other_inputs(session, shown, qtbot):
    panel = shown(BoundaryPanel)
    session.edit("inputs", data={"features": ("x1", "x2", "x1^2", "x2^2"), "scaling": True})
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.grid is not None)
    left, right, bottom, top = session.shown.grid_bounds
    n = len(session.shown.grid)
    across, up = np.meshgrid(np.linspace(left, right, n), np.linspace(bottom, top, n))
    points = np.column_stack([across.ravel(), up.ravel()])
    outputs = make_model(session.document)(session.data.to_inputs(points)).data
    assert np.allclose(session.shown.grid.ravel(), outputs[:, 0], atol=1e-4)
    assert panel.plot.getPlotItem().getAxis("bottom").labelText == "x1"


@pytest.mark.slow
def test_at_rest_the_map_is_finer_than_while_it_trains(qtbot, session, shown, monkeypatch):
    panel = shown(BoundaryPanel, 460, 460)
    asked = []
    monkeypatch.setattr(session.training.runner, "set_grid", asked.append)
    panel.plot.zoom(0.9)
    qtbot.waitUntil(lambda: len(asked) > 0)
    request = asked[-1]
    assert request.resolution == 200 or request.finest > request.resolution
    assert request.at_rest(41).resolution == request.finest <= 400
    assert request.at_rest(100_000).resolution == request.resolution


@pytest.mark.slow
def test_of_many_inputs_two_vary_and_the_others_stay_at_their_means(qtbot, session, shown):
    trained_on(qtbot, session, "tutorial", (3, 4, 1), "sum_squared_error")
    panel = shown(BoundaryPanel)
    raw = session.data.raw
    shares = [np.corrcoef(column, raw.y)[0, 1] ** 2 for column in raw.X.T]
    assert panel.axes_choice.isVisible()
    assert panel.axes_choice.columns == tuple(np.argsort(-np.array(shares), kind="stable")[:2])
    assert panel.note.text().startswith("x3 and x2, ")
    panel.axes_choice.across.setCurrentIndex(3)
    panel.axes_choice.across.activated.emit(3)
    panel.axes_choice.up.setCurrentIndex(0)
    panel.axes_choice.up.activated.emit(0)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert panel.axes_choice.columns == (2, 0)
    assert (panel.plot.axes["bottom"].labelText, panel.plot.axes["left"].labelText) == ("x3", "x1")
    assert panel.note.text().startswith("x3 and x1 vary, the other inputs stay at their means")
    raw = session.data.raw.X
    np.testing.assert_array_equal(np.column_stack(panel.data_points.train.getData()), raw[:, [2, 0]])
    columns = dict(panel.figure_data())
    places = np.column_stack([columns["x1"], np.full(len(columns["x1"]), raw[:, 1].mean()), columns["x3"]])
    np.testing.assert_allclose(columns["output"], layers_of(session, places)[:, 0], atol=1e-4)
    panel.axes_choice.up.setCurrentIndex(2)
    panel.axes_choice.up.activated.emit(2)
    assert panel.axes_choice.columns == (0, 2)  # one input cannot be both
    panel.axes_choice.across.setCurrentIndex(0)
    panel.axes_choice.across.activated.emit(0)
    assert panel.note.text().startswith("3 inputs have no map")
    qtbot.waitUntil(lambda: has_something(panel.outputs))


@pytest.mark.slow
def test_axes_that_cannot_be_compared_fill_the_panel_each(session, shown):
    low, high = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    assert are_alike(low, high) and are_alike(low, high * [1.0, 4.0]) and are_alike(low, low)
    assert not are_alike(low, high * [1.0, 1000.0])
    columns = (("a", (0.0, 1.0, 0.5)), ("b", (0.0, 9000.0, 4000.0)), ("c", (0.0, 1.0, 1.0)))
    data = {"source": "table", "table": columns, "table_target": "c"}
    assert session.edit("table", data=data, network={"layer_sizes": (2, 3, 1)})
    panel = shown(BoundaryPanel)
    (left, right), (bottom, top) = panel.plot.box.viewRange()
    assert right - left < 2.0 and 9000.0 < top - bottom < 20_000.0


def sorted_classes(n=3000):
    """Three classes one after the other, each in a place of its own."""
    kinds = np.repeat([0.0, 1.0, 2.0], n)
    across = 10.0 * kinds + np.tile(np.linspace(0.0, 1.0, n), 3)
    columns = (("a", across.tolist()), ("b", kinds.tolist()), ("kind", kinds.tolist()))
    fields = {"table": columns, "table_target": "kind", "table_task": "classification"}
    return {"source": "table", **fields}


@pytest.mark.slow
def test_of_large_data_a_sample_with_every_class_is_drawn_in_a_view_of_all(session, shown):
    panel = shown(BoundaryPanel, 420, 460)
    assert session.edit("table", data=sorted_classes())
    samples = panel.data_points.samples
    assert np.bincount(samples.targets.classes).tolist() == [667, 667, 666]
    left, right, *_ = panel.bounds
    assert left < 0.0 and right > 21.0
    assert panel.note.text().startswith("2,000 of 9,000 points drawn")
    index = samples.n_train - 1  # a point that is drawn is its own sample on the canvas
    sample = int(samples.train_samples[index])
    assert np.array_equal(session.data.train.X[sample], samples.X[index]) and samples.index_of(sample) == index


@pytest.mark.slow
def test_test_points_are_hidden_with_their_rings_and_shown_again(qtbot, session, shown):
    trained_on(qtbot, session, "moons", test_share=0.3, noise=0.5)
    panel = shown(BoundaryPanel, 420, 460)
    qtbot.waitUntil(lambda: len(panel.data_points.wrong.data) > 0)
    n_wrong = len(panel.data_points.wrong.data)
    wrong = panel.data_points.samples.wrong(layers_of(session, panel.data_points.samples.X))
    assert panel.tests.isVisible()
    panel.tests.click()
    assert not panel.data_points.test.isVisible() and "hidden" in panel.note.text()
    assert len(panel.data_points.wrong.data) == wrong[:70].sum() < n_wrong
    panel.tests.click()
    assert panel.data_points.test.isVisible() and len(panel.data_points.wrong.data) == n_wrong
    session.edit("no test data", data={"test_share": 0.0})
    assert not panel.tests.isVisible()


@pytest.mark.slow
def test_choosing_other_data_ends_drawing_and_shows_them(qtbot, session, shown):
    panel = shown(BoundaryPanel, 420, 460)
    panel.drawing.button.click()
    panel.drawing.editing.press(3.0, 3.0)
    session.edit("data set", data={"source": "formula", "formula": "sin(x1)"})
    assert not panel.drawing.on and not panel.drawing.bar.isVisible()
    assert len(panel.data_points.train.data) == session.data.raw.n_samples
    assert (panel.plot.axes["bottom"].labelText, panel.plot.axes["left"].labelText) == ("x", "y")


def test_the_buttons_in_the_corner_do_not_cover_the_plot(session, shown, qtbot):
    panel = shown(BoundaryPanel, 240, 260)
    train(session, qtbot, "step")
    top = panel.plot.mapFromScene(panel.plot.box.sceneBoundingRect().topLeft()).y()
    button = panel.drawing.button
    assert button.mapTo(panel.plot, button.rect().bottomLeft()).y() < top


def other_document(session, kind, tmp_path):
    if kind == "new":
        session.reset_document(Document())
    elif kind == "undo":
        session.undo_stack.undo_edit()
    else:
        path = tmp_path / "other.gradstep"
        path.write_text(to_json(Document()), encoding="utf-8")
        assert session.open(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["new", "open", "undo"])
def test_after_data_of_seven_inputs_other_data_are_shown_without_a_failure(
    qtbot, session, shown, tmp_path, kind, caplog
):
    rows = np.random.RandomState(0).normal(size=(12, 7))
    names = tuple(f"x{i}" for i in range(1, 8))
    table = Dataset("seven", rows, np.arange(12) % 2, "classification", class_names=("a", "b"), feature_names=names)
    panel = shown(BoundaryPanel, 460, 460)
    assert session.edit("import", data=table_fields(table))
    qtbot.waitUntil(lambda: session.data.raw.n_features == 7 and panel.axes_choice.isVisible())
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.grid is not None)
    before = session.shown.run
    panel.hide()
    other_document(session, kind, tmp_path)
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.run > before)
    panel.axes_choice.up.activated.emit(2)  # before the panel has seen the other data
    panel.show()
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.run > before and session.shown.grid is not None)
    assert (session.run_state, session.shown.message) == (RunState.IDLE, "")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.slow
@pytest.mark.parametrize("targets", [[0.0, 1.0, 1.0, 0.0], [-1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
def test_numbers_to_predict_are_no_classes_though_all_are_0_or_1(qtbot, make_window, targets):
    window = make_window()
    session = window.session
    table = {"a": [0.0, 1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0, 2.0], "y": targets}
    fields = {"source": "table", "table": table, "table_target": "y", "table_task": "regression"}
    session.edit("data", data=fields, training={"loss": "mean_squared_error"})
    assert session.dataset.n_classes == 0
    for name in ("BoundaryPanel", "PredictionsPanel", "ConfusionPanel", "ResidualsPanel", "NetworkPanel"):
        window.docks[name].show_in_front()
    train(session, qtbot, "step")
    assert not window.docks["BoundaryPanel"].panel.decided.isVisible()  # there are no classes to decide between
    assert "accuracy" not in window.docks["BoundaryPanel"].panel.caption
    assert window.docks["PredictionsPanel"].panel.table.columns[-1] == "residual"
