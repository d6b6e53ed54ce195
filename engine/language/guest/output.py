"""Standard output of a program: every piece of printed text is sent to the window with the line that printed it."""

import io
import sys
import time
from typing import Any

from engine.language.guest import deadline, host
from engine.language.guest.program import PROGRAM

SENT_AT_ONCE = 2000
"""So many printed lines are sent as soon as they are complete, so that a run that is ended has them."""
SECONDS_BETWEEN = 0.05
"""Later lines of a loop are collected for so long."""


class OutputLimitReached(BaseException):
    """The program printed more than it may."""


class _Output(io.BufferedIOBase):
    """Binary half of standard output; sends complete lines, and collects them where there are many.

    Attributes:
        characters: printed so far.
    """

    def __init__(self, most_bytes: int) -> None:
        self.characters = 0
        self._left = most_bytes
        self._line = 0
        self._pieces: list[str] = []
        self._sent = 0
        self._sent_at = 0.0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        deadline.check()
        piece = bytes(data)
        line = current_line()
        if line != self._line or len(self._pieces) > 100:
            self.flush()
            self._line = line
        self._left -= len(piece)
        if self._left < 0:
            raise OutputLimitReached
        self._pieces.append(piece.decode("utf-8", "replace"))
        self.characters += len(self._pieces[-1])
        if piece.endswith(b"\n") and (self._sent < SENT_AT_ONCE or time.monotonic() > self._sent_at + SECONDS_BETWEEN):
            self.flush()
        return len(piece)

    def flush(self) -> None:
        if self._pieces:
            host.emit(self._line, "".join(self._pieces))
            self._pieces.clear()
            self._sent += 1
            self._sent_at = time.monotonic()


def current_line() -> int:
    """Return the line of the program that is being run, from 1; 0 where none is."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == PROGRAM:
            return frame.f_lineno or 0
        frame = frame.f_back  # type: ignore[assignment]
    return 0


def make_output(most_bytes: int) -> io.TextIOWrapper:
    """Return a text stream for `sys.stdout`, which takes at most so many bytes of UTF-8."""
    output: Any = _Output(most_bytes)
    return io.TextIOWrapper(output, encoding="utf-8", errors="replace", newline="", write_through=True)
