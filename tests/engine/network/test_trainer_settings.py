"""What training is asked for: changed while it goes on, noted where it is doubtful, refused where it cannot be."""

import random

import numpy as np
import pytest

from engine.network import (
    MLP,
    SCHEDULES,
    SettingError,
    Trainer,
)
from tests.engine.network.samples import XOR_X, XOR_Y, moons_trainer


def test_loss_and_optimizer_change_together():
    trainer = moons_trainer(optimizer="nesterov")
    trainer.step()
    trainer.change(optimizer="adamw", loss="hinge")
    assert (trainer.optimizer.name, trainer.optimizer.updates) == ("adamw", 0)
    trainer.step()


@pytest.mark.parametrize("changes", [
    {"optimizer": "adam"}, {"learning_rate": 0.5}, {"loss": "hinge"}, {"loss": "mean_squared_error"},
    {"batch_size": 4}, {"l1": 0.1, "l2": 0.2}, {"dtype": "float32"}, {"clip_norm": 1.0}, {"schedule": "warmup"},
])  # fmt: skip
def test_a_change_keeps_the_weights(changes):
    trainer = moons_trainer(optimizer="momentum")
    for _ in range(3):
        trainer.step()
    before = trainer.model.weights
    trainer.change(**changes)
    assert trainer.model.weights == pytest.approx(before, abs=1e-7)
    trainer.step()
    assert trainer.step_count == 4
    for name, value in changes.items():
        assert getattr(trainer.settings, name) == value


def test_the_memory_of_an_optimizer_survives_a_change_of_precision():
    trainer = moons_trainer(optimizer="adam")
    trainer.step()
    before = trainer.snapshot()
    trainer.change(dtype="float32")
    assert trainer.optimizer.updates == 1
    assert trainer.optimizer.state["average"] == pytest.approx(before.optimizer_state["average"], abs=1e-7)


def test_the_memory_of_an_optimizer_survives_other_numbers_of_it():
    trainer = moons_trainer(optimizer="adam")
    trainer.step()
    before = trainer.snapshot()
    trainer.change(optimizer_settings={"beta1": 0.5})
    assert trainer.optimizer.settings["beta1"] == 0.5
    assert trainer.optimizer.updates == 1
    assert np.array_equal(trainer.optimizer.state["average"], before.optimizer_state["average"])


def test_a_change_that_cannot_be_made_changes_nothing():
    trainer = moons_trainer(optimizer="momentum")
    trainer.step()
    before, settings = trainer.model.weights, trainer.settings
    targets = trainer.data.targets
    for wrong in ({"loss": "softmax_cross_entropy"}, {"batch_size": 41}, {"optimizer": "sdg"}, {"lr": 0.1},
                  {"loss": "hinge", "optimizer_settings": {"momentum": 2.0}}):  # fmt: skip
        with pytest.raises(SettingError):
            trainer.change(**wrong)
    assert trainer.data.targets is targets
    assert trainer.settings is settings
    assert np.array_equal(trainer.model.weights, before)
    trainer.step()


def test_weights_edited_by_hand_are_trained_on():
    trainer = moons_trainer()
    trainer.step()
    trainer.model.weights = np.zeros(trainer.model.n_parameters)
    assert trainer.step() == pytest.approx(np.log(2))


def test_the_learning_rate_follows_number_function_and_schedule():
    trainer = moons_trainer(learning_rate=lambda step: 0.5 / (1 + step))
    assert trainer.learning_rate == 0.5 and trainer.notes == []
    trainer.step()
    assert trainer.learning_rate == 0.25
    trainer.learning_rate = 0.1
    assert trainer.learning_rate == 0.1
    trainer.change(schedule="step", schedule_settings={"every": 1, "drop": 0.5})
    assert trainer.learning_rate == 0.05
    trainer.change(schedule=lambda step: 1.0 / step, schedule_settings={})
    assert trainer.step_count == 1 and trainer.learning_rate == 0.1
    trainer.step()
    assert trainer.learning_rate == 0.05
    with pytest.raises(SettingError, match="learning rate must be a finite number from 0"):
        trainer.learning_rate = -0.1


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_can_train(name):
    trainer = moons_trainer(schedule=name)
    first = trainer.step()
    for _ in range(20):
        trainer.step()
    assert trainer.losses[-1] < first


