"""The phases of a training step, done one by one, and how many are left when the last one is taken back."""

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
        """Begins between two steps."""
        self._trainer = trainer
        self._coming: Iterator[Phase] | None = None
        self.last: Phase | None = None
        self.began: Snapshot = trainer.snapshot(figures=False)
        self.update: Update | None = None

    @property
    def is_under_way(self) -> bool:
        """True while a step is begun and not ended."""
        return self._coming is not None

    @property
    def n_before(self) -> int:
        """Number of phases done before the last one, 0 to 4."""
        return 0 if self.last is None else list(PHASES).index(self.last.name)

    def advance(self) -> None:
        """Does the next phase; raises TrainingDiverged in the loss phase."""
        if self._coming is None:
            self.began = self._trainer.snapshot(figures=False)
            self._coming = self._trainer.phases()
        self.last = next(self._coming)
        if self.last.name == "update":
            self._coming = None

    def drop(self) -> None:
        """Forgets the phases that were done; the parameters are as before them, but for an update."""
        self._coming = self.last = None

    def look_ahead(self) -> None:
        """Computes what the next step will do, unless it is known."""
        known, now = self.update, self._trainer.snapshot(figures=False)
        same = known is not None and (known.step, known.settings) == (now.step, now.settings)
        if known is None or not (same and np.array_equal(known.before, now.parameters)):
            self.update = self._trainer.next_update()
