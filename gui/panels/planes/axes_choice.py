"""Choice of two of many inputs as the axes of a map, or of a map without axes, with a place for each sample."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TEXTS = {
    "samples": "each sample",
    "tip": "With more than two inputs there is no map of all of them: choose two that vary, the others stay at "
    "their means",
}


class AxesChoice(QWidget):
    """Two lists of the inputs, seen where there are more than two.

    Signals:
        chosen(): `columns` is new.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._suggested: tuple[int, ...] = ()
        self.across, self.up = (NarrowCombo(f"input {name}", TEXTS["tip"]) for name in ("across", "up"))
        self.across.activated.connect(self._follow_across)
        self.up.activated.connect(lambda _index: self._keep_apart(self.up, self.across))
        parts = (muted_label("vary"), self.across, 1, self.up, 1)
        add_widgets(QHBoxLayout(self), *parts, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    @property
    def columns(self) -> tuple[int, ...]:
        """The inputs that vary, from 0: two of them or none."""
        first = self.across.currentIndex() - 1
        return () if first < 0 else (first, max(0, self.up.currentIndex()))

    @property
    def is_suggested(self) -> bool:
        """True when the inputs that vary are the suggested ones."""
        return bool(self.columns) and self.columns == self._suggested

    def offer(self, names: Sequence[str], suggested: tuple[int, ...]) -> None:
        """Offer the inputs of other data; with two of them or one there is nothing to choose.

        Args:
            names: of the inputs.
            suggested: the two inputs that vary until the user chooses others; none with fewer than three inputs.
        """
        if (tuple(names), suggested) == (self._names, self._suggested):
            return
        self._names, self._suggested = tuple(names), suggested
        self.across.clear()
        self.up.clear()
        self.across.addItems([TEXTS["samples"], *names])
        self.up.addItems(list(names))
        if suggested:
            self.across.setCurrentIndex(suggested[0] + 1)
            self.up.setCurrentIndex(suggested[1])
        self.up.setVisible(bool(suggested))
        self.setVisible(len(names) > 2)

    def _follow_across(self) -> None:
        self.up.setVisible(self.across.currentIndex() > 0)
        self._keep_apart(self.across, self.up)

    def _keep_apart(self, changed: QComboBox, other: QComboBox) -> None:
        """Keep the axes different: the other list gets the next input."""
        first, second = self.columns or (-1, -2)
        if first == second:
            following = (first + 1) % len(self._names)
            other.setCurrentIndex(following + (1 if other is self.across else 0))
        self.chosen.emit()
