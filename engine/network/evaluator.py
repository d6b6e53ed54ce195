"""Forward alone, for any number of samples: predictions, decision grids, what every layer gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.bind import bind
from engine.network.forward_backward import ForwardBackward
from engine.network.recognise import Recognised, Rows

Floats = NDArray[Any]
CHUNK = 2048
"""Samples evaluated at once: so few that the buffers of a layer stay in the processor's cache."""


class Evaluator:
    """A forward pass over chunks of samples, with its own copy of the parameters: it may have another precision."""

    def __init__(self, recognised: Recognised, layers: list[list[Rows]], n: int, dtype: str, n_parameters: int) -> None:
        """Binds the forward pass.

        Args:
            recognised: the blocks.
            layers: for each layer that is wanted the rows of its outputs.
            n: samples in a chunk.
            dtype: precision.
            n_parameters: how many parameters the network has.
        """
        self._parameters = np.zeros(n_parameters, dtype)
        self._inputs = np.ones((recognised.blocks[0].n_rows + 1, n), dtype)
        self._n, self._counts = n, [len(rows) for rows in layers]
        self._sizes = [sum(rows.stop - rows.start for rows in layer) for layer in layers]
        passes = ForwardBackward(recognised, [rows for layer in layers for rows in layer])
        self._bound = bind(passes, n, self._parameters, self._parameters)
        self._views = self._bound.views(self._inputs, self._inputs)

    def run(self, X: Floats, parameters: Floats) -> list[Floats]:
        """Each layer's outputs (n_samples, n_neurons) for X (n_samples, n_inputs) with these parameters, float64."""
        self._parameters[:] = parameters
        results = [np.empty((size, len(X))) for size in self._sizes]
        with np.errstate(all="ignore"):
            for start in range(0, len(X), self._n):
                n = min(self._n, len(X) - start)
                self._inputs[:-1, :n] = X[start : start + n].T
                self._bound.forward(*self._views)
                self._collect(results, slice(start, start + n), n)
        return [result.T for result in results]

    def _collect(self, results: list[Floats], where: slice, n: int) -> None:
        outputs = iter(self._bound.outputs)
        for result, count in zip(results, self._counts, strict=True):
            row = 0
            for rows in (next(outputs) for _ in range(count)):
                result[row : row + len(rows), where] = rows[:, :n]
                row += len(rows)
