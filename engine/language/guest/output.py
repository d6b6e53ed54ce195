"""Standard output of a program: every piece of printed text is sent to the window with the line that printed it."""

import io
import sys

from engine.language.guest import host
from engine.language.guest.program import PROGRAM


class OutputLimitReached(BaseException):
    """The program printed more than it may."""


class _Output(io.BufferedIOBase):
    """Binary half of standard output; collects the text that one line prints, and sends it when the line changes.

    Attributes:
        characters: printed so far.
    """

    def __init__(self, most_bytes: int) -> None:
        self.characters = 0
        self._left = most_bytes
        self._line = 0
        self._pieces: list[str] = []

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def write(self, data) -> int:  # type: ignore[no-untyped-def, override]
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
        return len(piece)

    def flush(self) -> None:
        if self._pieces:
            host.emit(self._line, "".join(self._pieces))
            self._pieces.clear()


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
    return io.TextIOWrapper(_Output(most_bytes), encoding="utf-8", errors="replace", newline="", write_through=True)
