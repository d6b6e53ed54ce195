"""A run of training: what is asked for and what it reports."""

import logging
from itertools import count

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import StopRules
from engine.network.run.outputs import FEWEST_POINTS, GridRequest, RawPlane
from engine.network.run.training_run import TrainingRun
from tests.engine.network.samples import advanced, make_trainer


def test_a_fresh_run_is_idle_and_shows_the_first_weights():
    trainer = make_trainer()
    first = trainer.model.weights
    progress = TrainingRun(1, trainer).describe(None)
    assert (progress.run, progress.state, progress.snapshot.step) == (1, "idle", 0)
    assert progress.snapshot.parameters.tolist() == first.tolist()
    assert progress.grid is None
    assert len(progress.curve_steps) == 0


def test_steps_asked_for_add_up():
    run = TrainingRun(1, make_trainer())
    run.step()
    run.step(2)
    progress = advanced(run).describe(None)
    assert (progress.snapshot.step, progress.state) == (3, "paused")
    assert progress.curve_steps.tolist() == [0, 1, 2]


def test_a_number_of_steps_asked_for_again_while_it_runs_is_added():
    run = TrainingRun(1, make_trainer())
    for _ in range(3):
        run.run(100)
        run.advance(0.0)
    assert run.state == "running"
    assert advanced(run).describe(None).snapshot.step == 300


def test_steps_asked_for_while_it_runs_without_end_are_its_last():
    run = TrainingRun(1, make_trainer())
    run.run()
    run.advance(0.005)
    before = run.describe(None).snapshot.step
    run.run(20)
    assert advanced(run).describe(None).snapshot.step == before + 20


def test_going_on_after_a_divergence_is_said_with_its_first_step():
    run = TrainingRun(1, make_trainer())
    run.step(5)
    advanced(run).describe(None)
    run.change(learning_rate=1e9)
    run.run()
    assert advanced(run).describe(None).diverged_at is not None
    run.change(learning_rate=0.01)
    run.run(10)
    progress = run.describe(None)
    assert progress.diverged_at is None and f"step {progress.snapshot.step}" in progress.message
    assert not advanced(run).describe(None).message


def test_an_epoch_ends_with_the_pass_over_the_data():
    run = TrainingRun(1, make_trainer("moons", batch_size=30))
    run.step()
    advanced(run)
    run.epoch()
    snapshot = advanced(run).describe(None).snapshot
    assert (snapshot.step, snapshot.epoch, snapshot.position) == (4, 1, 0)


def test_running_goes_on_until_paused():
    run = TrainingRun(1, make_trainer())
    run.run()
    run.advance(0.01)
    assert run.busy
    run.pause()
    before = run.describe(None).snapshot.step
    run.advance(0.01)
    assert before > 0
    assert run.describe(None).snapshot.step == before
    assert run.state == "paused"


def test_a_change_keeps_the_weights():
    run = TrainingRun(1, make_trainer())
    run.step(3)
    before = advanced(run).describe(None).snapshot
    run.change(optimizer="adam", learning_rate=0.5)
    after = run.describe(None).snapshot
    assert after.parameters.tolist() == before.parameters.tolist()
    assert (after.optimizer, after.learning_rate, after.step) == ("adam", 0.5, 3)


def test_every_step_knows_the_settings_it_was_made_with():
    run = TrainingRun(1, make_trainer("moons", batch_size=10))
    run.step(3)
    advanced(run)
    run.change(batch_size=20)
    run.change(batch_size=30)
    run.step(3)
    progress = advanced(run).describe(None)
    assert [progress.settings_at(step).batch_size for step in (0, 2, 3, 5, 6)] == [10, 10, 30, 30, 30]
    run.continue_from(2)
    run.step(2)
    progress = advanced(run).describe(None)
    assert [progress.settings_at(step).batch_size for step in (0, 1, 2, 3)] == [10, 10, 30, 30]


def test_the_settings_of_steps_before_a_saved_moment_are_not_known():
    trainer = make_trainer()
    trainer.run(4)
    saved, again = trainer.snapshot(), make_trainer()
    again.restore(saved)
    progress = TrainingRun(1, again, curve=([0, 1, 2, 3], trainer.losses)).describe(None)
    assert progress.settings_at(3) is None
    assert progress.settings_at(4) == again.settings


