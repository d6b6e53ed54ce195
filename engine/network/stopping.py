"""Divergence: training stops when the loss is not finite; the first node that was not finite is found."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, name_of, topological_order
from engine.network.losses import Loss
from engine.network.mlp import MLP
from engine.network.objective import sample_loss

LARGEST = sys.float_info.max
SAMPLES_AT_ONCE = 1024


class TrainingDiverged(ArithmeticError):
    """The loss is not a finite number any more.

    Attributes:
        step: updates made when it was seen.
        loss: nan or inf.
        node: label of the first node that went bad, such as `L1N2.sum`.
        sample: the row of X it was found on, from 0; None when only the total went bad. The message counts from 1.
        place: node and sample as the message has them.
        parameters: (n_parameters,) the last ones that gave a finite loss.
    """

    def __init__(self, step: int, loss: float, node: str, sample: int | None, parameters: NDArray[Any]) -> None:
        self.place = node if sample is None else f"{node} of sample {sample + 1}"
        super().__init__(
            f"diverged at step {step}: the loss became {loss}, first at {self.place}; a smaller learning rate may help"
        )
        self.step, self.loss, self.node, self.sample, self.parameters = step, loss, node, sample, parameters


def first_bad_node(root: Value, largest: float = LARGEST) -> str:
    """Return the canvas name of the first value in the graph that is nan or larger than a float can be.

    Args:
        root: of the graph.
        largest: number of the training dtype.
    """
    for value in topological_order(root):
        if not abs(value.data) <= largest:  # nan too
            return name_of(value)
    return ""


def find_non_finite(
    model: MLP, loss: Loss, X: NDArray[Any], targets: NDArray[Any], largest: float = LARGEST
) -> tuple[str, int | None]:
    """Return the first node whose number is not finite, and its row of X, from 0.

    The samples are searched as arrays, as fast as a step of training; only the graph of a single sample is built.
    When every sample is finite, the total is not: then there is no row.

    Args:
        model: with the parameters of that loss.
        loss: an entry of LOSSES.
        X: (n_samples, n_inputs).
        targets: (n_samples, n_outputs), encoded.
        largest: number of the training dtype; larger ones would be inf.
    """
    with np.errstate(all="ignore"):
        for start in range(0, len(X), SAMPLES_AT_ONCE):
            rows = slice(start, start + SAMPLES_AT_ONCE)
            computed = [numbers for pair in model.shape.forward(model.weights, X[rows]) for numbers in pair]
            losses = np.asarray(loss.of_each(Value(computed[-1]), Value(targets[rows])).data)[:, None]
            bad = np.zeros(len(X[rows]), dtype=bool)
            for numbers in (*computed, losses):
                bad |= ~np.all(np.abs(numbers) <= largest, axis=1)
            if bad.any():
                row = start + int(np.argmax(bad))
                node = first_bad_node(sample_loss(model, loss, X[row].tolist(), targets[row].tolist()), largest)
                return node or "the loss", row
    return "the total loss", None
