"""Where programs run: workers of `pydantic-monty`, an interpreter of Python that reaches no file, network or system.

Hides the pool of worker processes, their limits, how a run is ended from outside, and what becomes of a worker that
died, hangs or cannot be started. Knows nothing of Values: a session takes texts and gives plain data. Every thread may
open sessions; each session belongs to the thread that opened it.

A worker that is busy does not notice that this process is gone. A guard, a shell that does nothing but read a pipe,
ends the busy workers when the pipe closes, however this process came to its end.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.metadata
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal

import pydantic_monty as monty

from engine.language.limits import Limits

MOST_WORKERS = 4
MOST_CALLS_OUT = 100_000
MOST_STATES = 8
"""Limits for which the state behind the prelude is kept."""
WATCHED_EVERY = 0.004
"""Seconds between two looks at whether a run is to be ended."""
GRACE = 1.05
"""Of the time allowed, after which a worker that does not end by itself is ended."""
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


class Session:
    """A worker that keeps what one text defined for the next one.

    Made by `Sandbox.session`.
    """

    def __init__(
        self,
        session: monty.MontySession,
        guard: _Guard,
        limits: Limits,
        cancelled: Callable[[], bool] | None,
        functions: Mapping[str, Callable[..., Any]],
    ) -> None:
        self._session = session
        self._functions = dict(functions)
        self._guard = guard
        self._limits = limits
        self._cancelled = cancelled
        self._pid = session.worker_pid
        self._began = time.monotonic()
        self._reason: Exception | None = None
        self._written = 0
        self.texts_run = 0
        self._closed = threading.Event()
        self._deadline = math.inf
        self._watcher = threading.Thread(target=self._watch, name="gradstep-program-watch", daemon=True)

    def open(self) -> None:
        """Begins to watch over the worker."""
        self._guard.watch(self._pid)
        self._watcher.start()

    def close(self) -> None:
        """Ends the watch."""
        self._closed.set()
        self._watcher.join()
        self._guard.release(self._pid)

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
        deadline = self._began + self._limits.seconds * GRACE
        self._deadline = deadline if seconds is None else min(deadline, time.monotonic() + seconds)
        try:
            return self._session.feed_run(text, print_callback=self._printer(on_print), external_lookup=self._functions)
        except monty.MontyCrashedError as error:
            raise self._reason or SandboxError(_about_crash(error)) from None
        except monty.MontyError as error:
            raise self._reason or _translated(error) from None
        finally:
            self._deadline = math.inf

    @property
    def worker(self) -> int | None:
        """The number of the worker's process."""
        return self._pid

    @property
    def seconds_left(self) -> float:
        """Of the time that the session may take."""
        return self._limits.seconds - (time.monotonic() - self._began)

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
        if self._pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._pid, _KILL)


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


