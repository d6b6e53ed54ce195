"""Two buttons: the samples that are trained on, or those that only test; hidden where there are none of these."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QToolButton

from gui.widgets.layouts import filled

KINDS = {
    "train": "The samples that are trained on: the gradients come from them",
    "test": "The samples that are only looked at",
}
"""The kinds of samples, and what a button's tip says of each."""


class KindChoice(QFrame):
    """The buttons.

    Attributes:
        is_test: whether those that only test are chosen.
        buttons: for both kinds.

    Signals:
        kind_chosen(): by a click, another one.
    """

    kind_chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("segments")
        self.is_test = False
        self.buttons: list[QToolButton] = []
        group = QButtonGroup(self)
        for index, (kind, tip) in enumerate(KINDS.items()):
            button = QToolButton()
            button.setText(kind)
            button.setToolTip(tip)
            button.setCheckable(True)
            button.clicked.connect(partial(self._click, index == 1))
            group.addButton(button)
            self.buttons.append(button)
        filled(QHBoxLayout(self), *self.buttons, margins=(1, 1, 1, 1), spacing=0)
        self.choose(False)

    def show_kinds(self, has_test: bool) -> None:
        """Is there for a choice only."""
        self.setVisible(has_test)
        self.choose(self.is_test and has_test)

    def choose(self, is_test: bool) -> None:
        """Chooses one of them, without a word."""
        self.is_test = is_test
        self.buttons[is_test].setChecked(True)

    def _click(self, is_test: bool) -> None:
        self.choose(is_test)
        self.kind_chosen.emit()
