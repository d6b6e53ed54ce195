"""A list to choose from for narrow panels."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox


class NarrowCombo(QComboBox):
    """As wide as there is room, not as its longest entry.

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
