"""The objective of a batch through the array graph: slower than the fast program, and right for every network.

It has the face of `FastProgram`: the Trainer takes it when the fast program cannot be made or does not agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value
from engine.network.losses import Loss
from engine.network.mlp import MLP, FlatParameters
from engine.network.objective import array_objective

Floats = NDArray[Any]


class ArrayBatch:
    """Samples of one step."""

    def __init__(self, model: MLP, loss: Loss, flat: FlatParameters, X: Floats, targets: Floats) -> None:
        self._model, self._loss, self._flat, self._X, self._targets = model, loss, flat, X, targets
        self._root: Value | None = None
        self._arrays: list[tuple[Value, Value]] = []

    def forward(self) -> float:
        """The loss at the present parameters, without penalties."""
        self._root = array_objective(self._model, self._loss, self._X, self._targets)
        self._arrays = self._model.last_arrays
        return float(self._root.data)

    def backward(self) -> None:
        """Overwrites the gradients with those of the last forward."""
        assert self._root is not None
        self._root.backward()
        self._flat.gradients[:] = self._model.array_gradients(self._arrays)

    def outputs(self) -> Floats:
        """Outputs (n_batch, n_outputs)."""
        return np.asarray(self._model(self._X).data)


class ArrayProgram:
    """Forward and backward over batches by building the array graph each time.

    Attributes:
        flat: parameters and gradients, float64.
        note: why it is used.
    """

    def __init__(self, model: MLP, loss: Loss, note: str = "") -> None:
        self.flat = FlatParameters(model.weights, np.zeros(model.n_parameters))
        self.note = note
        self._model, self._loss = model, loss
        model.attach(self.flat)

    def copy(self, model: MLP) -> ArrayProgram:
        """The same program for a copy of the network."""
        return ArrayProgram(model, self._loss, self.note)

    def batches(self, X: Floats, targets: Floats, order: NDArray[np.int64], batch_size: int) -> list[ArrayBatch]:
        """The rows in this order, cut into batches."""
        parts = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
        return [ArrayBatch(self._model, self._loss, self.flat, X[part], targets[part]) for part in parts]

    def evaluate(self, X: Floats, dtype: str = "float64") -> Floats:
        """Outputs (n_samples, n_outputs) for any X (n_samples, n_inputs)."""
        return np.asarray(self._model(X).data)
