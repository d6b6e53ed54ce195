"""Exceptions that nobody caught, in slots, timers and painting: the program goes on, the user and the log are told."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from types import TracebackType

_log = logging.getLogger("gradstep")
_WAY_THROUGH_QT = re.compile(r"(Error calling Python override of [^ ]+: )+")


class UnexpectedErrors:
    """A `sys.excepthook`. What fails again and again, as painting does with every frame, is logged once."""

    def __init__(self, tell: Callable[[str, str], object]) -> None:
        """Takes what shows a line to the user, with its kind."""
        self._tell = tell
        self._logged: set[tuple[type[BaseException], str, int]] = set()

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Tells of an exception; its trace is logged unless one of that kind came from the same line before."""
        place = (kind, *_line_of(trace))
        if place not in self._logged:
            self._logged.add(place)
            _log.error("unexpected error", exc_info=(kind, error, trace))
        reason = _WAY_THROUGH_QT.sub("", str(error)) or kind.__name__
        self._tell(f"Something went wrong: {reason}", "error")


def _line_of(trace: TracebackType | None) -> tuple[str, int]:
    """File and line in which it was raised."""
    if trace is None:
        return "", 0
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno
