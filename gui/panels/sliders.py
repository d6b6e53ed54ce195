"""A slider for each leaf of the program: dragging one writes its new number into the text."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QMenu, QSlider, QToolButton, QWidget, QWidgetAction

from gui.theme import mono_font

POSITIONS = 1000
MOST_SLIDERS = 40


def default_range(number: float) -> tuple[float, float]:
    """A range around `number` with room on both sides, with round ends."""
    reach = max(2 * abs(number), 4.0)
    if not math.isfinite(reach) or reach > 1e9:
        return (-1e9, 1e9)
    size = 10.0 ** math.floor(math.log10(reach))
    reach = math.ceil(reach / size) * size
    return (-reach, reach)


def rounded(number: float, low: float, high: float) -> float:
    """`number` rounded to what a slider between `low` and `high` can tell apart, so that the text stays short."""
    digits = max(0, 2 - math.floor(math.log10(max(high - low, 1e-12) / 2)))
    return round(number, digits) + 0.0


class LeafSlider(QWidget):
    """Name, slider and number of one leaf.

    Signals:
        dragged(str, float, int): name, new number, and a count that is the same during one drag.
        range_chosen(str, float, float): name and the new ends.
    """

    dragged = Signal(str, float, int)
    range_chosen = Signal(str, float, float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._range = (-1.0, 1.0)
        self._drag = 0
        self._label = QLabel(name)
        self._label.setFont(mono_font(12))
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, POSITIONS)
        self._slider.setAccessibleName(f"value of {name}")
        self._slider.setMinimumWidth(60)
        self._number = QToolButton()
        self._number.setFont(mono_font(12))
        self._number.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._number.setToolTip("Click to change the ends of the slider")
        self._number.setMenu(self._make_menu())
        row = QGridLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setHorizontalSpacing(8)
        for column, widget in enumerate((self._label, self._slider, self._number)):
            row.addWidget(widget, 0, column)
        row.setColumnMinimumWidth(0, 34)
        self._number.setFixedWidth(72)
        row.setColumnStretch(1, 1)
        self._slider.sliderPressed.connect(self._begin_drag)
        self._slider.valueChanged.connect(self._moved)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        box = QWidget()
        grid = QGridLayout(box)
        self._ends = (QLineEdit(), QLineEdit())
        for row, (title, field) in enumerate(zip(("from", "to"), self._ends, strict=True)):
            field.setAccessibleName(f"slider of {self.name}, {title}")
            field.setMaximumWidth(90)
            field.editingFinished.connect(self._choose_range)
            grid.addWidget(QLabel(title), row, 0)
            grid.addWidget(field, row, 1)
        action = QWidgetAction(menu)
        action.setDefaultWidget(box)
        menu.addAction(action)
        return menu

    def show_number(self, number: float, ends: tuple[float, float]) -> None:
        """Shows the leaf's number; nothing is announced."""
        low, high = min(ends[0], number), max(ends[1], number)
        self._range = (low, high)
        self._number.setText(f"{number:.4g}")
        for field, end in zip(self._ends, self._range, strict=True):
            if not field.hasFocus():
                field.setText(f"{end:g}")
        if not self._slider.isSliderDown():
            self._slider.blockSignals(True)
            self._slider.setValue(round((number - low) / (high - low) * POSITIONS) if high > low else 0)
            self._slider.blockSignals(False)

    def _begin_drag(self) -> None:
        self._drag += 1

    def _moved(self, position: int) -> None:
        low, high = self._range
        if not self._slider.isSliderDown():
            self._drag += 1
        self.dragged.emit(self.name, rounded(low + (high - low) * position / POSITIONS, low, high), self._drag)

    def _choose_range(self) -> None:
        try:
            low, high = (float(field.text()) for field in self._ends)
        except ValueError:
            return
        if math.isfinite(low) and math.isfinite(high) and low < high and (low, high) != self._range:
            self.range_chosen.emit(self.name, low, high)
