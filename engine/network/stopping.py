"""When training should stop: the rules a user sets, and the trouble that stops it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, apply, name_of, topological_order
from engine.autograd.notation import counted
from engine.network.errors import checked_integer, checked_number
from engine.network.layer import ACTIVATIONS
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
        parameters: (n_parameters,) the last ones that gave a finite loss.
    """

    def __init__(self, step: int, loss: float, node: str, sample: int | None, parameters: NDArray[Any]) -> None:
        whose = "" if sample is None else f" of sample {sample + 1}"
        super().__init__(
            f"diverged at step {step}: the loss became {loss}, first at {node}{whose}; a smaller learning rate may help"
        )
        self.step, self.loss, self.node, self.sample, self.parameters = step, loss, node, sample, parameters


def first_bad_node(root: Value, largest: float = LARGEST) -> str:
    """The name of the first value in the graph that is nan or larger than a float can be, as the canvas has it.

    Args:
        root: of the graph.
        largest: number of the precision that is trained in.
    """
    for value in topological_order(root):
        if not abs(value.data) <= largest:  # nan too
            return name_of(value)
    return ""


def where_it_went_bad(
    model: MLP, loss: Loss, X: NDArray[Any], targets: NDArray[Any], largest: float = LARGEST
) -> tuple[str, int | None]:
    """The first node whose number is not finite and the row of X it is found on, from 0.

    The samples are gone through as arrays, as fast as a step of training, and the graph of a single sample is built.
    Where each of them is finite it is the total that is not, and there is no row.

    Args:
        model: at the parameters that gave the loss.
        loss: an entry of LOSSES.
        X: (n_samples, n_inputs).
        targets: (n_samples, n_outputs), encoded.
        largest: number of the precision that is trained in; what is larger would be inf there.
    """
    with np.errstate(all="ignore"):
        row = _first_bad_row(model, loss, X, targets, largest)
    if row is None:
        return "the total loss", None
    node = first_bad_node(sample_loss(model, loss, X[row].tolist(), targets[row].tolist()), largest)
    return node or "the loss", row


def _first_bad_row(model: MLP, loss: Loss, X: NDArray[Any], targets: NDArray[Any], largest: float) -> int | None:
    for start in range(0, len(X), SAMPLES_AT_ONCE):
        rows = slice(start, start + SAMPLES_AT_ONCE)
        bad = np.zeros(len(X[rows]), dtype=bool)
        for numbers in _computed(model, loss, X[rows], targets[rows]):
            bad |= ~np.all(np.abs(numbers) <= largest, axis=1)
        if bad.any():
            return start + int(np.argmax(bad))
    return None


def _computed(model: MLP, loss: Loss, X: NDArray[Any], targets: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """What the samples' graphs compute: every layer's sums and outputs, and the terms of the loss; a row a sample."""
    out = np.asarray(X, dtype=np.float64)
    for matrix, name in zip(model.layer_matrices(model.weights), model.activations, strict=True):
        out = out @ matrix[:, :-1].T + matrix[:, -1]
        yield out
        op = ACTIVATIONS[name]
        out = out if op is None else np.asarray(apply(op, Value(out)).data)
        yield out
    yield np.asarray(loss.of_each(Value(out), Value(targets)).data)[:, None]


@dataclass(frozen=True)
class StopRules:
    """Reasons to stop; None means that rule is off.

    Attributes:
        target_loss: stop when a step saw this loss or less.
        target_accuracy: stop at this share of training samples decided right, 0 to 1; looked at every `every` steps.
        plateau: stop when this many steps brought no loss lower than before by `min_change`.
        min_change: what counts as lower.
        max_steps: stop after this many updates.
        max_epochs: stop after this many passes over the data.
        every: how often, in steps, the accuracy is looked at.
    """

    target_loss: float | None = None
    target_accuracy: float | None = None
    plateau: int | None = None
    min_change: float = 1e-6
    max_steps: int | None = None
    max_epochs: int | None = None
    every: int = 10

    def __post_init__(self) -> None:
        if self.target_loss is not None:
            checked_number("target loss", self.target_loss)
        if self.target_accuracy is not None:
            checked_number("target accuracy", self.target_accuracy, 0.0, 1.0)
        checked_number("smallest change", self.min_change, 0.0)
        for thing, limit in (
            ("plateau", self.plateau),
            ("max steps", self.max_steps),
            ("max epochs", self.max_epochs),
            ("every", self.every),
        ):
            if limit is not None:
                checked_integer(thing, limit, 1, 10**12)

    def reason(self, step: int, epoch: int, losses: Sequence[float], accuracy: Callable[[], float | None]) -> str:
        """Why training should stop now, one sentence; empty when it should go on.

        Args:
            step: updates made.
            epoch: passes over the data completed.
            losses: what the steps saw, the newest last.
            accuracy: gives the share of training samples decided right, 0 to 1 (None where nothing is decided); asked
                for only where there is a rule for it.
        """
        if self.max_steps is not None and step >= self.max_steps:
            return f"{counted(step, 'step')} {_are(step)} done."
        if self.max_epochs is not None and epoch >= self.max_epochs:
            passes = counted(epoch, "pass", "passes")
            return f"{passes} over the data {_are(epoch)} done."
        if self.target_loss is not None and losses and losses[-1] <= self.target_loss:
            return f"The loss {losses[-1]:.4g} reached its target {self.target_loss:g}."
        if self.plateau is not None and _flat(losses, self.plateau, self.min_change):
            return f"The loss has not become lower for {counted(self.plateau, 'step')}."
        return self._accuracy_reason(step, accuracy)

    def _accuracy_reason(self, step: int, accuracy: Callable[[], float | None]) -> str:
        if self.target_accuracy is None or step % self.every:
            return ""
        share = accuracy()
        if share is None or share < self.target_accuracy:
            return ""
        return f"The accuracy {share:.1%} reached its target {self.target_accuracy:.1%}."


def _flat(losses: Sequence[float], plateau: int, min_change: float) -> bool:
    """Whether the best of the last `plateau` losses is no better than the best of as many before them."""
    if len(losses) <= plateau or len(losses) % max(1, plateau // 10):
        return False
    before = losses[-2 * plateau : -plateau]
    return min(losses[-plateau:]) > min(before) - min_change


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
