"""The runs of a session: each is recorded as it goes, and comes back with its settings and weights."""

import numpy as np
import pytest

from engine.document import Document, replace_section
from engine.document.runs_section import MOST_RUNS
from gui.session.training_edits import clear_runs, open_run, remove_run, rename_run, set_run_hidden
from tests.gui.training import train


def steps(session, qtbot, count):
    for _ in range(count):
        train(session, qtbot, "step")


def numbers(session):
    return [(run.number, run.step) for run in session.runs.all]


@pytest.fixture
def two(session, qtbot):
    """Two steps with rate 0.05, then three with momentum from the same start."""
    steps(session, qtbot, 2)
    session.reset()
    session.edit("optimizer", training={"optimizer": "momentum"})
    steps(session, qtbot, 3)
    return session


@pytest.mark.slow
def test_a_run_begins_with_its_first_step_and_ends_when_training_starts_anew(two):
    assert numbers(two) == [(1, 2), (2, 3)] and two.runs.current == 2
    first, second = two.runs.all
    assert (two.runs.words(first), two.runs.words(second)) == ("SGD 0.05", "Momentum 0.05")
    assert np.array_equal(second.losses, two.newest.curve_losses)
    assert second.loss == two.newest.snapshot.loss
    assert np.array_equal(second.parameters, two.newest.snapshot.parameters)


@pytest.mark.slow
def test_opening_a_run_brings_settings_weights_and_past_back_and_undo_what_was_there(two, qtbot):
    first, second = two.runs.all
    weights = first.parameters.copy()
    assert open_run(two, first)
    assert two.document.training.optimizer == "sgd" and two.runs.current == 1
    assert np.array_equal(two.trained_so_far.parameters.array, weights)
    assert two.trained_so_far.curves  # the accuracy comes back, too
    qtbot.waitUntil(lambda: two.newest is not None)
    assert list(two.newest.steps) == [0, 1, 2]
    steps(two, qtbot, 1)
    assert numbers(two) == [(1, 3), (2, 3)]
    two.undo_stack.undo_edit()
    assert two.document.training.optimizer == "momentum" and two.runs.current == 2
    assert np.array_equal(two.trained_so_far.parameters.array, second.parameters)
    assert numbers(two) == [(1, 3), (2, 3)]


@pytest.mark.slow
def test_going_on_from_a_past_step_is_another_run_and_the_first_keeps_its_end(session, qtbot):
    steps(session, qtbot, 4)
    session.training.view_step(2)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 2)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2)
    assert numbers(session) == [(1, 4)] and session.runs.current is None
    steps(session, qtbot, 1)
    assert numbers(session) == [(1, 4), (2, 3)]
    session.undo_stack.undo_edit()
    assert session.runs.current == 1 and numbers(session) == [(1, 4), (2, 3)]


@pytest.mark.slow
def test_an_update_that_is_taken_back_is_no_other_run(session, qtbot):
    steps(session, qtbot, 3)
    train(session, qtbot, "phase back")
    assert session.newest.phase is not None and session.newest.snapshot.step == 2
    steps(session, qtbot, 1)
    assert numbers(session) == [(1, 3)] and session.runs.current == 1


@pytest.mark.slow
def test_going_on_from_the_last_step_but_one_is_another_run(session, qtbot):
    steps(session, qtbot, 4)
    session.training.view_step(3)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 3)
    session.continue_here()
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 3)
    steps(session, qtbot, 2)
    assert numbers(session) == [(1, 4), (2, 5)]


def test_a_run_that_diverged_says_where_and_keeps_the_last_good_weights(session, qtbot):
    session.edit("rate", training={"learning_rate": 1e9})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.diverged_at is not None)
    (run,) = session.runs.all
    assert run.diverged_at == session.newest.diverged_at and np.isfinite(run.parameters).all()
    session.training.go_back()
    qtbot.waitUntil(lambda: session.newest.diverged_at is None)
    session.edit("rate", training={"learning_rate": 0.01})
    steps(session, qtbot, 1)
    assert len(session.runs.all) == 2 and session.runs.all[0].diverged_at is not None
    assert session.runs.all[1].diverged_at is None


