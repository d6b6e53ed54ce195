"""A document's network at one snapshot of its run: outputs, results for every sample, histograms, the next step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from datasets import Dataset
from engine.document.document import Document, Network, Trained
from engine.experiment.assemble import make_model, make_trainer, network_shape, trainer_settings, weights_of
from engine.experiment.prepared import PreparedData
from engine.network import (
    LOSSES,
    Loss,
    SettingError,
    Snapshot,
    Targets,
    Trainer,
    TrainingSettings,
    Update,
    encode,
    saved_snapshot,
)
from engine.network.data import encode_both
from engine.network.layer_figures import Histogram, histograms, layer_figures
from engine.network.notices import SMALL_SLOPE
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
Neuron = tuple[int, int]
"""Layer, the inputs being layer 0, and index in it, from 0."""


@dataclass(frozen=True, eq=False)
class SnapshotNetwork:
    """A network that is not trained, for any thread.

    Attributes:
        shape: sizes and activations.
        parameters: (n_parameters,).
        step: updates made.
        data: the training data; their map from points to inputs precedes the network.
        loss: defines how outputs are displayed.
    """

    shape: NetworkShape
    parameters: Floats
    step: int
    data: PreparedData
    loss: Loss

    def outputs(self, points: Floats) -> Floats:
        """Return displayed outputs (n, n_outputs) for raw points (n, n_columns): probabilities if the loss has them."""
        return self.readable(self.shape.outputs(self.parameters, self.data.to_inputs(points)))

    @np.errstate(all="ignore")  # of a diverged network
    def neuron_outputs(self, points: Floats, neuron: Neuron) -> Floats:
        """Return the output (n,) of one neuron, or of an input, for raw points (n, n_columns)."""
        (layer, number), outputs = neuron, self.data.to_inputs(points)
        if layer:
            outputs = self.shape.layer_outputs(self.parameters, outputs, layer)[-1]
        return np.asarray(outputs[:, number])

    @np.errstate(all="ignore")  # of a diverged network
    def readable(self, outputs: Floats) -> Floats:
        """Return outputs of the network (n, n_outputs) as they are displayed."""
        return self.loss.probabilities(outputs)


def first_snapshot(document: Document) -> Snapshot:
    """Return the snapshot at which the document's training starts, before the first report of a run."""
    settings = TrainingSettings(**trainer_settings(document.training))
    return saved_snapshot(settings, weights_of(document), document.trained.step)


def snapshot_network(document: Document, data: PreparedData, snapshot: Snapshot | None) -> SnapshotNetwork:
    """Return the network of a document at a snapshot of its run; None: where training starts."""
    snapshot = snapshot or first_snapshot(document)
    loss = LOSSES[snapshot.settings.loss]
    return SnapshotNetwork(network_shape(document.network), snapshot.parameters, snapshot.step, data, loss)


@dataclass(frozen=True, eq=False)
class SampleFigures:
    """Samples of one kind, training or test.

    Attributes:
        step: updates made.
        targets: encoded for the loss, (n_samples, n_outputs).
        outputs: of the network, (n_samples, n_outputs).
        shown: the displayed outputs: probabilities where the loss has them.
    """

    step: int
    targets: Targets
    outputs: Floats = field(repr=False)
    shown: Floats = field(repr=False)

    @property
    def decided(self) -> NDArray[np.int64] | None:
        """The predicted class of each sample, (n_samples,); None for regression."""
        return None if self.targets.classes is None else self.targets.decide(self.outputs)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """A mask of misclassified samples, (n_samples,); all False for regression."""
        decided = self.decided
        return np.zeros(len(self.outputs), dtype=bool) if decided is None else decided != self.targets.classes

    @property
    def confusion(self) -> NDArray[np.int64] | None:
        """The confusion matrix, samples by class (row) and prediction (column); None for regression."""
        return self.targets.confusion(self.outputs)

    @property
    @np.errstate(all="ignore")  # of a diverged network
    def residuals(self) -> Floats:
        """Target minus output of each sample, (n_samples,), of the first output."""
        return np.asarray(self.targets.values[:, 0] - self.outputs[:, 0])

    @property
    def r_squared(self) -> float | None:
        return self.targets.r_squared(self.outputs)

    def rows_decided(self, actual: int, decided: int) -> NDArray[np.int64]:
        """Return the samples of one class, from 0, with this predicted class."""
        if self.targets.classes is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero((self.targets.classes == actual) & (self.decided == decided))


