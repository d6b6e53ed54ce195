"""Forward alone, for any number of samples: predictions, decision grids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.fast.bind import bind
from engine.network.fast.forward_backward import ForwardBackward
from engine.network.fast.recognise import Recognised, Rows

Floats = NDArray[Any]
CHUNK = 2048
"""Samples evaluated at once: so few that the buffers of a layer stay in the processor's cache."""


class Evaluator:
    """A forward pass over chunks of samples, with its own copy of the parameters: it may have another precision."""

    def __init__(self, recognised: Recognised, outputs: list[Rows], n: int, dtype: str, n_parameters: int) -> None:
        """Binds the forward pass.

        Args:
            recognised: the blocks.
            outputs: the rows of the network's outputs.
            n: samples in a chunk.
            dtype: precision.
            n_parameters: how many parameters the network has.
        """
        self._parameters = np.zeros(n_parameters, dtype)
        self._inputs = np.ones((recognised.blocks[0].n_rows + 1, n), dtype)
        self._n, self._n_outputs = n, sum(rows.stop - rows.start for rows in outputs)
        self._bound = bind(ForwardBackward(recognised, outputs), n, self._parameters, self._parameters)
        self._views = self._bound.views(self._inputs, self._inputs)

    def run(self, X: Floats, parameters: Floats) -> Floats:
        """The outputs (n_samples, n_outputs) for X (n_samples, n_inputs) with these parameters, float64."""
        self._parameters[:] = parameters
        results = np.empty((self._n_outputs, len(X)))
        with np.errstate(all="ignore"):
            for start in range(0, len(X), self._n):
                n = min(self._n, len(X) - start)
                self._inputs[:-1, :n] = X[start : start + n].T
                self._bound.forward(*self._views)
                row = 0
                for rows in self._bound.outputs:
                    results[row : row + len(rows), start : start + n] = rows[:, :n]
                    row += len(rows)
        return results.T
