"""The table of all operations: value, derivative, domain, corners, the result of a check, and a plot of f and f'.

Everything comes from the table of operations; an operation that is added to it stands here at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from engine.autograd import OPS
from engine.autograd.op_check import OpCheck, check_op
from engine.csv_text import Column
from engine.teaching.explanation import plain
from engine.teaching.lens import N_POINTS, curve_of, is_of_one_number
from engine.teaching.operation_lines import operation_lines, row_of
from gui.background import Job, once
from gui.panels.panel import Panel
from gui.plots.plot import Plot, range_around
from gui.session import Change, Session
from gui.theme import Colors, mono_font, set_text_sized, text_pixels
from gui.widgets.formula_view import FormulaView
from gui.widgets.layouts import add_widgets
from gui.widgets.splitter import Splitter
from gui.widgets.tables import set_read_only

SENTENCES = {
    "no plot": "No curve: it takes several numbers, or arrays.",
    "checked": "{mark} {digits} digits",
    "failed": "not checked: {reason}",
    "tip": "Compare each derivative with a complex step and a central difference, at points of its domain",
}
"""Texts of the panel; those on an operation come from the table of operations."""
COLUMNS = ("", "operation", "value", "derivative", "defined for", "where there is\nno derivative", "check")
WIDTHS = 48, 104, 190, 216, 120, 124, 84
"""Widths of the columns, pixels."""
EDGE, LEAST_BESIDE = 24, 240
"""Pixels of the table's scroll bar and border, and least width of the description next to the table."""
HALF_RANGE = 4.0


class OperationsPanel(Panel):
    """The table of operations, with the whole entry of the chosen row and a plot."""

    figure_tip = (
        "The operation (solid) and its derivative (dashed). At each x, the backward pass multiplies the upstream "
        "gradient by the derivative."
    )

    depends_on = frozenset({"program"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._names: list[str] = []
        self._job = Job("check of the operations", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self.set_caption(SENTENCES["failed"].format(reason=error)))
        self.table = table = QTableWidget(0, len(COLUMNS))
        table.setHorizontalHeaderLabels(COLUMNS)
        set_read_only(table, "all operations")
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.setToolTip(SENTENCES["tip"])
        table.currentCellChanged.connect(lambda row, *_rest: self._show(row))
        self.page = FormulaView("description of the operation")
        self.plot = Plot("the operation and its derivative")
        self.curve, self.slopes = self.plot.plot([]), self.plot.plot([])
        self.plot.axes["bottom"].setLabel("x")
        self.plot.axes["left"].setLabel("f and f' (dashed)")
        set_text_sized(self.plot, setMinimumHeight=80)
        about = QWidget()
        self._about = add_widgets(QVBoxLayout(about), self.page, 1, self.plot, 1, margins=(4, 4, 4, 4), spacing=4)
        self.splitter = Splitter("table and description", Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.table)
        self.splitter.addWidget(about)
        add_widgets(QVBoxLayout(self), self.splitter, margins=(2, 0, 2, 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wanted = text_pixels(sum(WIDTHS)) + EDGE
        is_wide = self.width() >= wanted + text_pixels(LEAST_BESIDE)
        self.splitter.set_orientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)
        self._about.setDirection(QBoxLayout.Direction.TopToBottom if is_wide else QBoxLayout.Direction.LeftToRight)
        beside = self.width() - wanted
        self.splitter.set_sizes([wanted, beside] if is_wide else [self.height() * 3 // 5, self.height() * 2 // 5])

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.page.colors = colors
        self.plot.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.positive, width=2))
        self.slopes.setPen(pg.mkPen(colors.negative, width=2, style=Qt.PenStyle.DashLine))
        self._show(self.table.currentRow())

    def refresh(self, change: Change) -> None:
        if list(OPS) != self._names:
            self._names = list(OPS)
            self.table.setRowCount(len(self._names))
            for row, entry in enumerate(map(row_of, OPS.values())):
                texts = (entry.symbol, entry.name, entry.value, entry.derivatives, entry.domain, entry.kink, "…")
                for column, text in enumerate(texts):
                    item = QTableWidgetItem(text)
                    item.setToolTip(text)
                    if 2 <= column <= 4:
                        item.setFont(mono_font(11))
                    self.table.setItem(row, column, item)
            for column, width in enumerate(WIDTHS):
                self.table.setColumnWidth(column, text_pixels(width))
            self.table.resizeRowsToContents()
            self.table.setCurrentCell(0, 1)
            ops = list(OPS.values())
            self._job.start(None, once(lambda: {op.name: check_op(op) for op in ops}))

    def _take(self, _token: object, checks: dict[str, OpCheck]) -> None:
        for row, name in enumerate(self._names):
            item = self.table.item(row, len(COLUMNS) - 1)
            if item is not None and name in checks:
                mark = "✓" if checks[name].ok else "✗"
                item.setText(SENTENCES["checked"].format(mark=mark, digits=checks[name].digits))
        right = sum(check.ok for check in checks.values())
        self.set_caption(f"✓ {right} of {len(self._names)}" if right == len(self._names) else f"✗ {right}")

    def _show(self, row: int) -> None:
        if not 0 <= row < len(self._names):
            return
        op = OPS[self._names[row]]
        has_curve = is_of_one_number(op)
        self.page.show_lines((*operation_lines(op), *(() if has_curve else (plain(SENTENCES["no plot"]),))))
        self.plot.setVisible(has_curve)
        if has_curve:
            xs = np.linspace(-HALF_RANGE, HALF_RANGE, N_POINTS)
            ys, slopes = curve_of(op, xs)
            self.curve.setData(xs, ys, connect="finite")
            self.slopes.setData(xs, slopes, connect="finite")
            seen = np.concatenate([ys, slopes])
            self.plot.show_range((-HALF_RANGE, HALF_RANGE), range_around(np.clip(seen[np.isfinite(seen)], -8.0, 8.0)))

    def figure_data(self) -> Sequence[Column]:
        op = OPS[self._names[max(self.table.currentRow(), 0)]] if self._names else None
        if op is None or not is_of_one_number(op):
            return []
        xs = np.linspace(-HALF_RANGE, HALF_RANGE, N_POINTS)
        ys, slopes = curve_of(op, xs)
        return [("x", xs), (f"{op.name}(x)", ys), ("derivative", slopes)]
