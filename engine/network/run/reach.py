"""Extent and speed of a command: until paused, for some steps, or to the end of an epoch."""

from __future__ import annotations

from collections.abc import Callable

from engine.network.run.pace import Pace


class Reach:
    """The steps that are still to be made, counted while they are.

    Attributes:
        pace: at which a command that is paced makes its steps.
        steps_left: still to be made; None: no end is set in steps.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begins with nothing to do; `clock`: seconds, never backwards."""
        self.pace = Pace(clock)
        self.steps_left: int | None = 0
        self._until_epoch: int | None = None
        self._is_paced = False

    def start(self, steps: int | None, until_epoch: int | None = None, paced: bool = False) -> None:
        """Takes another command.

        Args:
            steps: how many, 0 or more; None: until paused, or the end of the epoch.
            until_epoch: passes over the data that there are to be in the end; None: no end is set in epochs.
            paced: no faster than the pace.
        """
        self.steps_left, self._until_epoch, self._is_paced = steps, until_epoch, paced
        self.pace.begin()

    @property
    def waiting_steps(self) -> int | None:
        """The steps still to be made, 0 where the end is one of an epoch; None: until paused."""
        return self.steps_left if self._until_epoch is None else 0

    @property
    def idle_seconds(self) -> float:
        """Seconds until the next step is due, 0 or more."""
        return self.pace.seconds_to_next if self._is_paced else 0.0

    def is_there(self, epochs: int) -> bool:
        """True when everything is done, after so many epochs."""
        if self._until_epoch is not None:
            return epochs >= self._until_epoch
        return self.steps_left is not None and self.steps_left <= 0

    def due(self, most: int) -> int:
        """Number of steps due now in a row, 0 to `most`."""
        if self._until_epoch is not None:
            most = 1
        if self.steps_left is not None:
            most = min(most, self.steps_left)
        return self.pace.due(most) if self._is_paced else most

    def made(self, steps: int) -> None:
        """Counts steps that were made."""
        if self.steps_left is not None:
            self.steps_left -= steps
        self.pace.made(steps)
