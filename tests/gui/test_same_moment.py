"""One moment everywhere: whatever is viewed, canvas, tables, plots, drawing and history agree to the last digit.

What the window shows is compared with a network of its own that is put to the moment's parameters, and computed as
scalar Values.
"""

import random

import numpy as np
import pytest

from engine.autograd import Value
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model
from engine.network.run.progress import RunState
from gui.number_texts import reading_text
from tests.gui.training import LONG, train

SAMPLE = 3
TABLES = ("PredictionsPanel",)


@pytest.fixture
def window(make_window):
    """On moons with a few weights, the network of one sample on the canvas, every panel made."""
    document = replace_section(Document(), "network", layer_sizes=(2, 3, 1), activations=("tanh",))
    document = replace_section(document, "data", n_samples=12)
    window = make_window(replace_section(document, "view", shows="network", sample=SAMPLE))
    window.show_workspace("both")
    return window


def panel(window, name):
    found = window.docks[name].panel
    found.catch_up()
    return found


def columns(window, name):
    return dict(panel(window, name).figure_data())


def everything(window, qtbot):
    """Compares all that is shown with the step that is viewed."""
    session = window.session
    for name in TABLES:
        window.docks[name].show()
        window.docks[name].raise_()
        qtbot.waitUntil(lambda name=name: panel(window, name).step == session.shown.snapshot.step, timeout=LONG)
    qtbot.waitUntil(lambda: not session.presenter.busy, timeout=LONG)
    model = make_model(session.document)
    model.weights = session.shown.snapshot.parameters
    outputs = outputs_of(model, session.dataset.X)
    compare_canvas(window, model, outputs)
    compare_table(window, outputs)
    compare_boundary(window, model)
    compare_loss(window, outputs)
    compare_words(window)


def outputs_of(model, X):
    """Row by row, as scalar Values."""
    return [model([Value(x) for x in row]).data for row in X.tolist()]


def compare_canvas(window, model, outputs):
    """The parameters and the output of the sample on the canvas; the parameters of the drawn network."""
    session, moment = window.session, window.session.shown.snapshot
    sample, parameters = session.presenter.sample, moment.parameters.tolist()
    assert [value.data for value in sample.parameters] == parameters
    on_canvas = outputs[SAMPLE]
    phase = session.presenter.phase
    if phase is not None and phase.name == "update":  # the pass it was computed from, until there is another one
        model.weights = session.shown.update.before
        (on_canvas,) = outputs_of(model, session.dataset.X[[SAMPLE]])
        model.weights = moment.parameters
    assert on_canvas in [value.data for value in sample.values]
    assert list(columns(window, "NetworkPanel")["value"]) == parameters


def compare_table(window, outputs):
    table = panel(window, "PredictionsPanel").table
    shown = [table.data(table.index(row, table.columnCount() - 2)) for row in range(table.rowCount())]
    assert [float(text.replace("−", "-")) for text in shown] == [round(output, 4) for output in outputs]
    np.testing.assert_allclose(window.session.shown.outputs[:, 0], outputs, rtol=1e-12, atol=1e-15)


def compare_boundary(window, model):
    """Two opposite corners of the map, where there is one."""
    session, boundary = window.session, columns(window, "BoundaryPanel")
    if session.shown.grid is not None:
        for place in (0, -1):
            corner = np.array([[float(boundary[name][place]) for name in session.dataset.feature_names]])
            assert [boundary["output"][place]] == pytest.approx(outputs_of(model, corner), rel=1e-5, abs=1e-6)


def compare_loss(window, outputs):
    """The point of the curve, the loss that is reported and the one of these outputs."""
    curve, moment = columns(window, "TrainingPanel"), window.session.shown.snapshot
    at = dict(zip(np.asarray(curve["step"]).tolist(), np.asarray(curve["train loss"]).tolist(), strict=True))
    assert at[moment.step] == pytest.approx(moment.loss, rel=1e-12)
    loss = np.mean((np.array(outputs) - encoded(window.session)) ** 2)
    assert moment.loss == pytest.approx(loss, rel=1e-12)


