"""Path of a run through the space of its parameters: moments, closer together where it moved most.

The history keeps moments by time, few of a fast run. A separate trainer recomputes the steps between them, as `Rewind`
does, so any thread may use this while the run itself continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from engine.network.run.history import History
from engine.network.run.rewind import Rewind
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer

SLICE_SECONDS = 0.02


class RunPath:
    """A run up to one of its steps; for one thread at a time."""

    def __init__(self, trainer: Trainer, history: History) -> None:
        """Take ownership of trainer and history.

        Args:
            trainer: a copy of the run's, where the run stands.
            history: of the run, to itself.
        """
        self._history = history
        self._newest = trainer.snapshot(figures=False)
        self._rewind = Rewind(lambda: trainer, history, time.monotonic)

    def moments(self, most: int, seconds: float = 1.0, cancelled: Callable[[], bool] = lambda: False) -> list[Snapshot]:
        """Return moments of the run in order, without figures, the newest last; those that are not finite are dropped.

        Args:
            most: 4 or more: half of them are those that were kept, and half of them are computed in between, the closer
                to each other the earlier, because a run moves most at its beginning.
            seconds: that computing them may take.
            cancelled: asked now and then; what is there by then is given.
        """
        last = self._newest.step
        found = {moment.step: moment for moment in self._history.kept_moments(most // 2) if moment.step < last}
        found[last] = self._newest
        for moment in self._between(found, most // 2, time.monotonic() + seconds, cancelled):
            found[moment.step] = moment
        return [found[step] for step in sorted(found) if np.isfinite(found[step].parameters).all()]

    def _between(
        self, known: dict[int, Snapshot], most: int, deadline: float, cancelled: Callable[[], bool]
    ) -> Iterator[Snapshot]:
        first, last = min(known), max(known)
        for step in first + np.unique(np.geomspace(1, max(last - first, 1), most).astype(int)):
            if int(step) in known or step > last:
                continue
            self._rewind.go_to(int(step))
            while self._rewind.busy:
                if time.monotonic() >= deadline or cancelled():
                    return
                self._rewind.advance(SLICE_SECONDS)
            yield self._rewind.snapshot()
