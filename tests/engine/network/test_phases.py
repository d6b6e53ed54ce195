"""A step phase by phase, forward and back."""

from random import Random

import pytest

from engine.network.run.training_run import TrainingRun
from tests.engine.network.samples import advanced, make_trainer


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


@pytest.mark.slow
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
