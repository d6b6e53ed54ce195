"""The history of a run: bounded, evenly spaced, first and newest moments kept."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.network import MLP, History, SettingError, Trainer
from tests.engine.network.samples import moons_trainer


def trainer_with(history, steps):
    model = MLP(1, [2, 1], activation="tanh", rng=random.Random(0))
    trainer = Trainer(model, X=[[0.0], [1.0]], y=[0.0, 1.0], history=history)
    for _ in range(steps):
        trainer.step()
    return trainer


def test_early_on_every_step_is_kept():
    trainer = trainer_with(History(), 20)
    assert trainer.history.steps == list(range(21))
    assert np.array_equal(trainer.history.at(20).parameters, trainer.model.weights)


@pytest.mark.slow
@given(st.integers(2, 40), st.integers(1, 300))
def test_moments_are_bounded_ascending_and_evenly_spaced(capacity, steps):
    history = trainer_with(History(capacity=capacity), steps).history
    assert len(history) <= capacity
    assert history.steps[0] == 0
    assert history.steps == sorted(set(history.steps))
    gaps = np.diff(history.steps)
    assert set(gaps[:-1].tolist()) <= {history.every}
    assert history.every <= 2 ** np.ceil(np.log2(1 + 2 * steps / (capacity - 1)) + 1)


def test_memory_is_bounded_too():
    history = trainer_with(History(max_bytes=10_000), 200).history
    held = sum(moment.parameters.nbytes + moment.gradients.nbytes for moment in history)
    assert len(history) >= 2
    assert held < 10_000


def test_the_moment_at_a_step_is_the_newest_one_not_after_it():
    history = trainer_with(History(capacity=10), 100).history
    for step in (0, 3, 50, 99, 10**9):
        moment = history.at(step)
        later = [kept for kept in history.steps if kept > moment.step]
        assert moment.step <= step
        assert not later or later[0] > step


def test_curves_and_the_path_of_the_parameters():
    trainer = trainer_with(History(), 10)
    steps, losses = trainer.history.curve("seen_loss")
    assert steps.tolist() == list(range(1, 11))
    assert losses.tolist() == trainer.losses
    assert trainer.history.path().shape == (11, trainer.model.n_parameters)
    assert trainer.history.curve("accuracy")[0].tolist() == []
    with pytest.raises(SettingError, match="no curve 'los', did you mean 'loss'"):
        trainer.history.curve("los")


def test_an_empty_history_has_no_moment():
    with pytest.raises(SettingError, match="nothing recorded"):
        History().at(0)


@pytest.mark.parametrize("settings", [{"capacity": 1}, {"capacity": 2.5}, {"max_bytes": 0}])
def test_limits_out_of_range_are_refused(settings):
    with pytest.raises(SettingError):
        History(**settings)


def test_a_history_records_while_training_and_is_cut_when_going_back():
    trainer = moons_trainer(history=History(capacity=50))
    for _ in range(200):
        trainer.step()
    assert len(trainer.history) <= 50
    moment = trainer.history.at(100)
    trainer.restore(moment)
    assert trainer.history.steps[-1] == moment.step == trainer.step_count
    assert len(trainer.losses) == moment.step
