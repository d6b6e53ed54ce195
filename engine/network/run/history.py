"""History of a run: its kept snapshots, and every step between them, recomputed on demand.

`History` keeps some snapshots of the run, evenly spread, and every change of a setting, in bounded memory. Training is
deterministic, so `Rewind`, with a trainer of its own, starts at the nearest kept snapshot and makes the same changes
and the same steps as the run did: the result is the same to the last bit, while the run itself continues. `RunPath`
does so for the whole path of a run through the space of its parameters.
"""

from __future__ import annotations

import copy
import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.network.errors import SettingError, checked_integer
from engine.network.run.outputs import GridRequest, SnapshotAndOutputs, snapshot_and_outputs
from engine.network.run.pace import Stride
from engine.network.settings import SettingsSince, TrainingSettings
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer
from engine.network.update import Update

BETWEEN_SNAPSHOTS = 0.02
"""Least seconds of training between two stored snapshots: storing one takes up to 0.1 ms."""
MOST_CHANGES = 10_000
"""Limit of stored changes of settings, about 10 MB of them."""


@dataclass(frozen=True, eq=False)
class SettingsChange:
    """Settings that were changed between two steps.

    Attributes:
        step: updates made before it.
        settings: arguments of `Trainer.change`.
    """

    step: int
    settings: Mapping[str, Any]


