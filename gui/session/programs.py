"""Running programs: synchronously, or in a worker thread as in the window; their output, and changes of their numbers.

The newest text wins: a run that is out of date is cancelled, and nothing waits in a queue.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from time import monotonic
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from engine.autograd import Value
from engine.language import Evaluation, Leaf, Limits, Printed, ProgramError, RuntimeUnavailableError, cells, evaluate
from engine.language.machine_code import seconds_preparing, take_notice
from engine.language.source import lines_of
from gui.background import Job

_NUMBER = re.compile(r"[-+]?(?<![\w.])(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?")
"""A number, with the sign before it: a slider may change that, too."""


def same_but_for_numbers(text: str, other: str) -> bool:
    """Return True when two programs differ in their numbers at most."""
    return text == other or _NUMBER.sub("0", text) == _NUMBER.sub("0", other)


def leaves_in(text: str, leaves: Sequence[Leaf], before: str) -> list[Leaf]:
    """Return leaves with their numbers and places in another text; unreadable ones are left out.

    Args:
        text: the other text, the same but for its numbers.
        leaves: of a program.
        before: its text.
    """
    if text == before:
        return list(leaves)
    ends = [found.end() for found in _NUMBER.finditer(before)]
    shifts = [0, *(new.end() - old for old, new in zip(ends, _NUMBER.finditer(text), strict=False))]
    moved = []
    for leaf in leaves:
        start = leaf.start + shifts[bisect_right(ends, leaf.start)]
        end = leaf.end + shifts[bisect_right(ends, leaf.end)]
        is_same = text[start:end] == before[leaf.start : leaf.end]
        number = leaf.number if is_same else _number(text[start:end])
        if number is not None:
            moved.append(replace(leaf, number=number, start=start, end=end))
    return moved


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def end_of_cell(text: str, line: int) -> int | None:
    """Return the last line of the cell that a line stands in, from 1; None where nothing stands behind it.

    Lines that begin with `# %%` begin cells; without them statements behind blank lines do.
    """
    end = next((cell.last_line for cell in cells(text, blank_lines=True) if cell.last_line >= line), None)
    lines = lines_of(text)
    return end if end is not None and any(each.strip() for each in lines[end:]) else None


def first_lines(text: str, last_line: int | None) -> str:
    """Return a text up to a line; None: all of it."""
    return text if last_line is None else "\n".join(lines_of(text)[:last_line])


def line_after_edit(last_line: int, before: str, after: str) -> int | None:
    """Return where a line is after an edit; None where the edit goes across its end, or nothing stands behind it."""
    old, new = lines_of(before), lines_of(after)
    start = _n_same(zip(old, new, strict=False))
    end = _n_same(zip(reversed(old[start:]), reversed(new[start:]), strict=False))
    if start >= last_line:
        line = last_line
    elif len(old) - end <= last_line:
        line = last_line + len(new) - len(old)
    else:
        return None
    return line if line > 0 and any(each.strip() for each in new[line:]) else None


def _n_same(pairs: Iterable[tuple[str, str]]) -> int:
    """Return how many pairs from the first on are of two equal texts."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


LONGEST_SHOWN = 2_000
"""Number of characters of a line that are drawn; copying gives the whole line."""


class PrintedLine(NamedTuple):
    """A line of output.

    Attributes:
        line: of the program that began to print it, from 1.
        text: without its end.
    """

    line: int
    text: str

    @property
    def shown(self) -> str:
        """Drawn part of the output."""
        return self.text[:LONGEST_SHOWN].expandtabs(4)


