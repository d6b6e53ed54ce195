import logging
import threading
import time

import numpy as np
import pytest

from engine.network.run.outputs import GridRequest
from engine.network.run.training_run import TrainingRun
from gui.background import join_stopped
from gui.runner import Runner
from tests.engine.network.samples import make_trainer

PATIENCE = 10.0


@pytest.fixture
def runner():
    runner = Runner()
    yield runner
    runner.stop()
    assert join_stopped()


def awaited(runner, condition):
    """The first progress that fits; other ones are thrown away."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        progress = runner.take()
        if progress is not None and condition(progress):
            return progress
        threading.Event().wait(0.001)
    raise AssertionError("the progress waited for never came")


def awaited_failure(runner):
    give_up = time.monotonic() + PATIENCE
    while not (failure := runner.take_failure()):
        assert time.monotonic() < give_up
        threading.Event().wait(0.001)
    return failure


def training_threads():
    return [thread for thread in threading.enumerate() if thread.name == "training"]


def test_no_thread_before_the_first_command_that_trains(runner):
    runner.load(make_trainer)
    runner.change(learning_rate=0.1)
    runner.set_grid(None)
    assert training_threads() == []
    runner.step()
    assert awaited(runner, lambda progress: progress.snapshot.step == 1).snapshot.learning_rate == 0.1


def test_a_wanted_grid_comes_before_any_step(runner):
    runner.load(make_trainer)
    runner.set_grid(GridRequest((0, 1, 0, 1), 10))
    progress = awaited(runner, lambda progress: progress.grid is not None)
    assert (progress.state, progress.snapshot.step) == ("idle", 0)


def test_running_reports_until_paused(runner):
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.state == "running" and progress.snapshot.step > 50)
    runner.pause()
    assert awaited(runner, lambda progress: progress.state == "paused").snapshot.step > 50


def test_fifty_starts_make_one_thread(runner):
    runner.load(make_trainer)
    for _ in range(50):
        runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 0)
    assert len(training_threads()) == 1


def test_starting_and_stopping_in_turn_ends_as_asked_last(runner):
    runner.load(make_trainer)
    for _ in range(50):
        runner.run()
        runner.pause()
    stopped = awaited(runner, lambda progress: progress.state == "paused").snapshot.step
    runner.step()
    assert awaited(runner, lambda progress: progress.snapshot.step > stopped).snapshot.step == stopped + 1


@pytest.mark.slow
def test_progress_from_before_a_start_is_not_handed_out(runner):
    runner.load(make_trainer)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)
    for _ in range(20):
        runner.set_grid(GridRequest((0, 1, 0, 1), 10))  # each makes a report that says "paused"
        runner.run()
        assert awaited(runner, lambda progress: True).state == "running"
        runner.pause()
        awaited(runner, lambda progress: progress.state == "paused")


def test_progress_of_an_older_run_is_dropped(runner):
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 0)
    runner.load(lambda: make_trainer("moons"))
    runner.step()
    seen = awaited(runner, lambda progress: progress.run != 2 or progress.snapshot.step == 1)
    assert seen.run == 2


def test_nothing_new_is_taken_twice(runner):
    runner.load(make_trainer)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)
    assert runner.take() is None


def test_an_epoch_and_a_phase(runner):
    runner.load(lambda: make_trainer("moons", batch_size=10))
    runner.epoch()
    awaited(runner, lambda progress: progress.snapshot.step == 10)
    runner.phase()
    assert awaited(runner, lambda progress: progress.phase is not None).phase.name == "forward"


@pytest.mark.slow
def test_a_setting_changes_while_it_runs_and_weights_stay(runner):
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 10)
    runner.change(learning_rate=0.0)
    held = awaited(runner, lambda progress: progress.snapshot.learning_rate == 0.0)
    later = awaited(runner, lambda progress: progress.snapshot.step > held.snapshot.step)
    assert later.snapshot.parameters.tolist() == held.snapshot.parameters.tolist()
    runner.change(optimizer="adam", learning_rate=0.01)
    awaited(runner, lambda progress: progress.snapshot.optimizer == "adam" and progress.state == "running")


def test_a_run_is_continued_from_a_past_step(runner):
    runner.load(make_trainer)
    runner.step(3)
    moment = awaited(runner, lambda progress: progress.snapshot.step == 3).snapshot
    runner.step(4)
    awaited(runner, lambda progress: progress.snapshot.step == 7)
    runner.continue_from(3)
    again = awaited(runner, lambda progress: progress.snapshot.step == 3)
    assert again.snapshot.parameters.tolist() == moment.parameters.tolist()


def test_divergence_is_told_and_another_run_works(runner):
    runner.load(lambda: make_trainer(sizes=[1], learning_rate=1e9))
    runner.run()
    assert "step" in awaited(runner, lambda progress: progress.state == "failed").message
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 10 and progress.state == "running")


def test_a_message_is_not_lost_behind_newer_progress(runner):
    runner.load(make_trainer)
    runner.run()
    runner.change(learning_rate=-1.0)
    assert "not changed" in awaited(runner, lambda progress: progress.message).message


def test_an_error_outside_of_the_steps_is_told_too(runner, monkeypatch, caplog):
    trainer = make_trainer()
    monkeypatch.setattr("engine.network.predictor.Predictor.decision_grid", lambda *_: 1 / 0)
    runner.load(lambda: trainer)
    with caplog.at_level(logging.ERROR):
        runner.set_grid(GridRequest((0, 1, 0, 1), 10))
        assert "ZeroDivisionError" in awaited(runner, lambda progress: progress.state == "failed").message
    runner.set_grid(None)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)


def test_a_run_that_cannot_be_made_is_told_and_the_one_before_does_not_go_on(runner, caplog):
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 0)
    with caplog.at_level(logging.ERROR):
        runner.load(lambda: make_trainer(sizes=[0]))
        runner.run()
        assert "cannot begin" in awaited_failure(runner).reason
    assert runner.take() is None
    runner.load(make_trainer)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)


def test_a_run_that_could_not_be_made_says_so_again_when_it_is_asked_for_steps(runner, caplog):
    with caplog.at_level(logging.ERROR):
        runner.load(lambda: make_trainer(sizes=[0]))
        for command in (runner.report, runner.step, runner.run, runner.phase):
            command()
            assert "cannot begin" in awaited_failure(runner).reason
            assert not runner.unanswered


def test_a_run_that_cannot_be_described_fails_with_the_moment_that_it_has_reached(runner, monkeypatch, caplog):
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(TrainingRun, "describe", lambda *_: 1 / 0)
        runner.load(make_trainer)
        runner.step(3)
        failure = awaited_failure(runner)
        assert "ZeroDivisionError" in failure.reason
        reached = failure.savable.step  # fewer than 3 where the machine is so busy that a report was due before
        assert failure.is_made and 1 <= reached <= 3
        assert runner.state == "failed" and not runner.unanswered
        runner.pause()
        assert runner.state == "failed"
    runner.step()
    assert awaited(runner, lambda progress: progress.state == "paused").snapshot.step == reached + 1


def test_a_failure_is_not_reported_after_a_newer_progress(runner, monkeypatch, caplog):
    describe, outcomes, failed = TrainingRun.describe, [ValueError, ValueError], threading.Event()

    def fail_twice(*arguments):
        if not outcomes:
            return describe(*arguments)
        error = outcomes.pop()
        if not outcomes:
            failed.set()
        raise error

    monkeypatch.setattr(TrainingRun, "describe", fail_twice)
    with caplog.at_level(logging.ERROR):
        runner.load(make_trainer)
        runner.step()
        assert failed.wait(PATIENCE)
        runner.report()
        awaited(runner, lambda progress: progress.snapshot.step == 1)
    assert runner.take_failure() is None


def test_a_run_that_cannot_be_ended_is_dropped_and_its_moment_can_be_saved(runner, monkeypatch, caplog):
    for name in ("describe", "fail"):
        monkeypatch.setattr(TrainingRun, name, lambda *_: 1 / 0)
    with caplog.at_level(logging.ERROR):
        runner.load(make_trainer)
        runner.run()
        failure = awaited_failure(runner)
        n_logged = len(caplog.records)
        runner.step()
        again = awaited_failure(runner)
    assert failure.is_made and failure.savable.step > 0 and again == failure
    assert len(caplog.records) == n_logged
    monkeypatch.undo()
    runner.load(make_trainer)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)


def test_a_run_whose_moment_cannot_be_had_either_says_so(runner, monkeypatch, caplog):
    monkeypatch.setattr(TrainingRun, "describe", lambda *_: 1 / 0)
    monkeypatch.setattr(TrainingRun, "savable", lambda *_: 1 / 0)
    with caplog.at_level(logging.ERROR):
        runner.load(make_trainer)
        runner.step()
        failure = awaited_failure(runner)
    assert failure.is_made and failure.savable is None


def test_a_failure_of_the_run_before_is_not_that_of_the_next(runner, monkeypatch, caplog):
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(TrainingRun, "describe", lambda *_: 1 / 0)
        runner.load(make_trainer)
        runner.step()
        awaited_failure(runner)
        runner.step()
        runner.load(make_trainer)
    assert runner.take_failure() is None
    runner.step()
    assert awaited(runner, lambda progress: progress.state == "paused").snapshot.step == 1


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_a_way_that_cannot_be_given_is_an_error_of_whoever_asked_for_it(runner, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(TrainingRun, "path", fail)
    runner.load(make_trainer)
    with pytest.raises(error):
        runner.path().result(PATIENCE)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, MemoryError])
def test_no_exception_ends_the_training_thread(runner, monkeypatch, caplog, error):
    def fail(*_):
        raise error

    runner.load(make_trainer)
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr("engine.network.trainer.Trainer.run", fail)
        runner.run()
        progress = awaited(runner, lambda progress: progress.state == "failed")
    assert error.__name__ in progress.message
    runner.run(5)
    assert awaited(runner, lambda progress: progress.state == "paused").snapshot.step == 5


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_has_ended_is_replaced_with_the_next_command(runner, monkeypatch):
    def end(*_):
        raise SystemExit

    runner.load(make_trainer)
    with monkeypatch.context() as patch:
        patch.setattr("gui.runner._log.exception", end)
        patch.setattr(TrainingRun, "advance", end)
        runner.run()
        for thread in training_threads():
            thread.join(PATIENCE)
    assert training_threads() == []
    runner.run(5)
    assert awaited(runner, lambda progress: progress.state == "paused").snapshot.step == 5


def test_a_step_is_unanswered_until_its_progress_is_taken(runner):
    runner.load(make_trainer)
    runner.report()
    assert not runner.unanswered
    runner.step()
    assert runner.unanswered
    awaited(runner, lambda progress: progress.snapshot.step == 1)
    assert not runner.unanswered


def test_a_step_of_a_run_that_is_still_being_made_is_unanswered(runner):
    runner.load(make_trainer)
    runner.step()
    awaited(runner, lambda progress: progress.snapshot.step == 1)
    gate = threading.Event()
    runner.load(lambda: gate.wait(PATIENCE) and make_trainer())
    runner.step()
    assert runner.take() is None
    assert runner.unanswered
    gate.set()
    awaited(runner, lambda progress: progress.snapshot.step == 1)
    assert not runner.unanswered


def test_a_pause_is_unanswered_until_the_last_step_is_known(runner):
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.state == "running")
    runner.pause()
    assert runner.unanswered
    awaited(runner, lambda progress: progress.state == "paused")
    assert not runner.unanswered


def test_closing_while_it_runs_ends_the_thread():
    runner = Runner()
    runner.load(make_trainer)
    runner.run()
    awaited(runner, lambda progress: progress.snapshot.step > 0)
    runner.stop()
    assert join_stopped()
    assert training_threads() == []
    runner.run()
    assert training_threads() == []


def test_closing_twice_or_without_a_thread_is_fine():
    runner = Runner()
    for _ in range(2):
        runner.stop()
        assert join_stopped()


def test_progress_is_frozen(runner):
    runner.load(make_trainer)
    runner.step()
    progress = awaited(runner, lambda progress: progress.snapshot.step == 1)
    with pytest.raises(AttributeError):
        progress.state = "idle"
    with pytest.raises(ValueError, match="read-only"):
        progress.snapshot.parameters[0] = np.nan
