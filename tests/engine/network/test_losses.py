"""The losses: one rule for numbers and arrays, labels in every encoding, and what does not fit."""

import math
import random

import numpy as np
import pytest

from engine.autograd import Value, check_gradients
from engine.network import LOSSES, MLP, LossError, SettingError, array_objective, encode, sample_loss, scalar_objective
from engine.network.objective import Penalty


def outputs_for(loss):
    return {"signed": 1, "one_hot": 3}.get(loss.encoding, 2)


def labels_for(loss, n_samples, seed=0):
    rng = np.random.RandomState(seed)
    if loss.encoding == "raw":
        return rng.normal(size=(n_samples, 2))
    return rng.randint(0, 2, (n_samples, 2)) if loss.encoding == "zero_one" else rng.randint(0, 2, n_samples)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("penalty", [Penalty(), Penalty(l1=0.01, l2=0.02)])
def test_the_array_path_is_the_scalar_path(name, penalty):
    loss = LOSSES[name]
    model = MLP(2, [4, outputs_for(loss)], activation="tanh", rng=random.Random(3))
    X = np.random.RandomState(1).normal(size=(6, 2))
    targets = encode(loss, labels_for(loss, 6), model.n_outputs).values
    scalar, array = (build(model, loss, X, targets, penalty) for build in (scalar_objective, array_objective))
    scalar.backward()
    array.backward()
    assert array.data == pytest.approx(scalar.data, abs=1e-13)
    assert model.array_gradients() == pytest.approx([p.grad for p in model.parameters()], abs=1e-13)


@pytest.mark.parametrize("name", LOSSES)
def test_every_gradient_agrees_with_central_differences(name):
    loss = LOSSES[name]
    model = MLP(2, [3, outputs_for(loss)], activation="tanh", rng=random.Random(4))
    target = encode(loss, labels_for(loss, 4), model.n_outputs).values[0]
    assert all(row.ok for row in check_gradients(sample_loss(model, loss, [0.4, -0.3], target)))


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_described(name):
    loss = LOSSES[name]
    assert loss.name == name
    assert loss.title and loss.formula
    assert loss.description.endswith(".")


