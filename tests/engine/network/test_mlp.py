"""The perceptron: parameters in micrograd's order, one network for Values and arrays, and what it refuses."""

import random
import re

import numpy as np
import pytest

from engine.autograd import Value, topological_order
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, MLP, Neuron, SettingError, SizeError, sample_loss
from engine.network.mlp import FlatParameters


def seeded(n_inputs=2, layer_sizes=(4, 3, 1), **settings):
    return MLP(n_inputs, list(layer_sizes), rng=random.Random(7), **settings)


@pytest.mark.parametrize(
    "n_inputs, layer_sizes, count", [(3, [4, 4, 1], 41), (2, [4, 4, 1], 37), (2, [16, 16, 1], 337), (2, [8, 3], 51)]
)
def test_parameter_counts_of_the_tutorials(n_inputs, layer_sizes, count):
    model = MLP(n_inputs, layer_sizes)
    assert model.n_parameters == len(model.parameters()) == len(model.weights) == count


def test_one_relu_neuron_as_published():
    neuron = Neuron(2, "relu", random.Random(1337))
    x = [Value(1.0), Value(-2.0)]
    y = neuron(x)
    y.backward()
    assert [w.data for w in neuron.weights] == [0.23550571390294128, 0.06653114721000164]
    assert y.data == pytest.approx(0.102443419482938, abs=1e-15)
    assert [w.grad for w in neuron.weights] == [1.0, -2.0]
    assert neuron.bias.grad == 1.0
    assert [v.grad for v in x] == [0.23550571390294128, 0.06653114721000164]


def test_weights_follow_the_seed_of_the_random_module():
    random.seed(1337)
    expected = [random.uniform(-1, 1) for _ in range(4)]
    random.seed(1337)
    assert MLP(2, [2]).weights.tolist() == [*expected[:2], 0.0, *expected[2:], 0.0]


def test_one_output_is_a_value_and_several_are_a_list():
    assert isinstance(seeded()([1.0, 2.0]), Value)
    assert [type(v) for v in seeded(layer_sizes=(4, 3))([1.0, 2.0])] == [Value] * 3


def test_parameters_are_labelled_by_layer_and_neuron():
    labels = [p.label for p in seeded(layer_sizes=(2, 1)).parameters()]
    assert labels == ["L1N1.w1", "L1N1.w2", "L1N1.b", "L1N2.w1", "L1N2.w2", "L1N2.b", "L2N1.w1", "L2N1.w2", "L2N1.b"]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_array_graph_is_the_scalar_graph(activation):
    model = seeded(activation=activation, output_activation=activation)
    X = np.array([[0.3, -1.2], [2.0, 0.4], [-0.7, -0.6]])
    rows = [model(x) for x in X.tolist()]
    array = model(X)
    assert array.data[:, 0] == pytest.approx([row.data for row in rows], abs=1e-14)
    sum(rows[1:], rows[0]).backward()
    array.sum().backward()
    assert model.array_gradients() == pytest.approx([p.grad for p in model.parameters()], abs=1e-12)


def test_zero_hidden_layers_make_a_linear_model():
    model = seeded(layer_sizes=(1,))
    w1, w2, b = model.weights
    assert model([3.0, 5.0]).data == pytest.approx(3 * w1 + 5 * w2 + b)


def test_activations_may_differ_by_layer():
    assert seeded(activation=["tanh", "relu"]).activations == ("tanh", "relu", "linear")
    assert seeded(activation=["tanh", "relu", "sigmoid"]).activations == ("tanh", "relu", "sigmoid")
    with pytest.raises(SizeError, match="one for each of 3 layers"):
        seeded(activation=["tanh"])


def test_a_sample_of_another_size_is_refused_with_the_reason():
    with pytest.raises(SizeError, match="this network takes 3 inputs, the sample has 2"):
        MLP(3, [4, 1])([1.0, 2.0])
    with pytest.raises(SizeError, match="this network takes 3 inputs, the sample has 2"):
        MLP(3, [4, 1])(np.ones((5, 2)))


def test_groups_name_the_neuron_of_every_node():
    model = seeded(layer_sizes=(2, 1), activation="tanh")
    root = sample_loss(model, LOSSES["binary_cross_entropy"], [1.0, 2.0], [1.0])
    groups = model.groups(root)
    neuron = model.layers[0].neurons[1]
    assert {groups[id(p)] for p in neuron.parameters()} == {(0, 1)}
    assert list(groups.values()).count((0, 1)) == 3 + 2  # parameters, sum, activation
    assert list(groups.values()).count((1, 0)) == 3 + 1  # a linear neuron has no activation node
    assert id(root) not in groups


@pytest.mark.parametrize("loss", list(LOSSES))
@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_no_loss_is_taken_for_a_part_of_a_neuron(activation, loss):
    n_outputs = 1 if LOSSES[loss].encoding == "signed" else 2
    model = MLP(2, [2, n_outputs], activation=activation, output_activation=activation, rng=random.Random(1))
    root = sample_loss(model, LOSSES[loss], [1.0, 2.0], [1.0] * n_outputs)
    groups = model.groups(root)
    counts = {neuron: list(groups.values()).count(neuron) for neuron in set(groups.values())}
    assert counts == dict.fromkeys([(0, 0), (0, 1), *((1, n) for n in range(n_outputs))], 4 + (activation != "linear"))
    assert id(root) not in groups
    labels = {value.label for value in topological_order(root) if id(value) in groups and value.op is not None}
    assert all(label.startswith("L") for label in labels)


