"""Moment to restore when a run diverges: the newest one before its loss took off.

The parameters just before the loss became inf are useless: their loss is finite, but may be 1e73.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from engine.network.snapshot import Snapshot

TAKEN_OFF = 10.0
"""Factor over the lowest loss from which a loss has taken off."""


class LastGood:
    """Newest good moment of a run.

    Attributes:
        snapshot: the newest one whose loss had not taken off; None before the first one.
    """

    def __init__(self) -> None:
        self.snapshot: Snapshot | None = None
        self._lowest = math.inf

    def look_at(self, snapshot: Snapshot) -> None:
        """Store a moment (its loss computed) unless the loss has taken off or is not finite."""
        loss = snapshot.objective
        if loss is None or not math.isfinite(loss):
            return
        if self.snapshot is None or loss <= TAKEN_OFF * self._lowest:
            self.snapshot = snapshot
        self._lowest = min(self._lowest, loss)

    def newest_step(self, first: int, losses: ArrayLike) -> int | None:
        """Return the newest step since the stored moment whose loss had not taken off.

        Args:
            first: step of the first loss.
            losses: (n,) of these steps, before their updates.

        Returns:
            None when no step is later than the stored moment.
        """
        seen = np.asarray(losses, dtype=np.float64)
        lowest = np.minimum.accumulate(np.append(self._lowest, seen))[:-1]
        good = np.flatnonzero(seen <= TAKEN_OFF * lowest)
        kept = -1 if self.snapshot is None else self.snapshot.step
        newest = first + int(good[-1]) if good.size else -1
        return newest if newest > kept else None

    def forget_from(self, step: int) -> None:
        """Drop a moment of this step or a later one: training went back."""
        if self.snapshot is not None and self.snapshot.step >= step:
            self.snapshot, self._lowest = None, math.inf

    def reset_lowest(self) -> None:
        """Restart the search for the lowest loss: the loss function has changed."""
        self._lowest = math.inf
