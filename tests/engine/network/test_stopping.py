"""When training stops: trouble, named by the node that went bad first, and the rules a user sets."""

import random

import numpy as np
import pytest

from engine.network import MLP, SettingError, StopRules, Trainer, TrainingDiverged
from tests.engine.network.samples import XOR_X, XOR_Y, moons_trainer


def test_a_loss_that_is_no_number_stops_at_the_node_that_went_bad_first():
    model = MLP(2, [3, 1], activation="relu", rng=random.Random(2))
    trainer = Trainer(model, "sum_squared_error", X=np.array(XOR_X) * 1e3, y=XOR_Y, learning_rate=1e9)
    with pytest.raises(TrainingDiverged) as caught:
        for _ in range(1000):
            trainer.step()
    trouble = caught.value
    assert trouble.step == trainer.step_count == len(trainer.losses)
    assert trouble.node in ("L1N1.sum", "L1N2.sum", "L1N3.sum", "L2N1", "loss")
    assert trouble.sample in range(4)
    assert np.all(np.isfinite(trouble.parameters))
    trainer.go_back()
    assert np.array_equal(trainer.model.weights, trouble.parameters)
    assert np.isfinite(trainer.snapshot().loss)
    trainer.change(learning_rate=1e-12)
    trainer.step()


def test_a_total_may_be_too_large_though_no_sample_is():
    trainer = Trainer(MLP(1, [1]), "sum_squared_error", X=np.ones((4, 1)), y=np.zeros(4))
    trainer.model.weights = [1e154, 0.0]
    with pytest.raises(TrainingDiverged, match="first at the total loss") as caught:
        trainer.step()
    assert caught.value.sample is None


def test_a_snapshot_of_a_diverged_run_still_has_its_loss():
    trainer = moons_trainer()
    trainer.model.weights = np.full(trainer.model.n_parameters, 1e308)
    with pytest.raises(TrainingDiverged):
        trainer.step()
    assert not np.isfinite(trainer.snapshot().loss)


@pytest.mark.parametrize("rules, words", [
    (StopRules(target_loss=0.5), "reached its target 0.5"),
    (StopRules(target_accuracy=0.8), "The accuracy"),
    (StopRules(max_steps=12), "12 steps are done"),
    (StopRules(max_epochs=3), "3 passes over the data are done"),
])  # fmt: skip
def test_stop_rules_end_a_run(rules, words):
    trainer = moons_trainer(optimizer="adam", stop_rules=rules)
    assert words in trainer.run(2000)
    assert trainer.step_count < 2000


def test_a_plateau_ends_a_run():
    trainer = moons_trainer(learning_rate=0.0, stop_rules=StopRules(plateau=20))
    assert "not become lower for 20 steps" in trainer.run(1000)
    assert 20 < trainer.step_count < 60


def test_without_a_reason_a_run_goes_to_its_end():
    trainer = moons_trainer()
    assert trainer.run(5) == ""
    assert trainer.step_count == 5


@pytest.mark.parametrize("changes", [
    {"target_loss": float("nan")}, {"target_accuracy": 1.5}, {"plateau": 0}, {"max_steps": 1.5}, {"max_epochs": -1},
    {"min_change": -1.0},
])  # fmt: skip
def test_stop_rules_out_of_range_are_refused(changes):
    with pytest.raises(SettingError):
        StopRules(**changes)
