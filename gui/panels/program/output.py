"""The output panel: what the program printed, its variables, and its plots.

A program may print a megabyte: only visible lines are turned into text, and new lines are appended.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QDockWidget,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.autograd import Value
from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.language import Evaluation, LoopSeries, Plot, Series, as_in_program
from gui.number_texts import reading_text
from gui.panels.figure_tip import FigureTip
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.session.programs import PrintedLines
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.labels import literal_tip, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import Index, RowsModel, set_read_only

NUMBER_DIGITS = 4
MARGIN, GAP = 8, 10  # pixels
LONGEST_TIP = 2_000
"""Characters of a line in its tool tip."""


class PrintedModel(QAbstractListModel):
    """List model of an output that grows.

    Attributes:
        printed: the lines.
    """

    def __init__(self) -> None:
        super().__init__()
        self.printed = PrintedLines()
        self._n_rows = 0

    def show_output(self, printed: PrintedLines) -> None:
        """Show an output; of one that has grown only the new lines are looked at."""
        before, after = self._n_rows, len(printed.lines)
        if printed is self.printed and after > before > 0:
            self.beginInsertRows(QModelIndex(), before, after - 1)
            self._n_rows = after
            self.endInsertRows()
            self.dataChanged.emit(self.index(before - 1), self.index(before - 1))  # its end may have come
        elif printed is not self.printed or after != before:
            self.beginResetModel()
            self.printed, self._n_rows = printed, after
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._n_rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line as it is read, and for screen readers with the line of the program."""
        line = self.printed.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.shown
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{line.shown}, printed by line {line.line}"
        if role == Qt.ItemDataRole.ToolTipRole:
            text = escape(line.text[:LONGEST_TIP]).replace("\n", "<br>")
            return f"<qt><tt>{text}</tt><p>Printed by line {line.line}: click to go there</p></qt>"
        return None


