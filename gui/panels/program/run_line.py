"""The line under the editor while a program takes longer than a moment, was stopped or is run in part."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from engine.document.fields import line_count
from gui.session import Session
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

TEXTS = {
    "running": "Running for {seconds:.1f} s …",
    "stop": "Stop",
    "stop tip": "Stop the program; the graph of the last program that worked stays",
    "on": "Run on",
    "on tip": "Run the program again with ten times as much time, memory, values and output",
    "again": "Run again",
    "again tip": "Run the program from its beginning",
    "part": "Lines {first} to {last} have not been run",
    "all": "Run all",
    "all tip": "Run the program to its end",
}
"""Texts of the line."""


class RunLine(QWidget):
    """Hidden while programs come to their end at once.

    Attributes:
        words: how long the program has been running, or which lines are not run.
        stop, on, again, all: the buttons.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.words = ElidedLabel()
        self.words.setProperty("muted", True)
        self.stop = tool_button(TEXTS["stop"], TEXTS["stop tip"], session.program.stop)
        self.again = tool_button(TEXTS["again"], TEXTS["again tip"], session.program.run_again)
        self.on = tool_button(TEXTS["on"], TEXTS["on tip"], session.program.run_on)
        self.all = tool_button(TEXTS["all"], TEXTS["all tip"], lambda: session.program.run_up_to(None))
        buttons = self.stop, self.on, self.again, self.all
        add_widgets(QHBoxLayout(self), self.words, 1, *buttons, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    def show_run(self) -> None:
        """Show how the run stands."""
        program = self._session.program
        words = ""
        if program.is_slow and not program.is_preparing:
            words = TEXTS["running"].format(seconds=program.seconds)
        elif program.last_line is not None:
            last = line_count(self._session.document.expression.text.rstrip())
            words = TEXTS["part"].format(first=program.last_line + 1, last=last)
        self.words.setText(words)
        self.stop.setVisible(program.is_slow)
        can_run_on = program.can_run_on and not program.busy and not program.trouble
        self.on.setVisible(can_run_on)
        self.again.setVisible(bool(program.trouble))
        self.all.setVisible(program.last_line is not None)
        self.setVisible(program.is_slow or can_run_on or bool(program.trouble) or program.last_line is not None)
