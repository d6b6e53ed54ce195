"""Exceptions planted in functions that a tracer has seen called, tried in processes of their own.

A tracer is Python's trace function: what it raises, the call raises that it was told of. So any function can raise,
whatever it is (painters, slots, lambdas, closures, properties), in any thread, without naming it.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QLabel, QTextBrowser

from gui.main_window import MainWindow

ROOT = Path(__file__).parents[2]
REPORTERS = ("gui/unexpected.py", "gui/overrides.py", "gui/problems.py", "gui/bars/message_label.py")
"""Files that report exceptions: what happens when these raise is tried in `tests/gui/test_inside.py`."""
IS_FUNCTION = 2
"""Flag of a code object that has local variables of its own: neither a module nor a class."""

Function = tuple[str, int, str]
"""File within the repository, first line, and name of a function."""
Todo = list[tuple[Function, str]]
"""Functions, each with the name of what calls it."""
Try = Callable[[Function, str], tuple[bool, list[str], list[str]]]
"""Has a function raise while that is done; returns whether it was called, what is wrong with what the user was told,
and what does not work any more."""


class PlantedError(Exception):
    """An exception that was planted."""


ERRORS: dict[str, type[BaseException]] = {"planted": PlantedError, "memory": MemoryError, "recursion": RecursionError}


class Tracer:
    """Notes which functions of the window are called, and has one of them raise at its first call.

    Attributes:
        called: functions called so far, the first call first.
        target: the one that raises; None for none.
        error: what it raises.
        raised: number of exceptions; one or none.
    """

    def __init__(self, target: Function | None = None, error: type[BaseException] = PlantedError) -> None:
        self.called: dict[Function, None] = {}
        self.raised = 0
        self.target, self.error = target, error

    def __call__(self, frame: types.FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        known = _known.get(code)
        if known is None:
            known = _known[code] = _function_of(code)
        if known is False:
            return
        if self.target is None:
            self.called[known] = None
        elif known == self.target and not self.raised:
            self.raised += 1
            raise self.error

    @contextlib.contextmanager
    def installed(self) -> Iterator[Tracer]:
        """Trace this thread, and those that begin meanwhile."""
        threading.settrace(self)
        sys.settrace(self)
        try:
            yield self
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]  # as documented


_known: dict[types.CodeType, Any] = {}


def _function_of(code: types.CodeType) -> Function | bool:
    """Return the function that a code object is; False for one that is not the window's, or no function."""
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT / "gui") or not code.co_flags & IS_FUNCTION:
        return False
    name = path.relative_to(ROOT).as_posix()
    return False if name in REPORTERS else (name, code.co_firstlineno, code.co_qualname)


def shown_texts(window: MainWindow) -> list[str]:
    """Return the texts that the window shows, as those of a panel whose work has failed."""
    labels = [each for each in window.findChildren(QLabel) if each.isVisible()]
    pages = [each.toPlainText() for each in window.findChildren(QTextBrowser) if each.isVisible()]
    hint = getattr(window.graph_panel.canvas.overlay, "hint", "")
    return [hint, *pages, *(each.text() + each.toolTip() for each in labels)]


def names_error(texts: Iterable[str], error: type[BaseException]) -> bool:
    """Return True when a text names the class of an exception; a sentence may go on with it in small letters."""
    return any(error.__name__.casefold() in each.casefold() for each in texts)


def try_here(todo: Iterable[tuple[Function, str]], attempt: Try) -> None:
    """Try functions in this process, until something does not work any more; a line of JSON before and after each."""
    for index, (function, name) in enumerate(todo):
        print(json.dumps({"begun": index}), flush=True)
        raised, told, broken = attempt(function, name)
        print(json.dumps({"done": index, "raised": raised, "problems": told + broken}), flush=True)
        if broken:
            return  # the next one is tried in another process


def try_elsewhere(command: list[str], todo: Todo) -> tuple[int, int, Todo]:
    """Try functions in processes of their own, one after another; print what is wrong.

    Args:
        command: starts a process that gets the functions as JSON and calls `try_here`. Where it ends, the next one
            goes on behind the function that ended it.
        todo: the functions.

    Returns:
        Number of exceptions that were raised, number of trials in which something was wrong, and the functions that
        were not called again and so did not raise.
    """
    n_raised = n_wrong = 0
    left: Todo = []
    while todo:
        worker = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert worker.stdin is not None and worker.stdout is not None and worker.stderr is not None
        printed: list[str] = []
        reader = threading.Thread(target=lambda file=worker.stderr, lines=printed: lines.extend(file), daemon=True)
        reader.start()
        with contextlib.suppress(BrokenPipeError):
            worker.stdin.write(json.dumps(todo))
            worker.stdin.close()
        begun = done = -1
        for line in worker.stdout:
            if not line.startswith("{"):
                continue
            outcome = json.loads(line)
            begun, done = outcome.get("begun", begun), outcome.get("done", done)
            if outcome.get("raised"):
                n_raised += 1
            elif outcome.get("raised") is False:
                left.append(todo[done])
            if outcome.get("problems"):
                n_wrong += 1
                _print(todo[done], outcome["problems"])
        code = worker.wait()
        reader.join()
        worker.stdout.close()
        worker.stderr.close()
        if begun < 0:
            raise RuntimeError("".join(printed))
        if begun > done:
            n_wrong += 1
            _print(todo[begun], [f"the process ended with {code}: {''.join(printed)[-2000:]}"])
        todo = todo[begun + 1 :]
    return n_raised, n_wrong, left


def try_again(command: list[str], todo: Todo) -> tuple[int, int, Todo]:
    """Try each function in a fresh process; see `try_elsewhere`.

    What happens once in a process, such as the making of a panel, has happened there by the time of a later trial.
    """
    n_raised = n_wrong = 0
    left: Todo = []
    for each in todo:
        raised, wrong, again = try_elsewhere(command, [each])
        n_raised, n_wrong, left = n_raised + raised, n_wrong + wrong, left + again
    return n_raised, n_wrong, left


def _print(tried: tuple[Any, str], problems: list[str]) -> None:
    (file, line, name), step = tried
    print(f"{file}:{line} {name} (during: {step})", *(f"    {each}" for each in problems), sep="\n", flush=True)


def read_todo() -> Todo:
    """Return the functions that `try_elsewhere` hands to this process."""
    return [((file, line, name), step) for (file, line, name), step in json.load(sys.stdin)]
