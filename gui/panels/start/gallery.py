"""Gallery of published results: a table of each published number beside the one that is obtained here.

The rows are those of `python main.py gallery`, computed in a thread when the table is first shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from engine.examples.gallery import published_examples, reproduced, run_examples
from engine.examples.row import GalleryRow
from gui.background import Job
from gui.panels.start.lists import PageList
from gui.theme import LIGHT, Colors, mono_font, set_text_sized, text_pixels
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import Index, RowsModel, set_read_only

COMPUTING = "Computing: {done} of {count} cases"
PASS, FAIL = "✓ pass", "✗ fail"
COLUMNS: Sequence[tuple[str, Callable[[GalleryRow], str]]] = (
    ("Case", lambda row: f"{row.example}: {row.title}"),
    ("Number", lambda row: row.quantity),
    ("Published", lambda row: row.expected),
    ("Obtained", lambda row: row.obtained),
    ("Difference", lambda row: row.difference),
    ("Result", lambda row: PASS if row.ok else FAIL),
)
"""Name and text of each column."""
TEXTS = (*(text for _name, text in COLUMNS), lambda row: row.example)
"""Texts whose longest one is noted: those of the columns, and the ids of cases."""
CASE, NUMBERS, DIFFERENCE = 0, (2, 3, 4), 4
"""The column that takes the room that is left, those in the fixed-width face, and the one that a narrow table omits."""
ROW_PIXELS = 26
LEAST_WIDTH = 130
"""Pixels at 100 %: where a column would have to be cut to less, others give way."""


class GalleryModel(RowsModel):
    """The rows of the gallery; a row that fails is in the colour of errors.

    Attributes:
        by_id: cases are named by their ids alone.
    """

    columns = tuple(name for name, _ in COLUMNS)
    colors: Colors = LIGHT
    by_id = False

    def add_rows(self, rows: Sequence[GalleryRow]) -> None:
        """Show rows below those that are shown."""
        if rows:
            self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(rows) - 1)
            self.rows = [*self.rows, *rows]
            self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row: GalleryRow = self.rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole and column == CASE and self.by_id:
            return row.example
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return COLUMNS[column][1](row)
        if role == Qt.ItemDataRole.FontRole and column in NUMBERS:
            return mono_font(12)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and not row.ok:
            return QColor(self.colors.error)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return super().headerData(section, orientation, role)


class Gallery(QWidget):
    """Table of the published results, with a line that counts them.

    Attributes:
        table, summary, progress: its parts.
        model: the rows.

    Signals:
        case_chosen(str): the id of a case that is to be opened, such as "A13".
    """

    case_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.model = GalleryModel(self)
        self.table = QTableView()
        self.table.setObjectName("gallery")
        self.table.setModel(self.model)
        set_read_only(self.table, "", ROW_PIXELS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setWordWrap(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        self._list = PageList(self.table, "Published results", self._choose)
        self.summary = muted_label()
        self.progress = QProgressBar(textVisible=False)
        self.progress.setObjectName("thin")
        self.progress.setAccessibleName("Published cases that are computed")
        set_text_sized(self.progress, setFixedWidth=160, setFixedHeight=6)
        self.progress.hide()
        line = add_widgets(QHBoxLayout(), self.summary, self.progress, spacing=10)
        line.addStretch(1)
        add_widgets(QVBoxLayout(self), line, self.table, margins=(0, 0, 0, 0), spacing=8)
        self._widest = [0] * len(TEXTS)
        self._n_measured = 0
        self._job = Job("gallery", self)
        self._job.delivered.connect(self._take)

    def set_colors(self, colors: Colors) -> None:
        self.model.colors = colors
        self.table.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.model.rows and not self._job.busy:
            cases = published_examples()
            count = sum(map(len, cases.values()))
            self.progress.setRange(0, count)
            self._show_progress(0)

            def work(cancelled: Callable[[], bool]) -> Iterator[tuple[list[GalleryRow], bool]]:
                rows: list[GalleryRow] = []
                for row in run_examples(cases):
                    if cancelled():
                        return
                    rows.append(row)
                    yield list(rows), False  # all of them each time: a result that was not taken yet is replaced
                yield rows, True

            self._job.start(None, work)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.table.clearSelection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _show_progress(self, done: int) -> None:
        self.progress.setValue(done)
        self.progress.show()
        self.summary.setText(COMPUTING.format(done=done, count=self.progress.maximum()))

    def _take(self, _token: object, result: tuple[list[GalleryRow], bool]) -> None:
        rows, is_all = result
        self.model.add_rows(rows[len(self.model.rows) :])
        self._fit_columns()
        if is_all:
            self.progress.hide()
            self.summary.setText(reproduced(rows))
        else:
            self._show_progress(len({row.example for row in rows}) - 1)  # more rows of the last one may follow

    def _fit_columns(self) -> None:
        """Give each column its width; where that is too much, the widest end in "…", and their cells have a tooltip.

        In a narrow table cases are named by their ids, and in a still narrower one the differences are left out.
        """
        self._note_widest()
        header, room = self.table.horizontalHeader(), self.width()
        for self.model.by_id, has_difference in ((False, True), (True, True), (True, False)):
            widths = [
                max(self._content_width(column), header.sectionSizeHint(column)) + text_pixels(12)
                for column in range(len(COLUMNS))
            ]
            widths[DIFFERENCE] *= has_difference
            most = _largest_share(widths, room)
            if most >= text_pixels(LEAST_WIDTH):
                break
        self.table.setColumnHidden(DIFFERENCE, not has_difference)
        widths = [min(width, most) for width in widths]
        widths[CASE] += max(0, room - sum(widths))
        for column, width in enumerate(widths):
            if width:
                header.resizeSection(column, width)

    def _note_widest(self) -> None:
        """Note the rows with the longest texts: to ask for the size of every cell at each row takes too long."""
        metrics, rows = self.table.fontMetrics(), self.model.rows
        for row in range(self._n_measured, len(rows)):
            for number, text in enumerate(TEXTS):
                longest = text(rows[self._widest[number]])
                if metrics.horizontalAdvance(text(rows[row])) > metrics.horizontalAdvance(longest):
                    self._widest[number] = row
        self._n_measured = len(rows)

    def _content_width(self, column: int) -> int:
        if not self.model.rows:
            return 0
        row = self._widest[-1 if column == CASE and self.model.by_id else column]
        return self.table.sizeHintForIndex(self.model.index(row, column)).width()

    def _choose(self, index: QModelIndex) -> None:
        self.case_chosen.emit(self.model.rows[index.row()].example)


def _largest_share(widths: Sequence[int], room: int) -> int:
    """Return the width to which the widest columns have to be cut so that all fit; that of the widest where they do."""
    left = room
    for n_wider, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * n_wider > left:
            return left // n_wider
        left -= width
    return max(widths)
