"""Dataset: the arrays that a network is trained on, with their meaning.

Hides how labels become class indices. A Dataset that exists is sound: shapes agree, every number is finite, every label
is a class it knows. Make one with `make_dataset` (by name), `from_arrays`, `from_points` or `read_table`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from datasets.limits import MAX_CLASSES, SEED_LIMITS, DatasetError, check_integer, check_number

Task = Literal["classification", "regression"]
Floats = NDArray[np.float64]


class Category(NamedTuple):
    """A column of text that became an input for each of its texts: `colour=red` is 1 where `colour` says red, else 0.

    Attributes:
        name: of the column.
        texts: of the inputs, in their order.
        first: index of the first of these inputs, which stand side by side.
    """

    name: str
    texts: tuple[str, ...]
    first: int


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of inputs, each with its target.

    Attributes:
        name: the registry's name, or the source ("points", a file's name).
        X: inputs (n_samples, n_features), float64, finite, read-only.
        y: targets (n_samples,), read-only: each row's class by its number in `labels`, as int64; or float64 for
            regression.
        task: "classification" or "regression".
        description: one sentence on the lesson of the data.
        class_names: one name for each class, in the order of the indices; empty for regression.
        feature_names: one name for each column of X.
        target_name: name of y.
        notes: sentences on oddities of the data that are no errors.
        categories: the columns of text among the inputs.
    """

    name: str
    X: Floats
    y: NDArray[Any]
    task: Task
    description: str = ""
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    target_name: str = "y"
    notes: tuple[str, ...] = ()
    categories: tuple[Category, ...] = ()

    def __post_init__(self) -> None:
        """Take read-only copies of the arrays and check that they fit together; raises DatasetError."""
        X, y = np.array(self.X, dtype=np.float64), np.array(self.y)
        _check_shapes(X, y)
        if self.task == "classification":
            if not np.isin(y, self.labels).all():
                first, *_, last = self.labels
                allowed = "-1 or 1" if first else f"whole numbers from 0 to {last}"
                raise DatasetError(f"labels must be {allowed}")
            y = y.astype(np.int64)
        else:
            y = y.astype(np.float64)
        X.setflags(write=False)
        y.setflags(write=False)
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "feature_names", self.feature_names or default_feature_names(X.shape[1]))

    @property
    def n_samples(self) -> int:
        """Number of rows, 1 or more."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of inputs of a row, 1 or more."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.class_names)

    @property
    def labels(self) -> tuple[int, ...]:
        """Numbers that encode the classes in y, in the order of `class_names`; empty for regression."""
        return class_labels(self.class_names)

    @property
    def classes(self) -> NDArray[np.int64]:
        """Each row's class as an index into `class_names`, (n_samples,); DatasetError for regression."""
        if not self.n_classes:
            raise DatasetError(f"{self.name!r} has numbers to predict, and classes are asked for")
        return np.searchsorted(self.labels, self.y).astype(np.int64)

    @property
    def source_columns(self) -> list[tuple[str, Floats | tuple[str, ...]]]:
        """The columns that the inputs came from, by name: numbers (n_samples,), or the texts of a category."""
        firsts = {category.first: category for category in self.categories}
        columns: list[tuple[str, Floats | tuple[str, ...]]] = []
        index = 0
        while index < self.n_features:
            if (category := firsts.get(index)) is None:
                columns.append((self.feature_names[index], self.X[:, index]))
                index += 1
            else:
                found = self.X[:, index : index + len(category.texts)].argmax(axis=1)
                columns.append((category.name, tuple(category.texts[number] for number in found)))
                index += len(category.texts)
        return columns

    def take(self, rows: NDArray[np.int64]) -> "Dataset":
        """Return the dataset of these rows only, in this order; names and classes stay."""
        return replace(self, X=self.X[rows], y=self.y[rows])


