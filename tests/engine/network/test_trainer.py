"""Training: published runs, steps and phases, going back, changing one's mind, and what is refused."""

import csv
import gc
import itertools
import json
import random
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import (
    LOSSES,
    MLP,
    OPTIMIZERS,
    SCHEDULES,
    Penalty,
    SettingError,
    SizeError,
    Trainer,
    saved_snapshot,
    scalar_objective,
)
from engine.network.trainer import KEPT_LOSSES
from tests.engine.network.samples import XOR_X, XOR_Y, assert_same_moment, moons_trainer

TUTORIAL_X = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
TUTORIAL_Y = [1.0, -1.0, -1.0, 1.0]


def tanh_network(n_inputs, seed):
    return MLP(n_inputs, [4, 4, 1], activation="tanh", output_activation="tanh", rng=random.Random(seed))


def test_the_published_log_of_the_micrograd_demo_is_reproduced():
    random.seed(1337)
    data = make_dataset("moons", n_samples=100, noise=0.1, rng=np.random.RandomState(1337))
    model = MLP(2, [16, 16, 1])
    trainer = Trainer(
        model, loss="hinge", X=data.X, y=data.y, l2=1e-4, learning_rate=1.0, schedule="linear",
        schedule_settings={"steps": 100, "end": 0.1},
    )  # fmt: skip
    lines = Path(__file__).parents[3].joinpath("resources/examples/demo_log.csv").read_text().splitlines()
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        assert 100 * trainer.accuracy() == pytest.approx(float(row["accuracy"]), abs=1e-9)
        assert trainer.step() == pytest.approx(float(row["loss"]), abs=1e-9)
    assert trainer.step_count == 100
    assert trainer.accuracy() == 1.0


@pytest.mark.slow
def test_the_four_points_of_the_tutorial_are_learnt_from_every_seed():
    last = []
    for seed in range(100):
        trainer = Trainer(tanh_network(3, seed), "sum_squared_error", X=TUTORIAL_X, y=TUTORIAL_Y, learning_rate=0.05)
        for _ in range(100):
            trainer.step()
        last.append(trainer.snapshot().loss)
    assert max(last) < 0.1
    assert 0.004 < np.median(last) < 0.012


def test_xor_is_learnt_from_every_seed():
    for seed in range(10):
        trainer = Trainer(tanh_network(2, seed), "sum_squared_error", X=XOR_X, y=XOR_Y, learning_rate=0.1)
        for _ in range(1000):
            trainer.step()
        assert trainer.losses[-1] < 0.01
        assert trainer.accuracy() == 1.0


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_is_the_scalar_loop_of_a_tutorial(name):
    """zero_grad, forward, backward, update by hand on Values, for a full batch with penalties."""
    trainer = moons_trainer(6, optimizer=name, l1=1e-3, l2=1e-2)
    twin = trainer.model.copy()
    rule = OPTIMIZERS[name](twin.weights)
    for _ in range(3):
        twin.zero_grad()
        targets = trainer.data.targets.values
        loss = scalar_objective(twin, LOSSES["binary_cross_entropy"], trainer.data.X, targets, Penalty(1e-3, 1e-2))
        loss.backward()
        weights = twin.weights
        rule.update(weights, np.array([p.grad for p in twin.parameters()]), 0.1)
        assert trainer.step() == pytest.approx(loss.data, abs=1e-12)
        twin.weights = weights
        assert trainer.model.weights == pytest.approx(weights, abs=1e-11)
        assert [p.grad for p in trainer.model.parameters()] == pytest.approx([p.grad for p in twin.parameters()])


