"""Many runs trained together do what each does alone."""

import math
import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import LOSSES, MLP, OPTIMIZERS, SettingError, SizeError, Trainer, TrainingSettings, draw_network
from engine.network.run_group import RunGroup

SIZES = (2, 4, 3)
RATES = (0.001, 0.05, 0.3)


def network(sizes, activation="tanh"):
    return MLP(sizes[0], list(sizes[1:]), activation=activation, initialiser="zeros")


def first_weights(sizes, n_runs):
    return np.array(
        [draw_network("uniform", random.Random(seed), sizes, ["tanh"] * (len(sizes) - 1)) for seed in range(n_runs)]
    )


def settings_for(rates=RATES, **common):
    return [TrainingSettings().changed(learning_rate=rate, seed=seed, **common) for seed, rate in enumerate(rates)]


def alone(sizes, weights, settings, data, steps):
    model = network(sizes)
    model.weights = weights
    names = ("loss", "optimizer", "learning_rate", "schedule", "batch_size", "l1", "l2")
    more = ("clip_norm", "clip_value", "seed", "dtype", "optimizer_settings", "schedule_settings", "zero_grad")
    trainer = Trainer(model, X=data.X, y=data.y, **{name: getattr(settings, name) for name in (*names, *more)})
    for _ in range(steps):
        trainer.step()
    return trainer


def compare(settings, dataset="moons", sizes=(2, 4, 3, 1), steps=12, tolerance=1e-12):
    data, weights = make_dataset(dataset, n_samples=30), first_weights(sizes, len(settings))
    group = RunGroup(network(sizes), weights, settings, X=data.X, y=data.y)
    for _ in range(steps):
        group.step()
    for run, (own, figures) in enumerate(zip(settings, group.figures(), strict=True)):
        trainer = alone(sizes, weights[run], own, data, steps)
        np.testing.assert_allclose(group.weights[run], trainer.model.weights, rtol=tolerance, atol=tolerance)
        assert group.losses[run] == pytest.approx(trainer.losses[-1], rel=tolerance)
        snapshot = trainer.snapshot()
        assert figures[0] == pytest.approx(snapshot.loss, rel=tolerance)
        assert figures[1] == snapshot.accuracy
    assert group.step_count == steps
    assert (group.diverged_at == -1).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_trains_as_alone(loss):
    one_hot = LOSSES[loss].encoding == "one_hot"
    compare(settings_for(loss=loss), *(("spiral3", (2, 4, 3)) if one_hot else ()))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_trains_as_alone(optimizer):
    compare(settings_for(optimizer=optimizer, schedule="cosine"))


def test_batches_are_shuffled_by_each_runs_own_seed():
    compare(settings_for(batch_size=8), steps=11)  # 30 samples: a last batch of 6, and a second epoch


@pytest.mark.slow
def test_penalties_and_clipping_are_each_runs_own():
    compare(settings_for(l1=1e-3, clip_norm=0.3, clip_value=0.1))
    own = [each.changed(l2=0.01 * run) for run, each in enumerate(settings_for())]
    compare(own)


def test_gradients_that_are_never_zeroed_add_up_as_alone():
    compare(settings_for(rates=(0.001, 0.01), zero_grad=False))


def test_single_precision_trains_as_alone():
    compare(settings_for(dtype="float32"), tolerance=1e-4)


def test_a_run_that_diverges_leaves_the_others_alone():
    data, weights = make_dataset("xor"), first_weights((2, 4, 1), 3)
    settings = settings_for((0.05, 1e9, 0.1), optimizer="momentum")
    model = MLP(2, [4, 1], activation="relu", initialiser="zeros")
    group = RunGroup(model, weights, settings, X=data.X, y=data.y)
    for _ in range(60):
        group.step()
    assert group.diverged_at[1] > 0
    assert (group.diverged_at[[0, 2]] == -1).all()
    assert np.isfinite(group.weights[[0, 2]]).all()
    assert np.isnan(group.weights[1]).all()
    wild = group.figures()[1]
    assert math.isnan(wild[0])
    assert set(wild[1:]) == {None}


def test_what_has_to_be_common_is_refused_when_it_is_not():
    data, weights = make_dataset("xor"), first_weights(SIZES, 2)
    first, second = settings_for((0.1, 0.2))
    with pytest.raises(SettingError, match="equal but for learning_rate"):
        RunGroup(network(SIZES), weights, [first, second.changed(optimizer="adam")], X=data.X, y=data.y)
    with pytest.raises(SizeError, match="weights"):
        RunGroup(network(SIZES), weights[:, 1:], [first, second], X=data.X, y=data.y)
    with pytest.raises(SettingError, match="a function"):
        RunGroup(
            network((2, 4, 1)),
            first_weights((2, 4, 1), 1),
            [first.changed(learning_rate=lambda step: 0.1)],
            X=data.X,
            y=data.y,
        )
