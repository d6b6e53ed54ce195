"""The fast program: the scalar graph of one sample turned into a straight run of numpy calls over all samples.

The loss of one sample is traced once, its layers are recognised (`recognise`), forward and backward are written down as
numpy calls with the formulas of the table (`forward_backward`, `tape`) and bound to buffers made once (`bind`). So
the graph that a learner sees is trained, without a Python object per sample or neuron. Before it is used, one step of
it is compared with the scalar graph; where it differs, or cannot be made, the array graph takes its place and says so.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.autograd import Value
from engine.network.errors import UntranslatableError
from engine.network.fast.bind import Bound, bind
from engine.network.fast.forward_backward import ForwardBackward
from engine.network.fast.recognise import Recognised, Rows, Trace
from engine.network.losses import Loss
from engine.network.mlp import MLP, FlatParameters
from engine.network.objective import array_objective, scalar_objective

Floats = NDArray[Any]
KEPT_EVALUATORS = KEPT_BOUND = 6
KEPT_NUMBERS = 1_000_000
"""Samples times neurons of the programs that are kept for numbers of samples; a larger one stands alone."""
TOLERANCE = 1e-12
CHECKED_SAMPLES, LARGE = 3, 20_000
"""Samples compared with the scalar graph; one for a network with more than LARGE parameters."""
CHUNK = 2048
"""Samples evaluated at once: so few that the buffers of a layer stay in the processor's cache."""


def make_program(model: MLP, loss: Loss, X: Floats, targets: Floats, dtype: str) -> TrainingProgram:
    """Return the fast program for this network and loss, or the array program when it cannot be used (see its `note`).

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
    """Return the scalar graph of one sample, all inputs 0, with the network's outputs and the loss as roots."""
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
        """Trace the network and recognise its layers; raise UntranslatableError where that is not possible."""
        self.note = ""
        self._loss, self._dtype = loss, np.dtype(dtype)
        traced = trace(model, loss)
        self._recognised = Recognised(traced)
        outputs = traced.roots[:-1]
        together = self._recognised.rows(outputs)  # None where the outputs are not neighbours
        rows = [together] if together else [self._recognised.rows([value]) for value in outputs]
        self._outputs = [found for found in rows if found]
        self._sample_loss = self._recognised.rows([traced.roots[-1]])
        self._take_model(model)

    @np.errstate(all="ignore")  # of a diverged network
    def _take_model(self, model: MLP) -> None:
        self._model = model
        self.flat = FlatParameters(model.weights.astype(self._dtype), np.zeros(model.n_parameters, self._dtype))
        self._bound: dict[int, Bound] = {}
        self._batches: dict[tuple[int, int], Batches] = {}
        self._evaluators: dict[tuple[int, str], Evaluator] = {}

    def copy(self, model: MLP) -> FastProgram:
        """Return the same program for a copy of the network: nothing is traced again."""
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
        """Return the program for a number of samples on other memory than `flat`, see `bind`."""
        assert self._sample_loss is not None
        upstream = 1.0 / n_samples if self._loss.reduction == "mean" else 1.0
        passes = ForwardBackward(self._recognised, [*self._outputs, self._sample_loss], upstream)
        return bind(passes, n_samples, parameters, gradients, upstream)

    def batches(self, X: Floats, targets: Floats, order: NDArray[np.int64], batch_size: int) -> list[Batch]:
        """Return the rows of X and targets in this order as batches, which reuse the memory of earlier ones."""
        key = (len(order), batch_size)
        if key not in self._batches:
            n_inputs, n_outputs = X.shape[1], targets.shape[1]
            self._batches = {}  # its memory is free before there is other
            self._batches = {key: Batches(*key, n_inputs, n_outputs, self._dtype, self._bound_for)}
        return self._batches[key].fill(X.take(order, 0), targets.take(order, 0))

    def evaluate(self, X: Floats, dtype: str = "float64") -> Floats:
        """Return float64 outputs (n_samples, n_outputs) for any X (n_samples, n_inputs), computed in chunks."""
        key = (min(len(X), CHUNK), dtype)
        if key not in self._evaluators:
            while len(self._evaluators) >= KEPT_EVALUATORS:
                del self._evaluators[next(iter(self._evaluators))]
            self._evaluators[key] = Evaluator(self._recognised, self._outputs, *key, self._model.n_parameters)
        return self._evaluators[key].run(X, self.flat.parameters)

    def difference(self, X: Floats, targets: Floats) -> float:
        """Return the largest relative difference of these samples' loss and gradient from the scalar graph, in float64.

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
    """Return loss and gradient of the scalar graph, in one array; the model's own gradients are left as they were."""
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


class Batch:
    """Samples of one step.

    Attributes:
        forward: the loss at the present parameters, without penalties.
        backward: overwrites the program's gradients with those of the last forward.
    """

    __slots__ = ("_bound", "backward", "forward")

    def __init__(self, bound: Bound, inputs: Floats, targets: Floats) -> None:
        """Bind samples to the program for their number; inputs (n_inputs + 1, n), targets (n_outputs, n)."""
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
        """Return outputs (n_batch, n_outputs) of the last forward, a copy."""
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
        """Return the batches with these rows of X and targets in order."""
        start = 0
        for inputs, wanted in zip(self._inputs, self._targets, strict=True):
            count, _, size = inputs.shape
            stop = start + count * size
            inputs[:, :-1] = X[start:stop].reshape(count, size, -1).transpose(0, 2, 1)
            wanted[:] = targets[start:stop].reshape(count, size, -1).transpose(0, 2, 1)
            start = stop
        return self._batches


class Evaluator:
    """A forward pass over chunks of samples, with its own copy of the parameters: it may have another precision."""

    def __init__(self, recognised: Recognised, outputs: list[Rows], n: int, dtype: str, n_parameters: int) -> None:
        """Bind the forward pass.

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
        """Return the outputs (n_samples, n_outputs) for X (n_samples, n_inputs) with these parameters, float64."""
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


class ArrayBatch:
    """Samples of one step."""

    def __init__(self, model: MLP, loss: Loss, flat: FlatParameters, X: Floats, targets: Floats) -> None:
        self._model, self._loss, self._flat, self._X, self._targets = model, loss, flat, X, targets
        self._root: Value | None = None
        self._arrays: list[tuple[Value, Value]] = []

    def forward(self) -> float:
        self._root = array_objective(self._model, self._loss, self._X, self._targets)
        self._arrays = self._model.last_arrays
        return float(self._root.data)

    def backward(self) -> None:
        assert self._root is not None
        self._root.backward()
        self._flat.gradients[:] = self._model.array_gradients(self._arrays)

    def outputs(self) -> Floats:
        return np.asarray(self._model(self._X).data)


class ArrayProgram:
    """Forward and backward over batches by building the array graph each time; the interface of `FastProgram`.

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
        return ArrayProgram(model, self._loss, self.note)

    def batches(self, X: Floats, targets: Floats, order: NDArray[np.int64], batch_size: int) -> list[ArrayBatch]:
        parts = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
        return [ArrayBatch(self._model, self._loss, self.flat, X[part], targets[part]) for part in parts]

    def evaluate(self, X: Floats, dtype: str = "float64") -> Floats:
        return np.asarray(self._model(X).data)


TrainingProgram = FastProgram | ArrayProgram
"""Loss and gradient of batches, and outputs, for a Trainer."""
TrainingBatch = Batch | ArrayBatch
"""Samples of one step, ready to run."""
