"""Plots: zoom and pan, axes with readable ticks, colours and markers of classes.

pyqtgraph's own logarithmic mode loses a curve that touches 0, so a logarithmic axis here is a plain one: the panel
plots logarithms, and the axis labels them with the numbers they stand for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from gui.number_texts import tick_text
from gui.plots.plot_actions import PLOT_ACTIONS
from gui.plots.ticks import log_labels, log_ticks
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.action_set import ActionSet
from gui.widgets.layouts import add_widgets

Range = tuple[float, float]
"""Lower and upper end of an axis."""

LABEL_HEIGHT, LABEL_WIDTH = 24, 52  # pixels, in the designed size of text, that a label of a logarithmic axis takes
LABEL_MARGIN = 8  # pixels at either end of a logarithmic axis, half as high as a label
BOTTOM_HEIGHT, TICKS_HEIGHT = 34, 19  # pixels: of the lower axis with its name, and without
DEEPEST, WIDEST = 1e-4, 3.0  # the smallest and the largest view, in sizes of the whole
GESTURES = "Wheel: zoom, over an axis only that axis. Drag: move. Double click: show everything. Keys: + - arrows 0."
"""Gestures of every plot, for its tooltip."""

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


def color_table(low: str, middle: str, high: str) -> NDArray[np.uint8]:
    """A table (256, 3) of colours from one through another to a third."""
    colors = [pg.mkColor(name) for name in (low, middle, high)]
    table: NDArray[np.uint8] = pg.ColorMap([0.0, 0.5, 1.0], colors).getLookupTable(nPts=256, alpha=False)
    return table


@lru_cache(1)
def brightness_table() -> NDArray[np.uint8]:
    """A table (256, 3) of colours from dark to bright: even steps, readable for colour-blind people and in grey."""
    table: NDArray[np.uint8] = pg.colormap.get("viridis").getLookupTable(nPts=256, alpha=False)
    return table


def rgb(color: str) -> NDArray[np.float64]:
    """Red, green and blue of a colour #rrggbb, (3,), 0 to 255."""
    return np.array(pg.mkColor(color).getRgb()[:3], dtype=float)


def target_colors(numbers: NDArray[Any], levels: Range, colors: Colors) -> list[str]:
    """The colour, #rrggbb, of each point on a map of numbers to predict, by its target (n,).

    Args:
        numbers: the targets.
        levels: those that have the strongest colours, lower and upper.
        colors: of the theme.
    """
    low, high = levels
    shades = np.clip((numbers - low) / (high - low) * 255, 0, 255).astype(int)
    table = color_table(colors.negative, colors.panel, colors.positive)
    return ["#{:02x}{:02x}{:02x}".format(*color) for color in table[shades]]


def digits_between(numbers: Sequence[float], spacing: float) -> int:
    """Significant digits, 1 to 15, in which numbers `spacing` apart differ."""
    largest = max(map(abs, numbers), default=0.0)
    if not 0.0 < spacing <= largest < math.inf:
        return 6
    return min(15, max(1, math.floor(math.log10(largest)) - math.floor(math.log10(spacing)) + 2))


LARGEST = 1e150
"""Largest number that a plot can multiply; larger floats overflow."""


