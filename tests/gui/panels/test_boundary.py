import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from datasets import DATASETS
from engine.document.assemble import make_model
from engine.network import LOSSES, encode
from engine.network.progress import RunState
from gui.number_texts import reading_text
from gui.panels.boundary import BoundaryPanel
from gui.panels.data_points import Samples
from gui.panels.output_texts import output_text
from gui.panels.plane import are_alike, class_map, fitted_bounds
from gui.panels.plots import class_colors, class_tints
from gui.session import Change
from gui.theme import DARK, LIGHT
from tests.gui.training import train


def has_something(item):
    if hasattr(item, "image"):
        return item.image is not None
    x, _ = item.getData()
    return x is not None and len(x) > 0


def test_the_untrained_boundary_is_shown_before_any_step(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert session.newest.snapshot.step == 0
    assert panel.caption.startswith("accuracy")


def test_training_changes_the_picture(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    before = panel.image.image.copy()
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1 and not np.array_equal(panel.image.image, before))


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


def test_classes_differ_by_marker_and_colour(shown):
    data = shown(BoundaryPanel).points.data
    looks = {(spot["symbol"], spot["brush"].color().name()) for spot in data}
    assert len(looks) == 2
    assert len({symbol for symbol, _ in looks}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DATASETS))
def test_every_data_set_has_a_picture(qtbot, session, shown, name):
    panel = shown(BoundaryPanel)
    entry = DATASETS[name]
    session.edit("data", data={"name": name, "n_samples": entry.n_samples, "noise": entry.noise})
    session.train("step")
    item = {1: panel.curve, 2: panel.image}.get(entry.n_features, panel.outputs)
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    qtbot.waitUntil(lambda: has_something(item))
    assert not panel.grab().isNull()
    assert panel.note.isVisible() == (entry.n_features > 2)
    panel.set_colors(DARK)
    panel.set_colors(LIGHT)


def test_a_new_data_set_starts_a_new_run_from_the_weights_of_the_old_one(qtbot, session, shown):
    panel = shown(BoundaryPanel)
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
    assert session.newest.snapshot.step == before.step
    assert np.array_equal(session.newest.snapshot.parameters, before.parameters)


def test_a_new_data_set_while_it_trains_is_a_new_run_that_goes_on(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 10)
    old, step = session.newest.run, session.newest.snapshot.step
    session.edit("data", data={"name": "circles"})
    assert session.newest is None
    assert panel.caption == ""
    assert session.run_state is RunState.RUNNING
    qtbot.waitUntil(lambda: session.newest is not None)
    assert session.newest.run == old + 1
    assert session.newest.snapshot.step >= step
    session.pause()


def test_hidden_it_wants_no_grid(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.hide()
    session.train("step")
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1)
    assert session.newest.grid is None


def test_numbers_that_are_none_do_not_disturb_the_picture(qtbot, session, shown):
    shown(BoundaryPanel)
    session.edit("rate", training={"learning_rate": 1e9, "optimizer": "momentum"}, network={"layer_sizes": (2, 1)})
    told = []
    session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "failed")
    assert session.run_state == "failed"
    assert told[0][1] == "error"


def test_a_map_of_classes_is_paper_where_nothing_is_sure():
    tints, paper = np.array([[200.0, 0, 0], [0, 200.0, 0], [0, 0, 200.0]]), np.array([9.0, 9.0, 9.0])
    shares = np.array([[[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]], [[0, 0, 1.0], [np.nan, 0, 1.0]]])
    colors = class_map(shares, tints, paper)
    assert colors[0, 0].tolist() == [200, 0, 0]
    assert colors[0, 1].tolist() == [9, 9, 9]
    assert colors[1, 0].tolist() == [0, 0, 200]


def test_closing_while_it_trains_ends_the_thread(qtbot, session, shown):
    shown(BoundaryPanel)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    session.close()


