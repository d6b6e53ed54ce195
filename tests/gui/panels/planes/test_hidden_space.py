"""The hidden space in the window: what is drawn is what the layer gives, at the moment that is viewed."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engine.experiment.assemble import make_model
from engine.network.hidden_space import PLANE
from gui.panels.planes.hidden_space import HiddenSpacePanel
from gui.theme import DARK

XOR = {
    "data": {"name": "xor", "n_samples": 4, "noise": 0.0},
    "network": {"layer_sizes": (2, 2, 1), "seed": 3},
    "training": {"loss": "mean_squared_error", "learning_rate": 0.5},
}


@pytest.fixture
def seen(qtbot, session, shown):
    """Makes the panel on some document, and waits for the picture of a layer."""

    def see(layer=1, **sections):
        assert session.edit("set up", **sections)
        panel = shown(HiddenSpacePanel, 400, 440)
        qtbot.waitUntil(lambda: session.shown is not None and panel.picture is not None)
        panel.choose_layer(layer)
        qtbot.waitUntil(lambda: panel.picture is not None and panel.picture.end.layer == layer)
        return panel

    session.train("step")
    return see


def layer_values(session, X, layer):
    """Layer by layer in numpy, from the parameters of the moment that is viewed."""
    model = make_model(session.document)
    matrices = model.shape.layer_matrices(session.shown.snapshot.parameters)
    for matrix in matrices[:layer]:
        X = np.tanh(X @ matrix[:, :-1].T + matrix[:, -1])
    return X


def train(qtbot, session, steps):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step >= steps)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state == "paused")


@pytest.mark.slow
def test_points_stand_where_the_layer_takes_them_and_half_way_in_between(qtbot, session, seen):
    panel = seen(1, **XOR)
    X = session.data.raw.X
    goal = layer_values(session, X, 1)
    np.testing.assert_allclose(np.column_stack(panel.points.train.getData()), goal, rtol=1e-12)
    panel.slider.setValue(50)
    np.testing.assert_allclose(np.column_stack(panel.points.train.getData()), (X + goal) / 2, rtol=1e-12)
    assert panel.plot.axes["bottom"].labelText == "x1 → L1N1"
    panel.slider.setValue(0)
    np.testing.assert_allclose(np.column_stack(panel.points.train.getData()), X, rtol=1e-12)
    assert panel.plot.axes["left"].labelText == "x2"


@pytest.mark.slow
def test_behind_the_hidden_layer_one_straight_line_parts_what_no_line_parts_in_the_plane(qtbot, session, seen):
    panel = seen(1, **XOR)
    train(qtbot, session, 1500)
    qtbot.waitUntil(lambda: panel.picture.step == session.newest.snapshot.step)
    assert session.newest.snapshot.accuracy == 1.0
    matrix = make_model(session.document).shape.layer_matrices(session.newest.snapshot.parameters)[1]
    x, y = panel.line.getData()
    assert len(x) > 20
    np.testing.assert_allclose(matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2], 0.5, atol=1e-9)
    bent = np.column_stack(panel.boundary.getData())
    left = bent @ matrix[0, :2] + matrix[0, 2] - 0.5
    assert np.abs(left).max() < 0.02  # the image of the curved line of the raw plane lies on the straight one
    assert len(panel.points.wrong.getData()[0]) == 0
    assert "straight line" in panel.note.text()


@pytest.mark.slow
def test_the_moment_that_is_viewed_is_drawn(qtbot, session, seen):
    panel = seen(1, **XOR)
    train(qtbot, session, 20)
    session.training.view_step(5)
    qtbot.waitUntil(lambda: panel.picture.step == 5)
    np.testing.assert_allclose(
        np.column_stack(panel.points.train.getData()), layer_values(session, session.data.raw.X, 1), rtol=1e-12
    )
    assert panel.caption == "step 5"


@pytest.mark.slow
def test_a_wide_layer_offers_its_components_and_its_neurons(qtbot, session, seen):
    panel = seen(1, network={"layer_sizes": (2, 5, 1)})
    assert panel.axes[0].isVisible()
    assert [panel.axes[0].itemText(index) for index in range(6)] == ["PC1", "L1N1", "L1N2", "L1N3", "L1N4", "L1N5"]
    assert panel.plot.axes["bottom"].labelText.startswith("PC1 (")
    panel.axes[0].setCurrentIndex(4)
    panel.axes[0].activated.emit(4)
    qtbot.waitUntil(lambda: panel.picture.end.names[0] == "L1N4")
    across, _ = panel.points.train.getData()
    np.testing.assert_allclose(across, layer_values(session, session.data.raw.X, 1)[:, 3], rtol=1e-12)
    panel.axes[1].setCurrentIndex(4)
    panel.axes[1].activated.emit(4)
    qtbot.waitUntil(lambda: "two different ones" in panel.note.text())


@pytest.mark.slow
def test_features_are_a_stage_of_their_own(qtbot, session, seen):
    features = ("x1^2", "x2^2")
    panel = seen(0, data={"name": "circles", "features": features}, network={"layer_sizes": (2, 1)})
    np.testing.assert_allclose(np.column_stack(panel.points.train.getData()), session.data.raw.X**2)
    assert panel.plot.axes["bottom"].labelText == "x1²"
    x, y = panel.line.getData()  # one line in x1², x2²: circles without a hidden layer
    matrix = make_model(session.document).shape.layer_matrices(session.shown.snapshot.parameters)[0]
    np.testing.assert_allclose(matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2], 0.0, atol=1e-9)


@pytest.mark.slow
def test_a_layer_of_one_neuron_is_drawn_against_the_targets(session, seen):
    panel = seen(2, **XOR)
    _, up = panel.points.train.getData()
    assert up.tolist() == session.data.raw.y.tolist()
    assert (panel.plot.axes["bottom"].labelText, panel.plot.axes["left"].labelText) == ("L2N1", "target")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sizes"), [("curve", (1, 3, 1)), ("surface", (2, 2, 1)), ("tutorial", (3, 4, 1))])
def test_numbers_to_predict_and_other_numbers_of_inputs_are_drawn(session, seen, name, sizes):
    panel = seen(1, data={"name": name}, network={"layer_sizes": sizes}, training={"loss": "mean_squared_error"})
    assert len(panel.points.train.getData()[0]) == session.data.raw.n_samples
    panel.set_colors(DARK)
    panel.choose_layer(PLANE)
    assert not panel.grab().isNull()


@pytest.mark.slow
def test_a_choice_in_a_panel_that_has_not_seen_other_data_is_about_the_other_data(qtbot, session, seen):
    """The points of the data before were put through the network of the new ones: an exception in the thread."""
    panel = seen(1, **XOR)
    panel.hide()
    session.edit("data", data={"name": "tutorial"}, network={"layer_sizes": (3, 4, 1)})
    panel.choose_layer(PLANE)
    qtbot.waitUntil(lambda: panel.picture is not None)
    np.testing.assert_array_equal(dict(panel.figure_data())["sample x3"], session.data.raw.X[:, 2])


@pytest.mark.slow
def test_the_data_of_the_figure_are_raw_inputs_coordinates_and_targets(session, seen):
    columns = dict(seen(1, **XOR).figure_data())
    goal = layer_values(session, session.data.raw.X, 1)
    np.testing.assert_array_equal(columns["sample x1"], session.data.raw.X[:, 0])
    np.testing.assert_allclose(columns["sample L1N2"], goal[:, 1], rtol=1e-12)
    assert columns["target"].tolist() == session.data.raw.y.tolist()


@pytest.mark.slow
def test_outputs_that_are_no_numbers_are_said_and_other_data_are_drawn_again(qtbot, session, seen, report):
    panel = seen(1, **XOR)
    snapshot = session.newest.snapshot
    report(snapshot=type(snapshot)(**{**vars(snapshot), "parameters": snapshot.parameters * np.nan}))
    qtbot.waitUntil(lambda: "not finite" in panel.note.text())
    session.edit("data", data={"name": "moons"}, network={"layer_sizes": (2, 3, 3, 1)})
    session.train("step")
    qtbot.waitUntil(lambda: panel.picture is not None)
    qtbot.mouseClick(panel.layers.group.button(3), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.picture.end.layer == 2)


@pytest.mark.slow
def test_of_large_data_it_says_that_a_sample_is_drawn(seen):
    panel = seen(data={"name": "moons", "n_samples": 5000})
    assert "2,000 of 5,000 points drawn" in panel.note.text()
    assert len(panel.points.train.data) == 2000
