"""Throttle for the reports of running training, so that showing them leaves the processor to the training."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

SHARE_OF_SHOWING = 0.2
"""Largest fraction of processor time for showing reports. Python runs one thread at a time, so training mostly stands
still meanwhile.
"""
SHARE_BESIDE_REST = 0.7
"""The same where the training rests between its steps: it needs little of a processor."""
LONGEST_SECONDS = 0.25
"""Longest delay between two shown reports, however long showing one takes."""


class DisplayPace:
    """Schedule of the reports: the next one is due after a time that depends on the GUI thread's work since the last
    one: panels, their painting, and the user's actions meanwhile.

    Attributes:
        training_rests: whether the training waits for the next step most of the time, because it has a speed.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, processor: Callable[[], float] = time.thread_time
    ) -> None:
        """Args: clock, and processor time of the calling thread, both in seconds."""
        self.training_rests = False
        self._clock, self._processor = clock, processor
        self._taken_at, self._used_then = -math.inf, 0.0

    @property
    def seconds_left(self) -> float:
        """Seconds until the next report may be shown, as far as is known now; 0 or less when it may be shown."""
        used = self._processor() - self._used_then
        share = SHARE_BESIDE_REST if self.training_rests else SHARE_OF_SHOWING
        return self._taken_at + min(LONGEST_SECONDS, used / share) - self._clock()

    def begin(self) -> None:
        """A report is taken and shown from now on."""
        self._taken_at, self._used_then = self._clock(), self._processor()
