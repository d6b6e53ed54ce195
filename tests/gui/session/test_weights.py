"""A weight that is changed by hand: at the moment that is viewed, undoable, while running too."""

import numpy as np
import pytest

from gui.session.training_edits import set_parameter, shown_parameters


def train(session, qtbot, steps):
    for _ in range(steps):
        session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == steps)


@pytest.mark.slow
def test_a_first_weight_is_changed_and_training_starts_from_it(session, qtbot):
    first = np.array(shown_parameters(session))
    assert set_parameter(session, 3, 0.25, "L1N2.w1")
    changed = shown_parameters(session)
    assert changed[3] == 0.25 and np.array_equal(np.delete(changed, 3), np.delete(first, 3))
    assert session.undo_stack.undo_label == "L1N2.w1" and session.modified
    train(session, qtbot, 1)
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 1)
    session.undo_stack.undo_edit()
    assert np.array_equal(shown_parameters(session), first)
    session.undo_stack.redo_edit()
    qtbot.waitUntil(lambda: session.shown is not None and session.shown.snapshot.step == 1)
    session.undo_stack.undo_edit()


def test_a_trained_weight_is_changed_and_step_curve_and_memory_stay(session, qtbot):
    session.edit("adam", training={"optimizer": "adam"})
    train(session, qtbot, 4)
    before = session.trained_so_far
    assert set_parameter(session, 0, -2.0, "L1N1.w1")
    after = session.trained_so_far
    assert (after.step, after.curve, after.optimizer_state) == (before.step, before.curve, before.optimizer_state)
    assert after.parameters.array[0] == -2.0
    session.undo_stack.undo_edit()
    assert session.trained_so_far == before


@pytest.mark.slow
def test_a_weight_of_a_past_step_is_changed_there_and_undo_brings_the_later_steps_back(session, qtbot):
    train(session, qtbot, 5)
    newest = session.trained_so_far
    session.training.view_step(2)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 2)
    past = np.array(shown_parameters(session))
    assert set_parameter(session, 1, 3.0, "L1N1.w2")
    assert session.trained_so_far.step == 2 and session.training.viewed_step is None
    assert np.array_equal(np.delete(session.trained_so_far.parameters.array, 1), np.delete(past, 1))
    session.undo_stack.undo_edit()
    assert session.trained_so_far == newest


@pytest.mark.slow
def test_a_weight_that_is_changed_while_running_is_changed_and_the_run_goes_on(session, qtbot):
    session.edit("rate", training={"learning_rate": 0.0})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 5)
    shown = session.newest.snapshot.step
    assert set_parameter(session, 0, 0.5, "L1N1.w1")
    assert session.run_state == "running"
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > shown + 5)
    assert session.newest.snapshot.parameters[0] == 0.5
    session.pause()


@pytest.mark.slow
def test_a_run_goes_on_with_other_data_and_with_another_network(session, qtbot):
    session.edit("rate", training={"learning_rate": 0.0})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 3)
    weights, step = np.array(shown_parameters(session)), session.newest.snapshot.step
    for noise in (0.15, 0.2, 0.25):
        assert session.edit("noise", "noise", data={"noise": noise})
    assert session.run_state == "running"
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > step + 3)
    assert np.array_equal(session.newest.snapshot.parameters, weights)
    assert session.edit("sizes", network={"layer_sizes": (2, 5, 4, 1)})
    assert session.run_state == "running"
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.parameters.shape == (44,))
    step = session.newest.snapshot.step
    qtbot.waitUntil(lambda: session.newest.snapshot.step > step)
    assert np.array_equal(session.newest.snapshot.parameters[:12], weights[:12])
    session.undo_stack.undo_edit()
    qtbot.waitUntil(lambda: session.newest is not None and np.array_equal(session.newest.snapshot.parameters, weights))
    assert session.run_state == "running"
    session.pause()


def test_a_weight_that_is_gone_when_it_is_entered_changes_nothing(session):
    before, count = session.document, len(shown_parameters(session))
    assert not set_parameter(session, count, 1.0, "L9N9.w1")
    assert session.document == before and len(session.undo_stack.steps) == 0
