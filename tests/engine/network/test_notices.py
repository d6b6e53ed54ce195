"""What is said of a network that trains badly is true of it, and nothing is said of one that trains well."""

import random

import numpy as np
import pytest

from datasets import make_dataset
from engine.autograd import Value
from engine.network import ACTIVATIONS, MLP, Trainer
from engine.network.layer_figures import histogram, layer_figures, same_neurons
from engine.network.notices import NOTICES, Look, notices


def trained(steps=0, dataset="moons", sizes=(8, 8, 1), weights=None, activation="tanh", output="linear", **settings):
    data = make_dataset(dataset)
    rng = random.Random(1)
    model = MLP(2, list(sizes), activation=activation, output_activation=output, initialiser="xavier", rng=rng)
    if weights is not None:
        model.weights = weights(model.weights)
    trainer = Trainer(model, X=data.X, y=data.y, **{"learning_rate": 0.1, **settings})
    for _ in range(steps):
        trainer.step()
    return trainer


def layer_outputs(model, X):
    """What every layer gives (n_samples, n_neurons), row by row in the scalar graph."""
    outputs, layers = [[Value(x) for x in row] for row in X.tolist()], []
    for layer in model.layers:
        outputs = [layer.respond(row) for row in outputs]
        layers.append(np.array([[value.data for value in row] for row in outputs]))
    return layers


def look_at(trainer):
    snapshot = trainer.snapshot()
    layers = layer_figures(trainer.model.shape, snapshot.parameters, snapshot.gradients, trainer.data.X)
    return Look(layers, snapshot.settings, snapshot.loss, snapshot.learning_rate, snapshot.step)


def names_of(trainer):
    return {notice.name for notice in notices(look_at(trainer))}


def below_zero(weights):
    weights = weights.copy()
    weights[2:24:3] = -100.0  # the biases of the first layer, 2 inputs and 8 neurons
    return weights


LOUD = {
    "dead neurons": lambda: trained(activation="relu", weights=below_zero),
    "saturation": lambda: trained(weights=lambda weights: 50.0 * weights),
    "bounded output": lambda: trained(dataset="spiral3", sizes=(4, 3), output="tanh", loss="softmax_cross_entropy"),
    "vanishing gradient": lambda: trained(1, sizes=(4,) * 8 + (1,), activation="sigmoid"),
    "exploding gradient": lambda: trained(1, weights=lambda weights: 6.0 * weights, learning_rate=50.0),
    "equal neurons": lambda: trained(weights=np.zeros_like),
    "low learning rate": lambda: trained(150, learning_rate=1e-7),
}


def test_every_notice_has_a_network_it_speaks_of():
    assert set(LOUD) == set(NOTICES)


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_speaks_where_there_is_reason(name):
    found = [notice for notice in notices(look_at(LOUD[name]())) if notice.name == name]
    assert found
    for notice in found:
        for sentence in (notice.text, notice.why, notice.advice):
            assert sentence.endswith(".") and not sentence[0].islower() and "  " not in sentence
        assert len(notice.text) < 100  # it stands in one line


@pytest.mark.parametrize("steps", [0, 1, 300])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_of_a_network_that_trains_well_nothing_is_said(activation, steps):
    assert names_of(trained(steps, activation=activation)) - {"dead neurons"} == set()


def test_dead_neurons_are_counted_by_their_slopes():
    trainer = LOUD["dead neurons"]()
    [notice] = [notice for notice in notices(look_at(trainer)) if notice.layer == 1]
    assert notice.text.startswith("8 of 8 neurons of layer 1 are dead")
    before = trainer.model.weights[:24].copy()
    for _ in range(5):
        trainer.step()
    np.testing.assert_array_equal(trainer.model.weights[:24], before)


def test_the_bound_of_probabilities_is_reached_and_not_passed():
    trainer = LOUD["bounded output"]()
    [notice] = [notice for notice in notices(look_at(trainer)) if notice.name == "bounded output"]
    best = np.exp([1.0, -1.0, -1.0])
    assert f"never above {best[0] / best.sum():.0%}" in notice.why


@pytest.mark.parametrize("activation", [name for name in ACTIVATIONS if name != "linear"])
def test_figures_of_a_layer_are_those_of_the_scalar_graph(activation):
    trainer = trained(3, sizes=(3, 2, 1), activation=activation)
    figures = look_at(trainer).layers
    for figure, outputs in zip(figures, layer_outputs(trainer.model, trainer.data.X), strict=True):
        np.testing.assert_allclose(figure.outputs, outputs, atol=1e-12)
    first = figures[0]
    step = 1e-6 * np.array([1.0, 0.0])
    ahead, behind = (layer_outputs(trainer.model, trainer.data.X + sign * step)[0] for sign in (1, -1))
    slopes = (ahead - behind) / 2e-6
    np.testing.assert_allclose(first.slopes * first.weights[:, 0], slopes, atol=1e-5)
    np.testing.assert_array_equal(
        np.concatenate([figure.gradients.ravel() for figure in figures]), trainer.snapshot().gradients
    )


def test_a_histogram_counts_every_finite_number_once():
    numbers = np.array([0.0, 1.0, 1.0, 2.0, np.nan, np.inf])
    found = histogram(numbers)
    assert found.counts.sum() == 4
    assert found.left_out == 2
    assert (found.edges[0], found.edges[-1]) == (0.0, 2.0)
    assert histogram(np.full(5, 3.0)).counts.sum() == 5
    assert histogram(np.array([np.nan])).counts.sum() == 0
    assert histogram(np.array([1e300, -1e300])).counts.sum() == 2


def test_equal_neurons_are_equal_in_all_their_weights():
    weights = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0], [1.0, 2.0, 0.0]])
    assert same_neurons(weights, np.array([[5.0, 6.0, 5.0, 0.0]])) == [(1, 3)]
    assert same_neurons(weights, np.array([[5.0, 6.0, 7.0, 0.0]])) == []
