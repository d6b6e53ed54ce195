"""Samples in the layout of the fast program: a column each, a row of ones below the inputs, batch after batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.network.fast.bind import Bound

Floats = NDArray[Any]


def shuffled(n_samples: int, seed: int, epoch: int, random: np.random.RandomState) -> NDArray[np.int64]:
    """The order (n_samples,) in which a run sees its samples in an epoch of several batches; `random` is used up."""
    order = np.arange(n_samples)
    random.seed([seed & 0xFFFFFFFF, seed >> 32, epoch])
    random.shuffle(order)
    return order


class Batch:
    """Samples of one step.

    Attributes:
        forward: the loss at the present parameters, without penalties.
        backward: overwrites the program's gradients with those of the last forward.
    """

    __slots__ = ("_bound", "backward", "forward")

    def __init__(self, bound: Bound, inputs: Floats, targets: Floats) -> None:
        """Binds samples to the program for their number; inputs (n_inputs + 1, n), targets (n_outputs, n)."""
        views = bound.views(inputs, targets)
        self._bound = bound
        self.forward: Callable[[], float] = partial(bound.forward, *views)
        self.backward: Callable[[], None] = partial(bound.backward, *views)

    @classmethod
    def of(cls, bound: Bound, X: Floats, targets: Floats, dtype: DTypeLike = np.float64) -> Batch:
        """Return a batch with copies of X (..., n_batch, n_inputs) and targets (..., n_batch, n_outputs)."""
        inputs = np.concatenate([X, np.ones((*X.shape[:-1], 1))], axis=-1)
        return cls(bound, *(np.array(array.swapaxes(-1, -2), dtype, order="C") for array in (inputs, targets)))

    def outputs(self) -> Floats:
        """Outputs (n_batch, n_outputs) of the last forward, a copy."""
        return np.concatenate(self._bound.outputs).T.copy()


class Batches:
    """Memory for all batches of an epoch: the full ones in one array, the smaller last one in another."""

    def __init__(
        self,
        n_samples: int,
        batch_size: int,
        n_inputs: int,
        n_outputs: int,
        dtype: np.dtype[Any],
        bound_for: Callable[[int], Bound],
    ) -> None:
        """Allocate the memory; `bound_for` returns the program for a number of samples."""
        n_full, rest = divmod(n_samples, batch_size)
        sizes = [(count, size) for count, size in ((n_full, batch_size), (1, rest)) if count and size]
        self._inputs = [np.ones((count, n_inputs + 1, size), dtype) for count, size in sizes]
        self._targets = [np.empty((count, n_outputs, size), dtype) for count, size in sizes]
        self._batches = [
            Batch(bound_for(size), x, t)
            for (_, size), xs, ts in zip(sizes, self._inputs, self._targets, strict=True)
            for x, t in zip(xs, ts, strict=True)
        ]

    def fill(self, X: Floats, targets: Floats) -> list[Batch]:
        """The batches, holding these rows of X and targets in order."""
        start = 0
        for inputs, wanted in zip(self._inputs, self._targets, strict=True):
            count, _, size = inputs.shape
            stop = start + count * size
            inputs[:, :-1] = X[start:stop].reshape(count, size, -1).transpose(0, 2, 1)
            wanted[:] = targets[start:stop].reshape(count, size, -1).transpose(0, 2, 1)
            start = stop
        return self._batches
