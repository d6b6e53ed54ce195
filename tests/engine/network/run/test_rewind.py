"""Past steps of a run: looked at without touching it, to the last bit what it was, and gone on from."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets import make_dataset
from engine.network import LOSSES, MLP, OPTIMIZERS, SCHEDULES, Trainer
from engine.network.run.history import History
from engine.network.run.outputs import GridRequest
from engine.network.run.training_run import TrainingRun
from tests.engine.network.samples import advanced, assert_same_moment

GRID = GridRequest((-1.0, 1.0, -1.0, 1.0), 4)
BINARY = [name for name, loss in LOSSES.items() if loss.encoding != "one_hot"]


def trainer_of(steps=0, **given):
    data = make_dataset("moons", n_samples=11, noise=0.1, seed=1)
    model = MLP(2, [3, 1], activation="tanh", rng=random.Random(1))
    trainer = Trainer(model, X=data.X, y=data.y, X_test=data.X[:4], y_test=data.y[:4], **given)
    trainer.run(steps)
    return trainer


def run_of(trainer, capacity=5):
    return TrainingRun(1, trainer, history=History(capacity=capacity))


def view(run, step, grid=None):
    """The progress that shows a past step."""
    advanced(run).view_step(step)
    progress = advanced(run).describe(grid)
    viewed = progress.viewed
    assert viewed is not None, progress.message
    return viewed


choices = {
    "optimizer": st.sampled_from(sorted(OPTIMIZERS)),
    "loss": st.sampled_from(BINARY),
    "schedule": st.sampled_from(sorted(SCHEDULES)),
    "learning_rate": st.sampled_from([0.0, 0.01, 0.3, 30.0]),
    "batch_size": st.sampled_from([None, 1, 4, 11]),
    "l1": st.sampled_from([0.0, 0.01]),
    "l2": st.sampled_from([0.0, 0.01]),
    "clip_norm": st.sampled_from([None, 0.5]),
    "clip_value": st.sampled_from([None, 0.1]),
    "dtype": st.sampled_from(["float64", "float32"]),
    "seed": st.sampled_from([0, 7]),
}
training = st.fixed_dictionaries(choices)
changes = st.dictionaries(st.sampled_from(sorted(choices)), st.none(), min_size=1, max_size=3).flatmap(
    lambda keys: st.fixed_dictionaries({key: choices[key] for key in keys})
)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(
    training, st.lists(st.tuples(st.integers(1, 8), st.lists(changes, max_size=3)), min_size=1, max_size=6), st.data()
)
def test_a_past_step_is_bit_for_bit_what_the_run_was(first, parts, data):
    """Whatever was changed in between, wherever training diverged and was taken up again."""
    trainer = trainer_of(**first)
    run = run_of(trainer, capacity=data.draw(st.integers(2, 6)))
    known = {0: run.describe(None).snapshot}
    for n_steps, altered in parts:
        for _ in range(n_steps):
            run.step()
            snapshot = advanced(run).describe(None).snapshot
            went_back = snapshot.step <= max(known)  # and took the present settings to the moment that it went on from
            known = {step: moment for step, moment in known.items() if step < snapshot.step - went_back}
            known[snapshot.step] = snapshot
        for each in altered:
            run.change(**each)
        known[trainer.step_count] = run.describe(None).snapshot
    before = run.describe(None)
    steps = list(before.steps)
    for step in data.draw(st.lists(st.sampled_from(steps), max_size=6)):
        if step in known:  # else it was before a diverged run went back
            assert_same_moment(view(run, step).snapshot, known[step])
    run.view_step(None)
    after = run.describe(None)
    assert after.viewed is None
    assert_same_moment(after.snapshot, before.snapshot)


def test_the_next_step_of_a_past_moment_leads_to_the_one_after_it():
    run = run_of(trainer_of(optimizer="adam", batch_size=4))
    run.step(40)
    advanced(run)
    for step in (7, 8, 9, 30):
        here, after = view(run, step), view(run, step + 1).snapshot
        assert here.update.step == step
        assert np.array_equal(here.update.before, here.snapshot.parameters)
        assert np.array_equal(here.update.after, after.parameters)
        assert after.seen_loss == here.update.loss


def test_grid_outputs_and_figures_are_those_of_the_past_step():
    twin = trainer_of(12)
    expected = TrainingRun(2, twin).describe(GRID)
    run = run_of(trainer_of())
    run.step(50)
    advanced(run)
    viewed = view(run, 12, GRID)
    assert np.array_equal(viewed.grid, expected.grid)
    assert viewed.grid_bounds == GRID.bounds
    assert np.array_equal(viewed.outputs, expected.outputs)
    assert (viewed.snapshot.accuracy, viewed.phase) == (expected.snapshot.accuracy, None)
    assert viewed.curve_steps.tolist() == list(range(50))


def test_a_run_goes_on_while_a_past_step_is_looked_at():
    run, alone = run_of(trainer_of(optimizer="adam")), trainer_of(optimizer="adam")
    run.step(30)
    shown = view(run, 4).snapshot
    run.run()
    for _ in range(3):
        run.advance(0.002)
    progress = run.describe(None)
    assert progress.snapshot.step > 30
    assert progress.state == "running"
    assert progress.viewed.snapshot is shown
    alone.run(progress.snapshot.step)
    assert np.array_equal(alone.model.weights, progress.snapshot.parameters)


def test_what_is_looked_at_costs_nothing_once_it_was_described(monkeypatch):
    run = run_of(trainer_of())
    run.step(9)
    first = view(run, 5, GRID)
    monkeypatch.setattr("engine.network.trainer.Trainer.next_update", lambda trainer: 1 / 0)
    run.run()
    assert run.describe(GRID).viewed.grid is first.grid


def test_until_the_step_is_found_the_newest_is_shown_and_says_so():
    now = [0.0]

    def clock():
        now[0] += 0.0004
        return now[0]

    run = TrainingRun(1, trainer_of(), clock=clock, history=History(capacity=2))
    run.step(200)
    advanced(run)
    run.view_step(150)
    progress = run.describe(None)
    assert (progress.viewed, progress.awaited_step, progress.snapshot.step) == (None, 150, 200)
    assert run.busy
    run.advance(0.003)
    assert run.busy
    progress = advanced(run).describe(None)
    assert (progress.viewed.snapshot.step, progress.awaited_step, progress.state) == (150, None, "paused")


def test_a_step_that_is_not_there_is_refused_in_words():
    run = run_of(trainer_of())
    run.step(3)
    advanced(run)
    run.view_step(4)
    progress = run.describe(None)
    assert progress.message == "not shown: step must be from 0 to 3, not 4"
    assert (progress.viewed, progress.steps) == (None, range(4))
    run.continue_from(-1)
    assert run.describe(None).message == "not continued: step must be from 0 to 3, not -1"


def test_a_change_made_at_the_step_that_is_looked_at_is_seen_there():
    run = run_of(trainer_of())
    run.step(6)
    assert view(run, 6).snapshot.learning_rate == 0.05
    run.change(learning_rate=0.5)
    assert advanced(run).describe(None).viewed.snapshot.learning_rate == 0.5
    run.step(6)
    assert advanced(run).describe(None).viewed.snapshot.step == 6
    assert view(run, 5).snapshot.learning_rate == 0.05


def test_continuing_from_a_past_step_forgets_what_came_later():
    run, twin = run_of(trainer_of(optimizer="momentum")), trainer_of(20, optimizer="momentum")
    run.step(50)
    view(run, 20)
    run.continue_from(20)
    progress = run.describe(None)
    assert (progress.state, progress.viewed, progress.steps) == ("paused", None, range(21))
    assert_same_moment(progress.snapshot, twin.snapshot())
    assert progress.curve_steps.tolist() == list(range(20))
    run.step(5)
    twin.run(5)
    assert_same_moment(advanced(run).describe(None).snapshot, twin.snapshot())


def test_going_back_goes_on_with_the_present_settings_and_its_past_stays_what_it_was():
    run = run_of(trainer_of(), capacity=3)
    run.step(20)
    advanced(run)
    known = view(run, 9).snapshot
    run.change(learning_rate=0.3, optimizer="adam")
    run.continue_from(10)
    run.step(30)
    progress = advanced(run).describe(None)
    assert (progress.snapshot.step, progress.snapshot.optimizer) == (40, "adam")
    assert_same_moment(view(run, 9).snapshot, known)
    assert view(run, 10).snapshot.optimizer == "adam"


def test_a_viewed_step_that_is_forgotten_is_viewed_no_longer():
    run = run_of(trainer_of())
    run.step(5)
    early = advanced(run).describe(None).snapshot
    run.step(5)
    advanced(run)
    view(run, 8)
    run.restore(early)
    assert run.describe(None).viewed is None


def test_a_diverged_run_shows_its_past_up_to_the_step_that_failed():
    run = run_of(trainer_of(loss="mean_squared_error"))
    run.step(10)
    good = advanced(run).describe(None).snapshot
    run.change(learning_rate=1e9)
    run.run()
    failed = advanced(run).describe(None)
    assert failed.state == "failed"
    assert_same_moment(view(run, failed.diverged_at).snapshot, failed.snapshot)
    assert np.array_equal(view(run, 10).snapshot.parameters, good.parameters)
    run.view_step(None)
    run.go_back()
    assert run.describe(None).steps[-1] < failed.diverged_at


def test_a_run_from_a_saved_moment_has_its_past_from_there_on():
    saved = trainer_of(500).snapshot()
    trainer = trainer_of()
    trainer.restore(saved)
    run = run_of(trainer)
    assert run.describe(None).steps == range(500, 501)
    run.step(10)
    advanced(run)
    assert_same_moment(view(run, 500).snapshot, saved)
    assert view(run, 507).snapshot.step == 507


def test_what_goes_wrong_while_looking_leaves_the_run_alone(monkeypatch, caplog):
    run = run_of(trainer_of())
    run.step(100)
    advanced(run)
    run.view_step(51)
    with monkeypatch.context() as broken:
        broken.setattr("engine.network.trainer.Trainer.run", lambda trainer, steps: 1 / 0)
        run.advance(0.01)
    progress = run.describe(None)
    assert (progress.state, progress.viewed, progress.awaited_step) == ("paused", None, None)
    assert "not shown: ZeroDivisionError" in progress.message
    assert "Traceback" in caplog.text
    run.step()
    assert advanced(run).describe(None).snapshot.step == 101


def test_between_two_kept_steps_settings_change_where_they_did():
    run, expected = run_of(trainer_of()), trainer_of()
    for n_steps, rate in ((103, 0.05), (4, 0.4), (93, 0.2)):
        run.change(learning_rate=rate)
        run.step(n_steps)
        advanced(run)
    expected.change(learning_rate=0.05)
    expected.run(103)
    expected.change(learning_rate=0.4)
    for step in range(104, 108):
        expected.step()
        assert view(run, step).snapshot.parameters.tolist() == expected.snapshot().parameters.tolist()


def test_a_run_that_is_ended_for_a_reason_looks_at_no_past_step_any_more():
    run = run_of(trainer_of())
    run.step(100)
    advanced(run)
    run.view_step(51)
    run.fail("the thread ended")
    progress = run.describe(None)
    assert (progress.state, progress.message, progress.awaited_step) == ("failed", "the thread ended", None)


@pytest.mark.slow
def test_a_network_that_runs_through_the_array_graph_has_a_past_too(monkeypatch):
    monkeypatch.setattr("engine.network.fast.fast_program.TOLERANCE", -1.0)
    data = make_dataset("xor", seed=1)
    model = MLP(2, [2, 1], rng=random.Random(0))
    trainer = Trainer(model, X=data.X, y=data.y)
    assert trainer.notes
    run = run_of(trainer)
    run.step(20)
    known = advanced(run).describe(None).snapshot
    run.step(20)
    advanced(run)
    assert_same_moment(view(run, 20).snapshot, known)
