"""The moment to go back to when a run diverges: the newest one before its loss took off.

The parameters just before the loss became inf have a finite loss, too, but one of 1e73: nobody wants them back.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from engine.network.snapshot import Snapshot

TAKEN_OFF = 10.0
"""A loss of more than so many times the lowest one has taken off."""


class LastGood:
    """Looks at the moments of a run as they come, and keeps one.

    Attributes:
        snapshot: of the newest one whose loss had not taken off; None before the first look.
    """

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None
        self._lowest = math.inf

    def look_at(self, snapshot: Snapshot) -> None:
        """Keeps a moment (its loss computed) unless the loss has taken off or is not finite."""
        loss = snapshot.objective
        if loss is None or not math.isfinite(loss):
            return
        if self.snapshot is None or loss <= TAKEN_OFF * self._lowest:
            self.snapshot = snapshot
        self._lowest = min(self._lowest, loss)

    def newest_step(self, first: int, losses: ArrayLike) -> int | None:
        """Return the newest of the steps since the last look whose loss had not taken off.

        Args:
            first: step of the first loss.
            losses: (n,) what these steps saw before their updates.

        Returns:
            None where no step is later than the moment that is kept.
        """
        seen = np.asarray(losses, dtype=np.float64)
        lowest = np.minimum.accumulate(np.append(self._lowest, seen))[:-1]
        good = np.flatnonzero(seen <= TAKEN_OFF * lowest)
        kept = -1 if self.snapshot is None else self.snapshot.step
        newest = first + int(good[-1]) if good.size else -1
        return newest if newest > kept else None

    def forget_from(self, step: int) -> None:
        """Forgets a moment of this step or a later one: training went back."""
        if self.snapshot is not None and self.snapshot.step >= step:
            self.snapshot, self._lowest = None, math.inf

    def measure_anew(self) -> None:
        """The loss is another one from now on: what comes next is compared with itself only."""
        self._lowest = math.inf
