"""`sklearn.preprocessing`: data brought to one scale."""

from __future__ import annotations

from typing import Any

import numpy as np


def _table(X: Any) -> Any:
    """Return data as an array with a row for each sample."""
    X = np.asarray(X, dtype=float)
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead:\narray={X}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single "
            "sample."
        )
    return X


class StandardScaler:
    """Subtracts the mean of every column and divides by its standard deviation."""

    def fit(self, X: Any, y: Any = None) -> StandardScaler:
        """Take means and deviations of data."""
        X = _table(X)
        self.mean_, self.var_ = X.mean(axis=0), X.var(axis=0)
        deviations = np.sqrt(self.var_)
        self.scale_ = np.where(deviations == 0.0, 1.0, deviations)
        return self

    def transform(self, X: Any) -> Any:
        """Return data on that scale."""
        return (_table(X) - self.mean_) / self.scale_

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Do both."""
        return self.fit(X).transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Return data on the scale they had."""
        return _table(X) * self.scale_ + self.mean_

    def __repr__(self) -> str:
        return "StandardScaler()"


class MinMaxScaler:
    """Brings every column to the range from 0 to 1."""

    def fit(self, X: Any, y: Any = None) -> MinMaxScaler:
        """Take the ranges of data."""
        X = _table(X)
        self.data_min_, self.data_max_ = X.min(axis=0), X.max(axis=0)
        ranges = self.data_max_ - self.data_min_
        self.scale_ = 1.0 / np.where(ranges == 0.0, 1.0, ranges)
        return self

    def transform(self, X: Any) -> Any:
        """Return data in that range."""
        return _table(X) * self.scale_ - self.data_min_ * self.scale_

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Do both."""
        return self.fit(X).transform(X)

    def __repr__(self) -> str:
        return "MinMaxScaler()"
