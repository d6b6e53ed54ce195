"""Losses by step, thinned so that the drawn curve stays true at every zoom, however long the run.

The first steps are kept exactly. From there on each doubling of the steps since the first is cut into equally many
buckets, and of each bucket the lowest and the highest loss are kept. So the fast beginning of a long run is not lost, a
spike of one step in a million stays visible, and neighbouring points are about a hundredth of the steps before them
apart. A bucket depends on the step alone: what was thinned once never has to be thinned again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

EXACT = 1024
BUCKETS_SHARE = 8
"""Exact steps for each bucket of a doubling."""
FEWEST_EXACT = 8

Points = NDArray[Any]
StepsAndLosses = tuple[ArrayLike, ArrayLike]
"""Steps, ascending, and as many losses, as `LossCurve.points()` gives them."""
NO_LOSSES: StepsAndLosses = ((), ())


class LossCurve:
    """Losses by step, or another figure: a million steps take about 3,600 points.

    Attributes:
        length: one more than the last step; the step of the next loss that `extend` appends.
    """

    def __init__(self, first_step: int = 0, steps: ArrayLike = (), losses: ArrayLike = (), exact: int = EXACT) -> None:
        """Create a curve from another curve's `points()`, or an empty one.

        Args:
            first_step: step of the next loss to append, 0 or more.
            steps: (n,) steps of another curve, ascending; those from `first_step` on are left out.
            losses: (n,) their losses.
            exact: number of first steps to keep without thinning, a power of 2 from 8 on; each later doubling of the
                step has an eighth as many buckets.
        """
        self.length, self._exact = 0, exact
        self._points: Points = np.empty((0, 2))
        self.add(steps, losses)
        self.forget_from(first_step)
        self.length = first_step

    def extend(self, losses: ArrayLike) -> None:
        """Append the losses (n,) of the next n steps."""
        self.add(np.arange(self.length, self.length + np.size(losses)), losses)

    def add(self, steps: ArrayLike, losses: ArrayLike) -> None:
        """Append losses (n,) of any steps (n,), ascending and later than those before."""
        points = np.column_stack([np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)])
        if not len(points):
            return
        start = max(0, len(self._points) - 3)  # a bucket that is not full yet has three points at most
        kept, rest = self._points[:start], np.concatenate([self._points[start:], points])
        self.length = int(points[-1, 0]) + 1
        since = rest[:, 0] - (kept if start else rest)[0, 0]
        if since[-1] >= self._exact:
            rest = _extremes(rest, self._buckets(since))
        self._points = np.concatenate([kept, rest])

    def _buckets(self, since: Points) -> Points:
        """Return the number of each step's bucket, ascending; `since`: steps since the first one of the curve."""
        per_doubling = self._exact // BUCKETS_SHARE
        mantissas, doublings = np.frexp(since / self._exact)  # from 0.5 to 1; 1 for the first doubling
        later = self._exact + (doublings - 1) * per_doubling + np.floor((2 * mantissas - 1) * per_doubling)
        return np.where(since < self._exact, since, later)

    def forget_from(self, step: int) -> None:
        """Remove the losses of this step and later ones: training went back."""
        self._points = self._points[self._points[:, 0] < step]
        self.length = min(step, self.length)

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return steps and losses, (n_points,) each, ascending in the step; copies."""
        return self._points[:, 0].copy(), self._points[:, 1].copy()


def thinned(steps: ArrayLike, losses: ArrayLike, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a curve with at most about `most` points: fewer exact first steps and wider buckets, extremes kept."""
    points = np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    exact = EXACT
    while len(points[0]) > most and exact >= FEWEST_EXACT:
        curve = LossCurve(exact=exact)
        curve.add(*points)
        points, exact = curve.points(), exact // 2
    return points


def _extremes(points: Points, buckets: Points) -> Points:
    """Return the points (n, 2) with the first smallest and the last largest loss of each bucket (n,), and the last
    point.
    """
    order = np.lexsort((points[:, 1], buckets))
    starts = np.flatnonzero(np.diff(buckets[order], prepend=-1.0))
    ends = np.append(starts[1:], len(points)) - 1
    places = np.sort(np.concatenate([order[starts], order[ends], [len(points) - 1]]))
    kept: Points = points[places[np.diff(places, prepend=-1) > 0]]  # np.unique would load numpy.ma: 0.1 s
    return kept
