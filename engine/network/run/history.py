"""The history of a run, from which every step can be shown again, in bounded memory.

The history keeps some moments of the run, evenly spread, and every change of a setting. Training is deterministic: a
step between two kept moments is computed from the first of them, the changes since, and the steps in between (see
`Rewind`).
"""

from __future__ import annotations

import copy
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.network.errors import SettingError, checked_integer
from engine.network.settings import TrainingSettings
from engine.network.snapshot import Snapshot

SettingsSince = tuple[tuple[int, TrainingSettings], ...]
BETWEEN_MOMENTS = 0.02
"""Seconds of training between two moments that are kept at least: keeping one takes up to 0.1 ms."""
MOST_CHANGES = 10_000
"""Changes of settings that are kept, about 10 MB of them."""


@dataclass(frozen=True, eq=False)
class SettingsChange:
    """Settings that were changed between two steps.

    Attributes:
        step: updates made before it.
        settings: what `Trainer.change` was called with.
    """

    step: int
    settings: Mapping[str, Any]


class History:
    """Moments and changes of a run.

    Attributes:
        capacity: most moments that are kept, 2 or more.
        max_bytes: most memory their arrays may take together.
        every: steps between two kept moments, at least; doubles whenever the room is full.
        settings_since: steps, ascending, and the settings from each of them on.
    """

    def __init__(self, capacity: int = 2000, max_bytes: int = 128_000_000) -> None:
        self.capacity = checked_integer("capacity of the history", capacity, 2, 10**6)
        self.max_bytes = checked_integer("memory of the history", max_bytes, 1, 10**12)
        self.every = 1
        self.settings_since: SettingsSince = ()
        self._moments: list[Snapshot] = []
        self._changes: list[SettingsChange] = []
        self._jumps: set[int] = set()
        self._bytes = 0
        self._keep_next = -math.inf

    def keep(self, step: int, now: float, take: Callable[[], Snapshot]) -> None:
        """Keeps the moment after `step` updates where it is far enough from the last one kept, in steps and in time.

        Args:
            step: updates made.
            now: seconds, never backwards.
            take: gives the moment.
        """
        if now >= self._keep_next and (not self._moments or step - self._moments[-1].step >= self.every):
            self.record(take())
            self._keep_next = now + BETWEEN_MOMENTS

    def record(self, moment: Snapshot) -> None:
        """Keeps a moment that the run came to step by step.

        One that is not finite is left out: no trainer can be put there, and those before it lead there again.
        """
        if np.isfinite(moment.parameters).all():
            self._moments.append(moment)
            self._bytes += _size(moment)
            self._make_room(self.max_bytes)

    def record_change(self, step: int, changes: Mapping[str, Any], settings: TrainingSettings) -> None:
        """Keeps what `Trainer.change` was called with after `step` updates, and the settings that it led to."""
        self._changes.append(SettingsChange(step, changes))
        self._note_settings(step, settings)
        if len(self._changes) > MOST_CHANGES:
            self._begin_at(self._changes[MOST_CHANGES // 2].step)

    def _note_settings(self, step: int, settings: TrainingSettings) -> None:
        before = tuple(entry for entry in self.settings_since if entry[0] < step)
        self.settings_since = (*before[-MOST_CHANGES:], (step, settings))

    def record_jump(self, moment: Snapshot) -> None:
        """Keeps a moment that the run was put to, and forgets what was kept of that step and later ones."""
        del self._changes[bisect_left(self._changes, moment.step, key=_step) :]
        while self._moments and self._moments[-1].step >= moment.step:
            self._bytes -= _size(self._moments.pop())
        self._jumps = {step for step in self._jumps if step < moment.step} | {moment.step}
        self._note_settings(moment.step, moment.settings)
        self.record(moment)

    def copy(self, max_bytes: int) -> History:
        """Another history of the same steps that shares the moments, thinned to fit `max_bytes`.

        Thinned moments are recomputed on demand, like any step between two moments.
        """
        twin = copy.copy(self)
        twin._moments, twin._changes, twin._jumps = list(self._moments), list(self._changes), set(self._jumps)
        twin._make_room(max_bytes)
        return twin

    def kept_moments(self, most: int) -> list[Snapshot]:
        """So many of the moments kept at most, evenly spread, the first and the last among them; most: 2 or more."""
        n = len(self._moments)
        rows = range(n) if n <= most else np.linspace(0, n - 1, most).astype(int)
        return [self._moments[row] for row in rows]

    def _make_room(self, max_bytes: int) -> None:
        while len(self._moments) > 2 and (len(self._moments) > self.capacity or self._bytes > max_bytes):
            if self.every <= self._moments[-1].step - self._moments[0].step:
                self._thin()
            else:  # nothing but jumps
                self._begin_at(self._moments[len(self._moments) // 2].step)

    def _thin(self) -> None:
        """Keeps moments twice as far from each other as before, and all that the run jumped to."""
        self.every *= 2
        kept = self._moments[:1]
        for moment in self._moments[1:]:
            if moment.step in self._jumps or moment.step - kept[-1].step >= self.every:
                kept.append(moment)
        self._moments = kept
        self._bytes = sum(map(_size, kept))

    def _begin_at(self, step: int) -> None:
        """Forgets what is not needed to show the last moment kept before `step`, and what came later."""
        first = min(bisect_left(self._moments, step, key=_step), len(self._moments) - 1)
        del self._moments[:first]
        del self._changes[: bisect_left(self._changes, self._moments[0].step, key=_step)]
        self._jumps = {jump for jump in self._jumps if jump >= self._moments[0].step}
        self._bytes = sum(map(_size, self._moments))

    @property
    def first_step(self) -> int:
        """The first step that can be shown again; SettingError when nothing was recorded."""
        if not self._moments:
            raise SettingError("history", "a run with a moment or more", "nothing recorded")
        return self._moments[0].step

    @property
    def steps(self) -> list[int]:
        """The steps of the moments kept, ascending."""
        return [moment.step for moment in self._moments]

    def way_to(self, step: int) -> tuple[Snapshot, list[SettingsChange]]:
        """The newest moment kept at or before `step`, and the changes from then on up to that step, in order.

        A change at the moment's own step may be among what the moment has seen: made twice it does nothing more.

        Raises:
            SettingError: for a step before the first.
        """
        if step < self.first_step:
            raise SettingError("step", f"{self.first_step:,} or later", step)
        moment = self._moments[bisect_right(self._moments, step, key=_step) - 1]
        first = bisect_left(self._changes, moment.step, key=_step)
        return moment, self._changes[first : bisect_right(self._changes, step, key=_step)]


def _step(event: Snapshot | SettingsChange) -> int:
    return event.step


def _size(moment: Snapshot) -> int:
    arrays = (moment.parameters, moment.gradients, *moment.optimizer_state.values())
    return 1500 + sum(array.nbytes for array in arrays)