SETTINGS = [
    {},
    {"optimizer": "adam", "batch_size": 7, "l1": 0.01, "l2": 0.1},
    {"optimizer": "momentum", "clip_norm": 0.5, "clip_value": 0.1, "dtype": "float32"},
    {"schedule": "cosine", "batch_size": 1, "loss": "hinge", "optimizer": "rmsprop"},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_phases_run_to_the_end_are_a_step_bit_for_bit(settings):
    one, other = moons_trainer(**settings), moons_trainer(**settings)
    for _ in range(9):
        phases = list(one.phases())
        assert phases[1].loss == other.step()
        assert np.array_equal(one.model.weights, other.model.weights)
        assert np.array_equal(one.snapshot(False).gradients, other.snapshot(False).gradients)
    assert one.losses == other.losses
    assert (one.step_count, one.epoch_count) == (other.step_count, other.epoch_count)


def test_every_phase_tells_the_truth():
    trainer = moons_trainer(batch_size=8, l2=0.01)
    trainer.step()
    before, stale = trainer.model.weights, trainer.snapshot().gradients
    forward, loss, zero_grad, backward, update = trainer.phases()
    assert [p.name for p in (forward, loss, zero_grad, backward, update)] == [
        "forward", "loss", "zero_grad", "backward", "update",
    ]  # fmt: skip
    assert forward.rows.tolist() == update.rows.tolist()
    twin = trainer.model.copy()
    twin.weights = before
    assert forward.outputs == pytest.approx(twin(trainer.data.X[forward.rows]).data, abs=1e-13)
    assert forward.loss is None
    assert np.array_equal(forward.gradients, stale)
    assert loss.loss == trainer.losses[-1]
    assert not np.any(zero_grad.gradients)
    assert np.any(backward.gradients)
    assert np.array_equal(backward.parameters, before)
    assert update.parameters == pytest.approx(before - 0.1 * backward.gradients, abs=1e-15)
    assert [p.step for p in (forward, backward, update)] == [1, 1, 2]
    assert all(p.description and p.changed for p in (forward, loss, zero_grad, backward, update))


@pytest.mark.parametrize("settings", SETTINGS)
def test_looking_ahead_is_the_next_step_bit_for_bit_and_changes_nothing(settings):
    plain, looking = moons_trainer(**settings), moons_trainer(**settings)
    for _ in range(9):
        before = looking.snapshot()
        update = looking.next_update()
        after = looking.snapshot()
        assert np.array_equal(before.parameters, after.parameters)
        assert np.array_equal(before.gradients, after.gradients)
        assert before.optimizer_updates == after.optimizer_updates
        assert plain.step() == looking.step() == update.loss
        assert np.array_equal(update.after, looking.model.weights)
        assert np.array_equal(update.gradients, looking.snapshot(False).gradients)
        assert np.array_equal(plain.model.weights, looking.model.weights)
    assert sorted(update.rows.tolist()) == sorted(set(update.rows.tolist()))


def test_phases_left_early_change_no_parameter():
    trainer = moons_trainer()
    before = trainer.model.weights
    for _ in itertools.islice(trainer.phases(), 4):
        pass
    assert np.array_equal(trainer.model.weights, before)
    assert trainer.step_count == 0
    assert trainer.losses == []


def test_what_phases_hand_out_cannot_be_written_to():
    trainer = moons_trainer()
    for record in (*trainer.phases(), trainer.snapshot()):
        with pytest.raises(ValueError, match="read-only"):
            record.parameters[0] = 1.0


def test_every_sample_is_used_once_in_an_epoch_in_a_seeded_order():
    trainer = moons_trainer(20, batch_size=6)
    epochs = []
    for _ in range(2):
        rows = []
        for _ in range(4):
            *_, update = trainer.phases()
            rows += update.rows.tolist()
        epochs.append(rows)
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(20))
    assert epochs[0] != epochs[1]
    assert trainer.epoch_count == 2
    again, other = moons_trainer(20, batch_size=6), moons_trainer(20, batch_size=6)
    other.change(seed=2**64 - 1)
    assert next(again.phases()).rows.tolist() == epochs[0][:6] != next(other.phases()).rows.tolist()


