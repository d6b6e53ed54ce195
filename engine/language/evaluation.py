"""`evaluate(text)`: runs a program in the sandbox and gives what it made, printed and plotted.

The text is read first (`reader.py`), run (`sandbox.py`) behind the prelude (`prelude.py`), and what it left is fetched
(`fetching.py`) and described (`describing.py`). Blocks until the program ends; any thread may call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial

from engine.autograd.backward import collector_paused
from engine.autograd.value import Constant, Value
from engine.language.advice.idle_statements import idle_notes
from engine.language.advice.notes import Note
from engine.language.advice.updates import update_notes
from engine.language.describing import describe
from engine.language.errors import ProgramCancelled, ProgramError
from engine.language.failures.diagnosis import Verdict, look_at
from engine.language.failures.failures import failure
from engine.language.fetching import Fetched, TooManyValues, fetch, object_keys
from engine.language.limits import Limits
from engine.language.own_engine.classes import OwnEngine
from engine.language.own_engine.comparison import EngineCheckRow, check_own_engine
from engine.language.own_engine.probe import NO_RULE, Probe
from engine.language.own_engine.probe import prelude_text as own_engine_prelude
from engine.language.own_engine.values import is_foreign
from engine.language.prelude import prelude_text
from engine.language.prelude_operations import HOST_FUNCTION, host_function
from engine.language.program_tree import parse
from engine.language.reader import read
from engine.language.reading import Reading
from engine.language.results import Evaluation, Printed
from engine.language.rewriting.asides import set_aside, set_aside_at
from engine.language.sandbox import sandbox
from engine.language.sandbox_session import (
    OutOfMemory,
    OutOfTime,
    ProgramFailed,
    RunCancelled,
    SandboxError,
    SandboxSession,
    TooMuchOutput,
)
from engine.language.source import Source
from engine.language.words import OWN
from engine.quick_dataclass import dataclass

OnOutput = Callable[[Printed], None]
_FUNCTIONS = {HOST_FUNCTION: host_function}
_SANDBOX_ENDS = (ProgramFailed, OutOfTime, OutOfMemory, TooMuchOutput, SandboxError)
_SECONDS_FOR_RULES = 2.0
"""How long the rules of the program's own engine are asked at most."""


def evaluate(
    text: str,
    seconds: float | None = None,
    *,
    on_output: OnOutput | None = None,
    cancelled: Callable[[], bool] | None = None,
    limits: Limits | None = None,
    record: bool = False,
) -> Evaluation:
    """What a program means: its values, names and places, what it printed and plotted.

    Nothing of the text is ever run by this process. At most 20,000 characters and 500 lines.

    Args:
        text: a program in Python, as tutorials write them.
        seconds: how long it may run; None: as the limits say.
        on_output: is given what is printed, as it is printed, in the thread that called this.
        cancelled: is asked often, in another thread; the run ends some ms after it gave True.
        limits: what the program may take.
        record: whether `statements` of the result is to have the walk line by line.

    Raises:
        ProgramError: with line and column, when the text is not a program, or it raises, or reaches a limit.
        ProgramCancelled: when `cancelled` said so.
    """
    limits = limits or Limits()
    if seconds is not None:
        limits = replace(limits, seconds=seconds)
    with collector_paused():
        source = Source(text)
        asides, cleaned, blanked = set_aside(source)
        verdict = look_at(source, Source(blanked) if asides else source)
        try:
            verdict.refuse_first()
            tree = parse(source, cleaned)
        except SyntaxError as error:
            raise verdict.of_syntax(error) from None
        verdict.refuse()
        reading = read(source, cleaned, verdict.is_formulas, [*asides, *verdict.notes], tree, record)
        return _Run(reading, verdict, limits, on_output, cancelled).run()


def _engine_text(engine: OwnEngine) -> str:
    """What is run before a program with an engine of its own: what asks its rules, and what it calls things."""
    names = ", ".join(map(repr, (engine.data, engine.grad, engine.inputs, engine.op, engine.label)))
    return f"{own_engine_prelude(engine)}\n{OWN}use_engine({names})\n"


