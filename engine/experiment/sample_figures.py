"""Results of a network for every sample at one moment: outputs and targets, decisions, confusion matrix, residuals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.document import Document
from engine.experiment.assemble import trainer_settings, weights_of
from engine.experiment.moment_network import MomentNetwork, moment_network
from engine.experiment.prepared import PreparedData
from engine.network import Loss, Snapshot, Targets, TrainingSettings, saved_snapshot
from engine.network.data import encode_both

Floats = NDArray[Any]


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
        """Return the predicted class of each sample, (n_samples,); None for regression."""
        return None if self.targets.classes is None else self.targets.decide(self.outputs)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Return a mask of misclassified samples, (n_samples,); all False for regression."""
        decided = self.decided
        return np.zeros(len(self.outputs), dtype=bool) if decided is None else decided != self.targets.classes

    @property
    def confusion(self) -> NDArray[np.int64] | None:
        """Return the confusion matrix, samples by class (row) and prediction (column); None for regression."""
        return self.targets.confusion(self.outputs)

    @property
    @np.errstate(all="ignore")  # of a diverged network
    def residuals(self) -> Floats:
        """Return target minus output of each sample, (n_samples,), of the first output."""
        return np.asarray(self.targets.values[:, 0] - self.outputs[:, 0])

    @property
    def r_squared(self) -> float | None:
        """See `Targets.r_squared`."""
        return self.targets.r_squared(self.outputs)

    def rows_decided(self, actual: int, decided: int) -> NDArray[np.int64]:
        """Return the samples of one class, from 0, with this predicted class."""
        if self.targets.classes is None:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero((self.targets.classes == actual) & (self.decided == decided))


def encoded_targets(data: PreparedData, loss: Loss, n_outputs: int) -> tuple[Targets, Targets | None]:
    """Return the targets of both kinds; None for missing test data."""
    return encode_both(loss, data.train.y, None if data.test is None else data.test.y, n_outputs)


def sample_figures(network: MomentNetwork) -> tuple[SampleFigures, SampleFigures | None]:
    """Return the figures of training and test samples; None for missing test data."""
    data, n_outputs = network.data, network.shape.layer_sizes[-1]
    targets, test_targets = encoded_targets(data, network.loss, n_outputs)
    train = _figures(network, targets, data.train.X)
    if data.test is None or test_targets is None:
        return train, None
    return train, _figures(network, test_targets, data.test.X)


def _figures(network: MomentNetwork, targets: Targets, X: Floats) -> SampleFigures:
    outputs = network.shape.outputs(network.parameters, X)
    return SampleFigures(network.step, targets, outputs, network.readable(outputs))


def first_moment(document: Document) -> Snapshot:
    """Return the moment at which the document's training starts, before the first report of a run."""
    settings = TrainingSettings(**trainer_settings(document.training))
    return saved_snapshot(settings, weights_of(document), document.trained.step)


def viewed_network(document: Document, data: PreparedData, snapshot: Snapshot | None) -> MomentNetwork:
    """Return the network at a moment of its run; None: at the moment at which training starts."""
    return moment_network(document, data, snapshot or first_moment(document))
