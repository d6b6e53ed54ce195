"""Buttons of which one is on, side by side in one frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QWidget

from gui.widgets.buttons import tool_button
from gui.widgets.layouts import add_widgets


def segmented(buttons: Sequence[QWidget]) -> QFrame:
    """A frame with the buttons, whose actions are choices of one another."""
    frame = QFrame()
    frame.setObjectName("segments")
    add_widgets(QHBoxLayout(frame), *buttons, margins=(1, 1, 1, 1), spacing=0)
    return frame


class Segments(QFrame):
    """Buttons of which one is on, the first one to begin with.

    Attributes:
        buttons: from left to right.

    Signals:
        clicked(int): the user has clicked a button, counted from 0.
    """

    clicked = Signal(int)

    def __init__(self, captions: Iterable[tuple[str, str]]) -> None:
        """Make a button for each text and its tip."""
        super().__init__()
        self.setObjectName("segments")
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self.clicked)
        self.buttons = [tool_button(text, tip, checkable=True) for text, tip in captions]
        for index, button in enumerate(self.buttons):
            self._group.addButton(button, index)
            button.setMinimumWidth(1)  # without room its text ends in "…" instead of making the panel scroll
        add_widgets(QHBoxLayout(self), *self.buttons, margins=(1, 1, 1, 1), spacing=0)
        self.choose(0)

    @property
    def chosen(self) -> int:
        """The button that is on."""
        return self._group.checkedId()

    def choose(self, index: int) -> None:
        """Switch a button on; silent."""
        self.buttons[index].setChecked(True)
