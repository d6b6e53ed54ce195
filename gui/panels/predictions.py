"""The predictions panel: a table of the first samples, their targets and what the network makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from datasets import Dataset
from engine.autograd.notation import counted
from engine.network import LOSSES, Targets, encode
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font
from gui.training_run import MOST_OUTPUTS, Progress

Index = QModelIndex | QPersistentModelIndex
WRONG = "✗"
LAST_COLUMN = 84  # pixels


class PredictionTable(QAbstractTableModel):
    """Rows for the first samples: inputs, target, prediction; only what is visible is ever turned into text."""

    def __init__(self, dataset: Dataset, targets: Targets) -> None:
        super().__init__()
        self.colors: Colors = LIGHT
        self._outputs: NDArray[Any] = np.empty((0, 1))
        self._wrong: NDArray[Any] = np.empty(0, dtype=bool)
        self.show_data(dataset, targets)

    def show_data(self, dataset: Dataset, targets: Targets) -> None:
        """Shows other samples; there are no predictions yet."""
        self.beginResetModel()
        self._dataset, self._targets = dataset, targets
        self._outputs = np.empty((0, targets.values.shape[1]))
        self.endResetModel()

    def show_outputs(self, outputs: NDArray[Any]) -> None:
        """Shows what the network gives for the first samples, (n, n_outputs)."""
        self._outputs = outputs
        classes = self._targets.classes
        self._wrong = (
            np.zeros(len(outputs), dtype=bool)
            if classes is None
            else self._targets.decide(outputs) != classes[: len(outputs)]
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
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return section + 1
        return [*self._dataset.feature_names, "target", "prediction"][section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, colour and the full value of a cell."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row, column, n_features = index.row(), index.column(), self._dataset.n_features
        if column == n_features + 1:
            return self._prediction(row, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self._dataset.X[row, column]:.2f}" if column < n_features else self._target(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return repr(float(self._dataset.X[row, column] if column < n_features else self._targets.numbers[row]))
        return None

    def _target(self, row: int) -> str:
        """What the output is compared with: a number, or the class that has an output of its own."""
        targets = self._targets
        if targets.values.shape[1] > 1 and targets.classes is not None:
            return self._dataset.class_names[targets.classes[row]]
        return f"{targets.numbers[row]:g}" if targets.classes is not None else f"{targets.numbers[row]:.3f}"

    def _prediction(self, row: int, role: int) -> Any:
        if row >= len(self._outputs):
            return None
        outputs = self._outputs[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row, outputs)
        if role == Qt.ItemDataRole.ForegroundRole and self._wrong[row]:
            return QColor(self.colors.error)
        if role == Qt.ItemDataRole.ToolTipRole:
            wrong = "\nnot the target's class" if self._wrong[row] else ""
            return ", ".join(map(repr, outputs.tolist())) + wrong
        return None

    def _words(self, row: int, outputs: NDArray[Any]) -> str:
        mark = f"{WRONG} " if self._wrong[row] else ""
        if len(outputs) == 1:
            return f"{mark}{outputs[0]:+.3f}"
        best = int(np.argmax(outputs))
        return f"{mark}{self._dataset.class_names[best]} ({outputs[best]:.2f})"


class PredictionsPanel(QWidget):
    """The table, live.

    Signals:
        caption_changed(str): how many of the samples are listed.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.caption = ""
        self.table = PredictionTable(session.dataset, self._targets())
        self.view = QTableView()
        self.view.setModel(self.table)
        self.view.setAccessibleName("predictions")
        self.view.setFont(mono_font(12))
        self.view.setShowGrid(False)
        self.view.setSelectionMode(QTableView.SelectionMode.NoSelection)
        self.view.setWordWrap(False)
        self.view.verticalHeader().hide()
        self.view.verticalHeader().setDefaultSectionSize(24)
        self.view.horizontalHeader().setMinimumSectionSize(44)
        self.view.horizontalHeader().setStyleSheet("QHeaderView::section { padding: 4px 2px; }")
        self.view.setMinimumHeight(72)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.view)
        session.model_replaced.connect(self._show_data)
        session.progressed.connect(self._show_progress)
        self._show_data()

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self.table.colors = colors
        self.view.viewport().update()

    def _targets(self) -> Targets:
        loss = LOSSES[self._session.document.training.loss]
        return encode(loss, self._session.dataset.y, self._session.model.n_outputs)

    def _show_data(self) -> None:
        dataset = self._session.dataset
        self.table.show_data(dataset, self._targets())
        header, last = self.view.horizontalHeader(), self.table.columnCount() - 1
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(last, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(last, LAST_COLUMN)
        listed = self.table.rowCount()
        self.caption = (
            f"first {listed} of {dataset.n_samples:,}" if listed < dataset.n_samples else counted(listed, "sample")
        )
        self.caption_changed.emit(self.caption)

    def _show_progress(self, progress: Progress) -> None:
        if self.isVisible():
            self.table.show_outputs(progress.outputs)

    def showEvent(self, event: Any) -> None:
        """Catches up with what happened while it was hidden."""
        super().showEvent(event)
        if self._session.progress is not None:
            self._show_progress(self._session.progress)
