"""The deadline of a program, inside the sandbox: it is stopped a little before the interpreter is interrupted.

An interrupted interpreter is lost with everything in it. So what runs often anyway (collections of garbage, loop heads,
printed text, recorded numbers, backward passes) looks at the clock, and when the time is up, Python's monitoring is
switched on, which raises `LimitReached` at the next line of the program. Where nothing of that runs, the interpreter
is interrupted, and the program is run a second time with the monitoring on from its start: it costs up to half the
speed, and finds the line.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import Any

from engine.language.guest import host

PROGRAM = "<program>"
REPEATED = 0.05
"""Seconds after which a watched program tells again which line it runs."""
_TOOL = 1
_NAME = "deadline"


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
        _monitor(_line_watched, _watched)


def end() -> None:
    """Have no deadline any more."""
    _Deadline.at = float("inf")
    if _collected in gc.callbacks:
        gc.callbacks.remove(_collected)
    if hasattr(sys, "monitoring") and sys.monitoring.get_tool(_TOOL) == _NAME:
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.free_tool_id(_TOOL)


def seconds_left() -> float:
    """Return the seconds until the deadline; infinity where there is none."""
    return _Deadline.at - time.time()


def check() -> None:
    """Have the program stopped at its next line when the time is up."""
    if time.time() >= _Deadline.at:
        _Deadline.at = float("inf")
        _monitor(_line_stopped, _stopped)


def _collected(_phase: str, _info: Any) -> None:
    check()


def _monitor(of_line: Any, of_rest: Any) -> None:
    if not hasattr(sys, "monitoring") or sys.monitoring.get_tool(_TOOL) is not None:
        return
    monitoring, events = sys.monitoring, sys.monitoring.events
    monitoring.use_tool_id(_TOOL, _NAME)
    monitoring.register_callback(_TOOL, events.LINE, of_line)
    for event in (events.JUMP, events.PY_START):
        monitoring.register_callback(_TOOL, event, of_rest)
    monitoring.set_events(_TOOL, events.LINE | events.JUMP | events.PY_START)


def _interrupts(code: Any) -> bool:
    """Return False in our own modules, which come to an end by themselves."""
    return code.co_filename == PROGRAM or "engine/" not in code.co_filename


def _line_stopped(code: Any, _line: int) -> None:
    if _interrupts(code):
        raise LimitReached


def _stopped(code: Any, _offset: int, _target: int = 0) -> None:
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


def _watched(code: Any, _offset: int, _target: int = 0) -> None:
    if time.time() >= _Deadline.at and _interrupts(code):
        raise LimitReached
