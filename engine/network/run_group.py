"""Many runs of one network's shape trained together: a runs axis in front of every array of the fast program.

A run equals that of a `Trainer` with the same settings and weights, which the tests compare. The runs may differ in
their weights, learning rate, penalties and the seed that shuffles their samples; everything else is common. For small
networks the overhead of a numpy call is larger than its computation, so many runs cost little more than one: figures in
DESIGN.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.data import TrainingData, shuffled
from engine.network.errors import SettingError, SizeError
from engine.network.fast.bind import Bound
from engine.network.fast.fast_program import Batch, FastProgram
from engine.network.losses import LOSSES
from engine.network.mlp import MLP
from engine.network.objective import Penalties
from engine.network.predictor import Predictor
from engine.network.settings import TrainingSettings, checked_batch_size

Floats = NDArray[Any]
OWN = ("learning_rate", "l1", "l2", "seed")
"""Settings in which the runs of a group may differ."""
TOGETHER_NUMBERS = 200_000


def most_together(n_samples: int, n_neurons: Sequence[int]) -> int:
    """Return the largest number of networks of this shape to compute together, 1 or more; beyond it each is slower."""
    return max(1, TOGETHER_NUMBERS // (n_samples * sum(n_neurons)))


class RunGroup:
    """Networks of one shape, each trained from its own start.

    Attributes:
        weights: (n_runs, n_parameters), the present ones.
        losses: (n_runs,) data loss of the last step's batch before its update; nan before the first.
        step_count: updates made.
        diverged_at: (n_runs,) the step whose loss was not finite, -1 where all were. From there on the weights of that
            run are nan.
    """

    def __init__(
        self,
        model: MLP,
        weights: Any,
        settings: Sequence[TrainingSettings],
        *,
        X: Any,
        y: Any,
        X_test: Any = None,
        y_test: Any = None,
        regression: bool = False,
    ) -> None:
        """Translate the network once for all runs.

        Args:
            model: defines shape and activations; not changed.
            weights: (n_runs, n_parameters) first weights in micrograd's order; copied.
            settings: one for each run, equal but for the fields named in `OWN`; no schedules of one's own.
            X: (n_samples, n_inputs), as for Trainer.
            y: (n_samples,), as for Trainer.
            X_test: as for Trainer.
            y_test: as for Trainer.
            regression: as for Trainer.

        Raises:
            SettingError: settings that differ in more than `OWN`, or do not fit the data.
            SizeError: weights of another shape.
            UntranslatableError: a network that has no fast program.
        """
        common = settings[0]
        if any(replace(each, **{name: getattr(common, name) for name in OWN}) != common for each in settings):
            raise SettingError("settings of a group of runs", f"equal but for {', '.join(OWN)}", "different ones")
        self._loss = LOSSES[common.loss]
        self._data = TrainingData(X, y, X_test, y_test, self._loss, model, regression)
        self.weights = np.array(weights, dtype=common.dtype)
        if self.weights.shape != (len(settings), model.n_parameters):
            raise SizeError("weights", f"of the shape {(len(settings), model.n_parameters)}", self.weights.shape)
        self.losses = np.full(len(settings), math.nan)
        self.diverged_at = np.full(len(settings), -1)
        self.step_count = 0
        self._settings, self._clipping, self._factor = settings, common.clipping, common.factor
        self._zero_grad = common.zero_grad
        self._gradients, self._work = np.zeros_like(self.weights), np.empty_like(self.weights)
        self._optimizer = common.optimizer_for(self.weights)
        self._program, self._bound = FastProgram(model.copy(), self._loss, common.dtype), dict[int, Bound]()
        self._predictor = Predictor(model, self._program, self._data, self._loss)
        self._batch_size = checked_batch_size(common.batch_size, self._data.n_samples)
        self._penalties = Penalties([each.penalty for each in settings], common.dtype)
        self._rates = self._column("learning_rate")
        self._random = np.random.RandomState(0)
        self._start_epoch(0)

    def _column(self, name: str) -> Floats:
        numbers = [getattr(each, name) for each in self._settings]
        if any(map(callable, numbers)):
            raise SettingError(name, "a number in a group of runs", "a function")
        return np.array(numbers, dtype=self.weights.dtype)[:, None]

    def _start_epoch(self, epoch: int) -> None:
        """Cut the samples of an epoch into batches, in the order that each run's seed gives."""
        n = self._data.n_samples
        self._epoch, self._position = epoch, 0
        if n == self._batch_size:
            if epoch:
                return
            orders = np.arange(n)
        else:
            orders = np.array([shuffled(n, each.seed, epoch, self._random) for each in self._settings])
        starts = range(0, n, self._batch_size)
        self._batches = [self._batch(orders[..., start : start + self._batch_size]) for start in starts]

    def _batch(self, rows: NDArray[np.int64]) -> Batch:
        """Samples (n_batch,), or (n_runs, n_batch) where each run has its own, ready to run."""
        n_batch = rows.shape[-1]
        if n_batch not in self._bound:
            self._bound[n_batch] = self._program.bound_to(n_batch, self.weights, self._gradients)
        X, targets = self._data.X[rows], self._data.targets.values[rows]
        return Batch.of(self._bound[n_batch], X, targets, self.weights.dtype)

    def step(self) -> Floats:
        """Make one update of every run; return `losses`, not finite for runs that have diverged."""
        with np.errstate(all="ignore"):
            self._step()
        return self.losses

    def _step(self) -> None:
        batch = self._batches[self._position]
        self.losses = np.array(batch.forward())
        objectives = self.losses + self._penalties.of_arrays(self.weights)
        if not math.isfinite(objectives.sum()):
            bad = ~np.isfinite(objectives)  # nan from now on, which no other run sees
            self.losses[bad] = self.weights[bad] = math.nan
            self.diverged_at[bad & (self.diverged_at < 0)] = self.step_count
        before = None if self._zero_grad else self._gradients.copy()
        batch.backward()
        self._penalties.add_gradients(self.weights, self._gradients, self._work)
        if before is not None:
            np.add(self._gradients, before, self._gradients)
        if self._clipping:
            self._clipping.apply(self._gradients)
        self._optimizer.update(self.weights, self._gradients, self._rates * self._factor(self.step_count))
        self.step_count += 1
        self._position += 1
        if self._position == len(self._batches):
            self._start_epoch(self._epoch + 1)

    def figures(self) -> list[tuple[float | None, ...]]:
        """Return `Predictor.figures` of each run: data loss, accuracy and R² of the training data, then of the test
        data; nan and None of a run that has diverged.
        """
        found: list[tuple[float | None, ...]] = []
        for run in range(len(self.weights)):
            if self.diverged_at[run] >= 0:
                found.append((math.nan, *(None,) * 5))
                continue
            self._program.flat.parameters[:] = self.weights[run]
            found.append(self._predictor.figures())
        return found
