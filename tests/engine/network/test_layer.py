"""Neurons and layers by themselves, as in micrograd."""

import copy
import pickle
import random

import numpy as np
import pytest

from engine.autograd import Value, ValueDataError
from engine.network import ACTIVATIONS, MLP, Layer, Neuron, SettingError, SizeError


def test_a_neuron_takes_numbers_values_and_arrays():
    neuron = Neuron(3, "tanh", random.Random(1))
    expected = sum(w.data * x for w, x in zip(neuron.w, [2.0, 3.0, -1.0], strict=True)) + neuron.b.data
    for inputs in (
        [2.0, 3, -1.0],
        np.array([2.0, 3.0, -1.0]),
        [Value(2.0), 3.0, np.float64(-1)],
        Value([2.0, 3.0, -1.0]),
    ):
        assert neuron(inputs).data == pytest.approx(np.tanh(expected), rel=1e-14)


@pytest.mark.parametrize("name", ["exp", "sum", "no_such_name"])
def test_an_operation_that_is_no_activation_is_refused(name):
    assert name not in ACTIVATIONS
    with pytest.raises(SettingError, match=name):
        Neuron(2, name)


def test_gradients_reach_the_elements_of_an_array():
    x = Value([2.0, 3.0])
    neuron = Neuron(2, nonlin=False, rng=random.Random(1))
    neuron(x).backward()
    assert x.grad.tolist() == [w.data for w in neuron.w]


def test_micrograds_own_calls_work_and_draw_the_same_weights():
    random.seed(1337)
    neuron, layer = Neuron(2), Layer(2, 3, nonlin=False)
    random.seed(1337)
    drawn = [random.uniform(-1, 1) for _ in range(8)]
    assert [w.data for w in neuron.w] == drawn[:2]
    assert [w.data for n in layer.neurons for w in n.w] == drawn[2:]
    assert neuron.b.data == 0.0
    assert repr(neuron) == "relu Neuron(2)"
    assert {n.activation for n in layer.neurons} == {"linear"}
    assert [len(part.parameters()) for part in (neuron, layer)] == [3, 9]


def test_a_layer_gives_a_list_and_with_one_neuron_a_value():
    assert [type(value) for value in Layer(2, 3)([1.0, 2.0])] == [Value] * 3
    assert isinstance(Layer(2, 1)([1.0, 2.0]), Value)


def test_neurons_of_a_layer_share_what_they_are_computed_from():
    first, second = Layer(2, 2)([1.0, 2.0])
    assert first.inputs[0].inputs[1] is second.inputs[0].inputs[1]


def test_layers_after_one_another_are_the_network():
    model = MLP(2, [3, 1], activation="tanh", rng=random.Random(4))
    chance = random.Random(4)
    hidden, output = Layer(2, 3, "tanh", chance), Layer(3, 1, "linear", chance)
    x = [0.3, -0.7]
    assert output(hidden(x)).data == model(x).data
    for part in (*model.layers, hidden, output):
        part.zero_grad()
    for root in (output(hidden(x)), model(x)):
        root.backward()
    assert [p.grad for p in hidden.parameters() + output.parameters()] == [p.grad for p in model.parameters()]


def test_zero_grad_resets_the_parameters_of_a_neuron_and_a_layer():
    layer = Layer(2, 2)
    sum(layer([1.0, 2.0])).backward()
    layer.neurons[0].zero_grad()
    assert {p.grad for p in layer.neurons[0].parameters()} == {0.0}
    layer.zero_grad()
    assert {p.grad for p in layer.parameters()} == {0.0}


@pytest.mark.parametrize("make", [lambda: Neuron(0), lambda: Layer(2, 0), lambda: Layer(2, 5000), lambda: Neuron("2"),
                                  lambda: Neuron(2, "tahn"), lambda: Layer(2, 2, initialiser="x")])  # fmt: skip
def test_wrong_settings_are_refused(make):
    with pytest.raises(SettingError):
        make()


def test_wrong_inputs_are_refused():
    with pytest.raises(SizeError, match="this neuron takes 2 inputs, the sample has 3"):
        Neuron(2)([1, 2, 3])
    with pytest.raises(SizeError, match="this layer takes 2 inputs, the sample has 1"):
        Layer(2, 2)([1.0])
    with pytest.raises(ValueDataError, match=r"single numbers; input 2 has the shape \(2,\)"):
        Neuron(2)([1.0, [1.0, 2.0]])
    with pytest.raises(ValueDataError, match="real numbers"):
        Neuron(2)(["a", "b"])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_networks_copy_and_pickle(copied, activation):
    model = MLP(2, [3, 1], activation=activation, rng=random.Random(2))
    twin = copied(model)
    assert twin([1.0, 2.0]).data == model([1.0, 2.0]).data
    twin.weights = twin.weights * 2
    assert twin.layers[0].neurons[0].w[0].data == 2 * model.layers[0].neurons[0].w[0].data
    assert twin.parameters()[0] is twin.layers[0].neurons[0].w[0]


def test_a_network_takes_one_sample_as_a_value():
    model = MLP(2, [3, 1], rng=random.Random(2))
    x = Value([1.0, 2.0])
    model(x).backward()
    assert model(x).data == model([1.0, 2.0]).data
    assert x.grad.shape == (2,)
