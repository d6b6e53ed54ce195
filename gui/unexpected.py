"""Exceptions that nobody expected, in slots, timers, overrides and refreshes: logged, shown once, and survived.

`UnexpectedErrors` is the `sys.excepthook` of the window. `report` hands an exception to it that was caught where it
must not go on, and has the part of the window that it came from show that it failed; `contained` does so for a block.
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene
from shiboken6 import isValid

from gui.problems import PROBLEMS, words_of

QUIET_SECONDS = 2.0
"""An exception that came from the same line less than this long ago is not shown again."""

_failed: list[Any] = []
"""Parts of the window that will show soon that they failed."""
_log = logging.getLogger("gradstep")
_WAY_THROUGH_QT = re.compile(r"(Error calling Python override of [^ ]+: )+")

Place = tuple[type[BaseException], str, int]


class UnexpectedErrors:
    """A `sys.excepthook` that logs an exception once, and shows it to the user unless that was done just now.

    A painter that fails with every frame, or a timer that fails with every tick, is shown once.
    """

    def __init__(self, show: Callable[[str, str], object], clock: Callable[[], float] = time.monotonic) -> None:
        """Create the hook.

        Args:
            show: shows a line of a kind ("error") to the user.
            clock: seconds, never backwards.
        """
        self._show, self._clock = show, clock
        self._seen: dict[Place, float] = {}

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log and show an exception; where that fails, print it."""
        try:
            self._report(kind, error, trace)
        except BaseException:  # as without memory: whoever reports an exception is in no position to handle another
            with suppress(BaseException):
                sys.__excepthook__(kind, error, trace)

    def _report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        place, now = (kind, *_line_of(trace)), self._clock()
        before, self._seen[place] = self._seen.get(place), now
        try:
            if before is None:
                _log.error("unexpected error", exc_info=(kind, error, trace))
            else:
                PROBLEMS.note_again(kind, trace)
        finally:  # the user is told even where the log fails
            if before is None or now - before > QUIET_SECONDS:
                reason = _WAY_THROUGH_QT.sub("", words_of(error)) or kind.__name__
                self._show(f"Something went wrong: {reason} (see Help > Problems)", "error")


def _line_of(trace: TracebackType | None) -> tuple[str, int]:
    """Return the file and line in which an exception was raised."""
    if trace is None:
        return "", 0
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename, trace.tb_lineno


def report(error: BaseException, owner: object = None) -> None:
    """Report an exception that ends here; for the GUI thread.

    Args:
        error: the exception.
        owner: the widget, graphics item or other object that it came from. The nearest ancestor with a method
            `show_failure` has it called in the next turn of the event loop, not while Qt is painting. Then the part
            says that it failed, and until its `has_failed` is False again no more of its errors are shown.
    """
    part = _failed_part(owner)
    if part is None or not (part.has_failed or part in _failed):
        sys.excepthook(type(error), error, error.__traceback__)
        if part is not None:
            if not _failed:
                QTimer.singleShot(0, _show_failures)
            _failed.append(part)


def _show_failures() -> None:
    parts = _failed.copy()
    _failed.clear()
    for part in filter(isValid, parts):
        with contained():
            part.show_failure()


@contextmanager
def contained(owner: object = None) -> Iterator[None]:
    """Report what the block raises, and go on after it; see `report`."""
    try:
        yield
    except Exception as error:
        report(error, owner)


def _failed_part(owner: Any) -> Any:
    """Return the object itself or its nearest ancestor that can show a failure; None where none is left alive."""
    while owner is not None and isValid(owner) and not hasattr(owner, "show_failure"):
        if isinstance(owner, QGraphicsScene):
            owner = next(iter(owner.views()), None)
        elif isinstance(owner, QGraphicsItem):
            owner = owner.scene()
        else:
            owner = owner.parent() if isinstance(owner, QObject) else None
    return owner if owner is not None and isValid(owner) else None
