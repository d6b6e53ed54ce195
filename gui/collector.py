"""Python's garbage collection: in the GUI thread only, when the window is idle.

Python's own collector runs in whichever thread allocates; in the worker it might delete Qt objects there. So it is off,
and a timer collects instead, as long as something happens in the window. New objects are examined every time;
everything there is (an older object in a cycle is found in no other way) when that is little, or when the window has
been quiet for a while. Graphs of values form no cycles and need none of this.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MILLISECONDS = 2000
SETTLED_MILLISECONDS = 1900
"""After this the window that was opened has been made, 100,000 objects that stay until it is closed."""
FEW = 50_000
"""Objects that are looked at in 5 ms, or 30 ms when the processor has not seen them for a while."""

QUIET_TICKS = 5
QUIET_OBJECTS = 2_000
"""Fewer new objects than this between two ticks: nothing was edited, laid out or trained."""

GROWTH = 5_000
"""More old objects than after the last full collection by this much make another one worth while."""


def count_old_objects() -> int:
    """Return the number of objects that have outlived two collections.

    The list of them must be gone before another thread runs, thus one call that does it all in C: a thread that is just
    building a tuple out of a generator finds a second reference to it otherwise, and fails with a SystemError.
    """
    return next(map(len, map(gc.get_objects, (2,))))


class Collector(QObject):
    """Timer that runs the garbage collector until it is stopped.

    Attributes:
        full_collections: how often everything was looked at.
    """

    def __init__(self) -> None:
        """Start collecting; the objects that exist now are never examined again."""
        super().__init__()
        self.full_collections = 0
        self._quiet = 0
        self._kept = 0
        self._waiting = 0
        if gc.isenabled():  # where it was off from the start there are 1,000 lost objects in 140,000: not worth 50 ms
            gc.collect()
        gc.freeze()
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MILLISECONDS)
        self._timer.timeout.connect(self.tick)
        self._timer.start()
        self._settled = QTimer(self, singleShot=True, interval=SETTLED_MILLISECONDS)
        self._settled.timeout.connect(gc.freeze)
        self._settled.start()

    def wake(self) -> None:
        """Collect every two seconds again, until few new objects appear; called when something has happened."""
        if not self._timer.isActive():
            self._quiet = 0
            self._timer.start()

    def stop(self) -> None:
        """Stop collecting; Python's own collector stays off, for a thread of the trainer may still run."""
        self._timer.stop()
        self._settled.stop()

    def tick(self) -> None:
        """Collect new objects, and all objects when the window is idle."""
        n_new = gc.get_count()[0]
        self._quiet = self._quiet + 1 if n_new - self._waiting < QUIET_OBJECTS else 0
        self._waiting = n_new
        if self._quiet > QUIET_TICKS:
            self._timer.stop()  # all is collected that can be
        if n_new > FEW and not self._is_quiet:
            return  # it can wait: something large has just been made
        gc.collect(1)
        self._waiting = 0
        if n_new > FEW:
            return  # that was enough for one time
        n_old = count_old_objects()
        if n_old <= FEW or (self._is_quiet and n_old > self._kept + GROWTH):
            gc.collect()
            self.full_collections += 1
            self._kept = count_old_objects()

    @property
    def _is_quiet(self) -> bool:
        return self._quiet >= QUIET_TICKS
