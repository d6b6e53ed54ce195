"""The log of problems: exceptions and failures in the background that happened in this process, for people to read.

`PROBLEMS` is a handler of Python's logging and collects everything that is logged as an error, in any thread. It keeps
texts only, no frames, and names no folder of the user.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MOST_PROBLEMS = 100
"""Older ones are dropped."""
LONGEST_TRACE = 20_000
"""Letters kept of a traceback: its end."""

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None]


@dataclass(frozen=True)
class Problem:
    """Something that failed, at one line of one file.

    Attributes:
        kind: the exception's class; "" where only a text was logged.
        message: its words; they may quote what the user typed.
        place: file, line and function in which it was raised.
        trace: the whole traceback, as Python prints it.
        happened: when it happened last, seconds since 1970.
        count: how often.
    """

    kind: str
    message: str
    place: str
    trace: str
    happened: float
    count: int = 1

    @property
    def summary(self) -> str:
        """One line without the message, for a report that goes to others."""
        when = time.strftime("%H:%M:%S", time.localtime(self.happened))
        times = f", {self.count:,} times" if self.count > 1 else ""
        return f"{when} {self.kind or 'logged error'} at {self.place}{times}"


class ProblemLog(logging.Handler):
    """Handler that collects problems; one that happens again at the same place is counted."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._problems: dict[tuple[str, str], Problem] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Add a logged error; called by Python's logging, in any thread."""
        kind, error, trace = record.exc_info or (None, None, None)
        if kind is None or error is None:
            problem = Problem("", private(record.getMessage()), f"{record.name}:{record.lineno}", "", record.created)
        else:
            text = "".join(traceback.format_exception(kind, error, trace))
            try:
                message = str(error)
            except Exception:  # of a class whose own __str__ fails
                message = "no message: its text cannot be made"
            problem = Problem(
                kind.__name__, private(message), place_of(trace), private(text)[-LONGEST_TRACE:], record.created
            )
        self._add(problem)

    def note_again(self, kind: type[BaseException], trace: TracebackType | None) -> None:
        """Count an exception that is logged only the first time, such as one with every frame."""
        self.acquire()
        try:
            key = kind.__name__, place_of(trace)
            if key in self._problems:
                known = self._problems[key]
                self._problems[key] = replace(known, happened=time.time(), count=known.count + 1)
        finally:
            self.release()

    def _add(self, problem: Problem) -> None:
        key = problem.kind, problem.place
        known = self._problems.pop(key, None)
        self._problems[key] = problem if known is None else replace(problem, count=known.count + 1)
        while len(self._problems) > MOST_PROBLEMS:
            del self._problems[next(iter(self._problems))]

    def problems(self) -> list[Problem]:
        """Return all problems, the newest first; any thread may call."""
        self.acquire()
        try:
            return sorted(self._problems.values(), key=lambda problem: -problem.happened)
        finally:
            self.release()

    def clear(self) -> None:
        """Forget all problems."""
        self.acquire()
        try:
            self._problems.clear()
        finally:
            self.release()


PROBLEMS = ProblemLog()
"""The problems of this process; `logging_problems` fills it."""


@contextmanager
def logging_problems() -> Iterator[ProblemLog]:
    """Collect logged errors and exceptions of threads while the block runs; they are printed as before."""

    def note_thread(ended: Any) -> None:
        if ended.exc_type is not SystemExit:
            logging.getLogger("gradstep").error(
                "a thread failed", exc_info=(ended.exc_type, ended.exc_value, ended.exc_traceback)
            )

    handlers = [PROBLEMS, *([logging.lastResort] if logging.lastResort is not None else [])]
    before = threading.excepthook
    for handler in handlers:
        logging.getLogger().addHandler(handler)
    threading.excepthook = note_thread
    try:
        yield PROBLEMS
    finally:
        threading.excepthook = before
        for handler in handlers:
            logging.getLogger().removeHandler(handler)


def place_of(trace: TracebackType | None) -> str:
    """Return file, line and function in which an exception was raised; the file from the program's folder on."""
    if trace is None:
        return "an unknown place"
    while trace.tb_next is not None:
        trace = trace.tb_next
    path, code = Path(trace.tb_frame.f_code.co_filename), trace.tb_frame.f_code.co_name
    if "site-packages" in path.parts:  # which may lie in the program's folder
        path = Path(*path.parts[path.parts.index("site-packages") + 1 :])
    elif path.is_relative_to(ROOT):
        path = path.relative_to(ROOT)
    else:
        path = Path(path.name)
    return f"{path.as_posix()}:{trace.tb_lineno} ({code})"


def words_of(error: BaseException) -> str:
    """Return the text of an exception, for people; where it has none, or cannot make it, the name of its class."""
    try:
        words = str(error).strip()
    except Exception:
        words = ""
    return words or ("not enough memory (MemoryError)" if isinstance(error, MemoryError) else type(error).__name__)


def private(text: str) -> str:
    """Return a text without the folders of this machine: the program's own is left out, the home folder is `~`."""
    text = text.replace(f"{ROOT}{os.sep}", "")
    with suppress(RuntimeError):  # there is no home folder
        home = str(Path.home())
        if len(home) > 1:
            text = text.replace(home, "~")
    return text
