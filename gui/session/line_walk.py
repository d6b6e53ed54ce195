"""Position of the line-by-line walk through the program: all statements, and how many of them are done.

It knows the statements of the newest run, if that was recorded, and how that run has ended; what is shown of a position
is made elsewhere (`gui/session/moments.py`).
"""

from __future__ import annotations

from engine.language import Evaluation, ProgramError, StatementStep


class LineWalk:
    """A position among the statements of a run, each of which leads from one position to the next.

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
        """The statements in the order in which they were run; none where there is nothing to walk."""
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
        """The statement that was done last; None at the start, and behind what is kept."""
        return self.steps[self.position - 1] if 0 < self.position <= len(self.steps) else None

    @property
    def line(self) -> int | None:
        """The line that was run last, or in which the error is."""
        if self.is_at_end:
            return self.error.line if self.error is not None else None
        return self.done.line if self.done is not None else None

    @property
    def next_line(self) -> int | None:
        """The line that is run next."""
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