def targets_of(data: Dataset, loss: Loss, n_outputs: int) -> Targets:
    """Return the labels of a data set as `encode` does, classes or numbers to predict as the data say."""
    return encode(loss, data.y, n_outputs, regression=not data.n_classes)


def encoded_targets(data: PreparedData, loss: Loss, n_outputs: int) -> tuple[Targets, Targets | None]:
    """Return the targets of both kinds; None for missing test data."""
    y_test = None if data.test is None else data.test.y
    return encode_both(loss, data.train.y, y_test, n_outputs, regression=not data.raw.n_classes)


def sample_figures(network: SnapshotNetwork) -> tuple[SampleFigures, SampleFigures | None]:
    """Return the figures of training and test samples; None for missing test data."""
    data, shape = network.data, network.shape
    targets, test_targets = encoded_targets(data, network.loss, shape.layer_sizes[-1])

    def figures(kind: Targets, X: Floats) -> SampleFigures:
        outputs = shape.outputs(network.parameters, X)
        return SampleFigures(network.step, kind, outputs, network.readable(outputs))

    train = figures(targets, data.train.X)
    return train, None if data.test is None or test_targets is None else figures(test_targets, data.test.X)


Kind = Literal["weights", "gradients", "activations"]
MOST_SAMPLES = 2000
"""Limit of training samples whose outputs are counted, from the first one."""


@dataclass(frozen=True, eq=False)
class LayerHistogram:
    """One layer.

    Attributes:
        layer: from 1.
        activation: a name of ACTIVATIONS.
        numbers: the counted numbers, finite or not.
        histogram: of them; all layers share the edges.
        mean, deviation: mean and standard deviation of the finite ones; nan where there are none.
        flat: the share of the outputs at which the slope of the activation is below `SMALL_SLOPE`, 0 to 1.
    """

    layer: int
    activation: str
    numbers: NDArray[Any] = field(repr=False)
    histogram: Histogram
    mean: float
    deviation: float
    flat: float


@np.errstate(all="ignore")  # of a diverged network
def layer_histograms(network: SnapshotNetwork, gradients: NDArray[Any], kind: Kind) -> tuple[int, list[LayerHistogram]]:
    """Return the step of the snapshot, and a histogram for every layer.

    Args:
        network: at the snapshot.
        gradients: (n_parameters,) of the last update.
        kind: the numbers to count; biases count as weights.
    """
    layers = layer_figures(network.shape, network.parameters, gradients, network.data.train.X[:MOST_SAMPLES])
    attribute = {"weights": "weights", "gradients": "gradients", "activations": "outputs"}[kind]
    groups = [np.ravel(getattr(layer, attribute)) for layer in layers]
    described = []
    for layer, numbers, counts in zip(layers, groups, histograms(groups), strict=True):
        finite = numbers[np.isfinite(numbers)]
        mean, deviation = (float(finite.mean()), float(finite.std())) if len(finite) else (math.nan, math.nan)
        flat = float(np.mean(np.abs(layer.slopes) < SMALL_SLOPE))
        described.append(LayerHistogram(layer.layer, layer.activation, numbers, counts, mean, deviation, flat))
    return network.step, described


class NextStep:
    """The next step of training from any snapshot, computed while the run continues; for one thread at a time.

    The trainer is reused while network and data stay the same: making one takes up to a second for a large
    network, restoring a snapshot a fraction of a step.
    """

    def __init__(self) -> None:
        self._made_for: tuple[Network, PreparedData] | None = None
        self._trainer: Trainer | None = None

    def at(self, document: Document, data: PreparedData, snapshot: Snapshot) -> Update | None:
        """Return the step that training makes from a snapshot, with the settings of that snapshot.

        Args:
            document: defines the network.
            data: of the document.
            snapshot: of a run of that network on these data.

        Returns:
            None where the network's numbers are not finite, or would not stay so.
        """
        known, trainer = self._made_for, self._trainer
        try:
            if trainer is None or known is None or known[0] != document.network or known[1] is not data:
                untrained = replace(document, trained=Trained())
                trainer = make_trainer(untrained, make_model(untrained), data)
                self._trainer, self._made_for = trainer, (document.network, data)
            trainer.restore(snapshot, with_settings=True)
        except SettingError:
            return None
        update = trainer.next_update()
        return update if update.is_finite else None
