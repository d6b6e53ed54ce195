"""The objective: the loss over samples plus the penalties, as a scalar graph, an array graph, and on flat arrays.

The scalar graph is shown to the learner and is the reference for everything fast; the array graph is the same in
matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, collector_paused
from engine.network.errors import checked_number
from engine.network.losses import Loss
from engine.network.mlp import MLP

Floats = NDArray[Any]


@dataclass(frozen=True)
class Penalty:
    """A penalty on large parameters: l1 * sum(|p|) + l2 * sum(p * p) over all weights and biases.

    Attributes:
        l1: 0 or more.
        l2: 0 or more.
    """

    l1: float = 0.0
    l2: float = 0.0

    def __post_init__(self) -> None:
        checked_number("l1", self.l1, 0.0)
        checked_number("l2", self.l2, 0.0)

    def of_values(self, parameters: Sequence[Value]) -> Value | None:
        """Return the penalty as a scalar graph, or of array Values; None when there is none."""
        parts = []
        if self.l1:
            parts.append(self.l1 * reduce(add, [_total(abs(p)) for p in parameters]))
        if self.l2:
            parts.append(self.l2 * reduce(add, [_total(p * p) for p in parameters]))
        return reduce(add, parts) if parts else None

    def of_array(self, parameters: Floats) -> float:
        """Return the penalty of flat parameters (n_parameters,)."""
        total = 0.0
        if self.l2:
            total += self.l2 * float(np.dot(parameters, parameters))
        if self.l1:
            total += self.l1 * float(np.abs(parameters).sum())
        return total

    def add_gradient(self, parameters: Floats, gradients: Floats, work: Floats) -> None:
        """Add the penalty's gradient to `gradients` in place; `work` is a buffer of the same shape."""
        if self.l2:
            _add_scaled(parameters, 2.0 * self.l2, gradients, work)
        if self.l1:
            _add_scaled(np.sign(parameters, work), self.l1, gradients, work)


class Penalties:
    """The penalties of many runs at once, to each run its own: arrays have a runs axis in front."""

    def __init__(self, penalties: Sequence[Penalty], dtype: str) -> None:
        """Args: penalties: one for each run."""
        self._l1, self._l2 = (
            np.array([getattr(each, name) for each in penalties], dtype=dtype)[:, None] for name in ("l1", "l2")
        )

    def of_arrays(self, parameters: Floats) -> Floats:
        """Return the penalty of each run's parameters (n_runs, n_parameters)."""
        total: Floats = np.zeros(len(parameters), dtype=parameters.dtype)
        if self._l2.any():
            total += self._l2[:, 0] * np.einsum("ij,ij->i", parameters, parameters)
        if self._l1.any():
            total += self._l1[:, 0] * np.abs(parameters).sum(axis=1)
        return total

    def add_gradients(self, parameters: Floats, gradients: Floats, work: Floats) -> None:
        """Add the penalties' gradients to `gradients` in place; `work` is a buffer of the same shape."""
        if self._l2.any():
            _add_scaled(parameters, 2.0 * self._l2, gradients, work)
        if self._l1.any():
            _add_scaled(np.sign(parameters, work), self._l1, gradients, work)


def _add_scaled(slopes: Floats, strength: float | Floats, gradients: Floats, work: Floats) -> None:
    np.multiply(slopes, strength, work)
    np.add(gradients, work, gradients)


def _total(value: Value) -> Value:
    return value.sum() if value.shape else value


def sample_loss(model: MLP, loss: Loss, x: Sequence[Any], target: Sequence[Any]) -> Value:
    """Return the scalar graph of one sample's loss, targets labelled `t` (or `t1`, `t2`, ...), the root `loss`.

    Args:
        model: the network.
        loss: an entry of LOSSES.
        x: (n_inputs,) numbers or Values.
        target: (n_outputs,) numbers or Values, encoded for the loss (`encode`).
    """
    outputs = model(list(x))
    outputs = outputs if isinstance(outputs, list) else [outputs]
    names = ["t"] if len(target) == 1 else [f"t{i}" for i in range(1, len(target) + 1)]
    targets = [t if isinstance(t, Value) else Value(float(t), name) for t, name in zip(target, names, strict=True)]
    root = loss.of_sample(outputs, targets)
    root.label = "loss"
    return root


def scalar_objective(model: MLP, loss: Loss, X: Any, targets: Any, penalty: Penalty | None = None) -> Value:
    """Return the whole objective as one scalar graph: every sample's loss, reduced, plus the penalty.

    Args:
        model: the network.
        loss: an entry of LOSSES.
        X: (n_samples, n_inputs).
        targets: (n_samples, n_outputs), encoded.
        penalty: on the parameters.
    """
    with collector_paused():
        rows = zip(np.asarray(X).tolist(), np.asarray(targets).tolist(), strict=True)
        total = reduce(add, [sample_loss(model, loss, x, target) for x, target in rows])
        if loss.reduction == "mean":
            total = total / len(X)
        extra = penalty.of_values(model.parameters()) if penalty else None
        return total if extra is None else total + extra


def array_objective(model: MLP, loss: Loss, X: Any, targets: Any, penalty: Penalty | None = None) -> Value:
    """Return the same objective as an array graph; after `backward()` `model.array_gradients()` has its gradient."""
    total = loss.of_samples(model(np.asarray(X, dtype=np.float64)), Value(targets, "t"))
    arrays = [value for pair in model.last_arrays for value in pair]
    extra = penalty.of_values(arrays) if penalty else None
    return total if extra is None else total + extra
