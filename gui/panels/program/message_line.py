"""Lines under the editor: errors and notes with places and fixes, rules of a program's own engine, the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.document.fields import line_count
from engine.language import Fix
from engine.language.engine_rows import EngineCheckRow
from engine.teaching.typeset import true_minus
from gui.actions.program import FIX_KEYS
from gui.session import Session
from gui.theme import set_style_property
from gui.widgets.buttons import push_button, tool_button
from gui.widgets.labels import ElidedLabel, literal_tip, muted_label
from gui.widgets.layouts import add_widgets

MOST_OF_THE_PANEL = 0.25
MOST_AT_ONCE = 20
ALWAYS_SHOWN = 3
"""Up to this many messages are all shown, whatever room they take."""


class Message(NamedTuple):
    """A sentence and the line and column that it is about, from 1; None when it is about the whole."""

    text: str
    place: tuple[int, int] | None = None


class LeadingLabel(QLabel):
    """Label that emits a signal on a click or Enter; its text can be selected and copied.

    Signals:
        chosen(float): the height that was clicked, pixels of the label; 0 for Enter.
    """

    chosen = Signal(float)

    def __init__(self, name: str) -> None:
        """Make an empty one; `name` is what screen readers call it."""
        super().__init__(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAccessibleName(name)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.hasSelectedText():
            self.chosen.emit(event.position().y())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(0.0)
        else:
            super().keyPressEvent(event)


class MessageLine(LeadingLabel):
    """List of messages; a click on one, or Enter for the first, goes to its place.

    As many are shown as leave room for the editor, two or three always; the first twenty stand in the tip.

    Signals:
        place_chosen(int, int): line and column.
    """

    place_chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__("errors and notes")
        self._messages: tuple[Message, ...] = ()
        self._shown: list[Message] = []
        self.chosen.connect(self._go)

    def say(self, messages: Sequence[Message], error: bool = False) -> None:
        """Show the messages, or nothing; an error in its colour."""
        self._messages = tuple(messages)
        set_style_property(self, "error", error)
        self.fit()
        placed = any(message.place is not None for message in messages)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if placed else Qt.FocusPolicy.ClickFocus)
        self.setVisible(bool(messages))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Drop the last messages if they would take more than their share of the panel."""
        panel = self.parentWidget() or self
        room = panel.height() * MOST_OF_THE_PANEL
        count = min(len(self._messages), MOST_AT_ONCE)
        if len(self._messages) > ALWAYS_SHOWN:
            while count > 1 and self._height_of(self._first(count)) > room:
                count -= 1
        self._shown = self._first(count)
        text = "\n".join(message.text for message in self._shown)
        if text != self.text():
            self.setText(text)
        whole = "\n".join(message.text for message in self._first(MOST_AT_ONCE))
        tip = f"{whole}\n\nClick, or press Enter, to go to the place." if self._messages else ""
        self.setToolTip(literal_tip(tip))

    def _first(self, count: int) -> list[Message]:
        """The first messages, and how many there are besides."""
        more = len(self._messages) - count
        return [*self._messages[:count], *([Message(f"… and {more:,} more")] if more > 0 else [])]

    def _height_of(self, messages: Sequence[Message]) -> int:
        """Pixels that messages take, wrapped."""
        room = QRect(0, 0, self.contentsRect().width(), 100_000)
        text = "\n".join(message.text for message in messages)
        return self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()

    def _message_at(self, y: float) -> Message | None:
        """The message that is written at a height, pixels of the label."""
        for count, message in enumerate(self._shown, 1):
            if y < self.contentsRect().top() + self._height_of(self._shown[:count]):
                return message
        return self._shown[-1] if self._shown else None

    def _go(self, y: float) -> None:
        message = self._message_at(y)
        if message is not None and message.place is not None:
            self.place_chosen.emit(*message.place)


