"""What a shape computes from flat parameters is what the network with those parameters gives."""

import random

import numpy as np
import pytest

from engine.network import MLP, SizeError
from engine.network.shape import NetworkShape


@pytest.fixture
def model():
    return MLP(2, [4, 3, 2], activation=["tanh", "relu"], output_activation="sigmoid", rng=random.Random(3))


X = np.random.default_rng(0).normal(size=(7, 2))


def test_every_layer_gives_what_the_network_gives(model):
    shape = NetworkShape((2, 4, 3, 2), ("tanh", "relu", "sigmoid"))
    assert model.shape == shape
    assert shape.n_parameters == model.n_parameters
    found = shape.layer_outputs(model.weights, X)
    singly = model([2.0, -1.0])
    assert [layer.shape for layer in found] == [(7, 4), (7, 3), (7, 2)]
    np.testing.assert_allclose(shape.outputs(model.weights, X), model(X).data, rtol=1e-14)
    np.testing.assert_allclose(
        shape.outputs(model.weights, [[2.0, -1.0]])[0], [value.data for value in singly], rtol=1e-14
    )
    assert len(shape.layer_outputs(model.weights, X, last=1)) == 1


def test_parameters_are_named_as_those_of_the_network(model):
    assert list(model.shape.parameter_names()) == [parameter.label for parameter in model.parameters()]


def test_the_layers_behind_one_are_a_network(model):
    rest, parameters = model.shape.after(1, model.weights)
    hidden = model.shape.layer_outputs(model.weights, X)[0]
    np.testing.assert_allclose(rest.outputs(parameters, hidden), model(X).data, rtol=1e-14)


def test_parameters_and_inputs_of_another_network_are_refused(model):
    with pytest.raises(SizeError, match="parameters"):
        model.shape.outputs(np.zeros(3), X)
    with pytest.raises(SizeError, match="X"):
        model.shape.outputs(model.weights, X[:, :1])


def test_a_network_that_has_diverged_gives_numbers_without_a_warning(model):
    assert not np.isfinite(model.shape.outputs(np.full(model.n_parameters, np.nan), X)).any()
