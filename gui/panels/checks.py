"""The checks panel: every gradient beside a central difference and a complex step.

Rows are of the numbers at the moment of the check. When these change, by an edit, a slider or a training step, the rows
stay to be read, greyed out and called outdated, until the next check.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.autograd import GradientCheck, Value, iterate_checks, topological_order
from engine.autograd.check import summary
from engine.autograd.notation import counted, short
from gui.panels.labels import ElidedLabel
from gui.panels.outdated import outdated
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.theme import Colors, mono_font, text_pixels

COLUMNS = ("", "node", "backward", "central difference", "complex step", "digits", "")
MOST_ROWS = 2000
SLICE_SECONDS = 0.012
RIGHT = "✓"
CHANGED = "The numbers have changed since this check: check again."
INTERRUPTED = "The numbers changed while they were being checked: pause the training, then check again."


class ChecksPanel(Panel):
    """A tick for each gradient that agrees, both numbers for one that does not; the caption says whether all agree."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._button = QPushButton("Check every gradient")
        self._button.clicked.connect(self.run)
        self.verdict = ElidedLabel()
        self.verdict.setProperty("muted", True)
        self._say("Compares backward() with a nudge of each number.")
        self.table = self._make_table()
        self._keys: list[str | None] = []
        self._rows: list[GradientCheck] = []
        self._root: Value | None = None
        self._leaves: list[Value] = []
        self._numbers: list[Any] = []
        self._checks: Iterator[GradientCheck] | None = None
        self._slices = QTimer(self)
        self._slices.timeout.connect(self._check_on)
        self._outdated = ElidedLabel()
        self._outdated.setProperty("error", True)
        top = QHBoxLayout()
        top.addWidget(self._button)
        top.addWidget(self.verdict, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self._outdated)
        column.addWidget(self.table, 1)

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setAccessibleName("gradient checks")
        table.setHorizontalHeaderLabels(COLUMNS)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(text_pixels(24))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setMinimumHeight(40)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        table.cellClicked.connect(self._select)
        return table

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        for row in range(self.table.rowCount()):
            cell = self.table.item(row, 0)
            if cell is not None:
                cell.setForeground(self._mark_color(cell.text() == RIGHT))

    def follows(self, change: Change) -> bool:
        """Another program, what of it is drawn, and its numbers."""
        return change.evaluation or change.graph or change.numbers or "view" in change.sections

    def refresh(self, change: Change) -> None:
        """Says whether the rows are of the numbers, and the numbers of the text."""
        self._show_outdated()
        self._compare()

    def _say(self, text: str) -> None:
        self.verdict.setText(text)
        self.verdict.setToolTip(text)

    def _show_outdated(self) -> None:
        """Says when what is checked is not the program in the editor."""
        reason = outdated(self.session)
        self._outdated.setText("Not of the text: of the last program that worked." if reason else "")
        self._outdated.setToolTip(f"{reason}. Its gradients are checked, not those of the text." if reason else "")
        self._outdated.setVisible(bool(reason))
        self._button.setToolTip(self._outdated.toolTip())

    def run(self) -> None:
        """Checks every gradient of the graph that is shown, a slice at a time; the window goes on meanwhile."""
        root = self.session.graph.graph_view.root
        self._forget()
        if root is None:
            self._say("There is nothing to check: the program is empty.")
            return
        self._root = root
        self._leaves = [value for value in topological_order(root) if not value.inputs]
        self._numbers = [value.data for value in self._leaves]
        self._checks = iterate_checks(root)
        self._check_on()
        if self._checks is not None:
            self._slices.start()

    def _check_on(self) -> None:
        """One slice of the work."""
        end = monotonic() + SLICE_SECONDS
        while self._checks is not None and monotonic() < end:
            row = next(self._checks, None)
            if row is None:
                self._stop()
                self._show()
            else:
                self._rows.append(row)
        if self._checks is not None:
            self._say(f"{counted(len(self._rows), 'gradient')} compared so far …")

    def _stop(self) -> None:
        self._slices.stop()
        self._checks = None

    def _show(self) -> None:
        wrong = sum(row.defined and not row.ok for row in self._rows)
        undefined = sum(not row.defined for row in self._rows)
        self._say(f"{summary(self._rows)}: compared with the slope of a nudge, and a complex step where there is one.")
        differ = f"✗ {wrong:,} {'differs' if wrong == 1 else 'differ'}" if wrong else f"– {undefined:,} undefined"
        self.set_caption(differ if wrong or undefined else "✓ all agree")
        rows = self._find_keys()
        self.table.setEnabled(True)
        self.table.setRowCount(len(rows))
        for index, row in enumerate(rows):
            for column, text in enumerate(_texts(row)):
                self.table.setItem(index, column, self._cell(text, column, row.ok))

    def _find_keys(self) -> list[GradientCheck]:
        """The rows that are listed, wrong ones first, and the boxes that their values are drawn in."""
        rows, keys = sorted(self._rows, key=lambda row: row.ok)[:MOST_ROWS], self.session.graph.keys()
        self._keys = [keys.get(id(row.value)) for row in rows]
        return rows

    def _cell(self, text: str, column: int, ok: bool) -> QTableWidgetItem:
        cell = QTableWidgetItem(text)
        if column == 0:
            cell.setForeground(self._mark_color(ok))
        elif 2 <= column <= 5:
            cell.setFont(mono_font(12))
            cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return cell

    def _mark_color(self, ok: bool) -> QBrush:
        return QBrush(QColor(self.colors.positive if ok else self.colors.negative))

    def _select(self, row: int, _column: int) -> None:
        self.session.select(self._keys[row])

    # Whether the rows still are those of the numbers that are shown

    def _compare(self) -> None:
        """Marks the rows as outdated when the numbers they were made from are not those of the graph any more."""
        if self._root is None:
            return
        other = self._root is not self.session.graph.graph_view.root
        if not other:
            now = (value.data for value in self._leaves)
            other = not all(np.array_equal(data, before) for data, before in zip(now, self._numbers, strict=True))
        if other:
            self._outdate()
        elif self._rows and self._checks is None:  # groups were opened or closed: the values are in other boxes
            self._find_keys()

    def _outdate(self) -> None:
        """Greys the rows out; the old graph is let go."""
        if self._checks is not None:
            self._forget()
            self._say(INTERRUPTED)
            return
        self._rows, self._root, self._leaves, self._numbers = [], None, [], []
        self.table.clearSelection()
        self.table.setEnabled(False)
        self._say(CHANGED)
        self.set_caption("outdated")

    def _forget(self) -> None:
        self._stop()
        self._rows, self._keys, self._root, self._leaves, self._numbers = [], [], None, [], []
        self.table.setRowCount(0)
        self.set_caption("")


def _texts(row: GradientCheck) -> tuple[str, ...]:
    complex_step = "–" if row.complex_step is None else _figure(row.complex_step)
    digits = str(row.agreeing_digits) if row.defined else "–"
    figures = (_figure(row.backward), _figure(row.central_difference), complex_step, digits)
    return (row.mark, row.label, *figures, row.note)


def _figure(number: float) -> str:
    """A number with ten digits; words for what is not one."""
    return f"{number:.10g}" if math.isfinite(number) else short(number)