class FixButtons(QWidget):
    """A button for each edit that repairs the error; hidden when there is none.

    Signals:
        chosen(object): the Fix.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._row = add_widgets(QHBoxLayout(self), margins=(0, 0, 0, 0), spacing=6)
        self.fixes: tuple[Fix, ...] = ()
        self.hide()

    def offer(self, fixes: tuple[Fix, ...]) -> None:
        """Show a button for each."""
        if fixes == self.fixes:
            return
        self.fixes = fixes
        while (item := self._row.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.hide()
                button.deleteLater()
        for index, fix in enumerate(fixes):
            self._row.addWidget(self._button(fix, f" ({FIX_KEYS})" if index == 0 else ""))
        self._row.addStretch(1)
        self.setVisible(bool(fixes))

    def _button(self, fix: Fix, keys: str) -> QPushButton:
        text = fix.title[:1].upper() + fix.title[1:] + ("…" if fix.preview else "")
        shown = "shows the changes first" if fix.preview else "changes the program"
        tip = f"{text}: {shown}{keys}; undo takes it back"
        button = push_button(text, tip, lambda: self.chosen.emit(fix))
        button.setMinimumWidth(40)  # a long one gives way in a narrow panel
        return button


STRIP_TEXTS = {
    "wrong": "✗ {message}",
    "right": "✓ All rules agree with Gradstep's.",
    "right but": "✓ All rules agree with Gradstep's. {message}.",
    "right but loss rises": "All rules agree with Gradstep's, but the loss rises over the loop.",
    "some right": "{right:,} of {count:,} rules agree with Gradstep's engine.",
    "pass wrong": "All {count:,} rules agree; the backward pass does not.",
    "tip": "Click, or press Enter, to go to the line",
    "next": "next",
    "next tip": "Next problem",
}
"""Texts of the strip besides the messages of the check."""


def wrong_rows(rows: Sequence[EngineCheckRow]) -> list[EngineCheckRow]:
    """Return the rows to be shown: the first of several with the same message."""
    rows_by_place: dict[tuple[int, str], EngineCheckRow] = {}
    for row in rows:
        if not row.ok and row.message:
            rows_by_place.setdefault((row.line, row.message), row)
    return list(rows_by_place.values())


class EngineStrip(QWidget):
    """Strip on the rules of a program's own engine; hidden for the built-in engine.

    Attributes:
        words: what is wrong, or that nothing is; a click goes to its line.
        count: how many rules are right.
        next: shows the next thing that is wrong.

    Signals:
        line_chosen(int): a line that the user wants to see.
    """

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[EngineCheckRow] = []
        self._checked: tuple[EngineCheckRow, ...] | None = None
        self._loss_rises = False
        self._index = 0
        self.words = LeadingLabel("check of your own engine")
        self.words.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words.setToolTip(STRIP_TEXTS["tip"])
        self.words.chosen.connect(lambda _y: self._go())
        self.count = muted_label(wrap=True)
        self.next = tool_button(STRIP_TEXTS["next"], STRIP_TEXTS["next tip"], self._show_next, padding="0 8px")
        below = add_widgets(QHBoxLayout(), self.count, 1, self.next, margins=(0, 0, 0, 0))
        add_widgets(QVBoxLayout(self), self.words, below, margins=(0, 0, 0, 0), spacing=2)
        self.hide()

    @property
    def lines(self) -> tuple[int, ...]:
        """Lines of the program in which something is wrong."""
        return tuple(sorted({row.line for row in self._rows}))

    def show_rows(self, rows: tuple[EngineCheckRow, ...] | None, loss_rises: bool = False) -> None:
        """Show what a check has found; None where there was nothing to check.

        Args:
            rows: of the check.
            loss_rises: the program's own loop makes its loss larger: no tick then, however right the rules are.
        """
        if (rows, loss_rises) == (self._checked, self._loss_rises):
            return
        self._checked, self._loss_rises = rows, loss_rises
        self._rows = wrong_rows(rows or ())
        self._index = 0
        self.setVisible(bool(rows))
        self._show()

    def _show(self) -> None:
        checked = self._checked or ()
        wrong = self._rows[self._index] if self._rows else None
        remark = next((row.message for row in checked if row.ok and row.message), "")
        kind, message = ("wrong", wrong.message) if wrong is not None else ("right but" if remark else "right", remark)
        kind = "right but loss rises" if kind == "right" and self._loss_rises else kind
        self.words.setText(STRIP_TEXTS[kind].format(message=true_minus(message)))
        set_style_property(self.words, "error", wrong is not None)
        rules = [row.ok for row in checked if not row.of_pass]
        of_rules = STRIP_TEXTS["pass wrong" if all(rules) else "some right"]  # all correct: the mistake is in the pass
        self.count.setText("" if wrong is None else of_rules.format(right=sum(rules), count=len(rules)))
        self.count.setVisible(wrong is not None)
        self.next.setVisible(len(self._rows) > 1)

    def _show_next(self) -> None:
        self._index = (self._index + 1) % len(self._rows)
        self._show()
        self._go()

    def _go(self) -> None:
        if self._rows:
            self.line_chosen.emit(self._rows[self._index].line)


RUN_TEXTS = {
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
    """Line on a slow, stopped or partial run; hidden otherwise.

    Attributes:
        words: how long the program has been running, or which lines are not run.
        stop, on, again, all: the buttons.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.words = ElidedLabel()
        self.words.setProperty("muted", True)
        self.stop = tool_button(RUN_TEXTS["stop"], RUN_TEXTS["stop tip"], session.program.stop)
        self.again = tool_button(RUN_TEXTS["again"], RUN_TEXTS["again tip"], session.program.run_again)
        self.on = tool_button(RUN_TEXTS["on"], RUN_TEXTS["on tip"], session.program.run_on)
        self.all = tool_button(RUN_TEXTS["all"], RUN_TEXTS["all tip"], lambda: session.program.run_up_to(None))
        buttons = self.stop, self.on, self.again, self.all
        add_widgets(QHBoxLayout(self), self.words, 1, *buttons, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    def show_run(self) -> None:
        """Show how the run stands."""
        program = self._session.program
        words = ""
        if program.is_slow and not program.is_preparing:
            words = RUN_TEXTS["running"].format(seconds=program.seconds)
        elif program.last_line is not None:
            last = line_count(self._session.document.expression.text.rstrip())
            words = RUN_TEXTS["part"].format(first=program.last_line + 1, last=last)
        self.words.setText(words)
        self.stop.setVisible(program.is_slow)
        can_run_on = program.can_run_on and not program.busy and not program.trouble
        self.on.setVisible(can_run_on)
        self.again.setVisible(bool(program.trouble))
        self.all.setVisible(program.last_line is not None)
        self.setVisible(program.is_slow or can_run_on or bool(program.trouble) or program.last_line is not None)
