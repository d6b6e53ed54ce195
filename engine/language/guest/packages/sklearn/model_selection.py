"""`sklearn.model_selection`: training and test data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._random import stream


def train_test_split(
    *arrays: Any,
    test_size: Any = None,
    train_size: Any = None,
    random_state: Any = None,
    shuffle: bool = True,
    stratify: Any = None,
) -> list[Any]:
    """Return each array's part for training and its part for testing, in scikit-learn's random order."""
    if stratify is not None:
        raise NotImplementedError("train_test_split(stratify=...) is not available here")
    count = len(arrays[0])
    if any(len(array) != count for array in arrays):
        lengths = [len(array) for array in arrays]
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    if test_size is None:
        test_size = 0.25 if train_size is None else None
    n_train = _number(train_size, count, math.floor)
    n_test = count - n_train if test_size is None else _number(test_size, count, math.ceil)
    n_train = count - n_test if train_size is None else n_train
    if n_train < 1 or n_test < 1 or n_train + n_test > count:
        raise ValueError(
            f"test_size={test_size} and train_size={train_size} leave {n_train} samples for training and {n_test} for "
            f"testing of {count}; both need one or more"
        )
    order = stream(random_state).permutation(count) if shuffle else None
    places = order.tolist() if order is not None else [*range(n_train, n_train + n_test), *range(n_train)]
    test, train = places[:n_test], places[n_test : n_test + n_train]
    return [part for array in arrays for part in (_taken(array, train), _taken(array, test))]


def _number(size: Any, count: int, rounded: Any) -> int:
    if isinstance(size, bool) or (isinstance(size, float) and not 0.0 < size < 1.0):
        raise ValueError(f"a size is a float between 0.0 and 1.0, a whole number of samples, or None; got {size}")
    return size if isinstance(size, int) else 0 if size is None else rounded(size * count)


def _taken(array: Any, places: list[int]) -> Any:
    if isinstance(array, (list, tuple)):
        return [array[place] for place in places]
    return array[np.array(places, dtype=int)]
