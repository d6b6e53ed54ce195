"""The predictions panel: a table of the first samples, their targets and what the network makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from datasets import Dataset
from engine.autograd.notation import counted
from engine.network import LOSSES, Loss, Targets, encode
from engine.network.progress import MOST_OUTPUTS
from gui.number_texts import input_text, reading_text
from gui.panels.decision import class_texts, decided, decision_level
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import LIGHT, Colors, mono_font
from gui.widgets.layouts import filled

Index = QModelIndex | QPersistentModelIndex
WRONG = "✗"
LAST_COLUMN, WIDEST_COLUMN, ROOM_BESIDE = 84, 160, 8  # pixels
STYLE = """
QTableView { font-size: 12px; }
QHeaderView, QTableCornerButton::section { background: transparent; border: none; }
QHeaderView::section { padding: 4px 2px; }
QHeaderView::section:vertical { padding: 0 6px; }
"""
TEXTS = {
    "target tip": "What the network should give. {trains_on}",
    "probability tip": "The probability of the second class: above {level:g} it means {second}.",
    "decided tip": "What the network gives: above {level:g} it means {second}.",
    "probabilities tip": "The class with the largest output, and its probability.",
    "largest tip": "The class with the largest output.",
    "number tip": "What the network gives.",
    "input": "sample {n}: {name} = {numbers}",
    "target": "sample {n}: target {numbers}",
    "awaited": "sample {n}: not computed yet",
    "prediction": "sample {n}: prediction {numbers}",
    "wrong prediction": "sample {n}: prediction {numbers}, not the target's class",
    "first": "first {listed} of {n:,}",
}
"""Every sentence and caption of the panel."""
WIDE = 300
"""Panels of so many pixels and more number the samples at the left."""


class PredictionTable(QAbstractTableModel):
    """Rows for the first samples: inputs, target, prediction; only what is visible is ever turned into text."""

    def __init__(self, dataset: Dataset, loss: Loss, n_outputs: int) -> None:
        super().__init__()
        self.colors: Colors = LIGHT
        self._outputs: NDArray[Any] = np.empty((0, 1))
        self._wrong: NDArray[Any] = np.empty(0, dtype=bool)
        self.show_data(dataset, loss, n_outputs)

    def show_data(self, dataset: Dataset, loss: Loss, n_outputs: int) -> None:
        """Shows other samples, or targets for another loss; there are no predictions yet."""
        self.beginResetModel()
        self._dataset, self._loss = dataset, loss
        self._targets: Targets = encode(loss, dataset.y, n_outputs)
        self._level = decision_level(loss, self._targets)
        self._classes = class_texts(dataset, self._targets) if dataset.n_classes else ()
        self._outputs = np.empty((0, n_outputs))
        self.endResetModel()

    def show_outputs(self, outputs: NDArray[Any]) -> None:
        """Shows what the network gives for the first samples, (n, n_outputs)."""
        self._outputs = outputs
        classes = self._targets.classes
        self._wrong = (
            np.zeros(len(outputs), dtype=bool)
            if classes is None
            else decided(outputs, self._level) != classes[: len(outputs)]
        )
        last = self.columnCount() - 1
        self.dataChanged.emit(self.index(0, last), self.index(self.rowCount() - 1, last))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """At most 200 samples."""
        return 0 if parent.isValid() else min(self._dataset.n_samples, MOST_OUTPUTS)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Inputs, target, prediction."""
        return 0 if parent.isValid() else self._dataset.n_features + 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns; numbers of the samples from 1."""
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return [*self._dataset.feature_names, "target", "prediction"][section]
        if role == Qt.ItemDataRole.ToolTipRole and section >= self._dataset.n_features:
            is_target = section == self._dataset.n_features
            return TEXTS["target tip"].format(trains_on=self._loss.trains_on) if is_target else self._prediction_tip()
        return None

    def _prediction_tip(self) -> str:
        probable = bool(self._loss.probability)
        if self._level is not None:
            text = TEXTS["probability tip" if probable else "decided tip"]
            return text.format(level=self._level, second=self._classes[1])
        if self._targets.classes is not None:
            return TEXTS["probabilities tip" if probable else "largest tip"]
        return TEXTS["number tip"]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, colour and the full value of a cell."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row, column, n_features = index.row(), index.column(), self._dataset.n_features
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._full_text(row, column)
        if column == n_features + 1:
            return self._prediction(row, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return input_text(self._dataset.X[row, column]) if column < n_features else self._target(row)
        return None

    def _full_text(self, row: int, column: int) -> str:
        """All digits of a cell's number, with the name of its column."""
        name, numbers = "", []
        if column < self._dataset.n_features:
            kind, name, numbers = "input", self._dataset.feature_names[column], [float(self._dataset.X[row, column])]
        elif column == self._dataset.n_features:
            kind, numbers = "target", self._targets.values[row].tolist()
        elif row >= len(self._outputs):
            kind = "awaited"
        else:
            kind, numbers = "wrong prediction" if self._wrong[row] else "prediction", self._outputs[row].tolist()
        return TEXTS[kind].format(n=row + 1, name=name, numbers=", ".join(map(repr, numbers)))

    def _target(self, row: int) -> str:
        """What the output is compared with: a number, with the name of its class where it has one."""
        targets = self._targets
        return reading_text(targets.numbers[row]) if targets.classes is None else self._classes[targets.classes[row]]

    def _prediction(self, row: int, role: int) -> Any:
        if row >= len(self._outputs):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row, self._outputs[row])
        if role == Qt.ItemDataRole.ForegroundRole and self._wrong[row]:
            return QColor(self.colors.error)
        return None

    def _words(self, row: int, outputs: NDArray[Any]) -> str:
        mark = f"{WRONG} " if self._wrong[row] else ""
        if len(outputs) == 1 or self._targets.classes is None:
            return mark + reading_text(outputs[0], signed=not self._loss.probability)
        best = int(np.argmax(outputs))
        size = f"{outputs[best]:.0%}" if self._loss.probability else f"({input_text(outputs[best])})"
        return f"{mark}{self._classes[best]} {size}"

    def widest_prediction(self) -> str:
        """A text as long as the longest that the last column may hold while numbers are small."""
        if self._level is not None or self._targets.classes is None:
            return f"{WRONG} +0.0000"
        return f"{WRONG} {max(self._classes, key=len)} {'100%' if self._loss.probability else '(-0.00)'}"