@pytest.mark.parametrize("change", [{"learning_rate": 0.7}, {"loss": "hinge"}])
def test_a_run_keeps_the_settings_that_it_trained_with_when_others_are_chosen_for_the_next(session, qtbot, change):
    train(session, qtbot, "step")
    (before,) = session.runs.all
    session.edit("for the next run", training=change)
    ((name, value),) = change.items()
    qtbot.waitUntil(lambda: session.newest and getattr(session.newest.snapshot.settings, name) == value)
    session.reset()
    train(session, qtbot, "step")
    first, second = session.runs.all
    assert first.document.training == before.document.training and first.loss == before.loss
    assert getattr(second.document.training, name) == value
    assert session.runs.words(first) != session.runs.words(second)


def test_names_and_removals_are_undone(two):
    first = two.runs.all[0]
    rename_run(two, first, "  the\nslow\0one ")
    assert two.runs.words(two.runs.run(1)) == "the slow one"
    remove_run(two, two.runs.run(1))
    assert numbers(two) == [(2, 3)]
    two.undo_stack.undo_edit()
    assert numbers(two) == [(1, 2), (2, 3)] and two.runs.run(1).name == "the slow one"
    two.undo_stack.undo_edit()
    assert two.runs.run(1).name == ""


def test_a_removed_run_that_goes_on_is_recorded_as_another_one(session, qtbot):
    steps(session, qtbot, 2)
    remove_run(session, session.runs.all[0])
    assert session.runs.all == ()
    steps(session, qtbot, 1)
    assert numbers(session) == [(2, 3)]


def test_the_run_that_goes_on_is_recorded_again_when_its_removal_is_undone(session, qtbot):
    steps(session, qtbot, 2)
    remove_run(session, session.runs.all[0])
    session.undo_stack.undo_edit()
    assert session.runs.current == 1
    steps(session, qtbot, 1)
    assert numbers(session) == [(1, 3)]


@pytest.mark.slow
def test_only_the_newest_runs_are_kept(session, qtbot):
    for _ in range(MOST_RUNS + 2):
        steps(session, qtbot, 1)
        session.reset()
    assert [number for number, _ in numbers(session)] == list(range(3, MOST_RUNS + 3))


@pytest.mark.slow
def test_another_file_has_runs_of_its_own(two):
    two.reset_document(Document())
    assert two.runs.all == ()


def test_a_document_whose_runs_are_damaged_replaces_nothing(two):
    before, runs = two.document, two.runs.all
    damaged = replace_section(Document(), "runs", kept=[{"number": 0}])
    with pytest.raises(ValueError, match="number"):
        two.reset_document(damaged)
    assert two.document is before and two.runs.all == runs and two.undo_stack.can_undo


@pytest.mark.slow
def test_the_runs_are_in_the_file_and_one_that_is_opened_from_it_goes_on(two, qtbot, tmp_path):
    first, second = two.runs.all
    rename_run(two, first, "slow")
    path = tmp_path / "a.gradstep"
    assert two.save(path)
    two.reset_document(Document())
    assert two.open(path)
    assert [(run.number, run.step, run.name) for run in two.runs.all] == [(1, 2, "slow"), (2, 3, "")]
    assert two.runs.current == 2
    assert open_run(two, two.runs.run(1))
    assert two.document.training.optimizer == "sgd"
    assert np.array_equal(two.trained_so_far.parameters.array, first.parameters)
    steps(two, qtbot, 1)
    assert numbers(two) == [(1, 3), (2, 3)] and second.loss == two.runs.run(2).loss


