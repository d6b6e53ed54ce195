"""`sklearn.metrics`: how well predictions fit."""

from __future__ import annotations

from typing import Any

import numpy as np


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of predictions that are right."""
    return float(np.mean(np.asarray(y_true) == np.asarray(y_pred)))


def mean_squared_error(y_true: Any, y_pred: Any) -> float:
    """Return the mean of the squared differences."""
    return float(np.mean((np.asarray(y_true, dtype=float) - np.asarray(y_pred, dtype=float)) ** 2))