def with_data(session, name, loss, layers=(2, 4, 1)):
    entry = DATASETS[name]
    data = {"name": name, "n_samples": entry.n_samples, "noise": entry.noise}
    assert session.edit("data", data=data, network={"layer_sizes": layers}, training={"loss": loss})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "loss", "level", "levels", "texts"),
    [
        ("moons", "mean_squared_error", 0.0, (-1.0, 1.0), ["-1", "1"]),
        ("moons", "hinge", 0.0, (-1.0, 1.0), ["-1", "1"]),
        ("moons", "binary_cross_entropy", 0.5, (0.0, 1.0), ["-1 (0)", "1"]),
        ("xor", "sum_squared_error", 0.5, (0.0, 1.0), ["0", "1"]),
        ("xor", "huber", 0.5, (0.0, 1.0), ["0", "1"]),
        ("xor", "hinge", 0.0, (-1.0, 1.0), ["0 (-1)", "1"]),
    ],
)
def test_the_line_and_the_scale_are_those_of_the_numbers_trained_on(
    qtbot, session, shown, name, loss, level, levels, texts
):
    with_data(session, name, loss)
    session.edit("weights", network={"seed": 3})  # weights whose outputs pass the level of each case
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert tuple(panel.image.levels) == levels
    assert [entry.text for entry in panel.scale.scale.entries] == texts
    assert panel.scale.scale.level == f"{level:g}"
    assert f"Above {level:g}, beyond the line, the output means {texts[1]}." in panel.scale.toolTip()
    x, y = panel.boundary.getData()
    assert len(x) > 10
    model_outputs = make_model(session.document)(np.column_stack([x, y])).data[:, 0]
    readable = LOSSES[loss].probabilities(model_outputs[:, None])[:, 0]
    np.testing.assert_allclose(readable, level, atol=0.02)


def test_the_colours_of_the_scale_are_those_of_the_map_and_the_markers_those_of_the_points(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    panel.set_colors(DARK)
    low, high = panel.scale.scale.entries
    spots = {(spot["symbol"], spot["brush"].color().name()) for spot in panel.points.data}
    assert {(low.marker, low.color.lower()), (high.marker, high.color.lower())} == spots
    bar = panel.scale.scale.bar
    assert bar is not None
    assert QColor(*bar[0].tolist()).name().upper() == DARK.negative_tint
    assert QColor(*bar[-1].tolist()).name().upper() == DARK.positive_tint
    assert not panel.scale.grab().isNull()


@pytest.mark.parametrize(("name", "n_classes"), [("moons", 2), ("spiral3", 3)])
def test_the_classes_alone_are_shown_on_request(qtbot, session, shown, name, n_classes):
    sizes = (2, 4, 1 if n_classes == 2 else 3)
    loss = "hinge" if n_classes == 2 else "softmax_cross_entropy"
    assert session.edit("data", data={"name": name}, network={"layer_sizes": sizes}, training={"loss": loss})
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)

    def n_colors():
        picture = panel.image.image
        return len(np.unique(picture.reshape(-1, picture.shape[2]) if picture.ndim == 3 else picture.ravel(), axis=0))

    assert panel.decided.isVisible() and n_colors() > 10
    panel.decided.click()
    assert 1 < n_colors() <= n_classes
    if n_classes == 2:
        level, grid = 0.0, session.shown.grid
        assert np.array_equal(panel.image.image > level, (grid > level).reshape(panel.image.image.shape))
    panel.decided.click()
    assert n_colors() > 10


def test_numbers_to_predict_have_no_classes_to_show(qtbot, session, shown):
    with_data(session, "surface", "mean_squared_error")
    assert not shown(BoundaryPanel).decided.isVisible()


def test_several_classes_are_named_with_their_markers(session, shown):
    with_data(session, "yin_yang", "softmax_cross_entropy", (2, 4, 3))
    panel = shown(BoundaryPanel)
    assert [entry.text for entry in panel.scale.scale.entries] == ["yin", "yang", "dot"]
    assert len({entry.marker for entry in panel.scale.scale.entries}) == 3
    assert panel.scale.scale.bar is None