class History:
    """Kept snapshots and changed settings of a run.

    Attributes:
        capacity: most snapshots that are kept, 2 or more.
        max_bytes: most memory their arrays may take together.
        every: steps between two kept snapshots, at least; doubles whenever the room is full.
        settings_since: steps, ascending, and the settings from each of them on.
    """

    def __init__(self, capacity: int = 2000, max_bytes: int = 128_000_000) -> None:
        self.capacity = checked_integer("capacity of the history", capacity, 2, 10**6)
        self.max_bytes = checked_integer("memory of the history", max_bytes, 1, 10**12)
        self.every = 1
        self.settings_since: SettingsSince = ()
        self._snapshots: list[Snapshot] = []
        self._changes: list[SettingsChange] = []
        self._jumps: set[int] = set()
        self._bytes = 0
        self._keep_next = -math.inf

    def keep(self, step: int, now: float, take: Callable[[], Snapshot]) -> None:
        """Store the snapshot after `step` updates when it is far enough from the last stored one, in steps and in time.

        Args:
            step: updates made.
            now: seconds, never backwards.
            take: returns the snapshot.
        """
        if now >= self._keep_next and (not self._snapshots or step - self._snapshots[-1].step >= self.every):
            self.record(take())
            self._keep_next = now + BETWEEN_SNAPSHOTS

    def record(self, snapshot: Snapshot) -> None:
        """Store a snapshot that the run reached step by step.

        One that is not finite is left out: no trainer can be put there, and those before it lead there again.
        """
        if np.isfinite(snapshot.parameters).all():
            self._snapshots.append(snapshot)
            self._bytes += _size(snapshot)
            self._make_room(self.max_bytes)

    def record_change(self, step: int, changes: Mapping[str, Any], settings: TrainingSettings) -> None:
        """Store the arguments of `Trainer.change` after `step` updates, and the resulting settings."""
        self._changes.append(SettingsChange(step, changes))
        self._note_settings(step, settings)
        if len(self._changes) > MOST_CHANGES:
            self._begin_at(self._changes[MOST_CHANGES // 2].step)

    def _note_settings(self, step: int, settings: TrainingSettings) -> None:
        before = tuple(entry for entry in self.settings_since if entry[0] < step)
        self.settings_since = (*before[-MOST_CHANGES:], (step, settings))

    def record_jump(self, snapshot: Snapshot) -> None:
        """Store a snapshot that the run was set to, and drop stored data of that step and later ones."""
        del self._changes[bisect_left(self._changes, snapshot.step, key=_step) :]
        while self._snapshots and self._snapshots[-1].step >= snapshot.step:
            self._bytes -= _size(self._snapshots.pop())
        self._jumps = {step for step in self._jumps if step < snapshot.step} | {snapshot.step}
        self._note_settings(snapshot.step, snapshot.settings)
        self.record(snapshot)

    def copy(self, max_bytes: int) -> History:
        """Return another history of the same steps that shares the snapshots, thinned to fit `max_bytes`.

        Thinned snapshots are recomputed on demand, like any step between two snapshots.
        """
        twin = copy.copy(self)
        twin._snapshots, twin._changes, twin._jumps = list(self._snapshots), list(self._changes), set(self._jumps)
        twin._make_room(max_bytes)
        return twin

    def kept_snapshots(self, most: int) -> list[Snapshot]:
        """Return at most `most` (2 or more) stored snapshots, evenly spread, with the first and the last."""
        n = len(self._snapshots)
        rows = range(n) if n <= most else np.linspace(0, n - 1, most).astype(int)
        return [self._snapshots[row] for row in rows]

    def _make_room(self, max_bytes: int) -> None:
        while len(self._snapshots) > 2 and (len(self._snapshots) > self.capacity or self._bytes > max_bytes):
            if self.every <= self._snapshots[-1].step - self._snapshots[0].step:
                self._thin()
            else:  # nothing but jumps
                self._begin_at(self._snapshots[len(self._snapshots) // 2].step)

    def _thin(self) -> None:
        """Double the distance between stored snapshots; those that the run jumped to remain."""
        self.every *= 2
        kept = self._snapshots[:1]
        for snapshot in self._snapshots[1:]:
            if snapshot.step in self._jumps or snapshot.step - kept[-1].step >= self.every:
                kept.append(snapshot)
        self._snapshots = kept
        self._bytes = sum(map(_size, kept))

    def _begin_at(self, step: int) -> None:
        """Drop snapshots and changes from before the first stored snapshot at `step` or later."""
        first = min(bisect_left(self._snapshots, step, key=_step), len(self._snapshots) - 1)
        del self._snapshots[:first]
        del self._changes[: bisect_left(self._changes, self._snapshots[0].step, key=_step)]
        self._jumps = {jump for jump in self._jumps if jump >= self._snapshots[0].step}
        self._bytes = sum(map(_size, self._snapshots))

    @property
    def first_step(self) -> int:
        """The first step that can be shown again; SettingError when nothing was recorded."""
        if not self._snapshots:
            raise SettingError("history", "a run with a snapshot or more", "nothing recorded")
        return self._snapshots[0].step

    @property
    def steps(self) -> list[int]:
        """Steps of the stored snapshots, ascending."""
        return [snapshot.step for snapshot in self._snapshots]

    def way_to(self, step: int) -> tuple[Snapshot, list[SettingsChange]]:
        """Return the newest stored snapshot at or before `step`, and the changes from there up to that step, in order.

        A change at the snapshot's own step may be part of the snapshot already: repeating it has no effect.

        Raises:
            SettingError: for a step before the first.
        """
        if step < self.first_step:
            raise SettingError("step", f"{self.first_step:,} or later", step)
        snapshot = self._snapshots[bisect_right(self._snapshots, step, key=_step) - 1]
        first = bisect_left(self._changes, snapshot.step, key=_step)
        return snapshot, self._changes[first : bisect_right(self._changes, step, key=_step)]


def _step(event: Snapshot | SettingsChange) -> int:
    return event.step


def _size(snapshot: Snapshot) -> int:
    arrays = (snapshot.parameters, snapshot.gradients, *snapshot.optimizer_state.values())
    return 1500 + sum(array.nbytes for array in arrays)


class Rewind:
    """The past step of a run that is viewed; for one thread at a time.

    Attributes:
        step: the requested one; None: no request.
        update: the run's next step at that step, once described; None where it would not be finite.
    """

    def __init__(self, copy: Callable[[], Trainer], history: History, clock: Callable[[], float]) -> None:
        """Start without a step.

        Args:
            copy: returns a copy of the run's trainer, which is taken over; called for the first request.
            history: of the run, which goes on recording.
            clock: seconds, never backwards.
        """
        self.step: int | None = None
        self.update: Update | None = None
        self._copy, self._history, self._clock, self._stride = copy, history, clock, Stride()
        self._start: Snapshot | None = None
        self._changes: list[SettingsChange] = []
        self._n_changed = 0
        self._arrived = False
        self._seen: tuple[GridRequest | None, SnapshotAndOutputs] | None = None

    @cached_property
    def _trainer(self) -> Trainer:
        return self._copy()

    @property
    def busy(self) -> bool:
        """True while the step is still to be computed."""
        return self.step is not None and not self._arrived

    @property
    def is_shown(self) -> bool:
        """True when a step is requested and computed."""
        return self.step is not None and self._arrived

    def go_to(self, step: int) -> None:
        """Request a step of the run's past.

        Raises:
            SettingError: for a step before the first of the history.
        """
        start, self._changes = self._history.way_to(step)
        if start is not self._start or step < self._trainer.step_count:
            self._trainer.restore(start, with_settings=True)
            self._start, self._n_changed = start, 0
        self.step, self._arrived, self._seen = step, False, None

    def leave(self) -> None:
        self.step, self._seen = None, None

    def advance(self, seconds: float) -> None:
        """Work for about `seconds`, a single step longer at most, or until the step is computed."""
        deadline = self._clock() + seconds
        while self.busy and (began := self._clock()) < deadline:
            n_steps = self._make_changes() - self._trainer.step_count
            if n_steps:
                self._trainer.run(min(self._stride.steps, n_steps))
                self._stride.adapt(self._clock() - began)
            else:
                self._arrived = True

    def _make_changes(self) -> int:
        """Apply the changes due at the trainer's step; return the step up to which it can continue."""
        assert self.step is not None
        for change in self._changes[self._n_changed :]:
            if change.step > self._trainer.step_count:
                return change.step
            self._trainer.change(**change.settings)
            self._n_changed += 1
        return self.step

    def describe(self, request: GridRequest | None) -> SnapshotAndOutputs | None:
        """Describe the network at the step, once for each request; None while the step is not ready."""
        if not self.is_shown:
            return None
        if self._seen is None or self._seen[0] != request:
            grid = None if request is None else request.at_rest(self._trainer.model.n_parameters)
            self._seen = request, snapshot_and_outputs(self._trainer, grid)
            update = self._trainer.next_update()
            self.update = update if update.is_finite else None
        return self._seen[1]

    def snapshot(self, figures: bool = False) -> Snapshot:
        """Return the run's snapshot at the shown step; `figures`: with loss and accuracy of all data."""
        return self._trainer.snapshot(figures=figures)


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

    def snapshots(
        self, most: int, seconds: float = 1.0, cancelled: Callable[[], bool] = lambda: False
    ) -> list[Snapshot]:
        """Return finite snapshots of the run in order, without figures, the newest last.

        Args:
            most: 4 or more: half of them are those that were kept, and half of them are computed in between, the closer
                to each other the earlier, because a run moves most at its beginning.
            seconds: that computing them may take.
            cancelled: called now and then; True ends the search, and the result is incomplete.
        """
        last, deadline = self._newest.step, time.monotonic() + seconds
        found = {kept.step: kept for kept in self._history.kept_snapshots(most // 2) if kept.step < last}
        found[last] = self._newest
        first = min(found)
        for step in map(int, first + np.unique(np.geomspace(1, max(last - first, 1), most // 2).astype(int))):
            if step in found or step > last:
                continue
            self._rewind.go_to(step)
            while self._rewind.busy and time.monotonic() < deadline and not cancelled():
                self._rewind.advance(SLICE_SECONDS)
            if self._rewind.busy:
                break
            found[step] = self._rewind.snapshot()
        return [found[step] for step in sorted(found) if np.isfinite(found[step].parameters).all()]
