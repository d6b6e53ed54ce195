"""The stepper while a program is walked line by line: what its buttons do then, and what is said of a statement."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd import Value
from engine.autograd.notation import counted
from engine.autograd.value import Constant
from engine.language import StatementStep
from gui.panels.program.variables import variable_texts
from gui.presenter.walk_texts import LINE_SENTENCES, MOST_NAMES
from gui.session import Session
from gui.session.program_run import LineWalk


class LineStepping:
    """Next, Back and the slider go from statement to statement of the program of a session, along its `LineWalk`."""

    def __init__(self, session: Session) -> None:
        self._session, self._walk = session, session.program.walk

    @property
    def is_on(self) -> bool:
        """True when the stepper goes line by line through the program on the canvas."""
        return self._walk.is_on and not self._session.presenter.shows_network

    def go(self, position: int) -> None:
        """Go to a position; below 0: to the end."""
        self._session.program.go_to_statement(position)

    def place(self) -> str:
        """Return the position as text: statement n of m."""
        position, total = self._walk.position, self._walk.total
        return LINE_SENTENCES["place"].format(position=position, total=total) if total else ""

    def words(self) -> str:
        """Return a line of text on the last executed statement."""
        walk = self._walk
        if not walk.is_walking:
            return LINE_SENTENCES["running" if self._session.program.busy else "nothing"]
        if walk.is_at_end:
            return _of_the_end(walk)
        if walk.done is None:
            return LINE_SENTENCES["start"].format(line=walk.next_line)
        return self._of_statement(walk.done)

    def _of_statement(self, step: StatementStep) -> str:
        inside = " in function" if step.function else ""
        shown = self._session.program.shown_variables
        named = [(name, shown.get(f"{name} (in {step.function})" if step.call else name)) for name in step.changed]
        names = ", ".join(f"{name} = {variable_texts(thing)[0]}" for name, thing in named[:MOST_NAMES])
        words = {"line": step.line, "function": step.function, "names": names, "values": ""}
        if names:
            return LINE_SENTENCES["names" + inside].format(**words)
        if len(step.values) == 1 and next(iter(step.values)).label:
            return self._of_value(step, inside)
        values = [value for value in step.values if not isinstance(value, Constant)]
        if values:
            words["values"] = counted(len(values), "value")
            return LINE_SENTENCES[self._kind_of_change(step, values) + inside].format(**words)
        return LINE_SENTENCES["run" + inside].format(**words)

    def _kind_of_change(self, step: StatementStep, values: list[Value]) -> str:
        """Return the key of the sentence on a statement that made values, or changed their data, gradients or both."""
        before: dict[Value, tuple[Any, Any]] = {}
        for earlier in self._walk.steps[: self._walk.position - 1]:
            before.update(earlier.values)
        if not any(value in before for value in values):
            return "made"
        none = None, None
        has_data, has_gradients = (
            any(not np.array_equal(step.values[value][part], before.get(value, none)[part]) for value in values)
            for part in (0, 1)
        )
        return "numbers" if has_data and has_gradients else "data" if has_data else "gradients"

    @staticmethod
    def _of_value(step: StatementStep, inside: str) -> str:
        """Return the text for a statement that has changed the numbers of one value, such as `w.data -= ...`."""
        [(value, (data, gradient))] = step.values.items()
        sentence = "one" if gradient is not None else "one without gradient"
        shown = Value(data, value.label)
        shown.grad = gradient
        data_text, gradient_text = variable_texts(shown)
        words = {"value": value.label, "data": data_text, "gradient": gradient_text}
        return LINE_SENTENCES[sentence + inside].format(line=step.line, function=step.function, **words)


def _of_the_end(walk: LineWalk) -> str:
    all_run = walk.ran.n_statements if walk.ran is not None else 0
    words = {"all": all_run, "kept": len(walk.steps)}
    if walk.error is None:
        return LINE_SENTENCES["end"].format(**words)
    sentence = LINE_SENTENCES["error after more" if walk.n_left_out else "error"]
    return sentence.format(line=walk.error.line, message=walk.error.message, **words)
