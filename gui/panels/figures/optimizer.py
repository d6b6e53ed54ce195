"""The optimizer panel: for every parameter the update of the next step, and the optimizer's memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.assemble import network_shape
from engine.experiment.snapshot_network import NextStep, first_snapshot
from engine.network import OPTIMIZERS, Update
from engine.network.optimizers import MEMORIES
from engine.teaching.typeset import true_minus
from engine.views.walk_texts import batch_text
from gui.number_texts import reading_text
from gui.panels.figures.sorted_table import SortedModel, SortedView
from gui.panels.moment_panel import MomentPanel
from gui.session import Session
from gui.theme import Colors, text_pixels
from gui.widgets.labels import ElidedLabel, small_letters
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import Index

COLUMNS = {
    "parameter": (
        "parameter",
        "L1N2.w3 is weight 3 of neuron 2 of layer 1, L1N2.b its bias. Click to select it on the canvas.",
    ),
    "value": ("value", "The parameter at this step."),
    "gradient": (
        "gradient",
        "The gradient of the loss of the next batch, with penalties, and clipped if clipping is set.",
    ),
    "update": ("update", "The next step adds this to the value: value + update = next value."),
    "next": ("next value", "The parameter after the next step."),
}
"""Title and tooltip of each column, besides those of the optimizer's memory."""
TEXTS = {
    "memory tip": "{symbol}: {description} It includes this gradient.",
    "rule": "{title}: {rule}",
    "settings": "lr {rate:g}, t {updates:,}, g: gradient of {batch}.",
    "not finite": "The numbers of the network are not finite, or the next step would overflow: there is no next step.",
    "caption": "step {step:,} · {parameters}",
    "full": "{name}: {column} {number!r}",
    "full memory": "{name}: {symbol} was {before!r}; with this gradient it is {after!r}",
}
"""Texts of the panel."""


class UpdateTable(SortedModel):
    """A row for each parameter.

    Attributes:
        columns: which number each column has: keys of COLUMNS, and names of the optimizer's memory.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: Sequence[str] = ()
        self._update: Update | None = None

    def show_update(self, update: Update | None, names: Sequence[str]) -> None:
        """Show another step; None for none."""
        memory = () if update is None else tuple(update.memory)
        columns = ("parameter", "value", "gradient", *memory, "update", "next")
        rebuild = columns != self.columns or len(names) != len(self._names)
        self._update, self._names, self.columns = update, names, columns
        self.arrange(rebuild)

    def listed(self) -> NDArray[np.int64]:
        return np.arange(0 if self._update is None else len(self._update.before))

    def sort_keys(self, column: int) -> NDArray[Any] | None:
        """The size of the numbers, whatever their sign; by the names the parameters' order."""
        return np.abs(self.numbers(column)) if column and self._update is not None else self.listed()

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

    # Model interface

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        memory = MEMORIES.get(self.columns[section])
        if memory:
            title, tip = memory.symbol, TEXTS["memory tip"].format(**vars(memory))
        else:
            title, tip = COLUMNS[self.columns[section]]
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        return tip if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, colour of the sign, and the full value of a cell."""
        parameter, column = int(self.rows[index.row()]), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.DisplayRole:
            update, name = self._update, self.columns[column]
            assert update is not None
            if name == "parameter":
                return self._names[parameter]
            if name in ("value", "update", "next"):
                value, step, after = update.sum_texts(parameter)
                signed = step if step.startswith("-") else f"+{step}"
                return {"value": value, "update": signed, "next": after}[name].replace("-", "−")
            return reading_text(float(self.numbers(column)[parameter]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._full_text(parameter, column)
        if role == Qt.ItemDataRole.ForegroundRole and self.columns[column] in ("gradient", "update"):
            number = float(self.numbers(column)[parameter])
            return QColor(self.colors.positive if number > 0 else self.colors.negative) if number else None
        return None

    def _full_text(self, parameter: int, column: int) -> str:
        update, name = self._update, self.columns[column]
        assert update is not None
        if name == "parameter":
            return COLUMNS["parameter"][1]
        if name in update.memory:
            before, after = float(update.memory_before[name][parameter]), float(update.memory[name][parameter])
            texts = {"name": self._names[parameter], "symbol": MEMORIES[name].symbol}
            return true_minus(TEXTS["full memory"].format(**texts, before=before, after=after))
        number = float(self.numbers(column)[parameter])
        return true_minus(TEXTS["full"].format(name=self._names[parameter], column=COLUMNS[name][0], number=number))

    def figure_data(self) -> Sequence[Column]:
        if self._update is None:
            return []
        named = [(self.headerData(i, Qt.Orientation.Horizontal), self.numbers(i)) for i in range(1, len(self.columns))]
        return [(COLUMNS["parameter"][0], self._names), *named]


class OptimizerPanel(MomentPanel):
    """The table; above it the rule and its numbers.

    Attributes:
        table, plot: the parameters, and the view that shows them.
        rule, settings: the rule in formulas, and the numbers it takes.
        step: whose next step is shown; None for none.
    """

    figure_tip = (
        "The parts of the update of each weight and bias: the gradient, the memory of the optimizer, and "
        "the update that leads to the next value."
    )
    rest_seconds = 0.2
    full_speed_rest_seconds = 0.5

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.step: int | None = None
        self._next_step = NextStep()
        self.table = UpdateTable()
        self.rule, self.settings = (small_letters(ElidedLabel(), 11, muted=True) for _ in range(2))
        self.note = self.rule
        self.plot = view = SortedView(self.table, "state of the optimizer", 22, beside=4)
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        view.horizontalHeader().setMinimumSectionSize(text_pixels(74))
        view.setMinimumHeight(60)
        view.clicked.connect(lambda index: self.select(int(self.table.rows[index.row()])))
        add_widgets(QVBoxLayout(self), self.rule, self.settings, self.plot, 1, margins=(8, 4, 8, 4), spacing=2)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.table.colors = colors
        self.plot.viewport().update()

    # Following the session

    def reset(self) -> None:
        self.step = None
        self.table.show_update(None, ())

    def question(self) -> Callable[[], Any]:
        session = self.session
        document, data = session.document, session.data
        moment = first_snapshot(document) if session.shown is None else session.shown.snapshot
        names = network_shape(document.network).parameter_names

        def work() -> tuple[int, int, Update | None, Sequence[str]]:
            return moment.step, moment.optimizer_updates, self._next_step.at(document, data, moment), list(names())

        return work

    def show_answer(self, answer: Any) -> None:
        step, updates, update, names = answer
        self.step = step
        self.table.show_update(update, names)
        self.set_caption(TEXTS["caption"].format(step=step, parameters=counted(len(names), "parameter")))
        rule, settings = TEXTS["not finite"], ""
        if update is not None:
            optimizer, batch = OPTIMIZERS[update.settings.optimizer], batch_text(update.rows, update.n_samples)
            rule = TEXTS["rule"].format(title=optimizer.title, rule=optimizer.rule)
            settings = TEXTS["settings"].format(rate=update.learning_rate, updates=updates + 1, batch=batch)
        self.rule.setText(rule)
        self.settings.setText(settings)
        for label in (self.rule, self.settings):
            label.setToolTip(label.text())

    def select(self, parameter: int) -> None:
        """Select a parameter on the canvas, where the network is drawn there."""
        presenter = self.session.presenter
        if presenter.sample is not None:
            self.session.select(presenter.keys().get(id(presenter.sample.parameters[parameter])))

    def figure_data(self) -> Sequence[Column]:
        return self.table.figure_data()
