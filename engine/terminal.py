"""The terminal of a command: printed output, progress, and signals.

Names, labels and messages come from files and from arguments, so control characters are escaped, and characters that
the encoding lacks are replaced. Ctrl+C, and the signals of a closed terminal or of a system shutting down,
end a command in order.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import NoReturn, TextIO

from engine.messages import visible

PLAIN = str.maketrans(
    {"✓": "ok", "✗": "WRONG", "–": "-", "−": "-", "×": "x", "…": "...", "→": "->", "₁": "1", "₂": "2"}
)
"""Replacements for characters that an encoding lacks; others become their numbers."""
CONTROLS = re.compile(r"(?![\t\n\r])[\x00-\x1f\x7f-\x9f]")
"""Control characters that are escaped: all but tabs, ends of lines and the return to the start of a line."""
LONGEST_LINE = 4000
SECOND_THOUGHT_SECONDS = 1.0
REPEAT_SECONDS, PATIENCE_SECONDS = 0.05, 1.5
"""Seconds after which a signal that got lost is repeated, and after which a command that does not end is ended."""
SIGNALS = {"SIGINT": "Ctrl+C (SIGINT)", "SIGTERM": "SIGTERM", "SIGHUP": "SIGHUP", "SIGBREAK": "Ctrl+Break (SIGBREAK)"}
"""Signals that end a command, and their names; not every system has all."""


class OutputLost(Exception):
    """A command's output can no longer be written.

    Attributes:
        reason: in words.
        is_closed: the reader has closed the pipe (`| head`), which is not an error of ours.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.reason = str(self)
        self.is_closed = isinstance(error, BrokenPipeError)


class Stopped(BaseException):
    """A signal asked the command to end.

    Attributes:
        words: its name, such as "Ctrl+C (SIGINT)".
        code: exit code that shells expect, 128 and the signal's number.
    """

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__(name)
        self.words = SIGNALS.get(name, name)
        self.code = 128 + number


# Output


def fitting(text: str, encoding: str) -> str:
    """Return the text in characters that the encoding has."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def say(line: str) -> None:
    """Print one line, escaped; raise OutputLost when it cannot be written."""
    _print(visible(line) + "\n")


def say_text(text: str) -> None:
    """Print Gradstep's own text of several lines, such as help."""
    _print(text)


def say_printed(text: str) -> None:
    """Print a program's output at once: with escapes for control characters on a terminal, else unchanged."""
    _print(CONTROLS.sub(lambda found: visible(found[0]), text) if sys.stdout and sys.stdout.isatty() else text)
    flush_output()  # who reads a pipe sees what a long program has printed


def say_error(line: str) -> None:
    """Print one line, escaped, to standard error, if there is one."""
    line = visible(line)
    shown = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…"
    with suppress(OSError, AttributeError):
        sys.stderr.write(_for(sys.stderr, f"gradstep: {shown}\n"))
        sys.stderr.flush()


def flush_output() -> None:
    """Flush standard output; raise OutputLost when that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise OutputLost(error) from None


def forget_output() -> None:
    """Discard output that can no longer be written, so that Python does not try again when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _print(text: str) -> None:
    if sys.stdout is None:  # started without a terminal
        return
    try:
        sys.stdout.write(_for(sys.stdout, text))
    except OSError as error:
        raise OutputLost(error) from None


def _for(stream: TextIO, text: str) -> str:
    return fitting(text, getattr(stream, "encoding", None) or "utf-8")


# Progress

FIRST_SECONDS, BETWEEN_SECONDS = 0.4, 0.1
"""Seconds until progress is shown, so that short work shows none, and from one showing to the next."""
FORECAST_SECONDS, FORECAST_SHARE = 1.0, 0.01
"""Time and share of the work after which the time left is known well enough to be shown."""


