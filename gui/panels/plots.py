"""What the plots share: a plot in the theme's colours, axes with readable ticks, colours and markers of classes.

pyqtgraph's own logarithmic mode loses a curve that touches 0, so a logarithmic axis here is a plain one: the panel
plots logarithms, and the axis labels them with the numbers they stand for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QFrame

from gui.theme import LIGHT, Colors, mono_font

BOTTOM_HEIGHT = 34  # pixels: ticks and the axis's name
MARKERS = ("o", "s", "t1", "d", "star", "p", "h", "t", "x", "+")
"""Marker of each class, so that classes differ by shape too."""


def class_colors(colors: Colors) -> list[str]:
    """Colour of each class's points; class 1 is the positive one."""
    first = [colors.negative, colors.positive, colors.third]
    return [
        *first,
        colors.accent,
        colors.error,
        colors.muted,
        colors.text,
        colors.negative,
        colors.positive,
        colors.third,
    ]


def class_tints(colors: Colors) -> list[str]:
    """Colour of each class's area in the decision boundary."""
    first = [colors.negative_tint, colors.positive_tint, colors.third_tint]
    return [*first, colors.accent, colors.error, colors.muted, colors.neutral, *first]


def blend(low: str, middle: str, high: str, size: int = 256) -> NDArray[np.uint8]:
    """A colour table (size, 3) from one colour through another to a third."""
    stops = np.array([[QColor(name).red(), QColor(name).green(), QColor(name).blue()] for name in (low, middle, high)])
    places = np.linspace(0.0, 2.0, size)
    channels = [np.interp(places, [0.0, 1.0, 2.0], stops[:, channel]) for channel in range(3)]
    return np.column_stack(channels).astype(np.uint8)


def short_number(number: float) -> str:
    """A tick in as few characters as a narrow axis has: 0.05, 250, 2.5k, 1.5M."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{suffix}"
    return f"{number:g}" if abs(number) >= 1e-3 or number == 0.0 else f"{number:.0e}".replace("e-0", "e-")


LARGEST_EXPONENT = 310.0
"""No float has a larger one; while a plot is being resized its axis may be asked for anything."""


def drawable(numbers: NDArray[Any]) -> NDArray[Any]:
    """Finite numbers that a plot can still multiply: it overflows with what only just fits into a float."""
    return np.clip(np.nan_to_num(numbers.astype(np.float64)), -1e150, 1e150)


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Exponents of ten, ascending, for the ticks of a logarithmic axis.

    Args:
        low: exponent at the lower end.
        high: exponent at the upper end.
        most: ticks there is room for, 2 or more.
    """
    low, high = max(low, -LARGEST_EXPONENT), min(high, LARGEST_EXPONENT)
    decades = list(range(math.ceil(low), math.floor(high) + 1))
    if len(decades) >= 2 or high - low > 1.5:
        every = max(1, math.ceil(len(decades) / max(most, 2)))
        return [float(decade) for decade in decades if decade % every == 0]
    digits = (1, 2, 5) if high - low > 0.4 else range(1, 10) if high - low > 0.1 else np.arange(1.0, 10.0, 0.1)
    first = math.floor(low)
    ticks = [decade + math.log10(digit) for decade in (first, first + 1) for digit in digits]
    inside = [tick for tick in ticks if low <= tick <= high]
    return inside[:: max(1, math.ceil(len(inside) / max(most, 2)))]


class Axis(pg.AxisItem):
    """An axis with short tick labels that can stand for powers of ten."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.logarithmic = False
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=4)

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Labels exponents of ten with the numbers they stand for, or numbers with themselves."""
        self.logarithmic = logarithmic
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """Ticks with room between them."""
        if not self.logarithmic:
            levels: list[tuple[float, list[float]]] = super().tickValues(minVal, maxVal, size)
            return levels[:2]
        return [(1.0, log_ticks(minVal, maxVal, int(size / 24)))]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Labels of the ticks."""
        if self.logarithmic:
            return [short_number(float(f"{10.0**value:.2g}")) for value in values]
        return [short_number(round(value, 12)) for value in values]


class Plot(pg.PlotWidget):
    """A plot that shows and does not take part in scrolling; no menu, no buttons."""

    def __init__(self, name: str) -> None:
        """Makes an empty plot; `name` is what screen readers call it."""
        self.axes = {side: Axis(side) for side in ("bottom", "left")}
        super().__init__(axisItems=self.axes)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMenuEnabled(False)
        menu = self.plotItem.ctrlMenu
        for part in (menu, *(action.menu() for action in menu.actions())):
            part.setParent(self, part.windowFlags())  # pyqtgraph makes them without an owner
        self.hideButtons()
        self.setMouseEnabled(False, False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.axes["bottom"].setHeight(BOTTOM_HEIGHT)
        self.set_colors(LIGHT)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leaves the wheel to whoever scrolls."""
        event.ignore()

    def set_colors(self, colors: Colors) -> None:
        """Background, axes and their texts in the theme's colours."""
        self.setBackground(colors.panel)
        for axis in self.axes.values():
            axis.setPen(pg.mkPen(colors.line))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickFont=mono_font(10))
            axis.label.setFont(mono_font(10))
