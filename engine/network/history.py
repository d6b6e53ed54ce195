"""The moments of a run, kept to go back to, in bounded memory.

Early in a run every step is kept. When the room is full, every second moment is dropped and from then on only every
second step is kept, and so on: always evenly spaced, the first and the newest included.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError, checked_integer, checked_name
from engine.network.snapshot import Snapshot

CURVES = ("loss", "seen_loss", "accuracy", "test_loss", "test_accuracy", "learning_rate")


class History:
    """Snapshots by step, thinned.

    Attributes:
        capacity: most moments that are kept, 2 or more.
        max_bytes: most memory their arrays may take together.
        every: a step is kept when it is a multiple of this; doubles whenever the room is full.
    """

    def __init__(self, capacity: int = 1000, max_bytes: int = 64_000_000) -> None:
        self.capacity = checked_integer("capacity of the history", capacity, 2, 10**6)
        self.max_bytes = checked_integer("memory of the history", max_bytes, 1, 10**12)
        self.every = 1
        self._moments: list[Snapshot] = []
        self._bytes = 0

    def wants(self, step: int) -> bool:
        """Whether the moment after `step` updates would be kept for good."""
        return step % self.every == 0

    def record(self, snapshot: Snapshot) -> None:
        """Keeps a moment. Moments of the same or a later step are forgotten first: the run went back."""
        self.forget_from(snapshot.step)
        if len(self._moments) > 1 and not self.wants(self._moments[-1].step):
            self._bytes -= _size(self._moments.pop())
        self._moments.append(snapshot)
        self._bytes += _size(snapshot)
        while len(self._moments) > 2 and (len(self._moments) > self.capacity or self._bytes > self.max_bytes):
            self._thin()

    def forget_from(self, step: int) -> None:
        """Forgets the moments of this step and later ones."""
        while self._moments and self._moments[-1].step >= step:
            self._bytes -= _size(self._moments.pop())

    def _thin(self) -> None:
        self.every *= 2
        first, *others, newest = self._moments
        self._moments = [first, *(m for m in others if self.wants(m.step)), newest]
        self._bytes = sum(map(_size, self._moments))

    @property
    def steps(self) -> list[int]:
        """The steps of the moments kept, ascending."""
        return [moment.step for moment in self._moments]

    def at(self, step: int) -> Snapshot:
        """The newest moment at or before `step`; else the first. SettingError when the history is empty."""
        if not self._moments:
            raise SettingError("history", "a run with a step or more", "nothing recorded")
        index = bisect_right(self._moments, step, key=lambda moment: moment.step)
        return self._moments[max(index - 1, 0)]

    def curve(self, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Steps and a figure of theirs: one of loss, seen_loss, accuracy, test_loss, test_accuracy, learning_rate.

        Moments for which the figure was not computed are left out.
        """
        checked_name("curve", name, CURVES)
        pairs = [(m.step, getattr(m, name)) for m in self._moments if getattr(m, name) is not None]
        return np.array([step for step, _ in pairs], dtype=np.int64), np.array([figure for _, figure in pairs])

    def path(self) -> NDArray[Any]:
        """The parameters of every moment kept, (n_moments, n_parameters): the path of training."""
        return np.array([moment.parameters for moment in self._moments])

    def __len__(self) -> int:
        return len(self._moments)

    def __iter__(self) -> Iterator[Snapshot]:
        return iter(tuple(self._moments))


def _size(snapshot: Snapshot) -> int:
    arrays = (snapshot.parameters, snapshot.gradients, *snapshot.optimizer_state.values())
    return 600 + sum(array.nbytes for array in arrays)