def test_an_epoch_ends_with_the_pass_over_the_data():
    trainer = moons_trainer(20, batch_size=6)
    trainer.step()
    mean = trainer.epoch()
    assert (trainer.epoch_count, trainer.step_count) == (1, 4)
    assert mean == pytest.approx(np.mean(trainer.losses[1:]))
    trainer.epoch()
    assert (trainer.epoch_count, trainer.step_count) == (2, 8)


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_run_restored_goes_on_as_it_did(settings):
    trainer = moons_trainer(**settings)
    for _ in range(7):
        trainer.step()
    moment = trainer.snapshot()
    first = [trainer.step() for _ in range(9)]
    trainer.restore(moment)
    assert trainer.step_count == moment.step == len(trainer.losses)
    assert np.array_equal(trainer.model.weights, moment.parameters)
    assert [trainer.step() for _ in range(9)] == first


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_moment_from_a_file_goes_on_in_a_new_trainer_as_the_run_would_have(settings):
    whole, fresh = moons_trainer(**settings), moons_trainer(**settings)
    for _ in range(9):
        whole.step()
    moment = whole.snapshot()
    fresh.restore(as_a_file_has_it(moment))
    assert fresh.losses == []
    for _ in range(12):
        assert fresh.step() == whole.step()
        assert np.array_equal(fresh.model.weights, whole.model.weights)
    after, expected = fresh.snapshot(), whole.snapshot()
    assert after.optimizer_updates == expected.optimizer_updates == 21
    assert (after.step, after.epoch, after.position) == (expected.step, expected.epoch, expected.position)
    assert after.learning_rate == expected.learning_rate
    for name, array in expected.optimizer_state.items():
        assert np.array_equal(after.optimizer_state[name], array)


def as_a_file_has_it(moment):
    """The moment after its numbers were written as text and read again."""
    numbers = json.loads(json.dumps(moment.parameters.tolist()))
    state = {name: json.loads(json.dumps(array.tolist())) for name, array in moment.optimizer_state.items()}
    place = moment.step, moment.epoch, moment.position
    return saved_snapshot(moment.settings, numbers, *place, state, moment.optimizer_updates)


def test_losses_begin_at_a_moment_that_comes_from_a_file():
    trainer = moons_trainer()
    trainer.step()
    trainer.restore(saved_snapshot(trainer.settings, trainer.model.weights, 500, 500))
    trainer.step()
    assert len(trainer.losses) == 1


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_copy_goes_on_the_same_way_and_shares_nothing(dtype):
    trainer = moons_trainer(optimizer="adam", batch_size=7, dtype=dtype, l1=1e-3)
    for _ in range(9):
        trainer.step()
    moment, twin = trainer.snapshot(), trainer.copy()
    assert_same_moment(twin.snapshot(), moment)
    for _ in range(9):
        twin.step()
    twin.change(loss="hinge")
    assert_same_moment(trainer.snapshot(), moment)
    for _ in range(9):
        trainer.step()
    assert np.array_equal(twin.model.weights, trainer.model.weights)


def test_loss_and_optimizer_change_together():
    trainer = moons_trainer(optimizer="nesterov")
    trainer.step()
    trainer.change(optimizer="adamw", loss="hinge")
    assert (trainer.optimizer.name, trainer.optimizer.updates) == ("adamw", 0)
    trainer.step()


def test_a_moment_brings_its_settings_back_where_they_are_asked_for():
    trainer = moons_trainer(optimizer="momentum", batch_size=10)
    for _ in range(5):
        trainer.step()
    moment = trainer.snapshot()
    trainer.change(optimizer="sgd", loss="hinge", batch_size=20, dtype="float32")
    trainer.step()
    trainer.restore(moment, with_settings=True)
    assert_same_moment(trainer.snapshot(), moment)