def class_labels(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of classes with these names: -1 and 1 where they are called so, else 0, 1, 2, ..."""
    return (-1, 1) if names == ("-1", "1") else tuple(range(len(names)))


def default_feature_names(n_features: int) -> tuple[str, ...]:
    """x for a single input, x1, x2, ... for several."""
    return ("x",) if n_features == 1 else tuple(f"x{column + 1}" for column in range(n_features))


def from_arrays(
    X: ArrayLike,
    y: ArrayLike,
    task: Task = "classification",
    *,
    name: str = "arrays",
    description: str = "",
    class_names: Sequence[str] = (),
) -> Dataset:
    """Return a dataset of one's own numbers.

    Args:
        X: (n_samples, n_features), or (n_samples,) for a single input.
        y: (n_samples,). For a classification without `class_names`, the values -1/+1 or 0/1 stay as they are, and any
            other values become 0, 1, 2, ... in ascending order. With `class_names`, the classes' indices.
        task: "classification" or "regression".
        name: of the data.
        description: one sentence on it.
        class_names: a name for each class index.

    Raises:
        DatasetError: no rows, shapes that do not fit, a number that is not finite, more than 10 classes.
    """
    inputs = _numbers("X", X)
    targets: NDArray[Any] = _numbers("y", y)
    if inputs.ndim == 1:
        inputs = inputs[:, None]
    _check_shapes(inputs, targets)
    names: tuple[str, ...] = tuple(class_names)
    if task == "classification" and not names:
        targets, names = numbered_labels(targets)
    elif task == "classification":
        targets = labels_at(targets, names)
    notes = label_notes(inputs, targets) if task == "classification" else ()
    return Dataset(name, inputs, targets, task, description, names, notes=notes)


def split_rows(n_samples: int, test_fraction: float, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Deal rows out at random to training and to test data; return both, ascending.

    Args:
        n_samples: 2 or more.
        test_fraction: above 0 and below 1; the number of test rows is rounded, and each side gets one row at least.
        seed: 0 .. 2**32 - 1; the same seed deals the same rows.

    Returns:
        (train, test), indices of rows.
    """
    fraction = check_number("test fraction", test_fraction, (0.0, 1.0))
    if fraction in (0.0, 1.0):
        raise DatasetError(f"test fraction must be above 0 and below 1, not {fraction:g}: both sides need a row")
    if n_samples < 2:
        raise DatasetError("a single row cannot be split into training and test data")
    n_test = min(max(round(n_samples * fraction), 1), n_samples - 1)
    order = np.random.RandomState(check_integer("seed", seed, SEED_LIMITS)).permutation(n_samples)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def sample_rows(groups: NDArray[np.int64], size: int, seed: int = 0) -> NDArray[np.int64]:
    """Draw at most `size` rows at random, in proportion to the groups and with every group represented.

    Args:
        groups: (n_samples,) group of each row, for instance its class; all 0 for a plain random sample.
        size: rows to draw, at least as many as there are groups.
        seed: 0 .. 2**32 - 1; the same seed draws the same rows.

    Returns:
        Indices of the rows, ascending; every row where there are no more than `size`.
    """
    n_rows = len(groups)
    if n_rows <= size:
        return np.arange(n_rows)
    _, members, counts = np.unique(groups, return_inverse=True, return_counts=True)
    exact = counts * (size / n_rows)
    quotas = np.maximum(np.floor(exact), 1).astype(np.int64)
    while quotas.sum() < size:
        quotas[np.argmax(exact - quotas)] += 1
    while quotas.sum() > size:
        quotas[np.argmax(quotas)] -= 1
    order = np.random.RandomState(check_integer("seed", seed, SEED_LIMITS)).permutation(n_rows)
    drawn = [order[members[order] == group][:quota] for group, quota in enumerate(quotas)]
    return np.sort(np.concatenate(drawn))


def telling_inputs(data: Dataset) -> tuple[int, int]:
    """Return the two inputs, from 0, that predict the target best by themselves; the data have two inputs or more.

    Compared is the share of the target's variance that an input explains in a straight line or, for classes, the share
    of the input's variance that lies between the classes (eta squared). Inputs with two values only (0 or 1) come last:
    they make a poor axis.
    """
    size = np.maximum(np.abs(data.X).max(axis=0), np.finfo(float).tiny)
    deviations = data.X / size - (data.X / size).mean(axis=0)
    if data.n_classes:
        groups = np.eye(data.n_classes)[data.classes]
        means = groups.T @ deviations / np.maximum(groups.sum(axis=0), 1.0)[:, None]
        explained = groups.sum(axis=0) @ means**2
    else:
        size = max(float(np.abs(data.y).max()), np.finfo(float).tiny)
        goal = data.y / size - (data.y / size).mean()
        explained = (goal @ deviations) ** 2 / max(float(goal @ goal), np.finfo(float).tiny)
    total = (deviations**2).sum(axis=0)
    shares = np.divide(explained, total, out=np.zeros(data.n_features), where=total > 0.0)
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    shares -= np.all(((data.X - low) == 0.0) | ((high - data.X) == 0.0), axis=0)
    first, second = np.argsort(-shares, kind="stable")[:2].tolist()
    return first, second


def label_notes(X: Floats, y: NDArray[Any]) -> tuple[str, ...]:
    """Return notes on unusual labels: only one class, or equal points (n_samples, n_features) of different classes."""
    notes = []
    if np.all(y == y[0]):
        notes.append("All points are of one class, so there is no boundary to learn.")
    order = np.lexsort((y, *X.T))  # sorts equal points together; ten times as fast as numpy's unique rows
    is_new = np.any(X[order[1:]] != X[order[:-1]], axis=1)
    if n_more := int(np.count_nonzero(~is_new & (y[order[1:]] != y[order[:-1]]))):
        points = "1 of the points appears" if n_more == 1 else f"{n_more} of the points appear"
        notes.append(f"{points} with different classes: no model gets all right.")
    return tuple(notes)


def labels_at(indices: NDArray[Any], names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the labels (n_samples,) of classes given by their indices; DatasetError for an index that no class has."""
    if not np.isin(indices, np.arange(len(names))).all():
        raise DatasetError(f"class indices must be whole numbers from 0 to {len(names) - 1}")
    return np.array(class_labels(names), dtype=np.int64)[np.asarray(indices, dtype=np.int64)]


def numbered_labels(values: Floats) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return labels (n_samples,) for any values, and the classes' names: -1/+1 and 0/1 stay as they are."""
    found = np.unique(values)
    for pair in ((0.0, 1.0), (-1.0, 1.0)):
        if set(found) <= set(pair):
            found = np.array(pair)
    if len(found) > MAX_CLASSES:
        raise DatasetError(f"there may be at most {MAX_CLASSES} classes, not {len(found)}: is this a regression?")
    names = tuple(map(number_name, found))
    names = at_least_two(names)
    return labels_at(np.searchsorted(found, values), names), names


def number_name(value: float) -> str:
    """Return the name of a class that is a number, such as 0 or 1000001; different numbers have different names."""
    return repr(float(value) + 0.0).removesuffix(".0")  # 0, not -0


def at_least_two(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the class names, with a second one when the data knows only one class."""
    return names if len(names) > 1 else (*names, f"not {names[0]}")


def _numbers(name: str, given: ArrayLike) -> Floats:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise DatasetError(f"{name} must be a table of numbers with rows of one length") from error
    if array.dtype.kind not in "biuf":
        raise DatasetError(f"{name} must hold numbers, not {array.dtype.name}")
    return array.astype(np.float64)


def _check_shapes(X: Floats, y: NDArray[Any]) -> None:
    if X.ndim != 2 or y.ndim != 1 or len(X) != len(y):
        raise DatasetError(f"X must be (n_samples, n_features) and y (n_samples,), not {X.shape} and {y.shape}")
    if X.size == 0:
        raise DatasetError(f"there must be at least one row and one input, not X of shape {X.shape}")
    for name, array in (("X", X), ("y", y)):
        if not np.all(np.isfinite(array)):
            raise DatasetError(f"{name} must be finite; row {int(np.argwhere(~np.isfinite(array))[0][0]) + 1} is not")
