"""The loss functions, each stated once, on Values.

A loss compares one output with one target by `term`, a function written with Value operations, so that the same code
builds the scalar graph of one sample (numbers) and the array graph of all samples. The terms of a sample's outputs are
added up; softmax cross-entropy subtracts them from `logsumexp(outputs)`. Targets are numbers too (a class becomes
-1/+1, 0/1 or one-hot), so one traced sample serves every sample.

To add a loss, add an entry to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, apply, logsumexp
from engine.autograd.formula import SIGMOID, array_function
from engine.autograd.ops import LOGSUMEXP_ROWS
from engine.network.errors import LossError, SizeError

Floats = NDArray[Any]
Encoding = Literal["raw", "signed", "zero_one", "one_hot"]

ENCODINGS: MappingProxyType[Encoding, str] = MappingProxyType(
    {
        "raw": "The targets are the data's own numbers.",
        "signed": "The targets of the two classes are −1 and +1.",
        "zero_one": "The targets of the two classes are 0 and 1.",
        "one_hot": "The target is 1 for the output of the right class and 0 for the others.",
    }
)
"""Meaning of each encoding of the targets."""


@dataclass(frozen=True)
class Loss:
    """One loss: everything the engine, the panels and the help need to know about it.

    Attributes:
        name: its key in LOSSES.
        title: as a menu writes it.
        description: one sentence for a learner.
        formula: of one sample, with o output, t target.
        term: (output, target) -> their part of the sample's loss, for scalar and array Values alike.
        encoding: form of a target: "raw" number, "signed" -1/+1, "zero_one", or "one_hot" rows.
        reduction: "mean" or "sum" over samples and outputs.
        normalised: the sample's loss is logsumexp(outputs) minus the terms (softmax).
        probability: function that maps outputs to probabilities: "", "sigmoid" or "softmax".
    """

    name: str
    title: str
    description: str
    formula: str
    term: Callable[[Value, Value], Value]
    encoding: Encoding = "raw"
    reduction: Literal["mean", "sum"] = "mean"
    normalised: bool = False
    probability: Literal["", "sigmoid", "softmax"] = ""

    @property
    def trains_on(self) -> str:
        """Sentence on the numbers that encode the targets."""
        return ENCODINGS[self.encoding]

    def of_sample(self, outputs: Sequence[Value], targets: Sequence[Value]) -> Value:
        """Return the scalar loss of one sample.

        Args:
            outputs: n_outputs scalar Values.
            targets: as many, encoded.
        """
        total = reduce(add, [self.term(o, t) for o, t in zip(outputs, targets, strict=True)])
        if self.normalised:
            return logsumexp(outputs) - total
        return total / len(outputs) if self.reduction == "mean" and len(outputs) > 1 else total

    def of_samples(self, outputs: Value, targets: Value) -> Value:
        """Return the loss of all samples from arrays (n_samples, n_outputs), reduced to a number."""
        terms = self._terms(outputs, targets)
        return terms.mean() if self.reduction == "mean" else terms.sum()

    def of_each(self, outputs: Value, targets: Value) -> Value:
        """Return the loss of every sample (n_samples,) from arrays (n_samples, n_outputs)."""
        terms = self._terms(outputs, targets)
        if self.normalised:
            return terms
        return terms.mean(axis=1) if self.reduction == "mean" else terms.sum(axis=1)

    def _terms(self, outputs: Value, targets: Value) -> Value:
        """Summands of the loss: a number for each output, or for each sample if the outputs are normalised together."""
        terms = self.term(outputs, targets)
        return apply(LOGSUMEXP_ROWS, outputs) - terms.sum(axis=1) if self.normalised else terms

    def of_arrays(self, outputs: Floats, targets: Floats) -> float:
        """Return the loss of plain arrays (n_samples, n_outputs), without a gradient."""
        return float(self.of_samples(Value(outputs), Value(targets)).data)

    def probabilities(self, outputs: Floats) -> Floats:
        """Return outputs (n_samples, n_outputs) as probabilities if the loss reads them as logits; else unchanged."""
        if self.probability == "sigmoid":
            return np.asarray(array_function(SIGMOID, "x")(outputs))
        if self.probability == "softmax":
            shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            return np.asarray(shares / shares.sum(axis=1, keepdims=True))
        return outputs


def _squared_error(output: Value, target: Value) -> Value:
    return (output - target) ** 2


def _hinge(output: Value, target: Value) -> Value:
    return (1.0 - target * output).relu()


def _binary_cross_entropy(output: Value, target: Value) -> Value:
    return output.softplus() - target * output


def _score(output: Value, target: Value) -> Value:
    return target * output


def _huber(output: Value, target: Value) -> Value:
    distance = abs(output - target)
    near = distance.min(1.0)
    return near * (distance - 0.5 * near)


_TABLE = (
    Loss(
        "mean_squared_error",
        "Mean squared error",
        "The average square of the distance to the target: large errors count most.",
        "(o - t)²",
        _squared_error,
    ),
    Loss(
        "sum_squared_error",
        "Summed squared error",
        "The sum of all squared distances, as in the micrograd tutorial: more samples make larger steps.",
        "(o - t)²",
        _squared_error,
        reduction="sum",
    ),
    Loss(
        "hinge",
        "SVM max-margin (hinge)",
        "0 for an output at least 1 on the right side of 0, otherwise the distance to that margin.",
        "max(0, 1 - t·o)",
        _hinge,
        encoding="signed",
    ),
    Loss(
        "binary_cross_entropy",
        "Binary cross-entropy",
        "The negative logarithm of the right class's probability; σ(output) is the probability of class 1.",
        "softplus(o) - t·o",
        _binary_cross_entropy,
        encoding="zero_one",
        probability="sigmoid",
    ),
    Loss(
        "softmax_cross_entropy",
        "Softmax cross-entropy",
        "The negative logarithm of the right class's probability in softmax(outputs).",
        "logsumexp(o) - Σ t·o",
        _score,
        encoding="one_hot",
        normalised=True,
        probability="softmax",
    ),
    Loss(
        "huber",
        "Huber",
        "Quadratic near the target, linear beyond a distance of 1: outliers have less influence (Huber 1964).",
        "½(o - t)² for |o - t| < 1, else |o - t| - ½",
        _huber,
    ),
)

LOSSES: MappingProxyType[str, Loss] = MappingProxyType({entry.name: entry for entry in _TABLE})
"""Every loss by name."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Labels in a loss's own encoding, with the rule that decides classes from outputs.

    Attributes:
        values: (n_samples, n_outputs) float64, targets of the outputs.
        classes: (n_samples,) class indices; None for regression.
        n_classes: 0 for regression.
        threshold: a single output above it means class 1: halfway between the numbers of the classes.
    """

    values: Floats
    classes: NDArray[np.int64] | None = None
    n_classes: int = 0
    threshold: float = 0.0

    @property
    def numbers(self) -> Floats:
        """One number for each sample (n_samples,), as it was trained on: the target of a single output; the
        class index where every class has an output; the first of several numbers to predict.
        """
        if self.values.shape[1] > 1 and self.classes is not None:
            return self.classes.astype(np.float64)
        return np.asarray(self.values[:, 0])

    def part(self, rows: slice | NDArray[np.int64]) -> Targets:
        """Return the targets of some of the samples, by the same rule."""
        classes = None if self.classes is None else self.classes[rows]
        return Targets(self.values[rows], classes, self.n_classes, self.threshold)

    def decide(self, outputs: Floats) -> NDArray[np.int64]:
        """Return class indices (n_samples,) for outputs (n_samples, n_outputs)."""
        if outputs.shape[1] == 1:
            return (outputs[:, 0] > self.threshold).astype(np.int64)
        return np.asarray(np.argmax(outputs, axis=1), dtype=np.int64)

    def accuracy(self, outputs: Floats) -> float | None:
        """Return the share of samples, 0 to 1, whose class is decided right; None for regression."""
        if self.classes is None:
            return None
        return float(np.count_nonzero(self.decide(outputs) == self.classes)) / len(self.classes)

    def confusion(self, outputs: Floats) -> NDArray[np.int64] | None:
        """Confusion matrix: samples of each class (row) by predicted class (column); None for regression."""
        if self.classes is None:
            return None
        n = self.n_classes
        return np.bincount(self.classes * n + self.decide(outputs), minlength=n * n).reshape(n, n)

    @np.errstate(all="ignore")  # of a diverged network
    def r_squared(self, outputs: Floats) -> float | None:
        """Return R², the share of the targets' variance that is explained: 1 - sum (t - o)² / sum (t - mean t)².

        None for classes, where all targets are the same, and where an output is not a finite number.
        """
        spread = self.values - self.values.mean(axis=0)
        total = float(np.sum(spread * spread))
        if self.classes is not None or total == 0.0:
            return None
        errors = float(np.sum((self.values - outputs) ** 2))
        return 1.0 - errors / total if np.isfinite(errors) else None


def encode(loss: Loss, y: Any, n_outputs: int, regression: bool = False) -> Targets:
    """Return labels in the encoding of the loss.

    Args:
        loss: an entry of LOSSES.
        y: (n_samples,) class indices, or numbers in the loss's own encoding; or (n_samples, n_outputs) of those.
        n_outputs: of the network.
        regression: the labels are numbers to predict, never classes, though all may be 0 or 1.

    Raises:
        LossError: when the labels or the number of outputs do not fit the loss.
    """
    array = _label_array(y)
    if array.ndim == 2 and array.shape[1] != n_outputs:
        raise SizeError("targets", f"{n_outputs} for each sample, one for each output", array.shape[1])
    if loss.encoding == "one_hot" and n_outputs < 2:
        raise LossError("outputs", "2 or more", n_outputs, f"{loss.name} needs one output for each class, not 1")
    if loss.encoding == "signed" and n_outputs != 1:
        raise LossError("outputs", "1", n_outputs, f"{loss.name} needs one output, the network has {n_outputs}")
    if n_outputs == 1:
        targets = _one_output(loss, array.reshape(-1))
    else:
        targets = _columns(loss, array) if array.ndim == 2 else _one_hot(loss, array, n_outputs)
    return Targets(targets.values) if regression else targets


def _label_array(y: Any) -> Floats:
    try:
        array = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise LossError("labels", "numbers", y, "labels must be numbers, one for each sample") from error
    if array.ndim not in (1, 2) or array.size == 0:
        raise SizeError("labels", "(n_samples,) or (n_samples, n_outputs), one sample or more", array.shape)
    if not np.all(np.isfinite(array)):
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise LossError("labels", "finite numbers", float(array[row].max()), f"label of sample {row + 1} is not finite")
    return array


def _one_output(loss: Loss, labels: Floats) -> Targets:
    """Decision between two classes by one output, or (raw losses) any numbers."""
    is_one = labels == 1.0
    zero_one, signed = (bool(np.all(is_one | (labels == other))) for other in (0.0, -1.0))
    if not (zero_one or signed):
        if loss.encoding != "raw":
            raise _labels_do_not_fit(loss, "0/1 or -1/+1", set(labels.tolist()))
        return Targets(labels[:, None])
    classes = (labels > 0.0).astype(np.int64)
    values = {"raw": labels, "signed": 2.0 * classes - 1.0, "zero_one": 1.0 * classes}[loss.encoding]
    threshold = 0.5 if loss.encoding == "raw" and zero_one else 0.0
    return Targets(values[:, None], classes, 2, threshold)


def _one_hot(loss: Loss, labels: Floats, n_outputs: int) -> Targets:
    """Return class indices with one output for each class."""
    found = set(np.unique(labels).tolist())
    if loss.encoding == "zero_one":
        needed = f"{loss.name} with {n_outputs} outputs needs {n_outputs} columns of 0/1"
        needed += "; for classes use one output or softmax"
        raise LossError("labels", f"(n_samples, {n_outputs})", labels.shape, needed)
    if n_outputs == 2 and found <= {-1.0, 1.0} and -1.0 in found:
        labels = (labels > 0.0).astype(np.float64)
    elif not found <= set(range(n_outputs)):
        raise _labels_do_not_fit(loss, f"whole numbers from 0 to {n_outputs - 1}, one class for each output", found)
    classes = labels.astype(np.int64)
    return Targets(np.eye(n_outputs)[classes], classes, n_outputs)


def _columns(loss: Loss, table: Floats) -> Targets:
    """Return one column for each output, given in the loss's own encoding."""
    zero_one = bool(np.all((table == 0.0) | (table == 1.0)))
    one_class_each = zero_one and bool(np.all(table.sum(axis=1) == 1.0))
    if loss.encoding == "one_hot" and not (np.all(table >= 0.0) and np.allclose(table.sum(axis=1), 1.0)):
        raise LossError("labels", "rows that sum to 1", table[0].tolist(), f"{loss.name} needs rows that sum to 1")
    if loss.encoding == "zero_one" and not zero_one:
        raise _labels_do_not_fit(loss, "0 or 1 in every column", set(np.unique(table).tolist()))
    if one_class_each or loss.encoding == "one_hot":
        return Targets(table, np.argmax(table, axis=1).astype(np.int64), table.shape[1])
    return Targets(table)


def _labels_do_not_fit(loss: Loss, allowed: str, found: set[float]) -> LossError:
    shown = ", ".join(f"{label:g}" for label in sorted(found)[:6]) + (", ..." if len(found) > 6 else "")
    return LossError("labels", allowed, shown, f"{loss.name} needs labels {allowed}; the data has {shown}")
