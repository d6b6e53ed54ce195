"""Output of a program, line by line, each with the program line that printed it.

A program may print a megabyte: only what is visible is ever turned into text, and new lines are added to those before.
"""

from __future__ import annotations

from html import escape
from typing import Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.session.programs import PrintedLines
from gui.theme import LIGHT, Colors, mono_font

NUMBER_DIGITS = 4
MARGIN, GAP = 8, 10  # pixels
LONGEST_TIP = 2_000
"""Characters of a line in its tool tip."""

Index = QModelIndex | QPersistentModelIndex


class PrintedModel(QAbstractListModel):
    """The lines of an output that grows.

    Attributes:
        printed: the lines.
    """

    def __init__(self) -> None:
        super().__init__()
        self.printed = PrintedLines()
        self._n_rows = 0

    def show_output(self, printed: PrintedLines) -> None:
        """Show an output; of one that has grown only the new lines are looked at."""
        before, after = self._n_rows, len(printed.lines)
        if printed is self.printed and after > before > 0:
            self.beginInsertRows(QModelIndex(), before, after - 1)
            self._n_rows = after
            self.endInsertRows()
            self.dataChanged.emit(self.index(before - 1), self.index(before - 1))  # its end may have come
        elif printed is not self.printed or after != before:
            self.beginResetModel()
            self.printed, self._n_rows = printed, after
            self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._n_rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line as it is read, and for screen readers with the line of the program."""
        line = self.printed.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.shown
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{line.shown}, printed by line {line.line}"
        if role == Qt.ItemDataRole.ToolTipRole:
            text = escape(line.text[:LONGEST_TIP]).replace("\n", "<br>")
            return f"<qt><tt>{text}</tt><p>Printed by line {line.line}: click to go there</p></qt>"
        return None


class _LineDelegate(QStyledItemDelegate):
    """Draws the number of the line before its text."""

    def __init__(self, model: PrintedModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self.colors: Colors = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The number muted, the text as the program's."""
        line = self._model.printed.lines[index.row()]
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
        rect: QRect = option.rect  # type: ignore[attr-defined]
        if is_selected:
            painter.fillRect(rect, QColor(self.colors.accent))
        painter.setFont(mono_font(12))
        number = QRect(rect.x() + MARGIN, rect.y(), _number_width(painter.fontMetrics()), rect.height())
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(self.colors.on_accent if is_selected else self.colors.muted))
        painter.drawText(number, middle | Qt.AlignmentFlag.AlignRight, str(line.line))
        painter.setPen(QColor(self.colors.on_accent if is_selected else self.colors.text))
        painter.drawText(rect.adjusted(number.right() - rect.x() + GAP, 0, 0, 0), middle, line.shown)


def _number_width(metrics: QFontMetrics) -> int:
    return NUMBER_DIGITS * metrics.horizontalAdvance("9")


class PrintedView(QTableView):
    """The lines, the newest in view as long as nobody has scrolled up.

    A table of one column: its rows have a fixed height, so that nothing is computed for those that are not seen.

    Signals:
        line_chosen(int): the line of the program that printed what was clicked, or entered.
    """

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.lines = PrintedModel()
        self._delegate = _LineDelegate(self.lines, self)
        self.setModel(self.lines)
        self.setItemDelegate(self._delegate)
        self.setFont(mono_font(12))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setMinimumSectionSize(0)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit()
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName("printed lines")
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def set_colors(self, colors: Colors) -> None:
        self._delegate.colors = colors
        self.setStyleSheet(f"PrintedView {{ background: {colors.panel}; border: none; }}")

    def show_output(self, printed: PrintedLines) -> None:
        """Show an output; keep its end in view if it was."""
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self.lines.show_output(printed)
        self._fit()
        if at_end:
            self.scrollToBottom()

    def _fit(self) -> None:
        """Make rows as high as the letters, and the column as wide as the longest line, or the view."""
        metrics = self.fontMetrics()
        self.verticalHeader().setMinimumSectionSize(metrics.height() + 4)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + 4)
        text = metrics.horizontalAdvance("9") * self.lines.printed.n_longest
        width = max(2 * MARGIN + _number_width(metrics) + GAP + text, self.viewport().width())
        self.horizontalHeader().resizeSection(0, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(index.row() for index in self.selectedIndexes())
            QGuiApplication.clipboard().setText("\n".join(self.lines.printed.lines[row].text for row in rows))
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        self.line_chosen.emit(self.lines.printed.lines[index.row()].line)
