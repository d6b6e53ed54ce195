"""Pace of a run: a limit of steps per second, or unlimited."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from engine.network.errors import checked_number

SLOWEST, FASTEST = 0.1, 1e6  # steps a second
LONGEST_BACKLOG = 0.1
"""Most seconds of late steps that are made up for at once; steps missed during a longer sleep are dropped."""


class Pace:
    """Schedule of steps. The first one is due at once, the others one after another.

    Attributes:
        speed: limit of steps per second; None: no limit.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start without a limit; `clock`: monotonic seconds."""
        self.speed: float | None = None
        self._clock = clock
        self._next = -math.inf

    def set_speed(self, speed: float | None) -> None:
        """Change the speed.

        Raises:
            SettingError: for a speed that is not from 0.1 to 1,000,000 steps a second.
        """
        self.speed = None if speed is None else checked_number("speed", speed, SLOWEST, FASTEST)
        self._next = min(max(self._next, self._clock()), self._clock() + self._interval)

    def begin(self) -> None:
        """Start or resume a run: a step is due now, and none has been missed."""
        self._next = self._clock()

    @property
    def _interval(self) -> float:
        return 0.0 if self.speed is None else 1.0 / self.speed

    @property
    def seconds_to_next(self) -> float:
        """Seconds until a step is due, 0 or more."""
        return 0.0 if self.speed is None else max(0.0, self._next - self._clock())

    def due(self, most: int) -> int:
        """Return the number of steps due now, 0 to `most` (1 or more)."""
        if self.speed is None:
            return most
        late = self._clock() - self._next
        if late < 0.0:
            return 0
        backlog = min(late, LONGEST_BACKLOG)
        return min(most, 1 + int(backlog * self.speed))

    def made(self, steps: int) -> None:
        """Count completed steps: the next one is due that much later."""
        if self.speed is not None:
            self._next = max(self._next, self._clock() - LONGEST_BACKLOG) + steps * self._interval


class StepRate:
    """Recent number of steps per second."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Args: clock: monotonic seconds."""
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque(maxlen=20)

    def forget(self) -> None:
        """Reset the measurement."""
        self._seen.clear()

    def after(self, steps: int) -> float:
        """Steps per second over the last twenty calls; 0 for the first call.

        Args:
            steps: made in all.
        """
        self._seen.append((self._clock(), steps))
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if now > began else 0.0
