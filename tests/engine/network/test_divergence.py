"""A run whose loss takes off: what is said, what is kept, and how it goes on."""

import numpy as np

from engine.network.run.training_run import TrainingRun
from tests.engine.network.samples import advanced, make_trainer


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
    assert progress.state == "paused" and "goes on from step 0" in progress.message
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
    assert (progress.savable.step, progress.savable.loss) == (100, good.loss)
    assert np.array_equal(progress.savable.parameters, twin.model.weights)
    assert np.all(np.isfinite(progress.curve_losses))


def test_a_loss_that_was_seen_to_take_off_is_not_gone_back_to():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e3))
    first = run.describe(None).snapshot
    run.step(4)
    high = advanced(run).describe(None)
    assert high.snapshot.loss > 1e6
    assert high.savable is high.snapshot
    run.run()
    assert advanced(run).describe(None).savable.step == first.step == 0


def test_weights_whose_loss_is_not_finite_are_not_kept_before_a_step_has_seen_it():
    whole, run = (TrainingRun(number, make_trainer(sizes=[1], learning_rate=1e9)) for number in (1, 2))
    whole.run()
    diverged = advanced(whole).describe(None)
    run.step(diverged.diverged_at)
    progress = advanced(run).describe(None)
    assert (progress.state, progress.diverged_at, progress.snapshot.step) == ("paused", None, diverged.diverged_at)
    assert not np.isfinite(progress.snapshot.loss)
    assert progress.savable.step == diverged.savable.step == 0
    assert np.array_equal(progress.savable.parameters, diverged.savable.parameters)


def test_a_run_that_is_well_keeps_what_it_shows():
    run = TrainingRun(1, make_trainer(optimizer="adam"))
    run.step(3)
    progress = advanced(run).describe(None)
    assert progress.savable is progress.snapshot
    assert progress.diverged_at is None


def test_after_going_back_a_diverged_run_stands_at_the_step_it_kept():
    run = TrainingRun(1, make_trainer(sizes=[1], learning_rate=1e3))
    run.run()
    kept = advanced(run).describe(None).savable
    run.go_back()
    progress = run.describe(None)
    assert (progress.snapshot.step, progress.diverged_at) == (kept.step, None)
    assert progress.curve_steps.tolist() == list(range(kept.step))


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


def test_going_back_without_a_divergence_changes_nothing():
    run = TrainingRun(1, make_trainer())
    run.step(3)
    before = advanced(run).describe(None)
    run.go_back()
    after = run.describe(None)
    assert (after.state, after.snapshot.step) == (before.state, 3)


def test_where_the_last_good_step_cannot_be_computed_the_divergence_is_told_all_the_same(monkeypatch, caplog):
    run = TrainingRun(1, make_trainer())
    run.step(20)
    advanced(run)
    run.change(learning_rate=1e9)
    run.run()
    with monkeypatch.context() as broken:
        broken.setattr("engine.network.run.training_run.Rewind.go_to", lambda rewind, step: 1 / 0)
        progress = advanced(run).describe(None)
    assert progress.state == "failed" and "diverged" in progress.message and "Traceback" in caplog.text
    run.go_back()
    assert np.isfinite(run.describe(None).snapshot.parameters).all()
