"""Points drawn by hand, and the values of a formula."""

import numpy as np
import pytest

from datasets import DatasetError, from_function, from_points


def test_drawn_points_become_a_classification():
    data = from_points([0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0, 2, 0])
    assert data.X.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert data.y.tolist() == [0, 2, 0]
    assert data.class_names == ("0", "1", "2")


def test_a_single_point_has_two_classes_to_choose_from():
    assert from_points([0.0], [0.0], [0]).n_classes == 2


@pytest.mark.parametrize(
    ("x1", "x2", "classes", "message"),
    [
        ([], [], [], "draw one first"),
        ([1.0], [1.0, 2.0], [0], "not 1, 2 and 1"),
        ([1.0], [1.0], [10], "class must be a whole number from 0 to 9, not 10"),
        ([1.0], [1.0], [True], "whole number"),
        ([1.0], [float("nan")], [0], "finite"),
    ],
)
def test_points_that_are_none_are_refused(x1, x2, classes, message):
    with pytest.raises(DatasetError, match=message):
        from_points(x1, x2, classes)


def test_a_formula_gives_its_values():
    data = from_function(lambda X: X[:, 0] ** 2, n_features=1, n_samples=50, seed=3, span=(-2.0, 2.0))
    assert data.X.shape == (50, 1)
    assert np.abs(data.X).max() <= 2.0
    assert np.array_equal(data.y, data.X[:, 0] ** 2)


def test_the_sign_of_a_formula_gives_two_classes():
    data = from_function(lambda X: X[:, 0] - X[:, 1], task="classification")
    assert np.array_equal(data.y == 1, data.X[:, 0] > data.X[:, 1])
    assert data.n_classes == 2


def test_noise_is_added_to_the_values_and_repeats_with_its_seed():
    noisy = from_function(lambda X: X[:, 0], n_features=1, noise=0.1, seed=1)
    assert 0.05 < (noisy.y - noisy.X[:, 0]).std() < 0.2
    assert noisy.y.tolist() == from_function(lambda X: X[:, 0], n_features=1, noise=0.1, seed=1).y.tolist()


def test_a_formula_without_a_value_somewhere_is_refused_with_the_place():
    with pytest.raises(DatasetError, match=r"no finite value at \d+ of 200 points, one is x1 = −"):
        from_function(lambda X: np.where(X[:, 0] > 0, X[:, 0], np.nan), n_features=1)


def test_a_formula_of_another_shape_is_refused():
    with pytest.raises(DatasetError, match=r"200 points, not shape \(200, 2\)"):
        from_function(lambda X: X)