def test_a_regression_has_a_scale_of_numbers_and_no_line(qtbot, session, shown):
    with_data(session, "surface", "mean_squared_error")
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    y = session.dataset.y
    low, high = (float(entry.text) for entry in panel.scale.scale.entries)
    assert (low, high) == pytest.approx((y.min(), y.max()), rel=0.01)
    assert len(panel.boundary.getData()[0] if panel.boundary.getData()[0] is not None else []) == 0


def test_four_points_of_three_inputs_stand_at_the_numbers_trained_on(qtbot, session, shown):
    with_data(session, "tutorial", "sum_squared_error", (3, 4, 1))
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: has_something(panel.outputs))
    x, y = panel.points.getData()
    assert (x.tolist(), y.tolist()) == ([1, 2, 3, 4], [1, -1, -1, 1])
    assert panel.level.isVisible() and panel.level.value() == 0.0


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


def test_a_resized_panel_keeps_the_shape_of_the_map(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    for size in ((500, 300), (240, 420)):
        panel.resize(*size)
        qtbot.waitUntil(lambda: session.newest is not None and session.newest.grid_bounds == panel.bounds)
        left, right, bottom, top = panel.bounds
        box = panel.plot.box
        assert (right - left) / (top - bottom) == pytest.approx(box.width() / box.height(), rel=0.02)


def test_a_hidden_panel_draws_nothing_and_catches_up(qtbot, session, shown, monkeypatch, report):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.hide()
    drawn, captions = [], []
    monkeypatch.setattr(panel.image, "setImage", lambda *grid, **settings: drawn.append(grid))
    panel.caption_changed.connect(captions.append)
    for accuracy in (0.1, 0.2, 0.3):
        report(accuracy=accuracy)
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
    report(grid=grid, accuracy=None)
    assert not panel.grab().isNull()
    grid[::2] = -1.0
    session.changed.emit(Change(moment=True))
    panel.plot.zoom(1e-9)
    assert not panel.grab().isNull()


def test_the_caption_counts_the_samples_that_are_decided_right(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: session.newest is not None and panel.caption != "")
    outputs = make_model(session.document)(session.dataset.X).data
    targets = encode(LOSSES["mean_squared_error"], session.dataset.y, 1)
    right = int(np.sum((outputs[:, 0] > 0.0) == (targets.values[:, 0] > 0.0)))
    assert panel.caption == f"accuracy {right:.4g} %"
    assert panel.caption_tip.startswith(f"{right} of 100 samples are decided right.")


def test_the_plot_is_reached_and_moved_by_keyboard(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    before = panel.bounds
    qtbot.keyClick(panel.plot, Qt.Key.Key_Right)
    assert panel.bounds[0] > before[0]
    qtbot.keyClick(panel.plot, Qt.Key.Key_0)
    assert panel.bounds == pytest.approx(before)


def test_a_run_that_diverged_says_why_the_map_is_empty(qtbot, session, shown, report):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert panel.note.isHidden()
    report(outputs=np.full((100, 1), np.nan))
    assert panel.note.text() == "The network's outputs are not finite numbers: there is nothing to draw."
    assert panel.caption == "outputs are not all numbers"  # and no accuracy of them


def test_points_that_only_test_are_hollow_marks_in_the_same_plane(session, shown):
    panel = shown(BoundaryPanel)
    session.edit("test", data={"test_share": 0.3})
    raw, rows = session.data.raw, session.data.test_rows
    x, y = panel.data_points.test.getData()
    assert np.column_stack([x, y]).tolist() == raw.X[rows].tolist()
    assert len(panel.points.getData()[0]) == 70
    assert "Hollow marks: the 30 points that only test." in panel.note.text()
    assert panel.data_points.test.opts["brush"].color().name() == panel.colors.panel.lower()
    for pen, kind in zip(panel.data_points.test.data["pen"], raw.classes[rows], strict=True):
        assert pen.color().name() == class_colors(panel.colors)[kind].lower()
    session.edit("no test", data={"test_share": 0.0})
    assert len(panel.data_points.test.data) == 0 and "Hollow" not in panel.note.text()


@pytest.mark.parametrize("name", ["curve", "surface"])
def test_points_that_only_test_of_a_regression_stand_at_their_numbers(session, shown, name):
    panel = shown(BoundaryPanel)
    session.edit("data", data={"name": name, "test_share": 0.2})
    raw = session.data.raw_test
    x, y = panel.data_points.test.getData()
    assert x.tolist() == raw.X[:, 0].tolist()
    assert y.tolist() == (raw.y if name == "curve" else raw.X[:, 1]).tolist()


def test_the_caption_has_the_accuracy_of_both_parts_of_the_data(session, shown, qtbot):
    panel = shown(BoundaryPanel)
    session.edit("test", data={"test_share": 0.25})
    train(session, qtbot, "step")
    data, model = session.data, make_model(session.current_document())
    right = [100 * float(np.mean((model(part.X).data[:, 0] > 0) == (part.y == 1))) for part in (data.train, data.test)]
    qtbot.waitUntil(lambda: panel.caption == f"train {right[0]:.4g} % · test {right[1]:.4g} %")
    assert "Of 25 samples that only test" in panel.caption_tip


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


def layers_of(session, X):
    """The network's outputs for its inputs, layer by layer in numpy: tanh in hidden layers, the last one linear."""
    *hidden, last = make_model(session.document).layer_matrices(session.shown.snapshot.parameters)
    for matrix in hidden:
        X = np.tanh(X @ matrix[:, :-1].T + matrix[:, -1])
    return X @ last[:, :-1].T + last[:, -1]


def trained_on(qtbot, session, name, layers=(2, 4, 1), loss="mean_squared_error", **data):
    assert session.edit(
        "data", data={"name": name, **data}, network={"layer_sizes": layers, "seed": 3}, training={"loss": loss}
    )
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.run_state == "paused")


def move_to(panel, x, y):
    """Moves the pointer to a place of the plot."""
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(x, y)))
    inside = panel.plot.box.mapSceneToView(panel.plot.mapToScene(place))
    QTest.mouseMove(panel.plot.viewport(), place)
    return inside.x(), inside.y()


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
    name = "1" if output > 0 else "-1"
    x, y, said = (reading_text(number) for number in (place.x(), place.y(), output))
    assert panel.reading.text() == f"x1 {x}, x2 {y}: output {said}: class {name}"
    panel.reading.pointer.left.emit()
    assert panel.reading.text() == "Point to read the output; click a sample to see its graph."


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
    assert said == "output 0.2500, the probability of 1: class -1 (0)"
    trained_on(qtbot, session, "yin_yang", (2, 4, 3), "softmax_cross_entropy")
    samples = Samples(session.data, LOSSES["softmax_cross_entropy"], 3)
    said = output_text(np.array([0.2, 0.7, 0.1]), LOSSES["softmax_cross_entropy"], samples)
    assert said == "class yang with probability 0.7000, of 0.2000, 0.7000, 0.1000"
    trained_on(qtbot, session, "surface")
    samples = Samples(session.data, LOSSES["mean_squared_error"], 1)
    assert output_text(np.array([1.5]), LOSSES["mean_squared_error"], samples) == "output 1.5000"
    assert "not a finite number" in output_text(np.array([np.nan]), LOSSES["mean_squared_error"], samples)


