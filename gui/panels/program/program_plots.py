"""The plots that a program has drawn with `plt`: one at a time, with title, names of the axes and legend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine import language
from engine.document.csv_text import Column
from gui.panels.plots import MARKERS, Plot, class_colors, drawable, range_around
from gui.theme import LIGHT, Colors
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

FEW_POINTS = 40
"""A line of so many points or fewer has a mark at each."""
MARK_SIZE = 6  # pixels


class ProgramPlots(QWidget):
    """The plots of a program, and buttons to turn over where there are several.

    Attributes:
        plot: the one for life; it shows one plot of the program after the other.
        index: which of them, from 0.
    """

    def __init__(self) -> None:
        super().__init__()
        self.index = 0
        self._plots: tuple[language.Plot, ...] = ()
        self._items: list[pg.PlotDataItem] = []
        self.plot = Plot("plot of the program")
        self.plot.setMinimumHeight(76)
        self._legend = self.plot.getPlotItem().addLegend(offset=(-8, 8))
        self._words = muted_label()
        self._back = tool_button("◀", "The plot before", lambda: self.turn(-1), "the plot before", "1px 8px")
        self._next = tool_button("▶", "The next plot", lambda: self.turn(1), "the next plot", "1px 8px")
        header = filled(QHBoxLayout(), self._words, self.plot.fit_button, self._back, self._next, spacing=4)
        header.setStretch(0, 1)
        filled(QVBoxLayout(self), header, self.plot, 1, margins=(0, 0, 0, 0), spacing=2)
        self._colors = LIGHT

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self.plot.set_colors(colors)
        self._draw()

    def show_plots(self, plots: Sequence[language.Plot]) -> None:
        """Shows the plots of a run, the same one as before where there are as many; else the last one."""
        if tuple(plots) != self._plots:
            other = len(plots) != len(self._plots)
            self._plots = tuple(plots)
            if other:
                self.index = max(len(plots) - 1, 0)
                self.plot.fit()
            self._draw()

    def turn(self, step: int) -> None:
        """Shows the next plot (1) or the one before (-1)."""
        self.index = max(0, min(self.index + step, len(self._plots) - 1))
        self._draw()
        self.plot.fit()

    def figure_data(self) -> Sequence[Column]:
        """Every curve of the plot that is shown, under its label."""
        columns: list[Column] = []
        for plot in self._plots[self.index : self.index + 1]:
            for number, series in enumerate(plot.series, start=1):
                columns.append((plot.x_label or f"x {number}", series.x))
                columns.append((series.label or plot.y_label or f"y {number}", series.y))
        return columns

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items.clear()
        self._legend.clear()
        several = len(self._plots) > 1
        self._words.setText(f"plot {self.index + 1} of {len(self._plots)}" if several else "")
        for button in (self._back, self._next):
            button.setVisible(several)
        if not self._plots:
            return
        shown = self._plots[self.index]
        title = {"color": self._colors.text, "size": "10pt"}
        self.plot.setTitle(shown.title or None, **title)
        for side, name in (("bottom", shown.x_label), ("left", shown.y_label)):
            self.plot.setLabel(side, name)
        self._legend.setLabelTextColor(self._colors.text)
        for number, series in enumerate(shown.series):
            self._add(number, series)
        self._show_range(shown)

    def _add(self, number: int, series: language.Series) -> None:
        x, y = np.asarray(series.x, dtype=float), np.asarray(series.y, dtype=float)
        kept = np.isfinite(x) & np.isfinite(y)
        color = class_colors(self._colors)[(number + 1) % 6]
        marked = series.kind == "points" or len(x) <= FEW_POINTS
        item = pg.PlotDataItem(
            drawable(x[kept]),
            drawable(y[kept]),
            pen=None if series.kind == "points" else pg.mkPen(color, width=1.5),
            symbol=MARKERS[number % len(MARKERS)] if marked else None,
            symbolSize=MARK_SIZE,
            symbolPen=pg.mkPen(color),
            symbolBrush=pg.mkBrush(color),
            name=series.label or None,
        )
        self.plot.addItem(item)
        self._items.append(item)

    def _show_range(self, shown: language.Plot) -> None:
        ends = []
        for name in ("x", "y"):
            numbers = [np.asarray(getattr(series, name), dtype=float) for series in shown.series]
            whole = np.concatenate(numbers) if numbers else np.empty(0)
            ends.append(range_around(drawable(whole[np.isfinite(whole)])))
        self.plot.show_range(*ends)
