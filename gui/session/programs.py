"""Ways for a session to run programs: synchronously, or in a worker thread as in the window.

Of the texts that are asked for the newest wins: a run that is out of date is cancelled, and nothing waits in a queue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.autograd import Value
from engine.language import Evaluation, Limits, Printed, ProgramError, RuntimeUnavailableError, evaluate
from engine.language.machine_code import seconds_preparing, take_notice
from gui.background import Job
from gui.session.part_runs import first_lines
from gui.session.printed import PrintedLines

PATIENCE_SECONDS = 1.0
"""A run so young comes to its end although there is a newer text, so that a slider that is dragged faster than the
program runs shows something on its way."""

Evaluate = Callable[..., Evaluation]
"""`engine.language.evaluate`, or what stands for it."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run.

    Attributes:
        text: the program.
        evaluation: what it means; None where it has an error.
        error: what is wrong with it; None where nothing is.
        printed: what it has printed.
        gradients: of its variables that are Values, as it left them: the canvas computes them anew.
        seconds: that it took, without the preparation of Python.
        failure: why it could not be run at all, in a sentence; "" where it was.
        notice: a sentence about the preparation of Python; usually "".
        last_line: up to which line it was run; None: to its end.
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
    """Runs one program at a time, while one waits.

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
        """Run a program beside what else is running, in the thread that asks; return None when it was cancelled."""
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
    """Runs programs in a thread of their own, so that the window goes on: `ended` tells of each."""

    def __init__(self, evaluate: Evaluate = evaluate) -> None:
        """Args: function that runs a program, called in a worker thread."""
        super().__init__(evaluate)
        self._newest: object = None
        self._printed: deque[Printed] = deque()
        self._job = Job("program", self)
        self._job.delivered.connect(self._tell)
        self._job.failed.connect(self._tell_failed)

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
        printed: deque[Printed] = deque()
        self._printed = printed

        def work(cancelled: Callable[[], bool]) -> Iterator[Outcome]:
            began = monotonic()

            def is_unwanted() -> bool:
                return cancelled() or (self._newest is not request and monotonic() - began > PATIENCE_SECONDS)

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
        self._job.cancel()

    def stop(self) -> None:
        self._newest = None
        self._job.stop()

    def _tell(self, token: tuple[object, str], outcome: Outcome) -> None:
        if token[0] is self._newest:
            self._newest = None
        self.ended.emit(outcome)

    def _tell_failed(self, token: tuple[object, str], error: Exception) -> None:
        reason = str(error) or type(error).__name__
        self._tell(token, Outcome(token[1], failure=f"The program could not be run ({reason})."))


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