class _LineDelegate(QStyledItemDelegate):
    """Draws the number of the line before its text."""

    def __init__(self, model: PrintedModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.colors: Colors = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The number muted, the text as the program's."""
        line = self._model.printed.lines[index.row()]
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
        rect: QRect = option.rect  # type: ignore[attr-defined]
        if is_selected:
            painter.fillRect(rect, QColor(self.colors.accent))
        painter.setFont(mono_font(12))
        number = QRect(rect.x() + MARGIN, rect.y(), _number_width(painter.fontMetrics()), rect.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(self.colors.on_accent if is_selected else self.colors.muted))
        painter.drawText(number, middle | Qt.AlignmentFlag.AlignRight, str(line.line))
        painter.setPen(QColor(self.colors.on_accent if is_selected else self.colors.text))
        painter.drawText(rect.adjusted(number.right() - rect.x() + GAP, 0, 0, 0), middle, line.shown)


def _number_width(metrics: QFontMetrics) -> int:
    return NUMBER_DIGITS * metrics.horizontalAdvance("9")


class PrintedView(QTableView):
    """View of the lines; scrolls to the newest unless the user has scrolled up.

    A table of one column: its rows have a fixed height, so that nothing is computed for those that are not seen.

    Signals:
        line_chosen(int): the line of the program that printed what was clicked, or entered.
    """

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.lines = PrintedModel()
        self._delegate = _LineDelegate(self.lines, self)
        self.setModel(self.lines)
        self.setItemDelegate(self._delegate)
        self.setFont(mono_font(12))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setMinimumSectionSize(0)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName("printed lines")
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def set_colors(self, colors: Colors) -> None:
        self._delegate.colors = colors
        self.setStyleSheet(f"PrintedView {{ background: {colors.panel}; border: none; }}")

    def show_output(self, printed: PrintedLines) -> None:
        """Show an output; keep its end in view if it was."""
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self.lines.show_output(printed)
        self._fit()
        if at_end:
            self.scrollToBottom()

    def _fit(self) -> None:
        """Make rows as high as the letters, and the column as wide as the longest line, or the view."""
        metrics = self.fontMetrics()
        self.verticalHeader().setMinimumSectionSize(metrics.height() + 4)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + 4)
        text = metrics.horizontalAdvance("9") * self.lines.printed.n_longest
        width = max(2 * MARGIN + _number_width(metrics) + GAP + text, self.viewport().width())
        self.horizontalHeader().resizeSection(0, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(index.row() for index in self.selectedIndexes())
            QGuiApplication.clipboard().setText("\n".join(self.lines.printed.lines[row].text for row in rows))
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        self.line_chosen.emit(self.lines.printed.lines[index.row()].line)


LOOP = 3
"""The column in which variables of loops are plotted by a click."""
PLOT, PLOT_CELL_TIP = "plot", "Plot its value in each iteration"
DATA, GRADIENT = 1, 2
LEFT_TIP = "The gradient that the program has computed"
COMPUTED_TIP = "The gradient of the graph: the program has computed none"
NO_GRADIENT_TIP = "The program has computed no gradient for it"
NO_GRADIENTS: Mapping[str, Any] = MappingProxyType({})
NO_NUMBERS: Mapping[str, int] = MappingProxyType({})
LONGEST_TEXT = 200
"""Characters of what Python writes for a variable."""
MOST_SHOWN = 6
"""Entries of a list or an array that are written."""


def variable_texts(value: object, gradient: Any = None, whole: Collection[Value] = ()) -> tuple[str, str]:
    """Data and gradient of a variable as the table has them; the gradient is "" for what has none.

    Args:
        value: a Value, a number, a text, a list of such things or anything else.
        gradient: that the program left in it; None where it computed none: then the graph's is shown.
        whole: values whose data are whole numbers in the program.
    """
    if isinstance(value, Value):
        number = value.known_grad if gradient is None else gradient
        grad = "not computed" if number is None else _number_text(number, signed=True)
        return _text(as_in_program(value.data, value in whole)), grad
    return _text(value), ""


def _number_text(number: Any, signed: bool = False) -> str:
    array = np.asarray(number)
    if array.ndim == 0:
        return reading_text(float(array), signed)
    some = ", ".join(reading_text(float(entry), signed) for entry in array.flat[:MOST_SHOWN])
    return f"[{some}{', …' if array.size > MOST_SHOWN else ''}] of shape {'×'.join(map(str, array.shape))}"


def _text(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return reading_text(value)
    if isinstance(value, np.ndarray):
        return _number_text(value)
    if isinstance(value, str):
        return repr(value[:LONGEST_TEXT])
    if isinstance(value, Value):
        return _number_text(value.data)
    if isinstance(value, (list, tuple)):
        some = ", ".join(map(_text, value[:MOST_SHOWN]))
        more = f", … {len(value):,} in all" if len(value) > MOST_SHOWN else ""
        return f"[{some}{more}]"[:LONGEST_TEXT]
    return str(value)[:LONGEST_TEXT]


class VariablesModel(RowsModel):
    """A row for each name: the name and what it stands for."""

    columns = ("name", "data", "gradient", "loop")

    def __init__(self) -> None:
        super().__init__()
        self._looped: frozenset[str] = frozenset()
        self._gradients: Mapping[str, Any] = {}
        self._whole: Collection[Value] = ()
        self._exact: Mapping[str, int] = NO_NUMBERS

    def show_variables(
        self,
        variables: Mapping[str, object],
        looped: Collection[str] = (),
        gradients: Mapping[str, Any] = NO_GRADIENTS,
        whole: Collection[Value] = (),
        exact: Mapping[str, int] = NO_NUMBERS,
    ) -> None:
        """Show other variables, or the same with other values.

        Args:
            variables: by name.
            looped: names that are known for each iteration of a loop.
            gradients: as the program left them.
            whole: values whose data are whole numbers in the program.
            exact: whole numbers with all their digits: the data of a value are a float.
        """
        self._exact = exact
        rows, before = tuple(variables.items()), self._looped
        self._looped, self._gradients, self._whole = frozenset(looped), gradients, whole
        if before != self._looped or [name for name, _ in rows] != [name for name, _ in self.rows]:
            self.show_rows(rows)
        elif rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text of a cell, and its face."""
        name, value = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            is_tip, plot = role == Qt.ItemDataRole.ToolTipRole, name in self._looped
            if is_tip and index.column() == GRADIENT and isinstance(value, Value):
                if name in self._gradients:
                    return LEFT_TIP
                return NO_GRADIENT_TIP if value.known_grad is None else COMPUTED_TIP
            data, gradient = variable_texts(value, self._gradients.get(name), self._whole)
            texts = str(self._exact.get(name, data))[:LONGEST_TEXT], gradient
            text = (name, *texts, (PLOT_CELL_TIP if is_tip else PLOT) if plot else "")[index.column()]
            return literal_tip(text) if is_tip else text
        return mono_font(12) if role == Qt.ItemDataRole.FontRole else None


class VariablesTable(QTableView):
    """The table of variables."""

    def __init__(self) -> None:
        super().__init__()
        self.variables = VariablesModel()
        self.setModel(self.variables)
        set_read_only(self, "variables of the program", 24)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(DATA, QHeaderView.ResizeMode.Stretch)  # the rest stays in view beside a long list
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


TABS = {
    "Output": "Nothing was printed. The output of print(...) appears here, with the line that wrote it.",
    "Variables": "There are no variables yet. Every variable of the program is listed here.",
    "Plots": "Nothing is plotted. Plots made with plt, such as plt.plot(...), appear here, and so do the outputs "
    "of a model around its data, with names such as model, X and y.",
}
"""The tabs, and what each says while it is empty."""
LOOP_FIGURE = 1_000
"""Number of the figure of a loop's variable, behind those of the program."""
NARROW, LEAST_WIDTH = 310, 230
"""Widths of the panel in pixels: below which "1 of 2" stands below the tabs, and the least one."""
PLOT_HEIGHT = 330
"""Pixels of the panel, in the designed size of text, in which a plot with its axes can be read."""
PLOT_TIP = "Plots made with plt. The title of the panel shows the numbers under the pointer."


class OutputPanel(Panel):
    """Three tabs, each filled when it is first shown.

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
        row = add_widgets(QHBoxLayout(), margins=(0, 0, 0, 0), spacing=3)
        self.buttons = {name: self._make_button(name, index) for index, name in enumerate(TABS)}
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        self._head = add_widgets(QBoxLayout(QBoxLayout.Direction.LeftToRight), row, 1, spacing=3)
        add_widgets(QVBoxLayout(self), self._head, self._stack, 1, margins=(8, 6, 8, 8), spacing=6)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        ways = QBoxLayout.Direction  # in a narrow panel "1 of 2" stands below the tabs
        self._head.setDirection(ways.TopToBottom if self.width() < text_pixels(NARROW) else ways.LeftToRight)
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), text_pixels(LEAST_WIDTH)), least.height())

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
        program = self.session.program
        chosen = [series for series in program.loops if series.name == self._looped]
        plots = (*program.plots, *map(_plot_of, chosen), *self.session.own_model.plots)
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
        self._show_read("")
        if front == "Plots" and plots and not self._has_grown:  # afterwards its height is the user's
            self._has_grown = True
            self.height_wanted.emit(text_pixels(PLOT_HEIGHT))

    def _show_read(self, read: str) -> None:
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
            self._plots.read.connect(self._show_read)
            dock: QWidget | None = self.parentWidget()
            while dock is not None and not isinstance(dock, QDockWidget):
                dock = dock.parentWidget()
            for figure in (self._plots.page, self._plots.axes[0].plot):
                figure.setToolTip(PLOT_TIP)
                FigureTip(figure, dock or self)  # the readout of numbers is next to its title, too
            self._head.addWidget(self._plots.turning, 0, Qt.AlignmentFlag.AlignLeft)
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
