"""Functions of Python that wait or end the process, replaced: a program has no process, and waits only by `host.pause`.

Nothing is ever ready to be read here, so that what waits for files or sockets waits for its timeout.
"""

from __future__ import annotations

import asyncio.selector_events
import os
import select
import selectors
import time
from typing import Any, NoReturn

from engine.language.guest import deadline, host


def _exit(status: int = 0) -> NoReturn:
    """End the program: no process ends."""
    raise SystemExit(status)


def _abort() -> NoReturn:
    """End the program: no process ends."""
    raise SystemExit("aborted")


def sleep(seconds: float) -> None:
    """Wait; the program can be stopped meanwhile."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    left = deadline.seconds_left()
    host.pause(float(min(seconds, max(left, 0.0))))
    if seconds >= left:
        raise deadline.LimitReached


def _wait_for_files(_read: Any, _write: Any, _other: Any, timeout: float | None = None) -> tuple[list[Any], ...]:
    """Wait for the timeout, as `select.select` does where no file becomes ready."""
    sleep(float("inf") if timeout is None else max(timeout, 0.0))
    return [], [], []


def install() -> None:
    """Replace them in Python's modules."""
    os._exit, os.abort, time.sleep = _exit, _abort, sleep  # type: ignore[assignment]
    waiting: Any = select
    waiting.select, waiting.poll = _wait_for_files, None
    selecting: Any = selectors
    selecting.SelectSelector._select = staticmethod(_wait_for_files)
    selecting.DefaultSelector = selecting.SelectSelector
    loop: Any = asyncio.selector_events.BaseSelectorEventLoop
    loop._make_self_pipe = loop._close_self_pipe = lambda _loop: None  # there are no other threads to be woken by
