import logging
import random
from itertools import count
from random import Random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import MLP, StopRules, Trainer
from engine.network.progress import GridRequest
from engine.network.training_run import TrainingRun
from engine.network.view import FEWEST_POINTS


def make_trainer(data="xor", sizes=(4, 1), learning_rate=0.05, **settings):
    dataset = make_dataset(data, seed=1)
    model = MLP(dataset.n_features, list(sizes), activation="tanh", rng=random.Random(1))
    return Trainer(model, X=dataset.X, y=dataset.y, learning_rate=learning_rate, **settings)


def advanced(run):
    """The run after everything asked for is done."""
    while run.busy:
        run.advance(0.001)
    return run


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


def test_phases_one_by_one_make_the_same_step():
    together, apart = TrainingRun(1, make_trainer()), TrainingRun(2, make_trainer())
    together.step()
    advanced(together)
    names = []
    for _ in range(5):
        apart.phase()
        names.append(apart.describe(None).phase.name)
    assert names == ["forward", "loss", "zero_grad", "backward", "update"]
    parameters = [run.describe(None).snapshot.parameters.tolist() for run in (together, apart)]
    assert parameters[0] == parameters[1]


def state_of(run):
    """The phase, and everything else that going back has to restore."""
    progress = run.describe(None)
    shown, now = progress.phase, progress.snapshot
    memory = {name: array.tolist() for name, array in now.optimizer_state.items()}
    phase = None if shown is None else (shown.name, shown.step, shown.loss, shown.gradients.tolist())
    place = now.step, now.epoch, now.position, now.optimizer_updates
    return phase, (place, now.parameters.tolist(), now.gradients.tolist(), memory)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_going_back_through_the_phases_restores_every_moment(optimizer):
    """Eight steps of mini-batches, ends of epochs among them, in any mixture of Phase and Phase back."""
    run, n_phases, chance = TrainingRun(1, make_trainer("moons", batch_size=40, optimizer=optimizer)), 40, Random(3)
    moments = [state_of(run)]
    for _ in range(n_phases):
        run.phase()
        moments.append(state_of(run))
    place = n_phases
    for way in [-1] * 23 + [1] * 9 + [chance.choice([-1, 1]) for _ in range(60)] + [-1] * n_phases:
        if 0 <= place + way <= n_phases:
            (run.phase if way > 0 else run.back_phase)()
            place += way
            phase, rest = state_of(run)
            assert rest == moments[place][1]
            assert phase == moments[place][0] or (phase is None and place % 5 == 0)
    assert place == 0


def test_the_first_moment_has_no_phase_to_take_back():
    run = TrainingRun(1, make_trainer())
    run.back_phase()
    assert state_of(run)[0] is None and run.describe(None).snapshot.step == 0


def test_after_whole_steps_the_last_update_is_taken_back():
    run = TrainingRun(1, make_trainer("moons"))
    run.step(3)
    after = advanced(run).describe(None).snapshot.parameters.tolist()
    run.back_phase()
    progress = run.describe(None)
    assert (progress.phase.name, progress.snapshot.step) == ("backward", 2)
    run.phase()
    assert run.describe(None).snapshot.parameters.tolist() == after


def test_a_step_after_some_phases_ends_that_step():
    run = TrainingRun(1, make_trainer())
    run.phase()
    run.phase()
    run.step()
    progress = advanced(run).describe(None)
    assert progress.snapshot.step == 1
    assert progress.phase is None


def test_a_run_after_some_phases_goes_on_with_that_step():
    run = TrainingRun(1, make_trainer())
    run.phase()
    run.run()
    run.advance(0.005)
    assert run.busy
    assert run.describe(None).phase is None


def test_another_batch_size_in_the_middle_of_a_step_starts_it_anew():
    run = TrainingRun(1, make_trainer("moons"))
    run.phase()
    run.change(batch_size=10)
    run.phase()
    assert run.describe(None).phase.name == "forward"


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
    assert progress.message == "Step 7 is made, where the training is to stop."


