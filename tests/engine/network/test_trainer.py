"""Training: published runs, steps and phases, the order of samples, other data, and what it takes."""

import csv
import gc
import itertools
import random
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import (
    LOSSES,
    MLP,
    OPTIMIZERS,
    Penalty,
    SettingError,
    Trainer,
    scalar_objective,
)
from engine.network.trainer import KEPT_LOSSES
from tests.engine.network.samples import SETTINGS, XOR_X, XOR_Y, moons_trainer

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
        assert trainer.step() + trainer.seen_penalty == pytest.approx(float(row["loss"]), abs=1e-9)
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


@pytest.mark.slow
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
        assert trainer.step() + trainer.seen_penalty == pytest.approx(loss.data, abs=1e-12)
        twin.weights = weights
        assert trainer.model.weights == pytest.approx(weights, abs=1e-11)
        assert [p.grad for p in trainer.model.parameters()] == pytest.approx([p.grad for p in twin.parameters()])


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


@pytest.mark.slow
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
    runs = [Trainer(MLP(2, [3, 1], rng=random.Random(1)), "hinge", X=data.X, y=y) for y in (data.classes, data.y)]
    assert runs[0].step() == runs[1].step()


@pytest.mark.slow
def test_other_batch_sizes_take_no_more_memory_than_the_first(monkeypatch):
    monkeypatch.setattr("engine.network.fast.fast_program.KEPT_NUMBERS", 10_000)
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


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (0.5, 0.25, ("0.5000", "-0.2500", "0.2500")),
        (1.00004, 0.99996, ("1.00004", "-0.00008", "0.99996")),
        (-1944926.0140856819, 271605.83751049615, ("-1.94e+06", "2.22e+06", "271605.8375")),  # no digits do
    ],
)
def test_the_sum_of_a_step_is_exact_where_some_number_of_digits_makes_it_so(before, after, texts):
    update = replace(moons_trainer().next_update(), before=np.array([before]), after=np.array([after]))
    assert update.sum_texts(0) == texts
