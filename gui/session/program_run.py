"""The run of a session's program: output, results, walk line by line, viewed moments, plots of its own model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine.autograd import Value
from engine.language import (
    BackwardCall,
    Evaluation,
    Limits,
    LoopSeries,
    Plot,
    ProgramError,
    StatementStep,
    after_statements,
)
from engine.language.machine_code import is_preparing
from engine.language.moment_names import at_moment
from engine.language.own_model import own_model_plots
from gui.background import Job, once
from gui.session.change import Changes
from gui.session.programs import Outcome, PrintedLines, Programs, end_of_cell, line_after_edit, same_but_for_numbers


class LineWalk:
    """Position between the statements of a run.

    One more position stands behind the last statement where the program came to an error, or where more were run than
    are kept: that is the end of the program.

    Attributes:
        is_on: whether programs are walked line by line.
        position: how many statements are done.
        ran: the run that is walked; None for none.
        error: that it came to; None where it came to its end.
    """

    def __init__(self) -> None:
        self.is_on = False
        self.position = 0
        self.ran: Evaluation | None = None
        self.error: ProgramError | None = None
        self._wanted_line: int | None = None

    @property
    def steps(self) -> tuple[StatementStep, ...]:
        """Statements in the order of their execution; empty without a walk."""
        return self.ran.statements if self.ran is not None else ()

    @property
    def is_walking(self) -> bool:
        """True when there is something to walk."""
        return self.is_on and (bool(self.steps) or (self.ran is not None and self.error is not None))

    @property
    def total(self) -> int:
        """The last position."""
        return len(self.steps) + self.has_end if self.is_walking else 0

    @property
    def n_left_out(self) -> int:
        """Number of executed statements that are not kept."""
        return max(self.ran.n_statements - len(self.steps), 0) if self.ran is not None else 0

    @property
    def has_end(self) -> bool:
        """True when a position exists after the last kept statement."""
        return self.error is not None or self.n_left_out > 0

    @property
    def is_at_end(self) -> bool:
        """True at that last position."""
        return self.has_end and self.position == self.total

    @property
    def done(self) -> StatementStep | None:
        """Last executed statement; None at the start, and after the kept statements."""
        return self.steps[self.position - 1] if 0 < self.position <= len(self.steps) else None

    @property
    def line(self) -> int | None:
        """Last executed line, or the line of the error."""
        if self.is_at_end:
            return self.error.line if self.error is not None else None
        return self.done.line if self.done is not None else None

    @property
    def next_line(self) -> int | None:
        """Next line to be executed."""
        if self.position < len(self.steps):
            return self.steps[self.position].line
        return self.error.line if self.error is not None and not self.is_at_end and not self.n_left_out else None

    def take(self, ran: Evaluation | None, error: ProgramError | None, keep_position: bool) -> None:
        """Follow another run, which has ended.

        Args:
            ran: what it has left; None for none.
            error: that it came to.
            keep_position: the program differs by its numbers only.
        """
        wanted, self._wanted_line = self._wanted_line, None
        self.ran, self.error = ran, error
        self.position = min(self.position, self.total) if keep_position else self.total
        if wanted is not None:
            self.go_to_line(wanted)

    def go(self, position: int) -> None:
        """Go to a position, clamped; below 0: to the end."""
        self.position = self.total if position < 0 else min(position, self.total)

    def go_to_line(self, line: int) -> bool:
        """Go to the next execution of a line, or else its first one; return True if it was executed at all."""
        behind = [number for number, step in enumerate(self.steps, start=1) if step.line == line]
        later = [position for position in behind if position > self.position]
        if behind:
            self.position = (later or behind)[0]
        elif self.error is not None and self.error.line == line:
            self.position = self.total
        else:
            return False
        return True

    def want_line(self, line: int) -> None:
        """Go to a line as soon as the current run has ended."""
        self._wanted_line = line


AT_ONCE = 1_000
"""Moments of programs with so many values or fewer are made in the GUI thread: it takes less than a blink."""


class ProgramView(QObject):
    """Viewed moment and its graph; the graph of a large program is built in a worker thread.

    Attributes:
        index: of the moment that is viewed, from 0; None for the end of the program.
        position: after how many of its statements the program is viewed; None where it is not walked line by line.
        shown: the program as it was then; the one before as long as another one is being made.

    Signals:
        made(): `shown` is new, not for what `show` has shown at once.
    """

    made = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.index: int | None = None
        self.position: int | None = None
        self.shown: Evaluation | None = None
        self._job = Job("moment", self)
        self._job.delivered.connect(self._take)

    def show(self, evaluation: Evaluation | None, index: int | None = None) -> None:
        """Show a moment of a program, or its end where that moment is None or missing."""
        moments = evaluation.moments if evaluation is not None else ()
        self.position = None
        if evaluation is None or index is None or index >= len(moments):
            self._job.cancel()
            self.index, self.shown = None, evaluation
        else:
            self.index = index
            self._make(len(evaluation.origins), lambda: at_moment(evaluation, moments[index]))

    def show_statements(self, evaluation: Evaluation, position: int) -> None:
        """Show a recorded program after a number of its statements."""
        self.index, self.position = None, position
        size = sum(len(step.values) for step in evaluation.statements[:position])
        self._make(size, lambda: after_statements(evaluation, position))

    def _make(self, size: int, make: Callable[[], Evaluation]) -> None:
        if size <= AT_ONCE:
            self._job.cancel()
            self.shown = make()
        else:
            self._job.start(None, once(make), patient=True)

    def _take(self, _token: object, shown: Evaluation) -> None:
        self.shown = shown
        self.made.emit()

    def stop(self) -> None:
        """Stop for good."""
        self._job.stop()


SLOW_MILLISECONDS = 500
"""A run that takes longer is announced; until then everything stays as it is, so that nothing flickers."""
TICK_MILLISECONDS = 100
"""Interval at which a slow run reports its duration and output."""

STOPPED = "The program was stopped after {seconds:.1f} s."
NOT_BEGUN = "The program was stopped before it began: Python was being prepared."
LAST_PRINTED = " The last output came from line {line}."


class ProgramRun(QObject):
    """Run of the newest text; announces runs that take longer than half a second.

    Attributes:
        evaluation: of the last program that worked; None for none since the document was opened.
        evaluation_text: that program.
        error: of the newest program that has ended; None where it worked.
        printed: output of a slow run so far, or of the last run that has ended.
        view: the viewed backward call or statement, and the graph there.
        walk: position of the walk line by line.
        is_part: the evaluation has only what a program computed before its error.
        last_line: last line to be run; None: the program's end.
        trouble: sentence on a run that was stopped or could not begin, so that the newest text has neither evaluation
            nor error; "" for none.

    Signals:
        renewed(): the shown evaluation is new, except from `start`; emitted while its change is gathered.
        place_requested(int, int): line and column of the program to show.
    """

    renewed = Signal()
    place_requested = Signal(int, int)

    def __init__(self, programs: Programs, changes: Changes, parent: QObject) -> None:
        """Create a run without a program."""
        super().__init__(parent)
        self.evaluation: Evaluation | None = None
        self.evaluation_text = ""
        self.error: ProgramError | None = None
        self.is_part = False
        self.last_line: int | None = None
        self.view = ProgramView(self)
        self.view.made.connect(self._announce_view)
        self.walk = LineWalk()
        self._outcome: Outcome | None = None
        self.printed = PrintedLines()
        self.trouble = ""
        self._slowly_printed = PrintedLines()
        self._text = ""
        self._usual_limits: Limits | None = None
        self._limits: Limits | None = None
        self._began = 0.0
        self._programs = programs
        self._changes = changes
        self._waiting: list[tuple[Callable[[], object], Callable[[], object]]] = []
        programs.setParent(self)
        programs.ended.connect(self._take)
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MILLISECONDS)
        self._slow.timeout.connect(self._announce_slow)
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._announce_output)

    # State

    @property
    def busy(self) -> bool:
        """True while a program is running."""
        return self._programs.busy

    @property
    def is_slow(self) -> bool:
        """True while a program runs that has already taken half a second."""
        return self.busy and self._tick.isActive()

    @property
    def is_preparing(self) -> bool:
        """True while the slow program waits for Python to be prepared, which happens once."""
        return self.is_slow and is_preparing()

    @property
    def notice(self) -> str:
        """Sentence on the preparation of Python, shown with the newest outcome; usually ""."""
        return self._outcome.notice if self._outcome is not None else ""

    @property
    def seconds(self) -> float:
        """Running time of the program so far, or in total."""
        return monotonic() - self._began if self.busy else self._outcome.seconds if self._outcome is not None else 0.0

    @property
    def is_evaluated(self) -> bool:
        """True when evaluation or error belong to the newest text, not to an earlier one."""
        ran = self._outcome
        return ran is not None and (ran.text, ran.last_line) == (self._text, self.last_line) and not ran.failure

    # Results

    @property
    def _ran(self) -> Evaluation:
        """Evaluation of the newest program that has ended, or of its part before the error."""
        ran = self.evaluation if self.error is None else self.error.evaluation
        return ran or Evaluation()

    @property
    def variables(self) -> Mapping[str, object]:
        """Variables at the end of the newest program; numbers on the canvas are Values."""
        return {**self._ran.variables, **self._ran.names}

    @property
    def shown_variables(self) -> Mapping[str, object]:
        """Variables at the position of the line walk or at the viewed backward call; otherwise at the end."""
        shown = self.view.shown
        return shown.variables if self._is_past and shown is not None else self.variables

    @property
    def whole_numbers(self) -> frozenset[Value]:
        """Variables, and values of the graph, whose data are whole numbers in the program."""
        shown = self.view.shown
        return shown.whole_numbers if self._is_past and shown is not None else self._ran.whole_numbers

    @property
    def exact_numbers(self) -> Mapping[str, int]:
        """Integer variables with all their digits, while the end of the program is shown."""
        if self._is_past:
            return {}
        return {name: number for name, number in self._ran.variables.items() if type(number) is int}

    @property
    def shown_gradients(self) -> Mapping[str, Any]:
        """Gradients of the shown variables that have one."""
        if not self._is_past:
            return self.gradients
        return {
            name: value.grad
            for name, value in self.shown_variables.items()
            if isinstance(value, Value) and value.grad_computed
        }

    @property
    def shown_printed(self) -> PrintedLines:
        """Output up to the position of the walk; without a walk all of it."""
        shown = self.view.shown
        return PrintedLines(shown.output) if self._is_walked and shown is not None else self.printed

    @property
    def _is_past(self) -> bool:
        is_viewed = self.view.index is not None and self.error is None and not self.busy
        return self._is_walked or (is_viewed and bool(self.view.shown and self.view.shown.variables))

    @property
    def _is_walked(self) -> bool:
        return self.view.position is not None and not self.busy

    @property
    def gradients(self) -> Mapping[str, Any]:
        """Gradients of the variables that are Values, as computed by the newest program."""
        return self._outcome.gradients if self._outcome is not None else {}

    @property
    def plots(self) -> tuple[Plot, ...]:
        """Plots of the newest program."""
        return self._ran.plots

    @property
    def loops(self) -> tuple[LoopSeries, ...]:
        """Values of the newest program's variables in the iterations of its loops."""
        return self._ran.loop_series

    @property
    def can_run_on(self) -> bool:
        """True when a limit ended the newest program; it can be run with ten times the limit."""
        return self.error is not None and self.error.at_limit

    @property
    def moments(self) -> tuple[BackwardCall, ...]:
        """The graphs after each `backward()` of the evaluation."""
        return self.evaluation.moments if self.evaluation is not None else ()

    @property
    def own_model(self) -> tuple[str, int] | None:
        """The text of a program that left a model of its own, and the moment that is viewed, from 1; 0: its end.

        None where the newest program has no model, or has an error, or is still running.
        """
        if self.evaluation is None or self.error is not None or self.busy or not self.evaluation.has_own_model:
            return None
        index = self.view.index
        return self.evaluation_text, 0 if index is None else self.moments[index].number

    def view_backward_call(self, index: int | None) -> None:
        """Show the graph of a moment instead of that at the end of the program; None for the end."""
        if index != self.view.index:
            self.view.show(self.evaluation, index)
            self._announce_view()

    # Line by line

    def walk_lines(self, on: bool) -> None:
        """Start the line walk, which runs the program again, or stop it."""
        if on == self.walk.is_on:
            return
        self.walk.is_on, self.walk.position = on, 0
        if on:
            self.run_again()
        else:
            self._view(None)
            self._announce_view()

    def go_to_statement(self, position: int) -> None:
        """Show the program after so many of its statements; below 0: at its end."""
        before = self.walk.position
        self.walk.go(position)
        if self.walk.position != before:
            self._view(None)
            self._announce_view()

    def go_to_line(self, line: int) -> bool:
        """Go to the next execution of a line, or its first; return False if it was never executed."""
        if not self.walk.is_walking:
            self.walk.want_line(line)
            self.walk_lines(True)
            return True
        found = self.walk.go_to_line(line)
        self._view(None)
        self._announce_view()
        return found

    def _view(self, index: int | None) -> None:
        """Show a moment of the evaluation, or the position of the walk."""
        walk = self.walk
        if not walk.is_walking or walk.ran is None:
            self.view.show(self.evaluation, index)
        elif walk.is_at_end and walk.n_left_out:
            self.view.show(walk.ran)
            self.view.position = walk.position
        else:
            self.view.show_statements(walk.ran, min(walk.position, len(walk.steps)))

    def _announce_view(self) -> None:
        with self._changes.gathered():
            self.renewed.emit()
            self._changes.add("program")

    # Running

    def start(self, text: str) -> None:
        """Run a text in place of the current one; its result is known at once or when `renewed` is emitted."""
        before, self._text = self._text, text
        if self.last_line is not None:
            self.last_line = line_after_edit(self.last_line, before, text)
        if self.is_evaluated and not self.walk.is_on:  # what is running is a later text, which was taken back
            self._cancel()
            assert self._outcome is not None
            self.trouble, self.printed = "", self._outcome.printed
            self._changes.add("program")
            return
        patient = self.busy and same_but_for_numbers(text, before)
        self._limits = self._usual_limits
        self._start(patient)

    def set_limits(self, limits: Limits | None) -> None:
        """Set the limits of all runs that begin from now on; None: the usual ones."""
        self._usual_limits = self._limits = limits

    def run_on(self) -> None:
        """Run the newest text again with ten times as much of everything."""
        self._limits = (self._limits or Limits()).times(10)
        self.run_again()

    def run_up_to(self, line: int | None) -> None:
        """Run the newest text up to the end of the cell that a line stands in, now and after edits; None: all of it."""
        self.last_line = None if line is None else end_of_cell(self._text, line)
        self.run_again()

    def run_again(self) -> None:
        """Run the newest text from its beginning."""
        with self._changes.gathered():
            self._start()
            if not self.busy:
                self.renewed.emit()

    def _start(self, patient: bool = False) -> None:
        self._began, self.trouble, self._slowly_printed = monotonic(), "", PrintedLines()
        outcome = self._programs.start(self._text, self._limits, patient, self.walk.is_on, self.last_line)
        if outcome is not None:
            self._end(outcome)
        elif not (self._slow.isActive() or self._tick.isActive()):
            self._slow.start()
        self._changes.add("program")

    def _take(self, outcome: Outcome) -> None:
        with self._changes.gathered():
            self._end(outcome)
            self.renewed.emit()
        if not self.busy:
            waiting, self._waiting = self._waiting, []
            for then, _otherwise in waiting:
                then()

    def _end(self, outcome: Outcome) -> None:
        before = self._outcome.text if self._outcome is not None else ""
        self._outcome, self.trouble = outcome, outcome.failure
        self._tick.stop()
        if self.busy:  # a newer one is running, and what is shown follows it
            self._slow.start()
        else:
            self._slow.stop()
        if not outcome.failure:
            self.printed, self._slowly_printed = outcome.printed, PrintedLines()
            self.error = outcome.error
            evaluation = outcome.evaluation or self._so_far(outcome.error)
            count = len(self.moments)
            if evaluation is not None:
                self.evaluation, self.evaluation_text = evaluation, outcome.text
                self.is_part = outcome.evaluation is None
            if self.walk.is_on:
                ran = outcome.evaluation or (outcome.error.evaluation if outcome.error is not None else None)
                self.walk.take(ran, outcome.error, same_but_for_numbers(outcome.text, before))
            if evaluation is not None or self.walk.is_on:
                self._view(self.view.index if len(self.moments) == count else None)
        self._changes.add("program")

    def _so_far(self, error: ProgramError | None) -> Evaluation | None:
        """Return the part computed before a limit, or before an error in a program unlike the shown one."""
        part = error.evaluation if error is not None else None
        if part is None or part.root is None:
            return None
        is_other = (
            self.evaluation is None
            or self.is_part
            or not set(self.evaluation.names) & set(re.findall(r"\w+", self._text))
        )
        return part if self.can_run_on or is_other else None

    def stop(self) -> None:
        """Stop the current run at the user's request."""
        if self.busy:
            self._take_printed()
            self.trouble = NOT_BEGUN if self.is_preparing else STOPPED.format(seconds=self.seconds)
            if self.printed.lines:
                self.trouble += LAST_PRINTED.format(line=self.printed.lines[-1].line)
            self._cancel()
            self._changes.add("program")

    def forget(self) -> None:
        """Cancel the current run and drop all results: another document replaces this one."""
        self._outcome = self.evaluation = self.error = None
        self.walk.take(None, None, keep_position=False)
        self.view.show(None)
        self.evaluation_text, self.trouble, self.printed, self.is_part = "", "", PrintedLines(), False
        self.last_line = None
        self._cancel()

    def _cancel(self) -> None:
        self._programs.cancel()
        self._slow.stop()
        self._tick.stop()
        waiting, self._waiting = self._waiting, []
        for _then, otherwise in waiting:
            otherwise()

    # Callbacks

    def wait(self, then: Callable[[], object], otherwise: Callable[[], object] = lambda: None) -> None:
        """Call `then` when no program is running: now, or when the newest run ends.

        Call `otherwise` when that run is stopped, or another document replaces this one.
        """
        if self.busy:
            self._waiting.append((then, otherwise))
        else:
            then()

    # Slow runs

    def _announce_slow(self) -> None:
        self._tick.start()
        self._announce_output()

    def _announce_output(self) -> None:
        if self.busy:
            self._take_printed()
            self._changes.add("program")

    def _take_printed(self) -> None:
        """Show the output of the running program from now on."""
        self._slowly_printed.add(self._programs.take_printed())
        self.printed = self._slowly_printed

    def close(self) -> None:
        """Stop everything for good."""
        self._waiting = []
        self._slow.stop()
        self._tick.stop()
        self._programs.stop()
        self.view.stop()


