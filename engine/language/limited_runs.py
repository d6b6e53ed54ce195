"""Runs of a request within its limits, and the second run that finds the line at which another one was interrupted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from engine.language.errors import ProgramCancelled
from engine.language.limits import Limits
from engine.language.numpy_door import NumpyDoor
from engine.language.runtime import HostFunctions, RunInterrupted, RunTrapped, run_guest

Report = dict[str, Any]
Emit = Callable[[int, str], None]
Cancelled = Callable[[], bool] | None

SECOND_RUN = 1.5
"""Seconds of a second run."""
LONGEST_REPORT = 200_000_000
"""Characters; beyond them it is not read."""


def grace(seconds: float) -> float:
    """Return the seconds after its deadline that a program has for its report, on a busy machine too."""
    return min(3.0, 1.5 + seconds / 4)


def report_of_run(request: Report, emit: Emit, limits: Limits, seconds: float, cancelled: Cancelled) -> Any:
    """Run a request, for so many seconds at most, and return its report, which may be any JSON.

    Raises:
        RunInterrupted: when it did not end in time, or was cancelled.
        RunTrapped: when the interpreter failed.
    """
    # the guest ends a program that prints too much before; a text sent by the program itself may be longer
    functions = HostFunctions(emit, NumpyDoor(limits.array_bytes), 2 * limits.output_bytes, limits.array_bytes)
    text = run_guest(
        json.dumps(request), functions, seconds=seconds, memory_bytes=limits.object_bytes, cancelled=cancelled
    )
    try:
        return json.loads(text) if len(text) <= LONGEST_REPORT else None
    except (ValueError, RecursionError):
        return None


def request_limits(limits: Limits) -> Report:
    """Return the part of a request that says what the program may take."""
    names = ("output_bytes", "recursion", "seconds", "values")
    return {name: getattr(limits, name) for name in names}


def report_of_runs(request: Report, emit: Emit, limits: Limits, cancelled: Cancelled) -> Any:
    """Run a request, and run it again where the first run is lost; return the report, which may be any JSON.

    Raises:
        ProgramCancelled: when it was cancelled.
    """
    try:
        return report_of_run(request, emit, limits, limits.seconds + grace(limits.seconds), cancelled)
    except RunInterrupted as interrupted:
        if interrupted.cancelled:
            raise ProgramCancelled from None
        kind = "LimitReached"
    except RunTrapped as trapped:
        kind = "StackOverflow" if "stack" in str(trapped) else "InterpreterFailed"
    return _report_of_second_run(request, limits, cancelled, kind)


def _report_of_second_run(request: Report, limits: Limits, cancelled: Cancelled, kind: str) -> Any:
    """Run a program again whose first run was lost, every line watched, and report where it stands.

    Args:
        request: of the first run.
        limits: of both.
        cancelled: as in `run_guest`.
        kind: of the error; LimitReached where the first run was still going on.
    """
    lines = [0]
    seconds = min(SECOND_RUN, limits.seconds)
    again = request | {"seconds": seconds, "watched": True, "record": False}
    report = None
    try:
        report = report_of_run(
            again, lambda line, _text: lines.append(line), limits, seconds + grace(seconds), cancelled
        )
    except RunInterrupted as interrupted:
        if interrupted.cancelled:
            raise ProgramCancelled from None
    except RunTrapped:
        pass
    error = report.get("error") if isinstance(report, dict) else None
    if isinstance(error, dict) and error.get("kind") == kind == "LimitReached":
        return report
    line = lines[-1] or (_longest_line(request["text"]) if kind == "StackOverflow" else 0)
    return {"error": {"kind": kind, "line": line}}


def _longest_line(text: str) -> int:
    """Return the line on which brackets or operators are likely nested too deeply."""
    lines = text.split("\n")
    return 1 + lines.index(max(lines, key=len))