def test_a_memory_that_does_not_fit_is_refused_and_nothing_changes():
    trainer = moons_trainer(optimizer="adam")
    trainer.step()
    before = trainer.snapshot()
    zeros = np.zeros(trainer.model.n_parameters)
    for state in ({"average": zeros}, {"average": zeros, "square_average": zeros[1:]}):
        with pytest.raises(SizeError, match="memory square_average of adam must be of the shape"):
            trainer.restore(saved_snapshot(trainer.settings, zeros, 3, optimizer_state=state, optimizer_updates=3))
    assert np.array_equal(trainer.model.weights, before.parameters)
    assert np.array_equal(trainer.optimizer.state["average"], before.optimizer_state["average"])
    assert trainer.step_count == 1


def test_a_snapshot_is_a_copy_of_one_moment():
    data = make_dataset("moons", n_samples=30, noise=0.1, seed=5)
    trainer = moons_trainer(optimizer="adam", X_test=data.X, y_test=data.y)
    trainer.step()
    snapshot = trainer.snapshot()
    parameters, moments = snapshot.parameters.copy(), snapshot.optimizer_state["average"].copy()
    assert (snapshot.step, snapshot.epoch, snapshot.optimizer_updates) == (1, 1, 1)
    assert snapshot.seen_loss == trainer.losses[-1]
    assert snapshot.test_accuracy == trainer.accuracy(data.X, data.y)
    assert snapshot.test_loss != snapshot.loss == pytest.approx(trainer.step(), abs=1e-14)
    assert np.array_equal(snapshot.parameters, parameters)
    assert np.array_equal(snapshot.optimizer_state["average"], moments)


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
    assert trainer.learning_rate == 0.5
    trainer.step()
    assert trainer.learning_rate == 0.25
    trainer.learning_rate = 0.1
    assert trainer.learning_rate == 0.1
    trainer.change(schedule="step", schedule_settings={"every": 1, "drop": 0.5})
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


def test_predictions_are_the_network_on_an_array():
    trainer = moons_trainer()
    trainer.step()
    assert trainer.predict(trainer.data.X) == pytest.approx(trainer.model(trainer.data.X).data, abs=1e-13)
    hidden = trainer.predictor.layer_outputs(trainer.data.X)
    assert [layer.shape for layer in hidden] == [(40, 8), (40, 8), (40, 1)]


def test_a_decision_grid_has_a_row_for_each_y():
    trainer = moons_trainer()
    grid = trainer.predictor.decision_grid((-1, 2), (0, 1), 5, dtype="float64")
    assert grid.shape == (5, 5, 1)
    assert grid[4, 1] == pytest.approx(trainer.predict([[-0.25, 1.0]])[0])
    assert trainer.predictor.decision_grid((-1, 2), (0, 1), 50) == pytest.approx(
        trainer.predictor.decision_grid((-1, 2), (0, 1), 50, dtype="float64"), abs=1e-4
    )


def test_a_decision_grid_may_compute_features():
    model = MLP(3, [1], rng=random.Random(0))
    trainer = Trainer(model, X=[[1.0, 2.0, 3.0]], y=[1.0])
    grid = trainer.predictor.decision_grid((0, 1), (0, 1), 3, lambda X: np.column_stack([X, X[:, 0] * X[:, 1]]))
    assert grid.shape == (3, 3, 1)
    with pytest.raises(SizeError):
        trainer.predictor.decision_grid((0, 1), (0, 1), 3)


def test_a_confusion_matrix_counts_decisions():
    trainer = moons_trainer(X_test=[[0.0, 1.0]], y_test=[-1])
    counts = trainer.predictor.confusion()
    assert counts.sum() == 40
    assert counts.trace() / 40 == trainer.accuracy()
    assert counts[1, 0] == np.sum(
        (trainer.data.targets.classes == 1) & (trainer.predictor.classify(trainer.data.X) == 0)
    )
    assert trainer.predictor.confusion(test=True).sum() == 1
    assert Trainer(MLP(1, [1]), X=[1.0, 2.0], y=[0.3, 0.5]).predictor.confusion() is None
    assert moons_trainer().predictor.confusion(test=True) is None


