"""Phases of a training step, made one by one; the last one can be undone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.network.snapshot import PHASES, Phase, Snapshot
from engine.network.trainer import Trainer
from engine.network.update import Update


class StepPhases:
    """Position of a trainer within a step that is made phase by phase.

    Attributes:
        last: the phase that was done last; None where none of the present step is, or the step was made as a whole.
        began: the moment at which the step of that phase began, gradients and the optimizer's memory included.
        update: what was looked ahead to last: what a step will do, or after its last phase what it has done.
    """

    def __init__(self, trainer: Trainer) -> None:
        """Start between two steps."""
        self._trainer = trainer
        self._coming: Iterator[Phase] | None = None
        self.last: Phase | None = None
        self.began: Snapshot = trainer.snapshot(figures=False)
        self.update: Update | None = None

    @property
    def is_under_way(self) -> bool:
        """True during a step."""
        return self._coming is not None

    @property
    def n_before(self) -> int:
        """Number of completed phases before the last one, 0 to 4."""
        return 0 if self.last is None else list(PHASES).index(self.last.name)

    def advance(self) -> None:
        """Perform the next phase; raises TrainingDiverged in the loss phase."""
        if self._coming is None:
            self.began = self._trainer.snapshot(figures=False)
            self._coming = self._trainer.phases()
        self.last = next(self._coming)
        if self.last.name == "update":
            self._coming = None

    def drop(self) -> None:
        """Forget the completed phases; the parameters are as before them, except after an update."""
        self._coming = self.last = None

    def look_ahead(self) -> None:
        """Compute the next step in advance, unless it is known."""
        known, now = self.update, self._trainer.snapshot(figures=False)
        same = known is not None and (known.step, known.settings) == (now.step, now.settings)
        if known is None or not (same and np.array_equal(known.before, now.parameters)):
            self.update = self._trainer.next_update()
