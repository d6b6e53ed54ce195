"""The fast program: the scalar graph of one sample turned into a straight run of numpy calls over all samples.

The loss of one sample is traced once, its layers are recognised (`recognise`), forward and backward are written down as
numpy calls with the formulas of the table (`forward_backward`, `tape`) and bound to buffers made once (`bind`). So
the graph a learner sees is what trains, without a Python object per sample or neuron. Before it is used, one step of it
is compared with the scalar graph; where it differs, or cannot be made, the array graph takes its place and says so.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value
from engine.network.errors import UntranslatableError
from engine.network.fast.array_program import ArrayProgram
from engine.network.fast.batches import Batch, Batches
from engine.network.fast.bind import Bound, bind
from engine.network.fast.evaluator import CHUNK, Evaluator
from engine.network.fast.forward_backward import ForwardBackward
from engine.network.fast.recognise import Recognised, Rows, Trace
from engine.network.losses import Loss
from engine.network.mlp import MLP, FlatParameters
from engine.network.objective import scalar_objective

Floats = NDArray[Any]
KEPT_EVALUATORS = KEPT_BOUND = 6
KEPT_NUMBERS = 1_000_000
"""Samples times neurons of the programs that are kept for numbers of samples; a larger one stands alone."""
TOLERANCE = 1e-12
CHECKED_SAMPLES, LARGE = 3, 20_000
"""Samples compared with the scalar graph; one for a network with more than LARGE parameters."""


class TrainingBatch(Protocol):
    """Samples of one step, ready to run."""

    def forward(self) -> float:
        """The loss at the present parameters, without penalties."""

    def backward(self) -> None:
        """Overwrites the program's gradients with those of the last forward."""

    def outputs(self) -> Floats:
        """Outputs (n_batch, n_outputs) of the last forward."""


class TrainingProgram(Protocol):
    """Interface of a Trainer's program: loss and gradient of batches, and outputs."""

    flat: FlatParameters
    note: str

    def batches(self, X: Floats, targets: Floats, order: NDArray[np.int64], batch_size: int) -> Sequence[TrainingBatch]:
        """The rows of X and targets in this order, cut into batches."""

    def copy(self, model: MLP) -> TrainingProgram:
        """The same program for a copy of the network, which hands its parameters over to it."""

    def evaluate(self, X: Floats, dtype: str = "float64") -> Floats:
        """Outputs (n_samples, n_outputs) for any X (n_samples, n_inputs)."""


def make_program(model: MLP, loss: Loss, X: Floats, targets: Floats, dtype: str) -> TrainingProgram:
    """The fast program for this network and loss, or the array program when it cannot be used (see its `note`).

    Args:
        model: hands its parameters over to the program.
        loss: an entry of LOSSES.
        X: (n_samples, n_inputs), of which the first samples are used for the comparison.
        targets: (n_samples, n_outputs), encoded.
        dtype: "float64" or "float32".
    """
    n_checked = CHECKED_SAMPLES if model.n_parameters < LARGE else 1
    try:
        program = FastProgram(model, loss, dtype)
        difference = program.difference(X[:n_checked], targets[:n_checked])
    except UntranslatableError as error:
        return ArrayProgram(model, loss, f"Training runs through the array graph, which is slower: {error}.")
    if not difference <= TOLERANCE:  # nan differs too
        reason = f"the fast program differs by {difference:.1e}"
        return ArrayProgram(model, loss, f"Training runs through the array graph, which is slower: {reason}.")
    model.attach(program.flat)
    return program


def trace(model: MLP, loss: Loss) -> Trace:
    """The scalar graph of one sample, all inputs 0, with the network's outputs and the loss as roots."""
    inputs = outputs = [Value(0.0) for _ in range(model.n_inputs)]
    for layer in model.layers:
        outputs = layer.respond(outputs)
    targets = [Value(0.0) for _ in outputs]
    return Trace([*outputs, loss.of_sample(outputs, targets)], inputs, targets, model.parameters())


