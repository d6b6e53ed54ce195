"""A list to choose from for narrow panels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

from gui.painting import painting


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
