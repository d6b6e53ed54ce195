"""A pair of axes of a program's plot: drawing, values under the pointer, and the colour scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine import language
from engine.csv_text import Column
from engine.language import Series
from gui.number_texts import reading_text
from gui.panels.program.plot_items import MATRICES, Drawing, bar_bounds, ends_of, items_of, merged, on_axis, scale_table
from gui.plots.color_scale import ColorScale, Entry, Scale
from gui.plots.plot import BOTTOM_HEIGHT, Plot, Pointer, Range, drawable, range_around
from gui.theme import LIGHT, Colors, text_pixels
from gui.widgets.layouts import add_widgets

TICKS_HEIGHT = 18
"""Pixels of the lower axis when it has no name."""
BELOW = 4
"""Row below the lower axis in the layout of a `PlotItem`, which uses those before."""
LEGEND_SPACING, SAMPLE_WIDTH = 12, 20
"""Pixels between the entries of a legend, and of the line or point in each."""
READABLE_HEIGHT = 100
"""Pixels between the axes that a legend leaves to a plot; one that needs more of it is left out."""
NEAR = 24
"""Pixels from the pointer within which a point is read."""


class Legend(pg.LegendItem):
    """Legend whose entries are plain text, whatever the program calls its lines."""

    def addItem(self, item: Any, name: str) -> None:
        super().addItem(item, escape(name))


class AxesPlot(QWidget):
    """Plot of one pair of axes; it is reused for the axes of later programs.

    Attributes:
        plot: the plot.
        scale: says which colour is which number, below the plot; hidden where colours are no numbers.
        lacks_legend: True when the plot is too small for the legend that the program asks for.

    Signals:
        read(str): the numbers under the pointer; "" for none.
        legend_fitted(): `lacks_legend` may be new.
    """

    read = Signal(str)
    legend_fitted = Signal()

    def __init__(self, name: str = "plot of the program") -> None:
        super().__init__()
        self._shown: language.Plot | None = None
        self._colors = LIGHT
        self._items: list[Any] = []
        self.lacks_legend = False
        self.plot = Plot(name)
        self.plot.setMinimumSize(80, 76)
        self.plot.setProperty("anySize", True)  # of an export: axes in one unit stay so
        plot_item = self.plot.getPlotItem()
        self._legend = plot_item.legend = Legend(horSpacing=LEGEND_SPACING, verSpacing=-5)
        plot_item.layout.addItem(self._legend, BELOW, 1)  # where it covers nothing
        self.scale = ColorScale()
        self.scale.hide()
        pointer = Pointer(self.plot)
        pointer.moved.connect(self._read)
        pointer.left.connect(lambda: self.read.emit(""))
        add_widgets(QVBoxLayout(self), self.plot, 1, self.scale, margins=(0, 0, 0, 0), spacing=2)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.plot.set_colors(colors)
        if self._shown is not None:
            self.show_axes(self._shown)

    def show_axes(self, shown: language.Plot) -> None:
        """Draw another plot instead."""
        self._shown, colors = shown, self._colors
        for item in self._items:
            self.plot.removeItem(item)
        self._items.clear()
        self._legend.clear()
        self._legend.setLabelTextColor(colors.text)
        plot_item = self.plot.getPlotItem()
        self.plot.setTitle(escape(shown.title) or None, color=colors.text, size="10pt")
        for side, name, ticks, logarithmic in (
            ("bottom", shown.x_label, shown.x_ticks, shown.x_log),
            ("left", shown.y_label, shown.y_ticks, shown.y_log),
        ):
            self.plot.setLabel(side, name)
            axis = self.plot.axes[side]
            axis.showLabel(bool(name))
            plot_item.showAxis(side, not shown.bare)
            axis.set_logarithmic(logarithmic)
            places = on_axis([place for place, _ in ticks], logarithmic)
            axis.setTicks([[(x, text) for x, (_, text) in zip(places, ticks, strict=True)]] if ticks else None)
        drawing = Drawing(shown, colors)
        for series in merged(shown.series):
            for item in items_of(series, drawing):
                self.plot.addItem(item)
                self._items.append(item)
        self.plot.axes["bottom"].setHeight(text_pixels(BOTTOM_HEIGHT if shown.x_label else TICKS_HEIGHT))
        self._fit_legend()
        self._show_scale(shown)
        self._show_ranges(shown, drawing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the legend for the new width."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        """Arrange the legend in as many columns as fit into the plot's width; leave it out of a plot too low for it."""
        legend, height = self._legend, 0.0
        if legend.items:
            narrowest = min(label.itemRect().width() for _sample, label in legend.items)
            most = int(self.plot.width() // (narrowest + SAMPLE_WIDTH)) or 1
            for columns in range(min(most, len(legend.items)), 0, -1):
                legend.setColumnCount(columns)
                size = legend.layout.sizeHint(Qt.SizeHint.MinimumSize)
                if size.width() <= self.plot.width():
                    break
            height = size.height()
        plot_item = self.plot.getPlotItem()
        around = (plot_item.titleLabel, plot_item.getAxis("bottom"))
        box = self.plot.height() - sum(each.minimumHeight() for each in around if each.isVisible())
        self.lacks_legend = bool(legend.items) and box - height < text_pixels(READABLE_HEIGHT)
        if self.lacks_legend:
            height = 0.0
        legend.setVisible(height > 0.0)
        legend.setMaximumHeight(height)
        legend.setMinimumHeight(height)
        self.legend_fitted.emit()

    def _show_scale(self, shown: language.Plot) -> None:
        colored = [series for series in shown.series if series.z and series.kind != "contour"]
        series = next((each for each in colored if each.kind in MATRICES), colored[0] if colored else None)
        if series is None or ends_of(series)[0] == ends_of(series)[1]:
            self.scale.show_scale(Scale(), self._colors)
            return
        low, high = (reading_text(end) for end in ends_of(series))
        tip = f"The colours stand for numbers from {low} to {high}."
        self.scale.show_scale(Scale((Entry(low), Entry(high)), scale_table(series), tip=tip), self._colors)

    def _show_ranges(self, shown: language.Plot, drawing: Drawing) -> None:
        self.plot.box.setAspectLocked(shown.equal and not (shown.x_log or shown.y_log))
        fills = any(series.kind in MATRICES for series in shown.series)
        ranges, turned = [], []
        for axis, chosen, logarithmic in ((0, shown.x_range, shown.x_log), (1, shown.y_range, shown.y_log)):
            parts = [part for series in shown.series for part in _spans(series, drawing)[axis]]
            whole = np.concatenate(parts) if parts else np.empty(0)
            whole = drawable(whole[np.isfinite(whole)])
            low, high = range_around(whole, margin=0.0 if fills else 0.06)
            if axis == 1 and not logarithmic and any(series.kind == "bars" for series in shown.series):
                low = 0.0 if whole.size and whole.min() == 0.0 else low
            ends = on_axis([math.nan if end is None else end for end in chosen], logarithmic)
            low, high = (float(end) if np.isfinite(end) else own for end, own in zip(ends, (low, high), strict=True))
            turned.append(low > high)
            ranges.append((min(low, high), max(low, high)) if low != high else range_around(np.array([low])))
        self.plot.box.invertX(turned[0])
        self.plot.box.invertY(shown.upside_down != turned[1])
        x, y = ranges
        self.plot.show_range(x, y)

    def _read(self, place: QPointF) -> None:
        if self._shown is not None:
            width, height = self.plot.box.viewPixelSize()
            self.read.emit(reading(self._shown, place.x(), place.y(), (abs(width), abs(height))))

    def figure_data(self) -> Sequence[Column]:
        columns: list[Column] = []
        for number, series in enumerate(self._shown.series if self._shown is not None else (), start=1):
            if series.kind in MATRICES:
                columns += [
                    (f"{series.kind} {number} row {row}", values) for row, values in enumerate(series.z, start=1)
                ]
            elif series.kind != "text":
                plot = self._shown
                assert plot is not None
                columns.append((plot.x_label or f"x {number}", series.x))
                columns.append((series.label or plot.y_label or f"y {number}", series.y))
                if series.z:
                    columns.append((f"colour {number}", series.z))
        return columns


def _spans(series: Series, drawing: Drawing) -> tuple[list[Any], list[Any]]:
    """Return the x and the y coordinates that a series covers, as arrays."""
    if series.kind == "image":
        left, right, bottom, top = series.extent if len(series.extent) == 4 else (0.0, 1.0, 0.0, 1.0)
        return [drawing.x([left, right])], [drawing.y([bottom, top])]
    if series.kind == "bars":
        left_edges, right_edges, bottoms, tops = bar_bounds(series, drawing)
        return [left_edges, right_edges], [bottoms, tops]
    return [drawing.x(series.x)], [drawing.y(series.y), drawing.y(series.base)]


def reading(plot: language.Plot, x: float, y: float, pixel: Range) -> str:
    """Return the text for a place of a plot: the nearest point, the number of an image or of contours, or the
    coordinates.

    Args:
        plot: the plot.
        x: on the axis: the logarithm where it is logarithmic.
        y: the same.
        pixel: width and height of a pixel there.
    """
    nearest = min(_near(plot, x, y, pixel), default=None)
    if nearest is not None:
        return nearest[1]
    here = f"x = {reading_text(10.0**x if plot.x_log else x)}, y = {reading_text(10.0**y if plot.y_log else y)}"
    for series in plot.series:
        if series.kind in MATRICES and series.z and (number := _number_at(series, x, y)) is not None:
            return f"{here}: {reading_text(number)}"
    return here


def _near(plot: language.Plot, x: float, y: float, pixel: Range) -> Iterator[tuple[float, str]]:
    """Yield the nearest point of each series within reach, with its distance in pixels."""
    for series in plot.series:
        if series.kind == "bars":
            left, right, bottom, top = bar_bounds(series, Drawing(plot))
            inside = np.flatnonzero(
                (left <= x) & (x <= right) & (np.fmin(bottom, top) <= y) & (y <= np.fmax(bottom, top))
            )
            for place in inside[:1]:
                yield 0.0, _words(plot, series, int(place))
        if series.kind not in ("line", "points", "area") or not series.x:
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            distances = np.hypot(
                (on_axis(series.x, plot.x_log) - x) / pixel[0], (on_axis(series.y, plot.y_log) - y) / pixel[1]
            )
        if np.isfinite(distances).any():
            place = int(np.nanargmin(distances))
            if distances[place] <= NEAR:
                yield float(distances[place]), _words(plot, series, place)


def _words(plot: language.Plot, series: Series, place: int) -> str:
    names = dict(plot.x_ticks)
    x = names.get(series.x[place]) or reading_text(series.x[place])
    text = f"{plot.x_label or 'x'} = {x}, {plot.y_label or 'y'} = {reading_text(series.y[place])}"
    if len(series.z) == len(series.x):
        text += f", colour {reading_text(series.z[place])}"
    return f"{series.label}: {text}" if series.label else text


def _number_at(series: Series, x: float, y: float) -> float | None:
    """The number of the cell of an image, or of the nearest point of a grid of contours."""
    z = np.asarray(series.z, dtype=float)
    if series.kind == "image" and len(series.extent) == 4:
        left, right, bottom, top = series.extent
        column, row = (x - left) / (right - left or 1.0) * z.shape[1], (y - bottom) / (top - bottom or 1.0) * z.shape[0]
        if 0 <= column < z.shape[1] and 0 <= row < z.shape[0]:
            return float(z[int(row), int(column)])
        return None
    if series.kind == "image" or not (min(series.x) <= x <= max(series.x) and min(series.y) <= y <= max(series.y)):
        return None
    return float(z[np.abs(np.asarray(series.y) - y).argmin(), np.abs(np.asarray(series.x) - x).argmin()])
