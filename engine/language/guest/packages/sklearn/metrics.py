"""`sklearn.metrics`: how well predictions fit."""

from __future__ import annotations

from typing import Any

import numpy as np


def _rows(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Return two arrays with a row for each sample, whether they were columns or flat.

    Raises:
        ValueError: if they do not belong together.
    """
    first, second = (np.asarray(each) for each in (y_true, y_pred))
    if len(first) != len(second):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(first), len(second)]}")
    first, second = (each.reshape(len(each), -1) for each in (first, second))
    if first.shape != second.shape:
        raise ValueError(f"y_true and y_pred have different number of output ({first.shape[1]}!={second.shape[1]})")
    return first, second


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of predictions that are right."""
    rows = _rows(y_true, y_pred)
    for each in rows:
        if each.dtype.kind == "f" and (each != each.round()).any():
            raise ValueError("Classification metrics can't handle continuous targets: round them to classes first")
    return float((rows[0] == rows[1]).all(axis=1).mean())


def mean_squared_error(y_true: Any, y_pred: Any) -> float:
    """Return the mean of the squared differences."""
    first, second = _rows(y_true, y_pred)
    return float(((first.astype(float) - second.astype(float)) ** 2).mean())