def test_a_learning_rate_of_0_is_allowed_with_a_note():
    trainer = moons_trainer(learning_rate=0)
    before = trainer.model.weights
    trainer.step()
    assert np.array_equal(trainer.model.weights, before)
    assert "nothing will change" in " ".join(trainer.notes)


def test_doubtful_settings_get_a_note():
    model = MLP(2, [2, 1], output_activation="sigmoid", initialiser="zeros")
    notes = " ".join(Trainer(model, "binary_cross_entropy", X=XOR_X, y=XOR_Y).notes)
    assert "comes twice" in notes
    assert "symmetry" in notes


@pytest.mark.parametrize("changes, words", [
    ({"X": [[1.0, 2.0, 3.0]], "y": [1]}, "this network takes 2 inputs, the data has 3"),
    ({"X": [], "y": []}, "with a sample or more"),
    ({"X": [[1.0, float("nan")]], "y": [1]}, "X, row 1, column 2, must be a finite number, not nan"),
    ({"X": [[1.0, "a"]], "y": [1]}, "a table of numbers"),
    ({"y": [0, 1]}, "y must be 4 labels, one for each sample, not 2"),
    ({"X_test": XOR_X}, "both X_test and y_test"),
    ({"X_test": XOR_X, "y_test": [0, 1]}, "y_test must be 4 labels"),
    ({"X_test": XOR_X, "y_test": [0, 1, 2, 3]}, "needs labels"),
    ({"loss": "mean_squared_error", "X_test": XOR_X, "y_test": [0, 1, 0.5, 3]}, "same kind as the training labels"),
    ({"batch_size": 5}, "batch size must be at most the number of samples, 4, not 5"),
    ({"batch_size": 0}, "batch size must be a whole number"),
    ({"loss": "hing"}, "no loss 'hing', did you mean 'hinge'"),
    ({"optimizer": "adm"}, "no optimizer 'adm', did you mean 'adam'"),
    ({"schedule": "cosin"}, "no schedule 'cosin'"),
    ({"dtype": "float16"}, "no dtype 'float16', did you mean"),
    ({"learning_rat": 0.1}, "no setting 'learning_rat', did you mean 'learning_rate'"),
    ({"seed": -1}, "seed must be a whole number"),
    ({"seed": 2**64}, "seed must be a whole number"),
    ({"l2": -1.0}, "l2 must be a finite number at least 0"),
    ({"l1": float("inf")}, "l1 must be"),
    ({"clip_norm": 0.0}, "clip_norm must be"),
    ({"optimizer_settings": {"momentum": 0.5}}, "no setting of sgd 'momentum'"),
    ({"schedule_settings": {"steps": 5}}, "no setting of schedule constant 'steps'"),
    *[({"learning_rate": rate}, "learning rate must be a finite number from 0 to 1e\\+09")
      for rate in (-0.1, float("nan"), float("inf"), 1e308, "0.1", None, True)],
])  # fmt: skip
def test_what_cannot_be_trained_is_refused(changes, words):
    arguments = {"loss": "hinge", "X": XOR_X, "y": XOR_Y, **changes}
    with pytest.raises(SettingError, match=words):
        Trainer(MLP(2, [2, 1], rng=random.Random(0)), **arguments)


def test_the_values_of_a_network_are_the_rounded_numbers_that_train_in_another_precision():
    trainer = Trainer(MLP(2, [3, 1], activation="tanh"), "sum_squared_error", X=XOR_X, y=XOR_Y, learning_rate=0.1)
    trainer.run(3)
    trainer.change(dtype="float32")
    assert [value.data for value in trainer.model.parameters()] == trainer.model.weights.tolist()
    assert all(float(np.float32(number)) == number for number in trainer.model.weights)
    trainer.change(dtype="float64", loss="mean_squared_error")
    assert trainer.predictor.note == ""  # the fast program agrees with the graph


def test_numbers_of_a_diverged_network_that_are_too_large_for_32_bits_become_infinite_without_a_warning():
    trainer = Trainer(MLP(2, [1]), "mean_squared_error", X=XOR_X, y=XOR_Y, optimizer="momentum", learning_rate=1e6)
    while np.abs(trainer.model.weights).max() < 1e40:
        trainer.step()
    trainer.change(dtype="float32")
    assert np.isinf(trainer.model.weights).any()
