"""Widgets to choose one of several things: buttons side by side in one frame, and a list for narrow panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QComboBox, QFrame, QHBoxLayout, QStyle, QStyleOptionComboBox, QWidget

from gui.painting import painting
from gui.widgets.buttons import tool_button
from gui.widgets.layouts import add_widgets


def segmented(buttons: Sequence[QWidget]) -> QFrame:
    """A frame with the buttons, whose actions are choices of one another."""
    frame = QFrame()
    frame.setObjectName("segments")
    add_widgets(QHBoxLayout(frame), *buttons, margins=(1, 1, 1, 1), spacing=0)
    return frame


class Segments(QFrame):
    """Row of exclusive buttons; the first one is on at first.

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


class NarrowCombo(QComboBox):
    """Combo box as wide as there is room, not as its longest entry; a longer choice ends in "…".

    Args:
        name: what screen readers call it.
        tip: what is chosen.
        letters: it has room for so many at least.
    """

    def __init__(self, name: str, tip: str, letters: int = 4) -> None:
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        super().__init__(sizeAdjustPolicy=policy, minimumContentsLength=letters)
        self.setAccessibleName(name)
        self.setToolTip(tip)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option, style = QStyleOptionComboBox(), self.style()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        option.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        with painting(self) as painter:
            style.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option, painter, self)
            style.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option, painter, self)
