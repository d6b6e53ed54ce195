"""The figures that a program has drawn with `plt`: one at a time, each with its grid of axes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine import language
from engine.csv_text import Column
from gui.panels.program.axes_plot import AxesPlot
from gui.theme import LIGHT, Colors
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

FIRST_ADDED = 1_000
"""Numbers of figures from which on they are not the program's own."""
MOST_AXES = 12
"""Largest number of axes drawn for one figure."""
HINTS = {
    "axes": f"{MOST_AXES} of {{count}} plots",
    "legend": "Point at a curve for its name",
}
"""Captions of a figure that is not drawn whole."""


class ProgramPlots(QWidget):
    """The figures of a program.

    Attributes:
        index: which figure is shown, from 0.
        page: widget with its axes.
        turning: buttons for the previous and the next figure, for the row of tabs.

    Signals:
        read(str): the numbers under the pointer, or else `hint`.
    """

    read = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.index = 0
        self._figures: list[tuple[language.Plot, ...]] = []
        self._axes: list[AxesPlot] = []
        self._colors = LIGHT
        self.page = QWidget()
        self.page.setProperty("anySize", True)
        self._grid = QGridLayout()
        self._grid.setSpacing(6)
        self._title, self.count = muted_label(), muted_label()
        add_widgets(QVBoxLayout(self.page), self._title, self._grid, 1, margins=(0, 0, 0, 0), spacing=2)
        self.turning = QWidget(self)
        self.turning.hide()
        self.back = tool_button("◀", "Previous figure", lambda: self.turn(-1), "previous figure", "1px 0px")
        self.next = tool_button("▶", "Next figure", lambda: self.turn(1), "next figure", "1px 0px")
        add_widgets(QHBoxLayout(self.turning), self.back, self.count, self.next, margins=(0, 0, 0, 0), spacing=2)
        add_widgets(QVBoxLayout(self), self.page, 1, margins=(0, 0, 0, 0))
        self._axes_at(0)

    @property
    def plot(self) -> Any:
        """Plot to be exported: that of a figure with one pair of axes, otherwise all of them."""
        return self._axes[0].plot if len(self._shown) < 2 else self.page

    @property
    def key(self) -> QWidget | None:
        """The scale of colours below the one plot; None where it stands among several plots, or there is none."""
        return self._axes[0].scale if len(self._shown) < 2 else None

    @property
    def axes(self) -> Sequence[AxesPlot]:
        """The axes of the figure that is shown, row by row."""
        return self._axes[: max(len(self._shown), 1)]

    @property
    def _shown(self) -> tuple[language.Plot, ...]:
        return self._figures[self.index][:MOST_AXES] if self._figures else ()

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        for axes in self._axes:
            axes.set_colors(colors)

    def show_plots(self, plots: Sequence[language.Plot]) -> None:
        """Show the figures of a run: the one with the same number as before, else the last one of the program."""
        figures = [tuple(group) for _, group in groupby(plots, key=lambda plot: plot.figure)]
        if figures == self._figures:
            return
        shown = self._shown[0].figure if self._shown else None
        numbers = [figure[0].figure for figure in figures]
        self._figures = figures
        own = [number for number in numbers if number < FIRST_ADDED] or numbers[:1]
        is_there = shown in numbers
        self.index = numbers.index(shown if is_there else own[-1]) if figures else 0  # type: ignore[arg-type]
        self._draw(fit=not is_there)

    def show_figure(self, number: int) -> None:
        """Show the figure with a number, see `Plot.figure`."""
        for index, figure in enumerate(self._figures):
            if figure[0].figure == number:
                self.turn(index - self.index)

    def turn(self, step: int) -> None:
        """Show the next figure (1) or the one before (-1)."""
        self.index = max(0, min(self.index + step, len(self._figures) - 1))
        self._draw(fit=True)

    def figure_data(self) -> Sequence[Column]:
        several = len(self._shown) > 1
        return [
            (f"{name} ({number})" if several else name, numbers)
            for number, axes in enumerate(self.axes if self._shown else (), start=1)
            for name, numbers in axes.figure_data()
        ]

    def _axes_at(self, index: int) -> AxesPlot:
        """Return the plot at an index, created on first use."""
        while len(self._axes) <= index:
            axes = AxesPlot("plot of the program" if not self._axes else f"plot {len(self._axes) + 1} of the program")
            axes.set_colors(self._colors)
            axes.read.connect(self._say)
            axes.legend_fitted.connect(lambda: self._say(""))
            self._axes.append(axes)
            self._grid.addWidget(axes, 0, 0)
        return self._axes[index]

    def _draw(self, fit: bool) -> None:
        self.count.setText(f"{self.index + 1} of {len(self._figures)}")
        self.back.setEnabled(self.index > 0)
        self.next.setEnabled(self.index < len(self._figures) - 1)
        for index, shown in enumerate(self._shown):
            axes = self._axes_at(index)
            self._grid.addWidget(axes, shown.row, shown.column)
            axes.show()
            axes.show_axes(shown)
            if fit:
                axes.plot.fit()
        for axes in self._axes[max(len(self._shown), 1) :]:
            axes.hide()
        page = self._shown[0].page if self._shown else ""
        self._title.setText(page)
        self._title.setVisible(bool(page))
        self._say("")

    @property
    def hint(self) -> str:
        """Note on axes or a legend that the figure leaves out for lack of room; "" for none."""
        if self._figures and len(self._figures[self.index]) > MOST_AXES:
            return HINTS["axes"].format(count=len(self._figures[self.index]))
        return HINTS["legend"] if any(axes.lacks_legend for axes in self.axes) else ""

    def _say(self, read: str) -> None:
        """Show the numbers under the pointer."""
        self.read.emit(read or self.hint)
