"""Automatic choice between a linear and a logarithmic loss axis, and the range of a linear one.

The rule: a logarithmic axis is chosen when a few extreme losses would squeeze the others into a sliver, that is when
the lowest three quarters of them take less than 5 % of a linear axis's height and the highest is more than 20 times the
median. It is kept until they take more than 15 %, or the highest is less than 8 times the median, so that the axis
does not flicker. A choice of the user lasts for the rest of the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gui.plots.plot import LARGEST

FEWEST = 5
"""Losses above 0 that a choice needs."""

SHARE_TO_CHOOSE, SHARE_TO_KEEP = 0.05, 0.15
RATIO_TO_CHOOSE, RATIO_TO_KEEP = 20.0, 8.0
DIVERGED_FACTOR = 10.0
"""A linear axis shows losses of a diverged run up to this many times the first one."""

Losses = NDArray[Any]


def logarithms(losses: Losses, beside: Losses | None = None) -> Losses:
    """Return exponents of ten of losses (n,); those of 0 or less lie one decade below the smallest positive one.

    Args:
        losses: of one curve.
        beside: losses of all curves in the same plot, so that their zeros have one height.
    """
    every = losses if beside is None else beside
    positive = every[every > 0.0]
    floor = max(float(positive.min()) / 10.0, 1e-300) if positive.size else 1e-12
    return np.asarray(np.log10(np.where(losses > 0.0, losses, floor)))


class PaintedAxis:
    """The loss axis of a painted plot: logarithmic when the losses differ by a factor of 20.

    Attributes:
        logarithmic: how it is.
        span: the heights that it shows.
    """

    def __init__(self, losses: Losses) -> None:
        """Choose the axis for all finite losses (n,) of the picture."""
        self._all, positive = losses, losses[losses > 0.0]
        self.logarithmic = bool(positive.size) and float(positive.max()) > RATIO_TO_CHOOSE * float(positive.min())
        heights = self.heights(losses) if losses.size else np.array([0.0, 1.0])
        low, high = float(heights.min()), float(heights.max())
        margin = 0.06 * (high - low) or 0.5
        self.span = low - margin, high + margin

    def heights(self, losses: Losses) -> Losses:
        """Return the heights at which losses (n,) are painted."""
        return logarithms(losses, self._all) if self.logarithmic else losses


class AxisChoice:
    """Choice between a linear and a logarithmic loss axis for one run, automatic or the user's.

    Attributes:
        logarithmic: how the axis is.
        by_user: chosen by the user.
        ratio: the highest loss over the median, when the choice was last made for a logarithmic axis by itself.
    """

    def __init__(self) -> None:
        self.logarithmic = self.by_user = False
        self.ratio = 1.0

    def choose(self, logarithmic: bool) -> None:
        """The user's choice; it holds for this run."""
        self.logarithmic, self.by_user = logarithmic, True

    def follow(self, losses: Losses) -> None:
        """Choose again for the finite losses (n,) of the run, unless the user has chosen."""
        positive = losses[losses > 0.0]
        if self.by_user:
            return
        if positive.size < FEWEST:  # a run that begins, or goes on from its first steps
            self.logarithmic, self.ratio = False, 1.0
            return
        share, ratio = squeezed(positive)
        if self.logarithmic:
            self.logarithmic = share < SHARE_TO_KEEP and ratio > RATIO_TO_KEEP
        else:
            self.logarithmic = share < SHARE_TO_CHOOSE and ratio > RATIO_TO_CHOOSE
        self.ratio = ratio


def squeezed(losses: Losses) -> tuple[float, float]:
    """The share of a linear axis that the lowest three quarters of losses take, and the highest over the median.

    Args:
        losses: (n,) finite and above 0, one or more.
    """
    low, median, upper, high = np.quantile(losses, (0.0, 0.5, 0.75, 1.0), method="lower")
    with np.errstate(over="ignore"):  # the highest of all floats over the smallest is infinite, and large enough
        return float((upper - low) / (high - low)) if high > low else 1.0, float(high / median)


def worth_seeing(losses: Losses, diverged: bool) -> Losses:
    """Return the losses (n,) that a linear axis must show: not those of a diverging run."""
    seen = losses[np.abs(losses) < LARGEST]
    return seen[seen <= _limit(seen)] if diverged and seen.size else seen


def cut_above(losses: Losses, diverged: bool) -> float | None:
    """The loss above which a linear axis shows nothing of a run that diverged; None where it shows all losses (n,)."""
    seen = losses[np.abs(losses) < LARGEST]
    if not diverged or not seen.size or losses.max() <= _limit(seen):
        return None
    return _limit(seen)


def _limit(losses: Losses) -> float:
    return DIVERGED_FACTOR * abs(float(losses[0]))