class PredictionsPanel(Panel):
    """The table, live; the caption says how many of the samples are listed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.table = PredictionTable(*self._data())
        self.view = QTableView(showGrid=False, wordWrap=False)
        self.view.setModel(self.table)
        self.view.setAccessibleName("predictions")
        self.view.setFont(mono_font(12))
        self.view.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(24)
        self.view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.setStyleSheet(STYLE)
        self.view.horizontalHeader().setMinimumSectionSize(42)
        self.view.setMinimumHeight(72)
        filled(QVBoxLayout(self), self.view, margins=(4, 4, 4, 4))

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.table.colors = colors
        self.view.viewport().update()

    def follows(self, change: Change) -> bool:
        """Other data or another network, and every report of training."""
        return change.model or change.moment

    def refresh(self, change: Change) -> None:
        """Lists the samples where they are new, and what the network gives for them."""
        if change.model:
            self._show_data()
        if self.session.shown is not None:
            self.table.show_outputs(self.session.shown.outputs)

    def _data(self) -> tuple[Dataset, Loss, int]:
        session = self.session
        return session.dataset, LOSSES[session.document.training.loss], session.document.network.layer_sizes[-1]

    def _show_data(self) -> None:
        dataset = self.session.dataset
        self.table.show_data(*self._data())
        header, last = self.view.horizontalHeader(), self.table.columnCount() - 1
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(last, QHeaderView.ResizeMode.Fixed)
        wanted = self.view.fontMetrics().horizontalAdvance(self.table.widest_prediction()) + ROOM_BESIDE
        header.resizeSection(last, min(max(LAST_COLUMN, wanted), WIDEST_COLUMN))
        listed = self.table.rowCount()
        few = listed < dataset.n_samples
        first = TEXTS["first"].format(listed=listed, n=dataset.n_samples)
        self.set_caption(first if few else counted(listed, "sample"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Numbers the samples where there is room."""
        super().resizeEvent(event)
        self.view.verticalHeader().setVisible(self.width() >= WIDE)
