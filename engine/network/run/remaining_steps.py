"""Remaining steps of a command, and their pace: until paused, for some steps, or to the end of an epoch."""

from __future__ import annotations

from collections.abc import Callable

from engine.network.run.pace import Pace


class RemainingSteps:
    """Countdown of the steps of a command.

    Attributes:
        pace: of the steps, for a paced command.
        steps_left: steps not yet made; None: no limit of steps.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start without a command; `clock`: monotonic seconds."""
        self.pace = Pace(clock)
        self.steps_left: int | None = 0
        self._until_epoch: int | None = None
        self._is_paced = False

    def start(self, steps: int | None, until_epoch: int | None = None, paced: bool = False) -> None:
        """Start another command.

        Args:
            steps: how many, 0 or more; None: until paused, or the end of the epoch.
            until_epoch: passes over the data at the end; None: no limit of epochs.
            paced: no faster than the pace.
        """
        self.steps_left, self._until_epoch, self._is_paced = steps, until_epoch, paced
        self.pace.begin()

    @property
    def waiting_steps(self) -> int | None:
        """Steps not yet made, 0 for a command that ends with an epoch; None: until paused."""
        return self.steps_left if self._until_epoch is None else 0

    @property
    def idle_seconds(self) -> float:
        """Seconds until the next step is due, 0 or more."""
        return self.pace.seconds_to_next if self._is_paced else 0.0

    def is_done(self, epochs: int) -> bool:
        """Return True when the command is complete, after so many epochs."""
        if self._until_epoch is not None:
            return epochs >= self._until_epoch
        return self.steps_left is not None and self.steps_left <= 0

    def due(self, most: int) -> int:
        """Return the number of consecutive steps due now, 0 to `most`."""
        if self._until_epoch is not None:
            most = 1
        if self.steps_left is not None:
            most = min(most, self.steps_left)
        return self.pace.due(most) if self._is_paced else most

    def count(self, steps: int) -> None:
        """Count completed steps."""
        if self.steps_left is not None:
            self.steps_left -= steps
        self.pace.made(steps)
