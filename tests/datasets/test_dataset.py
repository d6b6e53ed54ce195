"""Datasets from one's own arrays, their labels, and splitting them."""

import numpy as np
import pytest

from datasets import Dataset, DatasetError, from_arrays, make_dataset, sample_rows, split_rows, telling_inputs

SQUARE = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("values", "labels", "names"),
    [
        ([-1, 1, 1, -1], [-1, 1, 1, -1], ("-1", "1")),
        ([0, 1, 1, 0], [0, 1, 1, 0], ("0", "1")),
        ([False, True, True, False], [0, 1, 1, 0], ("0", "1")),
        ([1, 1, 1, 1], [1, 1, 1, 1], ("0", "1")),
        ([-1, -1, -1, -1], [-1, -1, -1, -1], ("-1", "1")),
        ([5, 5, 5, 5], [0, 0, 0, 0], ("5", "not 5")),
        ([3, 7, 3, 9], [0, 1, 0, 2], ("3", "7", "9")),
        ([0.5, -2.0, 0.5, 0.5], [1, 0, 1, 1], ("-2", "0.5")),
    ],
)
def test_values_become_labels_and_the_usual_pairs_stay_as_they_are(values, labels, names):
    data = from_arrays(SQUARE, values)
    assert data.y.tolist() == labels
    assert data.class_names == names
    assert [data.labels[index] for index in data.classes] == labels


@pytest.mark.parametrize(("name", "labels"), [("moons", (-1, 1)), ("xor", (0, 1)), ("spiral3", (0, 1, 2))])
def test_classes_are_indices_whatever_their_labels_are(name, labels):
    data = make_dataset(name)
    assert data.labels == labels
    assert data.classes.tolist() == [labels.index(label) for label in data.y]
    few = data.take(np.array([2, 0]))
    assert few.classes.tolist() == data.classes[[2, 0]].tolist()
    with pytest.raises(DatasetError, match="numbers to predict"):
        _ = make_dataset("curve").classes


def test_given_class_names_of_minus_one_and_one_are_labels_too():
    assert from_arrays(SQUARE, [0, 1, 1, 0], class_names=("-1", "1")).y.tolist() == [-1, 1, 1, -1]
    with pytest.raises(DatasetError, match="class indices must be whole numbers from 0 to 1"):
        from_arrays(SQUARE, [0, 1, 2, 0], class_names=("-1", "1"))
    with pytest.raises(DatasetError, match="labels must be -1 or 1"):
        Dataset("mine", np.array(SQUARE), np.array([0, 1, 1, 0]), "classification", class_names=("-1", "1"))


def test_labels_with_given_class_names_are_indices():
    data = from_arrays(SQUARE, [0, 2, 2, 0], class_names=("red", "green", "blue"))
    assert data.y.tolist() == [0, 2, 2, 0]
    assert data.n_classes == 3


def test_regression_keeps_its_targets_and_a_single_input_may_be_a_plain_list():
    data = from_arrays([1, 2, 3], [0.5, -1.0, 2.5], "regression")
    assert data.X.shape == (3, 1)
    assert data.y.tolist() == [0.5, -1.0, 2.5]
    assert data.feature_names == ("x",)


def test_the_arrays_are_copies():
    X = np.array(SQUARE)
    data = from_arrays(X, [0, 1, 1, 0])
    X[0, 0] = 9.0
    assert data.X[0, 0] == 0.0


def test_points_of_one_class_and_contradicting_points_are_noted():
    assert "one class" in from_arrays(SQUARE, [1, 1, 1, 1]).notes[0]
    contradicting = from_arrays([[0.0, 1.0], [0.0, 1.0], [2.0, 2.0]], [0, 1, 0])
    assert contradicting.notes == ("1 of the points appears with different classes: no model gets all right.",)
    assert from_arrays(SQUARE, [0, 1, 1, 0]).notes == ()


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], [], "at least one row"),
        ([[]], [1], "at least one row and one input"),
        (SQUARE, [0, 1], r"not \(4, 2\) and \(2,\)"),
        ([[1.0, 2.0], [3.0]], [0, 1], "rows of one length"),
        ([["a", "b"]], [0], "X must hold numbers"),
        ([[1.0, 2.0]], ["yes"], "y must hold numbers"),
        ([[1j, 2.0]], [0], "X must hold numbers"),
        ([[1.0, 2.0], [np.nan, 0.0]], [0, 1], "X must be finite; row 2"),
        (SQUARE, [0, 1, np.inf, 0], "y must be finite; row 3"),
        ([[[1.0]]], [0], "X must be"),
        (np.zeros((11, 2)), range(11), "at most 10 classes, not 11"),
    ],
)
def test_arrays_that_are_no_dataset_are_refused(X, y, message):
    with pytest.raises(DatasetError, match=message):
        from_arrays(X, y)


