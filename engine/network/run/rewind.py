"""Past steps of a run, recomputed by a separate trainer while the run itself continues.

It starts at the nearest moment that the history kept and makes the same changes and the same steps as the run did, so
what it comes to is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from engine.network.run.history import History, SettingsChange
from engine.network.run.progress import GridRequest
from engine.network.run.view import MomentView, see
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer
from engine.network.update import Update

_SHORT, _LONG = 0.001, 0.004  # seconds that a few steps in a row may take


class Stride:
    """Number of steps between two looks at the clock: they take a few milliseconds.

    Attributes:
        steps: 1 .. 4096.
    """

    def __init__(self) -> None:
        self.steps = 1

    def adapt(self, seconds: float) -> None:
        """Adapt the number of steps to the seconds that the last ones took."""
        if seconds < _SHORT:
            self.steps = min(2 * self.steps, 4096)
        elif seconds > _LONG:
            self.steps = max(1, self.steps // 2)


class Rewind:
    """The past step of a run that is viewed; for one thread at a time.

    Attributes:
        step: the one that was asked for; None: none is.
        update: what the run's next step was at that step, once it was seen; None where it would not be finite.
    """

    def __init__(self, copy: Callable[[], Trainer], history: History, clock: Callable[[], float]) -> None:
        """Start without a step.

        Args:
            copy: gives a trainer like the run's, to take over; called when the first step is asked for.
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
        self._seen: tuple[GridRequest | None, MomentView] | None = None

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
        """Cancel the request."""
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

    def view(self, request: GridRequest | None) -> MomentView | None:
        """Return the view of the step, computed once for each request; None while it is not ready."""
        if not self.is_shown:
            return None
        if self._seen is None or self._seen[0] != request:
            grid = None if request is None else request.at_rest(self._trainer.model.n_parameters)
            self._seen = request, see(self._trainer, grid)
            update = self._trainer.next_update()
            self.update = update if update.is_finite else None
        return self._seen[1]

    def snapshot(self, figures: bool = False) -> Snapshot:
        """Return the run's moment at the shown step; `figures`: with loss and accuracy of all data."""
        return self._trainer.snapshot(figures=figures)
