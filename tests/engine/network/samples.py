"""What several tests train."""

import random
from dataclasses import fields

import numpy as np

from datasets import make_dataset
from engine.network import MLP, Trainer

XOR_X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
XOR_Y = [0, 1, 1, 0]


def moons_trainer(n_samples=40, seed=1, **settings):
    data = make_dataset("moons", n_samples=n_samples, noise=0.1, seed=1)
    model = MLP(2, [8, 8, 1], activation="tanh", rng=random.Random(seed))
    return Trainer(
        model, **{"loss": "binary_cross_entropy", "X": data.X, "y": data.y, "learning_rate": 0.1, **settings}
    )


def make_trainer(data="xor", sizes=(4, 1), learning_rate=0.05, **settings):
    """A perceptron of tanh with these sizes on the data set of that name."""
    dataset = make_dataset(data, seed=1)
    model = MLP(dataset.n_features, list(sizes), activation="tanh", rng=random.Random(1))
    return Trainer(model, X=dataset.X, y=dataset.y, learning_rate=learning_rate, **settings)


def advanced(run):
    """The run after everything asked for is done."""
    while run.busy:
        run.advance(0.001)
    return run


def assert_same_moment(obtained, expected):
    """Two snapshots agree in everything, to the last bit."""
    for entry in fields(expected):
        one, other = getattr(obtained, entry.name), getattr(expected, entry.name)
        if entry.name == "optimizer_state":
            assert {key: array.tobytes() for key, array in one.items()} == {
                key: array.tobytes() for key, array in other.items()
            }
        elif isinstance(other, np.ndarray):
            assert one.tobytes() == other.tobytes(), entry.name
        else:
            assert one == other or (one != one and other != other), entry.name


SETTINGS = [
    {},
    {"optimizer": "adam", "batch_size": 7, "l1": 0.01, "l2": 0.1},
    {"optimizer": "momentum", "clip_norm": 0.5, "clip_value": 0.1, "dtype": "float32"},
    {"schedule": "cosine", "batch_size": 1, "loss": "hinge", "optimizer": "rmsprop"},
]