def test_a_click_on_a_point_puts_that_sample_on_the_canvas_and_rings_it(qtbot, session, shown):
    panel = shown(BoundaryPanel, 500, 500)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    X = session.data.raw.X
    row = int(np.argmin(X[:, 0]))  # the leftmost one has no other upon it
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(*X[row])))
    qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (session.document.view.sample, session.document.view.shows) == (row, "network")
    qtbot.waitUntil(lambda: np.array_equal(np.ravel(panel.data_points.chosen.getData()), X[row]))
    assert session.undo_stack.count() == 0


def test_wrong_points_are_ringed_those_that_only_test_among_them(qtbot, session, shown):
    trained_on(qtbot, session, "moons", test_share=0.3)
    panel = shown(BoundaryPanel)
    rows = [*session.data.train_rows, *session.data.test_rows]
    X, y = session.data.raw.X[rows], session.data.raw.y[rows]
    wrong = (layers_of(session, X)[:, 0] > 0.0) != (y > 0)
    assert wrong[session.data.train.n_samples :].any()
    qtbot.waitUntil(lambda: len(panel.data_points.wrong.data) == wrong.sum())
    np.testing.assert_array_equal(np.column_stack(panel.data_points.wrong.getData()), X[wrong])


def test_the_lines_between_several_classes_are_where_two_are_equally_likely(qtbot, session, shown):
    trained_on(qtbot, session, "spiral3", (2, 6, 3), "softmax_cross_entropy")
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    x, y = panel.boundary.getData()
    assert len(x) > 20
    outputs = np.sort(layers_of(session, np.column_stack([x, y])), axis=1)
    assert np.abs(outputs[:, -1] - outputs[:, -2]).max() < 0.05


