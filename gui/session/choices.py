"""Choices that several panels show: a cell of the confusion matrix, the neuron under the pointer, how far to nudge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.experiment.snapshot_network import Neuron
from gui.session.change import Changes


@dataclass(frozen=True)
class ConfusionCell:
    """A cell of a confusion matrix.

    Attributes:
        is_test: whether it is of the samples that only test.
        actual, decided: classes, from 0.
    """

    is_test: bool
    actual: int
    decided: int


class SampleChoice:
    """Chosen cell of the confusion matrix; announced as the change "samples".

    Attributes:
        cell: None for all samples.
    """

    def __init__(self, changes: Changes) -> None:
        """Create a choice without a chosen cell."""
        self.cell: ConfusionCell | None = None
        self._changes = changes

    def cell_of(self, is_test: bool) -> ConfusionCell | None:
        """Return the chosen cell if it belongs to the test samples, or to the training samples; None otherwise."""
        return self.cell if self.cell is not None and self.cell.is_test == is_test else None

    def choose(self, cell: ConfusionCell | None) -> None:
        """Show the samples of a cell; None: all samples."""
        if cell != self.cell:
            self.cell = cell
            self._changes.add("samples")


class NeuronChoice:
    """The neuron under the pointer or the keyboard's cursor; announced as the change "neuron".

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


class NudgeChoice:
    """Distance by which the selected value is nudged; announced as the change "nudge".

    Attributes:
        first: the distance before another one is chosen.
        h: 0 while nothing else is typed yet; then the smallest nudge of the slider is shown.
    """

    first: ClassVar[float] = 0.01

    def __init__(self, changes: Changes) -> None:
        self.h = self.first
        self._changes = changes

    def begin(self) -> None:
        """Return to the first distance, which nobody has chosen: nothing is announced."""
        self.h = self.first

    def choose(self, h: float) -> None:
        """Nudge by another distance; announced also when it is the same, as it was chosen for the selected value."""
        self.h = h
        self._changes.add("nudge")
