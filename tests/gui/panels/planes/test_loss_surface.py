"""The loss surface in the window: what is drawn is the loss of networks with those parameters."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.autograd import Value
from engine.experiment import loss_picture
from engine.experiment.assemble import make_model
from engine.experiment.loss_picture import FEWEST, resolution_for
from engine.network import LOSSES, Penalty, array_objective, encode
from gui.number_texts import reading_text
from gui.panels.planes.loss_surface import LossSurfacePanel
from gui.theme import DARK


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    monkeypatch.setattr(loss_picture, "MOST", 31)


@pytest.fixture
def seen(qtbot, session, shown):
    """Trains some steps, makes the panel, and waits for the whole slice of a kind."""

    def see(kind="random", steps=20, **sections):
        assert session.edit("set up", **{"network": {"layer_sizes": (2, 3, 1)}, **sections})
        session.run()
        qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step >= steps)
        session.pause()
        qtbot.waitUntil(lambda: session.run_state == "paused")
        panel = shown(LossSurfacePanel, 400, 440)
        choose(qtbot, panel, kind)
        return panel

    return see


def choose(qtbot, panel, kind):
    index = panel.kind.findData(kind)
    panel.kind.setCurrentIndex(index)
    panel.kind.activated.emit(index)
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.choice.kind == kind)


def is_whole(panel):
    return panel.picture is not None and panel.picture.surface.share == 1.0 and panel.button.text() != "Cancel"


def loss_at(session, parameters):
    """By way of the array graph, with the penalties."""
    document = session.document
    model = make_model(document)
    model.weights = parameters
    loss, data = LOSSES[document.training.loss], session.data.train
    targets = encode(loss, data.y, document.network.layer_sizes[-1]).values
    root = array_objective(model, loss, data.X, targets, Penalty(document.training.l1, document.training.l2))
    assert isinstance(root, Value)
    return float(root.data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["path", "random", "parameters"])
@pytest.mark.parametrize("loss", ["hinge", "binary_cross_entropy"])
def test_the_loss_at_the_viewed_step_is_the_one_that_is_shown_everywhere(qtbot, session, seen, kind, loss):
    panel = seen(kind, training={"loss": loss, "l2": 0.01, "l1": 0.001}, data={"features": ("x1", "x2^2")})
    snapshot, picture = session.shown.snapshot, panel.picture
    assert picture.centre_loss == pytest.approx(snapshot.objective, rel=1e-13)
    assert (
        f"Slice at step {snapshot.step:,}: loss plus penalty {reading_text(snapshot.objective)} there."
        in panel.note.text()
    )
    surface = picture.surface
    for row, column in ((0, 0), (3, 7), (len(surface.b) - 1, 2)):
        a, b = surface.a[column], surface.b[row]
        wanted = loss_at(session, surface.plane.points(np.array([a]), np.array([b]))[0])
        assert surface.losses[row, column] == pytest.approx(wanted, rel=1e-12)
    if kind != "path":
        middle = len(surface.a) // 2
        assert surface.losses[middle, middle] == pytest.approx(snapshot.objective, rel=1e-12)


@pytest.mark.slow
def test_the_path_begins_at_the_first_weights_and_ends_where_the_run_stands(session, seen):
    panel = seen("path")
    plane, picture = panel.picture.surface.plane, panel.picture
    across, up = panel.path.getData()
    first = make_model(session.document).weights
    np.testing.assert_allclose([across[0], up[0]], plane.coordinates(first)[0], atol=1e-12)
    np.testing.assert_allclose([across[-1], up[-1]], picture.centre, atol=1e-12)
    assert picture.path_steps[0] == 0 and picture.path_steps[-1] == session.newest.snapshot.step
    assert len(across) > 10 and across[0] < across[-1]
    assert plane.names[0].startswith("path direction 1 (")


@pytest.mark.slow
def test_the_step_that_is_viewed_is_marked_and_the_slice_stays(qtbot, session, seen):
    panel = seen("random")
    before = panel.picture
    session.training.view_step(3)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 3)
    qtbot.waitUntil(
        lambda: np.allclose(
            np.ravel(panel.here.getData()), before.surface.plane.coordinates(session.shown.snapshot.parameters)[0]
        )
    )
    assert panel.picture is before


@pytest.mark.slow
def test_a_run_that_goes_on_has_its_slice_computed_anew_when_it_rests(qtbot, session, seen):
    panel = seen("random")
    before = panel.picture.step
    session.train("step")
    qtbot.waitUntil(lambda: panel.picture.step == before + 1 and is_whole(panel))
    session.edit("penalty", training={"l2": 0.5})
    session.train("step")
    qtbot.waitUntil(lambda: panel.picture.step == before + 2 and is_whole(panel))
    assert panel.picture.centre_loss == pytest.approx(session.newest.snapshot.objective, rel=1e-13)


@pytest.mark.slow
def test_the_axes_of_two_parameters_are_their_numbers_and_the_pointer_reads_them(qtbot, session, seen):
    panel = seen("parameters")
    names = [parameter.label for parameter in make_model(session.document).parameters()]
    for box, name in zip(panel.parameters, ("L1N2.w1", "L2N1.b"), strict=True):
        box.setCurrentText(name)
        box.setCurrentIndex(names.index(name))
        box.activated.emit(names.index(name))
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.surface.plane.names == ("L1N2.w1", "L2N1.b"))
    surface, snapshot = panel.picture.surface, session.shown.snapshot
    indices = [names.index(name) for name in surface.plane.names]
    np.testing.assert_allclose(np.ravel(panel.here.getData()), snapshot.parameters[indices], rtol=1e-12)
    assert panel.plot.axes["bottom"].labelText == "L1N2.w1"
    parameters = snapshot.parameters.copy()
    parameters[indices] = surface.a[3], surface.b[5]
    panel.pointer.moved.emit(QPointF(surface.a[3], surface.b[5]))
    texts = [reading_text(number) for number in (surface.a[3], surface.b[5], loss_at(session, parameters))]
    assert panel.note.text() == "L1N2.w1 {}, L2N1.b {}: loss {}".format(*texts)
    panel.pointer.left.emit()
    assert panel.note.text().startswith("Slice at step")


@pytest.mark.slow
def test_the_axes_are_never_the_same_parameter(qtbot, session, seen):
    panel = seen("parameters")
    across, up = panel.parameters
    across.setCurrentIndex(1)
    across.activated.emit(1)
    assert (across.currentIndex(), up.currentIndex()) == panel.choice.parameters == (1, 0)
    across.setCurrentIndex(9)
    across.activated.emit(9)
    session.edit("network", network={"layer_sizes": (2, 1)})  # of three parameters
    assert panel.choice.parameters == (0, 1)
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.surface.plane.centre.shape == (3,))


@pytest.mark.slow
def test_before_any_step_random_directions_are_drawn_and_said_to_be(qtbot, session, shown):
    session.train("phase")
    qtbot.waitUntil(lambda: session.newest is not None)
    panel = shown(LossSurfacePanel, 400, 440)
    qtbot.waitUntil(lambda: is_whole(panel))
    assert panel.picture.choice.kind == "random"
    assert "these are random ones" in panel.note.text()


@pytest.mark.slow
def test_what_is_under_way_can_be_cancelled_and_other_directions_drawn(qtbot, session, seen, monkeypatch):
    panel = seen("random")
    before = panel.picture
    panel.other.click()
    assert panel.button.text() == "Cancel" and panel.progress.isVisible()
    panel.button.click()
    qtbot.waitUntil(lambda: panel.button.text() == "Compute")
    assert panel.picture is before and not panel.progress.isVisible()
    panel.button.click()
    qtbot.waitUntil(lambda: panel.picture is not before and is_whole(panel))
    assert not np.array_equal(panel.picture.surface.plane.directions, before.surface.plane.directions)
    panel.span.setText("0.5")
    panel.span.textEdited.emit("0.5")
    qtbot.waitUntil(lambda: panel.picture.surface.a[-1] == 0.5)


@pytest.mark.slow
def test_another_network_has_a_slice_of_its_own(qtbot, session, seen):
    panel = seen("random")
    session.edit("network", network={"layer_sizes": (2, 2, 2, 1)})
    session.train("step")
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.surface.plane.centre.shape == (15,))
    panel.set_colors(DARK)
    assert not panel.grab().isNull()


@pytest.mark.slow
def test_the_data_of_the_figure_are_the_grid_with_its_losses_and_the_path(seen):
    panel = seen("path")
    columns, surface = dict(panel.figure_data()), panel.picture.surface
    names = surface.plane.names
    n = len(surface.a)
    assert columns["loss"][n + 2] == surface.losses[1, 2]
    assert (columns[names[0]][n + 2], columns[names[1]][n + 2]) == (surface.a[2], surface.b[1])
    assert len(columns["step"]) == len(columns[f"path {names[0]}"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "parameters", "path"])
def test_a_span_that_no_number_has_room_for_is_refused_in_words(qtbot, seen, kind, caplog):
    panel = seen(kind)
    for text in ("1e308", "1e-300"):
        panel.span.setText(text)
        panel.span.textEdited.emit(text)
        qtbot.waitUntil(lambda: "span must be between" in panel.note.text())
    panel.span.setText("2")
    panel.span.textEdited.emit("2")
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.choice.span == 2.0)
    assert "span must be" not in panel.note.text()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.slow
def test_colours_follow_the_logarithm_of_losses_far_apart_and_the_levels_lie_on_their_lines(qtbot, session, seen):
    panel = seen("random", training={"loss": "mean_squared_error"})
    panel.span.setText("8")
    panel.span.textEdited.emit("8")
    qtbot.waitUntil(lambda: is_whole(panel) and panel.picture.choice.span == 8.0)
    picture = panel.picture
    assert picture.logarithmic and "by its logarithm" in panel.scale.toolTip()
    ratios = np.array(picture.levels[1:]) / np.array(picture.levels[:-1])
    np.testing.assert_allclose(ratios, ratios[0])
    x, y = picture.lines
    lost = np.array([loss_at(session, point) for point in picture.surface.plane.points(x[::40], y[::40])])
    nearest = np.abs(np.log(lost[:, None] / np.array(picture.levels))).min(axis=1)
    assert np.median(nearest) < 0.1


def test_a_large_network_has_a_coarser_slice():
    assert resolution_for(100 * 41) == loss_picture.MOST
    assert resolution_for(1e9) == FEWEST
    assert resolution_for(1e6) % 2 == 1


def test_two_parameters_can_be_chosen_before_the_panel_has_shown_anything(qtbot, session):
    panel = LossSurfacePanel(session)
    qtbot.addWidget(panel)
    session.train("step")
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.snapshot.step == 1)
    choose(qtbot, panel, "parameters")
    assert panel.picture.choice.parameters == (0, 1)


@pytest.mark.slow
def test_a_parameter_that_another_network_does_not_have_is_not_asked_for(qtbot, session, seen):
    panel = seen("parameters")
    panel.hide()
    assert session.edit("shrink", network={"layer_sizes": (2, 1, 1)})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state == "paused")
    last = panel.parameters[0].count() - 1
    panel.parameters[0].setCurrentIndex(last)
    panel.parameters[0].activated.emit(last)  # as in a panel that is in the middle of being put elsewhere
    qtbot.waitUntil(lambda: is_whole(panel))
    assert len(panel.picture.surface.plane.centre) == len(session.shown.snapshot.parameters) == 5
    assert max(panel.picture.choice.parameters) < 5
