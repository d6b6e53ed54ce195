"""The deadline of a program, inside the sandbox: it is stopped a little before the interpreter is interrupted.

An interrupted interpreter is lost with everything in it. So what runs often anyway (collections of garbage, loop heads,
printed text, recorded numbers, backward passes) looks at the clock, and when the time is up, Python's monitoring is
switched on, which raises `LimitReached` at the next line of the program. Where nothing of that runs, the interpreter
is interrupted, and the program is run a second time with the monitoring on from its start: it costs up to half the
speed, and finds the line.
"""

from __future__ import annotations

import gc
import time
from typing import Any

from engine.language.guest import host, monitoring

PROGRAM = "<program>"
REPEATED = 0.05
"""Seconds after which a watched program tells again which line it runs."""


class LimitReached(BaseException):
    """The time is up."""


class _Deadline:
    """When the time is up, by the clock that can be read without a call of the host."""

    at = float("inf")
    told = 0.0
    lines: frozenset[int] | set[int] = frozenset()


def begin(seconds: float, watched: bool = False) -> None:
    """Set the deadline; `watched`: from the start, telling the window which line is run."""
    _Deadline.at, _Deadline.told, _Deadline.lines = time.time() + seconds, 0.0, set()
    gc.callbacks.append(_collected)
    if watched:
        monitoring.DEADLINE.begin({"LINE": _line_watched, "JUMP": _watched, "PY_START": _watched})


def end() -> None:
    """Remove the deadline."""
    _Deadline.at = float("inf")
    if _collected in gc.callbacks:
        gc.callbacks.remove(_collected)
    monitoring.DEADLINE.end()


def seconds_left() -> float:
    """Return the seconds until the deadline; infinity where there is none."""
    return _Deadline.at - time.time()


def check() -> None:
    """Stop the program at its next line when the time is up."""
    if time.time() >= _Deadline.at:
        _Deadline.at = float("inf")
        monitoring.DEADLINE.begin({"LINE": _stopped, "JUMP": _stopped, "PY_START": _stopped})


def _collected(_phase: str, _info: Any) -> None:
    check()


def _interrupts(code: Any) -> bool:
    """Return False in our own modules, which come to an end by themselves."""
    return code.co_filename == PROGRAM or "engine/" not in code.co_filename


def _stopped(code: Any, *_place: int) -> None:
    if _interrupts(code):
        raise LimitReached


def _line_watched(code: Any, line: int) -> None:
    now = time.time()
    if code.co_filename == PROGRAM and (line not in _Deadline.lines or now > _Deadline.told + REPEATED):
        _Deadline.lines |= {line}
        _Deadline.told = now
        host.emit(line, "")
    if now >= _Deadline.at and _interrupts(code):
        raise LimitReached


def _watched(code: Any, *_place: int) -> None:
    if time.time() >= _Deadline.at and _interrupts(code):
        raise LimitReached