def _is_in_pass(failed: ProgramFailed) -> bool:
    """Whether a backward pass of an engine of the program's own may have been under way."""
    return [frame.function for frame in failed.frames] != ["<module>"]


def _given_gradients(fetched: Fetched, rows: Sequence[EngineCheckRow] | None) -> Mapping[Value, float]:
    """The gradients that a program's own engine has given its values; `rows`: what is said of that engine.

    Empty where nothing is wrong with the engine, where no backward pass was run, where the gradients were changed after
    the last one, and where an operation is none of the table's: the right ones are not known then.
    """
    if not fetched.moments or all(row.ok for row in rows or ()) or any(map(is_foreign, fetched.values)):
        return {}
    last = fetched.moments[-1]
    if any(last.gradients.get(then) != now.grad for then, now in last.known.items()):
        return {}
    numbers = (value for value in fetched.values if not isinstance(value, Constant))
    return {value: value.grad for value in numbers if value.grad.__class__ is float}


@dataclass
class _Run:
    """One run of a program that was read."""

    reading: Reading
    verdict: Verdict
    limits: Limits
    on_output: OnOutput | None
    cancelled: Callable[[], bool] | None
    output: list[Printed] = field(default_factory=list)
    line: int = 0
    bytes_printed: int = 0

    def run(self) -> Evaluation:
        if not self.reading.tree.body:
            return Evaluation(notes=[*self.reading.notes])
        try:
            with sandbox().session(prelude_text(), self.limits, self.cancelled, _FUNCTIONS) as session:
                return self._in(session)
        except RunCancelled:
            raise ProgramCancelled from None
        except SandboxError as error:
            raise ProgramError(str(error), max(self.line, 1), 1, output=tuple(self.output)) from None

    def _in(self, session: SandboxSession) -> Evaluation:
        try:
            if self.reading.own_engine is not None:
                session.run(_engine_text(self.reading.own_engine))
            session.run(self.reading.patched.text, self._take)
        except ProgramFailed as failed:
            text = session.texts_run
            so_far = self._so_far(session, judged=True, interrupted=_is_in_pass(failed))
            known = so_far.variables if so_far is not None else {}
            error = failure(self.reading, failed, text, known, self.line, self._tried(session))
            raise self._told(self.verdict.better(error, failed), so_far) from None
        except (OutOfTime, OutOfMemory, TooMuchOutput) as reached:
            so_far = self._so_far(session) if isinstance(reached, OutOfTime) else None
            raise self._told(self._limit(reached), so_far) from None
        try:
            return self._described(session)
        except TooManyValues:
            message = f"too many nodes ({self.limits.values:,}): the graph of this program is too large to be shown"
            error = self._told(self._at(message, self._last_line()), None)
            error.at_limit = True
            raise error from None
        except (OutOfTime, OutOfMemory) as reached:
            raise self._told(self._limit(reached), None) from None
        except ProgramFailed as failed:
            message = f"what the program left cannot be shown: {failed.kind}"
            raise self._told(self._at(message, self._last_line()), None) from None

    def _tried(self, session: SandboxSession) -> int:
        """The line that was run last in the body of a `try`; 0 where that cannot be known."""
        with suppress(*_SANDBOX_ENDS):
            line = session.run(f"{OWN}TRIED[0]") if "try" in self.reading.source.text else 0
            return line if isinstance(line, int) else 0
        return 0

    def _described(
        self, session: SandboxSession, ended: bool = True, judged: bool = True, interrupted: bool = False
    ) -> Evaluation:
        fetched = fetch(session, self.reading, self.limits)
        made = describe(self.reading, fetched)
        data_before = {leaf: leaf.data for leaf in fetched.changed}
        for leaf, data in fetched.changed.items():
            leaf.data = data
        displayed = self._displayed(session) if ended else None
        engine_check = self._engine_check(session, fetched, ended, interrupted) if judged else None
        line = self._last_line()
        remarks = [Note(remark, line, 1) for remark in fetched.remarks]
        remarks += update_notes(self.reading, fetched.moments) + idle_notes(self.reading, bool(fetched.moments))
        return replace(
            made,
            notes=sorted([*self.reading.notes, *made.notes, *remarks], key=lambda note: (note.line, note.column)),
            output=tuple(self.output),
            displayed=displayed,
            plots=fetched.plots,
            moments=fetched.moments,
            data_before=data_before,
            variables=fetched.variables,
            loop_series=fetched.series,
            statements=fetched.statements,
            n_statements=fetched.n_statements,
            engine_check=engine_check,
            program_gradients={} if interrupted else _given_gradients(fetched, engine_check),
        )

    def _engine_check(
        self, session: SandboxSession, fetched: Fetched, ended: bool, interrupted: bool
    ) -> tuple[EngineCheckRow, ...] | None:
        """The rules of the program's own engine beside those of the table; None for a program without one.

        Of a backward pass that did not come to its end, or not to its beginning, only the rules can be judged.
        """
        engine = self.reading.own_engine
        if engine is None:
            return None
        ask = partial(session.run, seconds=_SECONDS_FOR_RULES)
        try:
            keys = object_keys(session, len(fetched.values))
            records = Probe(ask, _SANDBOX_ENDS, _SECONDS_FOR_RULES).of_program(self.reading.names, self.limits.values)
        except _SANDBOX_ENDS:
            return None
        if records is None or all(answer.words == NO_RULE for answer in records.answers.values()):
            return None
        values = dict(zip(keys, fetched.values, strict=False))
        rows = check_own_engine(records, engine)
        if interrupted or not (ended or records.passes):
            rows = tuple(row for row in rows if row.key and not row.of_pass)
        return tuple(replace(row, value=values.get(row.key)) for row in rows)

    def _so_far(self, session: SandboxSession, judged: bool = False, interrupted: bool = False) -> Evaluation | None:
        """What was computed before an error, its engine judged or not; None where that cannot be had any more."""
        try:
            return self._described(session, False, judged, interrupted)
        except (*_SANDBOX_ENDS, TooManyValues):
            return None

    def _displayed(self, session: SandboxSession) -> Printed | None:
        """The value of a bare last line; an object that cannot be written is not shown."""
        last = self.reading.bound[-1] if self.reading.bound else None
        if last is None or last.names or last.node is not self.reading.last_statement or last.in_loop:
            return None
        if last.start in set_aside_at(self.reading.source):
            return None  # what was put there in its place
        try:
            text = session.run(f"{OWN}displayed({last.number})")
        except ProgramFailed:
            return None
        return Printed(self.reading.source.place(last.start)[0], text) if isinstance(text, str) else None

    # Output

    def _take(self, text: str) -> None:
        """Takes printed text, in which marks say the line: of a print, or of the statement that is being run."""
        head, *pieces = text.split("\0")
        if head:
            self._print(self.line, head)
        for mark, piece in zip(pieces[::2], pieces[1::2], strict=False):
            number = mark.removeprefix("@")
            line = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
            if mark.startswith("@"):
                self.line = line
            if piece:
                self._print(line or self.line, piece)

    def _print(self, line: int, text: str) -> None:
        self.bytes_printed += len(text.encode("utf-8", "replace"))
        if self.bytes_printed > self.limits.output_bytes:
            raise TooMuchOutput
        printed = Printed(line, text)
        self.output.append(printed)
        if self.on_output is not None:
            self.on_output(printed)

    # Errors

    def _limit(self, reached: Exception) -> ProgramError:
        if isinstance(reached, OutOfTime):
            message = f"stopped after {self.limits.seconds:g} s: this line was still running"
        elif isinstance(reached, OutOfMemory):
            message = f"stopped: the program holds more than {self.limits.memory_bytes // 1_000_000:,} MB at once"
        else:
            message = f"stopped: the program printed more than {self.limits.output_bytes / 1e6:g} MB"
        error = self._at(message, self.line or self._last_line())
        error.at_limit = True
        return error

    def _at(self, message: str, line: int) -> ProgramError:
        return self.reading.source.error(message, *self.reading.source.span_of_line(line))

    def _last_line(self) -> int:
        last = self.reading.bound[-1] if self.reading.bound else None
        return self.reading.source.place(last.start)[0] if last is not None else 1

    def _told(self, error: ProgramError, so_far: Evaluation | None) -> ProgramError:
        return error.with_run(tuple(self.output), so_far)
