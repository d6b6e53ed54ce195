"""The variables of a program as it has ended: data and gradient of Values, everything else as Python writes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from engine.autograd import Value
from engine.language import as_in_program
from gui.number_texts import reading_text
from gui.theme import mono_font
from gui.widgets.tables import Index, RowsModel, set_read_only

LOOP = 3
"""The column in which variables of loops are plotted by a click."""
PLOT, PLOT_TIP = "plot", "Plot what it was in each iteration"
DATA, GRADIENT = 1, 2
LEFT_TIP = "The gradient that the program left in it"
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
        gradient: that the program left in it; None where it computed none: then that of the graph is told.
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
        return _list_text(value)
    return str(value)[:LONGEST_TEXT]


def _list_text(values: Sequence[object]) -> str:
    some = ", ".join(map(_text, values[:MOST_SHOWN]))
    more = f", … {len(values):,} in all" if len(values) > MOST_SHOWN else ""
    return f"[{some}{more}]"[:LONGEST_TEXT]


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
            return (name, *texts, (PLOT_TIP if is_tip else PLOT) if plot else "")[index.column()]
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
        header.setResizeContentsPrecision(50)  # rows that are measured; all would be slow
        header.setSectionResizeMode(DATA, QHeaderView.ResizeMode.Stretch)  # the rest stays in view beside a long list
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
