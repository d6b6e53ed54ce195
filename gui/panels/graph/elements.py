"""The elements of an array, data and gradient, in a table that follows the walk and the training."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTableView, QTabWidget, QVBoxLayout, QWidget

from engine.graph.elements import Elements, elements_of
from engine.graph.picture import cell_text
from gui.session import Change, Session
from gui.theme import mono_font
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import Index, RowsModel

WIDTH, HEIGHT = 480, 360
NUMBERS = {"data": "Data", "grad": "Gradient"}
NOTHING = Elements(np.zeros((0, 0)))


class ElementsModel(RowsModel):
    """Table model that reads visible cells from an array."""

    def __init__(self, signed: bool, parent: QWidget) -> None:
        """Make an empty table; `signed` writes + before positive numbers."""
        super().__init__(parent)
        self._signed = signed
        self._elements = NOTHING

    def show_elements(self, elements: Elements) -> None:
        """Show another array."""
        before, self._elements = self._elements, elements
        if elements.array.shape == before.array.shape:
            self.dataChanged.emit(self.index(0, 0), self.index(elements.n_rows - 1, elements.n_columns - 1))
        else:
            self.columns = range(elements.n_columns)
            self.show_rows(range(elements.n_rows))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A number as on the canvas, with all its digits as tip."""
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(self._elements.number(index.row(), index.column()), signed=self._signed)
        if role == Qt.ItemDataRole.ToolTipRole:
            return repr(self._elements.number(index.row(), index.column()))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return str(section) if orientation == Qt.Orientation.Horizontal else self._elements.row_name(section)


class ElementsDialog(QDialog):
    """Window with the elements of one value; it deletes itself when closed.

    Attributes:
        models: of the two tables, "data" and "grad".
    """

    def __init__(self, session: Session, key: str, parent: QWidget) -> None:
        """Open on the value in the box of that key."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self._key = session, key
        self.models = {name: ElementsModel(name == "grad", self) for name in NUMBERS}
        self._tabs = QTabWidget()
        for name, title in NUMBERS.items():
            table = QTableView()
            table.setAccessibleName(f"{title} of the elements")
            table.setFont(mono_font(12))
            table.setModel(self.models[name])
            self._tabs.addTab(table, title)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        add_widgets(QVBoxLayout(self), self._tabs, buttons)
        self.resize(WIDTH, HEIGHT)
        session.changed.connect(self._follow)
        self._show()

    def _follow(self, change: Change) -> None:
        if "numbers" in change:
            self._show()

    def _show(self) -> None:
        """Show the current numbers; close if the value is gone or no longer an array."""
        presenter = self._session.presenter
        value, box = presenter.value(self._key), presenter.picture.boxes.get(self._key)
        if value is None or box is None or not isinstance(value.data, np.ndarray):
            self.close()
            return
        shape = " × ".join(map(str, value.data.shape))
        self.setWindowTitle(f"Elements of {box.label or 'a value'}, {shape}")
        for index, (name, number) in enumerate(zip(NUMBERS, presenter.look_up()(value), strict=True)):
            elements = elements_of(number)
            self.models[name].show_elements(elements or NOTHING)
            self._tabs.setTabText(index, NUMBERS[name] if elements else f"{NUMBERS[name]} (not computed yet)")
