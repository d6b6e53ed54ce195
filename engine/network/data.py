"""The arrays a Trainer works on, checked once against the network and the loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import LossError, SettingError, SizeError
from engine.network.losses import Loss, Targets, encode
from engine.network.mlp import MLP

Floats = NDArray[Any]


@dataclass(frozen=True)
class InputMap:
    """Maps points to network inputs.

    Attributes:
        n_columns: numbers that a point has.
        apply: points (n, n_columns) -> inputs (n, n_inputs).
    """

    n_columns: int
    apply: Callable[[Floats], Floats]


def checked_inputs(thing: str, X: Any, n_inputs: int) -> Floats:
    """X as its own float64 array (n_samples, n_inputs) of finite numbers; SizeError or SettingError when it is not."""
    try:
        array = np.array(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingError(thing, "a table of numbers with rows of one length", type(X).__name__) from error
    if array.ndim == 1 and n_inputs == 1:
        array = array[:, None]
    if array.ndim != 2 or not len(array):
        raise SizeError(thing, f"of the shape (n_samples, {n_inputs}) with a sample or more", array.shape)
    if array.shape[1] != n_inputs:
        words = f"this network takes {n_inputs} inputs, the data has {array.shape[1]}"
        raise SizeError(thing, f"of the shape (n_samples, {n_inputs})", array.shape, words)
    if not np.all(np.isfinite(array)):
        row, column = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise SettingError(
            f"{thing}, row {row + 1}, column {column + 1},", "a finite number", float(array[row, column])
        )
    return array


def encode_both(
    loss: Loss, y: Any, y_test: Any, n_outputs: int, regression: bool = False
) -> tuple[Targets, Targets | None]:
    """Return labels of training and test data for a loss, by one rule: one kind alone may lack a class.

    Args:
        loss: an entry of LOSSES.
        y: as `encode` takes them.
        y_test: the same of the test data; None: there are none.
        n_outputs: of the network.
        regression: the labels are numbers to predict, see `encode`.

    Raises:
        LossError: when they do not fit the loss, or the two kinds each other.
    """
    targets = encode(loss, y, n_outputs, regression)
    if y_test is None:
        return targets, None
    n, both = len(targets.values), encode(loss, np.concatenate([y, y_test]), n_outputs, regression)
    if both.n_classes != targets.n_classes:
        raise LossError("test labels", "of the same kind as the training labels", np.unique(y_test).tolist()[:6])
    return both.part(slice(n)), both.part(slice(n, None))


def shuffled(n_samples: int, seed: int, epoch: int, random: np.random.RandomState) -> NDArray[np.int64]:
    """Return the order (n_samples,) in which a run sees its samples in an epoch of several batches; seeds `random`."""
    order = np.arange(n_samples)
    random.seed([seed & 0xFFFFFFFF, seed >> 32, epoch])
    random.shuffle(order)
    return order


class TrainingData:
    """Training data and, where given, test data.

    Attributes:
        X: (n_samples, n_inputs) float64.
        y: labels as given.
        targets: labels encoded for the loss.
        X_test: the same for the test data, or None.
        y_test: labels of the test data as given, or None.
        test_targets: encoded, or None.
        regression: the labels are numbers to predict, never classes.
    """

    def __init__(
        self, X: Any, y: Any, X_test: Any, y_test: Any, loss: Loss, model: MLP, regression: bool = False
    ) -> None:
        if (X_test is None) != (y_test is None):
            raise SettingError("test data", "both X_test and y_test, or neither", "only one of them")
        self.X = checked_inputs("X", X, model.n_inputs)
        self.y = np.array(y)
        self.X_test = None if X_test is None else checked_inputs("X_test", X_test, model.n_inputs)
        self.y_test = None if y_test is None else np.array(y_test)
        self.regression = regression
        self.encode_for(loss, model.n_outputs)

    def encode_for(self, loss: Loss, n_outputs: int) -> None:
        """Encode the labels for a loss; LossError, and nothing changed, when they do not fit it."""
        targets, test_targets = encode_both(loss, self.y, self.y_test, n_outputs, self.regression)
        for thing, X, encoded in (("y", self.X, targets), ("y_test", self.X_test, test_targets)):
            if X is not None and encoded is not None and len(encoded.values) != len(X):
                raise SizeError(thing, f"{len(X)} labels, one for each sample", len(encoded.values))
        self.targets, self.test_targets = targets, test_targets

    @property
    def n_samples(self) -> int:
        """Training samples, 1 or more."""
        return len(self.X)
