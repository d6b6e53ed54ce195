"""A moment of training: taken, kept in a file, brought back, and gone on from as the run would have."""

import json

import numpy as np
import pytest

from datasets import make_dataset
from engine.network import (
    MLP,
    SizeError,
    Trainer,
    saved_snapshot,
)
from tests.engine.network.samples import SETTINGS, XOR_X, XOR_Y, assert_same_moment, moons_trainer


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


def test_a_snapshot_of_another_network_is_refused():
    other = Trainer(MLP(2, [2, 1]), X=XOR_X, y=XOR_Y).snapshot()
    with pytest.raises(SizeError, match="weights must be of the shape"):
        moons_trainer().restore(other)
