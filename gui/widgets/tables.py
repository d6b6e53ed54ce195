"""Read-only tables: rows under named columns; only visible cells are ever turned into text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QToolTip

from gui.theme import set_text_sized
from gui.widgets.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex
ROWS_MEASURED = 30
"""Columns are as wide as the first so many rows need: another theme measures them again, 2,000 rows in 160 ms."""


class RowsModel(QAbstractTableModel):
    """Rows under named columns; a subclass gives the `data` of a cell.

    Attributes:
        columns: their names, or the objects from which a subclass's `headerData` makes them.
        rows: one object for each.
    """

    columns: Sequence[Any] = ()
    rows: Sequence[Any] | NDArray[Any] = ()

    def show_rows(self, rows: Sequence[Any] | NDArray[Any]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt declares it
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        is_name = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self.columns[section] if is_name else None


class TipDelegate(QStyledItemDelegate):
    """Shows the whole text of a cell as its tool tip where the cell is too narrow for it."""

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() != QEvent.Type.ToolTip or index.data(Qt.ItemDataRole.ToolTipRole):
            return super().helpEvent(event, view, option, index)
        text = str(index.data() or "")
        is_cut = self.sizeHint(option, index).width() > view.visualRect(index).width()
        QToolTip.showText(event.globalPos(), plain_tip(text) if is_cut else "", view)
        return True


def set_read_only(table: QTableView, name: str, row_pixels: int = 0) -> None:
    """Make a table read-only, without row headers and grid lines.

    Args:
        table: is changed.
        name: what screen readers call it.
        row_pixels: height of a row; 0: the style's.
    """
    table.setAccessibleName(name)
    table.setItemDelegate(TipDelegate(table))
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)  # the arrow keys go from cell to cell, Tab leaves the table
    table.verticalHeader().hide()
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.horizontalHeader().setResizeContentsPrecision(ROWS_MEASURED)
    if row_pixels:
        set_text_sized(table.verticalHeader(), setDefaultSectionSize=row_pixels)