def test_weights_can_be_set_and_are_copies():
    model = seeded()
    numbers = np.arange(model.n_parameters, dtype=float)
    model.weights = numbers
    numbers[0] = 99.0
    assert model.weights.tolist() == [p.data for p in model.parameters()] == list(range(model.n_parameters))


@pytest.mark.parametrize("wrong", [[1.0], [[1.0]], "text", [float("nan")] * 31, [float("inf")] * 31, None])
def test_weights_that_are_none_are_refused(wrong):
    model = seeded()
    before = model.weights
    with pytest.raises(SettingError):
        model.weights = wrong
    assert np.array_equal(model.weights, before)


def test_parameters_follow_the_arrays_they_are_lent_to():
    model = seeded()
    flat = FlatParameters(model.weights, np.zeros(model.n_parameters))
    model.attach(flat)
    flat.parameters[:] = 2.0
    flat.gradients[:] = 3.0
    flat.dirty = True
    assert model.layers[0].neurons[0].bias.data == 2.0
    assert {p.grad for p in model.parameters()} == {3.0}
    model.weights = np.ones(model.n_parameters)
    assert set(flat.parameters) == {1.0}
    model.zero_grad()
    assert set(flat.gradients) == {0.0}


def test_a_copy_shares_nothing():
    model = seeded(activation=["tanh", "elu"])
    twin = model.copy()
    assert np.array_equal(twin.weights, model.weights)
    assert twin.activations == model.activations
    twin.weights = np.zeros(twin.n_parameters)
    assert np.any(model.weights)


@pytest.mark.parametrize("name", INITIALISERS)
def test_every_initialiser_draws_finite_weights_and_zero_biases(name):
    model = MLP(3, [20, 1], rng=random.Random(0), initialiser=name)
    first = model.shape.layer_matrices(model.weights)[0]
    assert np.all(np.isfinite(first))
    assert not np.any(first[:, -1])
    assert np.array_equal(model.weights, MLP(3, [20, 1], rng=random.Random(0), initialiser=name).weights)
    assert INITIALISERS[name].description.endswith(".")


@pytest.mark.parametrize(
    "name, deviation",
    [
        ("he", np.sqrt(2 / 50)),
        ("lecun", np.sqrt(1 / 50)),
        ("xavier", np.sqrt(2 / 150)),
        ("normal", 1.0),
        ("tiny", 0.001),
        ("huge", 20.0),
    ],
)
def test_initialisers_have_the_published_spread(name, deviation):
    weights = MLP(50, [100], rng=random.Random(1), initialiser=name).weights.reshape(100, 51)[:, :-1]
    assert weights.std() == pytest.approx(deviation, rel=0.05)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((0, [1]), "number of inputs must be a whole number from 1 to 1,024, not 0"),
        ((2, []), "layer sizes must be a list of 1 to 100 numbers"),
        ((2, 4), "layer sizes must be a list"),
        ((2, [4, 0]), "number of neurons in layer 2 must be a whole number from 1 to 1,024, not 0"),
        ((2, [10**12]), "number of neurons in layer 1"),
        ((2, [2.5]), "number of neurons in layer 1"),
        ((2, [True]), "number of neurons in layer 1"),
        ((1024, [1024] * 2), "number of parameters must be at most 1,000,000"),
        ((2, [1] * 101), "layer sizes must be a list of 1 to 100 numbers"),
    ],
)
def test_sizes_out_of_range_are_refused(arguments, words):
    with pytest.raises(SettingError, match=re.escape(words)):
        MLP(*arguments)


def test_unknown_names_come_with_the_nearest_match():
    with pytest.raises(SettingError, match="no activation 'swishh', did you mean 'swish'"):
        MLP(2, [2, 1], activation="swishh")
    with pytest.raises(SettingError, match="no initialiser 'unifrom', did you mean 'uniform'"):
        MLP(2, [1], initialiser="unifrom")


def test_weights_that_suit_the_activation_are_glorots_for_tanh_and_hes_for_relu():
    """Variance 2 / (inputs + outputs) for tanh and the linear output, 2 / inputs for relu."""
    rng = random.Random(1)
    model = MLP(100, [200, 200, 5], activation=["tanh", "relu"], rng=rng, initialiser="by_activation")
    tanh, relu, output = (matrix[:, :-1] for matrix in model.shape.layer_matrices(model.weights))
    assert tanh.std() == pytest.approx(np.sqrt(2 / 300), rel=0.02)
    assert relu.std() == pytest.approx(np.sqrt(2 / 200), rel=0.02)
    assert output.std() == pytest.approx(np.sqrt(2 / 205), rel=0.05)


def test_a_network_made_in_python_has_micrograds_weights():
    random.seed(1337)
    model = MLP(2, [16, 16, 1])
    random.seed(1337)
    drawn = [random.uniform(-1, 1) for _ in range(2)]
    assert model.initialiser == "uniform" and model.weights[:3].tolist() == [*drawn, 0.0]
