"""What is shown is what trains: every loss with every data set, from the document to targets, loss and accuracy."""

import dataclasses
import math

import numpy as np
import pytest

from datasets import DATASETS, make_dataset
from engine.autograd import Value
from engine.document import Document, Trained, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import fitted_network, make_model, make_trainer, weights_of
from engine.experiment.prepared import prepare
from engine.network import INITIALISERS, LOSSES, LossError, encode
from engine.sweeps.sweep import sweep
from engine.views.sample import make_sample_graph

SEVERAL = {name: len(entry.class_names) for name, entry in DATASETS.items() if len(entry.class_names) > 2}
ZERO_ONE = [n for n, entry in DATASETS.items() if len(entry.class_names) == 2 and "-1" not in entry.class_names]
NUMBERS = [name for name, entry in DATASETS.items() if entry.task == "regression"]
RAW = [name for name, loss in LOSSES.items() if loss.encoding == "raw"]


def document_for(loss, name, **network):
    document = replace_section(Document(), "data", name=name, n_samples=30, seed=4)
    document = replace_section(document, "training", loss=loss)
    data = make_dataset(name, 30, document.data.noise, 4)
    return replace_section(fitted_network(document, data.n_features, data.n_classes), "network", **network), data


def expected_targets(loss, name, y):
    """By hand, from what the tutorials number: (n_samples, n_outputs), or None where the loss does not fit."""
    if loss in RAW and name not in SEVERAL:
        return y.astype(float)[:, None]
    if name in NUMBERS:
        return None
    upper = y == 1
    if loss == "softmax_cross_entropy" or (loss in RAW and name in SEVERAL):
        columns = range(SEVERAL[name]) if name in SEVERAL else (y[~upper][0], 1)
        return np.column_stack([y == column for column in columns]).astype(float)
    if name in SEVERAL:
        return None
    return np.where(upper, 1.0, {"hinge": -1.0, "binary_cross_entropy": 0.0}[loss])[:, None]


def expected_loss(loss, outputs, t):
    """The textbook's formula in numpy."""
    if loss == "mean_squared_error":
        return np.mean((outputs - t) ** 2)
    if loss == "sum_squared_error":
        return np.sum((outputs - t) ** 2)
    if loss == "huber":
        d = np.abs(outputs - t)
        return np.mean(np.where(d < 1, 0.5 * d**2, d - 0.5))
    if loss == "hinge":
        return np.mean(np.maximum(0.0, 1.0 - t * outputs))
    if loss == "binary_cross_entropy":
        p = 1 / (1 + np.exp(-outputs))
        return -np.mean(t * np.log(p) + (1 - t) * np.log(1 - p))
    if loss != "softmax_cross_entropy":  # one that nobody has written here yet: its scalar graphs
        rows = zip(outputs.tolist(), t.tolist(), strict=True)
        each = [LOSSES[loss].of_sample([Value(o) for o in out], [Value(x) for x in row]).data for out, row in rows]
        return sum(each) if LOSSES[loss].reduction == "sum" else np.mean(each)
    p = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
    return -np.mean(np.log((p * t).sum(axis=1)))


def expected_accuracy(loss, name, outputs, y):
    if name in NUMBERS:
        return None
    if outputs.shape[1] > 1:
        low, high = 0 if name in SEVERAL or name in ZERO_ONE else -1, 1
        found = outputs.argmax(axis=1) if name in SEVERAL else np.where(outputs[:, 1] > outputs[:, 0], high, low)
        return np.mean(found == y)
    middle = 0.5 if loss in RAW and name in ZERO_ONE else 0.0
    return np.mean((outputs[:, 0] > middle) == (y == 1))


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_targets_loss_accuracy_and_canvas_use_the_number_that_is_trained_on(loss, name):
    document, data = document_for(loss, name)
    t = expected_targets(loss, name, data.y)
    if t is None:
        with pytest.raises(LossError):
            encode(LOSSES[loss], data.y, 1)
        assert document.training.loss != loss
        return
    if document.training.loss != loss:  # a file may ask for squared losses of several classes: one output for each
        document = replace_section(document, "training", loss=loss)
    model = make_model(document)
    trainer = make_trainer(document, model, data)
    outputs, snapshot = model(data.X).data, trainer.snapshot()
    assert trainer.data.targets.values.tolist() == t.tolist()
    assert trainer.data.targets.numbers.tolist() == (t[:, 0] if t.shape[1] == 1 else t.argmax(axis=1)).tolist()
    assert snapshot.loss == pytest.approx(expected_loss(loss, outputs, t), rel=1e-12)
    assert snapshot.accuracy == expected_accuracy(loss, name, outputs, data.y)
    assert trainer.step() == pytest.approx(snapshot.loss, rel=1e-12)
    shown = {value.label: value.data for value in make_sample_graph(document, data.X, data.y).values}
    names = ["y"] if t.shape[1] == 1 else [f"y{i}" for i in range(1, t.shape[1] + 1)]
    assert [shown[label] for label in names] == t[0].tolist()