def compare_words(window):
    """Step and loss in the history bar and in the line above the graph."""
    session, moment = window.session, window.session.shown.snapshot
    words, last = window.history.words.text(), session.newest.snapshot.step
    assert f"step {moment.step:,}" in words and words.endswith(f"loss {reading_text(moment.loss)}")
    past = session.training.viewed_step is not None
    assert window.history.slider.value() == moment.step and (f"of {last:,}" in words) == past
    assert reading_text(moment.loss) in window.main_bar.readout.text()


def encoded(session):
    """Targets of squared error for two classes."""
    return 2.0 * session.dataset.y - 1.0 if set(session.dataset.y.tolist()) == {0, 1} else session.dataset.y


def view(session, qtbot, step):
    session.training.view_step(step)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == step, timeout=LONG)


def test_every_step_of_the_history_is_the_same_moment_everywhere(window, qtbot):
    session = window.session
    session.training.set_control(None, 30)
    session.train("steps")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 30, timeout=LONG)
    everything(window, qtbot)
    for step in (29, 0, 17, 1):
        view(session, qtbot, step)
        everything(window, qtbot)
    session.training.view_step(None)
    qtbot.waitUntil(lambda: session.shown is session.newest, timeout=LONG)
    everything(window, qtbot)
    view(session, qtbot, 12)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 12, timeout=LONG)
    everything(window, qtbot)


def test_every_phase_of_a_step_is_the_same_moment_everywhere(window, qtbot):
    session = window.session
    train(session, qtbot, "step")
    for _phase in ("forward", "loss", "zero_grad", "backward", "update", "forward"):
        train(session, qtbot, "phase")
        everything(window, qtbot)


@pytest.mark.long
def test_a_run_that_is_paused_anywhere_is_the_same_moment_everywhere(window, qtbot):
    session, luck = window.session, random.Random(11)
    for _ in range(3):
        before = 0 if session.newest is None else session.newest.snapshot.step
        goal = before + luck.randint(1, 400)
        session.run()
        qtbot.waitUntil(lambda goal=goal: session.newest is not None and session.newest.snapshot.step >= goal)
        session.pause()
        qtbot.waitUntil(
            lambda: session.run_state is RunState.PAUSED and not session.training.runner.unanswered, timeout=LONG
        )
        everything(window, qtbot)


def test_while_it_trains_tool_bar_and_captions_have_the_figures_of_one_moment(make_window, qtbot):
    window = make_window(size=(1200, 800), workspace="train")
    session, seen = window.session, []
    panels = [window.docks[name].panel for name in ("TrainingPanel", "BoundaryPanel")]
    qtbot.waitUntil(lambda: all(panel.is_seen for panel in panels))
    for panel in panels:
        panel.rest_seconds = panel.full_speed_rest_seconds = 60.0  # the plots wait
    session.run()

    def compare(change):
        if "moment" in change and session.run_state is RunState.RUNNING and session.shown.snapshot.step:
            moment = session.shown.snapshot
            loss, percent = reading_text(moment.loss), f"{100 * moment.accuracy:.4g} %"
            assert loss in window.main_bar.readout.text() and loss in panels[0].caption
            assert percent in panels[1].caption
            seen.append(moment.step)

    session.changed.connect(compare)
    qtbot.waitUntil(lambda: len(seen) > 5, timeout=LONG)
    session.pause()


def test_steps_asked_for_three_times_while_they_are_made_add_up(make_window, qtbot):
    window = make_window(workspace="train")
    session = window.session
    session.training.set_control(60.0, 20)
    for _ in range(3):
        window.action("steps").trigger()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "paused", timeout=LONG)
    assert session.newest.snapshot.step == 60


def test_going_on_after_a_divergence_is_said(make_window, qtbot):
    window = make_window(workspace="train")
    session = window.session
    session.training.set_control(None, 5)
    train(session, qtbot, "step")
    session.edit("learning rate", training={"learning_rate": 1e9})
    session.run()
    qtbot.waitUntil(lambda: session.newest.state == "failed", timeout=LONG)
    session.edit("learning rate", training={"learning_rate": 0.01})
    window.action("steps").trigger()
    qtbot.waitUntil(lambda: session.newest.state == "paused", timeout=LONG)
    assert "diverged" in window.message.message and "goes on from step 1" in window.message.message
