"""How often a panel draws what a running training says."""

from __future__ import annotations

import math
import time


class Pace:
    """Keeps a picture of running training from being drawn more often than the eye needs."""

    def __init__(self, seconds: float) -> None:
        """Lets a picture be drawn at most once in `seconds`."""
        self._seconds, self._last = seconds, -math.inf

    def allows(self, running: bool) -> bool:
        """Whether to draw now; what stands still is always drawn."""
        now = time.monotonic()
        if running and now - self._last < self._seconds:
            return False
        self._last = now
        return True
