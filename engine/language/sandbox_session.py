"""One worker while it runs texts: how long they may take and print, how they are ended, and what is raised for what.

Knows nothing of Values: a session takes texts and gives plain data. Each session belongs to the thread that opened it;
a second thread looks at the clock and at whether somebody asked for the end.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import pydantic_monty as monty

from engine.language.limits import Limits
from engine.language.worker_guard import Guard
from engine.quick_dataclass import dataclass

WATCHED_EVERY = 0.004
"""Seconds between two looks at whether a run is to be ended."""
GRACE, LEAST_GRACE = 0.05, 0.25
"""Of the time allowed, and seconds at least, after which a worker that does not end by itself is ended; on a busy
machine one that does needs a moment for it, and for what was computed to be fetched."""
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class SandboxError(Exception):
    """The sandbox itself failed, through no fault of the program; the message is the sentence for the user."""


class RunCancelled(Exception):
    """Somebody asked for the end of the run."""


class OutOfTime(Exception):
    """The run took longer than it may."""


class OutOfMemory(Exception):
    """The program holds more than it may."""


class TooMuchOutput(Exception):
    """The program printed more than it may."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One call on the way to an error.

    Attributes:
        text: which of the session's texts it stands in, from 0.
        line: from 1.
        column: from 1.
        end_line: from 1.
        end_column: one past the last column.
        function: the name of the function; `<module>` outside of functions; "" where it cannot be told.
    """

    text: int
    line: int
    column: int
    end_line: int
    end_column: int
    function: str


class ProgramFailed(Exception):
    """The program raised something.

    Attributes:
        kind: name of the exception's class, such as `ZeroDivisionError`.
        message: what it says.
        frames: the calls, outermost first; may be empty.
    """

    def __init__(self, kind: str, message: str, frames: Sequence[Frame]) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message, self.frames = kind, message, tuple(frames)


class SandboxSession:
    """A worker that keeps what one text defined for the next one; made by `Sandbox.session`.

    Attributes:
        pid: of the worker's process, where that is known.
        texts_run: how many texts it has been given.
    """

    def __init__(
        self,
        session: monty.MontySession,
        guard: Guard,
        limits: Limits,
        cancelled: Callable[[], bool] | None,
        functions: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._session = session
        self._functions = dict(functions)
        self._guard = guard
        self._limits = limits
        self._cancelled = cancelled
        self.pid = session.worker_pid
        self._began = time.monotonic()
        self._reason: Exception | None = None
        self._written = 0
        self.texts_run = 0
        self._closed = threading.Event()
        self._deadline = math.inf
        self._watcher = threading.Thread(target=self._watch, name="gradstep-program-watch", daemon=True)

    def open(self) -> None:
        """Begins to watch over the worker."""
        self._guard.watch(self.pid)
        self._watcher.start()

    def close(self) -> None:
        """Ends the watch."""
        self._closed.set()
        self._watcher.join()
        self._guard.release(self.pid)

    def run(self, text: str, on_print: Callable[[str], None] | None = None, seconds: float | None = None) -> Any:
        """Runs a text to its end and gives the value of its last line, if that is an expression.

        Args:
            text: a program.
            on_print: is given what is printed, in pieces, while the program runs.
            seconds: how long this text may run, where that is less than what is left of the session's time.

        Raises:
            ProgramFailed: when the program raises.
            RunCancelled, OutOfTime, OutOfMemory, TooMuchOutput: when it is ended.
            SandboxError: when the worker dies.
        """
        if self._cancelled is not None and self._cancelled():
            raise RunCancelled
        if self._reason is not None:
            raise self._reason  # the worker was ended
        self.texts_run += 1
        deadline = self._began + self._limits.seconds + max(self._limits.seconds * GRACE, LEAST_GRACE)
        self._deadline = deadline if seconds is None else min(deadline, time.monotonic() + seconds)
        try:
            return self._session.feed_run(text, print_callback=self._printer(on_print), external_lookup=self._functions)
        except monty.MontyCrashedError as error:
            raise self._reason or SandboxError(_about_crash(error)) from None
        except monty.MontyError as error:
            raise self._reason or _translated(error) from None
        finally:
            self._deadline = math.inf

    def _printer(self, on_print: Callable[[str], None] | None) -> Callable[[Literal["stdout", "stderr"], str], None]:
        def take(stream: Literal["stdout", "stderr"], text: str) -> None:
            self._written += len(text.encode("utf-8", "replace"))
            if self._written > 2 * self._limits.output_bytes + 100_000:  # marks of lines included
                self._end(TooMuchOutput())
            elif on_print is not None and self._reason is None:
                try:
                    on_print(text)
                except TooMuchOutput as error:
                    self._end(error)

        return take

    def _watch(self) -> None:
        """Ends the worker when the run is cancelled, or a text goes on after its time."""
        while not self._closed.wait(WATCHED_EVERY):
            if self._cancelled is not None and self._cancelled():
                self._end(RunCancelled())
                return
            if time.monotonic() > self._deadline:
                self._end(OutOfTime())
                return

    def _end(self, reason: Exception) -> None:
        self._reason = self._reason or reason
        if self.pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self.pid, _KILL)


def _about_crash(error: monty.MontyCrashedError) -> str:
    status = f" (exit code {error.exit_status})" if error.exit_status is not None else ""
    return f"the worker that runs programs ended unexpectedly{status}; a new one is ready: run the program again"


def _translated(error: monty.MontyError) -> Exception:
    inner = error.exception()
    message = str(error).partition(": ")[2] if type(inner).__name__ in str(error).partition(":")[0] else str(error)
    if isinstance(inner, TimeoutError) and "time limit" in message:
        return OutOfTime()
    if isinstance(inner, MemoryError):
        return OutOfMemory()
    found: list[monty.Frame] = getattr(error, "traceback", list)()
    return ProgramFailed(type(inner).__name__, message, [_frame(frame) for frame in found])


def _frame(frame: monty.Frame) -> Frame:
    number = frame.filename.rpartition("-")[2].rstrip(">")
    text = int(number) if frame.filename.startswith("<python-input-") and number.isdigit() else -1
    return Frame(text, frame.line, frame.column, frame.end_line, frame.end_column, frame.function_name or "")
