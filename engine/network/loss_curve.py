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

    def __init__(self, first_step: int = 0, steps: ArrayLike = (), losses: ArrayLike = ()) -> None:
        """Starts with what another curve's `points()` gave, or empty.

        Args:
            first_step: what the next loss taken in belongs to, 0 or more.
            steps: (n,) steps of another curve, ascending; those from `first_step` on are left out.
            losses: (n,) their losses.
        """
        self.every = 1
        self.length = first_step
        self._buckets: list[Points] = []  # (0 to 2, 2): step and loss, ascending in the step
        self._first = first_step
        points = np.column_stack([np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)])
        self._begin_with(points[points[:, 0] < first_step])

    def _begin_with(self, points: Points) -> None:
        """Cuts the points of another curve (n, 2) into buckets, as they were there or finer."""
        if not len(points):
            return
        oldest = int(points[0, 0])
        self._first = 0 if oldest < _bucket_length(self.length) else oldest
        self.every = _bucket_length(self.length - self._first)
        n_buckets = -(-(self.length - self._first) // self.every)
        ends = np.searchsorted(points[:, 0], self._first + self.every * np.arange(1, n_buckets))
        self._buckets = [_lowest_and_highest(part) for part in np.split(points, ends)]

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


def _bucket_length(n_losses: int) -> int:
    """Steps in a bucket after so many losses."""
    every = 1
    while n_losses >= MOST_BUCKETS * every:
        every *= 2
    return every


def _lowest_and_highest(points: Points) -> Points:
    """The rows with the smallest and the largest loss, in the order of their steps: two, or one when they are one, or
    none of none.
    """
    if not len(points):
        return points
    rows = sorted({int(points[:, 1].argmin()), int(points[:, 1].argmax())})
    return points[rows]