def test_at_rest_the_map_is_finer_than_while_it_trains(qtbot, session, shown, monkeypatch):
    panel = shown(BoundaryPanel, 460, 460)
    asked = []
    monkeypatch.setattr(session, "set_grid", asked.append)
    panel.plot.zoom(0.9)
    qtbot.waitUntil(lambda: len(asked) > 0)
    request = asked[-1]
    assert request.resolution == 200 or request.finest > request.resolution
    assert request.at_rest(41).resolution == request.finest <= 400
    assert request.at_rest(100_000).resolution == request.resolution


def test_of_many_inputs_two_vary_and_the_others_stay_at_their_means(qtbot, session, shown):
    trained_on(qtbot, session, "tutorial", (3, 4, 1), "sum_squared_error")
    panel = shown(BoundaryPanel)
    assert panel.axes_choice.isVisible() and panel.note.text().startswith("3 inputs have no map")
    panel.axes_choice.across.setCurrentIndex(3)
    panel.axes_choice.across.activated.emit(3)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert panel.axes_choice.columns == (2, 0)
    assert (panel.plot.axes["bottom"].labelText, panel.plot.axes["left"].labelText) == ("x3", "x1")
    assert panel.note.text().startswith("x3 and x1 vary, the other inputs stay at their means.")
    raw = session.data.raw.X
    np.testing.assert_array_equal(np.column_stack(panel.points.getData()), raw[:, [2, 0]])
    columns = dict(panel.figure_data())
    places = np.column_stack([columns["x1"], np.full(len(columns["x1"]), raw[:, 1].mean()), columns["x3"]])
    np.testing.assert_allclose(columns["output"], layers_of(session, places)[:, 0], atol=1e-4)
    panel.axes_choice.up.setCurrentIndex(2)
    panel.axes_choice.up.activated.emit(2)
    assert panel.axes_choice.columns == (0, 2)  # one input cannot be both
    panel.axes_choice.across.setCurrentIndex(0)
    panel.axes_choice.across.activated.emit(0)
    qtbot.waitUntil(lambda: has_something(panel.outputs))


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


def seen_without_green(color):
    """How somebody without one kind of cone sees a colour: Machado et al. 2009, deuteranopia and protanopia."""
    channels = np.array(QColor(color).getRgbF()[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    deutan = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    protan = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    return [np.clip(np.array(matrix) @ linear, 0.0, 1.0) for matrix in (deutan, protan)]


def lab(linear):
    """CIE L*a*b* of linear sRGB under D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ratios = (np.array(to_xyz) @ linear) / [0.9505, 1.0, 1.089]
    f = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("palette", [class_colors, class_tints])
def test_the_first_three_classes_differ_for_colour_blind_people(colors, palette):
    for kind in (0, 1):
        seen = [lab(seen_without_green(color)[kind]) for color in palette(colors)[:3]]
        apart = [np.linalg.norm(seen[i] - seen[j]) for i in range(3) for j in range(i)]
        assert min(apart) > 20.0  # 2.3 can just be told apart
