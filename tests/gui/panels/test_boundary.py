import numpy as np
import pytest

from datasets import DATASETS
from gui.panels.boundary import BoundaryPanel, class_map, fitted_bounds
from gui.theme import DARK, LIGHT


def has_something(item):
    if hasattr(item, "image"):
        return item.image is not None
    x, _ = item.getData()
    return x is not None and len(x) > 0


def test_the_untrained_boundary_is_shown_before_any_step(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert session.progress.snapshot.step == 0
    assert panel.caption.startswith("accuracy")


def test_training_changes_the_picture(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    before = panel.image.image.copy()
    session.train("step")
    qtbot.waitUntil(lambda: session.progress.snapshot.step == 1 and not np.array_equal(panel.image.image, before))


def test_the_image_covers_what_is_seen_and_more_than_the_points(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    rect = panel.image.mapRectToParent(panel.image.boundingRect())
    X = session.dataset.X
    assert rect.left() < X[:, 0].min() and rect.right() > X[:, 0].max()
    assert rect.top() < X[:, 1].min() and rect.bottom() > X[:, 1].max()
    (left, right), (bottom, top) = panel.plot.getPlotItem().getViewBox().viewRange()
    qtbot.waitUntil(lambda: session.progress.grid_bounds == panel._bounds)
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


@pytest.mark.parametrize("name", list(DATASETS))
def test_every_data_set_has_a_picture(qtbot, session, shown, name):
    panel = shown(BoundaryPanel)
    entry = DATASETS[name]
    session.edit("data", data={"name": name, "n_samples": entry.n_samples, "noise": entry.noise})
    session.train("step")
    item = {1: panel.curve, 2: panel.image}.get(entry.n_features, panel.outputs)
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.snapshot.step == 1)
    qtbot.waitUntil(lambda: has_something(item))
    assert not panel.grab().isNull()
    assert panel.note.isVisible() == (entry.n_features > 2)
    panel.set_colors(DARK)
    panel.set_colors(LIGHT)


def test_a_new_data_set_while_it_trains_starts_a_new_run(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    session.run()
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.snapshot.step > 0)
    old = session.progress.run
    session.edit("data", data={"name": "circles"})
    assert session.progress is None
    assert panel.caption == ""
    qtbot.waitUntil(lambda: session.progress is not None)
    assert session.progress.run == old + 1
    assert session.progress.snapshot.step == 0


def test_hidden_it_wants_no_grid(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.hide()
    session.train("step")
    qtbot.waitUntil(lambda: session.progress.snapshot.step == 1)
    assert session.progress.grid is None


def test_numbers_that_are_none_do_not_disturb_the_picture(qtbot, session, shown):
    shown(BoundaryPanel)
    session.edit("rate", training={"learning_rate": 1e9, "optimizer": "momentum"}, network={"layer_sizes": (2, 1)})
    told = []
    session.told.connect(lambda text, kind: told.append((text, kind)))
    session.run()
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.state == "failed")
    assert session.run_state == "paused"
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
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.snapshot.step > 0)
    session.close()
