"""The loss of every step, thinned to a bounded number of points that cover the whole run.

The run is cut into buckets of equally many steps, and of each bucket the lowest and the highest loss are kept, so that
a spike of one step in a million stays visible. When the room is full, neighbours are joined and buckets become twice as
long. Until then every step is kept as it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_BUCKETS = 1000

Points = NDArray[Any]


class LossCurve:
    """Losses by step; at most `2 * MOST_BUCKETS` points in about 32 kB, however long the run.

    Attributes:
        every: steps in a bucket; 1 until the room is full, then doubled.
        length: losses taken in, and the step of the next one.
    """

    def __init__(self, first_step: int = 0) -> None:
        """Starts empty; the first loss taken in belongs to `first_step` (0 or more)."""
        self.every = 1
        self.length = first_step
        self._buckets: list[Points] = []  # (1 or 2, 2): step and loss, ascending in the step
        self._first = first_step

    def extend(self, losses: ArrayLike) -> None:
        """Takes in the losses (n,) of the next n steps."""
        numbers = np.asarray(losses, dtype=np.float64)
        while numbers.size:
            used = (self.length - self._first) % self.every
            part, numbers = np.split(numbers, [self.every - used])
            points = np.column_stack([np.arange(self.length, self.length + len(part)), part])
            if used and self._buckets:
                points = np.concatenate([self._buckets.pop(), points])
            self._buckets.append(_lowest_and_highest(points))
            self.length += len(part)
            if len(self._buckets) >= MOST_BUCKETS and (self.length - self._first) % self.every == 0:
                self._join_neighbours()

    def _join_neighbours(self) -> None:
        pairs = zip(self._buckets[::2], self._buckets[1::2], strict=True)
        self._buckets = [_lowest_and_highest(np.concatenate(pair)) for pair in pairs]
        self.every *= 2

    def forget_from(self, step: int) -> None:
        """Forgets the losses of this step and later ones: training went back."""
        step = max(self._first, min(step, self.length))
        full, rest = divmod(step - self._first, self.every)
        last = [bucket[bucket[:, 0] < step] for bucket in self._buckets[full : full + 1] if rest]
        self._buckets[full:] = last
        self.length = step

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps and losses, (n_points,) each, ascending in the step; own copies."""
        if not self._buckets:
            return np.empty(0), np.empty(0)
        points = np.concatenate(self._buckets)
        return points[:, 0].copy(), points[:, 1].copy()


def _lowest_and_highest(points: Points) -> Points:
    """The two rows with the smallest and the largest loss, in the order of their steps; one row when they are one."""
    rows = sorted({int(points[:, 1].argmin()), int(points[:, 1].argmax())})
    return points[rows]