@pytest.mark.parametrize("batch_size", [None, 3])
def test_other_data_is_trained_on_by_another_trainer_with_the_same_weights(batch_size):
    first = moons_trainer(batch_size=batch_size, optimizer="adam")
    first.step()
    before = first.model.weights
    with pytest.raises(SettingError, match="needs labels"):
        Trainer(first.model, "binary_cross_entropy", X=XOR_X, y=[0, 1, 2, 3])
    assert np.array_equal(first.model.weights, before)
    trainer = Trainer(first.model, "binary_cross_entropy", X=XOR_X, y=XOR_Y, batch_size=batch_size)
    assert np.array_equal(trainer.model.weights, before)
    assert sorted(row for p in list(trainer.phases())[:1] for row in p.rows)[-1] < 4
    assert trainer.predict(XOR_X).shape == (4, 1)


def test_one_point_trains():
    trainer = Trainer(MLP(1, [1], rng=random.Random(0)), X=[1.0], y=[2.0], learning_rate=0.25)
    for _ in range(60):
        trainer.step()
    assert trainer.predict([1.0])[0, 0] == pytest.approx(2.0)


def test_several_outputs_are_regressed_and_classified():
    model = MLP(2, [8, 2], activation="tanh", rng=random.Random(0))
    for loss in ("mean_squared_error", "softmax_cross_entropy"):
        trainer = Trainer(model.copy(), loss, "adam", X=XOR_X, y=XOR_Y, learning_rate=0.05)
        for _ in range(400):
            trainer.step()
        assert trainer.accuracy() == 1.0
    trainer = Trainer(model, X=XOR_X, y=[[0.0, 1.0], [1.5, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert trainer.accuracy() is None


def test_labels_may_be_given_in_the_loss_s_own_encoding():
    data = make_dataset("moons", n_samples=20, noise=0.1, seed=1)
    runs = [Trainer(MLP(2, [3, 1], rng=random.Random(1)), "hinge", X=data.X, y=y) for y in (data.y, data.signed)]
    assert runs[0].step() == runs[1].step()


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


def test_a_snapshot_of_another_network_is_refused():
    other = Trainer(MLP(2, [2, 1]), X=XOR_X, y=XOR_Y).snapshot()
    with pytest.raises(SizeError, match="weights must be of the shape"):
        moons_trainer().restore(other)


@pytest.mark.slow
def test_other_batch_sizes_take_no_more_memory_than_the_first(monkeypatch):
    monkeypatch.setattr("engine.network.fast_program.KEPT_NUMBERS", 10_000)
    gc.disable()  # as in the window, where garbage is collected when it is idle
    X = np.random.RandomState(0).normal(size=(6000, 2))
    tracemalloc.start()
    trainer = Trainer(MLP(2, [60, 1], activation="tanh"), X=X, y=X[:, 0])
    trainer.step()
    first = tracemalloc.get_traced_memory()[1]
    for size in range(5999, 5990, -1):
        trainer.change(batch_size=size)
        trainer.step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    gc.enable()
    assert peak < 1.2 * first


def test_the_losses_that_are_kept_take_less_than_50_megabytes(monkeypatch):
    a_number_and_its_place = sys.getsizeof(0.5) + 8
    assert KEPT_LOSSES * a_number_and_its_place < 50_000_000
    monkeypatch.setattr("engine.network.trainer.KEPT_LOSSES", 10)
    trainer = Trainer(MLP(1, [1], rng=random.Random(1)), X=[[0.0], [1.0]], y=[0.0, 1.0])
    for step in range(1, 50):
        trainer.step()
        assert min(step, 5) <= len(trainer.losses) <= 10


def test_the_penalty_of_huge_weights_is_told_without_a_warning():
    model = MLP(2, [1], initialiser="zeros")
    model.weights = np.full(3, 1e200)
    trainer = Trainer(model, X=[[0.0, 1.0]], y=[1.0], l2=0.1, learning_rate=1e-9)
    assert trainer.snapshot().loss == np.inf
    assert trainer.next_update().loss == np.inf
