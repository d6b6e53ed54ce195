"""Runs of the program with several values of one of its numbers, to be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from engine.autograd import Value
from engine.language.written_numbers import NUMBER, WrittenNumber, number_at, with_number, written_numbers
from gui.background import Job
from gui.session.programs import Outcome, Programs, same_but_for_numbers

MOST_VALUES, AT_ONCE = 8, 2
"""Largest number of compared values, and of concurrent runs."""
Curve = tuple[tuple[float, ...], tuple[float, ...]]
"""Iterations and numbers."""


@dataclass(frozen=True)
class VariedRun:
    """Run with one of the values.

    Attributes:
        value: as it was typed.
        outcome: how it ended; None while it waits or runs, or when it was stopped.
        trouble: why it has no outcome, or what was wrong with the program; "" for nothing.
    """

    value: str
    outcome: Outcome | None = None
    trouble: str = ""

    @property
    def curves(self) -> Mapping[str, Curve]:
        """Values of variables over loop iterations, and lists of numbers, by name; also those before an error."""
        outcome = self.outcome
        ran = None if outcome is None else outcome.evaluation or (outcome.error.evaluation if outcome.error else None)
        if ran is None:
            return {}
        series = [each for each in ran.loop_series if len(each.iterations) > 1 and each.name != each.counter]
        names = [each.name for each in series]
        found: dict[str, Curve] = {}
        for each in series:
            name = each.name if names.count(each.name) == 1 else f"{each.name} in the loop of line {each.line}"
            found[name] = tuple(map(float, each.iterations)), each.numbers
        for name, thing in ran.variables.items():
            numbers = _numbers_of(thing) if isinstance(thing, (list, tuple)) and 1 < len(thing) <= 10_000 else ()
            if numbers:
                found.setdefault(f"{name} (list)", (tuple(map(float, range(len(numbers)))), numbers))
        return found


class Variation(QObject):
    """Number that varies, the values it takes, and the runs with them.

    Attributes:
        number: in the program `text`; None until one is chosen.
        text: the program that it was chosen in.
        runs: one for each value, in the order in which they were typed.

    Signals:
        chosen(): a number was chosen: it is to be shown.
        changed(): anything is new.
    """

    chosen = Signal()
    changed = Signal()

    def __init__(self, programs: Programs, parent: QObject) -> None:
        """Args: runner of programs, parent."""
        super().__init__(parent)
        self.number: WrittenNumber | None = None
        self.text = ""
        self.runs: tuple[VariedRun, ...] = ()
        self._programs = programs
        self._jobs: list[Job] = []
        self._waiting: list[int] = []

    @property
    def is_running(self) -> bool:
        """True while runs are under way or queued."""
        return bool(self._waiting) or any(job.busy for job in self._jobs)

    def choose(self, text: str, offset: int) -> bool:
        """Choose the number at a place of a program; return False where there is none."""
        number = number_at(text, offset)
        if number is None:
            return False
        self._end()
        self.number, self.text, self.runs = number, text, ()
        self.changed.emit()
        self.chosen.emit()
        return True

    def follow(self, text: str) -> bool:
        """Find the number again in the program as it is now; return False where it has changed too much."""
        if self.number is None or text == self.text:
            return self.number is not None
        if not same_but_for_numbers(text, self.text):
            return False
        before, after = written_numbers(self.text), written_numbers(text)
        if len(before) != len(after):
            return False
        self.number, self.text = after[before.index(self.number)], text
        return True

    def start(self, values: Sequence[str]) -> None:
        """Run the program with each value, see `values_in`."""
        self._end()
        self.runs = tuple(map(VariedRun, values))
        self._waiting = list(range(len(values)))
        for _ in range(min(AT_ONCE, len(values))):
            self._begin_next()
        self.changed.emit()

    def stop(self) -> None:
        """Stop the unfinished runs; the others stay."""
        self._end()
        self.runs = tuple(
            run if run.outcome is not None or run.trouble else replace(run, trouble="stopped") for run in self.runs
        )
        self.changed.emit()

    def forget(self) -> None:
        """Drop all runs: another document replaces this one."""
        self._end()
        self.number, self.text, self.runs = None, "", ()
        self.changed.emit()

    def close(self) -> None:
        """Stop everything for good."""
        self._waiting = []
        for job in self._jobs:
            job.stop()

    def _end(self) -> None:
        self._waiting = []
        for job in self._jobs:
            job.cancel()

    def _begin_next(self) -> None:
        if not self._waiting or self.number is None:
            return
        index = self._waiting.pop(0)
        job = next((job for job in self._jobs if not job.busy), None)
        if job is None:
            job = Job(f"varied program {len(self._jobs) + 1}", self)
            job.delivered.connect(self._take)
            job.ended.connect(self.changed)
            job.failed.connect(lambda token, error: self._take(token, Outcome("", failure=str(error))))
            self._jobs.append(job)
        text = with_number(self.text, self.number, self.runs[index].value)
        job.start((self.runs[index].value, index), partial(self._work, text))

    def _work(self, text: str, cancelled: Callable[[], bool]) -> Iterator[Outcome]:
        outcome = self._programs.run_alone(text, cancelled)
        if outcome is not None:
            yield outcome

    def _take(self, token: tuple[str, int], outcome: Outcome) -> None:
        value, index = token
        error = outcome.error
        trouble = outcome.failure or (f"line {error.line}: {error.message}" if error is not None else "")
        runs = list(self.runs)
        runs[index] = VariedRun(value, outcome, trouble)
        self.runs = tuple(runs)
        self._begin_next()
        self.changed.emit()


def values_in(typed: str) -> tuple[tuple[str, ...], str]:
    """Return the values in a line such as `0.001, 0.05, 1.0`, and "" or an error message."""
    values = list(dict.fromkeys(typed.replace("−", "-").replace(";", ",").replace(",", " ").split()))
    wrong = next((value for value in values if not NUMBER.fullmatch(value)), None)
    if wrong is not None:
        return (), f"'{wrong[:20]}' is not a number: write values such as 0.001, 0.05, 1.0."
    if not values:
        return (), "Separate the values with commas, such as 0.001, 0.05, 1.0."
    if len(values) > MOST_VALUES:
        return (), f"At most {MOST_VALUES} values are compared: these are {len(values)}."
    return tuple(values), ""


def first_values(number: WrittenNumber) -> str:
    """Return values to begin with: smaller, as it is, larger."""
    written = number.text.replace(" ", "").replace("_", "")
    if "." in written or "e" in written.lower():
        own = float(written)
        around = [repr(float(f"{each:.6g}")) for each in (own / 10, own * 10)]
        return f"{around[0]}, {written}, {around[1]}" if own else "0.0, 0.1, 1.0"
    whole = int(written)
    return ", ".join(map(str, dict.fromkeys([whole // 2 or 1, whole, whole * 2]))) if whole else "0, 1, 2"


def _numbers_of(things: Sequence[object]) -> tuple[float, ...]:
    """Return numbers and Values as floats; empty if there is anything else."""
    numbers = [each.data if isinstance(each, Value) else each for each in things]
    if all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in numbers):
        return tuple(map(float, numbers))  # type: ignore[arg-type]
    return ()