def test_a_batch_larger_than_the_data_is_cut_to_it():
    run = TrainingRun(1, make_trainer("moons"))
    run.change(batch_size=5_000)
    progress = run.describe(None)
    assert progress.message == ""
    assert progress.snapshot.settings.batch_size == 100


def test_a_refused_change_is_told_once_and_training_goes_on():
    run = TrainingRun(1, make_trainer())
    run.run()
    run.change(learning_rate=-1.0)
    first, second = run.describe(None), run.describe(None)
    assert "learning rate" in first.message
    assert second.message == ""
    assert run.busy


def test_a_stop_rule_finishes_the_run_with_its_reason():
    run = TrainingRun(1, make_trainer(stop_rules=StopRules(max_steps=7)))
    run.run()
    progress = advanced(run).describe(None)
    assert (progress.state, progress.snapshot.step) == ("finished", 7)
    assert progress.message == "Stopped at the step limit: 7."


def test_a_run_from_a_saved_moment_shows_the_saved_curve_before_its_own_points():
    test = make_dataset("xor", noise=0.1, seed=2)
    whole = TrainingRun(1, make_trainer(X_test=test.X, y_test=test.y))
    whole.step(5)
    saved = advanced(whole).describe(None)
    trainer = make_trainer(X_test=test.X, y_test=test.y)
    trainer.restore(saved.savable)
    resumed = TrainingRun(
        2, trainer, curve=(saved.curve_steps, saved.curve_losses), test_curve=(saved.test_steps, saved.test_losses)
    )
    for run in (whole, resumed):
        run.step(4)
    expected, obtained = (advanced(run).describe(None) for run in (whole, resumed))
    assert obtained.curve_steps.tolist() == expected.curve_steps.tolist() == list(range(9))
    assert obtained.curve_losses.tolist() == expected.curve_losses.tolist()
    tested, again = (dict(zip(run.test_steps, run.test_losses, strict=True)) for run in (expected, obtained))
    assert {5, 9} <= tested.keys() & again.keys()
    assert all(tested[step] == again[step] for step in tested.keys() & again.keys())


def test_an_exception_in_the_trainer_fails_the_run_and_is_logged(monkeypatch, caplog):
    trainer = make_trainer()
    run = TrainingRun(1, trainer)
    monkeypatch.setattr(trainer, "run", lambda steps: 1 / 0)
    run.run()
    with caplog.at_level(logging.ERROR):
        progress = advanced(run).describe(None)
    assert progress.state == "failed"
    assert "ZeroDivisionError" in progress.message
    assert "Traceback" in caplog.text
    monkeypatch.undo()
    run.step()
    assert advanced(run).describe(None).snapshot.step == 1


def test_restoring_a_snapshot_forgets_what_came_later():
    run = TrainingRun(1, make_trainer())
    run.step(3)
    moment = advanced(run).describe(None).snapshot
    run.step(5)
    advanced(run)
    run.restore(moment)
    progress = run.describe(None)
    assert progress.snapshot.parameters.tolist() == moment.parameters.tolist()
    assert progress.curve_steps.tolist() == [0, 1, 2]


def test_the_grid_of_a_plane_has_rows_by_ascending_y():
    trainer = make_trainer()
    progress = TrainingRun(1, trainer).describe(GridRequest((0.0, 1.0, -2.0, 2.0), 5))
    assert progress.grid.shape == (5, 5)
    assert progress.grid.dtype == np.float32
    assert progress.grid_bounds == (0.0, 1.0, -2.0, 2.0)
    np.testing.assert_allclose(progress.grid[4, 0], trainer.predict([[0.0, 2.0]])[0, 0], rtol=1e-5)


def test_the_grid_of_a_run_that_diverges_has_the_sign_of_each_output_beyond_the_range_of_float32():
    trainer = make_trainer()
    trainer.model.weights[:] = np.where(np.arange(len(trainer.model.weights)) % 3, 1e60, -1e60)
    progress = TrainingRun(1, trainer).describe(GridRequest((0.0, 1.0, -2.0, 2.0), 5))
    expected = trainer.predict([[x, y] for y in np.linspace(-2.0, 2.0, 5) for x in np.linspace(0.0, 1.0, 5)])
    assert np.isfinite(progress.grid).all()
    assert np.sign(progress.grid).ravel().tolist() == np.sign(expected).ravel().tolist()


