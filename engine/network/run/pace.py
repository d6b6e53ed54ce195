"""When a run makes its next steps: its speed, the measured rate, and how many steps a command still has to make."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from engine.network.errors import checked_number

SLOWEST, FASTEST = 0.1, 1e6  # steps a second
LONGEST_BACKLOG = 0.1
"""Most seconds of late steps that are made up for at once; steps missed during a longer sleep are dropped."""
SHORT_STRIDE, LONG_STRIDE = 0.001, 0.004  # seconds that the steps of a stride may take


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
        self._seen.clear()

    def after(self, steps: int) -> float:
        """Steps per second over the last twenty calls; 0 for the first call.

        Args:
            steps: made in all.
        """
        self._seen.append((self._clock(), steps))
        (began, first), (now, last) = self._seen[0], self._seen[-1]
        return (last - first) / (now - began) if now > began else 0.0


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
        if self.steps_left is not None:
            self.steps_left -= steps
        self.pace.made(steps)


class Stride:
    """Number of steps between two checks of the clock, adapted to take a few milliseconds.

    Attributes:
        steps: 1 .. 4096.
    """

    def __init__(self) -> None:
        self.steps = 1

    def adapt(self, seconds: float) -> None:
        """Adapt the number of steps to the seconds that the last ones took."""
        if seconds < SHORT_STRIDE:
            self.steps = min(2 * self.steps, 4096)
        elif seconds > LONG_STRIDE:
            self.steps = max(1, self.steps // 2)
