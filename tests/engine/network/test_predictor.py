"""The trained network asked: outputs, decision grids, decisions counted."""

import random

import numpy as np
import pytest

from engine.network import (
    MLP,
    SizeError,
    Trainer,
)
from tests.engine.network.samples import moons_trainer


def test_predictions_are_the_network_on_an_array():
    trainer = moons_trainer()
    trainer.step()
    assert trainer.predict(trainer.data.X) == pytest.approx(trainer.model(trainer.data.X).data, abs=1e-13)


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
    targets, decided = trainer.data.targets, trainer.predict(trainer.data.X)[:, 0] > 0.0
    counts = targets.confusion(trainer.predict(trainer.data.X))
    assert counts.sum() == 40
    assert counts.trace() / 40 == trainer.accuracy()
    assert counts[1, 0] == np.sum((targets.classes == 1) & ~decided)
    assert trainer.data.test_targets.confusion(trainer.predict(trainer.data.X_test)).sum() == 1
    assert Trainer(MLP(1, [1]), X=[1.0, 2.0], y=[0.3, 0.5]).data.targets.confusion(np.zeros((2, 1))) is None