def test_a_grid_that_takes_long_is_coarser_while_the_run_goes_on_and_whole_when_it_stands():
    trainer, request = make_trainer(), GridRequest((-1.0, 1.0, -1.0, 1.0), 100)
    now = count(step=1.0)  # a second between any two looks at the clock
    run = TrainingRun(1, trainer, clock=lambda: float(next(now)))
    assert run.describe(request).grid.shape == (100, 100)
    run.run()
    assert run.describe(request).grid.shape == (FEWEST_POINTS, FEWEST_POINTS)
    run.pause()
    assert run.describe(request).grid.shape == (100, 100)


def test_a_grid_that_takes_no_time_is_whole_while_the_run_goes_on():
    run = TrainingRun(1, make_trainer(), clock=lambda: 0.0)
    run.run()
    for _ in range(2):
        assert run.describe(GridRequest((-1.0, 1.0, -1.0, 1.0), 50)).grid.shape == (50, 50)


def test_the_grid_of_one_input_is_a_line():
    progress = TrainingRun(1, make_trainer("curve")).describe(GridRequest((-3.0, 3.0, 0.0, 1.0), 50))
    assert progress.grid.shape == (50,)


def test_three_inputs_have_no_grid_but_outputs():
    progress = TrainingRun(1, make_trainer("tutorial")).describe(GridRequest((-3.0, 3.0, 0.0, 1.0), 50))
    assert progress.grid is None
    assert progress.outputs.shape == (4, 1)


@pytest.mark.parametrize("n_columns", [3, 7])
@pytest.mark.parametrize("name", ["moons", "tutorial"])
def test_a_plane_of_earlier_data_with_another_number_of_columns_gives_no_grid_and_no_failure(name, n_columns):
    trainer, plane = make_trainer(name), RawPlane((0, n_columns - 1), (0.5,) * n_columns)
    progress = TrainingRun(1, trainer).describe(GridRequest((-3.0, 3.0, 0.0, 1.0), 9, plane=plane))
    assert (progress.grid is not None) == (trainer.data.X.shape[1] == n_columns)
    assert progress.state == "idle" and not progress.message and len(progress.outputs)


def test_softmax_grids_hold_probabilities():
    trainer = make_trainer("spiral3", sizes=(4, 3), loss="softmax_cross_entropy")
    progress = TrainingRun(1, trainer).describe(GridRequest((-1.0, 1.0, -1.0, 1.0), 8))
    assert progress.grid.shape == (8, 8, 3)
    np.testing.assert_allclose(progress.grid.sum(axis=2), 1.0, rtol=1e-5)
    np.testing.assert_allclose(progress.outputs.sum(axis=1), 1.0)


def test_the_loss_of_test_data_has_a_curve_of_its_own():
    test = make_dataset("moons", seed=2)
    run = TrainingRun(1, make_trainer("moons", X_test=test.X, y_test=test.y))
    run.describe(None)
    run.step(4)
    progress = advanced(run).describe(None)
    assert {0, 4} <= set(progress.test_steps.tolist()) <= set(range(5))
    assert len(progress.test_losses) == len(progress.test_steps)


@pytest.mark.long
def test_looks_at_the_test_data_are_bounded_however_many():
    test = make_dataset("xor", seed=2)
    run = TrainingRun(1, make_trainer(X_test=test.X, y_test=test.y))
    for _ in range(3000):
        run.step()
        progress = advanced(run).describe(None)
    assert progress.test_steps[0] == 0
    assert progress.test_steps[-1] > 2990
    assert len(progress.test_steps) <= 2000


def test_the_speed_is_measured_by_the_clock():
    now = [0.0]
    trainer = make_trainer()
    run = TrainingRun(1, trainer, clock=lambda: now[0])
    run.run()
    run.describe(None)
    trainer.run(50)
    now[0] = 2.0
    assert run.describe(None).steps_per_second == 25.0
    run.pause()
    assert run.describe(None).steps_per_second == 0.0
