"""The figures of a moment are data losses; the penalty, and the sum that is minimised, are figures of their own.

Everything is recomputed here with numpy alone.
"""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import LOSSES, MLP, Trainer
from engine.network.run.curves import PENALTY
from engine.network.run.training_run import TrainingRun
from tests.engine.network.samples import advanced

L1, L2 = 0.003, 0.02
N_HIDDEN = 5


def outputs_of(parameters, X, n_outputs):
    """A perceptron 2-5-n of tanh with linear outputs."""
    hidden = parameters[: 3 * N_HIDDEN].reshape(N_HIDDEN, 3)
    last = parameters[3 * N_HIDDEN :].reshape(n_outputs, N_HIDDEN + 1)
    return np.tanh(X @ hidden[:, :2].T + hidden[:, 2]) @ last[:, :-1].T + last[:, -1]


def one_hot(y):
    return np.eye(3)[y]


def sign(y):
    return np.where(y > 0, 1.0, -1.0)[:, None]


def huber(distance):
    return np.where(distance <= 1.0, 0.5 * distance**2, distance - 0.5)


def logsumexp(o):
    return np.log(np.exp(o).sum(axis=1))


BY_HAND = {
    "mean_squared_error": lambda o, y: np.mean((o - sign(y)) ** 2),
    "sum_squared_error": lambda o, y: np.sum((o - sign(y)) ** 2),
    "mean_absolute_error": lambda o, y: np.mean(np.abs(o - sign(y))),
    "huber": lambda o, y: np.mean(huber(np.abs(o - sign(y)))),
    "hinge": lambda o, y: np.mean(np.maximum(0.0, 1.0 - sign(y) * o)),
    "binary_cross_entropy": lambda o, y: np.mean(np.log1p(np.exp(-sign(y) * o))),
    "softmax_cross_entropy": lambda o, y: np.mean(logsumexp(o) - (o * one_hot(y)).sum(axis=1)),
}


def trainer_for(loss, batch_size, **settings):
    several = LOSSES[loss].encoding == "one_hot"
    data = make_dataset("spiral3" if several else "moons", n_samples=60, noise=0.2, seed=2)
    y = data.y if several else sign(data.y)[:, 0]
    n_outputs = 3 if several else 1
    model = MLP(2, [N_HIDDEN, n_outputs], activation="tanh", output_activation="linear", rng=random.Random(3))
    trainer = Trainer(
        model, loss, X=data.X[:45], y=y[:45], X_test=data.X[45:], y_test=y[45:], learning_rate=0.01,
        batch_size=batch_size, **settings,
    )  # fmt: skip
    return trainer, data, n_outputs


@pytest.mark.parametrize("batch_size", [None, 20])
@pytest.mark.parametrize("loss", LOSSES)
def test_train_and_test_loss_are_data_losses_and_the_penalty_stands_beside_them(loss, batch_size):
    by_hand = BY_HAND[loss]
    trainer, data, n_outputs = trainer_for(loss, batch_size, l1=L1, l2=L2)
    run = TrainingRun(1, trainer)
    for _ in range(5):
        before = trainer.model.weights.copy()
        rows = next(iter(trainer.phases())).rows
        run.step()
        advanced(run)
        outputs = outputs_of(before, data.X[rows], n_outputs)
        assert trainer.losses[-1] == pytest.approx(by_hand(outputs, data.y[rows]), rel=1e-12), "the batch's data loss"
        assert trainer.seen_penalty == pytest.approx(L1 * np.abs(before).sum() + L2 * (before**2).sum(), rel=1e-12)
    progress, p = run.describe(None), trainer.model.weights
    moment = progress.snapshot
    outputs = outputs_of(p, data.X, n_outputs)
    assert moment.loss == pytest.approx(by_hand(outputs[:45], data.y[:45]), rel=1e-12)
    assert moment.test_loss == pytest.approx(by_hand(outputs[45:], data.y[45:]), rel=1e-12)
    penalty = L1 * np.abs(p).sum() + L2 * (p**2).sum()
    assert moment.penalty == pytest.approx(penalty, rel=1e-12)
    assert moment.objective == pytest.approx(moment.loss + penalty, rel=1e-12)
    np.testing.assert_array_equal(progress.curve_losses, trainer.losses)
    assert progress.test_losses[-1] == moment.test_loss
    steps, penalties = progress.curves[PENALTY]
    assert (steps[-1], penalties[-1]) == (5, moment.penalty)


def test_without_penalties_there_is_no_curve_of_one_and_the_loss_is_what_is_minimised():
    trainer, _, _ = trainer_for("hinge", None)
    run = TrainingRun(1, trainer)
    run.step(3)
    progress = advanced(run).describe(None)
    assert PENALTY not in progress.curves
    assert progress.snapshot.penalty == 0.0
    assert progress.snapshot.objective == progress.snapshot.loss


def test_phase_and_update_have_loss_and_penalty_apart():
    trainer, data, n_outputs = trainer_for("binary_cross_entropy", 20, l2=L2)
    before = trainer.model.weights.copy()
    update = trainer.next_update()
    phase = next(phase for phase in trainer.phases() if phase.name == "loss")
    expected = BY_HAND["binary_cross_entropy"](outputs_of(before, data.X[phase.rows], n_outputs), data.y[phase.rows])
    assert phase.loss == pytest.approx(expected, rel=1e-12) == update.loss
    assert phase.penalty == pytest.approx(L2 * np.sum(before**2), rel=1e-12) == update.penalty
