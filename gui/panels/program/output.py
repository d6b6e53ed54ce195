"""The output panel: what the program has printed, its variables, and the plots it has drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QButtonGroup, QDockWidget, QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.language import Evaluation, LoopSeries, Plot, Series
from gui.panels.figure_tip import FigureTip
from gui.panels.panel import Panel
from gui.panels.program.printed_lines import PrintedView
from gui.panels.program.variables import LOOP, VariablesTable
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TABS = {
    "Output": "Nothing was printed. The output of print(...) appears here, with the line that wrote it.",
    "Variables": "There are no variables yet. Every variable of the program is listed here.",
    "Plots": "Nothing is plotted. Plots made with plt, such as plt.plot(...), appear here, and so do the outputs "
    "of a model around its data, with names such as model, X and y.",
}
"""The tabs, and what each says while it is empty."""
LOOP_FIGURE = 1_000
"""Number of the figure of a loop's variable, behind those of the program."""
PLOT_HEIGHT = 330
"""Pixels of the panel, in the designed size of text, in which a plot with its axes can be read."""
PLOT_TIP = "Plots made with plt. The title of the panel shows the numbers under the pointer."


class OutputPanel(Panel):
    """Three tabs; what is behind one is made when it is seen.

    Attributes:
        printed, variables: the first two.
        plot: the third; made when it is asked for, as its library takes its time.
    """

    depends_on = frozenset({"program"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.printed = PrintedView()
        self.printed.line_chosen.connect(lambda line: session.program.place_requested.emit(line, 1))
        self.variables = VariablesTable()
        self.variables.clicked.connect(self._choose_variable)
        self._looped = ""
        self._chosen = self._has_grown = False
        self._evaluation: Evaluation | None = None
        self._plots: Any = None
        self._stack = QStackedWidget()
        self._pages = {name: self._make_page(text) for name, text in TABS.items()}
        self._pages["Output"].addWidget(self.printed)
        self._pages["Variables"].addWidget(self.variables)
        self._group = QButtonGroup(self)
        self._row = row = add_widgets(QHBoxLayout(), margins=(0, 0, 0, 0), spacing=3)
        self.buttons = {name: self._make_button(name, index) for index, name in enumerate(TABS)}
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        add_widgets(QVBoxLayout(self), row, self._stack, 1, margins=(8, 6, 8, 8), spacing=6)
        self.buttons["Output"].setChecked(True)
        session.own_model.changed.connect(self._show)

    def _make_page(self, text: str) -> QStackedWidget:
        """A page that says what would fill it as long as it is empty."""
        page, words = QStackedWidget(), muted_label(text, wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop)
        words.setContentsMargins(4, 4, 4, 4)
        page.addWidget(words)
        self._stack.addWidget(page)
        return page

    def _make_button(self, name: str, index: int) -> QToolButton:
        button = tool_button(name, "", lambda: self._choose_tab(name), padding="1px 3px")
        button.setCheckable(True)
        self._group.addButton(button, index)
        return button

    def _choose_tab(self, name: str) -> None:
        """Show a tab because the user wants it; from now on none comes to the front by itself."""
        self._chosen = True
        self.show_tab(name)

    def show_tab(self, name: str) -> None:
        """Bring a tab to the front: "Output", "Variables" or "Plots"."""
        self.buttons[name].setChecked(True)
        self._stack.setCurrentWidget(self._pages[name])
        self._show()

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.printed.set_colors(colors)
        if self._plots is not None:
            self._plots.set_colors(colors)

    def refresh(self, change: Change) -> None:
        program = self.session.program
        is_new, self._evaluation = program.evaluation is not self._evaluation, program.evaluation
        if is_new and not self._chosen and not program.busy and program.error is None:
            # show new plots at once, as a notebook does
            self.show_tab("Plots" if program.plots else "Output")
        elif program.is_slow or not program.busy:
            self._show()

    def _show(self) -> None:
        """Fill the tab in front, and say how much is in the others."""
        if self.buttons["Plots"].isChecked() or self.session.program.own_model is None:  # plots of another one go
            self.session.own_model.want()
        program, plots = self.session.program, self._all_plots()
        printed, variables = program.shown_printed, program.shown_variables
        n_figures = len({plot.figure for plot in plots})
        counts = {"Output": len(printed.lines), "Variables": len(variables), "Plots": n_figures}
        front = next(name for name, button in self.buttons.items() if button.isChecked())
        turns = front == "Plots" and n_figures > 1  # then "1 of 2" stands beside the tabs
        for name, count in counts.items():
            self.buttons[name].setText(f"{name} {count}" if count and name == "Plots" and not turns else name)
            self._pages[name].setCurrentIndex(1 if count else 0)
        if front == "Output":
            self.printed.show_output(printed)
        elif front == "Variables":
            looped = {series.name for series in program.loops}
            self.variables.variables.show_variables(
                variables, looped, program.shown_gradients, program.whole_numbers, program.exact_numbers
            )
        elif plots or self._plots is not None:
            self.plots.show_plots(plots)
            self._pages[front].setCurrentIndex(1 if plots else 0)
        if self._plots is not None:
            self._plots.turning.setVisible(turns)
        self._say_read("")
        if front == "Plots" and plots and not self._has_grown:  # afterwards its height is the user's
            self._has_grown = True
            self.height_wanted.emit(text_pixels(PLOT_HEIGHT))

    def _say_read(self, read: str) -> None:
        """Show in the title bar the numbers under the pointer, a note on the plot, or the number of printed lines."""
        if self._plots is not None and self.buttons["Plots"].isChecked():
            read = read or self._plots.hint
        n_lines = len(self.session.program.shown_printed.lines)
        self.set_caption(read or (counted(n_lines, "line") if n_lines else ""))

    @property
    def plots(self) -> Any:
        """The plots of the program, one at a time."""
        if self._plots is None:
            from gui.panels.program.program_plots import ProgramPlots

            self._plots = ProgramPlots()
            self._plots.set_colors(self.colors)
            self._plots.read.connect(self._say_read)
            dock: QWidget | None = self.parentWidget()
            while dock is not None and not isinstance(dock, QDockWidget):
                dock = dock.parentWidget()
            for figure in (self._plots.page, self._plots.axes[0].plot):
                figure.setToolTip(PLOT_TIP)
                FigureTip(figure, dock or self)  # the readout of numbers is next to its title, too
            self._row.addWidget(self._plots.turning)
            self._pages["Plots"].addWidget(self._plots)
        return self._plots

    @property
    def plot(self) -> Any:
        """The figure that is shown, for an export."""
        return self.plots.plot

    @property
    def figure_key(self) -> QWidget | None:  # type: ignore[override]
        """The scale of its colours."""
        return self._plots.key if self._plots is not None else None

    def figure_data(self) -> Sequence[Column]:
        columns: Sequence[Column] = self.plots.figure_data()
        return columns

    def _all_plots(self) -> tuple[Plot, ...]:
        """The plots of the program, of the variable of a loop that was asked for, and of a model of its own."""
        program = self.session.program
        looped = [series for series in program.loops if series.name == self._looped]
        return (*program.plots, *map(_plot_of, looped), *self.session.own_model.plots)

    def _choose_variable(self, index: QModelIndex) -> None:
        """Plot the variable of a loop, or select a Value on the canvas, if it is drawn there."""
        name, value = self.variables.variables.rows[index.row()]
        if index.column() == LOOP and any(series.name == name for series in self.session.program.loops):
            self._looped = name
            self._choose_tab("Plots")
            self.plots.show_figure(LOOP_FIGURE)
            return
        key = self.session.presenter.keys().get(id(value))
        if key is not None:
            self.session.select(key)


def _plot_of(series: LoopSeries) -> Plot:
    row = Series("line", tuple(map(float, series.iterations)), series.numbers, series.name)
    title = f"{series.name} in the loop of line {series.line}"
    return Plot(title, series.counter or "iteration", series.name, (row,), figure=LOOP_FIGURE)
