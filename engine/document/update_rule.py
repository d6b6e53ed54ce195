"""How the update of a walk moves the parameters of the graph that is shown, a program or a network in training."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from engine.autograd import Descent, ParameterUpdate, UpdateRule, Value
from engine.document.graph_view import GraphView
from engine.document.sample import SampleGraph
from engine.network.update import Update

OF_THE_BATCH = (
    "Its gradient here is that of the loss of the whole batch; on the canvas stands that of the loss of what is shown."
)
"""What is said where both may differ, which is whenever the batch has other samples than those shown."""


class BatchUpdate:
    """The update that training makes next: its gradients are those of the whole batch, as the optimizer uses them."""

    def __init__(self, sample: SampleGraph, update: Update) -> None:
        self._sample, self._update = sample, update

    @property
    def parameters(self) -> Sequence[Value]:
        """The network's, in their order."""
        return self._sample.parameters

    @property
    def loss_part(self) -> Container[Value]:
        """What is computed after the outputs of the network."""
        return self._sample.loss_part

    def update_of(self, value: Value, gradient: float) -> ParameterUpdate:
        """The parameter before and after the step, whatever the gradient of the samples shown is."""
        index, update = self._sample.index_of(value), self._update
        assert index is not None
        before, after = float(update.before[index]), float(update.after[index])
        return ParameterUpdate(value, before, after, lambda: update.line(index).replace(" * ", " × "), OF_THE_BATCH)


def update_rule(
    graph_view: GraphView, sample: SampleGraph | None, update: Update | None, learning_rate: float
) -> UpdateRule | None:
    """The rule for the graph that is shown.

    Args:
        graph_view: the graph.
        sample: of a network; None for a program, all of whose leaves are moved against their gradients.
        update: what training does next, where it is known.
        learning_rate: for a program.

    Returns:
        None for a network whose next update is not known, or belongs to other parameters than those shown.
    """
    if sample is None:
        return Descent(graph_view.parameters, learning_rate)
    if update is None or not np.array_equal(update.before, sample.moment.parameters):
        return None
    return BatchUpdate(sample, update)