@pytest.mark.parametrize(
    "name, outputs, targets, expected",
    [
        ("mean_squared_error", [[1.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]], 7 / 4),
        ("sum_squared_error", [[1.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]], 7.0),
        ("hinge", [[0.5], [2.0], [-3.0]], [[1.0], [1.0], [1.0]], (0.5 + 0 + 4) / 3),
        ("binary_cross_entropy", [[0.0], [2.0]], [[1.0], [0.0]], (np.log(2) + np.log1p(np.exp(2))) / 2),
        ("softmax_cross_entropy", [[0.0, 0.0]], [[1.0, 0.0]], np.log(2)),
        ("softmax_cross_entropy", [[1.0, 3.0]], [[0.0, 1.0]], np.log1p(np.exp(-2))),
        ("huber", [[0.5], [-3.0]], [[0.0], [0.0]], (0.125 + 2.5) / 2),
    ],
)  # fmt: skip
def test_losses_have_their_textbook_values(name, outputs, targets, expected):
    assert LOSSES[name].of_arrays(np.array(outputs), np.array(targets)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("logit", [-1000.0, 1000.0])
def test_cross_entropies_of_huge_logits_are_exact(logit):
    z, t = Value(logit), Value(1.0)
    loss = LOSSES["binary_cross_entropy"].of_sample([z], [t])
    loss.backward()
    assert loss.data == max(-logit, 0.0)
    assert z.grad == (-1.0 if logit < 0 else 0.0)
    scores = [Value(logit), Value(0.0)]
    loss = LOSSES["softmax_cross_entropy"].of_sample(scores, [t, Value(0.0)])
    loss.backward()
    assert loss.data == max(-logit, 0.0)
    assert [score.grad for score in scores] == ([-1.0, 1.0] if logit < 0 else [0.0, 0.0])
    array = np.array([[logit, 0.0]])
    assert LOSSES["softmax_cross_entropy"].of_arrays(array, np.array([[1.0, 0.0]])) == max(-logit, 0.0)


@pytest.mark.parametrize("labels", [[0, 1, 1], [-1, 1, 1], [-1.0, 1.0, 1.0], [False, True, True]])
@pytest.mark.parametrize("name, expected", [("hinge", [-1, 1, 1]), ("binary_cross_entropy", [0, 1, 1])])
def test_two_classes_are_understood_in_either_encoding(labels, name, expected):
    targets = encode(LOSSES[name], labels, 1)
    assert targets.values[:, 0].tolist() == expected
    assert targets.classes.tolist() == [0, 1, 1]
    assert targets.n_classes == 2


def test_classes_become_one_hot_rows():
    for name in ("softmax_cross_entropy", "mean_squared_error"):
        targets = encode(LOSSES[name], [2, 0], 3)
        assert targets.values.tolist() == [[0, 0, 1], [1, 0, 0]]
        assert targets.accuracy(np.array([[0.1, 0.2, 0.9], [0.1, 0.3, 0.2]])) == 0.5


def test_rows_with_a_one_in_the_place_of_the_class_are_classes_for_every_loss():
    for name in ("softmax_cross_entropy", "mean_squared_error", "binary_cross_entropy"):
        targets = encode(LOSSES[name], [[0, 0, 1], [1, 0, 0]], 3)
        assert targets.classes.tolist() == [2, 0] and targets.n_classes == 3
    assert encode(LOSSES["mean_squared_error"], [[0.5, 2.0], [1.0, 0.0]], 2).classes is None


def test_numbers_stay_numbers_for_a_squared_error():
    targets = encode(LOSSES["mean_squared_error"], [0.3, 1.7], 1)
    assert targets.values.tolist() == [[0.3], [1.7]]
    assert targets.classes is None
    assert targets.accuracy(np.zeros((2, 1))) is None


def test_the_threshold_lies_between_the_two_labels():
    assert encode(LOSSES["mean_squared_error"], [0, 1], 1).threshold == 0.5
    assert encode(LOSSES["mean_squared_error"], [-1, 1], 1).threshold == 0.0
    assert encode(LOSSES["binary_cross_entropy"], [0, 1], 1).threshold == 0.0


@pytest.mark.parametrize(
    "name, labels, n_outputs, words",
    [
        ("hinge", [0, 1, 2], 1, "hinge needs labels 0/1 or -1/\\+1; the data has 0, 1, 2"),
        ("hinge", [0, 1], 2, "hinge needs one output, the network has 2"),
        ("binary_cross_entropy", [0.5, 1], 1, "binary_cross_entropy needs labels 0/1 or -1/\\+1; the data has 0.5, 1"),
        ("binary_cross_entropy", [0, 1], 2, "needs 2 columns of 0/1"),
        ("binary_cross_entropy", [[0, 2]], 2, "0 or 1 in every column"),
        ("softmax_cross_entropy", [0, 1], 1, "needs one output for each class, not 1"),
        ("softmax_cross_entropy", [0, 3], 3, "whole numbers from 0 to 2, one class for each output; the data has 0, 3"),
        ("softmax_cross_entropy", [[0.5, 0.2]], 2, "rows that sum to 1"),
        ("mean_squared_error", [[1.0, 2.0]], 3, "3 for each sample"),
        ("mean_squared_error", [float("nan")], 1, "label of sample 1 is not finite"),
        ("mean_squared_error", ["a"], 1, "labels must be numbers"),
        ("mean_squared_error", [], 1, "one sample or more"),
    ],
)
def test_labels_that_do_not_fit_are_refused(name, labels, n_outputs, words):
    with pytest.raises(SettingError, match=words) as caught:
        encode(LOSSES[name], labels, n_outputs)
    assert caught.value.thing and caught.value.allowed
    assert isinstance(caught.value, LossError) or "sample" in words or "each" in words


@pytest.mark.parametrize("name, sums", [("binary_cross_entropy", False), ("softmax_cross_entropy", True)])
def test_logits_become_probabilities(name, sums):
    shares = LOSSES[name].probabilities(np.array([[-1000.0, 0.0, 1000.0]]))
    assert shares.tolist() == ([[0.0, 0.0, 1.0]] if sums else [[0.0, 0.5, 1.0]])


def test_penalties_are_of_all_parameters():
    model = MLP(1, [2], rng=random.Random(5))
    model.weights = [1.0, -2.0, 0.5, 0.0]
    penalty = Penalty(l1=0.1, l2=0.01)
    graph = penalty.of_values(model.parameters())
    graph.backward()
    flat, gradients = model.weights, np.zeros(4)
    penalty.add_gradient(flat, gradients, np.empty(4))
    assert graph.data == pytest.approx(0.1 * 3.5 + 0.01 * 5.25) == penalty.of_array(flat)
    assert gradients == pytest.approx([p.grad for p in model.parameters()])


def read(formula, o, t):
    """The value of a formula, as it is shown, for an output and a target."""
    signs = {"½(": "0.5 * (", "½": "0.5", "|o - t|": "abs(o - t)", "²": "**2", "·": "*"}
    for shown, python in signs.items():
        formula = formula.replace(shown, python)
    if " for " in formula:
        near, condition, far = formula.replace(", else ", " for ").split(" for ")
        formula = f"({near}) if {condition} else ({far})"
    names = {"softplus": lambda x: math.log1p(math.exp(x)), "max": max, "abs": abs, "o": o, "t": t}
    return eval(formula, {"__builtins__": {}}, names)


@pytest.mark.parametrize("name", [name for name, loss in LOSSES.items() if not loss.normalised])
def test_the_formula_that_is_shown_of_a_loss_is_what_it_computes(name):
    for o, t in ((0.4, 1.0), (2.5, -1.0), (-1.5, 0.0), (0.9, 1.0)):
        assert LOSSES[name].term(Value(o), Value(t)).data == pytest.approx(read(LOSSES[name].formula, o, t))
