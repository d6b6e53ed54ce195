"""The moments of a program: the graph right after each `backward()`, shown as a program that ends there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

from PySide6.QtCore import QObject, Signal

from engine.autograd import Value, topological_order
from engine.language import BackwardCall, Evaluation, after_statements
from engine.language.line_walk import with_twins
from engine.language.moment_names import alike_at_end
from gui.background import Job, once

AT_ONCE = 1_000
"""Moments of programs with so many values or fewer are made in the GUI thread: it takes less than a blink."""


def at_moment(evaluation: Evaluation, moment: BackwardCall) -> Evaluation:
    """The graph of a moment as that of a program which ends there.

    Values are shared with no other moment; one that stands in the place of a value of the program's end, or is called
    like one, has its name, place and role.

    Args:
        evaluation: of the program.
        moment: one of its moments.
    """
    alike = {value: end for value, end in alike_at_end(evaluation, moment).items() if end in evaluation.origins}
    for value, end in alike.items():
        value.label = value.label or end.label
    named = {value.label: value for value in _named_once(evaluation.origins)}
    for value in _named_once(topological_order(moment.root)):
        if value.label in named:
            alike.setdefault(value, named[value.label])
    origins = {value: evaluation.origins[end] for value, end in alike.items()}
    roles = {
        value: evaluation.roles[end] for value, end in alike.items() if end in evaluation.roles and not value.inputs
    }
    then = {end: value for value, end in alike.items()}
    return Evaluation(
        root=moment.root,
        variables=with_twins({**evaluation.variables, **evaluation.names}, then),
        origins=origins,
        roles=roles,
        moments=evaluation.moments[: evaluation.moments.index(moment) + 1],
        engine_check=evaluation.engine_check,
        whole_numbers=moment.whole_numbers,
        own_gradients=True,
    )


def _named_once(values: Collection[Value]) -> list[Value]:
    counts = Counter(value.label for value in values)
    return [value for value in values if value.label and counts[value.label] == 1]


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
        """Show a program that was recorded as it stood after so many of its statements."""
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
