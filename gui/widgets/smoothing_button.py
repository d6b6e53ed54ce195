"""A button that shows the smoothing of curves, with a menu of choices."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

WEIGHTS = (0.0, 0.6, 0.9, 0.97)
TEXTS = {
    "off": "smooth",
    "on": "smooth {weight:g}",
    "choice off": "As recorded",
    "choice": "Weight {weight:g}",
    "tip": "Smooths the curves: an exponential moving average, in which each point counts {weight:g} times as much as "
    "the one after it. The recorded curve stays faint behind it.",
    "tip off": "Smooths the curves by an exponential moving average: the larger the weight, the smoother the curve, "
    "and the later a change is seen in it. The recorded curve stays faint behind it.",
    "short": "avg",
    "short on": "avg {weight:g}",
}
"""Texts of the button and its menu."""


class SmoothingButton(QToolButton):
    """The button.

    Attributes:
        weight: of the average before each point, 0 for none.

    Signals:
        weight_chosen(float): another one.
    """

    weight_chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.weight, self._is_short = 0.0, False
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setStyleSheet("padding: 1px 4px;")
        self.setAccessibleName("smoothing of the curves")
        menu, group = QMenu(self), QActionGroup(self)
        for weight in WEIGHTS:
            action = QAction(TEXTS["choice"].format(weight=weight) if weight else TEXTS["choice off"], group)
            action.setCheckable(True)
            action.setChecked(weight == 0.0)
            action.triggered.connect(lambda _checked, weight=weight: self.choose(weight))
            menu.addAction(action)
        self.setMenu(menu)
        self._show()

    def choose(self, weight: float) -> None:
        """Smooth so strongly, one of `WEIGHTS`."""
        self.weight = weight
        self.menu().actions()[WEIGHTS.index(weight)].setChecked(True)
        self._show()
        self.weight_chosen.emit(weight)

    def shorten(self, is_short: bool) -> None:
        """Switch between the short and the long text."""
        if is_short != self._is_short:
            self._is_short = is_short
            self._show()

    def _show(self) -> None:
        short, long = ("short on", "on") if self.weight else ("short", "off")
        self.setText(TEXTS[short if self._is_short else long].format(weight=self.weight))
        self.setToolTip(TEXTS["tip" if self.weight else "tip off"].format(weight=self.weight))
