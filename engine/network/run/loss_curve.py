"""Losses by step, thinned to a bounded number of points that cover the whole run.

The run is cut into buckets of equally many steps, and of each bucket the lowest and the highest loss are kept, so that
a spike of one step in a million stays visible. When the room is full, buckets become twice as long. Until then every
loss is kept as it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_BUCKETS = 1000

Points = NDArray[Any]
StepsAndLosses = tuple[ArrayLike, ArrayLike]
"""Steps, ascending, and as many losses, as `LossCurve.points()` gives them."""
NO_LOSSES: StepsAndLosses = ((), ())


class LossCurve:
    """Losses by step, or another figure; at most two points for each bucket, however long the run.

    Attributes:
        every: steps in a bucket; 1 until the room is full, then doubled.
        length: one more than the last step; that of the next loss that `extend` takes in.
    """

    def __init__(
        self, first_step: int = 0, steps: ArrayLike = (), losses: ArrayLike = (), most_buckets: int = MOST_BUCKETS
    ) -> None:
        """Starts with what another curve's `points()` gave, or empty.

        Args:
            first_step: what the next loss taken in belongs to, 0 or more.
            steps: (n,) steps of another curve, ascending; those from `first_step` on are left out.
            losses: (n,) their losses.
            most_buckets: there may be, 1 or more.
        """
        self.every, self.length, self._most_buckets = 1, 0, most_buckets
        self._points: Points = np.empty((0, 2))
        self.add(steps, losses)
        self.forget_from(first_step)
        self.length = first_step

    def extend(self, losses: ArrayLike) -> None:
        """Takes in the losses (n,) of the next n steps."""
        self.add(np.arange(self.length, self.length + np.size(losses)), losses)

    def add(self, steps: ArrayLike, losses: ArrayLike) -> None:
        """Takes in losses (n,) of any steps (n,), ascending and later than those before."""
        points = np.column_stack([np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)])
        if not len(points):
            return
        first_new, every = len(self._points), self.every
        self._points = np.concatenate([self._points, points])
        self.length = int(points[-1, 0]) + 1
        while np.ptp(self._buckets(self._points[[0, -1]])) >= self._most_buckets:
            self.every *= 2
        if self.every > 1:
            self._thin(0 if self.every > every else max(0, first_new - 2))

    def _thin(self, start: int) -> None:
        """Thins the buckets of the points from this index on; those before are as they should be."""
        kept, rest = self._points[:start], self._points[start:]
        self._points = np.concatenate([kept, _lowest_and_highest(rest, self._buckets(rest))])

    def _buckets(self, points: Points) -> Points:
        """The number of each point's bucket."""
        return points[:, 0] // self.every

    def forget_from(self, step: int) -> None:
        """Forgets the losses of this step and later ones: training went back."""
        self._points = self._points[self._points[:, 0] < step]
        self.length = min(step, self.length)

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps and losses, (n_points,) each, ascending in the step; own copies."""
        return self._points[:, 0].copy(), self._points[:, 1].copy()


def _lowest_and_highest(points: Points, buckets: Points) -> Points:
    """The points (n, 2) with the first smallest and the last largest loss of each bucket (n,), in order."""
    order = np.lexsort((points[:, 1], buckets))
    starts = np.flatnonzero(np.diff(buckets[order], prepend=-1.0))
    ends = np.append(starts[1:], len(points)) - 1
    places = np.sort(order[np.concatenate([starts, ends])])  # np.unique would load numpy.ma: 0.1 s while training
    kept: Points = points[places[np.diff(places, prepend=-1) > 0]]
    return kept