@pytest.mark.parametrize("labels", [[0, 1, 2, 1], [-1, 0, 1, 1], [0.5, 0, 1, 1]])
def test_a_label_without_a_class_is_refused(labels):
    with pytest.raises(DatasetError, match="whole numbers from 0 to 1"):
        Dataset("mine", np.array(SQUARE), np.array(labels), "classification", class_names=("a", "b"))


def test_split_deals_every_row_once_and_keeps_the_order():
    data = from_arrays(np.arange(20.0), np.arange(20.0), "regression")
    train, test = map(data.take, split_rows(20, 0.3, seed=4))
    assert (train.n_samples, test.n_samples) == (14, 6)
    assert sorted([*train.y, *test.y]) == list(range(20))
    assert list(train.y) == sorted(train.y) and list(test.y) == sorted(test.y)
    assert train.X[:, 0].tolist() == train.y.tolist()
    assert (train.name, train.task, train.feature_names) == (data.name, data.task, data.feature_names)


def test_the_same_seed_splits_the_same_way():
    once, again, other = (split_rows(100, 0.5, seed=seed)[0].tolist() for seed in (1, 1, 2))
    assert once == again != other


@pytest.mark.parametrize(("fraction", "n_test"), [(0.9999, 2), (0.0001, 1), (0.5, 2)])
def test_each_side_of_a_split_gets_a_row(fraction, n_test):
    train, test = split_rows(3, fraction)
    assert (len(train), len(test)) == (3 - n_test, n_test)


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, float("nan"), True, "half"])
def test_a_split_without_two_sides_is_refused(fraction):
    with pytest.raises(DatasetError, match="test fraction"):
        split_rows(4, fraction)


def test_a_single_row_cannot_be_split():
    with pytest.raises(DatasetError, match="a single row"):
        split_rows(1, 0.5)


def test_a_sample_of_rows_has_every_group_in_proportion_and_is_the_same_for_a_seed():
    groups = np.repeat([0, 1, 2], [9000, 900, 3])
    rows = sample_rows(groups, 1000)
    assert len(np.unique(rows)) == 1000 and np.array_equal(rows, np.sort(rows))
    assert np.bincount(groups[rows]).tolist() == [908, 91, 1]
    assert np.array_equal(rows, sample_rows(groups, 1000)) and not np.array_equal(rows, sample_rows(groups, 1000, 1))
    first = rows[groups[rows] == 0]
    assert abs(first.mean() - 4500) < 300  # from everywhere in the group
    assert sample_rows(groups[:5], 10).tolist() == [0, 1, 2, 3, 4]
    rare = np.repeat(np.arange(21), [100] + [1] * 20)  # groups so small that the large one has to make room
    assert np.bincount(rare[sample_rows(rare, 25)]).tolist() == [5] + [1] * 20


def test_the_telling_inputs_are_those_that_explain_most_of_the_target():
    chance = np.random.RandomState(0)
    X = chance.normal(size=(400, 4))
    assert telling_inputs(from_arrays(X, X[:, 2] - 0.5 * X[:, 1], "regression")) == (2, 1)
    assert telling_inputs(from_arrays(X, X[:, 3] + 0.5 * X[:, 0] > 0)) == (3, 0)
    X[:, 3] = X[:, 3] > 0  # a column of 0 and 1 makes a poor axis
    assert 3 not in telling_inputs(from_arrays(X, X[:, 3] + 0.1 * X[:, 0] > 0.5))
