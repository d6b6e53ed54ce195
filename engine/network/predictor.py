"""Questions to a network during training: outputs, a grid of outputs, and accuracy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.data import TrainingData, checked_inputs
from engine.network.errors import checked_integer
from engine.network.fast.fast_program import TrainingProgram
from engine.network.losses import Loss
from engine.network.mlp import MLP

Floats = NDArray[Any]
Bounds = tuple[float, float, float, float]
"""First and last value of the first coordinate, then of the second."""


def grid_points(bounds: Bounds, resolution: int) -> Floats:
    """Return the points (resolution * resolution, 2) of an even grid over a rectangle, rows by ascending y."""
    left, right, bottom, top = bounds
    x, y = np.meshgrid(np.linspace(left, right, resolution), np.linspace(bottom, top, resolution))
    return np.column_stack([x.ravel(), y.ravel()])


class Predictor:
    """The network of a Trainer at its present weights, applied to data."""

    def __init__(self, model: MLP, program: TrainingProgram, data: TrainingData, loss: Loss) -> None:
        self._model, self._program, self._data, self._loss = model, program, data, loss

    @property
    def note(self) -> str:
        """Why the network is computed on the slower path, a sentence; "" on the usual one."""
        return self._program.note

    def predict(self, X: Any, dtype: str = "float64") -> Floats:
        """Return the outputs (n_samples, n_outputs) for X (n_samples, n_inputs); `dtype` "float32" is faster."""
        return self._program.evaluate(checked_inputs("X", X, self._model.n_inputs), dtype)

    def decision_grid(
        self,
        x_limits: tuple[float, float],
        y_limits: tuple[float, float],
        resolution: int = 200,
        features: Callable[[Floats], Floats] | None = None,
        dtype: str = "float32",
    ) -> Floats:
        """Return the outputs on an even grid over a rectangle of the plane, edges included.

        Args:
            x_limits: first and last value of the first coordinate.
            y_limits: of the second.
            resolution: points along each side, 2 .. 1000.
            features: maps plane points (n, 2) to the network's inputs (n, n_inputs); None: they are its inputs.
            dtype: precision of the evaluation.

        Returns:
            (resolution, resolution, n_outputs); row i belongs to the i-th value of y, smallest first.
        """
        checked_integer("resolution", resolution, 2, 1000)
        points = grid_points((*x_limits, *y_limits), resolution)
        outputs = self.predict(points if features is None else features(points), dtype)
        return outputs.reshape(resolution, resolution, -1)

    def figures(self) -> tuple[float | None, ...]:
        """Data loss, accuracy and R² of the training data, then of the test data; None where there is none."""
        found: list[float | None] = []
        data = self._data
        for X, targets in ((data.X, data.targets), (data.X_test, data.test_targets)):
            if X is None or targets is None:
                return (*found, None, None, None)
            outputs = self._program.evaluate(X)
            loss = self._loss.of_arrays(outputs, targets.values)
            found += [loss, targets.accuracy(outputs), targets.r_squared(outputs)]
        return tuple(found)

    def accuracy(self, X: Any = None, y: Any = None) -> float | None:
        """Return the accuracy, 0 to 1, on the training data or on (X, y); None for regression."""
        if X is None:
            return self._data.targets.accuracy(self._program.evaluate(self._data.X))
        data = TrainingData(X, y, None, None, self._loss, self._model, self._data.regression)
        return data.targets.accuracy(self.predict(X))