class Progress:
    """Context manager with a line on standard error that shows how far work has come, and is removed at the end.

    Nothing is written when standard error is not a terminal.
    """

    def __init__(self, what: str) -> None:
        """Show nothing yet; `what` is the beginning of the line."""
        self._what = visible(what)
        self._began = time.monotonic()
        self._due = self._began + FIRST_SECONDS
        self._first: tuple[float, float] | None = None  # time and share when work was first seen: starting is no work
        self._width = 0
        self._lock = threading.Lock()
        self._is_seen = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def show(self, share: float | None, detail: str = "") -> None:
        """Show the completed share, 0 to 1, or None where it is unknown, and a detail such as "300 of 1,000 steps"."""
        now = time.monotonic()
        if not self._is_seen or now < self._due:
            return
        self._due = now + BETWEEN_SECONDS
        parts = [f"{share:.0%}"] if share is not None else []
        parts += [visible(detail)] if detail else []
        if share is None:
            parts.append(spoken_seconds(now - self._began))
        elif share > 0:
            began, first = self._first = self._first or (now, share)
            if now - began >= FORECAST_SECONDS and share - first >= FORECAST_SHARE:
                parts.append(f"{spoken_seconds((now - began) * (1 - share) / (share - first))} left")
        line = f"{self._what}: {', '.join(parts)}"
        self._write(line[: max(_columns() - 1, 10)])

    @contextmanager
    def watching(self, look: Callable[[], tuple[float | None, str] | None]) -> Iterator[None]:
        """Context in which a thread looks at work that is waited for, and shows its share and detail.

        Args:
            look: called a few times a second in that thread; None when there is nothing to show.
        """
        if not self._is_seen:
            yield
            return
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(2 * BETWEEN_SECONDS):
                if (seen := look()) is not None:
                    self.show(*seen)
                else:
                    self.clear()

        thread = threading.Thread(target=watch, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def clear(self) -> None:
        """Remove the line, before something else is printed; any thread may call."""
        if self._width:
            self._write("")

    def _write(self, line: str) -> None:
        line = _for(sys.stderr, line)
        with self._lock, suppress(OSError):
            sys.stderr.write(f"\r{line:<{self._width}}" + ("" if line else "\r"))  # spaces: not every terminal erases
            sys.stderr.flush()
            self._width = len(line)


def spoken_seconds(seconds: float) -> str:
    """Return a time for people: "5 s", "3 min 20 s", "2 h 10 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


# Signals


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Context in which a signal that asks to end raises `Stopped`, and is repeated where that gets lost.

    It gets lost in a callback of Qt or in a finalizer, which print an exception and go on. After Qt has been loaded it
    is not raised during an import, which would crash Qt's loader, but repeated after it. A library may make another
    error of it, as NumPy does while it is imported: after a signal every exception leaves the context as `Stopped`.
    Where nothing helps for `PATIENCE_SECONDS`, as in a library that catches everything, the process ends without
    cleaning up.
    """
    asked: Stopped | None = None
    lost, left = threading.Event(), threading.Event()
    hooks, main_thread = (sys.excepthook, sys.unraisablehook), threading.get_ident()

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked is None:
            asked = Stopped(number)
            threading.Thread(target=insist, args=(number,), name="signal", daemon=True).start()
        elif not lost.is_set():
            return  # it is being cleaned up
        if "shiboken6" in sys.modules and _is_importing(frame):
            lost.set()
        else:
            lost.clear()
            raise asked

    def insist(number: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not left.wait(REPEAT_SECONDS):
            if time.monotonic() > deadline:
                _end_at_once(number)
            if lost.is_set():
                if sys.platform == "win32":  # pragma: no cover - on Windows alone
                    signal.raise_signal(number)
                else:
                    signal.pthread_kill(main_thread, number)  # what it waits for is interrupted

    def note_printed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        lost.set() if isinstance(error, Stopped) else hooks[0](kind, error, trace)

    def note_ignored(ignored: sys.UnraisableHookArgs) -> None:
        lost.set() if isinstance(ignored.exc_value, Stopped) else hooks[1](ignored)

    sys.excepthook, sys.unraisablehook = note_printed, note_ignored
    try:
        with _handled(stop):
            yield
    except Exception:
        if asked is None:
            raise
        raise asked from None
    finally:
        left.set()
        sys.excepthook, sys.unraisablehook = hooks


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Context in which a signal that asks to end ends the process at once, with one line: there is nothing to save."""
    with _handled(lambda number, _frame: _end_at_once(number)):
        yield


def end_by_signals_from_now_on() -> None:
    """Have a signal that asks to end do so at once, with one line, wherever no other context handles it.

    At the very end Python takes its handlers away, and a late Ctrl+C would kill the process: then it is ignored, and
    the command keeps the exit code that it has.
    """

    def ignore() -> None:
        for number in mine:
            signal.signal(number, signal.SIG_IGN)

    mine = [number for number in _numbers() if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    for number in mine:
        signal.signal(number, lambda number, _frame: _end_at_once(number))
    atexit.register(ignore)  # registered first, so called last: after threads and other functions have ended


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def _end_at_once(number: int) -> NoReturn:
    stopped = Stopped(number)
    say_error(f"stopped by {stopped.words}")
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    os._exit(stopped.code)


class StopRequest:
    """Context manager in which a signal that asks to end is stored, so that the present work is completed.

    A second Ctrl+C, a second or more later, raises `Stopped`.

    Attributes:
        stopped: the first signal; None when there was none.
    """

    def __init__(self) -> None:
        self.stopped: Stopped | None = None
        self._since = 0.0

    def __enter__(self) -> StopRequest:
        self._signals = _handled(self._remember)
        self._signals.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._signals.__exit__(None, None, None)

    def _remember(self, number: int, _frame: FrameType | None) -> None:
        if self.stopped is None:
            self.stopped, self._since = Stopped(number), time.monotonic()
        elif number == signal.SIGINT and time.monotonic() - self._since >= SECOND_THOUGHT_SECONDS:
            raise Stopped(number)


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Context with a handler for these signals, except those that the parent process ignores (`nohup`)."""
    before = {number: signal.getsignal(number) for number in _numbers()}
    mine = [number for number in before if before[number] not in (signal.SIG_IGN, None)]
    try:
        for number in mine:
            signal.signal(number, handler)
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])
