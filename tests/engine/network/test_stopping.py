"""When a loss is not a number any more: trouble, named by the node that went bad first."""

import random

import numpy as np
import pytest

from engine.autograd import Value
from engine.network import (
    LOSSES,
    MLP,
    Trainer,
    TrainingDiverged,
    encode,
    sample_loss,
    stopping,
)
from tests.engine.network.samples import XOR_X, XOR_Y, moons_trainer


def test_a_loss_that_is_no_number_stops_at_the_node_that_went_bad_first():
    model = MLP(2, [3, 1], activation="relu", rng=random.Random(2))
    trainer = Trainer(model, "sum_squared_error", X=np.array(XOR_X) * 1e3, y=XOR_Y, learning_rate=1e9)
    with pytest.raises(TrainingDiverged) as caught:
        for _ in range(1000):
            trainer.step()
    trouble = caught.value
    assert trouble.step == trainer.step_count == len(trainer.losses)
    assert trouble.node in ("L1N1.sum", "L1N2.sum", "L1N3.sum", "L2N1", "loss")
    assert trouble.sample in range(4)
    assert np.all(np.isfinite(trouble.parameters))
    trainer.restore(trainer.last_good())
    assert np.array_equal(trainer.model.weights, trouble.parameters)
    assert np.isfinite(trainer.snapshot().loss)
    trainer.change(learning_rate=1e-12)
    trainer.step()


def test_a_graph_without_a_bad_number_has_no_place_where_one_came_up():
    assert stopping.first_bad_node(Value(2.0, "x") * 3.0) == ""


def test_before_anything_went_bad_the_last_good_weights_are_the_present_ones():
    trainer = moons_trainer()
    good = trainer.last_good()
    assert good.step == 0 and good.parameters.tolist() == trainer.model.weights.tolist()


def test_a_total_may_be_too_large_though_no_sample_is():
    trainer = Trainer(MLP(1, [1]), "sum_squared_error", X=np.ones((4, 1)), y=np.zeros(4))
    trainer.model.weights = [1e154, 0.0]
    with pytest.raises(TrainingDiverged, match="first at the total loss") as caught:
        trainer.step()
    assert caught.value.sample is None


def test_the_message_counts_samples_from_one():
    trainer = Trainer(MLP(1, [1]), "sum_squared_error", X=[[1.0], [1e200]], y=[0.0, 0.0])
    trainer.model.weights = [1.0, 0.0]
    with pytest.raises(TrainingDiverged, match=r"^diverged at step 0: the loss became inf, first at \S+ of sample 2;"):
        trainer.step()


@pytest.mark.parametrize("loss", LOSSES)
def test_what_goes_bad_only_in_float32_is_found_with_the_graph_of_one_sample(loss, monkeypatch):
    built = []
    monkeypatch.setattr(stopping, "sample_loss", lambda *parts: built.append(1) or sample_loss(*parts))
    y = np.arange(2000) % 2
    X = np.ones((2000, 2))
    X[1500] = 1e30
    n_outputs = 2 if LOSSES[loss].encoding == "one_hot" else 1
    model = MLP(2, [4, n_outputs], rng=random.Random(1))
    model.weights = np.full(model.n_parameters, 1e9)
    trainer = Trainer(model, loss, X=X, y=y, dtype="float32")
    with pytest.raises(TrainingDiverged) as caught:
        trainer.step()
    assert (caught.value.node, caught.value.sample) == ("L1N1.sum", 1500)
    assert len(built) == 1


def test_a_total_too_large_for_float32_builds_no_graph_at_all(monkeypatch):
    monkeypatch.setattr(stopping, "sample_loss", lambda *parts: pytest.fail("a graph was built"))
    trainer = Trainer(MLP(1, [1]), "sum_squared_error", X=np.ones((5000, 1)), y=np.zeros(5000), dtype="float32")
    trainer.model.weights = [1e18, 0.0]
    with pytest.raises(TrainingDiverged, match="first at the total loss"):
        trainer.step()


@pytest.mark.parametrize("loss", LOSSES)
def test_each_sample_has_the_loss_of_its_graph(loss):
    entry = LOSSES[loss]
    model = MLP(2, [3, 3 if entry.encoding == "one_hot" else 1], activation="tanh", rng=random.Random(3))
    X = np.random.RandomState(2).normal(size=(5, 2))
    targets = encode(entry, [0, 1, 1, 0, 1], model.n_outputs).values
    each = entry.of_each(model(X), Value(targets)).data
    assert each == pytest.approx([sample_loss(model, entry, x, t).data for x, t in zip(X, targets, strict=True)])


def test_a_snapshot_of_a_diverged_run_still_has_its_loss():
    trainer = moons_trainer()
    trainer.model.weights = np.full(trainer.model.n_parameters, 1e308)
    with pytest.raises(TrainingDiverged):
        trainer.step()
    assert not np.isfinite(trainer.snapshot().loss)
