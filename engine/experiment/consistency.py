"""Rules across sections of a document: data, network, loss, trained parameters, memory and time must fit together.

The rule of a field checks that field alone. The checks here run before anything is built from a document, or
replaced by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

import numpy as np

from datasets import Dataset
from engine.document.document import MOST_PARAMETERS, Document
from engine.document.errors import DocumentError
from engine.experiment.assemble import curve_of
from engine.experiment.prepared import PreparedData, prepare
from engine.network import LOSSES, OPTIMIZERS, LossError, encode
from engine.network.shape import count_parameters

LARGEST_STEP_BYTES = 150_000_000
"""Limit of memory for the activations of one step."""
FEW_ARRAYS = {"linear": 3.5, "tanh": 3.5, "sigmoid": 3.5, "relu": 3.5}
MANY_ARRAYS = 7.0
"""Most numbers per sample and neuron in forward and backward pass: a layer's own activations, and those of gelu."""


def check_consistent(document: Document) -> PreparedData:
    """Check the document as a whole; return its data as the network's input.

    Raises:
        DocumentError: with the first field that does not fit the others, and a fitting value.
    """
    data = prepare(document.data)
    check_size(document.network.layer_sizes)
    _check_ends(document, data.train)
    _check_split(document, data)
    _check_numbers(data, document.training.dtype)
    _check_trained(document)
    _check_memory(document, data.train.n_samples)
    return data


def check_size(sizes: Sequence[int]) -> None:
    """Raise DocumentError for layer sizes, inputs first, with too many parameters."""
    count = count_parameters(sizes)
    if count > MOST_PARAMETERS:
        raise DocumentError(
            "network.layer_sizes",
            f"must have at most {MOST_PARAMETERS:,} parameters together, not {count:,}: "
            "take fewer or smaller hidden layers",
        )


def _check_ends(document: Document, dataset: Dataset) -> None:
    """Check inputs and outputs of the network against the data and the loss."""
    first, *_, last = document.network.layer_sizes
    if first != dataset.n_features:
        raise DocumentError(
            "network.layer_sizes", f"must begin with {dataset.n_features}, the inputs of the data, not with {first}"
        )
    loss = LOSSES[document.training.loss]
    if dataset.n_classes > 2 and last == 1:
        raise DocumentError(
            "network.layer_sizes",
            f"must end with {dataset.n_classes}, an output for each class of the data, not with 1 "
            "(the loss softmax_cross_entropy goes with that)",
        )
    try:
        encode(loss, dataset.y, last)
    except LossError as error:
        raise DocumentError("training.loss", f"does not fit data and network: {error}") from None


def _check_split(document: Document, data: PreparedData) -> None:
    """Check that the labels of test rows fit the loss, too."""
    if data.test is None:
        return
    loss, n_outputs = LOSSES[document.training.loss], document.network.layer_sizes[-1]
    try:
        encode(loss, data.raw.y, n_outputs)
    except LossError as error:
        raise DocumentError("training.loss", f"does not fit the test data: {error}") from None


def _check_numbers(data: PreparedData, dtype: str) -> None:
    """Refuse data that would become infinite in the training's dtype."""
    parts = [part for part in (data.train, data.test) if part is not None]
    largest = max(float(np.abs(numbers).max()) for part in parts for numbers in (part.X, part.y))
    if largest > float(np.finfo(dtype).max):
        reason = f"must be float64: {dtype} cannot hold numbers of {largest:.1e}, which the data have"
        raise DocumentError("training.dtype", reason)


def _check_trained(document: Document) -> None:
    """Check the lengths of arrays that belong to the parameters, the curves, and the range of the training's dtype."""
    wanted, given = count_parameters(document.network.layer_sizes), len(document.trained.parameters)
    if given not in (0, wanted):
        sizes = ", ".join(map(str, document.network.layer_sizes))
        raise DocumentError(
            "trained.parameters", f"must have {wanted:,} numbers for layers of {sizes} neurons, not {given:,}"
        )
    trained, largest = document.trained, float(np.finfo(document.training.dtype).max)
    squares = {f"optimizer_state.{name}" for name in OPTIMIZERS[trained.optimizer].squares}
    memory = [(f"optimizer_state.{name}", numbers) for name, numbers in trained.optimizer_state]
    for name, numbers in (("gradients", trained.gradients), *memory):
        if len(numbers) not in (0, given):
            raise DocumentError(f"trained.{name}", f"must have {given:,} numbers, not {len(numbers):,}")
        if name in squares and np.any(numbers.array < 0.0):
            raise DocumentError(f"trained.{name}", "must have numbers of 0 or more: they are averages of squares")
    for name in ("curve", "test_curve"):
        steps, _ = curve_of(getattr(trained, name))
        if len(getattr(trained, name)) % 2 or np.any(np.diff(steps) <= 0) or np.any(steps < 0):
            raise DocumentError(f"trained.{name}", "must be ascending steps and then as many losses")
    for name, numbers in (("parameters", trained.parameters), ("gradients", trained.gradients), *memory):
        if np.any(np.abs(numbers.array) > largest):  # it would become infinite, and could not be saved
            reason = f"must have numbers of at most {largest:.4g}, which {document.training.dtype} can hold"
            raise DocumentError(f"trained.{name}", reason)


def _check_memory(document: Document, n_samples: int) -> None:
    per_sample = numbers_per_sample(document) * (4 if document.training.dtype == "float32" else 8)
    batch = batch_of(document, n_samples)
    if batch * per_sample > LARGEST_STEP_BYTES:
        most = int(LARGEST_STEP_BYTES / per_sample)
        unit: int = 10 ** max(len(str(most)) - 2, 0)  # two digits are easy to type: 18,773 becomes 18,000
        raise DocumentError(
            "training.batch_size",
            f"must be at most {most // unit * unit:,} with a network of this size: "
            f"a step of {batch:,} samples would take {batch * per_sample / 1e6:,.0f} MB of memory",
        )


def batch_of(document: Document, n_samples: int) -> int:
    """Return the number of samples in a step: the batch size, at most all samples."""
    return min(document.training.batch_size or n_samples, n_samples)


def numbers_per_sample(document: Document) -> float:
    """Return how many numbers a training step holds for each sample, inputs and targets included."""
    network = document.network
    first, *hidden, last = network.layer_sizes
    *inside, end = (FEW_ARRAYS.get(name, MANY_ARRAYS) for name in (*network.activations, network.output_activation))
    held: float = sum(map(mul, hidden, inside))
    return first * 4 + held + last * (end + 4)
