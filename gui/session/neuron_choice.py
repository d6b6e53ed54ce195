"""The neuron that the drawn network points at: other panels show its output meanwhile."""

from __future__ import annotations

from engine.experiment.snapshot_network import Neuron
from gui.session.change import Changes


class NeuronChoice:
    """The neuron under the pointer or the keyboard's cursor; announced by `Change.neuron`.

    Attributes:
        pointed_at: layer, the inputs being layer 0, and number from 0; None for none.
        is_shown_large: whether another panel that can be seen shows its output, so that the drawing need not.
    """

    def __init__(self, changes: Changes) -> None:
        self.pointed_at: Neuron | None = None
        self.is_shown_large = False
        self._changes = changes

    def point_at(self, neuron: Neuron | None) -> None:
        """Point at another neuron, or at none."""
        if neuron != self.pointed_at:
            self.pointed_at = neuron
            self._changes.add("neuron")