@pytest.mark.parametrize(
    "change", [{"network": {"layer_sizes": (2, 3, 1), "activations": ("tanh",)}}, {"data": {"noise": 0.02}}]
)
def test_a_change_without_a_step_after_it_is_no_run(session, qtbot, change):
    steps(session, qtbot, 2)
    for _ in range(2):
        assert session.edit("change", **change)
        qtbot.waitUntil(lambda: session.newest is not None or not session.document.trained.step)
        assert session.edit("another", network={"layer_sizes": (2, 5, 1), "activations": ("tanh",)})
        qtbot.waitUntil(lambda: session.newest is not None or not session.document.trained.step)
    assert numbers(session) == [(1, 2)]


def test_a_title_leads_with_what_differs_from_the_runs_beside_it(two, qtbot):
    two.reset()
    two.edit("other layers", network={"layer_sizes": (2, 5, 1), "activations": ("tanh",)})
    steps(two, qtbot, 1)
    two.reset()
    two.edit("penalty", training={"l2": 0.01})
    steps(two, qtbot, 1)
    first, second, third, fourth = map(two.runs.words, two.runs.all)
    assert first.startswith("SGD 0.05") and second.startswith("2-4-4-1")
    assert third.startswith("2-5-1") and fourth.startswith("L2 0.01")
    assert all(words.count("0.05") == 1 for words in (first, second, third, fourth))


def test_hiding_and_clearing_runs_is_undone_and_saved(two, qtbot, tmp_path):
    first, _ = two.runs.all
    set_run_hidden(two, first, True)
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [False, True]
    assert two.save(tmp_path / "a.gradstep")
    clear_runs(two)
    assert numbers(two) == [(2, 3)]
    two.undo_stack.undo_edit()
    assert numbers(two) == [(1, 2), (2, 3)] and two.runs.run(1).is_hidden
    two.undo_stack.undo_edit()
    assert not two.runs.run(1).is_hidden
    assert two.open(tmp_path / "a.gradstep")
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [False, True]


def test_runs_on_other_points_are_drawn_only_when_the_user_wants_them(two, qtbot):
    first, second = two.runs.all
    two.edit("other data", data={"name": "circles"})
    steps(two, qtbot, 1)
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [False, False, True]
    set_run_hidden(two, first, False)
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [True, False, True]
    two.undo_stack.undo_edit()
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [False, False, True]
    open_run(two, second)
    assert [two.runs.is_drawn(run) for run in two.runs.all] == [True, True, False]


def test_runs_with_other_inputs_of_the_same_points_are_drawn(two, qtbot):
    two.edit("squares", data={"features": ("x1", "x2", "x1^2")})
    steps(two, qtbot, 1)
    assert len(two.runs.all) == 3 and all(map(two.runs.is_drawn, two.runs.all))


def test_a_hidden_run_that_goes_on_stays_hidden_when_the_next_one_begins(session, qtbot):
    steps(session, qtbot, 1)
    set_run_hidden(session, session.runs.all[0], True)
    steps(session, qtbot, 1)
    assert numbers(session) == [(1, 2)] and session.runs.all[0].is_hidden


def test_a_slider_that_changes_the_data_while_training_leaves_no_run_for_each_position(session, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 3)
    for position in range(1, 6):
        session.edit("noise", "drag", data={"noise": position / 10})
        qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    assert [run.document.data.noise for run in session.runs.all] == [0.1, 0.5]
    session.pause()
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step > 3 and session.document.data.noise == 0.1


@pytest.mark.slow
def test_saving_in_the_middle_of_such_a_drag_begins_another_undo_step_and_keeps_the_run(session, qtbot, tmp_path):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 3)
    for noise in (0.2, 0.3):
        session.edit("noise", "drag", data={"noise": noise})
        qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
        assert session.save(tmp_path / "noise.json")
    session.edit("noise", "drag", data={"noise": 0.4})
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0)
    session.pause()
    assert len(session.undo_stack.steps) == 3
    assert [run.document.data.noise for run in session.runs.all] == [0.1, 0.2, 0.3, 0.4]
