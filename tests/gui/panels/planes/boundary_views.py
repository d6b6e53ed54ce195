"""What tests of the boundary panel prepare, and what they compute without the program."""

import numpy as np

from datasets import DATASETS
from engine.experiment.assemble import make_model


def has_something(item):
    if hasattr(item, "image"):
        return item.image is not None
    x, _ = item.getData()
    return x is not None and len(x) > 0


def with_data(session, name, loss, layers=(2, 4, 1)):
    entry = DATASETS[name]
    data = {"name": name, "n_samples": entry.n_samples, "noise": entry.noise}
    assert session.edit("data", data=data, network={"layer_sizes": layers}, training={"loss": loss})


def layers_of(session, X):
    """The network's outputs for its inputs, layer by layer in numpy: tanh in hidden layers, the last one linear."""
    *hidden, last = make_model(session.document).shape.layer_matrices(session.shown.snapshot.parameters)
    for matrix in hidden:
        X = np.tanh(X @ matrix[:, :-1].T + matrix[:, -1])
    return X @ last[:, :-1].T + last[:, -1]


def trained_on(qtbot, session, name, layers=(2, 4, 1), loss="mean_squared_error", **data):
    assert session.edit(
        "data", data={"name": name, **data}, network={"layer_sizes": layers, "seed": 3}, training={"loss": loss}
    )
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.run_state == "paused")
