"""What goes wrong behind the back of whoever acts on a window: in slots, threads and Qt; and turns that take long."""

import logging
import sys
import threading
import time
import traceback

from PySide6.QtCore import qInstallMessageHandler

from tests.fuzz.worker import place_of

LONGEST_TURN, LONGEST_REARRANGEMENT = 0.1, 0.2
"""Seconds of the thread's processor time (time on the clock would measure what else the machine does): of any turn, and
of one in which the window comes to show another session, workspace or lesson, and all its panels with it."""
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
        shown: returns the size of text, and what else the whole window follows.
        slow: seconds of the turns that took too long, by what was being done.
        doing: what is being done.
    """

    def __init__(self):
        self.found, self.slow, self.doing = [], {}, ""
        self.shown = lambda: (None, None)
        self._before = self.shown()

    def begin(self, doing):
        """Notes what is done from now on."""
        self.doing, self._before = doing, self.shown()

    def __enter__(self):
        self._hooks = sys.excepthook, threading.excepthook
        sys.excepthook = self._raised
        threading.excepthook = lambda raised: self._raised(raised.exc_type, raised.exc_value, raised.exc_traceback)
        self._handler = qInstallMessageHandler(self._warned)
        self._log = logging.Handler(logging.WARNING)
        self._log.emit = self._logged
        logging.getLogger().addHandler(self._log)
        return self

    def __exit__(self, *_):
        sys.excepthook, threading.excepthook = self._hooks
        qInstallMessageHandler(self._handler)
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
        (size_before, *before), (size, *shown) = self._before, self.shown()
        if size != size_before:
            return  # Qt styles every widget again: see RELIABILITY.md
        if took > (LONGEST_TURN if shown == before else LONGEST_REARRANGEMENT):
            place = f"{self.doing} {part}".strip()
            self.slow[place] = max(took, self.slow.get(place, 0.0))
