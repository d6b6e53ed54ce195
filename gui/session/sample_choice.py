"""The samples that are looked at together: those of one class that were decided to be a class."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Chosen cell of the confusion matrix; `Change.samples` announces it.

    Attributes:
        cell: None for all samples.
    """

    def __init__(self, changes: Changes) -> None:
        """Create a choice without a chosen cell."""
        self.cell: ConfusionCell | None = None
        self._changes = changes

    def cell_of(self, is_test: bool) -> ConfusionCell | None:
        """The chosen cell, if it is of the samples that only test, or else of those that are trained on."""
        return self.cell if self.cell is not None and self.cell.is_test == is_test else None

    def choose(self, cell: ConfusionCell | None) -> None:
        """Show the samples of a cell; None: all samples."""
        if cell != self.cell:
            self.cell = cell
            self._changes.add("samples")
