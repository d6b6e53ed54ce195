"""Tables of the import dialog: the rows of the file, its columns, and the classes of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from datasets import Column, ImportPreview
from engine.autograd.notation import counted
from engine.messages import visible
from gui.number_texts import with_minus
from gui.plots.plot import MARKERS, class_colors
from gui.theme import Colors, text_pixels
from gui.widgets.labels import literal_tip
from gui.widgets.marker_icon import marker_icon
from gui.widgets.tables import Index, RowsModel

Role = Qt.ItemDataRole
LONGEST_CELL, MOST_NAMED = 200, 3
TEXTS = {
    "target": "{name}\ntarget",
    "input": "{name}\ninput",
    "unused": "{name}\nnot used",
    "numbers": "numbers from {low} to {high}",
    "no values": "no values",
    "labels": "{n} different texts: {labels}",
    "more labels": "{n} different texts: {labels} and more",
    "use tip": "Use this column as an input; a column of text becomes an input for each different text, 20 at most",
    "class tip": "The number that stands for the label in the program",
}
"""Captions of the lists."""


class TableModel(RowsModel):
    """The rows of a file; chosen columns are tinted, and a cell that cannot be used has the reason as tooltip."""

    def __init__(self, colors: Colors) -> None:
        super().__init__()
        self._colors = colors
        self._roles: dict[str, str] = {}
        self._numeric: set[str] = set()

    def show_preview(self, preview: ImportPreview) -> None:
        """Shows another table, or other columns of the same one as chosen."""
        target, inputs = preview.choices.target, preview.choices.inputs or ()
        self._roles = dict.fromkeys(inputs, "input") | ({target: "target"} if target else {})
        self._numeric = set(inputs)
        if target and preview.choices.task == "regression":
            self._numeric.add(target)
        self.columns = () if preview.table is None else preview.table.columns
        self.show_rows(range(0 if preview.table is None else preview.table.n_rows))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if not self.columns or role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        if orientation == Qt.Orientation.Vertical:
            return str(self.columns[0].rows[section])
        name = self.columns[section].name
        text = TEXTS[self._roles.get(name, "unused")].format(name=name)
        return literal_tip(text) if role == Role.ToolTipRole else text

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return text, tint or problem of a cell."""
        column, row = self.columns[index.column()], index.row()
        if role == Role.DisplayRole:
            return visible(column.cells[row], LONGEST_CELL)
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column.is_text else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Role.ToolTipRole and self._is_bad(column, row):
            return literal_tip(column.problem(row))
        if role == Role.ForegroundRole and column.name not in self._roles:
            return QColor(self._colors.muted)
        if role == Role.BackgroundRole:
            return self._tint(column, row)
        return None

    def _is_bad(self, column: Column, row: int) -> bool:
        if column.name not in self._numeric or (column.is_text and self._roles[column.name] == "input"):
            return column.name in self._roles and not column.cells[row]
        return not np.isfinite(column.numbers[row])

    def _tint(self, column: Column, row: int) -> QColor | None:
        if self._is_bad(column, row):
            return QColor(self._colors.warning)
        tints = {"input": self._colors.input, "target": self._colors.output}
        return QColor(tints[self._roles[column.name]]) if column.name in self._roles else None


