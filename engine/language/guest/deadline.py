"""The deadline of a program, inside the sandbox: it is stopped a little before the interpreter is interrupted.

An interrupted interpreter is lost with everything in it. So what runs often anyway (collections of garbage, every
`while` of the program, printed text, recorded numbers, backward passes) looks at the clock, and when the time is up,
Python's monitoring is switched on, which raises `LimitReached` at the next line of the program. A `for` comes to an end
by itself and is often long: it looks at the clock in its first iterations only, since that would cost it up to five
times its time. Where nothing of all that runs, the interpreter is interrupted, and the program is run a second time
with the monitoring on from its start, which finds the line.
"""

from __future__ import annotations

import gc
import itertools
import opcode
import time
import types
from collections.abc import Iterable, Iterator
from typing import Any

from engine.language.guest import host, monitoring

PROGRAM = "<program>"
ITERATIONS = 256
"""Number of iterations of `while` loops between two looks at the clock."""
REPEATED = 0.05
"""Seconds after which a watched program tells again which line it runs."""


class LimitReached(BaseException):
    """The time is up."""


class _Deadline:
    """When the time is up, by the clock that can be read without a call of the host."""

    at = float("inf")
    told = 0.0
    lines: frozenset[int] | set[int] = frozenset()


_jumps = itertools.count()


def begin(seconds: float, codes: Iterable[types.CodeType] = (), watched: bool = False) -> None:
    """Set the deadline.

    Args:
        seconds: from now.
        codes: code objects of the program; every `while` in them looks at the clock.
        watched: instead, every line looks at the clock, and the window is told which one is run.
    """
    _Deadline.at, _Deadline.told, _Deadline.lines = time.time() + seconds, 0.0, set()
    gc.callbacks.append(_collected)
    if watched:
        monitoring.DEADLINE.begin({"LINE": _line_watched, "JUMP": _watched, "PY_START": _watched})
    else:
        monitoring.DEADLINE.begin({"JUMP": _jumped}, [each for code in codes for each in _with_inner(code)])


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those of the functions, classes and expressions in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _with_inner(inner)


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
        monitoring.DEADLINE.end()
        monitoring.DEADLINE.begin({"LINE": _stopped, "JUMP": _stopped, "PY_START": _stopped})


def _jumped(code: types.CodeType, begin: int, end: int) -> Any:
    """Look at the clock now and then in a `while`; events of other jumps are switched off.

    Args:
        code: of the loop.
        begin: place of the jump in the code.
        end: place that it jumps to, the head of a loop when it lies before.
    """
    if end > begin:
        return monitoring.DISABLE
    if next(_jumps) % ITERATIONS == 0:
        if _is_for(code, end):
            return monitoring.DISABLE
        check()
    return None


def _is_for(code: types.CodeType, head: int) -> bool:
    """Return True for the loop of a `for` or of a comprehension; `head`: its place in the code."""
    instructions = code.co_code
    while instructions[head] == opcode.EXTENDED_ARG:
        head += 2
    return instructions[head] == opcode.opmap["FOR_ITER"]


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
