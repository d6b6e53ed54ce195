"""Trainer: trains a network on data by one step, one phase or one epoch at a time.

Plain Python for one thread at a time; other threads get `snapshot()`s. It hides the program that computes loss and
gradient, the order of the samples, and the continuation of a run after a change.
"""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.data import InputMap, TrainingData, shuffled
from engine.network.fast.fast_program import TrainingBatch, TrainingProgram, make_program
from engine.network.losses import LOSSES
from engine.network.mlp import MLP
from engine.network.numpy_errors import numpy_errors_ignored
from engine.network.predictor import Predictor
from engine.network.settings import Rate, TrainingSettings, checked_batch_size
from engine.network.snapshot import Phase, PhaseName, Snapshot, frozen, frozen_arrays, saved_snapshot
from engine.network.stop_rules import StopMonitor, StopRules
from engine.network.stopping import TrainingDiverged, find_non_finite
from engine.network.update import Update

Floats = NDArray[Any]
KEPT_LOSSES = 1_000_000  # 32 MB; a small network makes five million steps in a few minutes


class Trainer:
    """Trainer of a network.

    Attributes:
        settings: the settings in use; `change` sets others.
        data: the training and test data, encoded for the loss.
        optimizer: the update rule with its memory.
        losses: data loss of each step's batch before its update, without penalties. Of more than 1,000,000 the older
            half is dropped.
        seen_penalty: L1 and L2 penalty that the last step added to its loss; 0 without penalties.
        step_count: updates made.
        epoch_count: passes over the data completed.
        stops: stop rules of `run`.
        inputs: map from points to the network's inputs; None: they are its inputs.
    """

    def __init__(
        self,
        model: MLP,
        loss: str = "mean_squared_error",
        optimizer: str = "sgd",
        *,
        X: Any,
        y: Any,
        X_test: Any = None,
        y_test: Any = None,
        stop_rules: StopRules | None = None,
        inputs: InputMap | None = None,
        regression: bool = False,
        **settings: Any,
    ) -> None:
        """Take ownership of the model's weights; they stay readable and settable through the model.

        Args:
            model: the network; while this Trainer works it should be the only one on this model.
            loss: a name of LOSSES.
            optimizer: a name of OPTIMIZERS.
            X: (n_samples, n_inputs) finite numbers; copied.
            y: (n_samples,) class indices, numbers, or labels in the loss's own encoding (-1/+1, 0/1); copied.
            X_test: data that is only looked at, like X.
            y_test: like y.
            stop_rules: for `run`.
            inputs: map from points to X, for pictures of the plane.
            regression: y are numbers to predict, never classes, though all may be 0 or 1.
            **settings: the other attributes of TrainingSettings: learning_rate, schedule, batch_size, l1, l2,
                clip_norm, clip_value, seed, dtype, optimizer_settings, schedule_settings.

        Raises:
            SettingError: a setting out of range; its subclasses SizeError, LossError: data that does not fit.
        """
        self.settings = TrainingSettings().changed(loss=loss, optimizer=optimizer, **settings)
        self._loss = LOSSES[loss]
        self.data = TrainingData(X, y, X_test, y_test, self._loss, model, regression)
        checked_batch_size(self.settings.batch_size, self.data.n_samples)
        self.stops, self.inputs = StopMonitor(stop_rules), inputs
        self.losses: list[float] = []
        self._seen_loss: float | None = None
        self.seen_penalty = 0.0
        self.step_count = self.epoch_count = self._position = 0
        self._model, self._ignoring_errors, self._random = model, numpy_errors_ignored(), np.random.RandomState(0)
        self._take_program(self._made_program())
        self.optimizer = self.settings.optimizer_for(self._flat.parameters)
        self._follow_settings()

    @property
    def model(self) -> MLP:
        """The network with the present weights."""
        return self._model

    @property
    def predictor(self) -> Predictor:
        """Predictor of the network at its present weights: outputs, a grid of them, figures."""
        return Predictor(self._model, self._program, self.data, self._loss)

    def predict(self, X: Any, dtype: str = "float64") -> Floats:
        """Return the network's outputs, see `Predictor.predict`."""
        return self.predictor.predict(X, dtype)

    def accuracy(self, X: Any = None, y: Any = None) -> float | None:
        """Return the share of samples decided right, see `Predictor.accuracy`."""
        return self.predictor.accuracy(X, y)

    @property
    def notes(self) -> list[str]:
        """Sentences for the user on how it trains."""
        model = self._model
        settings = self.settings.notes(model.activations[-1], model.initialiser, len(model.n_neurons) - 1)
        return [note for note in (self._program.note, *settings) if note]

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step, schedule included; it can be set like that of the settings."""
        return self._rate(self.step_count)

    @learning_rate.setter
    def learning_rate(self, rate: Rate) -> None:
        self.settings = self.settings.changed(learning_rate=rate)
        self._rate = self.settings.rate()

    def _made_program(self) -> TrainingProgram:
        """Return the program for the present loss, weights and precision."""
        data = self.data
        return make_program(self._model, self._loss, data.X, data.targets.values, self.settings.dtype)

    def _take_program(self, program: TrainingProgram) -> None:
        self._program, self._flat = program, program.flat
        self._work = np.empty_like(self._flat.parameters)
        self._good = np.empty_like(self._flat.parameters)
        self._mark_good()

    def _follow_settings(self) -> None:
        settings = self.settings
        self._penalty, self._clipping, self._rate = settings.penalty, settings.clipping, settings.rate()
        self._penalised = bool(settings.l1 or settings.l2)
        self._adjusted = self._penalised or bool(self._clipping) or not settings.zero_grad
        self._batch_size = checked_batch_size(settings.batch_size, self.data.n_samples)
        self._n_batches = math.ceil(self.data.n_samples / self._batch_size)
        self._start_epoch()

    def _start_epoch(self) -> None:
        """Order the samples of the present epoch and split them into batches."""
        n_samples, seed = self.data.n_samples, self.settings.seed
        self._order = np.arange(n_samples)
        if self._n_batches > 1:
            self._order = shuffled(n_samples, seed, self.epoch_count, self._random)
        X, targets = self.data.X, self.data.targets.values
        self._batches: Sequence[TrainingBatch] = ()  # nothing holds the memory of earlier batches
        self._batches = self._program.batches(X, targets, self._order, self._batch_size)

    def step(self) -> float:
        """Make one parameter update on the next batch; return the data loss of that batch before it.

        Raises:
            TrainingDiverged: when loss plus penalty is not finite; nothing is updated then; see `last_good`.
        """
        return float(self._ignoring_errors(self._step))

    def _step(self) -> float:
        batch = self._batches[self._position]
        loss = batch.forward()
        self._add_penalty(loss)
        if self._adjusted:
            self._backward(batch)
        else:
            batch.backward()
        self._update(loss)
        return loss

    def epoch(self) -> float:
        """Make the steps to the end of the present pass over the data; return the mean of their losses."""
        return statistics.fmean(self.step() for _ in range(self._n_batches - self._position))

    def run(self, steps: int) -> str:
        """Make at most `steps` steps; return the message of the stop rule that ended them, else an empty string."""
        for _ in range(steps):
            loss = self.step()
            if reason := self.stops.look(self.step_count, self.epoch_count, loss, self.accuracy):
                return reason
        return ""

    def phases(self) -> Iterator[Phase]:
        """Yield the next step in its five phases: forward, loss, zero_grad, backward, update.

        Each is performed when its record is requested. All five together equal `step()`, bit for bit; left early, the
        parameters are as before. Raises TrainingDiverged in the loss phase.
        """
        batch, rate, ignoring_errors = self._batches[self._position], self.learning_rate, self._ignoring_errors
        loss = ignoring_errors(batch.forward)
        outputs = frozen(batch.outputs())
        yield self._phase("forward", outputs, None, rate)
        ignoring_errors(self._add_penalty, loss)
        yield self._phase("loss", outputs, loss, rate)
        if self.settings.zero_grad:
            self._flat.gradients[:] = 0.0
        yield self._phase("zero_grad", outputs, loss, rate)
        ignoring_errors(self._backward, batch)
        last = self._phase("backward", outputs, loss, rate)
        yield last
        ignoring_errors(self._update, loss)
        yield replace(last, name="update", step=self.step_count, parameters=frozen(self._flat.parameters))

    def _phase(self, name: PhaseName, outputs: Floats, loss: float | None, rate: float) -> Phase:
        gradients, parameters = frozen(self._flat.gradients), frozen(self._flat.parameters)
        penalty = None if loss is None else self.seen_penalty
        return Phase(name, self.step_count, self._rows(), outputs, loss, penalty, gradients, parameters, rate)

    def _rows(self) -> NDArray[np.int64]:
        """Return the samples of the next step, a copy."""
        return self._order[self._position * self._batch_size :][: self._batch_size].copy()

    def next_update(self) -> Update:
        """Return the update of the next step with the present parameters and settings; changes nothing."""
        batch, flat, stale = self._batches[self._position], self._flat, self._flat.gradients.copy()
        loss = self._ignoring_errors(batch.forward)
        penalty = self._ignoring_errors(self._penalty.of_array, flat.parameters)
        self._ignoring_errors(self._backward, batch)
        after, optimizer = flat.parameters.copy(), self.settings.optimizer_for(flat.parameters)
        optimizer.take_over(self.optimizer.state, self.optimizer.updates)
        memory_before = frozen_arrays(optimizer.state)
        self._ignoring_errors(optimizer.update, after, flat.gradients, self.learning_rate)
        before, gradients = frozen(flat.parameters), frozen(flat.gradients)
        flat.gradients[:] = stale
        place = self.step_count, self._rows(), self.data.n_samples
        memory, rate = (memory_before, frozen_arrays(optimizer.state)), self.learning_rate
        return Update(*place, loss, penalty, before, gradients, frozen(after), rate, self.settings, *memory)

    def _add_penalty(self, loss: float) -> None:
        """Compute the penalty of this step; keep the parameters as the last good ones if the sum is finite."""
        self.seen_penalty = self._penalty.of_array(self._flat.parameters) if self._penalised else 0.0
        if not math.isfinite(loss + self.seen_penalty):
            raise self._diverged(loss + self.seen_penalty)
        self._mark_good()

    def _mark_good(self) -> None:
        self._good[:] = self._flat.parameters
        self._good_at = self.step_count, self.epoch_count, self._position

    def _backward(self, batch: TrainingBatch) -> None:
        """Compute the gradients of a step, penalties included, clipped; without zero_grad added to those before."""
        flat = self._flat
        before = None if self.settings.zero_grad else flat.gradients.copy()
        batch.backward()
        if self._penalised:
            self._penalty.add_gradient(flat.parameters, flat.gradients, self._work)
        if before is not None:
            np.add(flat.gradients, before, flat.gradients)
        if self._clipping:
            self._clipping.apply(flat.gradients)

    def _update(self, loss: float) -> None:
        """Move the parameters, and advance to the next batch."""
        flat = self._flat
        self.optimizer.update(flat.parameters, flat.gradients, self._rate(self.step_count))
        flat.dirty = True
        self.losses.append(loss)
        self._seen_loss = loss
        self.step_count += 1
        self._position += 1
        if self._position == self._n_batches:
            self._position = 0
            self.epoch_count += 1
            if self._n_batches > 1:
                self._start_epoch()
        if len(self.losses) > KEPT_LOSSES:
            del self.losses[: KEPT_LOSSES // 2]

    def _diverged(self, loss: float) -> TrainingDiverged:
        rows, largest = self._rows(), float(np.finfo(self.settings.dtype).max)
        self._flat.dirty = True
        X, targets = self.data.X[rows], self.data.targets.values[rows]
        node, index = find_non_finite(self._model, self._loss, X, targets, largest)
        sample = None if index is None else int(rows[index])
        return TrainingDiverged(self.step_count, loss, node, sample, frozen(self._good))

    def last_good(self) -> Snapshot:
        """Return the newest snapshot with a finite loss: the present one, or that before the last update.

        The optimizer's memory before an update is not kept, so in the second case it is empty. There are no figures.
        """
        if self._good_at[0] == self.step_count:
            return self.snapshot(figures=False)
        step, epoch, position = self._good_at
        seen = self.losses[-2] if len(self.losses) > 1 else None
        gradients = self._flat.gradients
        return saved_snapshot(self.settings, self._good, step, epoch, position, seen_loss=seen, gradients=gradients)

    def snapshot(self, figures: bool = True) -> Snapshot:
        """Return a frozen copy of the present state; `figures`: with loss and accuracy of all data (a forward pass)."""
        penalty = self._ignoring_errors(self._penalty.of_array, self._flat.parameters)
        return Snapshot(
            self.step_count,
            self.epoch_count,
            self._position,
            self.learning_rate,
            frozen(self._flat.parameters),
            frozen(self._flat.gradients),
            frozen_arrays(self.optimizer.state),
            self.optimizer.updates,
            self.settings,
            self._seen_loss,
            penalty,
            *(self.predictor.figures() if figures else ()),
        )

    def restore(self, snapshot: Snapshot, with_settings: bool = False) -> None:
        """Set the trainer to a snapshot of this run, or of a saved one; later steps are forgotten.

        With the snapshot's settings the run continues as it did then, bit for bit. The optimizer's memory is restored
        when the optimizer is still the same, else it starts empty. The losses before a snapshot of another run (saved,
        and restored into a new Trainer) are unknown: `losses` begin there.

        Args:
            snapshot: of this network.
            with_settings: restore the snapshot's settings, too; else the present ones stay.

        Raises:
            SizeError: when the snapshot, or an array of the optimizer's memory, is of another network.
            SettingError: when its parameters are not finite; nothing is changed then.
        """
        if with_settings:
            self.change(**{entry.name: getattr(snapshot.settings, entry.name) for entry in fields(snapshot.settings)})
        optimizer = self.settings.optimizer_for(self._flat.parameters)
        if snapshot.optimizer == self.settings.optimizer and (snapshot.optimizer_state or not optimizer.state):
            optimizer.take_over(snapshot.optimizer_state, snapshot.optimizer_updates)
        self._model.weights = snapshot.parameters
        self._flat.gradients[:] = snapshot.gradients
        self._flat.dirty = True
        self.optimizer = optimizer
        n_known = snapshot.step - (self.step_count - len(self.losses))
        del self.losses[n_known if 0 <= n_known <= len(self.losses) else 0 :]
        self._seen_loss = snapshot.seen_loss
        self.step_count, self.epoch_count = snapshot.step, snapshot.epoch
        self._start_epoch()
        self._position = snapshot.position if snapshot.position < self._n_batches else 0
        self._mark_good()

    def change(self, **changes: Any) -> None:
        """Change settings from the next step on; the weights are kept.

        Args:
            **changes: attributes of TrainingSettings. Another optimizer starts with an empty memory, the same one with
                other numbers keeps it; another batch size restarts the present epoch's samples.

        Raises:
            SettingError: a setting out of range, or (LossError) a loss that does not fit; nothing is changed then.
        """
        settings, before = self.settings.changed(**changes), self.settings
        checked_batch_size(settings.batch_size, self.data.n_samples)
        if settings.loss != before.loss:
            self.data.encode_for(LOSSES[settings.loss], self._model.n_outputs)
        self.settings, self._loss = settings, LOSSES[settings.loss]
        if (settings.loss, settings.dtype) != (before.loss, before.dtype):
            self._change_program(self._made_program())
        if settings.optimizer != before.optimizer:
            self.optimizer = settings.optimizer_for(self._flat.parameters)
        elif settings.optimizer_settings != before.optimizer_settings:
            self._copy_optimizer()
        if settings.batch_size != before.batch_size:
            self._position = 0
        self._follow_settings()

    def copy(self) -> Trainer:
        """Return another trainer at the same step, with its own network; without `losses` and stop rules."""
        twin = copy.copy(self)
        twin.data, twin.stops, twin.losses = copy.copy(self.data), StopMonitor(), []
        twin._model, twin._ignoring_errors = self._model.copy(), numpy_errors_ignored()
        twin._random = np.random.RandomState(0)
        twin._change_program(self._program.copy(twin._model))
        twin._follow_settings()
        return twin

    @np.errstate(all="ignore")  # of a diverged network, whose numbers may be too large for 32 bits
    def _change_program(self, program: TrainingProgram) -> None:
        """Replace the program; weights are taken over, gradients and the optimizer's memory are copied."""
        gradients, good, good_at = self._flat.gradients, self._good, self._good_at
        self._take_program(program)
        self._flat.gradients[:] = gradients
        self._good[:], self._good_at = good, good_at
        if self.optimizer.name == self.settings.optimizer:
            self._copy_optimizer()

    def _copy_optimizer(self) -> None:
        """Replace the optimizer by one with the present numbers and precision, and the memory of the one before."""
        before, self.optimizer = self.optimizer, self.settings.optimizer_for(self._flat.parameters)
        self.optimizer.take_over(before.state, before.updates)