class OwnModel(QObject):
    """The plots of the model at the moment that is viewed.

    Attributes:
        plots: of the moment that was viewed when they were last computed; empty for a program without a model.

    Signals:
        changed(): there are other plots.
    """

    changed = Signal()

    def __init__(self, program: ProgramRun, parent: QObject) -> None:
        super().__init__(parent)
        self.plots: tuple[Plot, ...] = ()
        self._program = program
        self._wanted: tuple[str, int] | None = None
        self._job = Job("model of the program", self)
        self._job.delivered.connect(self._take)

    def want(self) -> None:
        """Request the plots of the viewed moment, unless they are known or under way."""
        wanted = self._program.own_model
        if wanted is None and not self._program.busy:
            self._wanted, had = None, bool(self.plots)
            self.plots = ()
            self._job.cancel()
            if had:
                self.changed.emit()
        elif wanted is not None and wanted != self._wanted:
            self._wanted = wanted

            def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Plot, ...]]:
                yield own_model_plots(*wanted, cancelled=cancelled)

            self._job.start(wanted, work)

    @property
    def busy(self) -> bool:
        """True while plots are being computed."""
        return self._job.busy

    def _take(self, token: tuple[str, int], plots: tuple[Plot, ...]) -> None:
        if token == self._wanted:
            self.plots = plots
            self.changed.emit()

    def close(self) -> None:
        """Stop for good."""
        self._job.stop()