def test_the_published_sets_have_the_labels_the_tutorials_give_them():
    assert sorted(SEVERAL.items()) == [("spiral3", 3), ("yin_yang", 3)]
    assert {"xor", "and", "or"} <= set(ZERO_ONE)
    assert not {"tutorial", "moons", "circles", "gaussians", "spiral", "checkerboard"} & {*ZERO_ONE, *SEVERAL, *NUMBERS}
    assert {"curve", "surface"} <= set(NUMBERS)


def test_every_loss_says_which_numbers_it_trains_on():
    for loss in LOSSES.values():
        assert "targets" in loss.trains_on.lower() or "class" in loss.trains_on.lower()


def trained(document, data, steps):
    trainer = make_trainer(document, make_model(document), data)
    trainer.run(steps)
    return trainer


@pytest.mark.slow
def test_the_four_points_come_out_beside_their_targets_from_every_seed():
    """The published case A24: targets 1 -1 -1 1, tanh everywhere, summed squared error, rate 0.05, 100 epochs."""
    last = []
    for seed in range(100):
        document, data = document_for("sum_squared_error", "tutorial", output_activation="tanh", seed=seed)
        document = replace_section(document, "data", noise=0.0)
        document = replace_section(document, "network", initialiser="uniform")  # as micrograd draws them
        data = make_dataset("tutorial", noise=0.0)
        trainer = trained(replace_section(document, "training", learning_rate=0.05), data, 100)
        outputs = trainer.predict(data.X)[:, 0]
        assert data.y.tolist() == [1, -1, -1, 1] == np.sign(outputs).astype(int).tolist()
        assert trainer.accuracy() == 1.0
        last.append(float(np.sum((outputs - [1, -1, -1, 1]) ** 2)))
    assert max(last) < 0.1
    assert math.isclose(np.median(last), 0.007, rel_tol=0.1)


@pytest.mark.slow
def test_xor_comes_out_beside_0_and_1_from_every_seed():
    """The published case A26: targets 0 1 1 0, tanh everywhere, summed squared error, rate 0.1, 1000 steps."""
    for seed in range(10):
        document, _ = document_for("sum_squared_error", "xor", output_activation="tanh", seed=seed)
        data = make_dataset("xor", noise=0.0)
        trainer = trained(replace_section(document, "training", learning_rate=0.1), data, 1000)
        outputs = trainer.predict(data.X)[:, 0]
        assert np.sum((outputs - [0, 1, 1, 0]) ** 2) < 0.01
        assert trainer.data.targets.decide(outputs[:, None]).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("initialiser", INITIALISERS)
def test_the_weights_of_a_document_are_those_of_its_network(initialiser):
    network = {"layer_sizes": (2, 5, 3, 1), "initialiser": initialiser, "seed": 9}
    document = replace_section(Document(), "network", **network)
    assert weights_of(document).tolist() == make_model(document).weights.tolist()
    trained = dataclasses.replace(document, trained=Trained(step=1, parameters=FrozenFloats(np.arange(37.0))))
    assert weights_of(trained).tolist() == make_model(trained).weights.tolist() == list(range(37))


@pytest.mark.parametrize("targets", [[0.0, 1.0, 1.0, 0.0], [-1.0, 1.0, 1.0, 1.0]])
def test_numbers_to_predict_have_no_accuracy_though_all_are_0_or_1(targets):
    table = {"a": [0.0, 1.0, 2.0, 3.0], "y": targets}
    data = {"source": "table", "table": table, "table_target": "y", "table_task": "regression"}
    document = replace_section(Document(), "data", **data)
    document = replace_section(document, "network", layer_sizes=(1, 1))
    document = replace_section(document, "training", loss="mean_squared_error")
    snapshot = make_trainer(document, make_model(document), prepare(document.data)).snapshot()
    assert snapshot.accuracy is None and snapshot.r_squared is not None
    (row,) = sweep(document, {"learning_rate": [0.1]}, seeds=1, steps=1)
    assert row["train_accuracy"] is None
