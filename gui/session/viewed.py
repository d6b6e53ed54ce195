"""The viewed moment: which step, phase and position of the walk everything shows."""

from __future__ import annotations

from engine.network.snapshot import PhaseName
from engine.quick_dataclass import dataclass


@dataclass(frozen=True)
class ViewedMoment:
    """A moment of training, and of the walk over the graph.

    Attributes:
        step: a past step of the run; None for the newest.
        phase: of the step, that was done last; None between steps, and on a walk.
        position: of the walk: steps done, or ALL (-1).
    """

    step: int | None
    phase: PhaseName | None
    position: int
