"""The network of a document at one moment of its training, as a function on the data's own space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.document import Document
from engine.experiment.assemble import network_shape
from engine.experiment.prepared import PreparedData
from engine.network import LOSSES, Loss, Snapshot
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
Neuron = tuple[int, int]
"""Layer, the inputs being layer 0, and index in it, from 0."""


@dataclass(frozen=True, eq=False)
class MomentNetwork:
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


def moment_network(document: Document, data: PreparedData, snapshot: Snapshot) -> MomentNetwork:
    """Return the network of a document at a moment of its run."""
    loss = LOSSES[snapshot.settings.loss]
    return MomentNetwork(network_shape(document.network), snapshot.parameters, snapshot.step, data, loss)
