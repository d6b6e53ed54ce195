"""What goes wrong behind the back of whoever acts on a window: in slots, threads and Qt; and turns that take long."""

import logging
import sys
import threading
import time
import traceback

from PySide6.QtCore import qInstallMessageHandler

from tests.fuzz.worker import place_of

LONGEST_TURN = 0.1
"""Seconds of the thread's processor time. (Time on the clock would measure what else the machine does.)"""
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
        slow: seconds of the turns that took too long, by what was being done.
        doing: what is being done.
    """

    def __init__(self):
        self.found, self.slow, self.doing = [], {}, ""

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
        """Does something that the event loop would do in one turn."""
        began = time.thread_time()
        action()
        took = time.thread_time() - began
        if took > LONGEST_TURN:
            place = f"{self.doing} {part}".strip()
            self.slow[place] = max(took, self.slow.get(place, 0.0))
