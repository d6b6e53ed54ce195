"""Interpretation of the network's outputs: the decision between two classes, and the names of the classes.

Panels show outputs as `Progress` has them: probabilities where the loss reads logits, plain outputs elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import Dataset
from engine.network import Loss, Targets
from gui.number_texts import with_minus


def decision_level(loss: Loss, targets: Targets) -> float | None:
    """The shown output above which class 1 is meant: 0.5 for probabilities, else halfway between the targets.

    None where there is no such number: for several outputs, and for numbers to predict.
    """
    if targets.classes is None or targets.values.shape[1] > 1:
        return None
    return 0.5 if loss.probability else targets.threshold


def strongest_levels(level: float | None, targets: Targets) -> tuple[float, float]:
    """The shown outputs that get the strongest colours, lower and upper; the decision lies halfway."""
    if level is not None:
        return (0.0, 1.0) if level > 0.0 else (-1.0, 1.0)
    low, high = float(targets.numbers.min()), float(targets.numbers.max())
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def decided(outputs: NDArray[Any], level: float | None) -> NDArray[np.int64]:
    """Return class indices (n,) of outputs (n, n_outputs): the largest, or 1 where the only one is above the level."""
    if level is None:
        return np.asarray(outputs.argmax(axis=1), dtype=np.int64)
    return (outputs[:, 0] > level).astype(np.int64)


def class_titles(dataset: Dataset) -> tuple[str, ...]:
    """The names of the classes as they are shown: a number has a real minus sign."""
    return tuple(with_minus(name) if name.removeprefix("-").isdigit() else name for name in dataset.class_names)


def class_texts(dataset: Dataset, targets: Targets) -> tuple[str, ...]:
    """Return the name of each class: its target `−1`, with a name `yin (0)`; the name alone with one-hot outputs."""
    if targets.values.shape[1] > 1:
        return class_titles(dataset)
    numbers = _numbers_of_classes(dataset, targets)
    named = zip(dataset.class_names, class_titles(dataset), numbers, strict=True)
    return tuple(title if number == name else f"{title} ({with_minus(number)})" for name, title, number in named)


def _numbers_of_classes(dataset: Dataset, targets: Targets) -> list[str]:
    """The number that each class was trained on; of a class without samples the number that it has in the data."""
    classes, first_rows = np.unique(dataset.classes, return_index=True)
    trained = dict(zip(classes.tolist(), targets.numbers[first_rows].tolist(), strict=True))
    return [f"{trained.get(index, label):g}" for index, label in enumerate(dataset.labels)]