def test_divergence_fails_with_step_and_node_and_may_go_on():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e9))
    run.run()
    progress = advanced(run).describe(None)
    assert progress.state == "failed"
    assert f"step {progress.snapshot.step}" in progress.message
    assert "first at" in progress.message
    run.change(learning_rate=1e-30)
    run.step(3)
    progress = advanced(run).describe(None)
    assert (progress.state, progress.message) == ("paused", "")
    assert np.all(np.isfinite(progress.snapshot.parameters))


def test_going_back_after_divergence_gives_finite_parameters():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e9))
    run.run()
    advanced(run)
    run.go_back()
    progress = run.describe(None)
    assert progress.state == "paused"
    assert np.isfinite(progress.snapshot.loss)


def test_a_run_that_diverges_keeps_the_moment_before_its_loss_took_off():
    run, twin = TrainingRun(1, make_trainer()), make_trainer()
    run.step(100)
    good = advanced(run).describe(None).snapshot
    run.change(learning_rate=1e9)
    run.run()
    progress = advanced(run).describe(None)
    for _ in range(100):
        twin.step()
    assert progress.state == "failed"
    assert progress.diverged_at == progress.snapshot.step == len(progress.curve_steps)
    assert progress.diverged_at > 100
    assert (progress.keep.step, progress.keep.loss) == (100, good.loss)
    assert np.array_equal(progress.keep.parameters, twin.model.weights)
    assert np.all(np.isfinite(progress.curve_losses))


def test_a_loss_that_was_seen_to_take_off_is_not_gone_back_to():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e3))
    first = run.describe(None).snapshot
    run.step(4)
    high = advanced(run).describe(None)
    assert high.snapshot.loss > 1e6
    assert high.keep is high.snapshot
    run.run()
    assert advanced(run).describe(None).keep.step == first.step == 0


def test_weights_whose_loss_is_not_finite_are_not_kept_before_a_step_has_seen_it():
    whole, run = (TrainingRun(number, make_trainer(sizes=[1], learning_rate=1e9)) for number in (1, 2))
    whole.run()
    diverged = advanced(whole).describe(None)
    run.step(diverged.diverged_at)
    progress = advanced(run).describe(None)
    assert (progress.state, progress.diverged_at, progress.snapshot.step) == ("paused", None, diverged.diverged_at)
    assert not np.isfinite(progress.snapshot.loss)
    assert progress.keep.step == diverged.keep.step == 0
    assert np.array_equal(progress.keep.parameters, diverged.keep.parameters)


def test_a_run_that_is_well_keeps_what_it_shows():
    run = TrainingRun(1, make_trainer(optimizer="adam"))
    run.step(3)
    progress = advanced(run).describe(None)
    assert progress.keep is progress.snapshot
    assert progress.diverged_at is None


def test_after_going_back_a_diverged_run_stands_at_the_step_it_kept():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e3))
    run.run()
    kept = advanced(run).describe(None).keep
    run.go_back()
    progress = run.describe(None)
    assert (progress.snapshot.step, progress.diverged_at) == (kept.step, None)
    assert progress.curve_steps.tolist() == list(range(kept.step))


def test_a_run_from_a_saved_moment_shows_the_saved_curve_before_its_own_points():
    test = make_dataset("xor", noise=0.1, seed=2)
    whole = TrainingRun(1, make_trainer(X_test=test.X, y_test=test.y))
    whole.step(5)
    saved = advanced(whole).describe(None)
    trainer = make_trainer(X_test=test.X, y_test=test.y)
    trainer.restore(saved.keep)
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


@pytest.mark.slow
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


def test_a_diverged_run_with_a_penalty_is_described_without_a_warning():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e9, l2=1e-4))
    for _ in range(3):
        run.run()
        progress = advanced(run).describe(None)
        assert progress.state == "failed"
    run.go_back()
    run.step(20)
    run.advance(1.0)
    run.pause()
    run.describe(None)