def drawable(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that a plot can multiply: nan becomes 0, too large ones `LARGEST`."""
    return np.clip(np.nan_to_num(numbers.astype(np.float64)), -LARGEST, LARGEST)


LEAST_FILLED, ROOM_TO_GROW = 0.75, 0.1
"""Shares of a range: least filled part of the shown range, and free room at an end that still grows."""


def range_around(numbers: NDArray[Any], least: float = 0.0, margin: float = 0.06) -> Range:
    """The part of an axis that shows finite numbers, (n,): a little more than they span.

    Args:
        numbers: at most `LARGEST` each; of one, or of equal ones, the surroundings are shown; of none 0 to 1.
        least: the smallest span to show, 0 or more.
        margin: added on either side, as a share of the span.
    """
    if not numbers.size:
        return 0.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    largest = max(abs(low), abs(high))
    if high - low <= 1e-9 * largest or high - low < 1e-290:
        least = max(least, largest if largest > 1e-290 else 1.0)
    room = margin * (high - low) + max(0.0, least - (high - low)) / 2
    return low - room, high + room


def steady_range(wanted: Range, shown: Range, grows: Range = (1.0, 1.0)) -> Range:
    """Return a steady axis range for numbers that change many times a second; each change would relabel the axis, which
    takes a millisecond.

    Args:
        wanted: what would fit best now.
        shown: the present range of the axis.
        grows: how much of the usual room is left below and above for numbers to go on.

    Returns:
        `shown` when the numbers fit into it and fill most of it; else the wanted range with room to grow.
    """
    (low, high), (bottom, top) = wanted, shown
    if bottom <= low and high <= top and high - low >= LEAST_FILLED * (top - bottom):
        return shown
    room = ROOM_TO_GROW * (high - low)
    return low - grows[0] * room, high + grows[1] * room


class Axis(pg.AxisItem):
    """An axis with short tick labels.

    Attributes:
        logarithmic: numbers are exponents of ten, see `set_logarithmic`.
        whole_numbers: only these have ticks, as for steps and samples.
    """

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.logarithmic = self.whole_numbers = False
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=4, hideOverlappingLabels=True)

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Label exponents of ten with the numbers they stand for, or numbers with themselves."""
        self.logarithmic = logarithmic
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        if self.logarithmic:
            room = text_pixels(LABEL_HEIGHT if self.orientation in ("left", "right") else LABEL_WIDTH)
            margin = min(0.25, LABEL_MARGIN / max(size, 1.0)) * (maxVal - minVal)  # pyqtgraph hides what sticks out
            ticks = log_ticks(minVal + margin, maxVal - margin, max(int(size / room), 2))
            pixels = np.diff(ticks) * size / max(maxVal - minVal, 1e-9)
            return [(1.0, ticks if pixels.min(initial=room) >= room / 2 else [])]  # none rather than one over another
        levels: list[tuple[float, list[float]]] = super().tickValues(minVal, maxVal, size)
        if self.whole_numbers:
            levels = [level for level in levels if level[0] >= 1.0] or [(1.0, _whole(minVal, maxVal))]
        return levels[:2]

    def labelString(self) -> str:
        """Return the HTML that pyqtgraph draws, in which the name is plain text: that of a column may hold tags."""
        style = ";".join(f"{key}: {value}" for key, value in self.labelStyle.items())
        return f"<span style='{style}'>{escape(self.labelText)}</span>"

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.logarithmic:
            return log_labels(values)
        digits = digits_between(values, spacing)
        return [tick_text(round(value / spacing) * spacing if spacing else value, digits) for value in values]


def _whole(low: float, high: float) -> list[float]:
    """Return the whole numbers in a view, at most 10."""
    return [float(number) for number in range(math.ceil(low), math.floor(high) + 1)][:10]


class Plot(pg.PlotWidget):
    """A plot that is zoomed and moved by wheel, drag and keys; no menu.

    `show_range` sets the range of the content. The view follows it until the user zooms or pans; then it stays
    where it is until a double click, the key 0 or the button "Fit" shows everything again.

    Attributes:
        whole: range of the content, across and up.
        zoomed: the user has chosen the view.
        fit_button: the button for a corner; it is seen while the view is the user's.
        key_sets: the actions whose keys work while it has the keyboard; those before have their keys first.
        drawn_on: points are drawn by clicks, so a double click is two clicks.

    Signals:
        zoom_changed(bool): `zoomed` is new.
    """

    zoom_changed = Signal(bool)

    def __init__(self, name: str, sides: Sequence[str] = ("bottom", "left")) -> None:
        """Make an empty plot.

        Args:
            name: what screen readers call it.
            sides: those that have an axis.
        """
        self.axes = {side: Axis(side) for side in sides}
        self.whole: tuple[Range, Range] = (0.0, 1.0), (0.0, 1.0)
        self._colors = LIGHT
        self._looks: tuple[Colors, int] | None = None
        super().__init__(axisItems=self.axes, enableMenu=False)
        self.zoomed = False
        self.setAccessibleName(name)
        self.setAccessibleDescription(GESTURES)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMenuEnabled(False)
        menu = self.plotItem.ctrlMenu
        for part in (menu, *menu.findChildren(QMenu)):  # not QAction.menu(): PySide6 6.9 deletes what that gives
            part.setParent(self, part.windowFlags())  # pyqtgraph makes them without an owner
        self.hideButtons()
        self.box = self.getPlotItem().getViewBox()
        self.box.disableAutoRange()
        self.box.sigRangeChangedManually.connect(lambda _axes: self._set_zoomed(True))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._has_names, self._left_width = True, 0
        self.action_set = ActionSet(self, PLOT_ACTIONS)
        self.key_sets = [self.action_set]
        self.drawn_on = False
        self.fit_button = button = self.action_set.button("fit plot")
        button.setParent(self)
        button.setAccessibleName(f"show all of {name}")
        button.setStyleSheet("padding: 1px 8px;")
        button.hide()
        self.set_colors(LIGHT)

    def lay_corner(self, *widgets: QWidget) -> None:
        """Place the button that shows everything, and other widgets, in the upper right corner."""
        corner = add_widgets(QHBoxLayout(self), self.fit_button, *widgets, margins=(0, 4, 6, 0))
        corner.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def leave_above(self, pixels: int) -> None:
        """Reserve room above the plot, pixels, so that widgets in its corner cover nothing."""
        self.getPlotItem().setContentsMargins(0, pixels, 0, 0)

    def fix_left_width(self, pixels: int) -> None:
        """Fix the width of the left axis, pixels at the designed text size."""
        self._left_width = pixels
        self.axes["left"].setWidth(text_pixels(pixels))

    def show_names(self, visible: bool) -> None:
        """Show or hide the names of the axes: a low plot needs their room."""
        self._has_names = visible
        for axis in self.axes.values():
            axis.showLabel(visible and bool(axis.labelText))
        self.axes["bottom"].setHeight(text_pixels(BOTTOM_HEIGHT if visible else TICKS_HEIGHT))

    # View

    @property
    def aspect(self) -> float:
        """Width over height of the room inside the axes."""
        return float(max(self.box.width(), 1.0) / max(self.box.height(), 1.0))

    def show_range(self, x: Range, y: Range) -> None:
        """Set the range of the content; a view chosen by the user stays, as does any view if a number is not finite."""
        if not np.isfinite((*x, *y)).all():
            return
        if (x, y) != self.whole:
            self.whole = x, y
            self._limit(x, y)
        if not self.zoomed:
            self.box.setRange(xRange=x, yRange=y, padding=0)
            self.box.updateMatrix()  # now, and not while it is painted, which would paint it twice

    def _limit(self, x: Range, y: Range) -> None:
        """Limit zooming and panning to where floats are precise enough; a zoomed view stays allowed."""
        limits: dict[str, float] = {}
        for axis, (low, high), shown in zip("xy", (x, y), self.box.viewRange(), strict=True):
            size, seen = high - low, shown[1] - shown[0]
            limits[f"{axis}Min"], limits[f"{axis}Max"] = low - WIDEST * size, high + WIDEST * size
            limits[f"min{axis.upper()}Range"] = DEEPEST * size
            if self.zoomed:
                limits[f"{axis}Min"] = min(limits[f"{axis}Min"], shown[0])
                limits[f"{axis}Max"] = max(limits[f"{axis}Max"], shown[1])
                limits[f"min{axis.upper()}Range"] = min(DEEPEST * size, seen)
        self.box.setLimits(**limits)

    def fit(self) -> None:
        """Show the whole content, and follow it from now on."""
        self._set_zoomed(False)
        self._limit(*self.whole)
        self.show_range(*self.whole)

    def keep_view(self) -> None:
        """Keep the view when the content changes, until `fit`."""
        self._limit(*self.whole)
        self._set_zoomed(True)

    def zoom(self, factor: float) -> None:
        """Make the view `factor` as wide and high, about its middle."""
        self.box.scaleBy((factor, factor))
        self._set_zoomed(True)

    def move_view(self, across: float, up: float) -> None:
        """Move the view by shares of its width and height."""
        (left, right), (bottom, top) = self.box.viewRange()
        self.box.translateBy(x=across * (right - left), y=up * (top - bottom))
        self._set_zoomed(True)

    def _set_zoomed(self, zoomed: bool) -> None:
        if zoomed != self.zoomed:
            self.zoomed = zoomed
            self.fit_button.setVisible(zoomed)
            self.zoom_changed.emit(zoomed)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.drawn_on:
            super().mouseDoubleClickEvent(event)
            return
        self.fit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not any(actions.press(event) for actions in self.key_sets):
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Mark the plot while it has the keyboard focus."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._show_focus()
        return bool(super().event(event))

    def _show_focus(self) -> None:
        self.box.setBorder(pg.mkPen(self._colors.accent if self.hasFocus() else None))

    def set_colors(self, colors: Colors) -> None:
        """Set the colours of background, axes and texts, and the system's text size."""
        looks = colors, text_pixels(10)
        if looks == self._looks:  # each of these lays out the axes again
            return
        self._looks, self._colors = looks, colors
        self.setBackground(colors.panel)
        for axis in self.axes.values():
            axis.setPen(pg.mkPen(colors.line))
            axis.setTextPen(pg.mkPen(colors.muted))
            axis.setStyle(tickFont=mono_font(10))
            axis.label.setFont(mono_font(10))
        self.show_names(self._has_names)
        if self._left_width:
            self.fix_left_width(self._left_width)
        self._show_focus()


class Pointer(QObject):
    """Event filter that reports the pointer over a plot; the plot handles drags, wheel and keys as before.

    Signals:
        moved(QPointF): the place inside the axes, in the plot's coordinates.
        left(): it has left the inside of the plot.
        clicked(QPointF): a left click inside, without a drag, in the plot's coordinates.
    """

    moved = Signal(QPointF)
    left = Signal()
    clicked = Signal(QPointF)

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot)
        self._plot = plot
        plot.viewport().setMouseTracking(True)
        plot.viewport().installEventFilter(self)
        plot.scene().sigMouseClicked.connect(self._click)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the pointer's moves; leave every event to the plot."""
        if event.type() == QEvent.Type.MouseMove:
            place = self._plot.mapToScene(event.position().toPoint())  # type: ignore[attr-defined]
            if self._plot.box.sceneBoundingRect().contains(place):
                self.moved.emit(self._plot.box.mapSceneToView(place))
            else:
                self.left.emit()
        elif event.type() == QEvent.Type.Leave:
            self.left.emit()
        return False

    def _click(self, event: Any) -> None:
        box, place = self._plot.box, event.scenePos()
        is_one = event.button() == Qt.MouseButton.LeftButton and not event.double()
        if is_one and box.sceneBoundingRect().contains(place):
            self.clicked.emit(box.mapSceneToView(place))
