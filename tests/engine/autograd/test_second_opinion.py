"""PyTorch as a second opinion: how the graph is handed over, and the published digits of the tutorial in PyTorch."""

import numpy as np
import pytest

from engine.autograd import Value, gradients_of, weighted_sum
from engine.autograd.second_opinion import MOST_VALUES, PRECISIONS, is_available, opinions
from engine.language import evaluate
from tests.engine.autograd import stand_in_torch

NEURON = "x1 = {}\nx2 = {}\nw1 = {}\nw2 = {}\nb = {}\nn = x1*w1 + x2*w2 + b\no = tanh(n)"
LEAVES = 2.0, 0.0, -3.0, 1.0, 6.8813735870195432
PUBLISHED = {"x2": 0.5000001283844369, "w2": 0.0, "x1": -1.5000003851533106, "w1": 1.0000002567688737}
"""A16: what the tutorial printed for `torch.Tensor([...]).double()`, whose leaves were rounded to float32."""


def test_leaves_rounded_to_float32_and_computed_in_float64_give_the_published_digits():
    result = evaluate(NEURON.format(*(float(np.float32(leaf)) for leaf in LEAVES)))
    gradients = gradients_of(result.root)
    assert result.root.data == pytest.approx(0.7071066904050358, abs=1e-15)
    for name, published in PUBLISHED.items():
        assert gradients[result.names[name]] == pytest.approx(published, abs=1e-15)


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_precision_is_asked_for_and_its_agreement_counted(name):
    result = evaluate(NEURON.format(*LEAVES))
    value, gradient = result.names[name], gradients_of(result.root)[result.names[name]]
    found = {each.precision: each for each in opinions(result.root, value, gradient, stand_in_torch)}
    assert list(found) == list(PRECISIONS)
    assert found["float64"].gradient == pytest.approx(gradient, rel=1e-14)  # the other library has its own tanh
    assert found["float64"].digits >= 15
    rounded = found["float64 from float32 leaves"]
    assert rounded.gradient == pytest.approx(PUBLISHED[name], abs=1e-15)
    assert name == "w2" or 5 <= rounded.digits <= 7


@pytest.mark.parametrize("formula", [
    "a*b + b/a - a**3", "exp(a) + log(b) + sqrt(b)", "weighted_sum(a, b, b, a, 1.0)", "logsumexp(a, b, a)", "gelu(a)*b",
    "max(a, b) + min(a, 2*b) + abs(a)", "sin(a)*cos(b) + sigmoid(a)",
    "softplus(a) + swish(b) + relu(a) + leaky_relu(b)",
    "a**b",
])  # fmt: skip
def test_every_formula_is_computed_by_the_functions_of_the_other_library(formula):
    result = evaluate(f"a = 0.7\nb = 1.3\ny = {formula}")
    gradients = gradients_of(result.root)
    for name in "ab":
        exact = opinions(result.root, result.names[name], gradients[result.names[name]], stand_in_torch)[0]
        assert exact.gradient == pytest.approx(gradients[result.names[name]], rel=1e-12)


def test_a_computed_value_has_its_gradient_there_too():
    result = evaluate(NEURON.format(*LEAVES))
    for name in ("n", "o"):
        gradient = gradients_of(result.root)[result.names[name]]
        found = opinions(result.root, result.names[name], gradient, stand_in_torch)
        assert [each.gradient for each in found] == pytest.approx([gradient] * 3, rel=1e-6)


def test_arrays_and_very_large_graphs_are_not_asked_about():
    vector = Value([1.0, 2.0])
    assert opinions((vector * 2).sum(), vector, 0.0, stand_in_torch) == ()
    x = Value(1.0)
    assert opinions(sum((x for _ in range(MOST_VALUES)), Value(0.0)), x, 0.0, stand_in_torch) == ()


@pytest.mark.parametrize("is_installed", [True, False])
def test_it_is_available_where_it_is_installed(monkeypatch, is_installed):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if is_installed else None)
    assert is_available() is is_installed


def test_a_sum_of_no_products_is_its_bias_there_too():
    x = Value(0.5)
    root = weighted_sum([], [], Value(2.0)) * x
    assert [each.gradient for each in opinions(root, x, 2.0, stand_in_torch)] == [2.0] * len(PRECISIONS)
