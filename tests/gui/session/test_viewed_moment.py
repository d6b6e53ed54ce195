"""A past step of the run is viewed by everything that shows a moment; the run itself stays as it is."""

import numpy as np
import pytest

from engine.experiment.assemble import make_model
from engine.views.shown_walk import ALL
from gui.session.edits import MOST_PASTS
from tests.gui.training import train

LONG = 20_000


@pytest.fixture
def trained(session, qtbot):
    """A session after five steps, with the network on the canvas, and the parameters of every step."""
    session.set_view(shows="network")
    train(session, qtbot, "step")
    parameters = {0: np.array(make_model(session.document).weights), 1: session.newest.snapshot.parameters}
    for step in range(2, 6):
        train(session, qtbot, "step")
        parameters[step] = session.newest.snapshot.parameters
    return session, parameters


def view(session, qtbot, step):
    session.training.view_step(step)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == step, timeout=LONG)


def view_newest(session, qtbot):
    session.training.view_step(None)
    qtbot.waitUntil(lambda: session.shown is session.newest and session.training.viewed_step is None, timeout=LONG)


def numbers(session):
    sample = session.presenter.sample
    return (
        [sample.numbers(value) for value in sample.parameters],
        dict(session.presenter.readings),
        session.presenter.words(),
    )


@pytest.mark.slow
def test_canvas_and_figures_show_the_step_that_is_viewed(trained, qtbot):
    session, parameters = trained
    for step in (2, 4, 0, 3):
        view(session, qtbot, step)
        assert (session.training.viewed_step, session.presenter.phase, session.presenter.position) == (step, None, ALL)
        assert np.array_equal(session.shown.snapshot.parameters, parameters[step])
        assert [value.data for value in session.presenter.sample.parameters] == parameters[step].tolist()
        assert session.shown.update.before.tolist() == parameters[step].tolist()


@pytest.mark.slow
def test_viewing_changes_nothing_of_the_run_or_the_file(trained, qtbot, tmp_path):
    session, parameters = trained
    assert session.save(tmp_path / "a.gradstep")
    before, document, count = session.trained_so_far, session.current_document(), len(session.undo_stack.steps)
    view(session, qtbot, 2)
    assert not session.modified and session.trained_so_far == before and session.current_document() == document
    assert session.newest.snapshot.step == 5 and len(session.undo_stack.steps) == count
    assert np.array_equal(session.newest.snapshot.parameters, parameters[5])


@pytest.mark.slow
def test_going_back_to_the_newest_is_exact_also_within_a_step(trained, qtbot):
    session, _ = trained
    for _phase in ("forward", "loss", "zero_grad", "backward", "update"):
        train(session, qtbot, "phase")
        before = numbers(session)
        assert session.presenter.phase.name == session.newest.phase.name
        view(session, qtbot, 1)
        assert session.presenter.phase is None and numbers(session) != before
        view_newest(session, qtbot)
        assert numbers(session) == before


@pytest.mark.slow
def test_a_running_run_goes_on_while_a_past_step_is_viewed(trained, qtbot):
    session, parameters = trained
    session.run()
    view(session, qtbot, 3)
    step = session.newest.snapshot.step
    qtbot.waitUntil(lambda: session.newest.snapshot.step > step + 20, timeout=LONG)
    assert session.shown.snapshot.step == 3 and np.array_equal(session.shown.snapshot.parameters, parameters[3])
    assert [value.data for value in session.presenter.sample.parameters] == parameters[3].tolist()
    session.pause()


@pytest.mark.slow
def test_a_walk_over_a_past_step_is_not_ended_by_the_reports_of_the_run(trained, qtbot):
    session, _ = trained
    session.run()
    view(session, qtbot, 3)
    session.presenter.set_position(4)
    step = session.newest.snapshot.step
    qtbot.waitUntil(lambda: session.newest.snapshot.step > step + 20, timeout=LONG)
    assert (session.training.viewed_step, session.presenter.phase, session.presenter.position) == (3, None, 4)
    session.pause()


@pytest.mark.slow
def test_going_on_from_a_past_step_forgets_what_came_later_and_undo_brings_it_back(trained, qtbot):
    session, parameters = trained
    view(session, qtbot, 2)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2, timeout=LONG)
    assert session.training.viewed_step is None and list(session.newest.steps) == [0, 1, 2]
    assert "step 2" in session.undo_stack.undo_label and session.modified
    train(session, qtbot, "step")
    assert np.array_equal(session.newest.snapshot.parameters, parameters[3])
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 5
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 5, timeout=LONG)
    assert np.array_equal(session.newest.snapshot.parameters, parameters[5])
    session.undo_stack.redo_edit()
    assert session.trained_so_far.step == 3


