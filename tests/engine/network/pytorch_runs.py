"""The runs that are compared with PyTorch: each loss with each optimizer, 50 steps on a small fixed problem."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from engine.network import LOSSES, MLP, OPTIMIZERS, Trainer

STEPS = 50
RATES = {"sgd": 0.05, "adam": 0.02, "adamw": 0.02}
OTHER_RATE = 0.01
RUNS = [(loss, optimizer) for loss in LOSSES for optimizer in OPTIMIZERS]
OUTPUTS = {"signed": 1, "one_hot": 3, "zero_one": 1, "raw": 2}


def rate(loss: str, optimizer: str) -> float:
    """The learning rate; smaller for a sum, with which the larger ones swing so wildly that rounding errors grow."""
    return RATES.get(optimizer, OTHER_RATE) * (0.1 if LOSSES[loss].reduction == "sum" else 1.0)


def problem(loss: str) -> tuple[Any, Any]:
    """X (12, 2) and labels that fit the loss."""
    rng = np.random.RandomState(8)
    X = rng.normal(size=(12, 2))
    encoding = LOSSES[loss].encoding
    if encoding == "raw":
        return X, 2.0 * rng.normal(size=(12, 2))
    classes = rng.randint(0, 3 if encoding == "one_hot" else 2, 12)
    return X, 2 * classes - 1 if encoding == "signed" else classes


def network(loss: str) -> MLP:
    """A small tanh network with always the same weights."""
    return MLP(2, [5, 4, OUTPUTS[LOSSES[loss].encoding]], activation="tanh", rng=random.Random(11))


def gradstep_run(loss: str, optimizer: str) -> dict[str, list[float]]:
    """What 50 steps saw, and the weights they led to."""
    X, y = problem(loss)
    trainer = Trainer(network(loss), loss, optimizer, X=X, y=y, learning_rate=rate(loss, optimizer))
    for _ in range(STEPS):
        trainer.step()
    return {"losses": trainer.losses, "weights": trainer.model.weights.tolist()}