class Sandbox:
    """The pool of workers of this process, started when it is first needed.

    Args:
        binary_path: the worker's program; None: the one that was installed with the package.
    """

    def __init__(self, binary_path: str | None = None) -> None:
        self._binary_path = binary_path
        self._lock = threading.Lock()
        self._pool: monty.Monty | None = None
        self._guard = _Guard()
        self._states: dict[tuple[Limits, str], bytes] = {}

    def start(self) -> None:
        """Starts the pool, unless it runs; takes some ms, and any thread may do it.

        Raises:
            SandboxError: when the worker's program is missing or cannot be run.
        """
        with self._lock:
            if self._pool is not None:
                return
            try:
                self._pool = self._started(self._binary_path)
            except (OSError, RuntimeError, monty.MontyError) as error:
                other = _installed_binary() if self._binary_path is None else None
                if other is None:
                    raise SandboxError(
                        f"programs cannot be run: the worker of pydantic-monty does not start ({error}); "
                        "install it again"
                    ) from None
                self._pool = self._started(other)

    @staticmethod
    def _started(binary_path: str | None) -> monty.Monty:
        pool = monty.Monty(
            binary_path=binary_path,
            max_processes=MOST_WORKERS,
            checkout_timeout=10.0,
            max_checkouts_per_worker=200,
        )
        pool.__enter__()
        return pool

    def close(self) -> None:
        """Ends the workers; the next session starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._states.clear()
            self._guard.close()
        if pool is not None:
            with contextlib.suppress(monty.MontyError, RuntimeError, OSError):
                pool.__exit__(None, None, None)

    @contextmanager
    def session(
        self,
        prelude: str,
        limits: Limits,
        cancelled: Callable[[], bool] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> Iterator[Session]:
        """A worker in which the prelude has run, as text 0 of its frames.

        Args:
            prelude: what runs before everything else.
            limits: what all that is run may take.
            cancelled: is asked often; the run ends when it gives True.
            functions: functions of this process that may be called from inside, by name; they are not trusted with
                anything but numbers, and each call takes 0.4 ms.

        Raises:
            SandboxError: when no worker can be had.
        """
        with contextlib.ExitStack() as stack:
            session = self._checked_out(stack, prelude, limits)
            watched = Session(session, self._guard, limits, cancelled, functions or {})
            watched.open()
            try:
                yield watched
            finally:
                watched.close()

    def _checked_out(self, stack: contextlib.ExitStack, prelude: str, limits: Limits) -> monty.MontySession:
        """A worker that is ready; one that died while it waited is replaced by the pool, so it is tried again."""
        for _ in range(MOST_WORKERS + 1):
            with contextlib.ExitStack() as attempt:
                try:
                    session = attempt.enter_context(self._prepared(prelude, limits))
                    self._load(session, prelude, limits)
                except (monty.MontyCrashedError, OSError) as error:
                    reason = str(error)
                    continue
                except TimeoutError:
                    raise SandboxError(
                        "programs cannot be run: every worker is busy; stop one of the programs"
                    ) from None
                stack.push(attempt.pop_all())
                return session
        raise SandboxError(f"programs cannot be run: the worker of pydantic-monty ends at once ({reason})")

    def _prepared(self, prelude: str, limits: Limits) -> monty.MontySession:
        self.start()
        pool = self._pool
        if pool is None:
            raise SandboxError("programs cannot be run: the window is closing")
        return pool.checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory_bytes,
                "max_recursion_depth": limits.recursion,
                "max_suspensions": MOST_CALLS_OUT,
            },
            assert_message_annotations=False,
            os_policy={"sleep": "zero", "random_start": {"seed": 0}},
        )

    def _load(self, session: monty.MontySession, prelude: str, limits: Limits) -> None:
        """Brings a fresh worker to where the prelude has run; the first time by running it."""
        key = (limits, prelude)
        if key in self._states:
            session.load_session(self._states[key])
            return
        session.feed_run(prelude)
        if len(self._states) > MOST_STATES:
            self._states.clear()
        self._states[key] = session.dump()


def _installed_binary() -> str | None:
    """The worker's program where the package was installed, which may be another environment's folder than ours."""
    try:
        files = importlib.metadata.files("pydantic-monty-runtime") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.name in ("monty", "monty.exe"))
    return next((str(path.resolve()) for path in found if path.is_file()), None)


class _Guard:
    """Ends busy workers when this process is gone.

    It is told which workers are busy, and acts on what it was told last when the pipe to it closes.
    """

    _SHELL = 'busy=; while read -r line; do busy=$line; done; [ -z "$busy" ] || kill -9 $busy'
    _PYTHON = (
        "import os, sys\n"
        "busy = ''\n"
        "for line in sys.stdin: busy = line\n"
        "for pid in busy.split():\n"
        "    try: os.kill(int(pid), 9)\n"
        "    except OSError: pass\n"
    )

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._busy: list[int] = []

    def watch(self, pid: int | None) -> None:
        """A worker is busy from now on."""
        if pid is not None:
            with self._lock:
                self._busy.append(pid)
                self._tell()

    def release(self, pid: int | None) -> None:
        """A worker is not busy any more."""
        if pid is not None:
            with self._lock:
                if pid in self._busy:
                    self._busy.remove(pid)
                self._tell()

    def close(self) -> None:
        """Ends the guard itself."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None and process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.write("\n")
                    process.stdin.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(2)

    def _tell(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            pipe = self._pipe()
            pipe.write(" ".join(map(str, self._busy)) + "\n")
            pipe.flush()

    def _pipe(self) -> IO[str]:
        if self._process is None or self._process.poll() is not None:
            windows = sys.platform == "win32"
            command = [sys.executable, "-I", "-S", "-c", self._PYTHON] if windows else ["/bin/sh", "-c", self._SHELL]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True
            )
        assert self._process.stdin is not None
        return self._process.stdin


@cache
def sandbox() -> Sandbox:
    """The pool of this process; it is closed when the process ends."""
    pool = Sandbox()
    atexit.register(pool.close)
    return pool
