"""A list to choose from for narrow panels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter


class NarrowCombo(QComboBox):
    """As wide as there is room, not as its longest entry; where the chosen one has no room, it ends in "…".

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
        """As Qt paints it, which cuts words off in the middle of a letter, with "…" where they end."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        words = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        option.currentText = words
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