class PrintedLines:
    """Lines assembled from the pieces that `print` wrote; more can be appended.

    Attributes:
        lines: as a terminal shows them.
        n_longest: characters of the longest, as far as it is drawn.
    """

    def __init__(self, pieces: Iterable[Printed] = ()) -> None:
        """Create the lines from pieces of output."""
        self.lines: list[PrintedLine] = []
        self.n_longest = 0
        self._is_open = False
        self._last: dict[int, int] = {}
        self._counts: Counter[int] = Counter()
        self.add(pieces)

    def add(self, pieces: Iterable[Printed]) -> None:
        """Append output."""
        for piece in pieces:
            first, *others = str(piece.text).split("\n")
            if self._is_open and first:
                before = self.lines[-1]
                self._put(PrintedLine(before.line, before.text + first), -1)
            elif not self._is_open and (first or others):
                self._begin(piece.line, first)
            if texts := others[:-1]:  # complete lines, possibly very many
                self.lines.extend(map(PrintedLine._make, zip(repeat(piece.line), texts, strict=False)))
                self._last[piece.line] = len(self.lines) - 1
                self._counts[piece.line] += len(texts)
                tabbed = (text[:LONGEST_SHOWN].expandtabs(4) for text in texts if "\t" in text)
                self.n_longest = max(self.n_longest, min(max(map(len, texts)), LONGEST_SHOWN), *map(len, tabbed))
            if others and others[-1]:
                self._begin(piece.line, others[-1])
            if first or others:
                self._is_open = not others or bool(others[-1])

    def end_line(self) -> None:
        """End the present line: further text begins a new one."""
        self._is_open = False

    def _begin(self, line: int, text: str) -> None:
        self.lines.append(PrintedLine(line, ""))
        self._last[line] = len(self.lines) - 1
        self._counts[line] += 1
        self._put(PrintedLine(line, text), -1)

    def _put(self, line: PrintedLine, index: int) -> None:
        self.lines[index] = line
        self.n_longest = max(self.n_longest, len(line.shown))

    def beside(self) -> dict[int, str]:
        """Return the text next to each program line that has printed: its last output line, and their number."""
        notes = {}
        for line, index in self._last.items():
            text, count = self.lines[index].shown, self._counts[line]
            notes[line] = text if count == 1 else f"{text}  ({count:,} lines)"
        return notes


PATIENCE_SECONDS = 1.0
"""Age up to which a run may end although there is a newer text, so that a slider dragged faster than the program runs
shows intermediate results."""

Evaluate = Callable[..., Evaluation]
"""Type of `engine.language.evaluate`."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a program's run.

    Attributes:
        text: the program.
        evaluation: None if it has an error.
        error: None if it worked.
        printed: its output.
        gradients: of its variables that are Values, as computed by the program; the canvas computes its own.
        seconds: running time without the preparation of Python.
        failure: sentence on why it could not be run at all; "" if it was run.
        notice: sentence on the preparation of Python; usually "".
        last_line: last line that was run; None: the program's end.
    """

    text: str
    evaluation: Evaluation | None = None
    error: ProgramError | None = None
    printed: PrintedLines = field(default_factory=PrintedLines)
    gradients: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    failure: str = ""
    notice: str = ""
    last_line: int | None = None


class Programs(QObject):
    """Runs one program at a time, synchronously.

    Signals:
        ended(Outcome): of the newest text, or of one shortly before it; not for what `start` has given back.
    """

    ended = Signal(object)

    def __init__(self, evaluate: Evaluate = evaluate) -> None:
        """Args: function that runs a program."""
        super().__init__()
        self._evaluate = evaluate

    def start(
        self,
        text: str,
        limits: Limits | None = None,
        patient: bool = False,
        record: bool = False,
        last_line: int | None = None,
    ) -> Outcome | None:
        """Run a program instead of the one that is running.

        Args:
            text: of the program.
            limits: of time, memory and so on; the usual ones when None.
            patient: lets what is running come to its end first if it does so soon.
            record: whether the program is to be walked line by line.
            last_line: up to which line it is run; None: to its end.

        Returns:
            How it ended, where that is known already; else `ended` tells later.
        """
        part, settings = first_lines(text, last_line), _settings(limits, record)
        outcome = _run(
            text,
            lambda: self._evaluate(part, on_output=lambda _printed: None, cancelled=lambda: False, **settings),
        )
        return replace(outcome, last_line=last_line)

    def run_alone(self, text: str, cancelled: Callable[[], bool]) -> Outcome | None:
        """Run a program in the calling thread, independently of the current run; None when cancelled."""
        try:
            return _run(text, lambda: self._evaluate(text, on_output=lambda _printed: None, cancelled=cancelled))
        except Exception:
            if cancelled():
                return None
            raise

    @property
    def busy(self) -> bool:
        """True while a program is running or its outcome has not been delivered."""
        return False

    def take_printed(self) -> list[Printed]:
        """Return the output since the last call of the running program."""
        return []

    def cancel(self) -> None:
        """Cancel the current run; its outcome is not delivered."""

    def stop(self) -> None:
        """Stop for good."""


