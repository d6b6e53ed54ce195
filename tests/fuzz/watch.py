"""What goes wrong behind the back of whoever acts on a window: in slots, threads and Qt; and turns that take long."""

import logging
import sys
import threading
import time
import traceback

from PySide6.QtCore import QAbstractEventDispatcher, qInstallMessageHandler

from tests.fuzz.worker import place_of
from tests.reliability.heartbeat import Clocks

LONGEST_TURN = 0.1
"""Seconds of the thread's processor time, or of waiting with the whole process for a lock, the disk or a sleep. (Time on
the clock would measure what else the machine does.)"""
HARMLESS = ("This plugin does not support", "OpenType support missing for")
"""Warnings about what the offscreen platform, or the fonts of this machine, have not."""


class Trouble(AssertionError):
    """What went wrong behind the back of whoever called.

    Attributes:
        place: the same for the same fault.
    """

    def __init__(self, words, place):
        super().__init__(words)
        self.place = place


class Watch:
    """Notes exceptions in slots and threads, warnings of Qt and errors in the log, and how long each turn takes.

    Attributes:
        found: a Trouble for each.
        slow: seconds of the turns that took too long, by what was being done; with "waited" where they were waiting.
        doing: what is being done.
    """

    def __init__(self):
        self.found, self.slow, self.doing = [], {}, ""
        self._dispatcher, self._blocked_at, self._blocked = None, None, 0.0

    def __enter__(self):
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._raised
        threading.excepthook = lambda raised: self._raised(raised.exc_type, raised.exc_value, raised.exc_traceback)
        self._before = qInstallMessageHandler(self._warned)
        self._log = logging.Handler(logging.WARNING)
        self._log.emit = self._logged
        logging.getLogger().addHandler(self._log)
        return self

    def __exit__(self, *_):
        sys.excepthook, threading.excepthook = self._hooks
        qInstallMessageHandler(self._before)
        logging.getLogger().removeHandler(self._log)
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.disconnect(self._blocks)
            self._dispatcher.awake.disconnect(self._wakes)

    def _raised(self, kind, error, trace):
        words = "".join(traceback.format_exception(kind, error, trace))
        self.found.append(Trouble(f"during {self.doing}: {words}", f"{kind.__name__} {place_of(error)}"))

    def _warned(self, kind, _context, text):
        if not text.startswith(HARMLESS):
            self.found.append(Trouble(f"during {self.doing}: Qt says {text}", f"Qt: {text[:60]}"))

    def _logged(self, record):
        text = record.getMessage() + (record.exc_text or "")
        if record.exc_info:
            text += "".join(traceback.format_exception(*record.exc_info))
        self.found.append(Trouble(f"during {self.doing}: logged {text}", f"log: {record.getMessage()[:60]}"))

    def turn(self, action, part=""):
        """Does something that the event loop would do in one turn.

        Where the action has an event loop of its own, such as that of a menu, its waiting for events is no hold.
        """
        if self._dispatcher is None and (dispatcher := QAbstractEventDispatcher.instance()) is not None:
            self._dispatcher = dispatcher
            dispatcher.aboutToBlock.connect(self._blocks)
            dispatcher.awake.connect(self._wakes)
        clocks, blocked, began = Clocks(), self._blocked, time.thread_time()
        action()
        took = time.thread_time() - began
        waited = clocks.look().idle - (self._blocked - blocked)
        for seconds, kind in ((took, ""), (waited, "waited")):
            if seconds > LONGEST_TURN:
                place = " ".join(filter(None, (self.doing, part, kind)))
                self.slow[place] = max(seconds, self.slow.get(place, 0.0))

    def _blocks(self):
        self._blocked_at = time.monotonic()

    def _wakes(self):
        if self._blocked_at is not None:
            self._blocked, self._blocked_at = self._blocked + time.monotonic() - self._blocked_at, None