def steps(session, qtbot):
    """Those that can be viewed, when the run has reported."""
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == session.trained_so_far.step)
    return session.newest.steps


ENDS_OF_A_RUN = {
    "reset": lambda session: session.reset(),
    "other sizes": lambda session: session.edit("sizes", network={"layer_sizes": (2, 3, 1)}),
    "other data": lambda session: session.edit("data", data={"n_samples": 12}),
}


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS_OF_A_RUN.values(), ids=ENDS_OF_A_RUN)
def test_undo_brings_the_past_of_a_run_back_and_redo_that_of_the_later_one(trained, qtbot, end):
    session, parameters = trained
    end(session)
    first = session.trained_so_far.step  # other sizes and other data keep the weights and the step
    train(session, qtbot, "step")
    train(session, qtbot, "step")
    assert session.newest.steps == range(first, first + 3)
    later = session.newest.snapshot.parameters
    for _ in range(2):
        session.undo_stack.undo_edit()
        assert steps(session, qtbot) == range(6)
        for step in (3, 0, 5):
            view(session, qtbot, step)
            assert np.array_equal(session.shown.snapshot.parameters, parameters[step])
        session.undo_stack.redo_edit()
        assert steps(session, qtbot) == range(first, first + 3)
        view(session, qtbot, first + 2)
        assert np.array_equal(session.shown.snapshot.parameters, later)
        view(session, qtbot, first + 1)


@pytest.mark.slow
def test_undo_of_going_on_from_a_past_step_brings_the_steps_after_it_back(trained, qtbot):
    session, parameters = trained
    session.edit("rate", training={"learning_rate": 0.3})
    view(session, qtbot, 2)
    session.continue_here()
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: session.newest.steps == range(4))
    session.undo_stack.undo_edit()
    assert steps(session, qtbot) == range(6)
    view(session, qtbot, 4)
    assert np.array_equal(session.shown.snapshot.parameters, parameters[4])
    assert session.newest.settings_at(4).learning_rate == 0.05
    assert session.newest.settings_at(5).learning_rate == 0.3


@pytest.mark.slow
def test_another_loss_keeps_the_past(trained, qtbot):
    session, parameters = trained
    before = session.document.training.loss
    session.edit("loss", training={"loss": "hinge"})
    assert steps(session, qtbot) == range(6)
    view(session, qtbot, 4)
    assert np.array_equal(session.shown.snapshot.parameters, parameters[4])
    assert session.shown.snapshot.settings.loss == before


@pytest.mark.slow
def test_only_the_nearest_undo_steps_keep_a_past(trained, qtbot):
    session, _ = trained
    for _ in range(MOST_PASTS):
        session.reset()
        train(session, qtbot, "step")
    session.reset()
    for _ in range(MOST_PASTS):
        session.undo_stack.undo_edit()
        assert steps(session, qtbot) == range(2)
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 5
    assert steps(session, qtbot) == range(5, 6)


@pytest.mark.slow
def test_going_on_where_nothing_past_is_viewed_does_nothing(trained):
    session, _ = trained
    count = len(session.undo_stack.steps)
    session.continue_here()
    assert len(session.undo_stack.steps) == count and session.newest.snapshot.step == 5


@pytest.mark.slow
def test_a_step_is_seen_when_it_is_asked_for(trained, qtbot):
    session, _ = trained
    view(session, qtbot, 2)
    train(session, qtbot, "step")
    assert session.training.viewed_step is None and session.shown.snapshot.step == 6


@pytest.mark.slow
def test_a_step_that_the_run_has_not_is_refused_and_the_newest_stays(trained, qtbot):
    session, _ = trained
    said = []
    session.message_posted.connect(lambda text, kind: said.append(text))
    session.training.view_step(1_000)
    qtbot.waitUntil(lambda: bool(said), timeout=LONG)
    assert "from 0 to 5" in said[0] and session.training.viewed_step is None and session.shown is session.newest


@pytest.mark.slow
def test_another_network_begins_with_its_newest_step(trained, qtbot):
    session, _ = trained
    view(session, qtbot, 2)
    session.edit("sizes", network={"layer_sizes": (2, 3, 1)})
    assert session.training.viewed_step is None and session.newest is session.shown is None
