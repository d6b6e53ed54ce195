"""The way of a run: what is computed between the moments kept is what the run was at, to the last bit."""

import itertools
import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import MLP, Trainer
from engine.network.run.history import History
from engine.network.run.training_run import TrainingRun


def run_of(steps, **given):
    data = make_dataset("moons", n_samples=11, noise=0.1, seed=1)
    model = MLP(2, [3, 1], activation="tanh", rng=random.Random(1))
    run = TrainingRun(1, Trainer(model, X=data.X, y=data.y, batch_size=4, **given), history=History(capacity=5))
    if steps:
        run.step(steps)
    while run.busy:
        run.advance(0.001)
    return run


@pytest.mark.slow
def test_the_way_of_a_run_is_what_it_was_at_step_by_step():
    moments = run_of(50, learning_rate=0.1).path().snapshots(20)
    steps = [moment.step for moment in moments]
    assert steps[:4] == [0, 1, 2, 3] and steps[-1] == 50 and steps == sorted(set(steps))
    for moment in moments:
        np.testing.assert_array_equal(
            moment.parameters, run_of(moment.step, learning_rate=0.1).path().snapshots(4)[-1].parameters
        )


def test_the_run_goes_on_beside_its_way():
    run = run_of(30)
    path = run.path()
    run.step(5)
    while run.busy:
        run.advance(0.001)
    assert path.snapshots(20)[-1].step == 30
    assert run.path().snapshots(20)[-1].step == 35


def test_without_time_there_is_what_was_kept_and_the_newest():
    run = run_of(30)
    path = run.path()
    kept = {*path.snapshots(20, seconds=0.0)}
    assert {moment.step for moment in kept} <= {moment.step for moment in run.path().snapshots(20)}
    assert {0, 30} <= {moment.step for moment in kept} and len(kept) <= 6
    asked = itertools.count()
    assert len(run.path().snapshots(20, cancelled=lambda: next(asked) >= 0)) <= 6


def test_a_run_that_diverged_has_a_way_of_finite_moments():
    moments = run_of(60, learning_rate=1e9, optimizer="momentum").path().snapshots(20)
    assert moments and all(np.isfinite(moment.parameters).all() for moment in moments)


def test_a_run_that_has_not_begun_stands_at_one_point():
    assert [moment.step for moment in run_of(0).path().snapshots(20)] == [0]