class FastProgram:
    """Forward and backward over batches as numpy calls.

    Attributes:
        flat: parameters and gradients; every layer's matrices are views of them.
        note: empty.
    """

    def __init__(self, model: MLP, loss: Loss, dtype: str = "float64") -> None:
        """Traces and recognises; raises UntranslatableError where that is not possible."""
        self.note = ""
        self._loss, self._dtype = loss, np.dtype(dtype)
        traced = trace(model, loss)
        self._recognised = Recognised(traced)
        self._outputs = _output_rows(self._recognised, traced.roots[:-1])
        self._sample_loss = self._recognised.rows([traced.roots[-1]])
        self._take_model(model)

    def _take_model(self, model: MLP) -> None:
        self._model = model
        self.flat = FlatParameters(model.weights.astype(self._dtype), np.zeros(model.n_parameters, self._dtype))
        self._bound: dict[int, Bound] = {}
        self._batches: dict[tuple[int, int], Batches] = {}
        self._evaluators: dict[tuple[int, str], Evaluator] = {}

    def copy(self, model: MLP) -> FastProgram:
        """The same program for a copy of the network: nothing is traced again."""
        twin = copy.copy(self)
        twin._take_model(model)
        model.attach(twin.flat)
        return twin

    def _bound_for(self, n_samples: int) -> Bound:
        if n_samples not in self._bound:
            neurons = sum(self._model.n_neurons)
            while self._bound and (
                len(self._bound) >= KEPT_BOUND or (n_samples + sum(self._bound)) * neurons > KEPT_NUMBERS
            ):
                del self._bound[next(iter(self._bound))]
            self._bound[n_samples] = self.bound_to(n_samples, self.flat.parameters, self.flat.gradients)
        return self._bound[n_samples]

    def bound_to(self, n_samples: int, parameters: Floats, gradients: Floats) -> Bound:
        """The program for so many samples on other memory than `flat`, see `bind`."""
        assert self._sample_loss is not None
        upstream = 1.0 / n_samples if self._loss.reduction == "mean" else 1.0
        passes = ForwardBackward(self._recognised, [*self._outputs, self._sample_loss], upstream)
        return bind(passes, n_samples, parameters, gradients, upstream)

    def batches(self, X: Floats, targets: Floats, order: NDArray[np.int64], batch_size: int) -> list[Batch]:
        """The rows of X and targets in this order, cut into batches; the memory of earlier ones is used again."""
        key = (len(order), batch_size)
        if key not in self._batches:
            n_inputs, n_outputs = X.shape[1], targets.shape[1]
            self._batches = {}  # its memory is free before there is other
            self._batches = {key: Batches(*key, n_inputs, n_outputs, self._dtype, self._bound_for)}
        return self._batches[key].fill(X.take(order, 0), targets.take(order, 0))

    def evaluate(self, X: Floats, dtype: str = "float64") -> Floats:
        """Outputs (n_samples, n_outputs) for any X (n_samples, n_inputs), in chunks; float64 whatever the precision."""
        return self._evaluator(len(X), dtype).run(X, self.flat.parameters)

    def _evaluator(self, n_samples: int, dtype: str) -> Evaluator:
        key = (min(n_samples, CHUNK), dtype)
        if key not in self._evaluators:
            while len(self._evaluators) >= KEPT_EVALUATORS:
                del self._evaluators[next(iter(self._evaluators))]
            self._evaluators[key] = Evaluator(self._recognised, self._outputs, *key, self._model.n_parameters)
        return self._evaluators[key]

    def difference(self, X: Floats, targets: Floats) -> float:
        """Largest relative difference of these samples' loss and gradient from the scalar graph's, in float64.

        0 where the scalar graph's are not finite: there is nothing to compare then.
        """
        gradients = np.zeros(self._model.n_parameters)
        bound = self.bound_to(len(X), self._model.weights, gradients)
        batch = Batch.of(bound, X, targets)
        with np.errstate(all="ignore"):
            loss = batch.forward()
            batch.backward()
        found = np.append(loss, gradients)
        expected = _scalar_figures(self._model, self._loss, X, targets)
        if not np.all(np.isfinite(expected)):
            return 0.0
        return float(np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected))))


def _scalar_figures(model: MLP, loss: Loss, X: Floats, targets: Floats) -> Floats:
    """Loss and gradient of the scalar graph, in one array; the model's own gradients are left as they were."""
    parameters = model.parameters()
    before = [parameter.known_grad for parameter in parameters]
    for parameter in parameters:
        parameter.grad = 0.0
    root = scalar_objective(model, loss, X, targets)
    root.backward()
    figures = np.array([root.data, *(parameter.grad for parameter in parameters)])
    for parameter, grad in zip(parameters, before, strict=True):
        parameter.grad = grad
    return figures


def _output_rows(recognised: Recognised, outputs: Sequence[Value]) -> list[Rows]:
    """The rows of the network's outputs, together where they are neighbours."""
    together = recognised.rows(outputs)
    singly = [recognised.rows([value]) for value in outputs]
    return [rows for rows in ([together] if together else singly) if rows]