class BackgroundPrograms(Programs):
    """Runs programs in a worker thread and emits `ended` for each."""

    def __init__(self, evaluate: Evaluate = evaluate) -> None:
        """Args: function that runs a program, called in a worker thread."""
        super().__init__(evaluate)
        self._newest: object = None
        self._superseded = threading.Event()
        self._printed: deque[Printed] = deque()
        self._job = Job("program", self)
        self._job.delivered.connect(self._deliver)
        self._job.failed.connect(self._deliver_failure)

    def start(
        self,
        text: str,
        limits: Limits | None = None,
        patient: bool = False,
        record: bool = False,
        last_line: int | None = None,
    ) -> None:
        """Run a program in the background; see `Programs`."""
        part = first_lines(text, last_line)
        self._newest = request = object()
        self._superseded.set()
        superseded = self._superseded = threading.Event()
        printed: deque[Printed] = deque()
        self._printed = printed

        def work(cancelled: Callable[[], bool]) -> Iterator[Outcome]:
            began = monotonic()

            def is_unwanted() -> bool:
                return cancelled() or (superseded.is_set() and monotonic() - began > PATIENCE_SECONDS)

            def evaluate() -> Evaluation:
                return self._evaluate(
                    part, on_output=printed.append, cancelled=is_unwanted, **_settings(limits, record)
                )

            try:
                outcome = _run(text, evaluate)
            except Exception:
                if is_unwanted():
                    return
                raise
            if not is_unwanted():
                yield replace(outcome, last_line=last_line)

        self._job.start((request, text), work, patient)

    @property
    def busy(self) -> bool:
        return self._newest is not None

    def take_printed(self) -> list[Printed]:
        return [self._printed.popleft() for _ in range(len(self._printed))]

    def cancel(self) -> None:
        self._newest = None
        self._superseded.set()
        self._job.cancel()

    def stop(self) -> None:
        self._newest = None
        self._job.stop()

    def _deliver(self, token: tuple[object, str], outcome: Outcome) -> None:
        if token[0] is self._newest:
            self._newest = None
        self.ended.emit(outcome)

    def _deliver_failure(self, token: tuple[object, str], error: Exception) -> None:
        reason = str(error) or type(error).__name__
        self._deliver(token, Outcome(token[1], failure=f"The program could not be run ({reason})."))


def _run(text: str, evaluate: Callable[[], Evaluation]) -> Outcome:
    began = monotonic() - seconds_preparing()
    evaluation = wrong = None
    try:
        evaluation = evaluate()
    except RuntimeUnavailableError as error:
        return Outcome(text, failure=f"{error.message}.")
    except ProgramError as error:
        wrong = error.with_traceback(None)
    ended = wrong or evaluation
    left = (ended.variables if ended is not None else {}).items()
    gradients = {name: value.grad for name, value in left if isinstance(value, Value) and value.grad_computed}
    printed = PrintedLines(ended.output if ended is not None else ())
    if evaluation is not None and evaluation.displayed is not None:  # of a bare last line, as a notebook shows it
        printed.end_line()
        printed.add([evaluation.displayed])
    seconds = monotonic() - seconds_preparing() - began
    return Outcome(text, evaluation, wrong, printed, gradients, seconds, notice=take_notice())


def _settings(limits: Limits | None, record: bool) -> dict[str, Any]:
    return {"limits": limits, **({"record": True} if record else {})}
