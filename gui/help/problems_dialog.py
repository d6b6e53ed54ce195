"""Help > Problems: what has failed since the program was started, to read, to copy, and a way to save the work."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QListWidget, QPlainTextEdit, QSplitter, QVBoxLayout

from gui.help.rescue import save_work
from gui.problems import PROBLEMS, Problem
from gui.theme import mono_font, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.layouts import add_widgets

WIDTH, HEIGHT = 760, 480
LOOK_MILLISECONDS = 1000
"""Interval at which new problems appear."""
TEXTS = {
    "none": "Nothing has failed since Gradstep was started.",
    "some": "Parts of Gradstep have failed. The rest keeps working. Save your work under a new name to be safe. The "
    "words of an error may quote your program: look at the text before you send it to others.",
    "copied": "The problems are on the clipboard.",
}


class ProblemsDialog(QDialog):
    """The list of problems with the traceback of the chosen one; it deletes itself when it is closed.

    Attributes:
        list: one line for each problem, the newest first.
        details: the traceback of the chosen one.
        copy_button, save_button: copy all problems; save the session under a new name.
    """

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Problems")
        self._window = window
        self._problems: list[Problem] = []
        self.about = QLabel(TEXTS["none"], textFormat=Qt.TextFormat.PlainText)
        self.about.setWordWrap(True)
        self.list = QListWidget()
        self.list.setAccessibleName("problems")
        self.list.currentRowChanged.connect(self._show_details)
        self.details = QPlainTextEdit(readOnly=True)
        self.details.setFont(mono_font(12))
        self.details.setAccessibleName("traceback of the problem")
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self.list)
        splitter.addWidget(self.details)
        self.copy_button = push_button("Copy", "Copy all problems as text", self._copy)
        self.save_button = push_button(
            "Save my work…", "Save the session under a new name, as far as it can be", lambda: save_work(window)
        )
        row = add_widgets(QHBoxLayout(), self.save_button, self.copy_button)
        row.addStretch(1)
        row.addWidget(push_button("Close", "Close", self.reject))
        add_widgets(QVBoxLayout(self), self.about, splitter, 1, row)
        self.resize(min(text_pixels(WIDTH), window.width()), min(text_pixels(HEIGHT), window.height()))
        self._timer = QTimer(self, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(self.refresh)
        self._timer.start()
        self.refresh()

    def refresh(self) -> None:
        """Show the problems there are now."""
        problems = PROBLEMS.problems()
        if problems != self._problems:
            row = max(0, self.list.currentRow())
            self._problems = problems
            self.list.clear()
            self.list.addItems([_line(problem) for problem in problems])
            self.about.setText(TEXTS["some" if problems else "none"])
            self.list.setCurrentRow(min(row, len(problems) - 1))
        self.copy_button.setEnabled(bool(problems))

    def _show_details(self, row: int) -> None:
        problem = self._problems[row] if 0 <= row < len(self._problems) else None
        self.details.setPlainText("" if problem is None else problem.trace or problem.message)

    def _copy(self) -> None:
        texts = [f"{problem.summary}\n{problem.trace or problem.message}" for problem in self._problems]
        QGuiApplication.clipboard().setText("\n".join(texts))
        self._window.show_message(TEXTS["copied"])


def _line(problem: Problem) -> str:
    when = time.strftime("%H:%M:%S", time.localtime(problem.happened))
    times = f" ({problem.count:,} times)" if problem.count > 1 else ""
    return f"{when}  {problem.kind}: {problem.message or problem.place}{times}".replace("\n", " ")
