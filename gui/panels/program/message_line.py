"""Messages under the editor: an error or notes, each with its place, and buttons for suggested fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from engine.language import Fix
from gui.actions.program import FIX_KEYS
from gui.theme import set_style_property
from gui.widgets.buttons import push_button
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
    """A text that leads somewhere: by a click, or Enter. It can be selected and copied.

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
    """Messages one below the other; a click on one, or Enter for the first, goes to its place.

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
        self.setToolTip(f"{whole}\n\nClick, or press Enter, to go to the place." if self._messages else "")

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
        shown = "shows what changes first" if fix.preview else "changes the program"
        tip = f"{text}: {shown}{keys}; undo takes it back"
        button = push_button(text, tip, lambda: self.chosen.emit(fix))
        button.setMinimumWidth(40)  # a long one gives way in a narrow panel
        return button
