"""Derived inputs and scaling."""

import math

import numpy as np
import pytest

from datasets import FEATURES, DatasetError, Scaling, available_features, derive_features, make_dataset

X = np.array([[0.5, -2.0], [1.5, 3.0], [-1.0, 0.25]])


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_computes_what_its_formula_says(name):
    expected = [eval(FEATURES[name].formula, {**vars(math), "x1": x1, "x2": x2}) for x1, x2 in X]
    assert np.allclose(derive_features(X, [name])[:, 0], expected, rtol=1e-15, atol=0)
    assert FEATURES[name].description


def test_features_come_in_the_order_asked_for():
    assert derive_features(X, ["x2^2", "x1", "x1x2"])[1].tolist() == [9.0, 1.5, 4.5]


def test_the_inputs_themselves_are_features_bit_for_bit():
    data = make_dataset("tutorial")
    assert available_features(3)[-1] == "x3"
    assert derive_features(data.X, ["x1", "x2", "x3"]).tobytes() == data.X.tobytes()


def test_a_single_input_allows_only_what_is_made_of_it():
    assert available_features(1) == tuple(name for name in FEATURES if "x2" not in FEATURES[name].formula)
    assert {"x1", "x1^2", "sin x1"} <= set(available_features(1))


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (2, [], "at least one"),
        (2, ["x1^22"], r"no feature 'x1\^22', did you mean 'x1\^2'"),
        (2, ["x3"], "no feature 'x3'"),
        (1, ["x1x2"], "needs 2 inputs; the data has 1"),
    ],
)
def test_a_feature_that_is_none_is_refused(columns, names, message):
    with pytest.raises(DatasetError, match=message):
        derive_features(np.ones((3, columns)), names)


@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30, 1e200, 1e-200])
def test_scaling_gives_mean_0_and_deviation_1_whatever_the_size(size):
    scaling = Scaling.of(X * size)
    scaled = scaling.apply(X * size)
    assert np.allclose(scaled.mean(axis=0), 0, atol=1e-12)
    assert np.allclose(scaled.std(axis=0), 1, rtol=1e-12)
    assert np.allclose(scaled * scaling.scale + scaling.mean, X * size, rtol=1e-12, atol=0)


def test_a_constant_column_is_only_shifted():
    scaled = Scaling.of(np.full((4, 1), 7.0)).apply(np.array([[7.0], [8.0]]))
    assert scaled.tolist() == [[0.0], [1.0]]
