"""Inputs made of inputs: squares, the product, sines; and scaling, which is never done in secret.

To add a feature, add a line to FEATURES. The check boxes, the exported programs and the tests read the table.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from datasets.dataset import Floats
from datasets.limits import DatasetError, unknown_name


@dataclass(frozen=True)
class Feature:
    """One derived input.

    Attributes:
        name: its key in FEATURES, as a person types it.
        formula: the same in the expression language, in terms of x1 and x2.
        n_inputs: how many columns the data must have for it.
        description: its use for a network.
        compute: X (n_samples, n_inputs or more) -> (n_samples,).
    """

    name: str
    formula: str
    n_inputs: int
    description: str
    compute: Callable[[Floats], Floats]

    @property
    def title(self) -> str:
        """The name as mathematics writes it: x1², x1x2."""
        return self.name.replace("^2", "²")


FEATURES = MappingProxyType(
    {
        feature.name: feature
        for feature in (
            Feature("x1", "x1", 1, "the first input as it is", lambda X: X[:, 0]),
            Feature("x2", "x2", 2, "the second input as it is", lambda X: X[:, 1]),
            Feature("x1^2", "x1 ** 2", 1, "lets a single neuron draw a vertical band or, with x2², an ellipse",
                    lambda X: X[:, 0] ** 2),
            Feature("x2^2", "x2 ** 2", 2, "lets a single neuron draw a level band or, with x1², an ellipse",
                    lambda X: X[:, 1] ** 2),
            Feature("x1x2", "x1 * x2", 2, "positive where the signs agree: XOR becomes a matter of one line",
                    lambda X: X[:, 0] * X[:, 1]),
            Feature("sin x1", "sin(x1)", 1, "repeats along x1, for stripes and spirals", lambda X: np.sin(X[:, 0])),
            Feature("sin x2", "sin(x2)", 2, "repeats along x2, for stripes and spirals", lambda X: np.sin(X[:, 1])),
        )
    }
)  # fmt: skip


def available_features(n_features: int) -> tuple[str, ...]:
    """Return the features for data with this number of columns; from the third on only the columns themselves."""
    derived = (name for name, feature in FEATURES.items() if feature.n_inputs <= n_features)
    return (*derived, *(f"x{column}" for column in range(3, n_features + 1)))


def feature_title(name: str) -> str:
    """Display name of a feature; a column from the third on keeps its name."""
    return FEATURES[name].title if name in FEATURES else name


def derive_features(X: Floats, names: Sequence[str]) -> Floats:
    """Return the named features of X (n_samples, n_features), a column each, (n_samples, len(names)), as a new array.

    Where a square is too large for a number it is inf.

    Raises:
        DatasetError: no name at all, an unknown one, or one that needs more columns than X has.
    """
    if not names:
        raise DatasetError("a network needs at least one input feature")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.column_stack([_column(X, name) for name in names])


def _column(X: Floats, name: str) -> Floats:
    if name not in (known := available_features(X.shape[1])):
        if name in FEATURES:
            raise DatasetError(f"feature {name!r} needs {FEATURES[name].n_inputs} inputs; the data has {X.shape[1]}")
        raise unknown_name("feature", name, known)
    if name in FEATURES:
        return FEATURES[name].compute(X)
    return X[:, int(re.sub(r"\D", "", name)) - 1]


@dataclass(frozen=True)
class Scaling:
    """Shifts every column to mean 0 and stretches it to standard deviation 1, as seen in the data it was made from.

    Attributes:
        mean: (n_features,), subtracted first.
        scale: (n_features,), above 0, divided by second; 1 for a column that is constant.
    """

    mean: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Floats) -> "Scaling":
        """Return the scaling that standardises X (n_samples, n_features), whatever the size of its numbers."""
        size = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
        deviation = (X / size).std(axis=0)
        return cls((X / size).mean(axis=0) * size, np.where(deviation > 1e-12, deviation * size, 1.0))

    def apply(self, X: Floats) -> Floats:
        """X (n_samples, n_features) on the new scale, a new array."""
        return (X - self.mean) / self.scale