class ColumnModel(RowsModel):
    """The columns of a file to choose from: a check box with the name, what they hold, how much is missing.

    Signals:
        chosen(object): the names of the inputs, a tuple, as the user has just ticked them.
    """

    chosen = Signal(object)
    columns = ("input", "holds", "missing")

    def __init__(self) -> None:
        super().__init__()
        self._inputs: tuple[str, ...] = ()
        self._contents: dict[str, str] = {}

    def show_preview(self, preview: ImportPreview) -> None:
        """Shows the columns but the target."""
        columns = () if preview.table is None else preview.table.columns
        self._contents, self._inputs = {}, preview.choices.inputs or ()
        self.show_rows([column for column in columns if column.name != preview.choices.target])

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The name is ticked."""
        tick = Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | tick

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Text and tick."""
        column = self.rows[index.row()]
        if role == Role.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Checked if column.name in self._inputs else Qt.CheckState.Unchecked
        if role == Role.ToolTipRole:
            return TEXTS["use tip"] if index.column() == 0 else literal_tip(self._contents_of(column))
        if role == Role.DisplayRole:
            missing = f"{column.n_missing:,}" if column.n_missing else ""
            return (column.name, self._contents_of(column), missing)[index.column()]
        return None

    def _contents_of(self, column: Column) -> str:
        """Found out once: a column may have 100,000 cells."""
        if column.name not in self._contents:
            self._contents[column.name] = contents_text(column)
        return self._contents[column.name]

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        self.tick([index.row()], Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def tick(self, rows: Sequence[int], wanted: bool) -> None:
        """Ticks some columns, or takes their ticks away, as the user has just asked."""
        if not rows:
            return
        names = {self.rows[row].name for row in rows}
        ticked = {*self._inputs} | names if wanted else {*self._inputs} - names
        self._inputs = tuple(column.name for column in self.rows if column.name in ticked)
        self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))
        self.chosen.emit(self._inputs)

    def tick_all(self, wanted: bool) -> None:
        """Ticks every column of numbers, or none."""
        rows = [row for row, column in enumerate(self.rows) if not (wanted and column.is_text)]
        self.tick(rows, wanted)

    def toggle(self, rows: Sequence[int]) -> None:
        """Ticks some columns where one of them is not ticked yet, else takes their ticks away."""
        self.tick(rows, any(self.rows[row].name not in self._inputs for row in rows))


def contents_text(column: Column) -> str:
    """Describe the contents of a column in a few words."""
    if column.is_text:
        labels = list(dict.fromkeys(cell for cell in column.cells if cell))
        shown = ", ".join(visible(label, 20) for label in labels[:MOST_NAMED])
        if not labels:
            return TEXTS["no values"]
        return TEXTS["more labels" if len(labels) > MOST_NAMED else "labels"].format(n=len(labels), labels=shown)
    low, high = np.nanmin(column.numbers), np.nanmax(column.numbers)
    return TEXTS["numbers"].format(low=number_text(low), high=number_text(high))


def number_text(number: float) -> str:
    """A number out of a file in six digits, with a real minus sign."""
    return with_minus(f"{number:.6g}")


class ColumnView(QTableView):
    """The list of columns: Space ticks all that are selected."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        model, rows = self.model(), [index.row() for index in self.selectionModel().selectedRows()]
        if event.key() == Qt.Key.Key_Space and rows and isinstance(model, ColumnModel):
            model.toggle(rows)
        else:
            super().keyPressEvent(event)


class ClassModel(RowsModel):
    """Class of each label, with its marker in the plots."""

    columns = ("label", "class", "rows")

    def __init__(self, colors: Colors) -> None:
        super().__init__()
        looks = zip(MARKERS, class_colors(colors), strict=True)
        self._icons = [marker_icon(marker, color) for marker, color in looks]

    def show_preview(self, preview: ImportPreview) -> None:
        """Shows the classes of the dataset, if it has any."""
        self.show_rows(preview.classes)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        is_class = orientation == Qt.Orientation.Horizontal and section == 1
        return (
            TEXTS["class tip"]
            if is_class and role == Role.ToolTipRole
            else super().headerData(section, orientation, role)
        )

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Text and marker."""
        label, number, n_rows = self.rows[index.row()]
        if role == Role.DisplayRole:
            return (label, with_minus(str(number)), f"{n_rows:,}")[index.column()]
        if role == Role.ToolTipRole:
            return counted(n_rows, "row")
        if role == Role.DecorationRole and index.column() == 0:
            return self._icons[index.row()]
        return None


def made_view(model: RowsModel, name: str) -> QTableView:
    """A list of one of these models, which it owns, and which Tab leaves; `name` is what screen readers call it."""
    view = ColumnView() if isinstance(model, ColumnModel) else QTableView()
    model.setParent(view)  # else its signals would keep the dialog, and the whole file, for ever
    view.setModel(model)
    view.setAccessibleName(name)
    view.setTabKeyNavigation(False)
    view.setWordWrap(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.verticalHeader().setDefaultSectionSize(text_pixels(22))
    return view
