"""Tables of numbers that the user sorts by a column, and that stay sorted while the numbers change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.theme import LIGHT, Colors, mono_font
from gui.widgets.tables import RowsModel, set_read_only

STYLE = """
QHeaderView, QTableCornerButton::section {{ background: transparent; border: none; }}
QHeaderView::section {{ padding: 4px {beside}px; }}
QHeaderView::section:vertical {{ padding: 0 6px; }}
"""


class SortedModel(RowsModel):
    """A subclass implements `listed` (the rows) and `sort_keys` (the order).

    Attributes:
        colors: of the theme.
        rows: (n_rows,) which entry stands in each row, from 0.
    """

    rows: NDArray[np.int64]

    def __init__(self) -> None:
        super().__init__()
        self.colors: Colors = LIGHT
        self.rows = np.empty(0, dtype=np.int64)
        self._column, self._order = -1, Qt.SortOrder.AscendingOrder

    def listed(self) -> NDArray[np.int64]:
        """The entries that have a row, in their own order."""
        raise NotImplementedError

    def sort_keys(self, column: int) -> NDArray[Any] | None:
        """A number for every entry, listed or not; None where a column has none yet."""
        raise NotImplementedError

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, and keep sorting; -1: the entries' own order."""
        self._column, self._order = column, order
        self.arrange()

    def arrange(self, rebuild: bool = False) -> None:
        """Show the listed entries; `rebuild`: entries or columns have changed, so reset the model."""
        rows = self.listed()
        keys = self.sort_keys(self._column) if 0 <= self._column < self.columnCount() else None
        if keys is not None and len(rows):
            keys = keys[rows]
            rows = rows[np.argsort(-keys if self._order == Qt.SortOrder.DescendingOrder else keys, kind="stable")]
        if rebuild or len(rows) != len(self.rows):
            self.show_rows(rows)
        elif len(rows):
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.columnCount() - 1))
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(rows) - 1)


class SortedView(QTableView):
    """Shows such a table; a third click on a column's name goes back to the entries' own order.

    Args:
        model: the table.
        name: what screen readers call it.
        row_pixels: height of a row.
        beside: pixels next to the name of a column.
    """

    def __init__(self, model: SortedModel, name: str, row_pixels: int, beside: int) -> None:
        super().__init__(wordWrap=False)
        self.setModel(model)
        set_read_only(self, name, row_pixels)
        self.setFont(mono_font(12))
        self.setProperty("letters", "12")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setStyleSheet(STYLE.format(beside=beside))
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
