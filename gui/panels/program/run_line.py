"""The line under the editor while a program takes longer than a moment, or was stopped: how long, Stop, run again."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gui.session import Session
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import filled

TEXTS = {
    "running": "Running for {seconds:.1f} s …",
    "stop": "Stop",
    "stop tip": "End the program; the graph stays that of the last program that worked",
    "on": "Run on",
    "on tip": "Run the program again with ten times as much time, memory, values and output",
    "again": "Run again",
    "again tip": "Run the program from its beginning",
}
"""Every sentence of the line."""


class RunLine(QWidget):
    """Hidden while programs come to their end at once.

    Attributes:
        words: how long the program has been running.
        stop, on, again: the buttons.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.words = ElidedLabel()
        self.words.setProperty("muted", True)
        self.stop = tool_button(TEXTS["stop"], TEXTS["stop tip"], session.program.stop)
        self.again = tool_button(TEXTS["again"], TEXTS["again tip"], session.program.run_again)
        self.on = tool_button(TEXTS["on"], TEXTS["on tip"], session.program.run_on)
        filled(QHBoxLayout(self), self.words, 1, self.stop, self.on, self.again, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    def show_run(self) -> None:
        """Shows how the run stands."""
        program = self._session.program
        is_running = program.is_slow and not program.is_preparing
        self.words.setText(TEXTS["running"].format(seconds=program.seconds) if is_running else "")
        self.stop.setVisible(program.is_slow)
        can_run_on = program.can_run_on and not program.busy and not program.trouble
        self.on.setVisible(can_run_on)
        self.again.setVisible(bool(program.trouble))
        self.setVisible(program.is_slow or can_run_on or bool(program.trouble))
