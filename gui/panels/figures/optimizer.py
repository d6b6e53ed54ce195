"""The optimizer panel: for every parameter what the next step of training does to it, and what the optimizer keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from engine.autograd.notation import counted
from engine.autograd.typeset import true_minus
from engine.document.assemble import network_shape
from engine.document.csv_text import Column
from engine.document.moments.next_step import NextStep
from engine.document.moments.sample_figures import first_moment
from engine.network import OPTIMIZERS, Update
from engine.network.optimizers import MEMORIES
from gui.number_texts import reading_text
from gui.panels.moment_panel import MomentPanel
from gui.presenter.update_texts import batch_text
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import filled

Index = QModelIndex | QPersistentModelIndex
STYLE = """
QTableView { font-size: 12px; }
QHeaderView, QTableCornerButton::section { background: transparent; border: none; }
QHeaderView::section { padding: 4px 4px; }
"""
TEXTS = {
    "parameter": "parameter",
    "value": "value",
    "gradient": "gradient",
    "update": "update",
    "next": "next value",
    "parameter tip": "L1N2.w3 is weight 3 of neuron 2 of layer 1, L1N2.b its bias. Click: selects it on the canvas.",
    "value tip": "The parameter at this moment.",
    "gradient tip": "The slope of the loss of the next batch, penalties included and clipped where that is set.",
    "memory tip": "{symbol}: {description} After the gradient has been taken in.",
    "update tip": "What the next step adds to the value: value + update = next value.",
    "next tip": "The parameter after the next step.",
    "rule": "{title}: {rule}",
    "settings": "lr {rate:g}, t {updates:,}, g: gradient of {batch}.",
    "not finite": "The numbers of the network are not finite, or would not stay so: there is no next step.",
    "caption": "step {step:,} · {parameters}",
    "full": "{name}: {column} {number!r}",
    "full memory": "{name}: {symbol} was {before!r}, with this gradient {after!r}",
}
"""Every sentence and caption of the panel."""


class UpdateTable(QAbstractTableModel):
    """A row for each parameter; only what is visible is turned into text.

    Attributes:
        rows: (n_parameters,) which parameter stands in each row.
    """

    def __init__(self) -> None:
        super().__init__()
        self.colors: Colors = LIGHT
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._names: Sequence[str] = ()
        self._update: Update | None = None
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder

    def show_update(self, update: Update | None, names: Sequence[str]) -> None:
        """Shows another step; None for none."""
        before, is_same = self._update, len(names) == len(self._names)
        self._update = update
        if before is not None and update is not None and is_same and list(before.memory) == list(update.memory):
            self.rows = self._sorted()
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self._names = names
        self.rows = self._sorted()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by the size of the numbers of a column, and keeps sorting; -1 and 0: by the parameters' order."""
        self._column, self._order = column, order
        self.rows = self._sorted()
        if len(self.rows):
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def _sorted(self) -> NDArray[np.int64]:
        if self._update is None:
            return np.empty(0, dtype=np.int64)
        rows, down = np.arange(len(self._update.before)), self._order == Qt.SortOrder.DescendingOrder
        if not 0 < self._column < self.columnCount():
            return rows[::-1] if down and self._column == 0 else rows
        keys = np.abs(self.numbers(self._column))
        return np.argsort(-keys if down else keys, kind="stable")

    @property
    def columns(self) -> Sequence[str]:
        """Which number each column has: keys of TEXTS, and names of the optimizer's memory."""
        memory = () if self._update is None else tuple(self._update.memory)
        return ("parameter", "value", "gradient", *memory, "update", "next")

    def numbers(self, column: int) -> NDArray[Any]:
        """The numbers of a column, (n_parameters,)."""
        update, name = self._update, self.columns[column]
        assert update is not None
        if name in update.memory:
            return update.memory[name]
        return {
            "value": update.before,
            "gradient": update.gradients,
            "update": update.after - update.before,
            "next": update.after,
        }[name]

    # What Qt asks

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One for each parameter."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """See `columns`."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns, and what they are."""
        if orientation == Qt.Orientation.Vertical:
            return None
        memory = MEMORIES.get(self.columns[section])
        if role == Qt.ItemDataRole.DisplayRole:
            return memory.symbol if memory else TEXTS[self.columns[section]]
        if role == Qt.ItemDataRole.ToolTipRole:
            return TEXTS["memory tip"].format(**vars(memory)) if memory else TEXTS[f"{self.columns[section]} tip"]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, colour of the sign, and the full value of a cell."""
        parameter, column = int(self.rows[index.row()]), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(parameter, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._full_text(parameter, column)
        if role == Qt.ItemDataRole.ForegroundRole and self.columns[column] in ("gradient", "update"):
            number = float(self.numbers(column)[parameter])
            return QColor(self.colors.positive if number > 0 else self.colors.negative) if number else None
        return None

    def _text(self, parameter: int, column: int) -> str:
        update, name = self._update, self.columns[column]
        assert update is not None
        if name == "parameter":
            return self._names[parameter]
        if name in ("value", "update", "next"):
            value, step, after = update.sum_texts(parameter)
            signed = step if step.startswith("-") else f"+{step}"
            return {"value": value, "update": signed, "next": after}[name].replace("-", "−")
        return reading_text(float(self.numbers(column)[parameter]))

    def _full_text(self, parameter: int, column: int) -> str:
        update, name = self._update, self.columns[column]
        assert update is not None
        if name == "parameter":
            return TEXTS["parameter tip"]
        if name in update.memory:
            before, after = float(update.memory_before[name][parameter]), float(update.memory[name][parameter])
            texts = {"name": self._names[parameter], "symbol": MEMORIES[name].symbol}
            return true_minus(TEXTS["full memory"].format(**texts, before=before, after=after))
        number = float(self.numbers(column)[parameter])
        return true_minus(TEXTS["full"].format(name=self._names[parameter], column=TEXTS[name], number=number))

    def figure_data(self) -> Sequence[Column]:
        """Every column in the order of the parameters."""
        if self._update is None:
            return []
        named = [(self.headerData(i, Qt.Orientation.Horizontal), self.numbers(i)) for i in range(1, len(self.columns))]
        return [(TEXTS["parameter"], self._names), *named]


class OptimizerPanel(MomentPanel):
    """The table; above it the rule and its numbers.

    Attributes:
        table, plot: the parameters, and the view that shows them.
        rule, settings: the rule in formulas, and the numbers it takes.
        step: whose next step is shown; None for none.
    """

    rest_seconds = 0.2
    full_speed_rest_seconds = 0.5

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.step: int | None = None
        self._next_step = NextStep()
        self.table = UpdateTable()
        self.rule, self.settings = ElidedLabel(), ElidedLabel()
        self.note = self.rule
        for label in (self.rule, self.settings):
            label.setFont(mono_font(11))
            label.setStyleSheet("font-size: 11px;")
            label.setProperty("muted", True)
        self.plot = self._make_view()
        filled(QVBoxLayout(self), self.rule, self.settings, self.plot, 1, margins=(8, 4, 8, 4), spacing=2)

    def _make_view(self) -> QTableView:
        view = QTableView(showGrid=False, wordWrap=False)
        view.setModel(self.table)
        view.setAccessibleName("state of the optimizer")
        view.setFont(mono_font(12))
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(text_pixels(22))
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        view.horizontalHeader().setMinimumSectionSize(text_pixels(74))
        view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        view.horizontalHeader().setSortIndicatorClearable(True)
        view.setSortingEnabled(True)
        view.setStyleSheet(STYLE)
        view.setMinimumHeight(60)
        view.clicked.connect(lambda index: self.select(int(self.table.rows[index.row()])))
        return view

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.table.colors = colors
        self.plot.viewport().update()

    # Following the session

    def start_anew(self) -> None:
        """Shows nothing of another network."""
        self.step = None
        self.table.show_update(None, ())

    def question(self) -> Callable[[], Any]:
        """The next step, and the names of the parameters."""
        session = self.session
        document, data = session.document, session.data
        moment = first_moment(document) if session.shown is None else session.shown.snapshot
        names = network_shape(document.network).parameter_names

        def work() -> tuple[int, int, Update | None, Sequence[str]]:
            return moment.step, moment.optimizer_updates, self._next_step.at(document, data, moment), list(names())

        return work

    def show_answer(self, answer: Any) -> None:
        """Shows the step."""
        step, updates, update, names = answer
        self.step = step
        self.table.show_update(update, names)
        self.set_caption(TEXTS["caption"].format(step=step, parameters=counted(len(names), "parameter")))
        self.rule.setText(TEXTS["not finite"] if update is None else _rule_text(update))
        self.settings.setText("" if update is None else _settings_text(update, updates + 1))
        for label in (self.rule, self.settings):
            label.setToolTip(label.text())

    def select(self, parameter: int) -> None:
        """Selects a parameter on the canvas, where the network is drawn there."""
        graph = self.session.graph
        if graph.sample is not None:
            self.session.select(graph.keys().get(id(graph.sample.parameters[parameter])))

    def figure_data(self) -> Sequence[Column]:
        """Every column of the table with all digits."""
        return self.table.figure_data()


def _rule_text(update: Update) -> str:
    optimizer = OPTIMIZERS[update.settings.optimizer]
    return TEXTS["rule"].format(title=optimizer.title, rule=optimizer.rule)


def _settings_text(update: Update, updates: int) -> str:
    batch = batch_text(update.rows, update.n_samples)
    return TEXTS["settings"].format(rate=update.learning_rate, updates=updates, batch=batch)
